# METADATA
# title: Paths
# description: |
#   Paths as a caller wrote them, compared by segments. A policy sees text: what a link, a mount or a hard link leads to, whether a file
#   system ignores letter case, and in which folder a server runs are not in it. So what could be read in two ways has no segments here,
#   and a rule that asks for them refuses: a relative path, one with `..` (through a link the parent is another folder than the text
#   says), control and invisible characters, another spelling of a letter than NFC, a backslash, percent escapes, and
#   spaces, quotes or a dot at the end of a name, which some servers and systems cut off.
package lib.paths

# METADATA
# title: Segments
# description: |
#   The names of a normalised absolute path, without empty ones and `.`. Undefined for anything that is not plain.
segments(path) := names if {
	is_string(path)
	startswith(path, "/")
	count(path) <= 4096
	regex.find_n(_odd, path, 1) == []
	names := [name | some name in split(path, "/"); not name in {"", "."}]
	count([name | some name in names; _is_plain(name)]) == count(names)
}

_is_plain(name) if {
	trim(name, _edges) == name
	not endswith(name, ".")
}

# METADATA
# title: Inside a folder
# description: Whether a path is the folder or lies below it, segment by segment.
is_inside(path, folder) if {
	within := segments(folder)
	array.slice(segments(path), 0, count(within)) == within
}

# METADATA
# title: A name on the way
# description: |
#   Whether one of the path's segments is one of these names, whatever the letter case and what stands behind a colon. A form may begin
#   or end with `*`.
has_name(path, forms) if {
	some name in segments(path)
	some form in forms
	_fits(split(_folded(name), ":")[0], _folded(form))
}

# METADATA
# title: Path of a URI
# description: |
#   The path of a `file:` URI of this machine, percent escapes decoded. Undefined for another scheme or host, a query, a fragment,
#   escapes that are no UTF-8, and an escaped slash.
of_uri(uri) := path if {
	is_string(uri)
	startswith(uri, "file://")
	rest := trim_prefix(trim_prefix(uri, "file://"), "localhost")
	startswith(rest, "/")
	count(rest) <= 16384
	regex.find_n("[?#]", rest, 1) == []
	tokens := regex.find_n("(?:%[0-9A-Fa-f]{2})+|[^%]+|%", rest, -1)
	texts := [text | some token in tokens; text := _text(token)]
	count(texts) == count(tokens)
	path := concat("", texts)
}

_text(token) := token if not startswith(token, "%")

_text(token) := text if {
	startswith(token, "%")
	digits := lower(strings.replace_n({"%": ""}, token))
	regex.find_n(_utf8, digits, 1) == [digits]
	text := hex.decode(digits)
	not contains(text, "/")
}

# Well-formed UTF-8 without control characters, as hexadecimal digits.
_utf8 := concat("", [
	"^(?:[2-7][0-9a-f]",
	"|(?:c[2-9a-f]|d[0-9a-f])[89ab][0-9a-f]",
	"|(?:e0[ab][0-9a-f]|e[1-9abcef][89ab][0-9a-f]|ed[89][0-9a-f])[89ab][0-9a-f]",
	"|(?:f0[9ab][0-9a-f]|f[1-3][89ab][0-9a-f]|f48[0-9a-f])[89ab][0-9a-f][89ab][0-9a-f]",
	")+$",
])

_fits(name, form) if name == form

_fits(name, form) if {
	endswith(form, "*")
	startswith(name, trim_suffix(form, "*"))
}

_fits(name, form) if {
	startswith(form, "*")
	endswith(name, trim_prefix(form, "*"))
}

# Letters that a file system without letter case takes for ASCII ones.
_folded(name) := strings.replace_n(
	{"ß": "ss", "ẞ": "ss", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"},
	lower(name),
)

# What some program cuts off at the ends of a name: spaces of all kinds, and quotes.
_edges := " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\"'`"

# An escape, or a character of one of these kinds; one class, because that is quick.
_odd := concat("", [
	"%[0-9A-Fa-f]{2}|[",
	# control characters and the other slash
	`\x00-\x1f\x7f-\x9f\\`,
	# characters without a width, marks of direction, fillers, selectors, tags
	`\x{ad}\x{34f}\x{61c}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180f}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{2060}-\x{206f}`,
	`\x{3164}\x{fe00}-\x{fe0f}\x{feff}\x{ffa0}\x{fff0}-\x{fffb}\x{fffd}\x{1bca0}-\x{1bca3}\x{1d173}-\x{1d17a}\x{e0000}-\x{e0fff}`,
	# another spelling of a letter under NFC: marks that compose with the letter before them (not those of Indic scripts, whose words need
	# them), and characters that have another form
	`\x{300}-\x{304}\x{306}-\x{30c}\x{30f}\x{311}\x{313}\x{314}\x{31b}\x{323}-\x{328}\x{32d}\x{32e}\x{330}\x{331}\x{338}\x{340}-\x{345}`,
	`\x{374}\x{37e}\x{387}\x{653}-\x{655}\x{958}-\x{95f}\x{9dc}\x{9dd}\x{9df}\x{a33}\x{a36}\x{a59}-\x{a5b}\x{a5e}\x{b5c}\x{b5d}\x{f43}`,
	`\x{f4d}\x{f52}\x{f57}\x{f5c}\x{f69}\x{f73}\x{f75}\x{f76}\x{f78}\x{f81}\x{f93}\x{f9d}\x{fa2}\x{fa7}\x{fac}\x{fb9}\x{1161}-\x{1175}`,
	`\x{11a8}-\x{11c2}\x{1f71}\x{1f73}\x{1f75}\x{1f77}\x{1f79}\x{1f7b}\x{1f7d}\x{1fbb}\x{1fbe}\x{1fc9}\x{1fcb}\x{1fd3}\x{1fdb}\x{1fe3}`,
	`\x{1feb}\x{1fee}\x{1fef}\x{1ff9}\x{1ffb}\x{1ffd}\x{2000}\x{2001}\x{2126}\x{212a}\x{212b}\x{2329}\x{232a}\x{2adc}\x{3099}\x{309a}`,
	`\x{f900}-\x{fad9}\x{fb1d}\x{fb1f}\x{fb2a}-\x{fb4e}\x{1d15e}-\x{1d164}\x{1d1bb}-\x{1d1c0}\x{2f800}-\x{2fa1d}`,
	# other characters that some program takes for a letter, a dot, a slash or a percent sign
	`\x{17f}\x{2024}\x{2025}\x{2044}\x{2215}\x{2216}\x{29f5}\x{29f8}\x{fe52}\x{ff05}\x{ff0e}\x{ff0f}\x{ff3c}`,
	"]",
])
