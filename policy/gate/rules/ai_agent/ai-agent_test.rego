package gate.rules.ai_agent_test

import data.gate.rules.ai_agent

# What the reasons say, literally: agents and logs see these texts.
test_ai_agent_reasons if {
	got := {ai_agent.tool_not_listed, ai_agent.message_not_listed, ai_agent.destructive}
	got == {
		{
			"code": "ai_agent.message_not_listed",
			"rule": "ai_agent",
			"message": "ai_agent: the message is not in the message set of this agent",
		},
		{
			"code": "ai_agent.tool_not_listed",
			"rule": "ai_agent",
			"message": "ai_agent: the tool is not in the tool set of this agent",
		},
		{
			"code": "ai_agent.destructive",
			"rule": "ai_agent",
			"message": "ai_agent: a destructive command needs a dry run, or an elevation that a human gave for this tool",
			"remedy": "dry_run",
		},
	}
}

test_ai_agent_listed_tool_allowed[note] if {
	some note, call in {
		"without any class": {"command": "list_sessions"},
		"of class read": {"command": "list_sessions", "agent": {"risk": "read"}},
		"of class destructive, but no shell": {"command": "list_sessions", "agent": {"risk": "destructive"}},
		"shell command of class mutable": {"command": "run_shell", "agent": {"risk": "mutable"}},
		"shell command of class read": {"command": "run_shell", "agent": {"risk": "read"}},
		"destructive dry run": {"command": "run_shell", "agent": {"risk": "destructive", "dry_run": true}},
		"dry run of unknown class": {"command": "run_shell", "agent": {"risk": "unknown", "dry_run": true}},
		"destructive and covered by an elevation": _elevated({}),
		"covered among other tools": _elevated({"tools": ["audit_log", "run_shell"]}),
	}
	_answer(call) == {"allow": true, "deny": set()}
}

test_ai_agent_tool_outside_the_set_denied[note] if {
	some note, call in {
		"empty input": {},
		"no command": {"agent": {"risk": "read"}},
		"admin tool": {"command": "admin_list_sessions", "agent": {"risk": "read"}},
		"identity tool": {"command": "identity_status", "agent": {"risk": "read"}},
		"other letter case": {"command": "List_Sessions"},
		"space around": {"command": " list_sessions"},
		"look-alike": {"command": "list_ѕessions"},
		"prefix": {"command": "list_session"},
		"null": {"command": null},
		"number, the place of a tool in the set": {"command": 0},
		"array of tools": {"command": ["list_sessions"]},
		"object": {"command": {"list_sessions": true}},
		"elevation names it": object.union(_elevated({"tools": ["admin_explain"]}), {"command": "admin_explain"}),
		"the name of a tool, but as `tool.name` only": {"tool": {"name": "list_sessions"}},
		"a tool of an upstream server with a listed name": {"command": "list_sessions", "tool": {"source": "upstream"}},
	}
	_answer(call) == {"deny": {ai_agent.tool_not_listed}}
}

test_ai_agent_destructive_command_denied[note] if {
	some note, call in {
		"no dry run": {"command": "run_shell", "agent": {"risk": "destructive", "dry_run": false}},
		"no class": {"command": "run_shell", "agent": {"dry_run": false}},
		"no agent": {"command": "run_shell"},
		"agent is null": {"command": "run_shell", "agent": null},
		"agent is a string": {"command": "run_shell", "agent": "read"},
		"unknown class": {"command": "run_shell", "agent": {"risk": "unknown"}},
		"class in another case": {"command": "run_shell", "agent": {"risk": "Read"}},
		"class is null": {"command": "run_shell", "agent": {"risk": null}},
		"class is an array": {"command": "run_shell", "agent": {"risk": ["read"]}},
		"dry run as string": {"command": "run_shell", "agent": {"risk": "destructive", "dry_run": "true"}},
		"dry run as number": {"command": "run_shell", "agent": {"risk": "destructive", "dry_run": 1}},
		"dry run as null": {"command": "run_shell", "agent": {"risk": "destructive", "dry_run": null}},
		"dry run in the arguments alone": {
			"command": "run_shell",
			"agent": {"risk": "destructive", "dry_run": false},
			"arguments": {"dry_run": true},
			"args": ["dry_run=true"],
		},
		"elevation of another role": _elevated({"role": "prod-admin"}),
		"elevation without role": _elevated({"role": null}),
		"elevation without reason": _elevated({"reason": null}),
		"elevation with an empty reason": _elevated({"reason": ""}),
		"elevation with a blank reason": _elevated({"reason": " \t\n"}),
		"elevation whose reason is a number": _elevated({"reason": 7}),
		"elevation for another tool": _elevated({"tools": ["eval_starlark"]}),
		"elevation for no tool": _elevated({"tools": []}),
		"elevation without tools": _elevated({"tools": null}),
		"elevation whose tools are a string": _elevated({"tools": "run_shell"}),
		"elevation whose tools are an object": _elevated({"tools": {"a": "run_shell"}}),
		"elevation is a string": {"command": "run_shell", "agent": {"risk": "destructive"}, "elevation": "human-approved-agent"},
		"elevation is null": {"command": "run_shell", "agent": {"risk": "destructive"}, "elevation": null},
		"elevation lacks every field": {"command": "run_shell", "agent": {"risk": "destructive"}, "elevation": {}},
	}
	_answer(call) == {"deny": {ai_agent.destructive}}
}

# A shell that is not in the set and would destroy something has both reasons.
test_ai_agent_unlisted_destructive_command_denied if {
	call := {"command": "run_shell", "agent": {"risk": "destructive"}}
	got := ai_agent.deny with input as call with data.regate as {"ai_agent": {"tools": []}}
	got == {ai_agent.tool_not_listed, ai_agent.destructive}
}

# Without data, or with data of another shape, nothing is listed.
test_ai_agent_without_data_denied[note] if {
	some note, regate in {
		"no data": {},
		"no tools": {"ai_agent": {}},
		"tools are a string": {"ai_agent": {"tools": "list_sessions"}},
		"tools are null": {"ai_agent": {"tools": null}},
	}
	got := ai_agent.deny with input as {"command": "list_sessions"} with data.regate as regate
	got == {ai_agent.tool_not_listed}
	allowed := [true | ai_agent.allow with input as {"command": "list_sessions"} with data.regate as regate]
	allowed == []
}

test_ai_agent_listing_shows_the_set[note] if {
	some note, tc in {
		"tool of the set": {"call": {"command": "list_sessions"}, "visible": true, "hidden": set()},
		"shell, whatever its class": {
			"call": {"command": "run_shell", "agent": {"risk": "destructive"}},
			"visible": true,
			"hidden": set(),
		},
		"tool outside": {"call": {"command": "whoami"}, "visible": false, "hidden": {ai_agent.tool_not_listed}},
		"no command": {"call": {}, "visible": false, "hidden": {ai_agent.tool_not_listed}},
	}
	visible := count([true | ai_agent.visible with input as tc.call with data.regate as _data]) == 1
	visible == tc.visible
	hidden := ai_agent.hidden with input as tc.call with data.regate as _data
	hidden == tc.hidden
}

test_ai_agent_messages_of_the_set[note] if {
	some note, tc in {
		"listed": {"message": {"method": "prompts/get"}, "accepts": true, "rejects": set()},
		"not listed": {"message": {"method": "roots/list"}, "accepts": false, "rejects": {ai_agent.message_not_listed}},
		"a tool's name": {"message": {"method": "list_sessions"}, "accepts": false, "rejects": {ai_agent.message_not_listed}},
		"no method": {"message": {}, "accepts": false, "rejects": {ai_agent.message_not_listed}},
	}
	accepts := count([true | ai_agent.accepts with input as tc.message with data.regate as _data]) == 1
	accepts == tc.accepts
	rejects := ai_agent.rejects with input as tc.message with data.regate as _data
	rejects == tc.rejects
}

test_ai_agent_without_message_data_rejects if {
	got := ai_agent.rejects with input as {"method": "prompts/get"} with data.regate as {"ai_agent": {"tools": []}}
	got == {ai_agent.message_not_listed}
}

_data := {"ai_agent": {"tools": ["list_sessions", "run_shell"], "messages": ["prompts/get"]}}

# What the rule says; a refused call has no `allow`.
_answer(call) := object.filter(rule, ["allow", "deny"]) if {
	rule := ai_agent with input as call with data.regate as _data
}

_elevated(change) := {
	"command": "run_shell",
	"agent": {"risk": "destructive", "dry_run": false},
	"elevation": object.union(
		{"role": "human-approved-agent", "reason": "clean up after test run", "tools": ["run_shell"]},
		change,
	),
}
