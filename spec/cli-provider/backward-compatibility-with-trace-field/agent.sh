#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":"answer","trace":[{"type":"tool_call","name":"from_trace"},{"type":"error","text":"oops"}],"output_messages":[{"role":"assistant","tool_calls":[{"tool":"from_messages"}]}]}' > "$1"
