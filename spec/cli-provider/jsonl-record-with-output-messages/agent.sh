#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":"answer","output_messages":[{"role":"user","content":"q"},{"role":"assistant","name":"planner","content":{"plan":[1,2]},"tool_calls":[{"tool":"search"}]},{"role":"assistant","content":"done"}]}' > "$1"
