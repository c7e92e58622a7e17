#!/bin/sh
# Keeps what it was told, each time in a file of its own, and is half content.
cat > "judged-$$.json"
echo '{"score": 0.5, "hits": ["in time"], "misses": ["no place"]}'
