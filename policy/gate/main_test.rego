package gate_test

import data.gate

test_decision_denied_unless_a_rule_allows[note] if {
	some note, rules in {
		"no rule": {},
		"rule without members": {"a": {}},
		"rule without allow": {"a": {"deny": set()}},
		"allow is false": {"a": {"allow": false, "deny": set()}},
		"allow is a string": {"a": {"allow": "true"}},
		"allow is a number": {"a": {"allow": 1}},
		"allow is null": {"a": {"allow": null}},
		"allow is a set": {"a": {"allow": {true}}},
		"only a rule below allows": {"a": {"b": {"allow": true}}},
		"only a listing allows": {"a": {"visible": true}},
	}
	_decided(rules) == _denied(set(), {})
}

test_decision_allowed_when_one_rule_allows_and_none_denies[note] if {
	some note, rules in {
		"one rule": {"a": {"allow": true}},
		"with an empty deny": {"a": {"allow": true, "deny": set()}},
		"another rule is silent": {"a": {"allow": true}, "b": {"deny": set()}},
		"another rule does not allow": {"a": {"allow": false}, "b": {"allow": true}},
		"what hides has no say": {"a": {"allow": true, "hidden": {_reason("a", "a.x")}}},
	}
	_decided(rules) == _allowed({})
}

test_decision_denial_beats_any_allow[note] if {
	some note, rules in {
		"same rule": {"a": {"allow": true, "deny": {_reason("a", "a.x")}}},
		"another rule": {"a": {"deny": {_reason("a", "a.x")}}, "b": {"allow": true}},
		"many rules": {"a": {"deny": {_reason("a", "a.x")}}, "b": {"allow": true}, "c": {"allow": true}},
	}
	_decided(rules) == _denied({_reason("a", "a.x")}, {"deny_reason": "a.x says no"})
}

# The text comes from the reasons in the engine's order, whatever order the rules are in.
test_decision_takes_its_text_from_the_first_reason if {
	rules := {
		"z": {"deny": {_reason("z", "a.a")}},
		"b": {"deny": {_reason("b", "b.z"), _reason("b", "b.c")}},
		"y": {"allow": true},
	}
	_decided(rules) == _denied(
		{_reason("z", "a.a"), _reason("b", "b.z"), _reason("b", "b.c")},
		{"deny_reason": "b.c says no"},
	)
}

# A rule that denies in another way than by a set of reasons refuses as well; the engine calls such a decision malformed.
test_decision_denied_by_what_is_no_set[note] if {
	some note, tc in {
		"true": {"deny": true, "reasons": {true}},
		"false": {"deny": false, "reasons": {false}},
		"text": {"deny": "no", "reasons": {"no"}},
		"array": {"deny": [], "reasons": {[]}},
		"object": {"deny": {"code": "a.x"}, "reasons": {{"code": "a.x"}}},
		"set of texts": {"deny": {"no"}, "reasons": {"no"}},
	}
	_decided({"a": {"allow": true, "deny": tc.deny}}) == _denied(tc.reasons, {})
}

test_decision_carries_the_terms_of_an_allowed_call[note] if {
	some note, tc in {
		"no terms": {"rules": {"a": {"allow": true, "terms": set()}}, "want": {}},
		"effect": {
			"rules": {"a": {"allow": true, "terms": {{"effect": "rearm"}}}},
			"want": {"effect": "rearm"},
		},
		"two rules with different effects": {
			"rules": {
				"a": {"allow": true, "terms": {{"effect": "record_identity_read"}, {"confirm": "elicit"}}},
				"b": {"terms": {{"effect": "rearm"}, {"confirm": "block"}}},
			},
			"want": {"effect": "rearm", "confirm": "block"},
		},
		"approval, sandbox, warning": {
			"rules": {
				"a": {"allow": true, "terms": {{"approval": {"quorum": 2}}, {"warning": _reason("a", "a.w")}}},
				"b": {"terms": {{"sandbox": {"network": false}}}},
			},
			"want": {"approval": {"quorum": 2}, "sandbox": {"network": false}, "warnings": {_reason("a", "a.w")}},
		},
		"unknown effect, for the parser to refuse": {
			"rules": {"a": {"allow": true, "terms": {{"effect": "forget"}}}},
			"want": {"effect": "forget"},
		},
	}
	_decided(tc.rules) == _allowed(tc.want)
}

test_decision_denied_by_terms_that_are_no_objects[note] if {
	some note, tc in {
		"text": {"terms": {"rearm"}, "reasons": {"rearm"}},
		"boolean instead of a set": {"terms": true, "reasons": {true}},
		"text instead of a set": {"terms": "rearm", "reasons": {"rearm"}},
		"array": {"terms": {["effect", "rearm"]}, "reasons": {["effect", "rearm"]}},
	}
	_decided({"a": {"allow": true, "terms": tc.terms}}) == _denied(tc.reasons, {})
}

# A denial changes nothing and asks nobody; it keeps warnings and a halt.
test_decision_denial_has_no_effect if {
	rules := {"a": {
		"allow": true,
		"deny": {_reason("a", "a.x")},
		"terms": {
			{"effect": "rearm"},
			{"confirm": "elicit"},
			{"approval": {"quorum": 2}},
			{"sandbox": {"network": false}},
			{"halt": true},
			{"warning": _reason("a", "a.w")},
		},
	}}
	_decided(rules) == _denied(
		{_reason("a", "a.x")},
		{"deny_reason": "a.x says no", "halt": true, "warnings": {_reason("a", "a.w")}},
	)
}

# When the terms cannot be composed, the decision is a denial, not undefined.
test_decision_denied_when_composition_fails if {
	got := gate.decision with data.gate.rules as {"a": {"allow": true}} with data.lib.compose.terms as _no_object
	got == _denied(set(), {})
}

test_listing_composes_what_rules_say_on_listings[note] if {
	some note, tc in {
		"no rule": {"rules": {}, "want": _denied(set(), {})},
		"allowed calls are not shown tools": {"rules": {"a": {"allow": true}}, "want": _denied(set(), {})},
		"shown": {"rules": {"a": {"visible": true}}, "want": _allowed({})},
		"shown, though its call would be denied": {
			"rules": {"a": {"visible": true, "deny": {_reason("a", "a.x")}}},
			"want": _allowed({}),
		},
		"shown by one, unsaid by another": {"rules": {"a": {"visible": true}, "b": {"allow": true}}, "want": _allowed({})},
		"terms have no part in it": {
			"rules": {"a": {"visible": true, "terms": {{"effect": "rearm"}, {"halt": true}}}},
			"want": _allowed({}),
		},
		"hidden by another": {
			"rules": {"a": {"visible": true}, "b": {"hidden": {_reason("b", "b.x"), _reason("b", "b.a")}}},
			"want": _denied({_reason("b", "b.x"), _reason("b", "b.a")}, {"deny_reason": "b.a says no"}),
		},
		"hidden is no set": {"rules": {"a": {"visible": true, "hidden": true}}, "want": _denied({true}, {})},
		"visible is a string": {"rules": {"a": {"visible": "yes"}}, "want": _denied(set(), {})},
	}
	got := gate.listing with data.gate.rules as tc.rules
	got == tc.want
}

test_message_accepted_when_one_rule_accepts_and_none_rejects[note] if {
	some note, tc in {
		"no rule": {"rules": {}, "want": _denied(set(), {})},
		"a rule without a word on it": {"rules": {"a": {"allow": true, "visible": true}}, "want": _denied(set(), {})},
		"accepted": {"rules": {"a": {"accepts": true}}, "want": _allowed({})},
		"accepted beside a silent rule": {"rules": {"a": {"accepts": true}, "b": {}}, "want": _allowed({})},
		"rejected": {
			"rules": {"a": {"rejects": {_reason("a", "a.x")}}},
			"want": _denied({_reason("a", "a.x")}, {"deny_reason": "a.x says no"}),
		},
		"one accepts, one rejects": {
			"rules": {"a": {"accepts": true}, "b": {"rejects": {_reason("b", "b.x")}}},
			"want": _denied({_reason("b", "b.x")}, {"deny_reason": "b.x says no"}),
		},
		"rejects is no set": {"rules": {"a": {"accepts": true, "rejects": true}}, "want": _denied({true}, {})},
		"accepts is a string": {"rules": {"a": {"accepts": "yes"}}, "want": _denied(set(), {})},
	}
	got := gate.message with data.gate.rules as tc.rules
	got == tc.want
}

test_result_goes_back_unless_a_rule_withholds_it[note] if {
	some note, tc in {
		"no method": {"rules": {}, "input": {"result": {}}, "want": _denied(set(), {})},
		"method is no string": {"rules": {}, "input": {"method": {}}, "want": _denied(set(), {})},
		"no rule": {"rules": {}, "input": {"method": "tools/call"}, "want": _allowed({"redact": set()})},
		"redacted": {
			"rules": {"a": {"redactions": {"/content/0/text"}}, "b": {"redactions": {"/x"}}},
			"input": {"method": "tools/call"},
			"want": _allowed({"redact": {"/content/0/text", "/x"}}),
		},
		"withheld": {
			"rules": {"a": {"withholds": {_reason("a", "a.x")}, "redactions": {"/x"}}},
			"input": {"method": "tools/call"},
			"want": _denied({_reason("a", "a.x")}, {"deny_reason": "a.x says no"}),
		},
		"withholds is no set": {"rules": {"a": {"withholds": true}}, "input": {"method": "tools/call"}, "want": _denied({true}, {})},
	}
	got := gate.result with input as tc.input with data.gate.rules as tc.rules
	got == tc.want
}

# The three rules of the default bundle together: silence of one is no consent of another.
test_decision_of_the_three_rules[note] if {
	some note, tc in {
		"nothing": {"call": {}, "allow": false, "codes": {
			"agent_session.agent_unbound",
			"agent_session.session_unbound",
			"ai_agent.tool_not_listed",
			"identity.unconfirmed",
		}},
		"identity read": {"call": _call("whoami", {"tool": {"command_key": null}}), "allow": true, "codes": set()},
		"mutating call, armed": {
			"call": _call("run_shell", {"agent": {"risk": "mutable"}}),
			"allow": false,
			"codes": {"identity.unconfirmed"},
		},
		"mutating call, confirmed": {
			"call": _call("run_shell", {"agent": {"risk": "mutable"}, "session": {"identity_confirmed": true}}),
			"allow": true,
			"codes": set(),
		},
		"destructive call, confirmed": {
			"call": _call("run_shell", {"agent": {"risk": "destructive"}, "session": {"identity_confirmed": true}}),
			"allow": false,
			"codes": {"ai_agent.destructive"},
		},
		"admin tool, confirmed": {
			"call": _call("admin_explain", {"session": {"identity_confirmed": true}}),
			"allow": false,
			"codes": {"ai_agent.tool_not_listed"},
		},
	}
	got := gate.decision with input as tc.call
		with data.regate as _data
		with data.gate.rules.shell_commands as {}
		with data.gate.rules.tool_subject as {}
	got.allow == tc.allow
	codes := {reason.code | some reason in got.reasons}
	codes == tc.codes
}

_data := {
	"ai_agent": {"tools": ["run_shell", "whoami"]},
	"identity_gate": {
		"profile_switching_commands": [],
		"identity_read_commands": [],
		"identity_read_console_tools": ["whoami"],
	},
}

_call(name, parts) := object.union(
	{"command": name, "session_id": "s1", "agent": {"id": "a1", "session_id": "s1"}},
	parts,
)

_reason(rule, code) := {"rule": rule, "code": code, "message": concat(" ", [code, "says no"])}

_decided(rules) := decision if decision := gate.decision with data.gate.rules as rules

_allowed(terms) := object.union({"allow": true, "reasons": set(), "effect": "none", "confirm": "none"}, terms)

_denied(reasons, remarks) := object.union(
	{"allow": false, "reasons": reasons, "effect": "none", "confirm": "none"},
	remarks,
)

_no_object(_) := "no object"
