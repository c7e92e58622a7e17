#!/bin/sh
set -eu
printf '%s\n' '{"version":2,"id":"a","nested":{"id":"z","text":"no"},"text":"answer","confidence":0.5}' > "$1"
