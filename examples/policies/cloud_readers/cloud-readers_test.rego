package gate.rules.cloud_readers_test

import data.gate.rules.cloud_readers

test_cloud_readers_denied_outside_the_group[note] if {
	some note, call in {
		"other group": {"command": "cloud_query", "groups": ["staff"]},
		"no group": {"command": "cloud_query", "groups": []},
		"groups missing": {"command": "cloud_query"},
		"groups are a string": {"command": "cloud_query", "groups": "cloud"},
	}
	rule := cloud_readers with input as call
	rule == object.union(rule, {"deny": {cloud_readers.not_a_reader}, "hidden": {cloud_readers.not_a_reader}})
}

test_cloud_readers_silent_otherwise[note] if {
	some note, call in {
		"reader": {"command": "cloud_query", "groups": ["staff", "cloud"]},
		"other tool": {"command": "audit_log", "groups": []},
	}
	rule := cloud_readers with input as call
	rule == object.union(rule, {"deny": set(), "hidden": set()})
}
