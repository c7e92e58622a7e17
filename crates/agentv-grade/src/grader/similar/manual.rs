//! The page of `similar`.

use crate::manual::{Answer, Elsewhere, Example, Manual};

pub(super) const MANUAL: Manual = Manual {
    text: "The score is the similarity itself, from 0 (nothing in common) to 1 (the same). \
`min_score` says how much is enough; without it, the threshold of the run does. What was measured \
is a hit where it is enough and a miss where it is not.

The reference is `value`, or else what the last of the case's expected messages that has content \
says (blocks of text and of files as one text, anything else as JSON); where there is neither, \
nothing is run and the problem is told. With a list in `value`, the nearest reference \
counts. A reference in which a measure finds nothing to compare is an error.

Each measure gives the number that a published library gives, and is tested against stored values \
of it:

| `measure` | compares | as computed by |
|---|---|---|
| `levenshtein` | characters: 1 − edits ÷ length of the longer text | rapidfuzz 3.14.6, `Levenshtein.normalized_similarity` |
| `token_f1` | words as a bag: mean of precision and recall (F1) | the evaluation of SQuAD 2.0, `squad_metrics.compute_f1` of transformers 4.57.1 |
| `rouge_1` | words as a bag (F1) | rouge-score 0.1.2, `rouge1`, no stemmer |
| `rouge_2` | pairs of neighbouring words (F1) | rouge-score 0.1.2, `rouge2`, no stemmer |
| `rouge_l` | the longest run of words in the same order, others in between (F1) | rouge-score 0.1.2, `rougeL`, no stemmer |
| `bleu` | runs of 1 to 4 words: precision, with a penalty for short answers | sacrebleu 2.6.0, `sentence_bleu` ÷ 100 |
| `chrf` | runs of 1 to 6 characters: recall counts twice as much as precision | sacrebleu 2.6.0, `sentence_chrf` ÷ 100 |

- `levenshtein` counts Unicode characters, so a letter with a separate accent is two. White space at \
either end of either text is left out, as with [equals](equals.md).
- `token_f1` lowers letters and drops ASCII punctuation and the words a, an and the. A reference \
such as `A` has no words then.
- `rouge_…` lowers letters and knows only words of a-z and 0-9: an accented letter parts a word, and \
Chinese, Greek or Russian texts have no words at all. Use `chrf` or `levenshtein` for those.
- `bleu` tells upper from lower case, takes the tokens of mteval-v13a, smooths exponentially, and \
takes several references together, as BLEU is defined. It was made for whole documents: scores of \
one sentence are low, and of fewer than four words rough.
- `chrf` tells upper from lower case and leaves white space out. It suits every language.
- `levenshtein` and `rouge_l` fill a table of the answer by the reference. Beyond 17,179,869,184 \
cells (131,072 characters against as many) the grader fails with both lengths, rather than hold the \
run; what both texts begin and end with alike is free. Other measures take time in proportion to \
the texts.

In promptfoo, the threshold of `levenshtein` is a number of edits; here `min_score` is a similarity. \
With `not-` the score is 1 less the similarity, and `min_score` is for that: `min_score: 0.9` wants a similarity of at most 0.1. \
Its `similar` compares meanings with a model: no measure here does.",
    examples: &[
        Example::new(
            "What the case expects, letter by letter",
            "type: similar\nmeasure: levenshtein\nignore_case: true\nmin_score: 0.8",
            &[
                Answer::text("the quick brown fox", 1.0),
                Answer::text("The quick brown fix", 0.9474),
                Answer::text("A slow red hen", 0.2105),
            ],
        )
        .expecting("The quick brown fox"),
        Example::new(
            "The nearest of several references",
            "type: similar\nmeasure: token_f1\nvalue:\n  - Paris\n  - the city of Paris, France",
            &[Answer::text("It is Paris.", 0.5), Answer::text("Paris, city of France", 1.0)],
        ),
        Example::new(
            "A reference in a file",
            "type: similar\nmeasure: rouge_l\nvalue: file://summary.txt\nmin_score: 0.5",
            &[
                Answer::text("Sales rose in spring and fell in winter.", 0.5882),
                Answer::text("Nothing happened.", 0.0),
            ],
        )
        .with(&[("summary.txt", "In spring sales rose, and in winter sales fell.\n")]),
        Example::new(
            "Words and pairs of words",
            "type: similar\nmeasure: rouge_2\nvalue: the cat sat on the mat\nmin_score: 0.5",
            &[
                Answer::text("The cat sat on a mat.", 0.6),
                Answer::text("on the mat the cat sat", 0.8),
            ],
        ),
        Example::new(
            "A translation",
            "type: similar\nmeasure: bleu\nvalue: [It is not allowed to spit here., No spitting here.]\nmin_score: 0.3",
            &[
                Answer::text("It is not allowed to spit.", 0.729),
                Answer::text("Spitting is forbidden.", 0.19),
            ],
        ),
        Example::new(
            "A translation in any script",
            "type: similar\nmeasure: chrf\nvalue: 日本の首都は東京です。\nmin_score: 0.4",
            &[Answer::text("東京は日本の首都です。", 0.4229), Answer::text("分かりません。", 0.0163)],
        ),
        Example::new(
            "Something else than the example it was given",
            "type: not-similar\nmeasure: rouge_1\nvalue: Roses are red\nmin_score: 0.5",
            &[Answer::text("Roses are red.", 0.0), Answer::text("Violets are blue", 0.6667)],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`levenshtein`, `rouge-n`, `bleu`; not its `similar`, which asks a model",
        inspect_ai: "`f1()`",
        deepeval: "`Scorer.rouge_score`, `Scorer.sentence_bleu_score`",
        original: "",
    },
};
