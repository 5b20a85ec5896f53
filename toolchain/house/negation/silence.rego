package house.negation

import data.house.tree

# A call is silent when an argument may be undefined; a comparison for equality only when that argument is itself a call.
_is_silent(expr, uncertain) if {
	not tree.callee(expr) in {"equal", "eq"}
	some argument in tree.arguments(expr)
	_may_be_undefined(argument, uncertain)
}

_is_silent(expr, uncertain) if {
	tree.callee(expr) in {"equal", "eq"}
	some argument in tree.arguments(expr)
	argument.type == "call"
	_may_be_undefined(argument, uncertain)
}

# not names[input.user]
_is_silent(expr, uncertain) if {
	expr.terms.type == "ref"
	some index in array.slice(expr.terms.value, 1, count(expr.terms.value))
	_may_be_undefined(index, uncertain)
}

_may_be_undefined(term, uncertain) if {
	inside := [at | walk(term, [at, part]); endswith(part.type, "comprehension")]
	walk(term, [path, node])
	_is_reference(node, uncertain)
	not _is_below(path, inside)
	not _is_operator(term, path)
}

_is_reference(node, _) if {
	node.type == "ref"
	count(node.value) > 1
}

_is_reference(node, uncertain) if {
	node.type == "var"
	node.value in uncertain
}

_is_below(path, others) if {
	some other in others
	array.slice(path, 0, count(other)) == other
}

_is_operator(term, path) if {
	path[count(path) - 1] == 0
	object.get(term, array.slice(path, 0, count(path) - 2), {}).type == "call"
}

# Names of rules with one value that is not always there: no default, and a condition or a reference.
_uncertain(module) := {tree.name(rule) |
	some rule in module.rules
	rule.head.value
	not rule.head.args
	count(rule.head.ref) == 1
	_is_conditional(rule)
} - {tree.name(rule) | some rule in module.rules; rule["default"] == true}

_is_conditional(rule) if [expr.terms.value | some expr in rule.body] != [true]

_is_conditional(rule) if {
	walk(rule.head.value, [_, node])
	node.type in {"ref", "call"}
}
