//! Everything after a case is finished: its row on disk, what people see of it, and the files that
//! are made of it.
//!
//! Nothing here decides whether a case passed (the graders did), and nothing here prints by
//! itself: text goes to a writer that is handed in. Every report is a function of recorded rows.

mod browse;
mod calibration;
mod compare;
mod convert;
mod csv_cells;
mod digest;
mod index;
mod likeness;
mod live;
mod names;
mod page;
mod record;
mod recorded;
mod render;
mod statistics;
mod style;
mod summary;
mod trend;

pub use browse::{
    ListedRun, Wrong, age_text, bytes_text, case_text, history_text, run_text, runs_csv, runs_json,
    runs_text, write_rows_csv, write_rows_json,
};
pub use calibration::{
    CalibratedJudge, Calibration, CalibrationFault, Disagreement, FileHash, JudgeError, Judged,
    Judgement, Measured, Spent, Stored, StoredCalibrations, calibrations_folder,
};
pub use compare::{
    CaseCounts, ClusterBy, CompareFormat, CompareOptions, Comparison, Corrected, Finding, Gate,
    LEVEL, PairedStatistics, Ruled, correct, has_regressed, write_comparison,
};
pub use convert::{ConvertFault, ReadDocument, RowsFormat, convert_rows, rows_format};
pub use digest::{Digest, Digester, Durations, Estimate, Figures, Group, Method};
pub use index::{
    Fared, Index, IndexFault, IndexPlace, Picked, Progress, Rate, RowFacts, RunEntry, Selection,
    ask_index,
};
pub use live::{Budget, Display, Plain};
pub use record::{
    Between, FailedAttemptRow, FindFault, FingerprintOf, FoundRun, Keeping, KeptRow, Ledger,
    LedgerFault, Merged, Part, PlannedRepeats, Purpose, ROW, RUN_FORMAT, RecordFault, Recorder,
    RecorderOptions, Row, RowFault, RowProblem, RowReader, RowsAt, RunCounts, RunFile, RunFolder,
    RunKind, RunManifest, RunPlan, RunRepeats, RunSession, RunShard, RunSkipped, RunStatus,
    RunSuite, RunTarget, SlotName, Status, Timestamp, Torn, Wanted, differences, differing_options,
    find_run, merge, read_rows, read_rows_at, run_folders,
};
pub use recorded::{Recorded, RecordedFault, rows_at};
pub use render::{
    FORMATS, Format, OutFault, RenderFault, Report, RowSource, annotation_data,
    annotation_property, check_out, format_for_path, format_named, write_out, write_whole,
};
pub use statistics::{
    Agreement, Bias, CaseRepeats, ClusterDelta, Confidence, Confusion, DecidedStats, Decision,
    ERROR_LEVEL, How, Interval, Kappa, MeanScore, PairedSample, PassRates, Proportion,
    RepeatEstimates, RepeatStats, Resampled, SelfConsistency, Slope, Tested, UntilDecided,
    clopper_pearson, cohen_kappa, flake_rate, fleiss_kappa, holm, mcnemar_exact, pass_at_k,
    pass_hat_k, slope, wilson,
};
pub use style::Style;
pub use summary::{Again, AgainHow, Summary};
pub use trend::{Change, PlotSigns, Trend, TrendBuilder, TrendPoint, TrendScreen};
