package house.tree

# METADATA
# title: Partial sets
# description: The dotted paths of all rules of all files that add members to a set.
partial_sets := {sprintf("data.%s.%s", [concat(".", package_path(file.module)), name(rule)]) |
	some file in input.files
	some rule in file.module.rules
	is_partial_set(rule)
}

# METADATA
# title: Neighbours
# description: For each package, each rule name with the names of rules of the package that it mentions.
neighbours[dotted_package][rule_name] contains mentioned if {
	some file in input.files
	file.test == false
	dotted_package := concat(".", package_path(file.module))
	some rule in file.module.rules
	rule_name := name(rule)
	walk(rule, [_, node])
	node.type == "var"
	mentioned := node.value
}

# METADATA
# title: Reached rules
# description: The names of rules of a package that the named ones use, directly or through each other, and these themselves.
reached(module, roots) := graph.reachable(
	object.get(neighbours, concat(".", package_path(module)), {}),
	roots,
)
