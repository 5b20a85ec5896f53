# METADATA
# title: Naming
# description: A package is named as its folder, and no file imports the language version that it is written in anyway.
package house.naming

import data.house.tree

# METADATA
# title: Violations
# description: Packages beside their folder, and imports of `rego.v1`.
violations contains violation if {
	some path, file in input.files
	file.folder != []
	got := _without_suffix(tree.package_path(file.module))
	got != file.folder
	message := $"package `{concat(".", got)}` lies in folder `{concat("/", file.folder)}`"
	violation := tree.violation("package", path, file.module["package"], message)
}

violations contains violation if {
	some path, file in input.files
	some imported in file.module.imports
	tree.dotted(imported.path) == "rego.v1"
	violation := tree.violation("rego-v1", path, imported, "`import rego.v1` is of no use: policies are Rego v1")
}

_without_suffix(path) := array.concat(
	array.slice(path, 0, count(path) - 1),
	[trim_suffix(path[count(path) - 1], "_test")],
)
