#!/bin/sh
set -eu
head -c 3000000 /dev/zero | tr '\0' x
head -c 3000000 /dev/zero | tr '\0' y >&2
exit 1
