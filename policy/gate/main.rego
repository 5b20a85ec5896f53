# METADATA
# scope: package
# title: The gate
# description: |
#   Composes the rules of a bundle to one decision. The rules are found by reference, so that adding a rule to a bundle is adding its
#   folder. A rule is a package `gate.rules.<rule>` with up to nine members:
#   `allow` and `deny`, a set of reasons, for calls; `visible` and `hidden`, a set of reasons, for listings; and `terms`, a set of
#   objects such as `{"effect": "rearm"}`, under which an allowed call goes on. Behind the gateway further ones count: `accepts` and
#   `rejects`, a set of reasons, for messages that are no calls; `withholds`, a set of reasons, and `redactions`, a set of JSON
#   pointers, for results.

# METADATA
# scope: subpackages
# schemas:
#   - input: schema.input
package gate

import data.lib.compose

# METADATA
# scope: document
# title: Decision on a call
# description: Allowed only if at least one rule allows and no rule denies. A denial has no effect on the session.
# entrypoint: true
default decision := {"allow": false, "reasons": set(), "effect": "none", "confirm": "none"}

decision := object.union(_plain_permit, compose.terms(_terms)) if _is_allowed

decision := object.union(_refusal(_reasons), object.filter(compose.terms(_terms), ["halt", "warnings"])) if not _is_allowed

# METADATA
# scope: document
# title: Decision on a listing
# description: |
#   Whether an agent may see a tool: at least one rule shows it and no rule hides it. Rules of listings read no state of the session.
# entrypoint: true
listing := _plain_permit if _is_shown

listing := _refusal(_hidings) if not _is_shown

# METADATA
# scope: document
# title: Decision on a message
# description: |
#   Whether a request other than a call, in either direction, or a notification may pass the gateway: at least one rule accepts it and
#   no rule rejects it.
# entrypoint: true
message := _plain_permit if _is_accepted

message := _refusal(_rejections) if not _is_accepted

# METADATA
# scope: document
# title: Decision on a result
# description: |
#   Whether the result of something allowed goes back: unless a rule withholds it, without what the rules redact.
# entrypoint: true
result := object.union(_plain_permit, {"redact": _redactions}) if _is_released

result := _refusal(_withholdings) if not _is_released

_is_allowed if {
	_reasons == set()
	data.gate.rules[_].allow == true
}

_is_shown if {
	_hidings == set()
	data.gate.rules[_].visible == true
}

_is_accepted if {
	_rejections == set()
	data.gate.rules[_].accepts == true
}

# The result itself is not read here: bundles without rules on it get none of it, whatever it is and however large.
_is_released if {
	_withholdings == set()
	is_string(input.method)
}

_rejections contains reason if some reason in compose.members(data.gate.rules[_].rejects)

_withholdings contains reason if some reason in compose.members(data.gate.rules[_].withholds)

_redactions contains path if some path in compose.members(data.gate.rules[_].redactions)

_reasons contains reason if some reason in compose.members(data.gate.rules[_].deny)

_reasons contains term if {
	some term in _terms
	not is_object(term)
}

_hidings contains reason if some reason in compose.members(data.gate.rules[_].hidden)

_terms contains term if some term in compose.members(data.gate.rules[_].terms)

_plain_permit := {"allow": true, "reasons": set(), "effect": "none", "confirm": "none"}

_refusal(reasons) := object.union(
	{"allow": false, "reasons": reasons, "effect": "none", "confirm": "none"},
	{"deny_reason": message | message := compose.first_message(reasons)},
)
