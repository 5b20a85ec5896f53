package lib.messages_test

import data.lib.messages

test_messages_known[method] if {
	some method in [
		"resources/read",
		"prompts/get",
		"completion/complete",
		"subscriptions/listen",
		"sampling/createMessage",
		"elicitation/create",
		"roots/list",
		"notifications/roots/list_changed",
	]
	messages.is_known(method)
}

test_messages_unknown[note] if {
	some note, method in {
		"foreign": "x/custom",
		"other case": "Resources/read",
		"space": "resources/read ",
		"empty": "",
		"null": null,
		"number": 1,
		"calls are decided elsewhere": "tools/call",
	}
	known := [true | messages.is_known(method)]
	known == []
}
