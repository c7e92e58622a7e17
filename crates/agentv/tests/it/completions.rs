//! What shells offer while a command is typed.

use std::process::Command;

use crate::project::{commands, empty, printed};

#[test]
fn completions_know_every_command_and_flag() {
    let commands = commands();
    assert!(commands.len() >= 6, "{commands:?}");
    for (shell, opening) in
        [("bash", "_agentv()"), ("zsh", "#compdef agentv"), ("fish", "complete -c agentv")]
    {
        let script = printed(&["completions", shell]);
        assert!(script.contains(opening), "{shell}: {script}");
        for word in commands.iter().map(String::as_str).chain(["max-retries", "dump-prompts"]) {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    let run = empty().run(&["completions", "cmd"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
}

#[test]
fn completions_are_scripts_that_their_shell_can_read() {
    for shell in ["bash", "zsh", "fish"] {
        let project = empty().file("script", printed(&["completions", shell]));
        let checked =
            Command::new(shell).args(["-n", "script"]).current_dir(project.path("")).output();
        // A machine without the shell has nobody to please.
        if let Ok(output) = checked {
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

/// What bash offers for the last of these words; nothing on a machine without bash.
fn offered(words: &[&str]) -> Option<Vec<String>> {
    let project = empty()
        .file("script", printed(&["completions", "bash"]))
        .file("evals/a.yaml", "")
        .file("notes.md", "");
    // `compopt` works only while a user is typing.
    let ask = "source ./script; compopt() { :; }; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
               _agentv agentv \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; \
               printf '%s\\n' \"${COMPREPLY[@]}\"";
    let output = Command::new("bash")
        .args(["-c", ask, "bash", "agentv"])
        .args(words)
        .current_dir(project.path(""))
        .output()
        .ok()?;
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(lines.lines().map(str::to_owned).collect())
}

#[test]
fn values_that_are_choices_are_offered() {
    let Some(colors) = offered(&["eval", "x", "--color", ""]) else { return };
    assert_eq!(colors, ["auto", "always", "never"]);
    assert_eq!(offered(&["eval", "x", "--progress", "p"]).unwrap(), ["plain"]);
    assert_eq!(offered(&["schema", "p"]).unwrap(), ["prices"]);
    assert_eq!(offered(&["graders", "llm"]).unwrap(), ["llm_judge"]);
    assert_eq!(offered(&["graders", "regex", "code"]).unwrap(), ["code_judge"]);
    assert!(offered(&["completions", ""]).unwrap().contains(&"fish".to_owned()));
    assert_eq!(offered(&["in"]).unwrap(), ["invoke", "init"]);
}

#[test]
fn files_are_offered_where_a_file_is_meant_and_nowhere_else() {
    let Some(outs) = offered(&["eval", "x", "--out", "no"]) else { return };
    assert_eq!(outs, ["notes.md"]);
    assert_eq!(offered(&["eval", "x", "--targets", "ev"]).unwrap(), ["evals"]);
    // Where the script has nothing to say, bash offers files by itself: paths of suites.
    assert_eq!(offered(&["eval", "ev"]).unwrap(), [""]);
    assert_eq!(offered(&["eval", "x", "--target", "no"]).unwrap(), ["no"]);
    assert_eq!(offered(&["eval", "x", "--eval-id", "no"]).unwrap(), ["no"]);
    let zsh = printed(&["completions", "zsh"]);
    assert!(zsh.contains(r"'*::paths -- Suites\: files, directories or globs:_files'"), "{zsh}");
    assert!(
        zsh.contains(
            "--path=[The folder to start in; made where it does not exist]:DIR:_files -/'"
        )
    );
}
