# METADATA
# title: Git arguments
# description: |
#   What a git server is given never reaches git as an option, names no folder above it, and concerns the repositories of
#   `data.regate.git_arguments.repositories` only.
# custom:
#   seed: "our own: arguments of a git server"
package gate.rules.git_arguments

import data.lib.paths
import data.lib.reasons

# METADATA
# title: An option
# description: A text begins with a hyphen, so that git could take it for an option.
# custom:
#   code: git_arguments.option
#   message: "git_arguments: a text begins with a hyphen"
option := reasons.of(rego.metadata.chain())

# METADATA
# title: Climbing
# description: A text has the segment `..`.
# custom:
#   code: git_arguments.climbs
#   message: "git_arguments: a path leads to a folder above"
climbs := reasons.of(rego.metadata.chain())

# METADATA
# title: Another repository
# description: The repository is missing, or lies below none of the listed folders.
# custom:
#   code: git_arguments.repository
#   message: "git_arguments: the repository is none of those that may be used"
repository := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Refused calls
# description: Every call of the git server with such a text, or on another repository.
deny contains option if {
	some text in _texts
	startswith(text, "-")
}

deny contains climbs if {
	some text in _texts
	".." in split(strings.replace_n({"\\": "/"}, text), "/")
}

deny contains repository if {
	_is_git
	not _is_our_repository
}

_is_git if input.tool.server == "git"

_texts contains text if {
	_is_git
	walk(input.arguments, [_, text])
	is_string(text)
}

_is_our_repository if {
	some folder in data.regate.git_arguments.repositories
	paths.is_inside(input.arguments.repo_path, folder)
}
