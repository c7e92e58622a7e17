#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":"answer"}' '{"text":"whose?"}' > "$1"
