# METADATA
# title: Subject of a delegated call
# description: |
#   For the tools service: a call counts only with the identity of its session record, and only with the privileges that its tool
#   needs. Privileges are names, held by a subject under its platform and id, or by one of its aliases under the same platform;
#   `data.regate.tool_subject` has them. What the message of the call claims (`input.envelope`) is never looked at.
# custom:
#   seed: "002: the tools service resolves identity (and therefore privileges) from that record"
package gate.rules.tool_subject

import data.lib.reasons

# METADATA
# title: No subject
# description: "`subject` has no user id or no platform that is a non-empty string."
# custom:
#   code: tool_subject.missing
#   message: "tool_subject: the call has no subject"
#   seed: "002: a forged request that references an unknown trace_id is rejected (fail-closed)"
missing := reasons.of(rego.metadata.chain())

# METADATA
# title: Privilege not held
# description: |
#   The subject lacks a privilege that the tool needs, or the one for destructive commands; a tool without an entry in
#   `needs` is open to nobody.
# custom:
#   code: tool_subject.not_privileged
#   message: "tool_subject: the subject lacks a privilege that this call needs"
#   seed: "002: tools/alter_privileges.has_privilege keys authority off user_id"
not_privileged := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Allowed calls
# description: Calls of a subject that holds every privilege that they need.
allow if {
	_has_subject
	_is_privileged
}

# METADATA
# scope: document
# title: Refused calls
# description: Every call that is not allowed, each with its reason.
deny contains missing if not _has_subject

deny contains not_privileged if {
	_has_subject
	not _is_privileged
}

# METADATA
# scope: document
# title: Shown tools
# description: The tools that have an entry in `needs`; who asks is not known when tools are listed.
visible if _needs

_has_subject if {
	is_string(input.subject.user_id)
	input.subject.user_id != ""
	is_string(input.subject.platform)
	input.subject.platform != ""
}

_needs := data.regate.tool_subject.needs[input.command]

_is_privileged if {
	_held[_needs]
	_is_harmless
}

_is_privileged if {
	_held[_needs]
	_held[data.regate.tool_subject.destructive]
}

_is_harmless if input.agent.risk == "read"

_is_harmless if input.agent.risk == "mutable"

_is_harmless if input.agent.dry_run == true

_ids contains input.subject.user_id

_ids contains alias if some alias in input.subject.user_aliases

_held contains privilege if some privilege in data.regate.tool_subject.everyone[input.subject.platform]

_held contains privilege if {
	some id in _ids
	some privilege in data.regate.tool_subject.privileges[input.subject.platform][id]
}
