#!/bin/sh
# Answers every request with the same words and the same calls, and keeps what it was asked.
set -eu
answer='"text":"Monday, at ten.","trace":[{"type":"tool_call","name":"search"},{"type":"tool_call","name":"answer"}]'
if [ -n "${AGENTV_BATCH_FILE:-}" ]; then
    cp "$AGENTV_BATCH_FILE" requests.jsonl
    sed "s/^{\"id\":\(\"[^\"]*\"\).*/{\"id\":\1,$answer}/" "$AGENTV_BATCH_FILE"
else
    cp "$AGENTV_PROMPT_FILE" "prompt-$AGENTV_EVAL_ID.txt"
    printf '%s' "$*" > "arguments-$AGENTV_EVAL_ID.txt"
    printf '{%s}' "$answer"
fi
