#!/bin/sh
set -eu
printf '%s\n' '{"id":"c","text":"answer"}' > "$1"
