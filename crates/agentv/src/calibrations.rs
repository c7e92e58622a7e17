//! Whether a judge has been measured against people, and whether it still is the judge that was.

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
    path::{Path, PathBuf},
};

use agentv_base::{CalibrationNote, Diagnostic, Problems, Span, escape_controls};
use agentv_report::StoredCalibrations;

/// A judge of a run, as it is looked up.
pub struct Sought<'s> {
    pub fingerprint: &'s str,
    pub grader: &'s str,
    pub target: &'s str,
    /// The suite of the case that it judges, from the repository root.
    pub suite: &'s str,
    /// The score from which it passes answers, where that is known.
    pub cutoff: Option<f64>,
    /// Where the grader is written.
    pub span: Span,
}

/// Judges of one name, by their fingerprints: where each is written, and whether it is known.
type Alike = BTreeMap<String, (Span, bool)>;

/// The calibrations of a repository, read when the first judge is appointed.
pub struct Calibrations {
    root: PathBuf,
    stored: Option<StoredCalibrations>,
    /// All judges that were looked up, by suite, grader and target.
    judges: BTreeMap<(String, String, String), Alike>,
}

impl Calibrations {
    pub fn of(root: &Path) -> Self {
        Self { root: root.to_owned(), stored: None, judges: BTreeMap::new() }
    }

    /// What is known of a judge. A file that cannot be used is told once.
    pub fn note(
        &mut self,
        sought: &Sought<'_>,
        problems: &mut Problems,
    ) -> Option<CalibrationNote> {
        let stored = self.stored.get_or_insert_with(|| {
            let stored = StoredCalibrations::read(&self.root);
            for fault in &stored.faults {
                problems.push(
                    Diagnostic::warning(fault.to_string())
                        .code("broken-calibration")
                        .hint("run `agentv calibrate` again, or delete the file"),
                );
            }
            stored
        });
        let found = stored.of(sought.fingerprint, sought.grader);
        let named = [sought.suite, sought.grader, sought.target].map(str::to_owned);
        let judges = self.judges.entry(named.into()).or_default();
        judges.entry(sought.fingerprint.to_owned()).or_insert((sought.span, found.is_some()));
        let calibration = &found?.calibration;
        match sought.cutoff {
            Some(cutoff) => calibration.note_at(cutoff),
            None => calibration.note(),
        }
    }

    /// Judges that are not any more what was measured: of their suite a calibration is kept under
    /// the same names, and nobody of the run is the judge that it was made with. A judge that only
    /// shares its names with one that is known has not changed.
    pub fn tell_changed(&mut self, problems: &mut Problems) {
        let Some(stored) = &self.stored else { return };
        let judges = std::mem::take(&mut self.judges);
        let in_use: HashSet<&String> = judges.values().flat_map(BTreeMap::keys).collect();
        for ((suite, grader, target), alike) in &judges {
            if alike.values().any(|(_, known)| *known) {
                continue;
            }
            let measured = stored.measured_for(suite, grader, target);
            let before = measured.iter().find(|it| !in_use.contains(&it.calibration.fingerprint));
            let (Some(before), Some((span, _))) = (before, alike.values().next()) else { continue };
            let (when, labels) =
                (before.calibration.measured_at, &before.calibration.labels_file.path);
            let mut hint = format!(
                "its scores stand there as not calibrated; measure it again: agentv calibrate \
                 {} --labels {}",
                escape_controls(suite),
                escape_controls(labels)
            );
            if alike.len() > 1 {
                let _ = write!(
                    hint,
                    "\n{} judges of this suite are called `{grader}`: give each a `name` of its own",
                    alike.len()
                );
            }
            let message = format!(
                "judge `{grader}` of target `{target}` has changed since it was calibrated ({when})"
            );
            let problem = Diagnostic::warning(message).code("changed-judge").at(*span);
            problems.push(problem.hint(hint));
        }
    }
}
