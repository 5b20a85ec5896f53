package house.naming_test

import data.house.naming

test_package[note] if {
	some note, tc in {
		"as the folder": {"folder": ["lib", "a"], "package": "lib.a", "want": set()},
		"other folder": {"folder": ["lib", "b"], "package": "lib.a", "want": {"package"}},
		"folder above": {"folder": ["lib"], "package": "lib.a", "want": {"package"}},
		"free": {"folder": [], "package": "lib.a", "want": set()},
	}
	got := {violation.id |
		files := {"policy/a.rego": _file(tc.folder, true, $"package {tc["package"]}")}
		some violation in naming.violations with input as {"files": files}
	}
	got == tc.want
}

test_language_version if {
	files := {"policy/a.rego": _file([], false, "package a\nimport rego.v1\nimport data.b")}
	got := {violation.id | some violation in naming.violations with input as {"files": files}}
	got == {"rego-v1"}
}

_file(folder, test, text) := {"folder": folder, "test": test, "module": rego.parse_module("x.rego", text)}
