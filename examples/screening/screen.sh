#!/bin/sh
# Screens every payment of a request bundle: screen.sh BUNDLE, one JSON object a line to stdout.
# A stand-in for the real thing: any program that reads and writes JSONL would do.
set -eu

field() { # field NAME LINE: the value of a plain string field
    printf '%s\n' "$2" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"
}

while IFS= read -r line; do
    id=$(printf '%s\n' "$line" | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')
    question=$(field question "$line")
    amount=$(printf '%s\n' "$question" | sed 's/[^0-9]*\([0-9]*\).*/\1/')
    payee=$(printf '%s\n' "$question" | sed 's/.* to //')

    if grep -iqxF -- "$payee" watchlist.txt; then listed=true; else listed=false; fi
    if [ "$listed" = true ]; then
        answer="REVIEW: $payee is on the watch list"
    elif [ "$amount" -ge 10000 ]; then
        answer="REVIEW: $amount is at or above the limit of 10000"
    else
        answer="CLEAR: not listed, below the limit"
    fi

    printf '{"id":"%s","text":"%s","output_messages":[' "$id" "$answer"
    printf '{"role":"assistant","tool_calls":['
    printf '{"tool":"search_watchlist","input":{"name":"%s"},"output":%s},' "$payee" "$listed"
    printf '{"tool":"decide","input":{"amount":%s,"listed":%s}}]},' "$amount" "$listed"
    printf '{"role":"assistant","content":"%s"}]}\n' "$answer"
done < "$1"
