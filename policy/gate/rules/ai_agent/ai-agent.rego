# METADATA
# title: AI agent
# description: |
#   An agent may use the tools of `data.regate.ai_agent.tools` and nothing else. A destructive shell command must be a dry run, or be
#   covered by an elevation that a human gave to this agent for this tool. An elevation never opens a tool outside the set.
# custom:
#   seed: "003: policy/bundles/ai-agent.rego lists eval_starlark, run_shell, list_sessions, cloud_query, and audit_log"
package gate.rules.ai_agent

import data.lib.reasons

# METADATA
# title: Tool outside the set
# description: |
#   The tool is not one of `data.regate.ai_agent.tools`, or it is a tool of an upstream server, whatever it is called; names are compared
#   exactly.
# custom:
#   code: ai_agent.tool_not_listed
#   message: "ai_agent: the tool is not in the tool set of this agent"
#   seed: "003: admin_* and identity_* are absent, so that bundle denies them"
tool_not_listed := reasons.of(rego.metadata.chain())

# METADATA
# title: Message outside the set
# description: The message is not one of `data.regate.ai_agent.messages`; the shipped data lists none.
# custom:
#   code: ai_agent.message_not_listed
#   message: "ai_agent: the message is not in the message set of this agent"
#   seed: "003: an explicit agent tool set"
message_not_listed := reasons.of(rego.metadata.chain())

# METADATA
# title: Destructive without dry run
# description: |
#   The shell command is destructive, or nobody could say what it does, and it is neither a dry run nor covered by an elevation of
#   role `human-approved-agent` that has a reason and names this tool.
# custom:
#   code: ai_agent.destructive
#   message: "ai_agent: a destructive command needs a dry run, or an elevation that a human gave for this tool"
#   remedy: dry_run
#   seed: "003: requires dry_run=true before a destructive run_shell call"
destructive := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Allowed calls
# description: A tool of the set, unless the call is a destructive command without cover.
allow if {
	_tool_is_listed
	_call_is_covered
}

# METADATA
# scope: document
# title: Refused calls
# description: Every call that is not allowed, each with its reasons.
deny contains tool_not_listed if not _tool_is_listed

deny contains destructive if {
	input.command == "run_shell"
	not _command_is_covered
}

# METADATA
# scope: document
# title: Shown tools
# description: The tools of the set.
visible if _tool_is_listed

# METADATA
# scope: document
# title: Hidden tools
# description: Every tool outside the set.
hidden contains tool_not_listed if not _tool_is_listed

# METADATA
# scope: document
# title: Accepted messages
# description: The messages of the set.
accepts if _message_is_listed

# METADATA
# scope: document
# title: Rejected messages
# description: Every message outside the set.
rejects contains message_not_listed if not _message_is_listed

_message_is_listed if input.method in data.regate.ai_agent.messages

_tool_is_listed if {
	input.command in data.regate.ai_agent.tools
	not _is_upstream
}

_is_upstream if input.tool.source == "upstream"

_call_is_covered if input.command != "run_shell"

_call_is_covered if _command_is_covered

_command_is_covered if input.agent.risk == "read"

_command_is_covered if input.agent.risk == "mutable"

_command_is_covered if input.agent.dry_run == true

_command_is_covered if {
	input.elevation.role == "human-approved-agent"
	trim_space(input.elevation.reason) != ""
	is_array(input.elevation.tools)
	input.command in input.elevation.tools
}
