#!/bin/sh
set -eu
printf '\n\n{"id":"a","text":"answer"}\nTraceback: \033[31m' > "$1"
head -c 5000 /dev/zero | tr '\0' x >> "$1"
