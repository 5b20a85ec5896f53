package house.testing_test

import data.house.testing

test_tests[note] if {
	some note, tc in {
		"set alone": {"imports": ["data.gate.rules.x"], "text": `test_a if x.deny with input as {}`, "want": {"bare-set"}},
		"set negated": {"imports": ["data.gate.rules.x"], "text": `test_a if not x.deny with input as {}`, "want": {"bare-set"}},
		"set negated, with the import": {"imports": ["data.gate.rules.x", "future.keywords.not"], "text": `test_a if not x.deny`, "want": {"bare-set"}},
		"set by path": {"imports": [], "text": `test_a if data.gate.rules.x.deny`, "want": {"bare-set"}},
		"set by import": {"imports": ["data.gate.rules.x.deny"], "text": `test_a if deny`, "want": {"bare-set"}},
		"set of the test's own": {
			"imports": [], "text": `test_a if _seen
_seen contains 1`,
			"want": {"bare-set"},
		},
		"compared": {"imports": ["data.gate.rules.x"], "text": `test_a if x.deny == set() with input as {}`, "want": set()},
		"member": {"imports": ["data.gate.rules.x"], "text": `test_a if x.deny["reason"] with input as {}`, "want": set()},
		"computed member": {"imports": ["data.gate.rules.x"], "text": `test_a if x.deny[input.reason]`, "want": set()},
		"other rule": {"imports": ["data.gate.rules.x"], "text": `test_a if x.allow with input as {}`, "want": set()},
		"comparison": {"imports": [], "text": `test_a if 1 == 1`, "want": set()},
		"print": {
			"imports": [], "text": `test_a if {
	print("a")
	1 == 1
}`,
			"want": {"print"},
		},
		"later": {"imports": [], "text": `todo_test_a if 1 == 1`, "want": {"todo-test"}},
		"two of one name": {
			"imports": [], "text": `test_a if 1 == 1
test_a if 2 == 2`,
			"want": {"duplicate-test"},
		},
	}
	got := _ids_of_test(tc)
	got == tc.want
}

test_duplicates_across_files if {
	text := "package gate.rules.x_test\ntest_a if 1 == 1"
	files := {
		"policy/gate/rules/x/a_test.rego": _file(["gate", "rules", "x"], true, text),
		"policy/gate/rules/x/b_test.rego": _file(["gate", "rules", "x"], true, text),
	}
	got := {[violation.id, violation.file] | some violation in testing.violations with input as {"files": files}}
	got == {["duplicate-test", "policy/gate/rules/x/b_test.rego"]}
}

test_place if {
	module := json.patch(
		rego.parse_module("policy/lib/a/a_test.rego", "package lib.a_test\ntodo_test_a if true"),
		[{"op": "add", "path": "/rules/0/location", "value": {"file": "policy/lib/a/a_test.rego", "row": 2, "col": 1}}],
	)
	got := testing.violations with input as {"files": {"policy/lib/a/a_test.rego": {"folder": [], "test": true, "module": module}}}
	got == {{
		"id": "todo-test",
		"message": "test `todo_test_a` is left for later: it never runs",
		"file": "policy/lib/a/a_test.rego",
		"row": 2,
		"col": 1,
	}}
}

# Ids of the violations of a test file beside a rule file with a set and a plain rule.
_ids_of_test(tc) := {violation.id |
	source := concat("\n", array.concat(["package gate.rules.x_test"], array.concat([$"import {path}" | some path in tc.imports], [tc.text])))
	rules := "package gate.rules.x\nallow if input.ok\ndeny contains \"reason\" if input.bad"
	files := {
		"policy/gate/rules/x/x.rego": _file(["gate", "rules", "x"], false, rules),
		"policy/gate/rules/x/x_test.rego": _file(["gate", "rules", "x"], true, source),
	}
	some violation in testing.violations with input as {"files": files}
}

_file(folder, test, text) := {"folder": folder, "test": test, "module": rego.parse_module("x.rego", text)}
