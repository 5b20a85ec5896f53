# METADATA
# title: Everything
# description: |
#   Lets everything of a bound claim pass, unknown methods too. For the conformance suite alone, which proves pumping and not
#   permission: it asks for a method that does not exist and wants the server's own answer to it.
package gate

default decision := {"allow": false, "reasons": [], "effect": "none", "confirm": "none"}

decision := {"allow": true, "reasons": [], "effect": "none", "confirm": "none"} if input.agent.session_id == input.session_id

listing := decision

message := decision

result := object.union(decision, {"redact": []})
