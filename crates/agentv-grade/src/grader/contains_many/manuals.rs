//! The pages of the relatives of `contains`.

use crate::manual::{Answer, Elsewhere, Example, Manual};

pub(super) const ICONTAINS: Manual = Manual {
    text: "As [contains](contains.md), but `Paris`, `PARIS` and `paris` are the same. Letters are \
           lowered one by one by the rules of Unicode, whatever the language.",
    examples: &[Example::new(
        "Any mix of upper and lower case",
        "type: icontains\nvalue: paris",
        &[Answer::text("It is PARIS.", 1.0), Answer::text("It is Lyon.", 0.0)],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`icontains`",
        inspect_ai: "`includes()`",
        deepeval: "",
        original: "`icontains`",
    },
};

pub(super) const CONTAINS_ANY: Manual = Manual {
    text: "Scores 1 where at least one text of the list is in the answer, else 0.",
    examples: &[Example::new(
        "One of several words for the same",
        "type: contains_any\nvalue: [denied, refused, rejected]",
        &[
            Answer::text("The request was refused.", 1.0),
            Answer::text("The request was granted.", 0.0),
        ],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`contains-any`",
        inspect_ai: "`includes(ignore_case=False)` with a list as target",
        deepeval: "",
        original: "`contains-any`",
    },
};

pub(super) const CONTAINS_ALL: Manual = Manual {
    text: "Scores 1 where every text of the list is in the answer. One that is absent makes it 0; for \
           a share of the points, write several [contains](contains.md).",
    examples: &[Example::new(
        "All of several texts",
        "type: contains_all\nvalue: [Ada, 36]",
        &[Answer::text("Ada is 36 years old.", 1.0), Answer::text("Ada is old.", 0.0)],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`contains-all`",
        inspect_ai: "",
        deepeval: "",
        original: "`contains-all`",
    },
};

pub(super) const ICONTAINS_ANY: Manual = Manual {
    text: "As [contains_any](contains_any.md), but upper and lower case are the same.",
    examples: &[Example::new(
        "One of several words in any letter case",
        "type: icontains_any\nvalue: [yes, sure]",
        &[Answer::text("YES!", 1.0), Answer::text("No.", 0.0)],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`icontains-any`",
        inspect_ai: "`includes()` with a list as target",
        deepeval: "",
        original: "`icontains-any`",
    },
};

pub(super) const ICONTAINS_ALL: Manual = Manual {
    text: "As [contains_all](contains_all.md), but upper and lower case are the same.",
    examples: &[Example::new(
        "All of several texts in any letter case",
        "type: icontains_all\nvalue: [terms, conditions]",
        &[Answer::text("Terms and Conditions apply.", 1.0), Answer::text("Terms apply.", 0.0)],
    )],
    elsewhere: Elsewhere {
        promptfoo: "`icontains-all`",
        inspect_ai: "",
        deepeval: "",
        original: "`icontains-all`",
    },
};
