//! Runs processes to their end, leaving none behind.
