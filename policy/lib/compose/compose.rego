# METADATA
# title: Composition
# description: |
#   Combines what the rules of a bundle contribute to one decision. Of several contributions the strictest holds, so that neither the
#   order nor the number of the rules matters. What has no meaning is handed on as it is: the engine's strict parser refuses it.
package lib.compose

# METADATA
# title: Members of a contribution
# description: |
#   The members of a set. Anything else counts as its own only member, so that a `deny` which is no set refuses instead of vanishing.
members(contribution) := contribution if is_set(contribution)

members(contribution) := {contribution} if not is_set(contribution)

# METADATA
# title: First message
# description: |
#   The message of the first reason by rule, code and message, which is how the engine sorts. Undefined when no reason has all three.
first_message(reasons) := sort([[r.rule, r.code, r.message] | some r in reasons])[0][2]

# METADATA
# title: Merged terms
# description: |
#   One object that satisfies all terms. A term is an object of parts: `effect`, `confirm`, `approval`, `sandbox`, `halt`, `warning`;
#   the warnings together become `warnings`.
terms(contributed) := {_name(part): _merged(part, values) | some part, values in _gathered(contributed)}

_name(part) := object.get({"warning": "warnings"}, part, part)

_merged("warning", values) := values

_merged("approval", values) := _each_demand(values) if _are_objects(values)

_merged("sandbox", values) := _each_strongest(values) if _are_objects(values)

_merged(part, values) := values if {
	part in {"approval", "sandbox"}
	not _are_objects(values)
}

_merged(part, values) := _strongest(object.get(_ranks, part, []), values) if {
	not part in {"warning", "approval", "sandbox"}
}

# From strict to lax; a value without a rank is stronger than all, so that it shows.
_ranks := {
	"effect": ["rearm", "record_identity_read", "none"],
	"confirm": ["block", "elicit", "none"],
	"halt": [true, false],
	"network": [false, true],
	"write": ["none", "workdir"],
}

_strongest(ranked, values) := array.concat(
	sort([value | some value in values; not value in ranked]),
	[value | some value in ranked; value in values],
)[0]

_each_strongest(objects) := {part: _strongest(object.get(_ranks, part, []), values) |
	some part, values in _gathered(objects)
}

_each_demand(objects) := {part: _demand(part, values) | some part, values in _gathered(objects)}

_demand("approvers", lists) := sort(intersection({{name | some name in list} | some list in lists}))

_demand("quorum", numbers) := max(numbers)

_demand("ttl_seconds", numbers) := min(numbers)

_demand(part, values) := _strongest([], values) if not part in {"approvers", "quorum", "ttl_seconds"}

_gathered(objects) := {part: {object[part] | some object in objects} |
	some object in objects
	some part, _ in object
}

_are_objects(values) if {
	every value in values {
		is_object(value)
	}
}
