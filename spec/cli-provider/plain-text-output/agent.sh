#!/bin/sh
set -eu
printf 'the answer, {not json\nsecond line\n' > "$1"
