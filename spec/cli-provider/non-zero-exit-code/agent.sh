#!/bin/sh
set -eu
printf '%s\n' '{"id":"a","text":"answer"}' > "$1"
echo 'noise on stdout'
echo 'cannot open the model' >&2
exit 7
