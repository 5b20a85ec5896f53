package gate.rules.memory_names_test

import data.gate.rules.memory_names

test_memory_names_refuses_nothing_of_these[note] if {
	some note, call in {
		"another server": {"tool": {"server": "files", "name": "read_graph"}},
		"entities": _call("create_entities", {"entities": [{"name": "team:a"}, {"name": "team:b"}]}),
		"relations": _call("create_relations", {"relations": [{"from": "team:a", "to": "team:b"}]}),
		"names": _call("open_nodes", {"names": ["team:a"]}),
		"none": _call("delete_entities", {"entityNames": []}),
	}
	_refused(call) == {"deny": set(), "hidden": set()}
}

test_memory_names_refused[note] if {
	some note, call in {
		"one of several": _call("create_entities", {"entities": [{"name": "team:a"}, {"name": "boss:b"}]}),
		"no name": _call("create_entities", {"entities": [{"title": "team:a"}]}),
		"a name of another type": _call("create_entities", {"entities": [{"name": ["team:a"]}]}),
		"an entry of another type": _call("create_entities", {"entities": ["team:a"]}),
		"one end of a relation": _call("delete_relations", {"relations": [{"from": "team:a", "to": "boss:b"}]}),
		"another letter case": _call("open_nodes", {"names": ["Team:a"]}),
		"a space before it": _call("open_nodes", {"names": [" team:a"]}),
		"a name that is an object": _call("open_nodes", {"names": [{"name": "team:a"}]}),
		"a name under no key": _call("open_nodes", {"names": [{"": "team:a"}]}),
		"an observation": _call("add_observations", {"observations": [{"entityName": "boss:b", "contents": ["team:a"]}]}),
		"no list": _call("delete_entities", {"entityNames": "team:a"}),
		"no arguments": _call("delete_observations", {}),
	}
	_refused(call) == {"deny": {memory_names.foreign}, "hidden": set()}
}

test_memory_names_without_names_denied[note] if {
	some note, name in {"the graph": "read_graph", "a search": "search_nodes", "a tool to come": "wipe"}
	_refused(_call(name, {"query": "team:a"})) == {"deny": {memory_names.unbounded}, "hidden": {memory_names.unbounded}}
}

test_memory_names_without_data_denied if {
	got := memory_names.deny with input as _call("open_nodes", {"names": ["team:a"]}) with data.regate as {}
	got == {memory_names.foreign}
}

_refused(call) := {"deny": rule.deny, "hidden": rule.hidden} if {
	rule := memory_names with input as call with data.regate.memory_names as {"prefix": "team:"}
}

_call(name, args) := {"tool": {"server": "memory", "name": name}, "arguments": args}
