//! docs/graders.md, docs/other-tools.md and `agentv graders` list every kind of grader.
//! `UPDATE_DOCS=1` writes the tables of the pages anew.

use std::{collections::BTreeSet, env, fs, path::Path};

use agentv_base::{Shape, key_table, names_in_words};
use agentv_grade::{COMMON_KEYS, Elsewhere, GraderKind, kinds, later_types};
use serde_json::Value;

use crate::project::empty;

fn list() -> String {
    let mut table = String::from("| type | what it checks |\n|---|---|\n");
    for kind in kinds() {
        let (name, about) = (kind.name(), kind.description());
        table.push_str(&format!(
            "| [`{name}`](graders/{}.md) | {about} |\n",
            name.replace(':', "_")
        ));
    }
    table
}

fn elsewhere() -> String {
    let mut table = String::from(
        "| AgentV | promptfoo | inspect_ai | DeepEval | AgentV in TypeScript |\n|---|---|---|---|---|\n",
    );
    for kind in kinds() {
        let Elsewhere { promptfoo, inspect_ai, deepeval, original } = kind.manual().elsewhere;
        let cells = [promptfoo, inspect_ai, deepeval, original]
            .map(|name| if name.is_empty() { "–" } else { name });
        table.push_str(&format!("| `{}` | {} |\n", kind.name(), cells.join(" | ")));
    }
    table
}

fn later() -> String {
    let mut table = String::from("| type | also called | until then |\n|---|---|---|\n");
    for (names, instead) in later_types() {
        let (name, others) = names.split_first().unwrap();
        let others = names_in_words(others);
        table.push_str(&format!("| `{name}` | {others} | {instead} |\n"));
    }
    table
}

/// Writes the generated tables of a page anew, or says that they are stale. All of them at once, as
/// tests run at the same time.
fn check_tables(file: &str, tables: &[(&str, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(file);
    let page = fs::read_to_string(&path).unwrap();
    let mut rendered = page.clone();
    for (marker, table) in tables {
        let (before, rest) = rendered.split_once(&format!("{marker}\n")).unwrap();
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        rendered = format!("{before}{marker}\n{table}<!-- end -->{after}");
    }
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(path, rendered).unwrap();
    } else {
        assert!(page == rendered, "docs/{file} is not up to date; run this with UPDATE_DOCS=1");
    }
}

#[test]
fn the_graders_page_lists_every_type_and_the_keys_that_all_of_them_have() {
    let keys = key_table(&COMMON_KEYS.iter().collect::<Vec<_>>());
    let tables = [("<!-- list -->", list()), ("<!-- keys -->", keys), ("<!-- later -->", later())];
    check_tables("graders.md", &tables);
}

#[test]
fn the_page_of_other_tools_has_a_row_for_every_type() {
    check_tables("other-tools.md", &[("<!-- elsewhere -->", elsewhere())]);
}

#[test]
fn the_list_has_a_line_for_every_type() {
    let run = empty().run(&["graders"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let listed: Vec<&str> =
        run.stdout.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let known: Vec<&str> = kinds().map(GraderKind::name).collect();
    assert_eq!(listed, known);
}

#[test]
fn a_type_is_explained_under_any_of_its_names() {
    let project = empty();
    let page = project.run(&["graders", "code-grader"]);
    assert_eq!(page.code, Some(0));
    assert!(page.stdout.starts_with("# `code_judge`\n"), "{}", page.seen());
    assert_eq!(project.run(&["graders", "script"]).stdout, page.stdout);
    let both = project.run(&["graders", "code_judge", "not-regex"]).stdout;
    assert!(both.starts_with(&page.stdout) && both.contains("\n# `regex`\n"), "{both}");
}

#[test]
fn every_type_that_does_not_exist_is_told_and_nothing_is_printed() {
    let run = empty().run(&["graders", "contains", "regx", "horoscope"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.contains("unknown grader type `regx`"), "{}", run.seen());
    assert!(run.stderr.contains("did you mean `regex`?"), "{}", run.seen());
    assert!(run.stderr.contains("unknown grader type `horoscope`"), "{}", run.seen());
}

#[test]
fn programs_get_names_keys_and_examples() {
    let run = empty().run(&["graders", "--format", "json"]);
    let told: Value = serde_json::from_str(&run.stdout).unwrap();
    let graders = told["graders"].as_array().unwrap();
    assert_eq!(graders.len(), kinds().count());
    for (grader, kind) in graders.iter().zip(kinds()) {
        assert_eq!(grader["type"], kind.name());
        assert!(!grader["examples"].as_array().unwrap().is_empty());
        let keys: BTreeSet<&str> = grader["keys"]
            .as_array()
            .unwrap()
            .iter()
            .map(|key| key["key"].as_str().unwrap())
            .collect();
        let known = kind.keys().iter().filter(|key| !matches!(key.shape, Shape::Later(_)));
        let known: BTreeSet<&str> = known.map(|key| key.name).collect();
        assert_eq!(keys, known);
    }
    assert_eq!(told["common_keys"][0]["key"], "name");
    let mode = graders.iter().flat_map(|grader| grader["keys"].as_array().unwrap());
    let mut mode = mode.filter(|key| key["key"] == "mode");
    assert!(mode.next().unwrap()["value"].as_str().unwrap().contains("`in_order`"));
}
