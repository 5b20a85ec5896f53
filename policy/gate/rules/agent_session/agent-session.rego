# METADATA
# title: Agent session
# description: |
#   A call counts only when the process claim is bound: the agent has an id, and the session that the agent claims is the session of
#   the call. Tool arguments of the same names have no part in this.
# custom:
#   seed: "003: policy/examples/agent-session.rego shows a policy that requires both bound fields"
package gate.rules.agent_session

import data.lib.messages
import data.lib.reasons

# METADATA
# title: No agent id
# description: "`agent.id` is missing, empty or not a string."
# custom:
#   code: agent_session.agent_unbound
#   message: "agent_session: the call carries no agent id"
#   seed: "003: when neither is set, the id is mcp-<pid>"
agent_unbound := reasons.of(rego.metadata.chain())

# METADATA
# title: No session id
# description: "`agent.session_id` is missing, empty or not a string."
# custom:
#   code: agent_session.session_unbound
#   message: "agent_session: the call carries no session id"
#   seed: "003: puts that id on input.agent.session_id"
session_unbound := reasons.of(rego.metadata.chain())

# METADATA
# title: Another session
# description: "`agent.session_id` is not the `session_id` of the call."
# custom:
#   code: agent_session.session_mismatch
#   message: "agent_session: the agent's session is not the session of the call"
#   seed: "003: they do not replace the process claim"
session_mismatch := reasons.of(rego.metadata.chain())

# METADATA
# title: Unknown message
# description: The message is none that MCP defines; such a one must be allowed by name.
# custom:
#   code: agent_session.message_unknown
#   message: "agent_session: the message is none that this policy knows"
#   seed: "our own: an unknown method is refused unless it is allowed by name"
message_unknown := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Allowed calls
# description: Every call with a bound claim.
allow if {
	_agent_is_bound
	_session_is_bound
	_sessions_agree
}

# METADATA
# scope: document
# title: Refused calls
# description: Every call whose claim is not bound, with a reason for each part that is missing or wrong.
deny contains agent_unbound if not _agent_is_bound

deny contains session_unbound if not _session_is_bound

deny contains session_mismatch if {
	_session_is_bound
	not _sessions_agree
}

# METADATA
# scope: document
# title: Shown tools
# description: Every tool, for a bound claim.
visible if allow

# METADATA
# scope: document
# title: Hidden tools
# description: Every tool, when the claim is not bound, for the same reasons.
hidden := deny

# METADATA
# scope: document
# title: Accepted messages
# description: Every message that MCP defines, in both directions, for a bound claim.
accepts if {
	allow
	messages.is_known(input.method)
}

# METADATA
# scope: document
# title: Rejected messages
# description: Unknown methods, and every message when the claim is not bound.
rejects := deny | _unknown_message

_unknown_message contains message_unknown if not _method_is_known

_method_is_known if messages.is_known(input.method)

_agent_is_bound if {
	is_string(input.agent.id)
	input.agent.id != ""
}

_session_is_bound if {
	is_string(input.agent.session_id)
	input.agent.session_id != ""
}

_sessions_agree if input.agent.session_id == input.session_id
