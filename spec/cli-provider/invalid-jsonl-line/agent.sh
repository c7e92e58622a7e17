#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":"answer a"}' '' '{"id":"b","text":' '{"id":"c","text":"answer c"}' > "$1"
