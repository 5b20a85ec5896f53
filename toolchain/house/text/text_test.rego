package house.text_test

import data.house.text

test_set_text[note] if {
	some note, tc in {
		"joined set": {"imports": [], "text": `_t := concat(", ", {"b", "a"})`, "want": {"set-text"}},
		"joined comprehension": {"imports": [], "text": `_t := concat(", ", {x | some x in input.xs})`, "want": {"set-text"}},
		"joined rule": {
			"imports": [], "text": `_t := concat(", ", _xs)
_xs contains "a"`,
			"want": {"set-text"},
		},
		"joined rule by path": {
			"imports": [], "text": `_t := concat(", ", data.gate.rules.x._xs)
_xs contains "a"`,
			"want": {"set-text"},
		},
		"joined variable": {
			"imports": [], "text": `_t := text if {
	xs := {x | some x in input.xs}
	text := concat(", ", xs)
}`,
			"want": {"set-text"},
		},
		"formatted set": {"imports": [], "text": `_t := sprintf("%v %v", [1, {"a"}])`, "want": {"set-text"}},
		"template": {
			"imports": [], "text": `_t := $"users {_xs}"
_xs contains "a"`,
			"want": {"set-text"},
		},
		"list of a set": {
			"imports": [], "text": `_t := [x | some x in _xs]
_xs contains "a"`,
			"want": {"set-text"},
		},
		"some member": {
			"imports": [], "text": `_t := x if some x in _xs
_xs contains "a"`,
			"want": {"set-text"},
		},
		"sorted": {
			"imports": [], "text": `_t := concat(", ", sort(_xs))
_xs contains "a"`,
			"want": set(),
		},
		"sorted list": {
			"imports": [], "text": `_t := sort([x | some x in _xs])
_xs contains "a"`,
			"want": set(),
		},
		"sorted list, named": {
			"imports": [], "text": `_xs contains "a"
_t if {
	ys := sort([x | some x in _xs])
	ys[0] == "a"
}`,
			"want": set(),
		},
		"list of a list": {"imports": [], "text": `_t := [x | some x in input.xs]`, "want": set()},
		"set of a set": {
			"imports": [], "text": `_t := {x | some x in _xs}
_xs contains "a"`,
			"want": set(),
		},
		"joined list": {"imports": [], "text": `_t := concat(", ", ["b", "a"])`, "want": set()},
		"formatted list": {"imports": [], "text": `_t := sprintf("%v", [input.x])`, "want": set()},
		"number of members": {
			"imports": [], "text": `_t := count([x | some x in _xs])
_xs contains "a"`,
			"want": set(),
		},
		"template of a text": {"imports": [], "text": `_t := $"user {input.user}"`, "want": set()},
	}
	got := _ids(tc)
	got == tc.want
}

test_set_text_by_import if {
	files := {
		"policy/gate/rules/x/x.rego": _file(["gate", "rules", "x"], false, "package gate.rules.x\nimport data.lib.names\n_t := concat(\",\", names.all)"),
		"policy/lib/names/names.rego": _file(["lib", "names"], false, "package lib.names\n_all := 1\nall contains \"a\""),
	}
	got := {violation.id | some violation in text.violations with input as {"files": files}}
	got == {"set-text"}
}

# Ids of the violations of one rule file of the gate.
_ids(tc) := {violation.id |
	source := concat("\n", array.concat(["package gate.rules.x"], array.concat([$"import {path}" | some path in tc.imports], [tc.text])))
	files := {"policy/gate/rules/x/x.rego": _file(["gate", "rules", "x"], false, source)}
	some violation in text.violations with input as {"files": files}
}

_file(folder, test, text) := {"folder": folder, "test": test, "module": rego.parse_module("x.rego", text)}
