# METADATA
# title: Negation
# description: |
#   `not f(x)` is undefined, not true, when `x` is undefined: a denial that is written so never comes. `import future.keywords.not` makes it
#   true; that in turn loosens a rule that allows, so such a rule has positive conditions only.
package house.negation

import data.house.tree

# METADATA
# title: Violations
# description: Silent negations under `deny` and `hidden`, and any negation under `allow` and `visible`.
violations contains violation if {
	some path, file in _rule_files
	not "future.keywords.not" in tree.imports(file.module)
	some rule in _reached(file.module, {"deny", "hidden"})
	walk(rule, [_, node])
	node.negated == true
	_is_silent(node, _uncertain(file.module))
	message := "this negation is silent when what it calls on is undefined: write a positive rule and negate that, or import `future.keywords.not`"
	violation := tree.violation("negation", path, node, message)
}

violations contains violation if {
	some path, file in _rule_files
	some rule in _loosened(file.module)
	walk(rule, [_, node])
	_is_negation(node)
	message := $"`{tree.name(rule)}` allows and negates: allow on positive conditions only"
	violation := tree.violation("allow", path, node, message)
}

violations contains violation if {
	some path, file in _rule_files
	some rule in file.module.rules
	tree.name(rule) in {"allow", "visible"}
	some imported in file.module.imports
	tree.dotted(imported.path) == "future.keywords.not"
	message := $"this file has `{tree.name(rule)}`, which `future.keywords.not` would loosen: deny in a file of its own"
	violation := tree.violation("allow", path, imported, message)
}

_rule_files[path] := file if {
	some path, file in input.files
	file.test == false
	tree.is_gate_rule(file.module)
}

# Rules that allow; with the import, which makes more negations true, the rules that they use as well.
_loosened(module) := [rule | some rule in module.rules; tree.name(rule) in {"allow", "visible"}] if {
	not "future.keywords.not" in tree.imports(module)
}

_loosened(module) := _reached(module, {"allow", "visible"}) if "future.keywords.not" in tree.imports(module)

_reached(module, roots) := [rule |
	names := tree.reached(module, roots)
	some rule in module.rules
	tree.name(rule) in names
]

_is_negation(node) if node.negated == true

_is_negation(node) if {
	node.type == "not"
	node.body
}
