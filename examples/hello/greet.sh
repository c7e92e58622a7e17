#!/bin/sh
# Greets whoever the prompt names: greet.sh PROMPT
set -eu
printf 'Hello, %s!\n' "${1#Greet }"
