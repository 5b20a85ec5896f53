# METADATA
# title: Messages
# description: The request methods of MCP beside tools/list and tools/call, in both directions, and the notifications of clients.
package lib.messages

# METADATA
# title: Known method
# description: Whether a message is one of those that MCP defines; any other must be allowed by name.
is_known(method) if method in _requests

is_known(method) if method in _upstream_requests

is_known(method) if method in _notifications

# From the client.
_requests := {
	"completion/complete",
	"logging/setLevel",
	"prompts/get",
	"prompts/list",
	"resources/list",
	"resources/read",
	"resources/subscribe",
	"resources/templates/list",
	"resources/unsubscribe",
	"subscriptions/listen",
	"tasks/cancel",
	"tasks/get",
	"tasks/list",
	"tasks/result",
	"tasks/update",
}

# From an upstream server.
_upstream_requests := {"elicitation/create", "roots/list", "sampling/createMessage"}

_notifications := {
	"notifications/progress",
	"notifications/roots/list_changed",
	"notifications/tasks/status",
}
