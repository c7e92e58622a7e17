//! Command templates: where a placeholder may stand, and what takes its place.
