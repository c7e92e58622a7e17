#!/bin/sh
set -eu
printf '%s\n' '{"id":"b","text":"answer b"}' > "$1"
