//! The manual pages: complete, readable by `man`, and in step with the help.

use std::{fs, io::Write as _, process::Stdio};

use crate::project::{commands, empty, printed};

const SECTIONS: [&str; 7] =
    ["NAME", "SYNOPSIS", "OPTIONS", "\"EXIT STATUS\"", "FILES", "ENVIRONMENT", "EXAMPLES"];

#[test]
fn the_main_page_names_every_command_and_has_every_section() {
    let page = printed(&["man"]);
    assert!(page.starts_with(".TH AGENTV 1 \"\" \"agentv "), "{page}");
    for section in SECTIONS.iter().chain(&["SUBCOMMANDS"]) {
        assert!(page.contains(&format!("\n.SH {section}\n")), "{section}\n{page}");
    }
    for command in commands() {
        assert!(page.contains(&format!("\nagentv\\-{command}(1)\n")), "{command}\n{page}");
    }
    assert!(page.contains("3 some case could not be evaluated"), "{page}");
    assert!(!page.contains("agentv\\-help"), "{page}");
}

#[test]
fn with_a_folder_there_is_a_page_for_every_command() {
    let project = empty();
    let run = project.run(&["man", "--out", "man/man1"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.seen());
    let mut commands = commands();
    let verbs = ["list", "show", "failures", "trend", "prune", "merge"];
    commands.extend(verbs.map(|verb| format!("results-{verb}")));
    for name in commands.iter().map(|name| format!("agentv-{name}")).chain(["agentv".to_owned()]) {
        let file = format!("man/man1/{name}.1");
        assert!(run.stdout.contains(&file), "{}", run.seen());
        let page = fs::read_to_string(project.path(&file)).unwrap();
        assert!(page.is_ascii(), "{name}");
        for section in SECTIONS {
            assert!(page.contains(&format!("\n.SH {section}\n")), "{name} has no {section}");
        }
    }
    assert_eq!(fs::read_dir(project.path("man/man1")).unwrap().count(), commands.len() + 1);
    let eval = fs::read_to_string(project.path("man/man1/agentv-eval.1")).unwrap();
    assert!(eval.contains("\\-\\-max\\-retries"), "{eval}");
    assert!(eval.contains("\\fBagentv eval\\fR"), "{eval}");
}

#[test]
fn a_page_is_what_man_can_show() {
    let shown = std::process::Command::new("groff")
        .args(["-man", "-Tascii", "-ww", "-P-cbou"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    // A machine without the program has nobody to please.
    let Ok(mut shown) = shown else { return };
    let project = empty();
    assert_eq!(project.run(&["man", "--out", "man"]).code, Some(0));
    let page = fs::read(project.path("man/agentv-eval.1")).unwrap();
    shown.stdin.take().unwrap().write_all(&page).unwrap();
    let output = shown.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8_lossy(&output.stdout);
    // The examples keep their lines and columns, although this one is longer than the others.
    let line = "agentv eval 'evals/**/*.yaml' --eval-id 'math-*' some cases of many suites\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error_with_its_place() {
    let project = empty().file("man", "a file");
    let run = project.run(&["man", "--out", "man"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.seen());
    assert!(run.stderr.contains("cannot write `man/agentv.1`"), "{}", run.seen());
}
