# METADATA
# title: Reasons
# description: Builds a reason of a decision from the annotations of the rule that states it, so that code, text and documentation cannot part.
package lib.reasons

# METADATA
# title: Reason of a rule
# description: |
#   The reason that the annotated rule states: `code`, `message` and, if declared, `remedy` of its `custom` annotation, and the
#   name of the rule's package. Call it as `reasons.of(rego.metadata.chain())` in a rule of `gate.rules.<name>`; the compiler
#   replaces the argument by a literal. Undefined when the rule has no `custom` annotation.
of(chain) := object.union(
	object.filter(chain[0].annotations.custom, ["code", "message", "remedy"]),
	{"rule": chain[0].path[2]},
)
