# METADATA
# title: Identity gate
# description: |
#   Before the first state-changing call of a session, and again after each switch of the profile, the agent must have read who is
#   active. In this order: a switching verb re-arms the gate and is allowed; an identity read is recorded and allowed, whatever its
#   mutability; any other read-only call is allowed and changes nothing; every other call is refused until the identity is confirmed.
#   What a call changes comes from the declared facts alone, and an undeclared tool counts as mutating.
# custom:
#   seed: "000: per-session block-first-mutation identity gate"
package gate.rules.identity_gate

import data.lib.messages
import data.lib.reasons

# METADATA
# title: Identity not confirmed
# description: A mutating call, a dry run too, before an identity read in this session or since the last switch.
# custom:
#   code: identity.unconfirmed
#   message: "identity: not confirmed in this session: read who is active first (whoami, config.profile.status or overview.status), then repeat the call; one read is enough until the profile is switched"
#   remedy: identity_read
#   seed: "000: a mutating, non-switch call is refused unless an identity read has occurred since session start or the last switch"
unconfirmed := reasons.of(rego.metadata.chain())

# METADATA
# title: No command
# description: Nothing is shown that has no name.
# custom:
#   code: identity_gate.no_command
#   message: "identity_gate: the listing names no tool"
no_command := reasons.of(rego.metadata.chain())

# METADATA
# title: Unknown message
# description: The message is none that MCP defines; such a one must be allowed by name.
# custom:
#   code: identity_gate.message_unknown
#   message: "identity_gate: the message is none that this policy knows"
#   seed: "our own: an unknown method is refused unless it is allowed by name"
message_unknown := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Allowed calls
# description: Switches, identity reads and read-only calls always; every call once the identity is confirmed.
allow if _is_switch

allow if _is_identity_read

allow if _is_read_only

allow if _is_confirmed

# METADATA
# scope: document
# title: Refused calls
# description: Mutating calls while the identity is not confirmed.
deny contains unconfirmed if not allow

# METADATA
# scope: document
# title: Terms of allowed calls
# description: |
#   A switch re-arms the gate; an identity read is recorded, unless it is a switch as well. A call that writes to a live system is
#   blocked; a destructive call, and one that hands something over, asks a human. run_shell is judged by the class of this very
#   command, every other tool by its declared facts; a dry run executes nothing and asks nobody.
terms contains {"effect": "rearm"} if _is_switch

terms contains {"effect": "record_identity_read"} if {
	_is_identity_read
	not _is_switch
}

terms contains {"confirm": "block"} if _writes_live

terms contains {"confirm": "elicit"} if input.tool.handoff != false

terms contains {"confirm": "elicit"} if {
	not _is_local_shell
	_is_destructive
}

terms contains {"confirm": "elicit"} if {
	_is_local_shell
	not _is_harmless_command
}

# METADATA
# scope: document
# title: Shown tools
# description: Every tool; identity is asked for when a tool is called, since a list must not vary with the state of a session.
visible if _names_a_command

# METADATA
# scope: document
# title: Hidden tools
# description: What has no name.
hidden contains no_command if not _names_a_command

# METADATA
# scope: document
# title: Accepted messages
# description: Every message that MCP defines; identity is asked for when a tool is called.
accepts if _method_is_known

# METADATA
# scope: document
# title: Rejected messages
# description: Unknown methods.
rejects contains message_unknown if not _method_is_known

_method_is_known if messages.is_known(input.method)

_is_switch if _keys[_] in data.regate.identity_gate.profile_switching_commands

_is_identity_read if _keys[_] in data.regate.identity_gate.identity_read_commands

_is_identity_read if {
	input.command in data.regate.identity_gate.identity_read_console_tools
	not _has_command_key
	not _is_upstream
}

# A tool of an upstream server is declared by its joined name, or by its name alone where no local tool is called so.
_keys contains input.tool.command_key

_keys contains concat("__", [input.tool.server, input.tool.name]) if _is_upstream

_is_upstream if input.tool.source == "upstream"

# What an upstream calls run_shell is a tool like any other.
_is_local_shell if {
	input.command == "run_shell"
	not _is_upstream
}

_has_command_key if input.tool.command_key != null

_is_read_only if {
	input.tool.known == true
	input.tool.read_only == true
	not _is_destructive
	not _writes_live
}

# A flag that is absent is not set; one of another type counts as set.
_is_destructive if input.tool.destructive != false

_writes_live if input.tool.live_write != false

_is_confirmed if input.session.identity_confirmed == true

_is_harmless_command if input.agent.risk == "read"

_is_harmless_command if input.agent.risk == "mutable"

_is_harmless_command if input.agent.dry_run == true

_names_a_command if {
	is_string(input.command)
	input.command != ""
}
