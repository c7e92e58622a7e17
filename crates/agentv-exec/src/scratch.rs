//! Private temporary files of a run.
