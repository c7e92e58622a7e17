//! `.agentv/calibrations/`: one file a judge, replaced when it is measured again.

use std::{
    fmt, fs,
    io::{self, ErrorKind, Read as _},
    path::{Path, PathBuf},
};

use agentv_base::escape_controls;

use super::record::{Calibration, VERSION};
use crate::{record::Timestamp, render::write_whole};

/// Far above what thousands of disagreements need.
const LARGEST: u64 = 64 * 1024 * 1024;

/// So much of a grader's name is a part of a file's name.
const LONGEST_NAME: usize = 60;

/// So much of the fingerprint is a part of a file's name.
const SHOWN_FINGERPRINT: usize = 12;

/// Where the calibrations of a repository are.
pub fn calibrations_folder(root: &Path) -> PathBuf {
    root.join(".agentv").join("calibrations")
}

/// Why a calibration could not be read or written.
#[derive(Debug)]
pub struct CalibrationFault {
    pub path: PathBuf,
    what: &'static str,
    cause: String,
}

impl fmt::Display for CalibrationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.to_string_lossy();
        write!(f, "cannot {} `{}`: {}", self.what, escape_controls(&path), self.cause)
    }
}

// The cause is part of the message already.
impl std::error::Error for CalibrationFault {}

/// A calibration and its file.
#[derive(Clone, Debug)]
pub struct Stored {
    pub path: PathBuf,
    pub calibration: Calibration,
}

impl Stored {
    /// The newer comes first; of two of one time, the one whose name is what we would call it.
    fn precedence(&self) -> (Timestamp, bool) {
        let named =
            self.path.file_name().is_some_and(|name| *name == *self.calibration.file_name());
        (self.calibration.measured_at, named)
    }
}

/// All that a repository has.
#[derive(Debug, Default)]
pub struct StoredCalibrations {
    /// In the order of their files' names.
    pub all: Vec<Stored>,
    pub faults: Vec<CalibrationFault>,
}

impl StoredCalibrations {
    /// Reads all files of the folder; one that is broken keeps nobody from the others. A folder
    /// that does not exist has none.
    pub fn read(root: &Path) -> Self {
        let folder = calibrations_folder(root);
        let mut found = Self::default();
        let mut paths = match json_files(&folder) {
            Ok(paths) => paths,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) => {
                let cause = error.to_string();
                found.faults.push(CalibrationFault { path: folder, what: "read", cause });
                Vec::new()
            }
        };
        paths.sort();
        for path in paths {
            match read_one(&path) {
                Ok(calibration) => found.all.push(Stored { path, calibration }),
                Err(cause) => found.faults.push(CalibrationFault { path, what: "use", cause }),
            }
        }
        found.drop_older();
        found
    }

    /// Of two files of one judge, as after a merge or a change of name, the newer counts.
    fn drop_older(&mut self) {
        let mut kept: Vec<Stored> = Vec::with_capacity(self.all.len());
        for mut next in std::mem::take(&mut self.all) {
            let same = kept.iter_mut().find(|known| {
                let (known, next) = (&known.calibration, &next.calibration);
                (&known.fingerprint, &known.grader) == (&next.fingerprint, &next.grader)
            });
            let Some(known) = same else {
                kept.push(next);
                continue;
            };
            if known.precedence() < next.precedence() {
                std::mem::swap(known, &mut next);
            }
            let newer = known.path.file_name().unwrap_or_default().to_string_lossy();
            let cause = format!("`{}` is of the same judge and counts", escape_controls(&newer));
            self.faults.push(CalibrationFault { path: next.path, what: "use", cause });
        }
        self.all = kept;
    }

    /// That of the judge with this fingerprint: of this grader, else the newest of any.
    pub fn of(&self, fingerprint: &str, grader: &str) -> Option<&Stored> {
        let same = self.all.iter().filter(|it| it.calibration.fingerprint == fingerprint);
        same.max_by_key(|it| (it.calibration.grader == grader, it.calibration.measured_at))
    }

    /// All that were measured for a grader of this suite with this target, the newest first.
    pub fn measured_for(&self, suite: &str, grader: &str, target: &str) -> Vec<&Stored> {
        let measured = self.all.iter().filter(|Stored { calibration: it, .. }| {
            it.suite.path == suite && it.grader == grader && it.judge.target == target
        });
        let mut measured: Vec<&Stored> = measured.collect();
        measured.sort_by_key(|it| std::cmp::Reverse(it.calibration.measured_at));
        measured
    }
}

fn json_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
        if !hidden && path.extension().is_some_and(|ending| ending == "json") {
            paths.push(path);
        }
    }
    Ok(paths)
}

fn read_one(path: &Path) -> Result<Calibration, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is no file".to_owned());
    }
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text))
        .map_err(|error| error.to_string())?;
    if text.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST / 1024 / 1024));
    }
    // First the version: of a newer one nothing else can be expected to be known.
    let version: Version = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    if version.version != VERSION {
        let found = version.version;
        return Err(format!("it has version {found}, and version {VERSION} is known"));
    }
    let calibration: Calibration =
        serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match calibration.impossible() {
        Some(cause) => Err(cause),
        None => Ok(calibration),
    }
}

#[derive(serde::Deserialize)]
struct Version {
    version: u32,
}

impl Calibration {
    /// `<grader>-<fingerprint>.json`, where the grader's name is one that any system takes.
    pub fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let name: String = self.grader.chars().map(plain).take(LONGEST_NAME).collect();
        let name = if name.trim_matches('-').is_empty() { "judge" } else { name.trim_matches('-') };
        let shown: String = self.fingerprint.chars().take(SHOWN_FINGERPRINT).collect();
        format!("{name}-{shown}.json")
    }

    /// Writes it under the repository's root, in one step, in the place of an older one of the
    /// same judge.
    pub fn store(&self, root: &Path) -> Result<PathBuf, CalibrationFault> {
        let folder = calibrations_folder(root);
        let path = folder.join(self.file_name());
        let fault = |cause: String| CalibrationFault { path: path.clone(), what: "write", cause };
        fs::create_dir_all(&folder).map_err(|error| fault(error.to_string()))?;
        write_whole(&path, |out| {
            serde_json::to_writer_pretty(&mut *out, self).map_err(io::Error::from)?;
            Ok(out.write_all(b"\n")?)
        })
        .map_err(|out| fault(out.cause.to_string()))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use serde_json::json;

    use super::*;
    use crate::calibration::sample;

    fn calibration() -> Calibration {
        sample::measured(2)
            .of(&[sample::judged("a", true, &[1.0, 0.1]), sample::judged("b", false, &[0.9, 0.9])])
    }

    fn names(root: &Path) -> Vec<String> {
        let entries = fs::read_dir(calibrations_folder(root)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn what_is_stored_is_read_back_to_the_last_bit() {
        let root = tempfile::tempdir().unwrap();
        let path = calibration().store(root.path()).unwrap();
        let found = StoredCalibrations::read(root.path());
        assert_eq!(found.all[0].calibration, calibration());
        assert_eq!((found.all[0].path.as_path(), found.faults.len()), (path.as_path(), 0));
        assert_eq!(names(root.path()), ["helpful-0123456789ab.json"]);
    }

    #[test]
    fn a_judge_that_is_measured_again_has_one_file_and_another_its_own() {
        let root = tempfile::tempdir().unwrap();
        calibration().store(root.path()).unwrap();
        let again = Calibration { repeats: 7, ..calibration() };
        again.store(root.path()).unwrap();
        let found = StoredCalibrations::read(root.path());
        assert_eq!((found.all.len(), found.all[0].calibration.repeats), (1, 7));
        let other = Calibration { fingerprint: "f".repeat(64), ..calibration() };
        other.store(root.path()).unwrap();
        assert_eq!(StoredCalibrations::read(root.path()).all.len(), 2);
    }

    #[test]
    fn a_folder_that_does_not_exist_has_none() {
        let root = tempfile::tempdir().unwrap();
        let found = StoredCalibrations::read(root.path());
        assert_eq!((found.all.len(), found.faults.len()), (0, 0));
    }

    #[test]
    fn a_broken_file_is_named_and_the_others_are_read() {
        let root = tempfile::tempdir().unwrap();
        calibration().store(root.path()).unwrap();
        let folder = calibrations_folder(root.path());
        fs::write(folder.join("half.json"), "{\"version\": 1, \"grader\"").unwrap();
        fs::write(folder.join("newer.json"), "{\"version\": 2, \"all\": \"new\"}").unwrap();
        fs::write(folder.join("README.md"), "not read").unwrap();
        fs::write(folder.join(".agentv-out-x.json"), "not read").unwrap();
        let found = StoredCalibrations::read(root.path());
        assert_eq!(found.all.len(), 1);
        let said: Vec<String> = found.faults.iter().map(ToString::to_string).collect();
        assert!(said[0].contains("half.json`: EOF while parsing"), "{said:?}");
        assert!(said[1].contains("newer.json`: it has version 2, and version 1"), "{said:?}");
        assert_eq!(said.len(), 2);
    }

    #[test]
    fn a_file_with_impossible_numbers_is_not_used() {
        let whole = serde_json::to_value(calibration()).unwrap();
        for (place, number, told) in [
            ("/agreement/accuracy/share", json!(5), "`accuracy` does not follow"),
            ("/agreement/accuracy/of", json!(5000), "`accuracy` does not follow"),
            ("/agreement/kappa/value", json!(7), "`kappa` does not follow"),
            ("/agreement/true_negative_rate/share", json!(null), "`true_negative_rate` does"),
            ("/agreement/table/true_pass", json!(-1), "invalid value: integer `-1`"),
            ("/agreement/table/true_pass", json!(u64::MAX), "more answers than can be"),
            ("/pass_from/0", json!(80), "`pass_from` has a score"),
            ("/self_consistency/pairwise_agreement", json!(2), "`self_consistency` has numbers"),
            ("/self_consistency/unanimous/count", json!(9), "`self_consistency` has numbers"),
        ] {
            let root = tempfile::tempdir().unwrap();
            let path = calibration().store(root.path()).unwrap();
            let mut broken = whole.clone();
            *broken.pointer_mut(place).unwrap_or_else(|| panic!("{place}")) = number;
            fs::write(path, broken.to_string()).unwrap();
            let found = StoredCalibrations::read(root.path());
            assert_eq!((found.all.len(), found.faults.len()), (0, 1), "{place}");
            assert!(found.faults[0].to_string().contains(told), "{}", found.faults[0]);
        }
    }

    #[test]
    fn of_two_files_of_one_judge_the_newer_counts_and_the_other_is_told() {
        let root = tempfile::tempdir().unwrap();
        let path = calibration().store(root.path()).unwrap();
        let copy = calibrations_folder(root.path()).join("a-copy.json");
        fs::copy(&path, &copy).unwrap();
        let found = StoredCalibrations::read(root.path());
        assert_eq!((found.all.len(), &found.all[0].path), (1, &path));
        let told = found.faults[0].to_string();
        assert!(
            told.contains("a-copy.json`: `helpful-0123456789ab.json` is of the same"),
            "{told}"
        );
        let later = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        let newer = Calibration { measured_at: Timestamp::of(later), ..calibration() };
        fs::write(&copy, serde_json::to_string(&newer).unwrap()).unwrap();
        let found = StoredCalibrations::read(root.path());
        assert_eq!((found.all.len(), &found.all[0].path), (1, &copy));
        assert_eq!(found.faults[0].path, path);
    }

    #[test]
    fn a_name_of_a_grader_cannot_lead_out_of_the_folder() {
        for (grader, name) in [
            ("../../etc/passwd", "etc-passwd-0123456789ab.json"),
            ("is it kind?", "is-it-kind-0123456789ab.json"),
            ("…", "judge-0123456789ab.json"),
        ] {
            let named = Calibration { grader: grader.to_owned(), ..calibration() };
            assert_eq!(named.file_name(), name);
        }
    }

    #[test]
    fn a_calibration_is_found_by_its_fingerprint_and_missed_where_the_judge_changed() {
        let root = tempfile::tempdir().unwrap();
        calibration().store(root.path()).unwrap();
        let found = StoredCalibrations::read(root.path());
        let fingerprint = calibration().fingerprint;
        assert!(found.of(&fingerprint, "another").is_some());
        assert!(found.of("0", "helpful").is_none());
        let suite = "evals/support.yaml";
        assert_eq!(found.measured_for(suite, "helpful", "judge").len(), 1);
        assert_eq!(found.measured_for(suite, "helpful", "another").len(), 0);
        assert_eq!(found.measured_for("evals/other.yaml", "helpful", "judge").len(), 0);
    }
}
