# METADATA
# title: File paths
# description: |
#   Which files the tools of MCP servers behind the gateway may be asked for, by `data.regate.file_paths.servers`. A server is listed by
#   its id with the folders that its tools may read below and write below, the names that are closed wherever they stand, and its tools:
#   each with the arguments that are paths, or lists of paths, under `reads` or `writes` (a tool that does both has the argument in both).
#   What is not listed is refused: another server, unless it is listed with `"free": true`, another tool, an argument that is missing or
#   is no plain absolute path (`lib.paths`). The roots that a client gives a server, and `file:` resources, pass the same folders and
#   names. The rule allows nothing by itself and does not concern local tools. It compares text and cannot see where a link leads.
# custom:
#   seed: "our own: path rules on segments, not prefixes"
package gate.rules.file_paths

import data.lib.paths
import data.lib.reasons

# METADATA
# title: Server not listed
# description: The server has no entry, so that nobody said which of its arguments are paths.
# custom:
#   code: file_paths.server_not_listed
#   message: "file_paths: no paths are declared for this server"
#   seed: "our own: what is not listed is refused"
server_not_listed := reasons.of(rego.metadata.chain())

# METADATA
# title: Tool not listed
# description: The server has an entry and the tool has none in it, or one that is no entry.
# custom:
#   code: file_paths.tool_not_listed
#   message: "file_paths: no paths are declared for this tool"
#   seed: "our own: what is not listed is refused"
tool_not_listed := reasons.of(rego.metadata.chain())

# METADATA
# title: Not a plain path
# description: A path is missing, relative, has `..` in it, or could be read in two ways.
# custom:
#   code: file_paths.not_plain
#   message: "file_paths: a path must be absolute and plain, without `..`"
#   seed: "our own: path rules on segments, not prefixes"
not_plain := reasons.of(rego.metadata.chain())

# METADATA
# title: Outside
# description: A path lies below none of the folders that may be read, or written.
# custom:
#   code: file_paths.outside
#   message: "file_paths: a path is outside the folders that may be used so"
#   seed: "our own: path rules on segments, not prefixes"
outside := reasons.of(rego.metadata.chain())

# METADATA
# title: Closed name
# description: A segment of a path is one of the closed names.
# custom:
#   code: file_paths.closed_name
#   message: "file_paths: a path leads through a name that is closed"
#   seed: "our own: names that are closed wherever they stand"
closed_name := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Refused calls
# description: Every call of a server that is not free, with a reason for each kind of what is wrong with it.
deny contains server_not_listed if {
	_is_upstream
	not _server_is_listed
}

deny contains tool_not_listed if {
	_is_judged
	not _tool_is_listed
}

deny contains not_plain if {
	some path in (_reads | _writes)
	not _is_plain(path)
}

deny contains outside if {
	some path in _reads
	_is_plain(path)
	not _is_readable(path)
}

deny contains outside if {
	some path in _writes
	_is_plain(path)
	not _is_writable(path)
}

deny contains closed_name if {
	some path in (_reads | _writes)
	paths.has_name(path, _server.closed_names)
}

# METADATA
# scope: document
# title: Hidden tools
# description: Tools that no call could use, because nobody declared their paths.
hidden contains server_not_listed if {
	_is_upstream
	not _server_is_listed
}

hidden contains tool_not_listed if {
	_is_judged
	not _tool_is_listed
}

# METADATA
# scope: document
# title: Rejected messages
# description: |
#   The roots of a client, on their way to a server, and requests for `file:` resources, whose folders may not be read. As long as a
#   request does not name its server, it must pass the entries of all.
rejects contains server_not_listed if {
	_is_about_files
	_is_upstream
	input.tool.server != ""
	not _server_is_listed
}

rejects contains not_plain if {
	some uri in _uris
	not _has_plain_path(uri)
}

rejects contains outside if {
	some path in _paths_asked
	some server in _servers_asked
	not _is_readable_by(path, server)
}

rejects contains closed_name if {
	some path in _paths_asked
	some server in _servers_asked
	paths.has_name(path, server.closed_names)
}

_is_upstream if input.tool.source == "upstream"

_server_is_listed if is_object(_server)

_server := data.regate.file_paths.servers[input.tool.server]

_is_judged if {
	_is_upstream
	_server_is_listed
	not _server_is_free
}

_server_is_free if _is_free(_server)

_is_free(server) if server.free == true

_tool_is_listed if {
	is_object(_tool)
	count([kind | some kind, names in _tool; _are_arguments(kind, names)]) == count(_tool)
}

_tool := _server.tools[input.tool.name]

_are_arguments(kind, names) if {
	kind in {"reads", "writes"}
	is_array(names)
	count([name | some name in names; is_string(name)]) == count(names)
}

_reads contains path if {
	_is_judged
	_tool_is_listed
	some name in _tool.reads
	some path in _paths_in(name)
}

_writes contains path if {
	_is_judged
	_tool_is_listed
	some name in _tool.writes
	some path in _paths_in(name)
}

# What is neither a text nor a list counts as one path that is not plain.
_paths_in(name) := [input.arguments[name]] if is_string(input.arguments[name])

_paths_in(name) := input.arguments[name] if is_array(input.arguments[name])

_paths_in(name) := [null] if not _has_paths(name)

_has_paths(name) if is_string(input.arguments[name])

_has_paths(name) if is_array(input.arguments[name])

_is_plain(path) if is_array(paths.segments(path))

_is_readable(path) if _is_readable_by(path, _server)

_is_readable_by(path, server) if {
	some folder in server.read_below
	paths.is_inside(path, folder)
}

_is_writable(path) if {
	some folder in _server.write_below
	paths.is_inside(path, folder)
}

_has_plain_path(uri) if _is_plain(paths.of_uri(uri))

_is_about_files if _is_roots_answer

_is_about_files if {
	input.method in {"resources/read", "resources/subscribe"}
	startswith(lower(input.params.uri), "file:")
}

_is_roots_answer if {
	input.method == "roots/list"
	input.from == "client"
}

_uris contains uri if {
	_is_roots_answer
	_asks_a_judged_server
	some root in input.result.roots
	uri := _uri_of(root)
}

_uris contains input.params.uri if {
	_is_about_files
	_asks_a_judged_server
}

_paths_asked contains path if {
	some uri in _uris
	path := paths.of_uri(uri)
	_is_plain(path)
}

_uri_of(root) := root.uri if is_string(root.uri)

_uri_of(root) := null if not _has_uri(root)

_has_uri(root) if is_string(root.uri)

_asks_a_judged_server if count(_servers_asked) > 0

_servers_asked contains server if {
	some id, server in data.regate.file_paths.servers
	id == input.tool.server
	not _is_free(server)
}

_servers_asked contains server if {
	input.tool.server == ""
	some server in data.regate.file_paths.servers
	not _is_free(server)
}
