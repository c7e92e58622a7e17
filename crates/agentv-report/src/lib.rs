//! Everything after a case is finished: its row on disk, what people see of it, and the files that
//! are made of it.
//!
//! Nothing here decides whether a case passed (the graders did), and nothing here prints by
//! itself: text goes to a writer that is handed in. Every report is a function of recorded rows.

mod calibration;
mod convert;
mod likeness;
mod live;
mod page;
mod record;
mod render;
mod statistics;
mod style;
mod summary;

pub use calibration::{
    CalibratedJudge, Calibration, CalibrationFault, Disagreement, FileHash, JudgeError, Judged,
    Judgement, Measured, Spent, Stored, StoredCalibrations, calibrations_folder,
};
pub use convert::{ConvertFault, ReadDocument, RowsFormat, convert_rows, rows_format};
pub use live::{Bar, Plain};
pub use record::{
    Between, FailedAttemptRow, FindFault, FingerprintOf, FoundRun, KeptRow, Ledger, LedgerFault,
    Merged, Part, PlannedRepeats, Purpose, ROW, RUN_FORMAT, RecordFault, Recorder, RecorderOptions,
    Row, RowFault, RowProblem, RowReader, RowsAt, RunCounts, RunFile, RunFolder, RunKind,
    RunManifest, RunPlan, RunRepeats, RunSession, RunShard, RunSkipped, RunStatus, RunSuite,
    RunTarget, SlotName, Status, Timestamp, Torn, Wanted, differences, differing_options, find_run,
    merge, read_rows, read_rows_at, run_folders,
};
pub use render::{
    FORMATS, Format, OutFault, RenderFault, RowSource, check_out, format_for_path, format_named,
    write_out, write_whole,
};
pub use statistics::{
    Agreement, Bias, CaseRepeats, Confidence, Confusion, DecidedStats, Decision, ERROR_LEVEL,
    Interval, Kappa, MeanScore, PassRates, Proportion, RepeatEstimates, RepeatStats,
    SelfConsistency, UntilDecided, clopper_pearson, cohen_kappa, flake_rate, fleiss_kappa,
    pass_at_k, pass_hat_k, wilson,
};
pub use style::Style;
pub use summary::Summary;
