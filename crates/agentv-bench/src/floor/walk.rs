//! The bare parser over a file: the least that any reader built on it can take.

use std::{fs, hint::black_box, io, path::Path};

use granit_parser::{Event, Parser};

/// Reads the file as text and counts its events.
pub fn walk(file: &Path) -> io::Result<usize> {
    let text = fs::read_to_string(file)?;
    let mut options = granit_parser::options! { emit_unresolved_aliases: true };
    options.set_emit_comments(false);
    let mut events = 0;
    for event in Parser::new_from_str_with_options(&text, options) {
        let (event, _) = event.map_err(|error| io::Error::other(format!("{error:?}")))?;
        let event: Event<'_> = black_box(event);
        drop(event);
        events += 1;
    }
    Ok(events)
}
