# METADATA
# title: Second person
# description: A command that does more than read needs the yes of somebody who did not ask for it.
# custom:
#   seed: "our own: four eyes on what changes something"
package gate.rules.second_person

import data.lib.reasons

# METADATA
# title: Second person needed
# description: The command runs a program that is not known to read only, or its output goes into a file.
# custom:
#   code: second_person.needed
#   message: "second_person: this command changes something, so somebody else has to agree"
needed := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Approval
# description: Everybody but the requester may give it, within ten minutes.
terms contains {"approval": {"ttl_seconds": 600}, "warning": needed} if {
	input.command == "run_shell"
	not _only_reads
}

_only_reads if {
	input.shell.verifiable == true
	count(input.shell.redirects) == 0
	every command in input.shell.commands {
		command.name in {"cat", "date", "head", "ls", "pwd", "wc"}
	}
}
