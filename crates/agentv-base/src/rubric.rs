//! Rubrics as authors write them: of a case, of a grader, and in files of their own. What they mean
//! is for the judge to say.

use crate::key::{Key, Part, Shape};

/// One text, or a list of texts and maps. A file is resolved while suites are read.
pub const RUBRICS: Shape =
    Shape::Either(&[Shape::Name, Shape::List(&Shape::Either(&[Shape::Name, RUBRIC_MAP]))]);

const RUBRIC_MAP: Shape = Shape::Part(&RUBRIC);

pub const RUBRIC: Part = Part { what: "rubric", tables: &[RUBRIC_KEYS] };

pub const RUBRIC_KEYS: &[Key] = &[
    Key::new("id", Shape::Name, "What results call it").default("`rubric-1` and so on"),
    Key::new("description", Shape::Name, "What is checked")
        .or(&["outcome", "text", "criterion"])
        .required(),
    Key::new("weight", Shape::Limit, "Its share in the score").default("1"),
    Key::new(
        "required",
        Shape::Either(&[Shape::Bool, Shape::Share]),
        "Whether failing it fails the whole; a number is its `min_score`",
    )
    .default("true"),
    Key::new("min_score", Shape::Share, "The value from 0 to 1 from which it is met")
        .default("yes in more than half of the samples; with `score_ranges` the bar of the grader"),
    Key::new(
        "score_ranges",
        Shape::Either(&[Shape::List(&Shape::Part(&SCORE_RANGE)), Shape::MapOf(&Shape::Name)]),
        "What scores mean, where it is not only met or not: a list of ranges, or a map from scores \
         to texts",
    ),
];

pub const SCORE_RANGE: Part = Part { what: "score range", tables: &[SCORE_RANGE_KEYS] };

pub const SCORE_RANGE_KEYS: &[Key] = &[
    Key::new(
        "score_range",
        Shape::List(&Shape::Number),
        "The lowest and the highest score of the range, both in it",
    )
    .or(&["range"])
    .required(),
    Key::new("outcome", Shape::Name, "What an answer with such a score does")
        .or(&["description", "expected_outcome", "text"])
        .required(),
];
