#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":"answer","trace":[{"type":"model_step"},{"type":"no_such_type"},"text",{"name":"untyped"},{"type":"tool_call","timestamp":7},{"type":"tool_call","name":"search","input":{"q":1}},{"type":"tool_result","output":[1]}]}' > "$1"
