# METADATA
# title: Testing
# description: |
#   A test must be able to fail: a set that is empty still counts as true, so it is compared, never named alone. Names are unique, nothing is
#   printed and nothing is left for later.
package house.testing

import data.house.tree

# METADATA
# title: Violations
# description: Tests that name a set alone, printing, tests for later, and two tests of one name.
violations contains violation if {
	some path, file in input.files
	some rule in _tests(file)
	some expr in rule.body
	_names_a_set(expr, file.module)
	message := "an empty set counts as true here: compare the set with what it must be"
	violation := tree.violation("bare-set", path, expr, message)
}

violations contains violation if {
	some path, file in input.files
	some rule in file.module.rules
	walk(rule, [_, node])
	tree.callee(node) == "print"
	violation := tree.violation("print", path, node, "`print` writes to stdout, the protocol channel")
}

violations contains violation if {
	some path, file in input.files
	some rule in file.module.rules
	startswith(tree.name(rule), "todo_test_")
	violation := tree.violation("todo-test", path, rule, $"test `{tree.name(rule)}` is left for later: it never runs")
}

violations contains violation if {
	some path, file in input.files
	some i, rule in _tests(file)
	tree.name(rule) in _names_before(path, file, i)
	violation := tree.violation("duplicate-test", path, rule, $"there is another test `{tree.name(rule)}` in this package")
}

_tests(file) := [rule | some rule in file.module.rules; startswith(tree.name(rule), "test_")]

_names_before(path, file, i) := {tree.name(rule) | some rule in array.slice(_tests(file), 0, i)} | {tree.name(rule) |
	some other_path, other in input.files
	other_path < path
	tree.package_path(other.module) == tree.package_path(file.module)
	some rule in _tests(other)
}

# `set`, `not set`, and both with `with`; the set is a rule of some file, reached by its path or by an import.
_names_a_set(expr, module) if _resolved(expr.terms, module) in tree.partial_sets

_names_a_set(expr, module) if {
	expr.terms.type == "not"
	count(expr.terms.body) == 1
	_resolved(expr.terms.body[0].terms, module) in tree.partial_sets
}

_resolved(term, module) := concat(".", array.concat([tree.aliases(module)[head]], rest)) if [head, rest] := _split(term)

_resolved(term, _) := tree.dotted(term) if startswith(tree.dotted(term), "data.")

_resolved(term, module) := concat(".", array.concat(["data"], array.concat(tree.package_path(module), [term.value]))) if {
	term.type == "var"
	not tree.aliases(module)[term.value]
}

_split(term) := [parts[0], array.slice(parts, 1, count(parts))] if parts := split(tree.dotted(term), ".")
