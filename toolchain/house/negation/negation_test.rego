package house.negation_test

import data.house.negation

test_negation[note] if {
	some note, tc in {
		"call on a missing field": {
			"imports": [], "text": `deny contains "x" if not f(input.user)
f(u) if u == "root"`,
			"want": {"negation"},
		},
		"builtin": {"imports": [], "text": `deny contains "x" if not startswith(input.user, "r")`, "want": {"negation"}},
		"nested call": {"imports": [], "text": `deny contains "x" if not startswith(lower(input.user), "r")`, "want": {"negation"}},
		"inequality": {"imports": [], "text": `deny contains "x" if not input.user != "root"`, "want": {"negation"}},
		"order": {"imports": [], "text": `deny contains "x" if not input.n < 5`, "want": {"negation"}},
		"membership": {"imports": [], "text": `deny contains "x" if not input.user in {"root"}`, "want": {"negation"}},
		"membership in data": {"imports": [], "text": `deny contains "x" if not "root" in data.regate.users`, "want": {"negation"}},
		"call inside an equality": {"imports": [], "text": `deny contains "x" if not lower(input.user) == "r"`, "want": {"negation"}},
		"index of a set": {
			"imports": [], "text": `deny contains "x" if not users[input.user]
users := {"root"}`,
			"want": {"negation"},
		},
		"under hidden": {"imports": [], "text": `hidden contains "x" if not startswith(input.user, "r")`, "want": {"negation"}},
		"in a rule that a denial uses": {
			"imports": [], "text": `deny contains "x" if _bad
_bad if not startswith(input.user, "r")`,
			"want": {"negation"},
		},
		"rule without a default": {
			"imports": [], "text": `deny contains "x" if not startswith(_user, "r")
_user := input.user`,
			"want": {"negation"},
		},
		"rule with a condition": {
			"imports": [], "text": `deny contains "x" if not startswith(_user, "r")
_user := "root" if input.sudo`,
			"want": {"negation"},
		},
		"rule with a default": {
			"imports": [], "text": `deny contains "x" if not startswith(_user, "r")
default _user := ""
_user := input.user`,
			"want": set(),
		},
		"rule that is always there": {
			"imports": [], "text": `deny contains "x" if not startswith(_user, "r")
_user := "root"`,
			"want": set(),
		},
		"with the import": {"imports": ["future.keywords.not"], "text": `deny contains "x" if not startswith(input.user, "r")`, "want": set()},
		"equality": {"imports": [], "text": `deny contains "x" if not input.user == "root"`, "want": set()},
		"bare reference": {"imports": [], "text": `deny contains "x" if not input.user`, "want": set()},
		"bare rule": {
			"imports": [], "text": `deny contains "x" if not _good
_good if input.user == "root"`,
			"want": set(),
		},
		"bound variable": {
			"imports": [], "text": `deny contains "x" if {
	some user in input.users
	not startswith(user, "r")
}`,
			"want": set(),
		},
		"dotted function of a bound variable": {
			"imports": [], "text": `deny contains "x" if {
	some user in input.users
	not startswith(strings.reverse(user), "r")
}`,
			"want": set(),
		},
		"dotted function of a missing field": {"imports": [], "text": `deny contains "x" if not startswith(strings.reverse(input.user), "r")`, "want": {"negation"}},
		"inside a comprehension": {"imports": [], "text": `deny contains "x" if not count([1 | input.user]) > 0`, "want": set()},
		"outside a denial": {"imports": [], "text": `_quiet if not startswith(input.user, "r")`, "want": set()},
	}
	got := _ids(tc)
	got == tc.want
}

test_allow[note] if {
	some note, tc in {
		"negated reference": {"imports": [], "text": `allow if not input.blocked`, "want": {"allow"}},
		"negated rule": {
			"imports": [], "text": `allow if not _bad
_bad if input.blocked`,
			"want": {"allow"},
		},
		"visible": {"imports": [], "text": `visible if not input.blocked`, "want": {"allow"}},
		"import in the file": {"imports": ["future.keywords.not"], "text": `allow if input.ok`, "want": {"allow"}},
		"import and negation": {"imports": ["future.keywords.not"], "text": `allow if not input.blocked`, "want": {"allow"}},
		"negation in a rule that it uses, with the import": {
			"imports": ["future.keywords.not"], "text": `allow if _ok
_ok if not input.blocked`,
			"want": {"allow"},
		},
		"negation in a rule that it uses": {
			"imports": [], "text": `allow if _ok
_ok if not _bad
_bad if input.blocked`,
			"want": set(),
		},
		"positive": {"imports": [], "text": `allow if input.user != "root"`, "want": set()},
	}
	got := _ids(tc)
	got == tc.want
}

# Ids of the violations of one rule file of the gate.
_ids(tc) := {violation.id |
	source := concat("\n", array.concat(["package gate.rules.x"], array.concat([$"import {path}" | some path in tc.imports], [tc.text])))
	files := {"policy/gate/rules/x/x.rego": _file(["gate", "rules", "x"], false, source)}
	some violation in negation.violations with input as {"files": files}
}

_file(folder, test, text) := {"folder": folder, "test": test, "module": rego.parse_module("x.rego", text)}
