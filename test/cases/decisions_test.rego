# The decision table (decisions.json) by OPA's interpreter: `opa test policy bundles test/cases`. The same table runs over the built
# modules in wasm.test.ts.
package decisions_test

test_decisions_of_ai_agent[note] if {
	some row in _rows("ai-agent")
	note := row.note
	_agrees(row)
}

test_decisions_of_agent_session[note] if {
	some row in _rows("agent-session")
	note := row.note
	_agrees(row)
}

test_decisions_of_identity_gate[note] if {
	some row in _rows("identity-gate")
	note := row.note
	_agrees(row)
}

test_decisions_of_default[note] if {
	some row in _rows("default")
	note := row.note
	_agrees(row)
}

test_decisions_of_shell_commands[note] if {
	some row in _rows("shell-commands")
	note := row.note
	_agrees(row)
}

test_decisions_of_tools_service[note] if {
	some row in _rows("tools-service")
	note := row.note
	_agrees(row)
}

test_decisions_have_unique_notes if {
	count({row.note | some row in data.decisions}) == count(data.decisions)
}

test_decisions_cover_every_bundle_and_entrypoint if {
	got := {[row.bundle, row.entrypoint] | some row in data.decisions}
	got == {[bundle, entrypoint] |
		some bundle in ["ai-agent", "agent-session", "identity-gate", "default", "shell-commands", "tools-service"]
		some entrypoint in data[bundle].entrypoints
	}
}

_rows(bundle) := [row | some row in data.decisions; row.bundle == bundle]

_agrees(row) if _decision(row) == object.union(row.want, {"reasons": {reason | some reason in row.want.reasons}})

_decision(row) := decision if {
	row.entrypoint == "gate/decision"
	decision := data.gate.decision with data.gate.rules as _rules(row) with input as row.input
}

_decision(row) := decision if {
	row.entrypoint == "gate/listing"
	decision := data.gate.listing with data.gate.rules as _rules(row) with input as row.input
}

_decision(row) := decision if {
	row.entrypoint == "gate/message"
	decision := data.gate.message with data.gate.rules as _rules(row) with input as row.input
}

_decision(row) := object.union(decision, listed) if {
	row.entrypoint == "gate/result"
	decision := data.gate.result with data.gate.rules as _rules(row) with input as row.input
	listed := {key: [path | some path in decision[key]] | some key in ["redact"]; decision[key]}
}

# What the rules of the row's bundle say, over that bundle's data.
_rules(row) := {rule: members |
	some rule in data[row.bundle].rules
	members := data.gate.rules[rule] with input as row.input with data.regate as data[row.bundle].regate
}
