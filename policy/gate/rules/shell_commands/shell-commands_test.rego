package gate.rules.shell_commands_test

import data.gate.rules.shell_commands

# What the reasons say, literally: agents and logs see these texts.
test_shell_commands_reasons if {
	got := {[reason.code, reason.rule, reason.message] | some reason in _all}
	got == {
		["shell_commands.unverifiable", "shell_commands", "shell_commands: the command cannot be read whole"],
		["shell_commands.no_program", "shell_commands", "shell_commands: a part of the command runs no program"],
		[
			"shell_commands.program_not_listed",
			"shell_commands",
			"shell_commands: a part of the command runs a program that is not listed",
		],
		[
			"shell_commands.arguments_not_allowed",
			"shell_commands",
			"shell_commands: a listed program has arguments that are not allowed",
		],
		["shell_commands.redirect_not_allowed", "shell_commands", "shell_commands: a redirect is not allowed"],
	}
}

test_shell_commands_refuses_nothing_of_these[note] if {
	some note, call in {
		"another tool": {"command": "list_sessions"},
		"another tool with an analysis": {"command": "audit_log", "shell": {"verifiable": false}},
		"no command": {},
		"a listed program without patterns": _call([_simple(["ls", "-la", "/"])], []),
		"a pattern word by word": _call([_simple(["git", "status"])], []),
		"one word of any kind": _call([_simple(["git", "log", "-n", "5"])], []),
		"the beginning of a word": _call([_simple(["git", "show", "--stat=80"])], []),
		"further words": _call([_simple(["npm", "run", "lint", "--", "src"])], []),
		"no further words": _call([_simple(["npm", "run", "lint"])], []),
		"a compound of listed parts": _call([_simple(["ls"]), _simple(["git", "status"])], []),
		"a listed wrapper": _call([{"name": "ls", "argv": ["ls"], "via": ["env"]}], []),
		"a listed redirect": _call([_simple(["ls"])], [{"op": ">", "target": "/dev/null"}]),
		"a redirect below a folder": _call([_simple(["ls"])], [{"op": ">", "target": "out/a/b"}]),
	}
	_refused(call) == set()
}

test_shell_commands_refused[note] if {
	some note, tc in {
		"no analysis": {
			"call": {"command": "run_shell"},
			"deny": {shell_commands.unverifiable, shell_commands.no_program, shell_commands.redirect_not_allowed},
		},
		"not verifiable": {
			"call": {"command": "run_shell", "shell": {"verifiable": false, "commands": [_simple(["ls"])], "redirects": []}},
			"deny": {shell_commands.unverifiable},
		},
		"verifiable is a string": {
			"call": {"command": "run_shell", "shell": {"verifiable": "true", "commands": [_simple(["ls"])], "redirects": []}},
			"deny": {shell_commands.unverifiable},
		},
		"no command at all": {"call": _call([], []), "deny": {shell_commands.no_program}},
		"commands are an object": {"call": _call({"a": _simple(["ls"])}, []), "deny": {shell_commands.no_program}},
		"a redirect alone": {
			"call": _call([{"name": "", "argv": [], "via": []}], [{"op": ">", "target": "/etc/passwd"}]),
			"deny": {shell_commands.no_program, shell_commands.redirect_not_allowed},
		},
		"an assignment alone": {
			"call": _call([{"name": "", "argv": ["PATH=/evil"], "via": []}], []),
			"deny": {shell_commands.no_program},
		},
		"a command is a string": {"call": _call(["ls"], []), "deny": {shell_commands.no_program}},
		"a program that is not listed": {"call": _call([_simple(["curl"])], []), "deny": {shell_commands.program_not_listed}},
		"in another letter case": {"call": _call([_simple(["LS"])], []), "deny": {shell_commands.program_not_listed}},
		"a listed name at another path": {
			"call": _call([{"name": "ls", "argv": ["./ls"], "via": []}], []),
			"deny": {shell_commands.program_not_listed},
		},
		"one part of a compound": {
			"call": _call([_simple(["ls"]), _simple(["curl"])], []),
			"deny": {shell_commands.program_not_listed},
		},
		"a wrapper that is not listed": {
			"call": _call([{"name": "ls", "argv": ["ls"], "via": ["sudo"]}], []),
			"deny": {shell_commands.program_not_listed},
		},
		"no wrappers given": {
			"call": _call([{"name": "ls", "argv": ["ls"]}], []),
			"deny": {shell_commands.program_not_listed},
		},
		"arguments outside every pattern": {
			"call": _call([_simple(["git", "push"])], []),
			"deny": {shell_commands.arguments_not_allowed},
		},
		"more words than the pattern": {
			"call": _call([_simple(["git", "status", "x"])], []),
			"deny": {shell_commands.arguments_not_allowed},
		},
		"fewer words than the pattern": {
			"call": _call([_simple(["git", "log", "-n"])], []),
			"deny": {shell_commands.arguments_not_allowed},
		},
		"fewer words than before the stars": {
			"call": _call([_simple(["npm", "run"])], []),
			"deny": {shell_commands.arguments_not_allowed},
		},
		"a dynamic word": {
			"call": _call([_simple(["ls", {"dynamic": true, "text": "$X"}])], []),
			"deny": {shell_commands.arguments_not_allowed},
		},
		"a dynamic word where any word may stand": {
			"call": _call([_simple(["git", "log", "-n", {"dynamic": true, "text": "$X"}])], []),
			"deny": {shell_commands.arguments_not_allowed},
		},
		"no pattern at all": {"call": _call([_simple(["none"])], []), "deny": {shell_commands.arguments_not_allowed}},
		"patterns of another type": {"call": _call([_simple(["odd"])], []), "deny": {shell_commands.arguments_not_allowed}},
		"a target that is not listed": {
			"call": _call([_simple(["ls"])], [{"op": ">", "target": "file"}]),
			"deny": {shell_commands.redirect_not_allowed},
		},
		"a listed target with another operator": {
			"call": _call([_simple(["ls"])], [{"op": ">>", "target": "/dev/null"}]),
			"deny": {shell_commands.redirect_not_allowed},
		},
		"a target out of the folder": {
			"call": _call([_simple(["ls"])], [{"op": ">", "target": "out/../file"}]),
			"deny": {shell_commands.redirect_not_allowed},
		},
		"a dynamic target": {
			"call": _call([_simple(["ls"])], [{"op": ">", "target": {"dynamic": true, "text": "$X"}}]),
			"deny": {shell_commands.redirect_not_allowed},
		},
		"redirects are missing": {
			"call": {"command": "run_shell", "shell": {"verifiable": true, "commands": [_simple(["ls"])]}},
			"deny": {shell_commands.redirect_not_allowed},
		},
	}
	_refused(tc.call) == tc.deny
}

# Without data nothing is listed.
test_shell_commands_without_data_denied if {
	call := _call([_simple(["ls"])], [{"op": ">", "target": "/dev/null"}])
	got := shell_commands.deny with input as call with data.regate as {}
	got == {shell_commands.program_not_listed, shell_commands.redirect_not_allowed}
}

_all := {
	shell_commands.unverifiable,
	shell_commands.no_program,
	shell_commands.program_not_listed,
	shell_commands.arguments_not_allowed,
	shell_commands.redirect_not_allowed,
}

_data := {"shell_commands": {
	"programs": {
		"ls": {},
		"env": {},
		"none": {"arguments": []},
		"odd": {"arguments": "**"},
		"git": {"arguments": [["status"], ["log", "-n", "*"], ["show", "--stat*"]]},
		"npm": {"arguments": [["run", "lint", "**"]]},
	},
	"redirects": [{"op": ">", "target": "/dev/null"}, {"op": ">", "target": "out/*"}],
}}

_refused(call) := deny if {
	deny := shell_commands.deny with input as call with data.regate as _data
}

_call(commands, redirects) := {
	"command": "run_shell",
	"shell": {"verifiable": true, "commands": commands, "redirects": redirects},
}

_simple(argv) := {"name": argv[0], "argv": argv, "via": []}
