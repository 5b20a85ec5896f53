package lib.paths_test

import data.lib.paths

test_segments[note] if {
	some note, tc in {
		"the root": {"path": "/", "want": []},
		"names": {"path": "/srv/work/a b.txt", "want": ["srv", "work", "a b.txt"]},
		"slashes": {"path": "//srv///work/", "want": ["srv", "work"]},
		"dots": {"path": "/./srv/./work/.", "want": ["srv", "work"]},
		"names that begin with dots": {"path": "/srv/.env/..x/...y", "want": ["srv", ".env", "..x", "...y"]},
		"composed letters": {"path": "/caf\u00e9/\u0141\u00f3d\u017a", "want": ["caf\u00e9", "\u0141\u00f3d\u017a"]},
		"letters of other scripts": {"path": "/\u65e5\u672c/\u0e19\u0e49\u0e33/\ud55c\uae00/\u09ac\u09be", "want": ["\u65e5\u672c", "\u0e19\u0e49\u0e33", "\ud55c\uae00", "\u09ac\u09be"]},
		"signs": {"path": "/100%/a,b;c=d+e@f#g~h'i:j", "want": ["100%", "a,b;c=d+e@f#g~h'i:j"]},
	}
	got := [names | names := paths.segments(tc.path)]
	got == [tc.want]
}

test_segments_of_what_is_not_plain[note] if {
	some note, path in {
		"null": null,
		"a number": 7,
		"a list": ["/srv"],
		"empty": "",
		"relative": "srv/a",
		"a dot": "./srv",
		"home": "~/a",
		"home of another": "~root/a",
		"a drive": "C:/srv",
		"a share": "\\\\host\\share",
		"a uri": "file:///srv",
		"a space before it": " /srv",
		"a quote before it": "\"/srv/a\"",
		"parent": "/srv/../etc",
		"parent at the end": "/srv/..",
		"parent alone": "/..",
		"parent behind a double slash": "/srv//../etc",
		"NUL": "/srv/a\u0000.txt",
		"a line end": "/srv/a\n",
		"escape": "/srv/\u001b[2J",
		"delete": "/srv/\u007f",
		"backslash": "/srv\\..\\etc",
		"percent escape": "/srv/%2e%2e/etc",
		"escaped twice": "/srv/%252e",
		"zero width": "/srv/.e\u200bnv",
		"direction": "/srv/\u202etxt",
		"byte order mark": "/srv/.env\ufeff",
		"soft hyphen": "/srv/.e\u00adnv",
		"selector": "/srv/.env\ufe0f",
		"combining mark": "/srv/cafe\u0301.env",
		"another spelling of a letter": "/srv/\u212bngstr\u00f6m",
		"compatibility ideograph": "/srv/\uf900",
		"jamo": "/srv/\u1112\u1161\u11ab",
		"long s": "/srv/.\u017fsh",
		"kelvin": "/srv/.\u212aube",
		"full width dots": "/srv/\uff0e\uff0e/etc",
		"two dot leader": "/srv/\u2025/etc",
		"full width slash": "/srv\uff0f..",
		"division slash": "/srv\u2215etc",
		"replacement": "/srv/\ufffd",
		"a space at the end": "/srv/.env ",
		"a space at the end of a folder": "/srv/.git /config",
		"another space at the end": "/srv/.env\u00a0",
		"a quote at the end": "/srv/.env\"",
		"a dot at the end": "/srv/.env.",
		"dots only": "/srv/.../x",
		"too long": concat("", ["/", _many]),
	}
	got := [names | names := paths.segments(path)]
	got == []
}

test_is_inside[note] if {
	some note, tc in {
		"the folder": {"path": "/allowed", "folder": "/allowed", "want": true},
		"below it": {"path": "/allowed/a/b", "folder": "/allowed", "want": true},
		"written otherwise": {"path": "//allowed/./a", "folder": "/allowed/", "want": true},
		"the root": {"path": "/etc", "folder": "/", "want": true},
		"a longer name": {"path": "/allowed-evil", "folder": "/allowed", "want": false},
		"below a longer name": {"path": "/allowed-evil/a", "folder": "/allowed", "want": false},
		"above it": {"path": "/", "folder": "/allowed", "want": false},
		"climbing": {"path": "/allowed/../etc", "folder": "/allowed", "want": false},
		"climbing back": {"path": "/allowed/a/../b", "folder": "/allowed", "want": false},
		"in another letter case": {"path": "/Allowed/a", "folder": "/allowed", "want": false},
		"another spelling of a letter": {"path": "/cafe\u0301/a", "folder": "/caf\u00e9", "want": false},
		"relative": {"path": "allowed/a", "folder": "/allowed", "want": false},
		"an empty folder": {"path": "/allowed", "folder": "", "want": false},
		"no folder": {"path": "/allowed", "folder": null, "want": false},
	}
	got := [true | paths.is_inside(tc.path, tc.folder)]
	got == [true | tc.want]
}

test_has_name[note] if {
	some note, tc in {
		"a file": {"path": "/srv/.env", "want": true},
		"a folder": {"path": "/srv/.git/config", "want": true},
		"another letter case": {"path": "/srv/.ENV", "want": true},
		"a stream": {"path": "/srv/.env::$DATA", "want": true},
		"the beginning": {"path": "/srv/.env.local", "want": true},
		"the end": {"path": "/srv/Server.PEM", "want": true},
		"sharp s": {"path": "/home/.\u00dfh/id", "want": true},
		"ligature": {"path": "/srv/\ufb01le", "want": true},
		"a longer name": {"path": "/srv/.environment", "want": false},
		"a part of a name": {"path": "/srv/x.env", "want": false},
		"another file": {"path": "/srv/env", "want": false},
		"not plain": {"path": "/srv/../.env", "want": false},
	}
	got := [true | paths.has_name(tc.path, [".env", ".env.*", ".git", "*.pem", ".ssh", "file"])]
	got == [true | tc.want]
}

test_of_uri[note] if {
	some note, tc in {
		"a path": {"uri": "file:///srv/a.txt", "want": ["/srv/a.txt"]},
		"this host": {"uri": "file://localhost/srv", "want": ["/srv"]},
		"escapes": {"uri": "file:///srv/a%20b/%C3%BC%e2%82%ac%F0%9F%98%80", "want": ["/srv/a b/\u00fc\u20ac😀"]},
		"escaped dots": {"uri": "file:///srv/%2e%2E/etc", "want": ["/srv/../etc"]},
		"escaped twice": {"uri": "file:///srv/%252e", "want": ["/srv/%2e"]},
		"another scheme": {"uri": "http://srv/a", "want": []},
		"capital letters": {"uri": "FILE:///srv/a", "want": []},
		"no slashes": {"uri": "file:/srv/a", "want": []},
		"another host": {"uri": "file://host/srv", "want": []},
		"a host that begins like this one": {"uri": "file://localhost.evil/srv", "want": []},
		"a query": {"uri": "file:///srv/a?b", "want": []},
		"a fragment": {"uri": "file:///srv/a#b", "want": []},
		"an escaped slash": {"uri": "file:///srv%2f..", "want": []},
		"NUL": {"uri": "file:///srv/%00", "want": []},
		"half an escape": {"uri": "file:///srv/%2", "want": []},
		"a percent sign": {"uri": "file:///srv/%zz", "want": []},
		"overlong": {"uri": "file:///srv/%c0%ae", "want": []},
		"half a character": {"uri": "file:///srv/%c3", "want": []},
		"a surrogate": {"uri": "file:///srv/%ed%a0%80", "want": []},
		"too long": {"uri": concat("", ["file:///", _many, _many, _many, _many]), "want": []},
		"null": {"uri": null, "want": []},
	}
	got := [path | path := paths.of_uri(tc.uri)]
	got == tc.want
}

# 4096 characters.
_many := concat("", [_line | some _ in numbers.range_step(1, 64, 1)])

_line := "0123456789012345678901234567890123456789012345678901234567890123"
