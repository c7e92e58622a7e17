#!/bin/sh
# A code judge: reads one JSON object on standard input, writes its verdict to standard output.
# The decision must be the expected one, and a reason must follow it.
set -eu

payload=$(cat)
field() {
    printf '%s\n' "$payload" | sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p"
}
expected=$(field reference_answer)
answer=$(field candidate_answer)
decision=${answer%%:*}
reason=${answer#*: }

if [ "$decision" != "$expected" ]; then
    printf '{"score": 0, "misses": ["decided %s, expected %s"]}\n' "$decision" "$expected"
elif [ "$reason" = "$answer" ]; then
    printf '{"score": 0.5, "hits": ["decided %s"], "misses": ["gave no reason"]}\n' "$decision"
else
    printf '{"score": 1, "hits": ["decided %s"], "reasoning": "%s"}\n' "$decision" "$reason"
fi
