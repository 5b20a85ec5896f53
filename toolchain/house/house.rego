# METADATA
# title: House rules
# description: |
#   The conventions of a Regate policy tree, checked over OPA's own syntax trees. The input is
#   `{"files": {path: {"folder": [...], "test": boolean, "module": tree}}}`: `folder` is the path below the policy root, `module` what
#   `parse` gives with locations and annotations.
package house

import data.house.metadata
import data.house.naming
import data.house.negation
import data.house.testing
import data.house.text

# METADATA
# title: Violations
# description: "Every breach of a house rule: `{id, message, file, row, col}`."
violations := union({
	metadata.violations,
	naming.violations,
	negation.violations,
	testing.violations,
	text.violations,
})
