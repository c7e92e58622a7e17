#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":{"answer":[1,true]}}' '{"id":"b","text":42}' '{"id":"c","text":false}' '{"id":"d","text":null,"output_messages":[{"role":"assistant","content":"said"}]}' > "$1"
