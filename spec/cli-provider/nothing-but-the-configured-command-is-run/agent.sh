#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":"answer $(touch pwned) `touch pwned`","trace":[{"type":"tool_call","name":"$(touch pwned)"}]}' > "$1"
