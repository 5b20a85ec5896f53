# METADATA
# title: Metadata
# description: |
#   Every package and every public rule outside tests says what it is (title and description); a rule of the gate that makes a reason
#   takes its code from its annotation, and names the sentence of the seed that it comes from.
package house.metadata

import data.house.tree

# METADATA
# title: Violations
# description: Packages and rules without title or description, and reasons without code, message or seed.
violations contains violation if {
	some path, file in input.files
	file.test == false
	not _is_described(_of_package(file.module))
	message := "the package has no METADATA with title and description"
	violation := tree.violation("metadata", path, file.module["package"], message)
}

violations contains violation if {
	some path, file in input.files
	file.test == false
	some rule in file.module.rules
	name := tree.name(rule)
	not startswith(name, "_")
	not _is_described(_of_rule(file.module, name))
	message := $"rule `{name}` has no METADATA with title and description"
	violation := tree.violation("metadata", path, rule, message)
}

violations contains violation if {
	some path, file in input.files
	some rule in _reasons(file)
	some field in ["code", "message"]
	not _custom(rule.annotations, field)
	message := $"rule `{tree.name(rule)}` makes a reason without `custom.{field}` in its METADATA"
	violation := tree.violation("code", path, rule, message)
}

violations contains violation if {
	some path, file in input.files
	some rule in _reasons(file)
	not _custom(array.concat(object.get(rule, "annotations", []), _of_package(file.module)), "seed")
	message := $"rule `{tree.name(rule)}` makes a reason and neither it nor its package has `custom.seed` in its METADATA"
	violation := tree.violation("code", path, rule, message)
}

# The rules of the gate that build a reason: from their annotation, or by hand.
_reasons(file) := [rule |
	file.test == false
	tree.is_gate_rule(file.module)
	some rule in file.module.rules
	_makes_a_reason(rule)
]

_makes_a_reason(rule) if {
	walk(rule, [_, node])
	tree.callee(node) in {"rego.metadata.chain", "rego.metadata.rule"}
}

_makes_a_reason(rule) if {
	walk(rule, [_, node])
	node.type == "object"
	some [key, _] in node.value
	key.value == "code"
}

# The annotations of a package: of any of its files, since OPA takes them once.
_of_package(module) := [annotation |
	some file in input.files
	tree.package_path(file.module) == tree.package_path(module)
	some annotation in file.module.annotations
	annotation.scope in {"package", "subpackages"}
]

# The annotations of one name in its package: of any of its rules, in any file.
_of_rule(module, name) := [annotation |
	some file in input.files
	tree.package_path(file.module) == tree.package_path(module)
	some rule in file.module.rules
	tree.name(rule) == name
	some annotation in rule.annotations
]

_is_described(annotations) if {
	some annotation in annotations
	trim_space(annotation.title) != ""
	trim_space(annotation.description) != ""
}

_custom(annotations, field) if {
	some annotation in annotations
	annotation.custom[field]
}
