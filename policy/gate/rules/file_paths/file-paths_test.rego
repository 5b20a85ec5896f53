package gate.rules.file_paths_test

import data.gate.rules.file_paths

# What the reasons say, literally: agents and logs see these texts.
test_file_paths_reasons if {
	got := {[reason.code, reason.rule, reason.message] |
		some reason in {
			file_paths.server_not_listed,
			file_paths.tool_not_listed,
			file_paths.not_plain,
			file_paths.outside,
			file_paths.closed_name,
		}
	}
	got == {
		["file_paths.server_not_listed", "file_paths", "file_paths: no paths are declared for this server"],
		["file_paths.tool_not_listed", "file_paths", "file_paths: no paths are declared for this tool"],
		["file_paths.not_plain", "file_paths", "file_paths: a path must be absolute and plain, without `..`"],
		["file_paths.outside", "file_paths", "file_paths: a path is outside the folders that may be used so"],
		["file_paths.closed_name", "file_paths", "file_paths: a path leads through a name that is closed"],
	}
}

test_file_paths_refuses_nothing_of_these[note] if {
	some note, call in {
		"no call": {},
		"a local tool": {"tool": {"source": "local", "server": "", "name": "run_shell"}, "arguments": {"path": "/etc/passwd"}},
		"a free server": _call("memory", "read_graph", {"path": "/etc/passwd"}),
		"a file that may be read": _call("files", "read_text_file", {"path": "/srv/work/a.txt", "head": 1}),
		"in a second folder": _call("files", "read_text_file", {"path": "/srv/docs/a.txt"}),
		"the folder itself": _call("files", "list_directory", {"path": "/srv/work/"}),
		"several files": _call("files", "read_multiple_files", {"paths": ["/srv/work/a", "/srv/docs/b"]}),
		"no file at all": _call("files", "read_multiple_files", {"paths": []}),
		"a file that may be written": _call("files", "write_file", {"path": "/srv/work/out/a", "content": "/etc/passwd"}),
		"two paths": _call("files", "move_file", {"source": "/srv/work/out/a", "destination": "/srv/work/out/b"}),
		"read and written": _call("files", "edit_file", {"path": "/srv/work/out/a"}),
		"a tool without paths": _call("files", "list_allowed_directories", {}),
	}
	_denied(call) == set()
}

test_file_paths_refused_undeclared[note] if {
	some note, tc in {
		"an unknown server": {
			"call": _call("other", "read_text_file", {"path": "/srv/work/a"}),
			"deny": {file_paths.server_not_listed},
		},
		"a server listed as text": {
			"call": _call("broken", "read_text_file", {"path": "/srv/work/a"}),
			"deny": {file_paths.server_not_listed},
		},
		"an unknown tool": {"call": _call("files", "delete_file", {"path": "/srv/work/a"}), "deny": {file_paths.tool_not_listed}},
		"a tool with a misspelt kind": {
			"call": _call("files", "misspelt", {"path": "/srv/work/a"}),
			"deny": {file_paths.tool_not_listed},
		},
		"a tool with a text for a list": {
			"call": _call("files", "no_list", {"path": "/srv/work/a"}),
			"deny": {file_paths.tool_not_listed},
		},
		"a tool with a number for a name": {
			"call": _call("files", "no_names", {"path": "/srv/work/a"}),
			"deny": {file_paths.tool_not_listed},
		},
		"a tool that is no object": {"call": _call("files", "no_object", {}), "deny": {file_paths.tool_not_listed}},
		"a server that is free by another type": {
			"call": _call("half", "read", {"path": "/etc"}),
			"deny": {file_paths.tool_not_listed},
		},
	}
	_denied(tc.call) == tc.deny
}

test_file_paths_refused_not_plain[note] if {
	some note, tc in {
		"no path": {"call": _call("files", "read_text_file", {}), "deny": {file_paths.not_plain}},
		"a path of another type": {"call": _call("files", "read_text_file", {"path": {"a": 1}}), "deny": {file_paths.not_plain}},
		"one of several is no path": {
			"call": _call("files", "read_multiple_files", {"paths": ["/srv/work/a", null]}),
			"deny": {file_paths.not_plain},
		},
		"climbing": {
			"call": _call("files", "read_text_file", {"path": "/srv/work/../../etc/passwd"}),
			"deny": {file_paths.not_plain},
		},
	}
	_denied(tc.call) == tc.deny
}

test_file_paths_refused_outside[note] if {
	some note, tc in {
		"a longer name": {"call": _call("files", "read_text_file", {"path": "/srv/work-evil/a"}), "deny": {file_paths.outside}},
		"one of several is outside": {
			"call": _call("files", "read_multiple_files", {"paths": ["/srv/work/a", "/etc/passwd"]}),
			"deny": {file_paths.outside},
		},
		"a list where one path is meant": {
			"call": _call("files", "read_text_file", {"path": ["/etc/passwd"]}),
			"deny": {file_paths.outside},
		},
		"a server without folders": {"call": _call("bare", "read", {"path": "/srv"}), "deny": {file_paths.outside}},
	}
	_denied(tc.call) == tc.deny
}

test_file_paths_refused_outside_writing[note] if {
	some note, tc in {
		"written where only reading is allowed": {
			"call": _call("files", "write_file", {"path": "/srv/work/a"}),
			"deny": {file_paths.outside},
		},
		"moved from outside": {
			"call": _call("files", "move_file", {"source": "/srv/work/a", "destination": "/srv/work/out/b"}),
			"deny": {file_paths.outside},
		},
		"moved to outside": {
			"call": _call("files", "move_file", {"source": "/srv/work/out/a", "destination": "/srv/work/b"}),
			"deny": {file_paths.outside},
		},
		"a server without folders to write": {"call": _call("bare", "write", {"path": "/srv"}), "deny": {file_paths.outside}},
	}
	_denied(tc.call) == tc.deny
}

test_file_paths_refused_closed[note] if {
	some note, tc in {
		"a closed name": {"call": _call("files", "read_text_file", {"path": "/srv/work/.ENV"}), "deny": {file_paths.closed_name}},
		"below a closed name": {
			"call": _call("files", "write_file", {"path": "/srv/work/out/.git/hooks/x"}),
			"deny": {file_paths.closed_name},
		},
		"all of it": {
			"call": _call("files", "read_multiple_files", {"paths": ["a", "/etc/.git/x"]}),
			"deny": {file_paths.not_plain, file_paths.outside, file_paths.closed_name},
		},
	}
	_denied(tc.call) == tc.deny
}

test_file_paths_hides[note] if {
	some note, tc in {
		"a listed tool": {"call": _call("files", "read_text_file", {}), "hidden": set()},
		"a tool of a free server": {"call": _call("memory", "read_graph", {}), "hidden": set()},
		"a local tool": {"call": {"tool": {"source": "local", "server": ""}}, "hidden": set()},
		"another tool": {"call": _call("files", "delete_file", {}), "hidden": {file_paths.tool_not_listed}},
		"another server": {"call": _call("other", "x", {}), "hidden": {file_paths.server_not_listed}},
	}
	got := file_paths.hidden with input as tc.call with data.regate.file_paths as _data
	got == tc.hidden
}

test_file_paths_messages_accepted[note] if {
	some note, tc in {
		"roots": {"message": _roots("files", [{"uri": "file:///srv/work"}, {"uri": "file:///srv/docs/a%20b"}]), "rejects": set()},
		"no roots": {"message": _roots("files", []), "rejects": set()},
		"roots for a free server": {"message": _roots("memory", [{"uri": "file:///etc"}]), "rejects": set()},
		"the question for roots": {
			"message": {"method": "roots/list", "from": "upstream", "tool": _tool("files", "")},
			"rejects": set(),
		},
		"another message": {
			"message": {"method": "prompts/get", "params": {"uri": "file:///etc"}, "tool": _tool("files", "")},
			"rejects": set(),
		},
		"a resource": {"message": _resource("files", "file:///srv/work/a"), "rejects": set()},
		"a resource of another scheme": {"message": _resource("files", "test://a"), "rejects": set()},
		"a resource of a free server": {"message": _resource("memory", "file:///etc/passwd"), "rejects": set()},
	}
	got := file_paths.rejects with input as tc.message with data.regate.file_paths as _data
	got == tc.rejects
}

test_file_paths_messages_rejected_roots[note] if {
	some note, tc in {
		"roots outside": {
			"message": _roots("files", [{"uri": "file:///srv/work"}, {"uri": "file:///"}]),
			"rejects": {file_paths.outside},
		},
		"roots of an unknown server": {
			"message": _roots("other", [{"uri": "file:///srv/work"}]),
			"rejects": {file_paths.server_not_listed},
		},
		"a root that climbs": {"message": _roots("files", [{"uri": "file:///srv/work/%2e%2e"}]), "rejects": {file_paths.not_plain}},
		"a root of another scheme": {"message": _roots("files", [{"uri": "http://srv/work"}]), "rejects": {file_paths.not_plain}},
		"a root without a uri": {"message": _roots("files", [{"name": "x"}]), "rejects": {file_paths.not_plain}},
		"a root of another type": {"message": _roots("files", [{"uri": 7}]), "rejects": {file_paths.not_plain}},
		"a closed root": {"message": _roots("files", [{"uri": "file:///srv/work/.git"}]), "rejects": {file_paths.closed_name}},
	}
	got := file_paths.rejects with input as tc.message with data.regate.file_paths as _data
	got == tc.rejects
}

test_file_paths_messages_rejected_resources[note] if {
	some note, tc in {
		"a resource outside": {"message": _resource("files", "file:///etc/passwd"), "rejects": {file_paths.outside}},
		"a subscription outside": {
			"message": object.union(_resource("files", "file:///etc/passwd"), {"method": "resources/subscribe"}),
			"rejects": {file_paths.outside},
		},
		"a closed resource": {"message": _resource("files", "file:///srv/work/.env"), "rejects": {file_paths.closed_name}},
		"a resource in capital letters": {"message": _resource("files", "FILE:///srv/work/a"), "rejects": {file_paths.not_plain}},
		"a resource of an unknown server": {
			"message": _resource("other", "file:///srv/work/a"),
			"rejects": {file_paths.server_not_listed},
		},
		"a resource of any server": {"message": _resource("", "file:///srv/work/a"), "rejects": {file_paths.outside}},
	}
	got := file_paths.rejects with input as tc.message with data.regate.file_paths as _data
	got == tc.rejects
}

# Without data no server is listed.
test_file_paths_without_data_denied if {
	call := _call("files", "read_text_file", {"path": "/srv/work/a"})
	got := file_paths.deny with input as call with data.regate as {}
	got == {file_paths.server_not_listed}
}

_data := {"servers": {
	"files": {
		"read_below": ["/srv/work", "/srv/docs"],
		"write_below": ["/srv/work/out"],
		"closed_names": [".git", ".env", ".env.*"],
		"tools": {
			"read_text_file": {"reads": ["path"]},
			"read_multiple_files": {"reads": ["paths"]},
			"list_directory": {"reads": ["path"]},
			"list_allowed_directories": {},
			"write_file": {"writes": ["path"]},
			"edit_file": {"reads": ["path"], "writes": ["path"]},
			"move_file": {"writes": ["source", "destination"]},
			"misspelt": {"read": ["path"]},
			"no_list": {"reads": "path"},
			"no_names": {"reads": [7]},
			"no_object": null,
		},
	},
	"bare": {"tools": {"read": {"reads": ["path"]}, "write": {"writes": ["path"]}}},
	"memory": {"free": true},
	"half": {"free": "true"},
	"broken": "free",
}}

_denied(call) := deny if {
	deny := file_paths.deny with input as call with data.regate.file_paths as _data
}

_call(server, name, args) := {"tool": _tool(server, name), "arguments": args}

_tool(server, name) := {"source": "upstream", "server": server, "name": name}

_roots(server, roots) := {
	"method": "roots/list",
	"from": "client",
	"tool": _tool(server, ""),
	"params": {},
	"result": {"roots": roots},
}

_resource(server, uri) := {
	"method": "resources/read",
	"from": "client",
	"tool": _tool(server, ""),
	"params": {"uri": uri},
}
