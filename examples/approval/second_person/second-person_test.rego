package gate.rules.second_person_test

import data.gate.rules.second_person

_shell(names, redirects) := {
	"verifiable": true,
	"redirects": redirects,
	"commands": [{"name": name, "argv": [name], "via": []} | some name in names],
}

test_second_person_asked[note] if {
	some note, shell in {
		"another program": _shell(["make"], []),
		"one of several": _shell(["ls", "make"], []),
		"a redirect": _shell(["cat"], [{"op": ">", "target": "x"}]),
		"nobody can say": {"verifiable": false, "redirects": [], "commands": []},
		"no analysis": {},
	}
	rule := second_person with input as {"command": "run_shell", "shell": shell}
	rule == object.union(rule, {"terms": {{"approval": {"ttl_seconds": 600}, "warning": second_person.needed}}})
}

test_second_person_silent[note] if {
	some note, call in {
		"reads only": {"command": "run_shell", "shell": _shell(["ls", "wc"], [])},
		"another tool": {"command": "whoami"},
	}
	rule := second_person with input as call
	rule == object.union(rule, {"terms": set()})
}
