package lib.values_test

import data.lib.values

test_num_is_a_number_or_undefined[note] if {
	some note, tc in {
		"zero": {"value": 0, "want": [0]},
		"fraction": {"value": -1.5, "want": [-1.5]},
		"string of digits": {"value": "501", "want": []},
		"array": {"value": ["9999"], "want": []},
		"object": {"value": {"n": 1}, "want": []},
		"boolean": {"value": true, "want": []},
		"null": {"value": null, "want": []},
	}
	got := [number | number := values.num(tc.value)]
	got == tc.want
}

test_text_is_a_filled_string_or_undefined[note] if {
	some note, tc in {
		"word": {"value": "a", "want": ["a"]},
		"blank": {"value": " ", "want": [" "]},
		"empty": {"value": "", "want": []},
		"number": {"value": 0, "want": []},
		"array": {"value": ["a"], "want": []},
		"null": {"value": null, "want": []},
	}
	got := [text | text := values.text(tc.value)]
	got == tc.want
}

# A limit as a rule would write it: what is no number is refused, not compared by the rank of its type.
test_num_refuses_what_is_no_number[note] if {
	some note, tc in {
		"below": {"amount": 500, "want": set()},
		"above": {"amount": 501, "want": {"too much"}},
		"null": {"amount": null, "want": {"too much"}},
		"true": {"amount": true, "want": {"too much"}},
		"small string": {"amount": "1", "want": {"too much"}},
		"array": {"amount": ["9999"], "want": {"too much"}},
	}
	got := {"too much" | not _within_limit(tc.amount)}
	got == tc.want
}

_within_limit(amount) if values.num(amount) <= 500
