#!/bin/sh
set -eu
echo run >> runs.log
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/^{"id":"\([^"]*\)".*/\1/')
  printf '{"id":"%s","text":"answer"}\n' "$id"
done < "$AGENTV_BATCH_FILE" > "$1"
