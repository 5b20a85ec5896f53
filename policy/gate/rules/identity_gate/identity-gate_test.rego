package gate.rules.identity_gate_test

import data.gate.rules.identity_gate

# What the reasons say, literally: the first is the refusal that is the same bytes on every path.
test_identity_gate_reasons if {
	got := {identity_gate.unconfirmed, identity_gate.no_command, identity_gate.message_unknown}
	got == {
		{
			"code": "identity_gate.message_unknown",
			"rule": "identity_gate",
			"message": "identity_gate: the message is none that this policy knows",
		},
		{
			"code": "identity.unconfirmed",
			"rule": "identity_gate",
			"message": "identity: not confirmed in this session: read who is active first (whoami, config.profile.status or overview.status), then repeat the call; one read is enough until the profile is switched",
			"remedy": "identity_read",
		},
		{
			"code": "identity_gate.no_command",
			"rule": "identity_gate",
			"message": "identity_gate: the listing names no tool",
		},
	}
}

# A switch re-arms the gate and is never refused, whatever else it is.
test_identity_gate_switches_rearm[note] if {
	some note, tc in {
		"switch": {
			"call": _call("config_switch", {"command_key": "config.switch"}),
			"armed": _allowed({{"effect": "rearm"}}),
			"confirmed": _allowed({{"effect": "rearm"}}),
		},
		"create and activate": {
			"call": _call("config_profile_create", {"command_key": "config.profile.create"}),
			"armed": _allowed({{"effect": "rearm"}}),
			"confirmed": _allowed({{"effect": "rearm"}}),
		},
		"enter a sandbox": {
			"call": _call("config_profile_sandbox_use", {"command_key": "config.profile.sandbox.use"}),
			"armed": _allowed({{"effect": "rearm"}}),
			"confirmed": _allowed({{"effect": "rearm"}}),
		},
		"switch that is declared read-only": {
			"call": _call("config_switch", {"command_key": "config.switch", "read_only": true}),
			"armed": _allowed({{"effect": "rearm"}}),
			"confirmed": _allowed({{"effect": "rearm"}}),
		},
		"switch that is a read verb as well": {
			"call": _call("both", {"command_key": "both"}),
			"armed": _allowed({{"effect": "rearm"}}),
			"confirmed": _allowed({{"effect": "rearm"}}),
		},
	}
	_holds(tc)
}

# An identity read is recorded and never refused, whatever its declared mutability.
test_identity_gate_identity_reads_recorded[note] if {
	some note, tc in {
		"read verb": {
			"call": _call("overview_status", {"command_key": "overview.status", "read_only": true}),
			"armed": _allowed({{"effect": "record_identity_read"}}),
			"confirmed": _allowed({{"effect": "record_identity_read"}}),
		},
		"read verb that is declared mutating": {
			"call": _call("config_profile_status", {"command_key": "config.profile.status"}),
			"armed": _allowed({{"effect": "record_identity_read"}}),
			"confirmed": _allowed({{"effect": "record_identity_read"}}),
		},
		"read verb that is not known": {
			"call": _call("config_profile_status", {"command_key": "config.profile.status", "known": false}),
			"armed": _allowed({{"effect": "record_identity_read"}}),
			"confirmed": _allowed({{"effect": "record_identity_read"}}),
		},
		"whoami": {
			"call": _call("whoami", {"command_key": null, "read_only": true}),
			"armed": _allowed({{"effect": "record_identity_read"}}),
			"confirmed": _allowed({{"effect": "record_identity_read"}}),
		},
		"harness_load, declared mutating": {
			"call": _call("harness_load", {"command_key": null}),
			"armed": _allowed({{"effect": "record_identity_read"}}),
			"confirmed": _allowed({{"effect": "record_identity_read"}}),
		},
		"console tool without any key": {
			"call": {"command": "whoami", "tool": {"read_only": false}},
			"armed": _allowed({{"effect": "record_identity_read"}}),
			"confirmed": _allowed({{"effect": "record_identity_read"}}),
		},
		"console tool without facts": {
			"call": {"command": "whoami"},
			"armed": _allowed({{"effect": "record_identity_read"}}),
			"confirmed": _allowed({{"effect": "record_identity_read"}}),
		},
	}
	_holds(tc)
}

# Any other read-only call changes nothing and is never refused.
test_identity_gate_read_only_calls_allowed[note] if {
	some note, tc in {
		"read-only call": {
			"call": _call("list_sessions", {"command_key": "list_sessions", "read_only": true}),
			"armed": _allowed(set()),
			"confirmed": _allowed(set()),
		},
		"read-only call with the declared dangers left out": {
			"call": {"command": "search", "tool": {"command_key": "search", "known": true, "read_only": true}},
			"armed": _allowed(set()),
			"confirmed": _allowed(set()),
		},
	}
	_holds(tc)
}

# Everything else is mutating: refused while the gate is armed, and without effect.
test_identity_gate_mutating_calls_wait_for_confirmation[note] if {
	some note, tc in {
		"mutating call": {
			"call": _call("config_profile_edit", {"command_key": "config.profile.edit"}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"rename of a profile is no switch": {
			"call": _call("config_profile_rename", {"command_key": "config.profile.rename"}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"unknown tool that says it is read-only": {
			"call": _call("purge", {"command_key": "purge", "known": false, "read_only": true}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"flags are strings": {
			"call": {"command": "x", "tool": {"command_key": "x", "known": "true", "read_only": "true"}},
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"known is a string": {
			"call": {"command": "x", "tool": {"command_key": "x", "known": "true", "read_only": true}},
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"read-only is missing": {
			"call": {"command": "x", "tool": {"command_key": "x", "known": true}},
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"no facts at all": {
			"call": {"command": "edit"},
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"facts are null": {
			"call": {"command": "edit", "tool": null},
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"facts are an array": {
			"call": {"command": "edit", "tool": []},
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"nothing": {"call": {}, "armed": _refused(set()), "confirmed": _allowed(set())},
	}
	_holds(tc)
}

# Keys and names are compared whole and exactly, and a console tool has no key.
test_identity_gate_look_alikes_are_no_switch_and_no_read[note] if {
	some note, tc in {
		"console tool that has a key": {
			"call": _call("whoami", {"command_key": "whoami"}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"key of a console tool on another tool": {
			"call": _call("edit", {"command_key": null}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"wire name of a read verb": {
			"call": _call("config_profile_status", {"command_key": null}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"key in another letter case": {
			"call": _call("config_switch", {"command_key": "Config.Switch"}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"prefix of a key": {
			"call": _call("config", {"command_key": "config"}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"leaf of a key": {
			"call": _call("status", {"command_key": "status"}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"key is a number": {
			"call": _call("x", {"command_key": 0}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"key is an array": {
			"call": _call("x", {"command_key": ["config.switch"]}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"console tool whose key is empty": {
			"call": {"command": "whoami", "tool": {"command_key": ""}},
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"console tool whose key is false": {
			"call": {"command": "whoami", "tool": {"command_key": false}},
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
	}
	_holds(tc)
}

# The terms of a call stand whether or not it is refused; main leaves them out of a denial.
test_identity_gate_dangerous_calls_ask_a_human[note] if {
	some note, tc in {
		"read-only and destructive at once": {
			"call": _call("odd", {"command_key": "odd", "read_only": true, "destructive": true}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"read-only and live at once": {
			"call": _call("odd", {"command_key": "odd", "read_only": true, "live_write": true}),
			"armed": _refused({{"confirm": "block"}}),
			"confirmed": _allowed({{"confirm": "block"}}),
		},
		"dry run of a command": {
			"call": _shell({"risk": "destructive", "dry_run": true}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"harmless command": {
			"call": _shell({"risk": "mutable", "dry_run": false}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"command of class read": {
			"call": _shell({"risk": "read", "dry_run": false}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"destructive command": {
			"call": _shell({"risk": "destructive", "dry_run": false}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"command of unknown class": {
			"call": _shell({"risk": "unknown"}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"command without class": {
			"call": _shell({}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"command with a dry run that is no boolean": {
			"call": _shell({"risk": "destructive", "dry_run": "true"}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"destructive tool": {
			"call": _call("wipe", {"command_key": "wipe", "destructive": true}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"destructive tool with a harmless class": {
			"call": object.union(
				_call("wipe", {"command_key": "wipe", "destructive": true}),
				{"agent": {"risk": "mutable", "dry_run": true}},
			),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"destructive flag that is no boolean": {
			"call": _call("wipe", {"command_key": "wipe", "destructive": "no"}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"harmless command of a tool that hands over": {
			"call": object.union(_shell({"risk": "mutable"}), {"tool": {"handoff": true}}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"tool that hands over": {
			"call": _call("present", {"command_key": "present", "handoff": true}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"tool that writes to a live system": {
			"call": _call("submit", {"command_key": "submit", "live_write": true}),
			"armed": _refused({{"confirm": "block"}}),
			"confirmed": _allowed({{"confirm": "block"}}),
		},
		"live flag that is no boolean": {
			"call": _call("submit", {"command_key": "submit", "live_write": null}),
			"armed": _refused({{"confirm": "block"}}),
			"confirmed": _allowed({{"confirm": "block"}}),
		},
		"switch that is destructive": {
			"call": _call("config_switch", {"command_key": "config.switch", "destructive": true}),
			"armed": _allowed({{"effect": "rearm"}, {"confirm": "elicit"}}),
			"confirmed": _allowed({{"effect": "rearm"}, {"confirm": "elicit"}}),
		},
	}
	_holds(tc)
}

# A state that is missing or of another type is no confirmation, and equal profiles on both sides are none either.
test_identity_gate_mutating_call_denied_without_a_state[note] if {
	some note, state in {
		"no session": {},
		"session is null": {"session": null},
		"session is true": {"session": true},
		"session is empty": {"session": {}},
		"confirmed is a string": {"session": {"identity_confirmed": "true"}},
		"confirmed is a number": {"session": {"identity_confirmed": 1}},
		"confirmed is null": {"session": {"identity_confirmed": null}},
		"both profiles absent": {"session": {"identity_confirmed": false}, "profile": {}},
		"both profiles null": {
			"session": {"identity_confirmed": false, "confirmed_profile": null},
			"profile": {"active": null},
		},
		"one profile null": {
			"session": {"identity_confirmed": false, "confirmed_profile": null},
			"profile": {"active": "a"},
		},
		"same profile": {
			"session": {"identity_confirmed": false, "confirmed_profile": "a"},
			"profile": {"active": "a"},
		},
		"confirmed in the arguments alone": {"arguments": {"identity_confirmed": true, "session": {"identity_confirmed": true}}},
	}
	_answer(object.union(_call("config_profile_edit", {"command_key": "config.profile.edit"}), state)) == _refused(set())
}

# Without its sets the rule knows neither switches nor reads: they are calls like others.
test_identity_gate_without_data_knows_no_reads[note] if {
	some note, call in {
		"switch": _call("config_switch", {"command_key": "config.switch"}),
		"read verb": _call("overview_status", {"command_key": "overview.status"}),
		"console tool": _call("whoami", {"command_key": null}),
	}
	deny := identity_gate.deny with input as call with data.regate as {}
	deny == {identity_gate.unconfirmed}
	terms := identity_gate.terms with input as call with data.regate as {}
	terms == set()
}

test_identity_gate_listing_shows_everything[note] if {
	some note, tc in {
		"mutating tool": {"call": _call("edit", {"command_key": "edit"}), "visible": true, "hidden": set()},
		"unknown tool": {"call": {"command": "x"}, "visible": true, "hidden": set()},
		"no command": {"call": {}, "visible": false, "hidden": {identity_gate.no_command}},
		"empty command": {"call": {"command": ""}, "visible": false, "hidden": {identity_gate.no_command}},
		"command is a number": {"call": {"command": 1}, "visible": false, "hidden": {identity_gate.no_command}},
	}
	visible := count([true | identity_gate.visible with input as tc.call]) == 1
	visible == tc.visible
	hidden := identity_gate.hidden with input as tc.call
	hidden == tc.hidden
}

# Tools of an upstream server count as what the data says of them, never as the local tool of the same name.
test_identity_gate_upstream_tools[note] if {
	some note, tc in {
		"called whoami": {"call": _upstream("whoami", {}), "armed": _refused(set()), "confirmed": _allowed(set())},
		"called whoami, without a key": {
			"call": _upstream("whoami", {"command_key": null}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"declared as a read by its joined name alone": {
			"call": _upstream("who", {"command_key": "who"}),
			"armed": _allowed({{"effect": "record_identity_read"}}),
			"confirmed": _allowed({{"effect": "record_identity_read"}}),
		},
		"not of an upstream, whatever its server is called": {
			"call": _upstream("who", {"command_key": "who", "source": "local"}),
			"armed": _refused(set()),
			"confirmed": _allowed(set()),
		},
		"declared as a read by its joined name": {
			"call": _upstream("who", {}),
			"armed": _allowed({{"effect": "record_identity_read"}}),
			"confirmed": _allowed({{"effect": "record_identity_read"}}),
		},
		"declared as a switch by its key": {
			"call": _upstream("both", {"command_key": "both"}),
			"armed": _allowed({{"effect": "rearm"}}),
			"confirmed": _allowed({{"effect": "rearm"}}),
		},
		"called run_shell and destructive": {
			"call": object.union(_upstream("run_shell", {"destructive": true}), {"agent": {"risk": "mutable"}}),
			"armed": _refused({{"confirm": "elicit"}}),
			"confirmed": _allowed({{"confirm": "elicit"}}),
		},
		"called run_shell": {"call": _upstream("run_shell", {}), "armed": _refused(set()), "confirmed": _allowed(set())},
	}
	_holds(tc)
}

test_identity_gate_messages[note] if {
	some note, tc in {
		"known": {"message": {"method": "resources/read"}, "accepts": true, "rejects": set()},
		"unknown": {"message": {"method": "x/custom"}, "accepts": false, "rejects": {identity_gate.message_unknown}},
		"no method": {"message": {}, "accepts": false, "rejects": {identity_gate.message_unknown}},
	}
	accepts := count([true | identity_gate.accepts with input as tc.message]) == 1
	accepts == tc.accepts
	rejects := identity_gate.rejects with input as tc.message
	rejects == tc.rejects
}

_upstream(name, facts) := object.union(
	_call(name, {"command_key": concat("__", ["up", name]), "source": "upstream", "server": "up", "known": false}),
	{"tool": facts},
)

_data := {"identity_gate": {
	"profile_switching_commands": ["config.switch", "config.profile.create", "config.profile.sandbox.use", "both"],
	"identity_read_commands": ["config.profile.status", "overview.status", "both", "up__who"],
	"identity_read_console_tools": ["whoami", "harness_load"],
}}

# A case holds while the gate is armed and while it is confirmed.
_holds(tc) if {
	_answer(object.union(tc.call, {"session": {"identity_confirmed": false}})) == tc.armed
	_answer(object.union(tc.call, {"session": {"identity_confirmed": true}})) == tc.confirmed
}

# What the rule says; a refused call has no `allow`.
_answer(call) := object.filter(rule, ["allow", "deny", "terms"]) if {
	rule := identity_gate with input as call with data.regate as _data
}

_allowed(terms) := {"allow": true, "deny": set(), "terms": terms}

_refused(terms) := {"deny": {identity_gate.unconfirmed}, "terms": terms}

_call(name, facts) := {"command": name, "tool": object.union(
	{"name": name, "known": true, "read_only": false, "destructive": false, "handoff": false, "live_write": false},
	facts,
)}

_shell(class) := object.union(
	_call("run_shell", {"command_key": "run_shell", "destructive": true}),
	{"agent": class},
)
