# METADATA
# title: Values
# description: |
#   Typed access to what a caller sent. Rego compares values of different types by the rank of their types, so that `"1" > 500` is
#   true; a limit on an argument must take the number first, and refuse when there is none.
package lib.values

# METADATA
# title: Number
# description: The value if it is a number; undefined otherwise.
num(value) := value if is_number(value)

# METADATA
# title: Text
# description: The value if it is a string that is not empty; undefined otherwise.
text(value) := value if {
	is_string(value)
	value != ""
}
