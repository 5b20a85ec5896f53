# METADATA
# title: Text
# description: |
#   OPA's WASM runtime iterates a set in another order than its interpreter, so no text and no list comes from iterating one. Only what the
#   tree shows to be a set is judged: a set, a set comprehension, a rule with `contains`, or a variable that was assigned one of them.
package house.text

import data.house.tree

# METADATA
# title: Violations
# description: Sets handed to functions that make text of them, lists made of sets without sorting, and values that are some member of a set.
violations contains violation if {
	some path, file in _files
	some rule in file.module.rules
	walk(rule, [_, node])
	some argument in _written(node)
	_is_set(argument, _sets(rule, file.module))
	violation := tree.violation("set-text", path, node, "this text depends on the order of a set: sort it into an array first")
}

violations contains violation if {
	some path, file in _files
	some rule in file.module.rules
	sets := _sets(rule, file.module)
	walk(rule, [at, node])
	node.type == "arraycomprehension"
	some expr in node.value.body
	_iterates(expr, sets)
	not _is_ordered(rule, at)
	violation := tree.violation("set-text", path, node, "this list depends on the order of a set: sort it")
}

violations contains violation if {
	some path, file in _files
	some rule in file.module.rules
	rule.head.value.type == "var"
	not rule.head.args
	count(rule.head.ref) == 1
	some expr in rule.body
	_iterates(expr, _sets(rule, file.module))
	rule.head.value.value in _iterated(expr)
	message := $"`{tree.name(rule)}` is some member of a set: two members are a conflict, and which comes first is not said"
	violation := tree.violation("set-text", path, rule, message)
}

_files[path] := file if {
	some path, file in input.files
	file.test == false
}

# What a call writes out: the joined collection, or the values of a format.
_written(node) := [tree.arguments(node)[1]] if tree.callee(node) == "concat"

_written(node) := tree.arguments(node)[1].value if tree.callee(node) == "sprintf"

_written(node) := [part.terms | some part in node.value.parts] if node.type == "templatestring"

# Functions for which the order of a list does not matter.
_is_ordered(rule, at) if {
	call := object.get(rule, array.slice(at, 0, count(at) - 2), {})
	tree.callee(call) in {"sort", "count", "sum", "max", "min"}
}

# some x in set
_iterates(expr, sets) if {
	some symbol in expr.terms.symbols
	tree.callee(symbol) in {"internal.member_2", "internal.member_3"}
	arguments := tree.arguments(symbol)
	_is_set(arguments[count(arguments) - 1], sets)
}

_iterated(expr) := {name.value |
	some symbol in expr.terms.symbols
	some name in tree.arguments(symbol)
	name.type == "var"
}

_is_set(term, _) if term.type in {"set", "setcomprehension"}

_is_set(term, sets) if tree.dotted(term) in sets

# Names that stand for a set in a rule: sets of its package and of its imports, and variables that were assigned one.
_sets(rule, module) := _by_name(module) | {target.value |
	walk(rule, [_, expr])
	tree.callee(expr) == "assign"
	[target, source] := tree.arguments(expr)
	source.type in {"set", "setcomprehension"}
}

_by_name(module) := (tree.partial_sets | {name |
	some set_path in tree.partial_sets
	own := concat(".", array.concat(["data"], tree.package_path(module)))
	name := trim_prefix(set_path, $"{own}.")
	name != set_path
	not contains(name, ".")
}) | {name |
	some alias, imported in tree.aliases(module)
	some set_path in tree.partial_sets
	startswith(set_path, $"{imported}.")
	name := concat("", [alias, trim_prefix(set_path, imported)])
}
