# METADATA
# title: Shell commands
# description: |
#   A shell command runs only if every simple command in it is one of `data.regate.shell_commands.programs`, with arguments that one of
#   its patterns allows, and if every redirect is one of `data.regate.shell_commands.redirects`. What cannot be read whole, and a command
#   line without any simple command, is refused: over an empty list every statement holds. The rule allows nothing by itself and concerns
#   run_shell alone: in a bundle with a rule that allows run_shell it narrows what that rule lets through.
# custom:
#   seed: "our own: transitive authorisation of shell commands"
package gate.rules.shell_commands

import data.lib.reasons

# METADATA
# title: Not verifiable
# description: Part of the command cannot be read without running it, or there is no analysis.
# custom:
#   code: shell_commands.unverifiable
#   message: "shell_commands: the command cannot be read whole"
#   seed: "our own: requires verifiable"
unverifiable := reasons.of(rego.metadata.chain())

# METADATA
# title: No command
# description: There is no simple command, or one that runs no program, such as an assignment or a redirect alone.
# custom:
#   code: shell_commands.no_program
#   message: "shell_commands: a part of the command runs no program"
#   seed: "our own: at least one command"
no_program := reasons.of(rego.metadata.chain())

# METADATA
# title: Program not listed
# description: A simple command is none of the listed programs, or is run through a wrapper that is not listed either.
# custom:
#   code: shell_commands.program_not_listed
#   message: "shell_commands: a part of the command runs a program that is not listed"
#   seed: "our own: allowed programs"
program_not_listed := reasons.of(rego.metadata.chain())

# METADATA
# title: Arguments not allowed
# description: The arguments of a listed program fit none of its patterns, or one of them is not known before it runs.
# custom:
#   code: shell_commands.arguments_not_allowed
#   message: "shell_commands: a listed program has arguments that are not allowed"
#   seed: "our own: per-program argument patterns"
arguments_not_allowed := reasons.of(rego.metadata.chain())

# METADATA
# title: Redirect not allowed
# description: A redirect is not listed, or its target is not known before it runs.
# custom:
#   code: shell_commands.redirect_not_allowed
#   message: "shell_commands: a redirect is not allowed"
#   seed: "our own: allowed redirects"
redirect_not_allowed := reasons.of(rego.metadata.chain())

# METADATA
# scope: document
# title: Refused calls
# description: Every run_shell with a part that is not listed, with a reason for each kind.
deny contains unverifiable if {
	_is_shell
	not _is_verifiable
}

deny contains no_program if {
	_is_shell
	not _has_commands
}

deny contains no_program if {
	_is_shell
	some command in input.shell.commands
	not _has_program(command)
}

deny contains program_not_listed if {
	_is_shell
	some command in input.shell.commands
	_has_program(command)
	not _is_listed(command)
}

deny contains arguments_not_allowed if {
	_is_shell
	some command in input.shell.commands
	_is_listed(command)
	not _fits_a_pattern(command)
}

deny contains redirect_not_allowed if {
	_is_shell
	not _has_redirects
}

deny contains redirect_not_allowed if {
	_is_shell
	some redirect in input.shell.redirects
	not _redirect_is_listed(redirect)
}

_is_shell if input.command == "run_shell"

_is_verifiable if input.shell.verifiable == true

_has_commands if {
	is_array(input.shell.commands)
	count(input.shell.commands) > 0
}

_has_redirects if is_array(input.shell.redirects)

_has_program(command) if {
	is_string(command.name)
	command.name != ""
}

# The first word is the program as it was written: a path to another program of the same name is not the listed one.
_is_listed(command) if {
	is_object(data.regate.shell_commands.programs[command.name])
	command.argv[0] == command.name
	is_array(command.via)
	count([wrapper | some wrapper in command.via; not _wrapper_is_listed(wrapper)]) == 0
}

_wrapper_is_listed(wrapper) if is_object(data.regate.shell_commands.programs[wrapper])

# Without patterns a listed program may have any arguments that are known before it runs.
_fits_a_pattern(command) if {
	_is_static(command)
	not _has_patterns(command)
}

_fits_a_pattern(command) if {
	_is_static(command)
	some pattern in data.regate.shell_commands.programs[command.name].arguments
	_fits(array.slice(command.argv, 1, count(command.argv)), pattern)
}

_has_patterns(command) if "arguments" in object.keys(data.regate.shell_commands.programs[command.name])

_is_static(command) if count([word | some word in command.argv; not is_string(word)]) == 0

# A pattern is a list of words, each as it must stand; `*` stands for any one word, a word that ends in `*` for its beginning, and `**` at
# the end for any further words.
_fits(words, pattern) if {
	count(words) == count(pattern)
	_fit_one_by_one(words, pattern)
}

_fits(words, pattern) if {
	last := count(pattern) - 1
	pattern[last] == "**"
	count(words) >= last
	_fit_one_by_one(array.slice(words, 0, last), array.slice(pattern, 0, last))
}

_fit_one_by_one(words, pattern) if {
	count([at | some at, word in words; _word_fits(word, pattern[at])]) == count(words)
}

_word_fits(word, form) if word == form

_word_fits(word, form) if {
	endswith(form, "*")
	form != "**"
	startswith(word, trim_suffix(form, "*"))
}

_redirect_is_listed(redirect) if {
	target := redirect.target
	is_string(target)
	some listed in data.regate.shell_commands.redirects
	listed.op == redirect.op
	_word_fits(target, listed.target)
	not _climbs(target)
}

_climbs(target) if ".." in split(target, "/")
