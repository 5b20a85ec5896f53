# The decision table (decisions.json) by OPA's interpreter: `opa test policy bundles test/cases`. The same table runs over the built
# modules in wasm.test.ts.
package decisions_test

test_decisions[note] if {
	some row in data.decisions
	note := row.note
	got := _decision(row)
	got == object.union(row.want, {"reasons": {reason | some reason in row.want.reasons}})
}

test_decisions_have_unique_notes if {
	count({row.note | some row in data.decisions}) == count(data.decisions)
}

test_decisions_cover_every_bundle_and_entrypoint if {
	got := {[row.bundle, row.entrypoint] | some row in data.decisions}
	got == {[bundle, entrypoint] |
		some bundle in ["ai-agent", "agent-session", "identity-gate", "default"]
		some entrypoint in data[bundle].entrypoints
	}
}

_decision(row) := decision if {
	row.entrypoint == "gate/decision"
	decision := data.gate.decision with data.gate.rules as _rules(row) with input as row.input
}

_decision(row) := decision if {
	row.entrypoint == "gate/listing"
	decision := data.gate.listing with data.gate.rules as _rules(row) with input as row.input
}

# What the rules of the row's bundle say, over that bundle's data.
_rules(row) := {rule: members |
	some rule in data[row.bundle].rules
	members := data.gate.rules[rule] with input as row.input with data.regate as data[row.bundle].regate
}
