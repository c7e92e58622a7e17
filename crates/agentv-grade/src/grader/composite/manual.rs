//! The page of `composite`.

use crate::manual::{Answer, Elsewhere, Example, Manual};

pub(super) const MANUAL: Manual = Manual {
    text: TEXT,
    examples: &[
        Example::new(
            "The weighted mean of two, one of them twice as heavy",
            "name: content\ntype: composite\nevaluators:\n  - contains: Paris\n    weight: 2\n  \
             - not-contains: Lyon",
            &[
                Answer::text("It is Paris.", 1.0),
                Answer::text("It is Paris or Lyon.", 0.666_667),
            ],
        ),
        Example::new(
            "Weights by name",
            "type: composite\nevaluators:\n  - {name: city, type: contains, value: Paris}\n  \
             - {name: polite, type: icontains, value: please}\naggregator:\n  \
             type: weighted_average\n  weights: {city: 3}",
            &[Answer::text("Paris", 0.75)],
        ),
        Example::new(
            "Two of three are enough",
            "type: assert-set\nthreshold: 0.6\nassert:\n  - contains: Paris\n  \
             - contains: France\n  - contains: Seine",
            &[
                Answer::text("Paris is the capital of France.", 1.0),
                Answer::text("Paris", 0.0),
            ],
        ),
        Example::new(
            "The same, written in full",
            "type: composite\nevaluators:\n  - contains: Paris\n  - contains: France\n  \
             - contains: Seine\naggregator: {type: threshold, threshold: 0.6}",
            &[Answer::text("Paris, France", 1.0)],
        ),
        Example::new(
            "As good as its weakest part",
            "type: composite\naggregator: minimum\nevaluators:\n  - is_json\n  \
             - name: facts\n    type: composite\n    evaluators:\n      - contains: Paris\n      \
             - contains: France",
            &[Answer::text("{\"city\": \"Paris\"}", 0.5)],
        ),
        Example::new(
            "A member that must hold, whatever the others say",
            "type: composite\naggregator: maximum\nevaluators:\n  - contains: Paris\n  \
             - name: no secrets\n    type: not-contains\n    value: password\n    required: true",
            &[
                Answer::text("Paris", 1.0),
                Answer::text("Paris. The password is 1234.", 0.0),
            ],
        ),
        Example::new(
            "A program adds up",
            "type: composite\nevaluators:\n  - contains: Paris\n  - contains: France\n\
             aggregator: {type: code_judge, script: sh add_up.sh}",
            &[Answer::text("Paris", 0.25)],
        )
        .with(&[(
            "add_up.sh",
            "# Reads {\"results\": {\"contains\": {\"score\": 1, …}, …}, \"question\": …, …}.\n\
             grep -q '\"results\":{\"contains\":{' &&\n  \
             echo '{\"score\": 0.25, \"misses\": [\"half of it is missing\"]}'\n",
        )]),
        Example::new(
            "A program with arguments, a folder, a configuration, a deadline and limits of its own",
            "type: composite\nevaluators: [is_json, \"contains: Paris\"]\naggregator:\n  \
             type: code_judge\n  command: [sh, add_up.sh]\n  cwd: judges\n  config: {strict: true}\n  \
             timeout_seconds: 10\n  max_memory_mb: 4096\n  max_cpu_seconds: 5",
            &[Answer::text("Paris", 0.5)],
        )
        .with(&[("judges/add_up.sh", "echo '{\"score\": 0.5}'\n")]),
        Example::new(
            "A model adds up",
            "type: composite\nevaluators: [is_json, \"contains: Paris\"]\naggregator:\n  \
             type: llm_judge\n  judge_target: judge\n  prompt: |\n    These graders looked at an answer:\n    \
             {{ evaluator_results_json }}\n    The form counts little. How good is the answer?",
            &[Answer::text("Paris", 0.5)],
        ),
    ],
    elsewhere: Elsewhere {
        promptfoo: "`assert-set`",
        inspect_ai: "`multi_scorer()`",
        deepeval: "(`DAGMetric`)",
        original: "`composite`",
    },
};

const TEXT: &str = "\
Members are graders like those of a case: in any form, with names, weights, `required` and \
`min_score`, and composites among them. All of them look at the same answer with everything that is \
known of it. Their results stand in the row, in `evaluator_results` of the composite's result.

How their scores become one is up to the `aggregator`:

| aggregator | score |
|---|---|
| `weighted_average` | the mean by the members' `weight`, or by `weights` |
| `minimum`, `maximum` | the lowest or the highest score |
| `threshold` | 1 where members that pass have at least this share of the weight, else 0 |
| `all_or_nothing` | 1 where every member passes, else 0 |
| `code_judge` | what a program of yours prints; see below |
| `llm_judge` | what a judge answers; see below |

A member passes from its own `min_score` on, else from the threshold of the run. One of weight 0 \
takes no part in the score; its result is there to be seen. A member that is `required` and does \
not pass makes the score 0, whatever the aggregator; programs and models are then not asked.

Hits and misses are those of the members, with the name of the member in front; programs and models \
have their own. Of more than 100 the rest is counted.

A member that fails, fails the composite: there is no score, and the row says which and why.

The program of `code_judge` is told what a [code_judge](code_judge.md) is told, and `results`: a map \
from the names of members to their results, each with `type`, `score`, `weight`, `verdict`, `hits`, \
`misses`, `reasoning` and so on, as in rows. It prints what a code judge prints.

The model of `llm_judge` is the `judge_target` of the aggregator, else of the case, the suite or the \
target, as for an [llm_judge](llm_judge.md). It is asked `prompt`, in which `{{ evaluator_results_json }}` stands for the same map, \
and `{{ question }}`, `{{ candidate_answer }}`, `{{ reference_answer }}` and \
`{{ expected_outcome }}` for those of the case. `prompt` can be a file: `file://…`, or a path from the suite's folder. An answer that \
holds no JSON object with a `score` is asked for once more, with what was wrong.

Up to 100,000 graders may stand in one, and up to 50 levels in each other.";
