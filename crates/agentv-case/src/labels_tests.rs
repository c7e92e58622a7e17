//! Labels in every form, and everything that can be wrong with them.

use agentv_base::Severity;

use super::*;
use crate::{LoadOptions, load};

/// What is read from a file of labels for a suite with the cases `capital` and `river`.
fn check(name: &str, text: &str) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let suite = "evalcases:\n  - {id: capital, input: a}\n  - {id: river, input: b}\n";
    std::fs::write(root.join("suite.yaml"), suite).unwrap();
    std::fs::write(root.join(name), text).unwrap();
    let mut loaded = load(&LoadOptions {
        paths: vec!["suite.yaml".into()],
        current_dir: root.clone(),
        ..LoadOptions::default()
    });
    let suite = &loaded.suites[0].suite;
    let mut problems = Problems::default();
    let labels =
        read_labels(Path::new(name), &root, &root, suite, &mut loaded.sources, &mut problems);
    let labels = labels.map(|labels| labels.labels).unwrap_or_default().into_iter().map(|label| {
        let grader = label.grader.map_or(String::new(), |(grader, _)| format!(" of {grader}"));
        let labeler = label.labeler.map_or(String::new(), |labeler| format!(" by {labeler}"));
        let id = label.case.id();
        format!("{}: {id} {:?} {:?}{grader}{labeler}", label.line, label.answer, label.said)
    });
    let problems = problems.in_order();
    let said = problems.iter().map(|problem| {
        let span = problem.span.unwrap_or_default();
        let source = loaded.sources.get(span.source).unwrap();
        let (line, column) = source.line_and_column(span.start as usize);
        let sign = if problem.severity == Severity::Warning { "warning: " } else { "" };
        format!("{sign}{line}:{column} {}", problem.message)
    });
    (labels.collect(), said.collect())
}

fn read(name: &str, text: &str) -> Vec<String> {
    let (labels, problems) = check(name, text);
    assert_eq!(problems, [""; 0]);
    labels
}

fn refused(name: &str, text: &str) -> Vec<String> {
    let (labels, problems) = check(name, text);
    assert_eq!(labels, [""; 0], "where something is wrong, nothing is measured");
    problems
}

#[test]
fn every_word_for_pass_and_fail_is_understood_and_scores_are_scores() {
    let words = [
        (r#""pass""#, "Pass"),
        (r#""Passed""#, "Pass"),
        ("true", "Pass"),
        (r#""YES""#, "Pass"),
        (r#""good""#, "Pass"),
        ("1", "Pass"),
        (r#""fail""#, "Fail"),
        (r#""failed""#, "Fail"),
        ("false", "Fail"),
        (r#"" no ""#, "Fail"),
        (r#""bad""#, "Fail"),
        ("0", "Fail"),
        ("0.75", "Score(0.75)"),
        (r#""0.5""#, "Score(0.5)"),
    ];
    let line = |(place, (word, _)): (usize, &(&str, &str))| {
        format!("{{\"eval_id\": \"capital\", \"answer\": \"{place}\", \"label\": {word}}}\n")
    };
    let labels = read("l.jsonl", &words.iter().enumerate().map(line).collect::<String>());
    for ((place, (_, said)), label) in words.iter().enumerate().zip(labels) {
        assert_eq!(label, format!("{}: capital \"{place}\" {said}", place + 1));
    }
}

#[test]
fn jsonl_csv_yaml_and_json_say_the_same() {
    let expected = [r#"capital "It is, say, Paris" Pass of kind by ann"#, r#"river "" Fail"#];
    let found = |name: &str, text: &str| -> Vec<String> {
        let unplaced = |label: String| label.split_once(": ").unwrap().1.to_owned();
        read(name, text).into_iter().map(unplaced).collect()
    };
    let jsonl = concat!(
        r#"{"id": "capital", "text": "It is, say, Paris", "human": "pass", "judge": "kind", "labeler": "ann"}"#,
        "\n\n",
        r#"{"test_id": "river", "response": "", "passed": false, "note": "says nothing"}"#,
    );
    assert_eq!(found("l.jsonl", jsonl), expected);
    let csv = "eval_id,answer,label,grader,labeler,note\n\
               capital,\"It is, say, Paris\",pass,kind,ann,\n\
               river,,fail,,,says nothing\n";
    assert_eq!(found("l.csv", csv), expected);
    let yaml = "labels:\n  - evalId: capital\n    output: It is, say, Paris\n    verdict: pass\n    \
                evaluator: kind\n    labeler: ann\n  - {id: river, answer: '', label: no}\n";
    assert_eq!(found("l.yaml", yaml), expected);
    let json = format!("[{}]", jsonl.replace("\n\n", ","));
    assert_eq!(found("l.json", &json), expected);
}

#[test]
fn a_row_of_results_is_a_label_where_a_person_added_one() {
    let row = r#"{"timestamp": "x", "eval_id": "capital", "dataset": "d", "status": "failed", "score": 0.1, "verdict": "fail", "candidate_answer": "Paris", "attempts": 1, "label": "pass"}"#;
    assert_eq!(read("l.jsonl", row), [r#"1: capital "Paris" Pass"#]);
    let unlabelled = row.replace(r#", "label": "pass""#, "");
    assert_eq!(refused("l.jsonl", &unlabelled), ["1:1 1 answer has no `label`"]);
    let blank = row.replace(r#""label": "pass""#, r#""label": null"#);
    let (labels, problems) = check("l.jsonl", &format!("{unlabelled}\n{row}\n{blank}"));
    assert_eq!(labels, [r#"2: capital "Paris" Pass"#]);
    assert_eq!(problems, ["warning: 1:1 2 answers have no `label` and are left out"]);
}

#[test]
fn an_answer_of_messages_alone_is_what_the_assistant_said_last() {
    let line = r#"{"id": "capital", "label": 1, "output_messages": [{"role": "assistant", "content": "Rome"}, {"role": "assistant", "content": "Paris"}, {"role": "tool", "content": "x"}]}"#;
    assert_eq!(read("l.jsonl", line), [r#"1: capital "Paris" Pass"#]);
    let line = r#"{"id": "capital", "label": 1, "answer": {"city": "Paris"}, "trace": [{"type": "message"}]}"#;
    assert_eq!(read("l.jsonl", line), [r#"1: capital "{\"city\":\"Paris\"}" Pass"#]);
}

#[test]
fn two_people_may_contradict_each_other_and_one_person_not() {
    let line = |labeler: &str, label: &str| {
        format!("{{\"id\": \"capital\", \"answer\": \"x\", \"label\": \"{label}\"{labeler}}}\n")
    };
    let ann = r#", "labeler": "ann""#;
    let bob = r#", "labeler": "bob""#;
    assert_eq!(read("l.jsonl", &(line(ann, "pass") + &line(bob, "fail"))).len(), 2);
    let told = "2:1 this answer to `capital` has another label already";
    assert_eq!(refused("l.jsonl", &(line(ann, "pass") + &line(ann, "fail"))), [told]);
    assert_eq!(refused("l.jsonl", &(line("", "pass") + &line("", "fail"))), [told]);
}

#[test]
fn labels_of_one_answer_that_agree_count_once_and_the_others_are_counted() {
    let line =
        |more: &str| format!("{{\"id\": \"capital\", \"answer\": \"x\", \"label\": 1{more}}}\n");
    let (labels, problems) = check("l.jsonl", &line("").repeat(3));
    assert_eq!(labels, [r#"1: capital "x" Pass"#]);
    let told = "warning: 2:1 2 labels say again what stands before, and are not counted";
    assert_eq!(problems, [told]);
    let traced = line(r#", "trace": [{"type": "message"}]"#);
    assert_eq!(read("l.jsonl", &(line("") + &traced)).len(), 2, "they differ in what was done");
}

#[test]
fn every_problem_is_told_at_its_place() {
    let problems = refused(
        "l.jsonl",
        concat!(
            r#"{"id": "capitol", "answer": "x", "label": "pass"}"#,
            "\n",
            r#"{"id": "capital", "answer": "x", "label": "perhaps"}"#,
            "\n",
            r#"{"id": "capital", "answer": "x", "label": 7}"#,
            "\n",
            r#"{"id": "capital", "answer": "x", "label": "pass", "scor": 1}"#,
            "\n",
            r#"{"answer": "x", "label": "pass"}"#,
            "\n",
            r#"{"id": "capital", "label": "pass"}"#,
            "\n",
            r#"{"id": "capital", "answer": "x"}"#,
            "\n",
            r#"{"id": "capital", "answer": "z", "label": "pass", "pass": true}"#,
            "\n",
            r#"{"id": "capital", "answer": "x", "label": }"#,
            "\n",
            r#"["capital", "x", "pass"]"#,
            "\n",
            r#"{"id": "capital", "answer": "y", "label": "pass", "trace": [{"type": "x"}]}"#,
        ),
    );
    insta::assert_snapshot!(problems.join("\n"), @"
    1:8 no case of `suite.yaml` has the id `capitol`
    2:43 `perhaps` does not say whether the answer passes
    3:43 `label` must be between 0 and 1
    4:52 unknown key `scor` in label
    5:1 label needs `eval_id`
    6:1 label needs `answer`: there is nothing to judge
    7:1 label needs `label`
    8:52 `pass` and `label` are the same key of label
    9:43 this is no JSON: expected value
    10:1 label must be a map, not a list
    11:61 this element of `trace` does not fit: unknown variant `x`, expected one of `model_step`, `tool_call`, `tool_result`, `message`, `error`
    ");
}

#[test]
fn a_file_without_labels_is_refused() {
    for (name, text) in [
        ("l.jsonl", ""),
        ("l.jsonl", "\n \n"),
        ("l.csv", ""),
        ("l.csv", "eval_id,answer,label\n"),
        ("l.yaml", "# nothing yet\n"),
        ("l.yaml", "labels: []\n"),
        ("l.json", "[]"),
    ] {
        assert_eq!(refused(name, text), [format!("1:1 `{name}` has no labels")], "{text:?}");
    }
    assert_eq!(refused("l.yaml", "labels: x\n"), ["1:9 labels must be a list, not a string"]);
    assert_eq!(refused("l.txt", "x"), ["1:1 labels cannot be read from `l.txt`"]);
    assert_eq!(refused(".env", "x"), ["1:1 labels cannot be read from `.env`"]);
}

#[test]
fn wrong_columns_are_told_once_however_many_rows_there_are() {
    let rows = "capital,x,pass,,,red\nriver,x,fail,,,blue\n";
    let problems = refused("l.csv", &format!("id,answer,label,,eval_id,colour\n{rows}"));
    assert_eq!(
        problems,
        [
            "1:1 `eval_id` and `id` are the same key of label",
            "1:1 unknown key `colour` in label",
            "1:1 a column has no name",
        ]
    );
}

#[test]
fn a_table_of_results_with_a_column_of_labels_is_read_as_rows_are() {
    let table = "eval_id,dataset,status,verdict,candidate_answer,label\n\
                 capital,d,passed,pass,Paris,fail\n";
    assert_eq!(read("l.csv", table), [r#"2: capital "Paris" Fail"#]);
}

#[test]
fn an_answer_whose_label_is_blank_is_left_out_and_counted_in_every_form() {
    let table = "id,answer,label\ncapital,Paris,pass\ncapital,Rome,\nriver,Seine,  \n";
    let jsonl = concat!(
        r#"{"id": "capital", "answer": "Paris", "label": "pass"}"#,
        "\n",
        r#"{"id": "capital", "answer": "Rome", "label": ""}"#,
        "\n",
        r#"{"id": "river", "answer": "Seine", "human": null}"#,
    );
    for (name, text, line) in [("l.csv", table, 2), ("l.jsonl", jsonl, 1)] {
        let (labels, problems) = check(name, text);
        assert_eq!(labels, [format!(r#"{line}: capital "Paris" Pass"#)]);
        let told = format!("warning: {}:1 2 answers have no `label` and are left out", line + 1);
        assert_eq!(problems, [told]);
    }
    let nobody = table.replace(",pass", ",");
    assert_eq!(refused("l.csv", &nobody), ["2:1 3 answers have no `label`"]);
}

#[test]
fn a_table_may_have_semicolons_or_tabs_between_its_cells() {
    let table = "id,answer,label\ncapital,\"Paris; or not, or\tso\",pass\n";
    let expected = [r#"2: capital "Paris; or not, or\tso" Pass"#];
    assert_eq!(read("l.csv", table), expected);
    for sign in [';', '\t'] {
        let names = format!("id{sign}answer{sign}label");
        let row = format!("capital{sign}\"Paris; or not, or\tso\"{sign}pass");
        assert_eq!(read("l.csv", &format!("{names}\n{row}\n")), expected);
    }
}
