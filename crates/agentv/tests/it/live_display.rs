//! What a real terminal is sent while a run goes on, and what becomes of a run whose terminal goes.

use agentv_testkit::{Project, Running, Terminal, wait_until};

use crate::project::{manifest, project, rows, rows_so_far, suite};

/// Characters that would move the cursor, change the title, or turn the text around.
const EVIL: &str = "e\u{1b}[2J\u{1b}]0;x\u{7}\r\u{9b}31m\u{202e}vil";

/// Three cases, of which one is named to deceive and one dies with such words; all of them wait until
/// there is a file `go`.
fn waiting() -> Project {
    let agent = "until [ -e go ]; do sleep 0.01; done\n\
                 case $1 in dies) printf 'gone \\033[2J\\r' >&2; exit 7;; esac\necho ok\n";
    // These two cannot stand in YAML as they are.
    let cases = suite(&["fine", EVIL, "dies"]).replace('\u{9b}', "\\u009b");
    let cases = cases.replace('\u{202e}', "\\u202e");
    project("sh agent.sh {EVAL_ID}", &["workers: 3"], &[])
        .file("suite.yaml", cases)
        .file("agent.sh", agent)
}

/// Starts a run with standard error at a terminal of this size.
fn start(project: &Project, flags: &[&str], rows: u16, columns: u16) -> (Terminal, Running) {
    let (terminal, other) = Terminal::open(rows, columns);
    let args = [&["eval", "suite.yaml"], flags].concat();
    (terminal, project.start_with(&args, |command| command.stderr(other)))
}

/// Lets the cases end, and gives what stood on the terminal and what the run printed.
fn end(project: &Project, mut terminal: Terminal, run: Running) -> (String, String) {
    project.write("go", "");
    // Somebody reads all along, as a terminal does.
    let run = std::thread::scope(|scope| {
        let finished = scope.spawn(|| run.finish());
        while !finished.is_finished() {
            terminal.read();
            std::thread::yield_now();
        }
        finished.join().unwrap()
    });
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(run.stderr, "");
    (terminal.read(), run.stdout)
}

#[test]
fn a_terminal_shows_the_run_and_standard_output_has_only_the_results() {
    let project = waiting().env("TERM", "xterm-256color");
    let (mut terminal, run) = start(&project, &[], 24, 100);
    wait_until("all three are shown", || {
        let seen = terminal.read();
        ["0/3", "fine (agent)", "vil (agent)", "dies (agent)"].iter().all(|it| seen.contains(it))
    });
    let (seen, stdout) = end(&project, terminal, run);
    assert!(seen.contains("e\\u{1b}[2J\\u{1b}]0;x\\u{7}\\r\\u{9b}31m\\u{202e}vil"), "{seen:?}");
    assert!(seen.contains("gone \\u{1b}[2J"), "{seen:?}");
    for raw in ["\u{1b}[2J", "\u{1b}]0;", "\u{7}", "\u{9b}", "\u{202e}"] {
        assert!(!seen.contains(raw), "{raw:?} reached the terminal: {seen:?}");
    }
    assert!(seen.contains("\u{1b}[2m"), "a terminal has colour: {seen:?}");
    assert!(seen.contains("\u{1b}[J"), "the picture is taken away: {seen:?}");
    assert!(stdout.starts_with("3 cases: ✓ 2 passed, ✗ 0 failed, ! 1 error\n"), "{stdout}");
    assert!(!stdout.contains('\u{1b}'), "{stdout:?}");
}

#[test]
fn a_run_whose_terminal_goes_is_finished_and_recorded() {
    let project = waiting();
    let (mut terminal, run) = start(&project, &["--budget-usd", "2"], 24, 100);
    wait_until("the run is shown", || terminal.read().contains("$0 of $2.00"));
    terminal.hang_up();
    project.write("go", "");
    let run = run.finish();
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert!(run.stdout.starts_with("3 cases: ✓ 2 passed, ✗ 0 failed, ! 1 error\n"));
    assert_eq!(rows(&project).len(), 3);
    assert_eq!(manifest(&project)["status"], "finished");
}

#[test]
fn a_terminal_that_nobody_reads_holds_up_no_case() {
    let project = waiting();
    let (mut terminal, run) = start(&project, &[], 24, 100);
    wait_until("the run is shown", || terminal.read().contains("0/3"));
    project.write("go", "");
    wait_until("all rows are there", || rows_so_far(&project) == 3);
    end(&project, terminal, run);
}

#[test]
fn whoever_wants_no_colour_or_no_picture_gets_none() {
    let shown = |flags: &[&str], name: &str, value: &str| {
        let project = waiting().env(name, value);
        let (terminal, run) = start(&project, flags, 24, 100);
        end(&project, terminal, run).0
    };
    let plain = |seen: &str| seen.lines().any(|line| line.contains("PASS 1.00 fine (agent)"));
    let dumb = shown(&[], "TERM", "dumb");
    assert!(plain(&dumb) && !dumb.contains("\u{1b}[J"), "{dumb:?}");
    let lines = shown(&["--progress", "plain"], "NO_COLOR", "1");
    assert!(plain(&lines) && !lines.contains('\u{1b}'), "{lines:?}");
    for flags in [&["--progress", "none"][..], &["-q"]] {
        assert_eq!(shown(flags, "TERM", "xterm"), "");
    }
    let bare = shown(&[], "NO_COLOR", "1");
    assert!(!bare.contains("\u{1b}[2m") && !bare.contains("\u{1b}[3"), "{bare:?}");
}

#[test]
fn a_window_without_a_size_or_with_hardly_any_is_no_fault() {
    for (rows, columns) in [(0, 0), (1, 1), (2, 5)] {
        let project = waiting();
        let (mut terminal, run) = start(&project, &[], rows, columns);
        wait_until("something is drawn", || terminal.read().contains("\u{1b}[J"));
        end(&project, terminal, run);
    }
}

#[test]
fn a_quiet_run_that_is_not_complete_says_so_in_its_outcome_alone() {
    let project = project("echo ok", &["workers: 1"], &["a", "b"]);
    let run = project.run(&["eval", "suite.yaml", "-q", "--budget-tokens", "0"]);
    assert_eq!(run.code, Some(3), "{}", run.seen());
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("- 2 not run"), "{}", run.seen());
}
