package lib.compose_test

import data.lib.compose

test_members_of_what_a_rule_contributes[note] if {
	some note, tc in {
		"set": {"contribution": {"a", "b"}, "want": {"a", "b"}},
		"empty set": {"contribution": set(), "want": set()},
		"true": {"contribution": true, "want": {true}},
		"false": {"contribution": false, "want": {false}},
		"text": {"contribution": "no", "want": {"no"}},
		"array": {"contribution": ["a"], "want": {["a"]}},
		"object": {"contribution": {"effect": "rearm"}, "want": {{"effect": "rearm"}}},
		"null": {"contribution": null, "want": {null}},
	}
	got := compose.members(tc.contribution)
	got == tc.want
}

test_first_message_by_rule_code_and_message[note] if {
	some note, tc in {
		"no reason": {"reasons": set(), "want": []},
		"one": {"reasons": {_reason("a", "a", "only")}, "want": ["only"]},
		"rule first": {"reasons": {_reason("b", "a", "a"), _reason("a", "z", "z")}, "want": ["z"]},
		"then code": {"reasons": {_reason("a", "b", "a"), _reason("a", "a", "z")}, "want": ["z"]},
		"then message": {"reasons": {_reason("a", "a", "n"), _reason("a", "a", "m")}, "want": ["m"]},
		"many": {
			"reasons": {_reason("r", sprintf("c%d", [n]), sprintf("m%d", [n])) | some n in [9, 3, 7, 1, 5, 8, 2]},
			"want": ["m1"],
		},
		"no reason proper": {"reasons": {"no", true, {"code": "c"}}, "want": []},
	}
	got := [message | message := compose.first_message(tc.reasons)]
	got == tc.want
}

test_terms_take_the_strictest[note] if {
	some note, tc in {
		"none": {"terms": set(), "want": {}},
		"effect alone": {"terms": {{"effect": "record_identity_read"}}, "want": {"effect": "record_identity_read"}},
		"rearm before read": {
			"terms": {{"effect": "record_identity_read"}, {"effect": "rearm"}, {"effect": "none"}},
			"want": {"effect": "rearm"},
		},
		"read before nothing": {
			"terms": {{"effect": "none"}, {"effect": "record_identity_read"}},
			"want": {"effect": "record_identity_read"},
		},
		"block before question": {
			"terms": {{"confirm": "none"}, {"confirm": "elicit"}, {"confirm": "block"}},
			"want": {"confirm": "block"},
		},
		"question before nothing": {"terms": {{"confirm": "none"}, {"confirm": "elicit"}}, "want": {"confirm": "elicit"}},
		"halt before going on": {"terms": {{"halt": false}, {"halt": true}}, "want": {"halt": true}},
		"no halt": {"terms": {{"halt": false}}, "want": {"halt": false}},
		"several parts in one term": {
			"terms": {{"effect": "rearm", "confirm": "elicit"}},
			"want": {"effect": "rearm", "confirm": "elicit"},
		},
		"several parts in several terms": {
			"terms": {{"effect": "rearm"}, {"confirm": "elicit"}},
			"want": {"effect": "rearm", "confirm": "elicit"},
		},
		"warnings together": {
			"terms": {{"warning": _reason("a", "a", "m")}, {"warning": _reason("b", "b", "n")}},
			"want": {"warnings": {_reason("a", "a", "m"), _reason("b", "b", "n")}},
		},
		"sandbox: no network, no writing": {
			"terms": {
				{"sandbox": {"network": true, "write": "workdir"}},
				{"sandbox": {"network": false}},
				{"sandbox": {"write": "none"}},
			},
			"want": {"sandbox": {"network": false, "write": "none"}},
		},
		"sandbox: what nobody says is left out": {
			"terms": {{"sandbox": {"network": true}}},
			"want": {"sandbox": {"network": true}},
		},
		"sandbox without parts": {"terms": {{"sandbox": {}}}, "want": {"sandbox": {}}},
		"approval: common approvers, most votes, shortest life": {
			"terms": {
				{"approval": {"approvers": ["cy", "bo", "al"], "quorum": 1, "ttl_seconds": 600}},
				{"approval": {"approvers": ["al", "cy"], "quorum": 2, "ttl_seconds": 60}},
			},
			"want": {"approval": {"approvers": ["al", "cy"], "quorum": 2, "ttl_seconds": 60}},
		},
		"approval: nobody in common": {
			"terms": {{"approval": {"approvers": ["al"]}}, {"approval": {"approvers": ["bo"]}}},
			"want": {"approval": {"approvers": []}},
		},
		"approval: only one names approvers": {
			"terms": {{"approval": {"approvers": ["al"]}}, {"approval": {"quorum": 2}}},
			"want": {"approval": {"approvers": ["al"], "quorum": 2}},
		},
		"approval by whom it may be": {"terms": {{"approval": {}}}, "want": {"approval": {}}},
	}
	got := compose.terms(tc.terms)
	got == tc.want
}

# What has no meaning stays visible, so that the engine's parser refuses the decision.
test_terms_hand_on_what_has_no_meaning[note] if {
	some note, tc in {
		"unknown effect": {"terms": {{"effect": "rearm"}, {"effect": "rearmed"}}, "want": {"effect": "rearmed"}},
		"unknown confirmation": {"terms": {{"confirm": "block"}, {"confirm": true}}, "want": {"confirm": true}},
		"two unknown effects": {"terms": {{"effect": "b"}, {"effect": "a"}}, "want": {"effect": "a"}},
		"halt is a string": {"terms": {{"halt": true}, {"halt": "yes"}}, "want": {"halt": "yes"}},
		"unknown part": {"terms": {{"limit": 3}}, "want": {"limit": 3}},
		"unknown part twice": {"terms": {{"limit": 4}, {"limit": 3}}, "want": {"limit": 3}},
		"sandbox is no object": {"terms": {{"sandbox": true}, {"sandbox": {}}}, "want": {"sandbox": {true, {}}}},
		"approval is no object": {"terms": {{"approval": "al"}}, "want": {"approval": {"al"}}},
		"unknown part of the sandbox": {"terms": {{"sandbox": {"read": "none"}}}, "want": {"sandbox": {"read": "none"}}},
		"unknown part of the approval": {"terms": {{"approval": {"by": "al"}}}, "want": {"approval": {"by": "al"}}},
		"network is a string": {"terms": {{"sandbox": {"network": "no"}}}, "want": {"sandbox": {"network": "no"}}},
		"quorum is a string": {
			"terms": {{"approval": {"quorum": 2}}, {"approval": {"quorum": "3"}}},
			"want": {"approval": {"quorum": "3"}},
		},
	}
	got := compose.terms(tc.terms)
	got == tc.want
}

_reason(rule, code, message) := {"rule": rule, "code": code, "message": message}
