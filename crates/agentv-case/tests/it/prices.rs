//! Prices of models: where they are found, and that what is wrong with them is told.

use crate::project::{Project, TARGETS, one_case};

fn prices(input: u32) -> String {
    format!("models: {{m: {{input: {input}, output: 1}}}}")
}

#[test]
fn each_suite_has_the_prices_of_the_nearest_folder() {
    let project = Project::bare()
        .file("targets.yaml", TARGETS)
        .file(".agentv/prices.yaml", prices(1))
        .file("a/.agentv/prices.yml", prices(2))
        .file("a/deep/s.yaml", one_case(""))
        .file("b/s.yaml", one_case(""));
    let loaded = project.load(&["a", "b"]);
    assert_eq!(project.describe(&loaded), "");
    let inputs = loaded.suites.iter().map(|suite| {
        let targets = suite.targets.as_ref().unwrap();
        targets.specs[0].prices.of("m").unwrap().input
    });
    assert_eq!(inputs.collect::<Vec<_>>(), [2.0, 1.0]);
}

#[test]
fn prices_that_cannot_be_read_are_told_once_with_their_place() {
    let project = Project::bare()
        .file("targets.yaml", TARGETS)
        .file(
            ".agentv/prices.yaml",
            "models: {m: {input: 1, outputs: 1}, n: {input: -1, output: 2}}",
        )
        .file("a.yaml", one_case(""))
        .file("b/c.yaml", one_case(""));
    let told = project.problems(&["a.yaml", "b", ".agentv/prices.yaml"]);
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("error")).collect();
    assert_eq!(
        lines,
        [
            ".agentv/prices.yaml:1:24 error: unknown key `outputs` in price",
            ".agentv/prices.yaml:1:48 error: `input` must not be negative",
        ]
    );
}

#[test]
fn prices_that_are_named_are_checked() {
    let project = Project::bare().file(".agentv/prices.yaml", "models: 3");
    let told = project.problems(&[".agentv/prices.yaml"]);
    assert!(told.contains("`models` must be a map, not a number"), "{told}");
    let empty = Project::bare().file(".agentv/prices.yaml", "");
    let told = empty.problems(&[".agentv/prices.yaml"]);
    assert!(told.contains("is empty") && told.contains("a minimal file of prices"), "{told}");
}
