package gate.rules.tool_subject_test

import data.gate.rules.tool_subject

# What the reasons say, literally: agents and logs see these texts.
test_tool_subject_reasons if {
	got := {tool_subject.missing, tool_subject.not_privileged}
	got == {
		{
			"code": "tool_subject.missing",
			"rule": "tool_subject",
			"message": "tool_subject: the call has no subject",
		},
		{
			"code": "tool_subject.not_privileged",
			"rule": "tool_subject",
			"message": "tool_subject: the subject lacks a privilege that this call needs",
		},
	}
}

test_tool_subject_privileged_calls_allowed[note] if {
	some note, call in {
		"privilege of everyone on the platform": _call("list_sessions", {"user_id": "x", "platform": "os"}, "read"),
		"own privilege": _call("run_shell", {"user_id": "7", "platform": "discord"}, "mutable"),
		"privilege of an alias": _call("run_shell", {"user_id": "8", "platform": "discord", "user_aliases": ["7"]}, "mutable"),
		"destructive with its privilege": _call("run_shell", {"user_id": "root", "platform": "os"}, "destructive"),
		"destructive dry run": object.union(
			_call("run_shell", {"user_id": "7", "platform": "discord"}, "destructive"),
			{"agent": {"risk": "destructive", "dry_run": true}},
		),
	}
	_answer(call) == {"allow": true, "deny": set()}
}

test_tool_subject_others_refused[note] if {
	some note, call in {
		"the same id on another platform": _call("run_shell", {"user_id": "7", "platform": "matrix"}, "mutable"),
		"id with the platform in front": _call("run_shell", {"user_id": "discord:7", "platform": "discord"}, "mutable"),
		"alias of another platform's user": _call("run_shell", {"user_id": "1", "platform": "os", "user_aliases": ["7"]}, "mutable"),
		"aliases that are no list": _call("run_shell", {"user_id": "1", "platform": "discord", "user_aliases": "7"}, "mutable"),
		"destructive without its privilege": _call("run_shell", {"user_id": "7", "platform": "discord"}, "destructive"),
		"unknown risk": _call("run_shell", {"user_id": "7", "platform": "discord"}, "unknown"),
		"tool without an entry": _call("whoami", {"user_id": "root", "platform": "os"}, "read"),
		"no tool": {"subject": {"user_id": "root", "platform": "os"}, "agent": {"risk": "read"}},
	}
	_answer(call) == {"deny": {tool_subject.not_privileged}}
}

# [002-fail-closed-policy]
test_tool_subject_missing_subject_refused[note] if {
	some note, subject in {
		"empty": {},
		"no platform": {"user_id": "root"},
		"no user": {"platform": "os"},
		"empty user": {"user_id": "", "platform": "os"},
		"empty platform": {"user_id": "root", "platform": ""},
		"numbers": {"user_id": 1, "platform": 2},
		"text": "root",
		"null": null,
	}
	_answer(_call("run_shell", subject, "mutable")) == {"deny": {tool_subject.missing}}
	_answer({"command": "run_shell", "agent": {"risk": "mutable"}}) == {"deny": {tool_subject.missing}}
	_answer({}) == {"deny": {tool_subject.missing}}
}

# What the message claims never changes the decision, in either direction.
test_tool_subject_envelope_changes_nothing[note] if {
	some note, envelope in {
		"an admin": {"user_id": "root", "platform": "os"},
		"nobody": {"user_id": "nobody", "platform": "none"},
		"empty": {},
	}
	calls := {
		_call("run_shell", {"user_id": "7", "platform": "discord"}, "mutable"),
		_call("run_shell", {"user_id": "1", "platform": "discord"}, "mutable"),
		_call("run_shell", {}, "mutable"),
	}
	every call in calls {
		_answer(object.union(call, {"envelope": envelope})) == _answer(call)
	}
}

test_tool_subject_nothing_configured_refuses[note] if {
	some note, regate in {
		"no data": {},
		"needs alone": {"tool_subject": {"needs": {"run_shell": "exec"}}},
		"no needs": {"tool_subject": {"privileges": {"os": {"root": ["exec"]}}}},
		"privileges of the wrong type": {"tool_subject": {"needs": {"run_shell": "exec"}, "privileges": {"os": {"root": "exec"}}}},
	}
	call := _call("run_shell", {"user_id": "root", "platform": "os"}, "mutable")
	got := tool_subject.deny with input as call with data.regate as regate
	got == {tool_subject.not_privileged}
}

test_tool_subject_listing if {
	shown := [tool |
		some tool in ["run_shell", "list_sessions", "whoami"]
		tool_subject.visible with input as {"command": tool} with data.regate as _data
	]
	shown == ["run_shell", "list_sessions"]
}

_data := {"tool_subject": {
	"needs": {"run_shell": "exec", "list_sessions": "look"},
	"destructive": "destroy",
	"everyone": {"os": ["look"]},
	"privileges": {"discord": {"7": ["exec"]}, "os": {"root": ["exec", "destroy"]}},
}}

# What the rule says; a refused call has no `allow`.
_answer(call) := object.filter(rule, ["allow", "deny"]) if {
	rule := tool_subject with input as call with data.regate as _data
}

_call(command, subject, risk) := {"command": command, "subject": subject, "agent": {"risk": risk, "dry_run": false}}
