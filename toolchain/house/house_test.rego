package house_test

import data.house

# One breach of each kind: the rules are joined, and none hides another.
test_violations_of_every_kind if {
	rules := concat("\n", [
		"package gate.rules.x",
		"import rego.v1",
		"allow if not input.blocked",
		"deny contains \"x\" if not startswith(input.user, \"r\")",
		"_text := concat(\",\", {\"a\"})",
	])
	files := {
		"policy/gate/rules/x/x.rego": _file(["gate", "rules", "x"], rules),
		"policy/gate/rules/x/x_test.rego": object.union(
			_file(["gate", "rules", "y"], "package gate.rules.x_test\ntest_a if print(1)\ntodo_test_b if true"),
			{"test": true},
		),
	}
	got := {violation.id | some violation in house.violations with input as {"files": files}}
	got == {"allow", "metadata", "negation", "package", "print", "rego-v1", "set-text", "todo-test"}
}

test_violations_of_nothing if {
	got := house.violations with input as {"files": {}}
	got == set()
}

_file(folder, text) := {"folder": folder, "test": false, "module": rego.parse_module("x.rego", text)}
