#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":"answer","output_messages":[{"role":"assistant","tool_calls":[{"tool":"first","input":{"a":1},"output":"x"},{"tool":"second","output":{"b":[2]}},{"tool":"first","input":"again"}]}]}' > "$1"
