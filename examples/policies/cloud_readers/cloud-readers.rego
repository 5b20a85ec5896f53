# METADATA
# title: Cloud readers
# description: Only users of the group `cloud` may ask the cloud.
# custom:
#   seed: "our own: cloud readers"
package gate.rules.cloud_readers

import data.lib.reasons

# METADATA
# title: Not a cloud reader
# description: The user of the session is not in the group `cloud`.
# custom:
#   code: cloud_readers.not_a_reader
#   message: "cloud_readers: only the group cloud may ask the cloud"
not_a_reader := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Refused calls
# description: Every cloud_query of a user outside the group.
deny contains not_a_reader if {
	input.command == "cloud_query"
	not _is_reader
}

# METADATA
# scope: document
# title: Hidden tools
# description: cloud_query, for a user outside the group.
hidden := deny

_is_reader if "cloud" in input.groups
