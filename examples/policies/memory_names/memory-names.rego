# METADATA
# title: Memory names
# description: |
#   The tools of server-memory are used on entities of one name space only: those whose names begin with
#   `data.regate.memory_names.prefix`. Tools that show the whole graph are refused.
# custom:
#   seed: "our own: names of entities"
package gate.rules.memory_names

import data.lib.reasons

# METADATA
# title: Another name space
# description: A name is missing, or does not begin as it must.
# custom:
#   code: memory_names.foreign
#   message: "memory_names: an entity belongs to another name space"
foreign := reasons.of(rego.metadata.chain())

# METADATA
# title: The whole graph
# description: The tool names no entities, so it could show or change any.
# custom:
#   code: memory_names.unbounded
#   message: "memory_names: this tool is not bound to names"
unbounded := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Refused calls
# description: Every call of server-memory with a name outside the name space, or without names.
deny contains foreign if {
	_is_memory
	some list, members in _names_in[input.tool.name]
	some entry in _entries(list)
	some member in members
	not _is_ours(entry, member)
}

deny contains unbounded if {
	_is_memory
	not _has_names
}

# METADATA
# scope: document
# title: Hidden tools
# description: Tools without names.
hidden contains unbounded if {
	_is_memory
	not _has_names
}

_is_memory if input.tool.server == "memory"

_has_names if is_object(_names_in[input.tool.name])

# Where a tool has names: in a list, as the entries themselves or as members of them.
_names_in := {
	"create_entities": {"entities": ["name"]},
	"create_relations": {"relations": ["from", "to"]},
	"add_observations": {"observations": ["entityName"]},
	"delete_entities": {"entityNames": [""]},
	"delete_observations": {"deletions": ["entityName"]},
	"delete_relations": {"relations": ["from", "to"]},
	"open_nodes": {"names": [""]},
}

_entries(list) := input.arguments[list] if is_array(input.arguments[list])

_entries(list) := [null] if not _is_list(list)

_is_list(list) if is_array(input.arguments[list])

_is_ours(entry, "") if startswith(entry, data.regate.memory_names.prefix)

_is_ours(entry, member) if {
	member != ""
	startswith(entry[member], data.regate.memory_names.prefix)
}
