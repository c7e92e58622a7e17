# Stands in for a model that judges: takes kind words for kindness, and a promise for what is next.
answer=$(sed -n 's/^.*Answer: //p' "$1" | tail -n 1)
kind=0
next=0
case "$answer" in *[Ss]orry* | *[Tt]hank* | *glad*) kind=1 ;; esac
case "$answer" in *" will "* | *"you can"* | *"You can"*) next=1 ;; esac
case "$kind$next" in
  11) echo '{"score": 1, "reasoning": "It is kind and says what happens next."}' ;;
  10) echo '{"score": 0.5, "reasoning": "It is kind, but does not say what happens next."}' ;;
  01) echo '{"score": 0.5, "reasoning": "It says what happens next, but is not kind."}' ;;
  *) echo '{"score": 0, "reasoning": "It is neither kind nor of use."}' ;;
esac
