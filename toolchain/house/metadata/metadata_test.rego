package house.metadata_test

import data.house.metadata

test_metadata[note] if {
	some note, tc in {
		"all there": {"package": _described, "rule": _described, "want": set()},
		"no package": {"package": [], "rule": _described, "want": {"the package has no METADATA with title and description"}},
		"no rule": {"package": _described, "rule": [], "want": {"rule `p` has no METADATA with title and description"}},
		"title alone": {
			"package": _described,
			"rule": [{"scope": "rule", "title": "T"}],
			"want": {"rule `p` has no METADATA with title and description"},
		},
		"blank description": {
			"package": [{"scope": "package", "title": "T", "description": " "}],
			"rule": _described,
			"want": {"the package has no METADATA with title and description"},
		},
	}
	got := {violation.message |
		module := _annotated("package lib.a\np := 1\n_q := 2", tc["package"], tc.rule)
		files := {"policy/lib/a/a.rego": {"folder": ["lib", "a"], "test": false, "module": module}}
		some violation in metadata.violations with input as {"files": files}
	}
	got == tc.want
}

test_metadata_of_a_document if {
	module := _annotated("package lib.a\np := 1 if input.a\np := 1 if input.b", _described, _described)
	files := {"policy/lib/a/a.rego": {"folder": ["lib", "a"], "test": false, "module": module}}
	got := metadata.violations with input as {"files": files}
	got == set()
}

test_code[note] if {
	some note, tc in {
		"from the annotation": {
			"text": "reason := f(rego.metadata.chain())",
			"custom": {"code": "x.y", "message": "m", "seed": "s"},
			"seed": {},
			"want": set(),
		},
		"seed of the package": {
			"text": "reason := f(rego.metadata.rule())",
			"custom": {"code": "x.y", "message": "m"},
			"seed": {"seed": "s"},
			"want": set(),
		},
		"no seed": {
			"text": "reason := f(rego.metadata.chain())",
			"custom": {"code": "x.y", "message": "m"},
			"seed": {},
			"want": {"rule `reason` makes a reason and neither it nor its package has `custom.seed` in its METADATA"},
		},
		"no code": {
			"text": "reason := r if r := rego.metadata.rule().custom",
			"custom": {"message": "m", "seed": "s"},
			"seed": {},
			"want": {"rule `reason` makes a reason without `custom.code` in its METADATA"},
		},
		"no message, as an expression": {
			"text": "reason := r if r = rego.metadata.rule()",
			"custom": {"code": "x.y", "seed": "s"},
			"seed": {},
			"want": {"rule `reason` makes a reason without `custom.message` in its METADATA"},
		},
		"by hand": {
			"text": "deny contains {\"code\": \"x.y\", \"message\": \"m\"} if input.a",
			"custom": {},
			"seed": {"seed": "s"},
			"want": {
				"rule `deny` makes a reason without `custom.code` in its METADATA",
				"rule `deny` makes a reason without `custom.message` in its METADATA",
			},
		},
	}
	got := {violation.message |
		module := _annotated(
			$"package gate.rules.x\n{tc.text}",
			[object.union(_described[0], {"custom": tc.seed})],
			[object.union(_described[0], {"scope": "rule", "custom": tc.custom})],
		)
		files := {"policy/gate/rules/x/x.rego": {"folder": ["gate", "rules", "x"], "test": false, "module": module}}
		some violation in metadata.violations with input as {"files": files}
	}
	got == tc.want
}

_described := [{"scope": "package", "title": "Title", "description": "Description."}]

_annotated(text, of_package, of_rule) := json.patch(rego.parse_module("x.rego", text), [
	{"op": "add", "path": "/annotations", "value": of_package},
	{"op": "add", "path": "/rules/0/annotations", "value": of_rule},
])
