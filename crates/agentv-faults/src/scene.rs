//! What is run: a suite whose cases pass, fail, err and are asked again, each always in the same
//! way, a second one with a judge and with cases that depend on each other, and a target that
//! writes down whom it was asked for.

use std::{fs, path::PathBuf};

use agentv_testkit::{Project, fake_agent};

/// The file with the cases.
pub(crate) const SUITE: &str = "suite.yaml";

/// The cases that wait for each other.
const TIED_SUITE: &str = "tied.yaml";

/// `tied-2` fails, so the two that wait for it are skipped.
const TIED: &str = "\
evaluators:
  - {type: contains, value: ok}
  - {type: llm_judge, prompt: 'Is {{ candidate_answer }} good?'}
evalcases:
  - {id: tied-0, input: zero}
  - {id: tied-2, input: two}
  - {id: tied-4, input: four, depends_on: [tied-0]}
  - {id: tied-5, input: five, depends_on: [tied-2]}
  - {id: tied-6, input: six, depends_on: [tied-5]}
";
const ASKED: usize = 3;
pub(crate) const SKIPPED: usize = 2;

/// How often each case is asked.
pub(crate) const REPEATS: usize = 2;

/// Where the rows are also written to.
const OUT: &str = "rows.jsonl";

/// Where the target writes down whom it was asked for.
const LOG_VARIABLE: &str = "FAULTS_LOG";

/// How the target is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// One process for each case.
    Single,
    /// Several batches.
    Batch,
}

pub(crate) struct Scene {
    pub(crate) project: Project,
    pub(crate) cases: usize,
}

impl Scene {
    pub(crate) fn new(binary: &str, mode: Mode, cases: usize) -> Self {
        let project = Project::new(binary)
            .file(".agentv/targets.yaml", targets(mode, cases))
            .file(SUITE, suite(cases))
            .file(TIED_SUITE, TIED);
        fs::create_dir(project.path("logs")).unwrap();
        Self { project, cases }
    }

    /// Rows that a finished run has.
    pub(crate) fn slots(&self) -> usize {
        (self.cases + ASKED) * REPEATS
    }

    /// The words that start a new run.
    pub(crate) fn fresh() -> Vec<String> {
        let repeats = REPEATS.to_string();
        let words = ["eval", SUITE, TIED_SUITE, "--repeat", &repeats, "--max-retries", "2"];
        let told = ["--target", "agent", "--progress", "none", "--out", OUT];
        [&words[..], &told].concat().into_iter().map(str::to_owned).collect()
    }

    /// The words that go on with one.
    pub(crate) fn resume(run_id: &str) -> Vec<String> {
        let resume = format!("--resume={run_id}");
        ["eval", &resume, "--progress", "none", "--out", OUT].map(str::to_owned).to_vec()
    }

    /// The file that the rows are also written to.
    pub(crate) fn out(&self) -> PathBuf {
        self.project.path(OUT)
    }

    /// The file for what the target is asked in one session.
    pub(crate) fn log(&self, session: usize) -> PathBuf {
        self.project.path(&format!("logs/{session}"))
    }

    pub(crate) fn log_variable(&self, session: usize) -> (&'static str, PathBuf) {
        (LOG_VARIABLE, self.log(session))
    }

    /// What a killed run left is removed by the next start that asks anybody, and a run that turned
    /// out to be complete asked nobody.
    pub(crate) fn clean_up(&self) {
        if !self.project.temporary_files().is_empty() {
            let words = ["invoke", SUITE, "--target", "agent", "--eval-id", "case-0"];
            let (name, log) = self.log_variable(usize::MAX);
            self.project.start_with(&words, |command| command.env(name, log)).finish();
        }
        // A folder without a lock is removed by a start that comes a minute later.
        for folder in self.project.temporary_files() {
            let _ = fs::remove_file(folder.join("lock.new"));
            let _ = fs::remove_dir(folder);
        }
    }

    /// Forgets all runs and logs.
    pub(crate) fn clear(&self) {
        let _ = fs::remove_dir_all(self.project.path(".agentv/results"));
        let _ = fs::remove_dir_all(self.project.path("logs"));
        let _ = fs::remove_file(self.out());
        fs::create_dir(self.project.path("logs")).unwrap();
    }
}

fn targets(mode: Mode, cases: usize) -> String {
    let agent = fake_agent();
    let batching = match mode {
        Mode::Single => String::new(),
        // Seven batches, of which some are under way and some wait.
        Mode::Batch => format!(
            "    provider_batching: true\n    batch_size: {}\n    on_batch_failure: retry_missing\n",
            cases.div_ceil(7)
        ),
    };
    format!(
        "targets:\n  - name: agent\n    provider: cli\n{batching}    retry_initial_delay_ms: 1\n    \
         judge_target: judge\n    command_template: exec '{}' candidate \"${LOG_VARIABLE}\"\n  \
         - name: judge\n    provider: mock\n    response: '{{\"score\": 0.9}}'\n",
        agent.display()
    )
}

/// Every case is looked at by a text grader, some by programs too, one of which fails.
fn suite(cases: usize) -> String {
    let agent = fake_agent();
    let judge = |words: &str| {
        format!(
            "    evaluators:\n      - {{type: contains, value: ok}}\n      \
             - {{type: code_judge, command: ['{}', {words}]}}\n",
            agent.display()
        )
    };
    let mut text = String::from("evaluators:\n  - {type: contains, value: ok}\nevalcases:\n");
    for number in 0..cases {
        text.push_str(&format!("  - id: case-{number}\n    input: question {number}\n"));
        match number % 60 {
            5 | 25 => text.push_str(&judge("print, '{\"score\": 0.9, \"hits\": [seen]}'")),
            45 => text.push_str(&judge("eprint, 'no verdict today', exit, '3'")),
            _ => {}
        }
    }
    text
}
