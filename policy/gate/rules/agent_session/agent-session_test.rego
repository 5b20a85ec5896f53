package gate.rules.agent_session_test

import data.gate.rules.agent_session

# What the reasons say, literally: agents and logs see these texts.
test_agent_session_reasons if {
	got := {
		agent_session.agent_unbound,
		agent_session.session_unbound,
		agent_session.session_mismatch,
		agent_session.message_unknown,
	}
	got == {
		{
			"code": "agent_session.agent_unbound",
			"rule": "agent_session",
			"message": "agent_session: the call carries no agent id",
		},
		{
			"code": "agent_session.session_unbound",
			"rule": "agent_session",
			"message": "agent_session: the call carries no session id",
		},
		{
			"code": "agent_session.session_mismatch",
			"rule": "agent_session",
			"message": "agent_session: the agent's session is not the session of the call",
		},
		{
			"code": "agent_session.message_unknown",
			"rule": "agent_session",
			"message": "agent_session: the message is none that this policy knows",
		},
	}
}

test_agent_session_bound_claim_allowed[note] if {
	some note, call in {
		"claim alone": _claimed({}),
		"any tool": object.union(_claimed({}), {"command": "admin_explain", "agent": {"risk": "unknown"}}),
		"destructive call": object.union(_claimed({}), {"command": "run_shell", "agent": {"risk": "destructive"}}),
		"other ids in the arguments": object.union(
			_claimed({}),
			{"arguments": {"agent_id": "", "session_id": "s2"}, "args": ["agent_id=", "session_id=s2"]},
		),
		"blank id": _claimed({"id": " "}),
	}
	_answer(call) == {"allow": true, "deny": set()}
}

test_agent_session_unbound_claim_denied[note] if {
	some note, tc in {
		"empty input": {"call": {}, "deny": {agent_session.agent_unbound, agent_session.session_unbound}},
		"no agent": {"call": {"session_id": "s1"}, "deny": {agent_session.agent_unbound, agent_session.session_unbound}},
		"agent is null": {
			"call": {"session_id": "s1", "agent": null},
			"deny": {agent_session.agent_unbound, agent_session.session_unbound},
		},
		"agent is a string": {
			"call": {"session_id": "s1", "agent": "a1"},
			"deny": {agent_session.agent_unbound, agent_session.session_unbound},
		},
		"ids only in the arguments": {
			"call": {"session_id": "s1", "arguments": {"agent_id": "a1", "session_id": "s1"}},
			"deny": {agent_session.agent_unbound, agent_session.session_unbound},
		},
		"agent id missing": {
			"call": {"session_id": "s1", "agent": {"session_id": "s1"}},
			"deny": {agent_session.agent_unbound},
		},
		"agent id empty": {"call": _claimed({"id": ""}), "deny": {agent_session.agent_unbound}},
		"agent id null": {"call": _claimed({"id": null}), "deny": {agent_session.agent_unbound}},
		"agent id a number": {"call": _claimed({"id": 7}), "deny": {agent_session.agent_unbound}},
		"agent id an array": {"call": _claimed({"id": ["a1"]}), "deny": {agent_session.agent_unbound}},
		"agent id true": {"call": _claimed({"id": true}), "deny": {agent_session.agent_unbound}},
		"session id missing": {
			"call": {"session_id": "s1", "agent": {"id": "a1"}},
			"deny": {agent_session.session_unbound},
		},
		"session ids missing on both sides": {"call": {"agent": {"id": "a1"}}, "deny": {agent_session.session_unbound}},
		"session ids empty on both sides": {
			"call": {"session_id": "", "agent": {"id": "a1", "session_id": ""}},
			"deny": {agent_session.session_unbound},
		},
		"session ids null on both sides": {
			"call": {"session_id": null, "agent": {"id": "a1", "session_id": null}},
			"deny": {agent_session.session_unbound},
		},
		"session ids equal numbers": {
			"call": {"session_id": 7, "agent": {"id": "a1", "session_id": 7}},
			"deny": {agent_session.session_unbound},
		},
		"other session": {"call": _claimed({"session_id": "s2"}), "deny": {agent_session.session_mismatch}},
		"other letter case": {"call": _claimed({"session_id": "S1"}), "deny": {agent_session.session_mismatch}},
		"session of the call missing": {
			"call": {"agent": {"id": "a1", "session_id": "s1"}},
			"deny": {agent_session.session_mismatch},
		},
		"session of the call of another type": {
			"call": {"session_id": ["s1"], "agent": {"id": "a1", "session_id": "s1"}},
			"deny": {agent_session.session_mismatch},
		},
		"other session and no agent id": {
			"call": {"session_id": "s1", "agent": {"session_id": "s2"}},
			"deny": {agent_session.agent_unbound, agent_session.session_mismatch},
		},
	}
	_answer(tc.call) == {"deny": tc.deny}
}

test_agent_session_listing_follows_the_claim[note] if {
	some note, tc in {
		"bound": {"call": _claimed({}), "visible": true, "hidden": set()},
		"unbound": {"call": _claimed({"id": ""}), "visible": false, "hidden": {agent_session.agent_unbound}},
		"other session": {
			"call": _claimed({"session_id": "s2"}),
			"visible": false,
			"hidden": {agent_session.session_mismatch},
		},
	}
	visible := count([true | agent_session.visible with input as tc.call]) == 1
	visible == tc.visible
	hidden := agent_session.hidden with input as tc.call
	hidden == tc.hidden
}

test_agent_session_messages_follow_the_claim_and_the_method[note] if {
	some note, tc in {
		"known": {"message": object.union(_claimed({}), {"method": "resources/read"}), "accepts": true, "rejects": set()},
		"upstream request": {
			"message": object.union(_claimed({}), {"method": "roots/list"}),
			"accepts": true,
			"rejects": set(),
		},
		"unknown": {
			"message": object.union(_claimed({}), {"method": "x/custom"}),
			"accepts": false,
			"rejects": {agent_session.message_unknown},
		},
		"no method": {"message": _claimed({}), "accepts": false, "rejects": {agent_session.message_unknown}},
		"unbound": {
			"message": object.union(_claimed({"id": ""}), {"method": "resources/read"}),
			"accepts": false,
			"rejects": {agent_session.agent_unbound},
		},
	}
	accepts := count([true | agent_session.accepts with input as tc.message]) == 1
	accepts == tc.accepts
	rejects := agent_session.rejects with input as tc.message
	rejects == tc.rejects
}

# What the rule says; a refused call has no `allow`.
_answer(call) := object.filter(rule, ["allow", "deny"]) if {
	rule := agent_session with input as call
}

_claimed(change) := {"session_id": "s1", "agent": object.union({"id": "a1", "session_id": "s1"}, change)}
