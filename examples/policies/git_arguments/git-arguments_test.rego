package gate.rules.git_arguments_test

import data.gate.rules.git_arguments

test_git_arguments_refuses_nothing_of_these[note] if {
	some note, call in {
		"another server": {"tool": {"server": "files"}, "arguments": {"path": "../-x"}},
		"a repository": _call({"repo_path": "/srv/repos/a"}),
		"a range": _call({"repo_path": "/srv/repos/a", "target": "main..dev", "files": ["a-b", "c/..d"]}),
	}
	_denied(call) == set()
}

test_git_arguments_refused[note] if {
	some note, tc in {
		"an option": {"args": {"target": "--output=/tmp/x"}, "deny": {git_arguments.option}},
		"an option in a list": {"args": {"files": ["a", "-A"]}, "deny": {git_arguments.option}},
		"an option in an object": {"args": {"deep": {"branch": "-D"}}, "deny": {git_arguments.option}},
		"a folder above": {"args": {"files": ["a/../../b"]}, "deny": {git_arguments.climbs}},
		"a folder above by backslashes": {"args": {"files": ["a\\..\\b"]}, "deny": {git_arguments.climbs}},
	}
	_denied(_call(object.union(tc.args, {"repo_path": "/srv/repos/a"}))) == tc.deny
}

test_git_arguments_other_repositories_denied[note] if {
	some note, tc in {
		"a longer name": {"args": {"repo_path": "/srv/repos-evil"}, "deny": {git_arguments.repository}},
		"none": {"args": {}, "deny": {git_arguments.repository}},
		"relative": {"args": {"repo_path": "a"}, "deny": {git_arguments.repository}},
		"climbing": {"args": {"repo_path": "/srv/repos/../x"}, "deny": {git_arguments.repository, git_arguments.climbs}},
	}
	_denied(_call(tc.args)) == tc.deny
}

_denied(call) := deny if {
	deny := git_arguments.deny with input as call with data.regate.git_arguments as {"repositories": ["/srv/repos"]}
}

_call(args) := {"tool": {"server": "git", "name": "git_diff"}, "arguments": args}
