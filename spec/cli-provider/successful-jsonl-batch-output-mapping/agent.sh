#!/bin/sh
set -eu
printf '%s\n' \
  '{"id":"b","text":"answer b","trace":[{"type":"tool_call","name":"search"}]}' \
  '{"id":"a","text":"answer a"}' \
  '{"id":"c","text":"answer c"}' > "$1"
