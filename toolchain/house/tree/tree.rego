# METADATA
# title: Syntax trees
# description: What the house rules need to know about the nodes of OPA's syntax tree.
package house.tree

# METADATA
# title: Violation
# description: A violation at a node's place; at the start of the file when the tree has no locations.
violation(id, path, node, message) := {
	"id": id,
	"message": message,
	"file": path,
	"row": object.get(node, ["location", "row"], 1),
	"col": object.get(node, ["location", "col"], 1),
}

# METADATA
# title: Rule name
# description: The dotted name of a rule, up to the first computed part.
name(rule) := concat(".", [part.value |
	some i, part in rule.head.ref
	every before in array.slice(rule.head.ref, 0, i + 1) {
		is_string(before.value)
	}
])

# METADATA
# title: Package path
# description: The parts of a module's package, without `data`.
package_path(module) := [part.value | some part in array.slice(module["package"].path, 1, count(module["package"].path))]

# METADATA
# title: Dotted reference
# description: A reference, or a variable, as dotted text; undefined when a part is computed.
dotted(term) := term.value if term.type == "var"

dotted(term) := concat(".", [part.value | some part in term.value]) if {
	term.type == "ref"
	every part in term.value {
		is_string(part.value)
	}
}

# METADATA
# title: Called function
# description: The dotted name of the function that an expression or a term calls.
callee(expr) := dotted(expr.terms[0])

callee(term) := dotted(term.value[0]) if term.type == "call"

# METADATA
# title: Arguments
# description: The arguments of the function that an expression or a term calls.
arguments(expr) := array.slice(expr.terms, 1, count(expr.terms)) if is_array(expr.terms)

arguments(term) := array.slice(term.value, 1, count(term.value)) if term.type == "call"

# METADATA
# title: Imports
# description: The dotted paths that a module imports.
imports(module) := {dotted(imported.path) | some imported in module.imports}

# METADATA
# title: Aliases
# description: Name of each import in its file, and the dotted path behind it.
aliases(module) := {_alias(imported): dotted(imported.path) | some imported in module.imports}

_alias(imported) := object.get(imported, "alias", imported.path.value[count(imported.path.value) - 1].value)

# METADATA
# title: Partial set
# description: Whether a rule adds members to a set (`contains`).
is_partial_set(rule) if {
	rule.head.key
	not rule.head.value
}

# METADATA
# title: Rules of the gate
# description: Whether a module is one of the gate's rules, `gate.rules.<rule>`.
is_gate_rule(module) if array.slice(package_path(module), 0, 2) == ["gate", "rules"]
