#!/bin/sh
set -eu
printf '{"text": "the answer", "trace": [{"type": "message", "text": "hi"}]}' > "$1"
