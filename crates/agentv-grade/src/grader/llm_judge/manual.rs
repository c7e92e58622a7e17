//! The page of `llm_judge`.

use crate::manual::{Answer, Elsewhere, Example, Manual};

pub(super) const MANUAL: Manual = Manual {
    text: TEXT,
    examples: &[
        Example::new(
            "A criterion in a sentence",
            "llm-rubric: Names `Paris`",
            &[Answer::text("It is Paris.", 1.0), Answer::text("It is Lyon.", 0.0)],
        ),
        Example::new(
            "Rubrics with weights, of which one need not be met",
            "name: quality\ntype: llm_judge\nrubrics:\n  - Names `Paris`\n  - id: river\n    \
             description: Names the `Seine`\n    weight: 3\n    required: false",
            &[
                Answer::text("Paris, on the Seine.", 1.0),
                Answer::text("It is Paris.", 0.25),
                Answer::text("It is on the Seine.", 0.75),
            ],
        ),
        Example::new(
            "A rubric with a scale",
            "type: llm_judge\nrubrics:\n  - id: depth\n    description: Explains `why`\n    \
             min_score: 0.5\n    score_ranges:\n      \
             - {score_range: [0, 3], outcome: Gives no reason}\n      \
             - {score_range: [4, 7], outcome: Gives a reason that does not hold}\n      \
             - {score_range: [8, 10], outcome: Gives the reason}",
            &[
                Answer::text("Paris. That is why it has the palace.", 0.8),
                Answer::text("Paris", 0.2),
            ],
        ),
        Example::new(
            "The same scale by its steps",
            "type: llm_judge\nrubrics:\n  - description: Explains `why`\n    required: 0.5\n    \
             score_ranges: {0: Gives no reason, 5: Gives one that does not hold, 10: Gives the reason}",
            &[Answer::text("Paris. That is why it has the palace.", 0.8)],
        ),
        Example::new(
            "Rubrics from a file",
            "type: llm_judge\nrubrics: file://quality.yaml",
            &[Answer::text("It is Paris.", 1.0)],
        )
        .with(&[(
            "quality.yaml",
            "- Names `Paris`\n- id: short\n  description: Says what `It is`\n",
        )]),
        Example::new(
            "As a whole, by what the case expects",
            "type: llm_judge",
            &[Answer::text("It is Paris, or Lyon.", 0.5)],
        )
        .expecting("It is Paris."),
        Example::new(
            "A prompt of your own",
            "type: llm_judge\nprompt: |\n  A customer asked: {{ question }}\n  \
             The assistant said: {{ candidate_answer }}\n  Would the customer be content?",
            &[Answer::text("It is Paris, or Lyon.", 0.5)],
        ),
        Example::new(
            "A prompt in a file, another judge, and the majority of three opinions",
            "type: llm_judge\nprompt: file://judge.md\nrubrics: [\"Names `Paris`\"]\n\
             judge_target: judge\nsamples: 3\naggregate: majority",
            &[Answer::text("It is Paris.", 1.0)],
        )
        .with(&[("judge.md", "Somebody answered: {{ candidate_answer }}\n\n{{ rubrics }}\n")]),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`llm-rubric`, `model-graded-closedqa`, (`g-eval`)",
        inspect_ai: "`model_graded_qa()`, `model_graded_fact()`",
        deepeval: "(`GEval`)",
        original: "`llm_judge`, `llm-grader`, `llm-rubric`, `rubrics`",
    },
};

const TEXT: &str = "\
A target is asked for its opinion on the answer: the `judge_target` of the grader, else of the case, \
the suite or the target that is judged, in that order. Any target can judge. None judges because no \
other is named: that is an error before anything is run. A target that judges its own answers is \
told in a warning, unless it names itself as its `judge_target`.

Without `rubrics` the answer is judged **as a whole**, by the case's `expected_outcome` and its \
reference answer; the judge gives a score from 0 to 1 with hits, misses and its reasons. A case that \
has neither is an error, unless the judge has a `prompt` of its own.

With **`rubrics`** the answer is checked for each of them, and the score is the share of the weight \
of those that are met. A rubric is a text, or a map. `rubrics` can be a file: `file://…`, or a path \
that ends in `.yaml`, `.yml` or `.json`, with a list in it or a map with `rubrics`. A text behind \
`llm-rubric:`, and a sentence in a list of graders, is one rubric. The rubrics of a case are a judge \
of their own, called `rubric`.

A rubric is **required** unless it says `required: false`: where it is not met the grader and the \
case fail, and the score stays what it is. It is met from its `min_score` on (`required: 0.5` says \
both); without one, where the judge says yes, or says it in more than half of the samples. A rubric \
with **`score_ranges`** is given a score in these ranges, which is worth its place between the lowest \
and the highest: 8 on a scale from 0 to 10 is 0.8. Without a `min_score` it is met where that reaches \
the grader's `min_score`, else the threshold of the run. Ranges go from the lowest to the highest \
without overlap; those of whole numbers leave none out, others at most a tenth of the whole.

## What the judge is asked

Our own prompt has a section for each thing that the case has, between marks that no answer can \
imitate, and says that everything between them is data. A `prompt` of your own, in place or in a \
file (`file://…`, or a path from the suite's folder), is filled in once: braces in an answer are only \
braces. It must have a place for the answer; rubrics that it does not mention follow it. Names can be \
in upper or lower case:

| name | also | stands for |
|---|---|---|
| `{{ candidate_answer }}` | `answer`, `output`, `output_text`, `candidate_answer_text` | the answer |
| `{{ question }}` | `input`, `input_text`, `question_text` | what the target was asked |
| `{{ expected_outcome }}` | `criteria`, `outcome` | what a good answer does |
| `{{ reference_answer }}` | `expected_output`, `expected_output_text`, `reference_answer_text` | a good answer |
| `{{ rubrics }}`, `{{ rubrics_json }}` | `rubric` | the rubrics with their ids |
| `{{ input_messages }}`, `{{ expected_messages }}` | | messages as JSON |
| `{{ output_messages }}` | `messages` | the messages of the target as JSON; the answer as one, where it told none |
| `{{ guidelines }}` | | the text of guideline files |
| `{{ tool_calls }}`, `{{ trace }}`, `{{ trace_summary }}` | `candidate_trace`, `candidate_trace_summary` | what the target did, as JSON |
| `{{ token_usage }}`, `{{ cost_usd }}`, `{{ duration_ms }}` | | what it took |
| `{{ eval_id }}`, `{{ target }}` | `test_id` | the case and the target |
| `{{ city }}`, `{{ vars.city }}` | | a variable of the case |

What nobody knows, such as the cost of a target that does not tell it, is `unknown`. A name that \
means nothing is an error before anything is run.

## What the judge answers

It is told the form, and models that can be held to a schema are. As a whole: `{\"score\": 0.8, \
\"hits\": […], \"misses\": […], \"reasoning\": \"…\"}`, of which only `score` is needed. With rubrics: \
`{\"checks\": [{\"id\": \"rubric-1\", \"satisfied\": true, \"reasoning\": \"…\"}], \
\"overall_reasoning\": \"…\"}`, with `score` instead of `satisfied` where a rubric has \
`score_ranges`. The one JSON object of its answer counts, whatever words are around it. An answer of \
no use (prose, a score of 7, two objects, a rubric left out or checked twice) is shown to the judge \
with the reason, once. If the second is of no use either, the case is an **error** with both \
reasons, never a 0; checks that are left out never make the sum smaller.

With `samples` the judge is asked so often, at once. `aggregate: mean` takes the mean of the scores, \
rubric by rubric. `majority`, of an odd number, takes what most samples say of each rubric, or the \
middle one of its scores; as a whole, they vote on whether the answer reaches `min_score` or the \
threshold, and the score is 1 or 0. The row keeps the score of each sample and their standard \
deviation (`judge.samples`, `judge.spread`), each rubric, the tokens and the cost; with \
`--include-prompts` every question and answer, word for word. One sample that fails is an error.

In the examples a program stands in for the model: it finds a rubric met where the words in \
backticks stand in the answer (8 and 2 on a scale), and any answer as a whole worth 0.5.";
