//! The index against everything that can happen to it and to what it is an index of: whatever it is,
//! the answers are those of an index made anew.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::record::{RunFolder, Status, Wanted, find_run, sample};

const INDEX: &str = ".index.sqlite";
const LOCK: &str = ".index.lock";

struct Runs {
    folder: TempDir,
}

impl Runs {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn results(&self) -> PathBuf {
        self.folder.path().join(".agentv/results")
    }

    /// A run with these rows: id and score; no score for an error.
    fn add(&self, rows: &[(&str, Option<f64>)]) -> String {
        let mut manifest = sample::manifest();
        manifest.counts.passed = rows.len();
        let text: String = rows.iter().map(|(id, score)| row(id, *score)).collect();
        let run = RunFolder::create_carrying(self.folder.path(), &manifest, &mut |out| {
            out.write_all(text.as_bytes())
        });
        run.unwrap().run_id().to_owned()
    }

    fn rows_path(&self, run: &str) -> PathBuf {
        self.results().join(run).join("results.jsonl")
    }

    fn append(&self, run: &str, text: &str) {
        let mut file = fs::OpenOptions::new().append(true).open(self.rows_path(run)).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    fn place(&self, is_kept: bool) -> IndexPlace {
        IndexPlace { results: self.results(), is_kept }
    }

    /// All that can be asked, of the index that is kept or of one in memory.
    fn answers(&self, is_kept: bool) -> (Vec<String>, u64) {
        let mut lines = 0;
        let place = self.place(is_kept);
        let tags = ["smoke".to_owned()];
        let case = [("evals/demo.yaml".to_owned(), "a".to_owned(), "agent".to_owned())];
        let answer = ask_index(&place, &mut |_| {}, |index| {
            let mut runs = index.runs()?;
            index.count_unfinished(&mut runs)?;
            let names: Vec<&str> = runs.iter().map(|run| run.run_id.as_str()).collect();
            let mut told: Vec<String> = runs.iter().map(|run| format!("{run:?}")).collect();
            let mut tagged: Vec<String> = index.tagged(&names, &tags)?.into_iter().collect();
            tagged.sort_unstable();
            told.push(format!("{tagged:?}"));
            let mut costs: Vec<_> = index.costs(&names)?.into_iter().collect();
            costs.sort_by(|one, other| one.0.cmp(&other.0));
            told.push(format!("{costs:?}"));
            told.push(format!("{:?}", index.history(&case)?));
            for name in &names {
                told.push(format!("{:?}", index.ids_of(name)?));
            }
            Ok((told, index.lines))
        });
        let (mut told, read) = answer.unwrap();
        lines += read;
        for name in crate::record::run_folders(&self.results()) {
            for only_wrong in [false, true] {
                told.push(self.picked(&name, is_kept, None, only_wrong).unwrap_or_default());
            }
        }
        (told, lines)
    }

    fn picked(
        &self,
        run: &str,
        is_kept: bool,
        ids: Option<&[String]>,
        only_wrong: bool,
    ) -> Option<String> {
        let wanted = Wanted { name: run, current_dir: self.folder.path(), fits: &|_| true };
        let found = find_run(self.folder.path(), &wanted).ok()?;
        let selection = Selection { exact_ids: ids, only_wrong, fits: &|_| true, tags: &[] };
        let picked = Picked::of_run(found, &self.place(is_kept), &selection, &mut |_| {}).unwrap();
        let rows = picked.recorded.rows().unwrap().map(|row| {
            let row = row.unwrap();
            assert!(selection.takes(&row));
            format!("{} {:?} {:?}", row.eval_id, row.status, row.score)
        });
        let rows: Vec<String> = rows.collect();
        Some(format!("{rows:?} of {}, {:?}", picked.of, picked.recorded.notes))
    }

    /// The kept index answers as one that was never there; how many lines it had to read.
    fn check(&self) -> u64 {
        let (with, lines) = self.answers(true);
        let (without, _) = self.answers(false);
        assert_eq!(with, without);
        lines
    }
}

fn row(id: &str, score: Option<f64>) -> String {
    let (status, error) = match score {
        Some(score) if score >= 0.8 => (Status::Passed, ""),
        Some(_) => (Status::Failed, ""),
        None => (Status::Error, r#","error":"died","error_kind":"timeout""#),
    };
    let status = serde_json::to_value(status).unwrap();
    let score = score.map_or("null".to_owned(), |score| score.to_string());
    let tags = if id == "b" { r#","tags":["smoke"]"# } else { "" };
    format!(
        r#"{{"timestamp":"2026-01-01T00:00:00.000Z","eval_id":"{id}","dataset":"demo","suite":"evals/demo.yaml","target":"agent","repeat":1,"status":{status},"score":{score},"verdict":null,"threshold":0.8,"hits":[],"misses":[],"candidate_answer":"x"{tags},"attempts":1,"cost_usd":0.5{error}}}"#
    ) + "\n"
}

const ROWS: [(&str, Option<f64>); 3] = [("a", Some(1.0)), ("b", Some(0.5)), ("c", None)];

#[test]
fn an_index_is_read_once_and_then_believed() {
    let runs = Runs::new();
    runs.add(&ROWS);
    runs.add(&ROWS[..2]);
    assert_eq!(runs.check(), 5);
    assert_eq!(runs.check(), 0);
    assert!(runs.results().join(INDEX).is_file());
}

#[test]
fn of_a_file_that_has_grown_only_what_is_new_is_read() {
    let runs = Runs::new();
    let run = runs.add(&ROWS);
    runs.check();
    runs.append(&run, &row("d", Some(0.0)));
    assert_eq!(runs.check(), 1);
    runs.append(&run, "{\"eval_id\":\"e\",");
    assert_eq!(runs.check(), 0, "a row that is being written is none");
    runs.append(&run, "\"score\":1}\n");
    assert_eq!(runs.check(), 1);
    let all = runs.picked(&run, true, None, false).unwrap();
    assert!(all.contains("\"e Passed Some(1.0)\""), "{all}");
}

#[test]
fn a_file_that_was_rewritten_is_read_anew_also_where_it_is_longer() {
    let runs = Runs::new();
    let run = runs.add(&ROWS);
    runs.check();
    let path = runs.rows_path(&run);
    let mut file = fs::OpenOptions::new().write(true).truncate(true).open(&path).unwrap();
    file.write_all(
        [row("x", Some(1.0)), row("y", None), row("z", None), row("a", None)].concat().as_bytes(),
    )
    .unwrap();
    assert_eq!(runs.check(), 4);
    fs::write(&path, row("a", Some(0.1))).unwrap();
    assert_eq!(runs.check(), 1);
}

#[test]
fn the_last_of_doubled_rows_counts_and_bad_and_torn_lines_are_told() {
    let runs = Runs::new();
    let run = runs.add(&ROWS);
    runs.append(&run, &row("a", Some(0.2)));
    runs.append(&run, "hello\n\n{\"eval_id\":\"z\",\"sc");
    runs.check();
    let told = runs.picked(&run, true, None, true).unwrap();
    assert!(told.contains("a Failed Some(0.2)") && told.contains("of 3"), "{told}");
    for words in ["1 line is no row", "line 5", "torn", "1 row is of a case that has one already"] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn a_row_that_lacks_only_its_end_is_one_and_may_still_change() {
    let runs = Runs::new();
    let run = runs.add(&ROWS[..1]);
    runs.append(&run, row("b", Some(0.0)).trim_end());
    runs.check();
    assert!(runs.picked(&run, true, None, false).unwrap().contains("b Failed"));
    runs.append(&run, "\n");
    runs.append(&run, &row("b", Some(1.0)));
    runs.check();
    assert!(runs.picked(&run, true, None, false).unwrap().contains("b Passed"));
}

#[test]
fn ids_are_looked_up_and_what_is_not_there_is_not_found() {
    let runs = Runs::new();
    let run = runs.add(&ROWS);
    let ids = ["b".to_owned(), "nobody".to_owned()];
    let told = runs.picked(&run, true, Some(&ids), false).unwrap();
    assert!(told.starts_with("[\"b Failed Some(0.5)\"] of 3"), "{told}");
}

#[test]
fn runs_that_are_gone_are_forgotten_and_new_ones_are_found() {
    let runs = Runs::new();
    let run = runs.add(&ROWS);
    runs.add(&ROWS[..1]);
    runs.check();
    fs::remove_dir_all(runs.results().join(&run)).unwrap();
    runs.check();
    let connection = rusqlite::Connection::open(runs.results().join(INDEX)).unwrap();
    let count = |table: &str| -> i64 {
        connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |it| it.get(0)).unwrap()
    };
    assert_eq!((count("runs"), count("rows")), (1, 1));
}

#[test]
fn a_manifest_that_cannot_be_understood_is_listed_and_says_why() {
    let runs = Runs::new();
    for text in ["", "[]", "{}", r#"{"format": 99, "status": "finished"}"#, r#"{"status": 5}"#] {
        let run = runs.add(&[]);
        fs::write(runs.results().join(&run).join("run.json"), text).unwrap();
    }
    fs::create_dir(runs.results().join("no-run")).unwrap();
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method alone is not one for every lifetime of an index"
    )]
    let listed = ask_index(&runs.place(true), &mut |_| {}, |index| index.runs()).unwrap();
    assert_eq!(listed.len(), 5);
    assert!(listed.iter().all(|run| run.fault.is_some()), "{listed:?}");
    assert!(listed.iter().any(|it| it.fault.as_deref().unwrap().contains("newer version")));
}

#[test]
fn a_run_that_is_at_work_has_the_numbers_of_its_rows() {
    let runs = Runs::new();
    let run = runs.add(&[]);
    runs.append(&run, &ROWS.map(|(id, score)| row(id, score)).concat());
    let listed = ask_index(&runs.place(true), &mut |_| {}, |index| {
        let mut runs = index.runs()?;
        index.count_unfinished(&mut runs)?;
        Ok(runs)
    });
    let entry = listed.unwrap().remove(0);
    let counts = entry.counts.unwrap();
    assert_eq!((counts.passed, counts.failed, counts.errors, counts.not_run), (1, 1, 1, 0));
    assert_eq!(entry.pass_rate.map(|rate| (rate.value, rate.cases)), Some((0.5, 2)));
}

#[test]
fn no_folder_is_no_run_and_nothing_is_made() {
    let runs = Runs::new();
    assert_eq!(runs.answers(true).0.len(), 3);
    assert!(!runs.results().exists());
}

#[test]
fn an_index_of_another_version_is_thrown_away() {
    let runs = Runs::new();
    runs.add(&ROWS);
    runs.check();
    let path = runs.results().join(INDEX);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("PRAGMA user_version = 77; DELETE FROM rows").unwrap();
    drop(connection);
    let stamp = stamp::FileStamp::of(&fs::metadata(&path).unwrap());
    fs::write(runs.results().join(LOCK), stamp.as_str()).unwrap();
    assert_eq!(runs.check(), 3);
}

#[test]
fn a_broken_index_that_is_believed_to_be_whole_is_made_again() {
    let runs = Runs::new();
    runs.add(&ROWS);
    runs.check();
    let path = runs.results().join(INDEX);
    let length = fs::metadata(&path).unwrap().len();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length / 2).unwrap();
    let stamp = stamp::FileStamp::of(&fs::metadata(&path).unwrap());
    fs::write(runs.results().join(LOCK), stamp.as_str()).unwrap();
    runs.check();
    assert_eq!(runs.check(), 0, "and kept");
}

#[test]
fn a_folder_that_cannot_be_written_to_has_its_index_in_memory() {
    let runs = Runs::new();
    runs.add(&ROWS);
    // Root may write everywhere; a folder in the place of the file stops it too.
    fs::create_dir(runs.results().join(LOCK)).unwrap();
    let rights = |mode| fs::Permissions::from_mode(mode);
    fs::set_permissions(runs.results(), rights(0o555)).unwrap();
    assert_eq!(runs.check(), 3);
    assert_eq!(runs.check(), 3, "each time anew");
    fs::set_permissions(runs.results(), rights(0o755)).unwrap();
    assert!(!runs.results().join(INDEX).exists());
}

#[test]
fn who_finds_the_index_in_use_answers_from_memory() {
    let runs = Runs::new();
    runs.add(&ROWS);
    let held = ask_index(&runs.place(true), &mut |_| {}, |index| {
        index.runs()?;
        // Somebody else asks while this index is open.
        Ok(runs.answers(true))
    });
    assert_eq!(held.unwrap(), runs.answers(false));
    runs.check();
}

#[test]
fn many_at_once_get_the_same_answers() {
    let runs = Runs::new();
    for _ in 0..20 {
        runs.add(&ROWS);
    }
    let (expected, _) = runs.answers(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(runs.answers(true).0, expected));
        }
    });
    runs.check();
}

/// Something that befalls the index or the runs.
#[derive(Clone, Debug)]
enum Mishap {
    Cut(u16),
    Garbage(u16, Vec<u8>),
    Replaced(Vec<u8>),
    LockGone,
    IndexGone,
    LinkedElsewhere,
    Grown,
    Rewritten,
    RunGone,
    NewRun,
}

fn mishap() -> impl Strategy<Value = Mishap> {
    let bytes = || prop::collection::vec(any::<u8>(), 1..64);
    prop_oneof![
        any::<u16>().prop_map(Mishap::Cut),
        (any::<u16>(), bytes()).prop_map(|(at, bytes)| Mishap::Garbage(at, bytes)),
        bytes().prop_map(Mishap::Replaced),
        Just(Mishap::LockGone),
        Just(Mishap::IndexGone),
        Just(Mishap::LinkedElsewhere),
        Just(Mishap::Grown),
        Just(Mishap::Rewritten),
        Just(Mishap::RunGone),
        Just(Mishap::NewRun),
    ]
}

fn befall(runs: &Runs, mishap: &Mishap) {
    let index = runs.results().join(INDEX);
    let newest = || crate::record::run_folders(&runs.results()).pop();
    let write = |path: &Path, at: u64, bytes: &[u8]| {
        let Ok(mut file) = fs::OpenOptions::new().write(true).open(path) else { return };
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(at)).unwrap();
        file.write_all(bytes).unwrap();
    };
    match mishap {
        Mishap::Cut(to) => {
            if let Ok(file) = fs::OpenOptions::new().write(true).open(&index) {
                file.set_len(u64::from(*to)).unwrap();
            }
        }
        Mishap::Garbage(at, bytes) => write(&index, u64::from(*at), bytes),
        Mishap::Replaced(bytes) => fs::write(&index, bytes).unwrap(),
        Mishap::LockGone => drop(fs::remove_file(runs.results().join(LOCK))),
        Mishap::IndexGone => drop(fs::remove_file(&index)),
        Mishap::LinkedElsewhere => {
            let _ = fs::remove_file(&index);
            let elsewhere = runs.folder.path().join("elsewhere");
            fs::write(&elsewhere, "mine").unwrap();
            std::os::unix::fs::symlink(&elsewhere, &index).unwrap();
        }
        Mishap::Grown => {
            if let Some(run) = newest() {
                runs.append(&run, &row("b", Some(0.9)));
            }
        }
        Mishap::Rewritten => {
            if let Some(run) = newest() {
                fs::write(runs.rows_path(&run), row("q", None)).unwrap();
            }
        }
        Mishap::RunGone => {
            if let Some(run) = newest() {
                fs::remove_dir_all(runs.results().join(run)).unwrap();
            }
        }
        Mishap::NewRun => drop(runs.add(&ROWS[1..])),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_befalls_the_index_its_answers_are_those_of_the_rows(
        mishaps in prop::collection::vec(mishap(), 1..6)
    ) {
        let runs = Runs::new();
        runs.add(&ROWS);
        runs.add(&ROWS[..2]);
        runs.check();
        for mishap in &mishaps {
            befall(&runs, mishap);
            runs.check();
        }
        if let Ok(elsewhere) = fs::read_to_string(runs.folder.path().join("elsewhere")) {
            prop_assert_eq!(elsewhere, "mine");
        }
    }
}
