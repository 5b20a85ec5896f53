"""Checks the hash chain of a decision log with nothing but the Python standard library.

It shares no code with Regate: its own RFC 8785 canonical JSON, its own hashing. Usage: verify_chain.py FILE; prints one line and
exits 0 when every line is canonical, correctly hashed and chained to the one before it, else names the first line that is not.
"""

import hashlib
import json
import math
import sys


def number(value):
    """A number as ECMAScript writes it (RFC 8785, section 3.2.2.3)."""
    if isinstance(value, int):
        value = float(value)
    if math.isnan(value) or math.isinf(value):
        raise ValueError("not finite")
    if value == 0:
        return "0"
    sign, value = ("-", -value) if value < 0 else ("", value)
    mantissa, exponent = f"{value!r}e0".split("e")[:2] if "e" not in repr(value) else repr(value).split("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    # Position of the decimal point, counted from the first significant digit.
    point = len(whole) + int(exponent) - (len(whole + fraction) - len((whole + fraction).lstrip("0")))
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    head = digits[0] + ("." + digits[1:] if count > 1 else "")
    return f"{sign}{head}e{'+' if power > 0 else '-'}{abs(power)}"


def string(value):
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    value.encode("utf-8")  # a lone surrogate has no UTF-8 form and raises
    return '"' + "".join(short.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 0x20 else c) for c in value) + '"'


def canonical(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{" + ",".join(string(key) + ":" + canonical(value[key]) for key in keys) + "}"


def check(lines):
    previous = "0" * 64
    for count, line in enumerate(lines, start=1):
        event = json.loads(line)
        if canonical(event) != line:
            return f"line {count}: not canonical"
        ours = event["custom"]["regate"]
        claimed = ours.pop("hash")
        if ours["seq"] != count:
            return f"line {count}: seq is {ours['seq']}"
        if ours["prev_hash"] != previous:
            return f"line {count}: prev_hash does not follow"
        if hashlib.sha256(canonical(event).encode("utf-8")).hexdigest() != claimed:
            return f"line {count}: hash does not fit"
        previous = claimed
    return None


def main():
    with open(sys.argv[1], encoding="utf-8", newline="\n") as file:
        text = file.read()
    if text and not text.endswith("\n"):
        print("the last line is not whole")
        return 1
    lines = text.split("\n")[:-1]
    problem = check(lines)
    print(problem or f"{len(lines)} events, chain intact")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
