//! Every kind of grader has a page, examples that grade as they say, and a schema. `UPDATE_DOCS=1`
//! writes the pages of docs/graders anew.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
};

use agentv_base::{Key, Problems, Shape, SourceId, find_key, parts_of};
use agentv_case::language::parse_yaml;
use agentv_grade::{COMMON_KEYS, Given, GraderKind, Seen, kinds, page};
use agentv_testkit::Project;
use serde_json::{Value, json};

use crate::project::{empty, rows, targets};

/// The target that examples ask for an opinion.
const JUDGE: &str = r"
  - name: judge
    provider: cli
    command: awk -f judge.awk {PROMPT_FILE}
";

/// Says of every rubric whether the words in backticks stand in the answer, and of answers as a
/// whole that they are worth a half.
const JUDGE_PROGRAM: &str = r#"
/"checks"/ { checking = 1 }
/^- \[/ { count++; rubric[count] = $0; next }
/^  - score / { scored[count] = 1; next }
/^----- answer / { rest = "" }
{ rest = rest "\n" $0 }
END {
  if (!checking) { print "{\"score\": 0.5, \"reasoning\": \"half of it is there\"}"; exit }
  printf "{\"checks\": ["
  for (n = 1; n <= count; n++) {
    id = rubric[n]; sub(/^- \[/, "", id); sub(/\].*$/, "", id)
    split(rubric[n], parts, "`")
    met = index(rest, parts[2]) > 0
    verdict = "\"satisfied\": " (met ? "true" : "false")
    if (scored[n]) verdict = "\"score\": " (met ? 8 : 2)
    reasoning = met ? "it does" : "it does not"
    printf "%s{\"id\": \"%s\", %s, \"reasoning\": \"%s\"}", (n > 1 ? ", " : ""), id, verdict, reasoning
  }
  print "]}"
}
"#;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn file_name(kind: &dyn GraderKind) -> String {
    format!("{}.md", kind.name().replace(':', "_"))
}

/// Cases are the answers of all examples, in this form.
fn id(example: usize, answer: usize) -> String {
    format!("{example:02}-{answer:02}")
}

/// A project in which each answer of each example of a kind is a case.
fn project(kind: &dyn GraderKind) -> Project {
    let mut cases = String::from("evalcases:\n");
    let mut records = String::new();
    let agent = targets(
        "cp records.jsonl {OUTPUT_FILE}",
        &["provider_batching: true", "judge_target: judge"],
    );
    let project =
        empty().file(".agentv/targets.yaml", agent + JUDGE).file("judge.awk", JUDGE_PROGRAM);
    for (number, example) in kind.manual().examples.iter().enumerate() {
        for (name, content) in example.files {
            project.write(name, content);
        }
        for (index, answer) in example.answers.iter().enumerate() {
            let id = id(number, index);
            let mut record = match answer.given {
                Given::Text(text) => json!({"text": text}),
                Given::Record(record) => serde_json::from_str(record).unwrap_or_else(|error| {
                    panic!("a record of `{}` is not JSON: {error}: {record}", kind.name())
                }),
            };
            record["id"] = json!(id);
            records.push_str(&format!("{record}\n"));
            cases.push_str(&format!(
                "  - id: \"{id}\"\n    input_messages: [{{role: user, content: go}}]\n"
            ));
            if let Some(reference) = example.reference {
                let message = json!([{"role": "assistant", "content": reference}]);
                cases.push_str(&format!("    expected_messages: {message}\n"));
            }
            cases.push_str("    evaluators:\n");
            for (line, text) in example.grader.trim().lines().enumerate() {
                let lead = if line == 0 { "      - " } else { "        " };
                cases.push_str(&format!("{lead}{text}\n"));
            }
        }
    }
    project.file("suite.yaml", cases).file("records.jsonl", records)
}

/// The rows of all answers of all examples of a kind, by id.
fn graded(kind: &dyn GraderKind) -> BTreeMap<String, Value> {
    let project = project(kind);
    let run = project.run(&["eval", "suite.yaml", "--target", "agent", "--no-fail"]);
    assert_eq!(run.code, Some(0), "{}:\n{}", kind.name(), run.seen());
    let rows = rows(&project);
    rows.into_iter().map(|row| (row["eval_id"].as_str().unwrap().to_owned(), row)).collect()
}

fn texts(row: &Value, key: &str) -> Vec<String> {
    let texts = row[key].as_array().unwrap();
    texts.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_kind_has_a_page_and_examples_that_grade_as_they_say() {
    let folder = docs().join("graders");
    let update = env::var_os("UPDATE_DOCS").is_some();
    let mut stale = Vec::new();
    for kind in kinds() {
        let examples = kind.manual().examples;
        assert!(kind.manual().text.len() > 40, "`{}` says nothing of itself", kind.name());
        assert!(examples.iter().any(|example| !example.answers.is_empty()), "{}", kind.name());
        let rows = graded(kind);
        for (number, example) in examples.iter().enumerate() {
            for (index, answer) in example.answers.iter().enumerate() {
                let score = rows[&id(number, index)]["score"].as_f64().unwrap();
                assert!(
                    (score - answer.score).abs() < 5e-5,
                    "`{}`, {}, answer {index}: {score}, not {}",
                    kind.name(),
                    example.title,
                    answer.score
                );
            }
        }
        let page = page(kind, &|example, answer| {
            let row = &rows[&id(example, answer)];
            Some(Seen { hits: texts(row, "hits"), misses: texts(row, "misses") })
        });
        let file = folder.join(file_name(kind));
        if update {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &page).unwrap();
        } else if fs::read_to_string(&file).unwrap_or_default() != page {
            stale.push(file_name(kind));
        }
    }
    assert!(stale.is_empty(), "docs/graders is not up to date; run with UPDATE_DOCS=1: {stale:?}");
}

#[test]
fn every_page_is_that_of_a_kind() {
    let known: BTreeSet<String> = kinds().map(file_name).collect();
    let found = fs::read_dir(docs().join("graders")).unwrap();
    let found: BTreeSet<String> =
        found.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, known);
}

/// Every key of a table, and of the tables below it, that some example uses.
fn used(node: &agentv_base::Node, tables: &[&'static [Key]], found: &mut BTreeSet<*const Key>) {
    for entry in node.as_map().unwrap_or_default() {
        let Some(key) = find_key(&entry.key, tables) else { continue };
        found.insert(std::ptr::from_ref(key));
        let below = parts_of(&key.shape);
        let inner = match (entry.value.as_list(), entry.value.as_map()) {
            (Some(items), _) => items.iter().collect(),
            // A map of the author's own keys, or one of those below.
            (None, Some(entries)) if matches!(key.shape, Shape::MapOf(_)) => {
                entries.iter().map(|entry| &entry.value).collect()
            }
            _ => vec![&entry.value],
        };
        for node in inner {
            for part in &below {
                used(node, part.tables, found);
            }
        }
    }
}

fn all_keys(tables: &[&'static [Key]], keys: &mut Vec<&'static Key>) {
    for key in tables.iter().copied().flatten() {
        if !matches!(key.shape, Shape::Later(_))
            && !keys.iter().any(|known| std::ptr::eq(*known, key))
        {
            keys.push(key);
            for part in parts_of(&key.shape) {
                all_keys(part.tables, keys);
            }
        }
    }
}

#[test]
fn every_key_of_every_kind_is_shown_in_an_example_of_its_page() {
    let mut missing = Vec::new();
    for kind in kinds() {
        let mut found = BTreeSet::new();
        for example in kind.manual().examples {
            let mut problems = Problems::default();
            let node = parse_yaml(example.grader, SourceId::default(), &mut problems).unwrap();
            used(&node, &[COMMON_KEYS, kind.keys()], &mut found);
        }
        let mut keys = Vec::new();
        all_keys(&[kind.keys()], &mut keys);
        let unseen = keys.iter().filter(|key| !found.contains(&std::ptr::from_ref(**key)));
        missing.extend(unseen.map(|key| format!("`{}` of `{}`", key.name, kind.name())));
    }
    assert!(missing.is_empty(), "no example shows {}", missing.join(", "));
}

#[test]
fn every_kind_has_a_schema_that_its_examples_satisfy() {
    let project = empty();
    let schema: Value = serde_json::from_str(&project.run(&["schema", "suite"]).stdout).unwrap();
    for kind in kinds() {
        let name = format!("grader_{}", kind.name());
        assert!(
            schema["definitions"][&name]["properties"].is_object(),
            "no schema of `{}`",
            kind.name()
        );
        for example in kind.manual().examples {
            let mut problems = Problems::default();
            let node = parse_yaml(example.grader, SourceId::default(), &mut problems).unwrap();
            let mut own = schema.clone();
            let root = own.as_object_mut().unwrap();
            root.retain(|key, _| key == "definitions" || key == "$schema");
            root.insert("$ref".to_owned(), json!("#/definitions/grader"));
            let checker = jsonschema::validator_for(&own).unwrap();
            let wrong: Vec<String> =
                checker.iter_errors(&node.to_json()).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "`{}`, {}: {wrong:?}", kind.name(), example.title);
        }
    }
}
