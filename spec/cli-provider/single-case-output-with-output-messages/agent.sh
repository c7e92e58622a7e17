#!/bin/sh
set -eu
printf '{"text":"the answer","output_messages":[{"role":"assistant","content":"not this","tool_calls":[{"tool":"search","input":1,"output":2}]}]}' > "$1"
