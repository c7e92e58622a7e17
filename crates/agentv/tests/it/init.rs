//! `agentv init`: a project that works at once, and nobody's files touched.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
};

use agentv_testkit::Project;

use crate::project::{empty, rows};

const PIECES: [&str; 4] =
    [".agentv/.gitignore", ".agentv/config.yaml", ".agentv/targets.yaml", "evals/first.yaml"];

/// Every file below a folder of the project with its bytes; runs, `.git` and `tmp` aside.
fn files(project: &Project, folder: &str) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, root: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if [".git", "tmp", ".agentv/results"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                walk(&path, root, found);
            } else {
                found.insert(name, fs::read(&path).unwrap_or_default());
            }
        }
    }
    let root = project.path(folder);
    let mut found = BTreeMap::new();
    walk(&root, &root, &mut found);
    found
}

fn init(project: &Project, args: &[&str]) -> String {
    let run = project.run(&[&["init"], args].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.seen());
    run.stdout
}

#[test]
fn a_new_project_runs_and_passes_at_once() {
    let project = empty();
    let said = init(&project, &[]);
    insta::assert_snapshot!(without_schemas(&said), @r"
    In [PROJECT]:
      wrote    .agentv/.gitignore
      wrote    .agentv/config.yaml
      wrote    .agentv/targets.yaml
      wrote    evals/first.yaml

    Next: agentv eval evals/
    ");
    let run = project.run(&["eval", "evals/"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(rows(&project).len() >= 2);
    project.assert_nothing_is_left();
}

/// What is said of the files that people write.
fn without_schemas(said: &str) -> String {
    said.lines().filter(|line| !line.contains(".agentv/schemas/")).fold(
        String::new(),
        |mut kept, line| {
            kept.push_str(line);
            kept.push('\n');
            kept
        },
    )
}

#[test]
fn the_new_files_are_valid_without_a_warning() {
    let project = empty();
    init(&project, &[]);
    let paths = ["evals", ".agentv/targets.yaml", ".agentv/config.yaml"];
    let run = project.run(&[&["validate"], &paths[..]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.seen());
}

#[test]
fn the_first_suite_shows_the_common_graders_and_each_of_its_graders_can_fail() {
    let project = empty();
    init(&project, &[]);
    let targets = project.path(".agentv/targets.yaml");
    let answers = "targets:\n  - {name: default, provider: cli, command_template: echo sorry}\n";
    fs::write(targets, answers).unwrap();
    let run = project.run(&["eval", "evals"]);
    assert_eq!(run.code, Some(1), "{}", run.seen());
    let mut kinds: Vec<String> = Vec::new();
    for row in rows(&project) {
        assert_eq!(row["status"], "failed", "{row}");
        let results = row["evaluator_results"].as_array().unwrap();
        kinds.extend(results.iter().map(|result| result["type"].as_str().unwrap().to_owned()));
    }
    for kind in ["contains", "regex", "equals"] {
        assert!(kinds.iter().any(|known| known == kind), "{kind}: {kinds:?}");
    }
}

#[test]
fn the_examples_in_comments_are_valid_once_they_are_none() {
    let mut project = empty();
    for name in ["MY_SERVICE_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
        project = project.env(name, "k");
    }
    init(&project, &[]);
    // Under `targets`, examples begin with a dash or are indented below one; sentences do not.
    let targets = fs::read_to_string(project.path(".agentv/targets.yaml")).unwrap();
    let mut open = String::new();
    for line in targets.lines() {
        let example = line.starts_with("  # - ") || line.starts_with("  #   ");
        open.push_str(&if example { line.replacen("# ", "", 1) } else { line.to_owned() });
        open.push('\n');
    }
    project.write(".agentv/targets.yaml", &open);
    let config = fs::read_to_string(project.path(".agentv/config.yaml")).unwrap();
    let patterns = config.split_once("#\n# guideline_patterns").unwrap().1.replace("\n# ", "\n");
    project.write(".agentv/config.yaml", format!("guideline_patterns{patterns}"));
    let run = project.run(&["validate", "evals", ".agentv/targets.yaml", ".agentv/config.yaml"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{open}\n{}", run.seen());
    assert!(run.stdout.contains("6 target(s)"), "{}", run.seen());
}

#[test]
fn every_yaml_file_names_its_schema_by_a_path_that_fits() {
    let project = empty();
    init(&project, &[]);
    for (file, kind) in [
        ("evals/first.yaml", "suite"),
        (".agentv/targets.yaml", "targets"),
        (".agentv/config.yaml", "config"),
    ] {
        let text = fs::read_to_string(project.path(file)).unwrap();
        let first = text.lines().next().unwrap();
        let schema = first.strip_prefix("# yaml-language-server: $schema=").unwrap();
        let meant = project.path(file).parent().unwrap().join(schema);
        let tidy: PathBuf = meant.display().to_string().replace("evals/../", "").into();
        assert_eq!(tidy, project.path(&format!(".agentv/schemas/{kind}.json")));
    }
}

#[test]
fn no_yaml_is_written_outside_of_agentvs_folder_but_the_first_suite() {
    let project = empty();
    init(&project, &[]);
    let found = files(&project, "");
    let outside: Vec<&String> = found.keys().filter(|name| !name.starts_with(".agentv/")).collect();
    assert_eq!(outside, ["evals/first.yaml"]);
    let ignored = &found[".agentv/.gitignore"];
    for folder in ["results", "prompts", "traces"] {
        assert!(String::from_utf8_lossy(ignored).contains(&format!("\n/{folder}/\n")));
    }
}

#[test]
fn a_second_init_changes_nothing_and_names_what_it_kept() {
    let project = empty();
    init(&project, &[]);
    let before = files(&project, "");
    let said = init(&project, &[]);
    assert_eq!(files(&project, ""), before);
    for piece in PIECES {
        assert!(said.contains(&format!("  kept     {piece}\n")), "{said}");
    }
    assert!(!said.contains("wrote"), "{said}");
}

#[test]
fn each_piece_is_completed_by_itself() {
    for missing in PIECES {
        let project = empty();
        init(&project, &[]);
        let before = files(&project, "");
        fs::remove_file(project.path(missing)).unwrap();
        let said = init(&project, &[]);
        assert_eq!(said.matches("wrote").count(), 1, "{said}");
        assert!(said.contains(&format!("  wrote    {missing}\n")), "{said}");
        assert_eq!(files(&project, ""), before);
    }
}

#[test]
fn force_replaces_what_is_there_and_names_it() {
    let project = empty().file(".agentv/targets.yaml", "mine").file("evals/first.yaml", "mine");
    let said = init(&project, &["--force"]);
    for (word, piece) in ["wrote   ", "wrote   ", "replaced", "replaced"].iter().zip(PIECES) {
        assert!(said.contains(&format!("  {word} {piece}\n")), "{said}");
    }
    let run = project.run(&["eval", "evals"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

const MINE: &str = "targets:\n  - {name: mine, provider: cli, command_template: echo hello}\n";

#[test]
fn targets_under_any_name_they_are_found_by_are_kept_and_never_shadowed() {
    for name in [".agentv/targets.yaml", ".agentv/targets.yml", "targets.yaml", "targets.yml"] {
        for args in [&["init"][..], &["init", "--force"]] {
            if args.len() > 1 && name == ".agentv/targets.yaml" {
                continue;
            }
            let project = empty().file(name, MINE);
            let run = project.run(args);
            assert_eq!(run.code, Some(0), "{}", run.seen());
            assert!(run.stdout.contains(&format!("  kept     {name}\n")), "{}", run.seen());
            let warning = format!("asks the default target of your `{name}`");
            assert!(run.stderr.contains(&warning), "{}", run.seen());
            let found = files(&project, "");
            assert_eq!(found[name], MINE.as_bytes());
            assert_eq!(found.keys().filter(|file| file.contains("targets.y")).count(), 1);
            let asked = project.run(&["invoke", "evals", "--target", "mine"]);
            assert_eq!(asked.code, Some(0), "{}", asked.seen());
        }
    }
    let project = empty().file(".agentv/config.yml", "guideline_patterns: []\n");
    assert!(init(&project, &[]).contains("  kept     .agentv/config.yml\n"));
    assert!(!project.path(".agentv/config.yaml").exists());
}

#[test]
fn a_folder_of_a_repository_gets_its_own_and_is_told_what_that_hides() {
    let project = empty().file("services/support/readme.md", "");
    let run = project.run_in("services/support", &["init"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{}", run.seen());
    assert!(run.stdout.starts_with("In [PROJECT]/services/support:\n"), "{}", run.seen());
    let run = project.run_in("services/support", &["eval", "evals/"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    assert!(project.path("services/support/.agentv/results").is_dir());
    assert!(!project.path(".agentv").exists());

    let project = empty().file(".agentv/targets.yaml", MINE).file("sub/x", "");
    let run = project.run_in("sub", &["init"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
    let warning = "suites in `[PROJECT]/sub` now take targets and settings from here, \
                   no longer from `[PROJECT]`";
    assert!(run.stderr.contains(warning), "{}", run.seen());
    let run = project.run_in("sub", &["eval", "evals/"]);
    assert_eq!(run.code, Some(0), "{}", run.seen());
}

#[test]
fn another_folder_is_made_where_it_is_missing_and_the_next_command_leads_there() {
    for (typed, next) in [
        ("new/deep", "cd new/deep && agentv eval evals/"),
        ("it's new", r"cd -- 'it'\''s new' && agentv eval evals/"),
    ] {
        let project = empty();
        let said = init(&project, &["--path", typed]);
        assert!(said.starts_with(&format!("In [PROJECT]/{typed}:\n")), "{said}");
        assert_eq!(said.lines().last(), Some(&*format!("Next: {next}")));
        let place = next.split_once(" && ").unwrap().0;
        let binary = env!("CARGO_BIN_EXE_agentv");
        let line = format!("{place} && '{binary}' eval evals/");
        let shell = std::process::Command::new("sh")
            .args(["-c", &line])
            .current_dir(project.path(""))
            .output()
            .unwrap();
        assert!(shell.status.success(), "{}", String::from_utf8_lossy(&shell.stderr));
        let other = project.run(&["eval", &format!("{typed}/evals")]);
        assert_eq!(other.code, Some(0), "{}", other.seen());
    }
}

#[test]
fn whatever_is_in_the_way_is_told_at_once_and_nothing_is_written() {
    let project = empty().file(".agentv", "a file").file("evals/first.yaml/x", "");
    let run = project.run(&["init", "--force"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.seen());
    insta::assert_snapshot!(run.stderr, @r"
    error: `[PROJECT]/.agentv` is a file, and must be a folder

    error: `[PROJECT]/evals/first.yaml` is a folder, and must be a file

    2 errors
    ");
    assert_eq!(files(&project, "").len(), 2);

    let project = empty();
    fs::create_dir(project.path("evals")).unwrap();
    symlink("nowhere", project.path("evals/first.yaml")).unwrap();
    let run = project.run(&["init"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.seen());
    assert!(run.stderr.contains("first.yaml` is a link that leads nowhere"), "{}", run.seen());
    assert!(!project.path(".agentv").exists());
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error_with_path_and_cause() {
    let project = empty();
    let closed = project.path("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser is let in everywhere but where the kernel makes the files.
    let superuser = fs::write(closed.join("x"), "").is_ok();
    let folder = if superuser { "/proc/agentv" } else { "closed" };
    let run = project.run(&["init", "--path", folder]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{}", run.seen());
    let place = if superuser { folder } else { "[PROJECT]/closed" };
    let message = format!("error: cannot write `{place}/.agentv/.gitignore`: ");
    assert!(run.stderr.starts_with(&message), "{}", run.seen());
}

#[test]
fn what_was_written_before_a_fault_is_named() {
    let project = empty();
    let closed = project.path("evals");
    // A folder that takes no files, also not from the superuser.
    symlink("/proc", &closed).unwrap();
    if !closed.is_dir() {
        return;
    }
    let run = project.run(&["init"]);
    assert_eq!(run.code, Some(2), "{}", run.seen());
    assert!(run.stdout.contains("wrote    .agentv/targets.yaml"), "{}", run.seen());
    assert!(!run.stdout.contains("Next"), "{}", run.seen());
    assert!(run.stderr.contains("cannot write `[PROJECT]/evals/first.yaml`"), "{}", run.seen());
}
