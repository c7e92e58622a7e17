#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":"answer"}' '{"id":"b","score":1}' > "$1"
