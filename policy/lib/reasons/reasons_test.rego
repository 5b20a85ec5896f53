package lib.reasons_test

import data.lib.reasons

test_reasons_of_an_annotation[note] if {
	some note, tc in {
		"code and message": {
			"chain": [_link({"code": "a.b", "message": "m"}), _link({"code": "package", "message": "p"})],
			"want": [{"code": "a.b", "message": "m", "rule": "some_rule"}],
		},
		"with a remedy": {
			"chain": [_link({"code": "a.b", "message": "m", "remedy": "dry_run"})],
			"want": [{"code": "a.b", "message": "m", "remedy": "dry_run", "rule": "some_rule"}],
		},
		"other annotations stay out": {
			"chain": [_link({"code": "a.b", "message": "m", "seed": "000"})],
			"want": [{"code": "a.b", "message": "m", "rule": "some_rule"}],
		},
		"no custom annotation": {"chain": [{"path": _path, "annotations": {"title": "t"}}], "want": []},
		"no annotation": {"chain": [{"path": _path}], "want": []},
	}
	got := [reason | reason := reasons.of(tc.chain)]
	got == tc.want
}

# METADATA
# title: Own reason
# custom:
#   code: test.own
#   message: "test: own"
_own := reasons.of(rego.metadata.chain())

test_reasons_of_the_rule_that_asks if _own == {"code": "test.own", "message": "test: own", "rule": "_own"}

_path := ["gate", "rules", "some_rule", "some_reason"]

_link(custom) := {"path": _path, "annotations": {"custom": custom, "title": "t"}}
