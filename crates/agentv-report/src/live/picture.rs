//! What a live display shows, in lines that fit a window: the bar, counts and rate, what was spent,
//! and who is at work, longest first.

use std::time::Duration;

use agentv_base::StopLevel;
use console::{measure_text_width, truncate_str};

use super::{
    board::{Board, UnderWay},
    pace::{about, whole_seconds},
};
use crate::style::{Style, Tone};

/// The bar in columns, by the columns of the window: below the last, numbers have to do.
const BARS: [(usize, usize); 3] = [(90, 30), (64, 20), (NARROW, 10)];

/// Below so many columns, things are told more shortly.
const NARROW: usize = 44;

/// Most lines for what is under way.
const MOST_LISTED: usize = 8;

/// Between two things that stand on one line.
const BETWEEN: &str = " · ";

/// In rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// The lines of the picture. They never fill the window: the last column stays free, because some
/// terminals begin a new line as soon as it is used, and so does one row.
pub(super) fn picture(board: &mut Board, size: Size, now: Duration) -> Vec<String> {
    let width = size.columns.saturating_sub(1).max(1);
    let most = size.rows.saturating_sub(1).max(1);
    let mut lines = flow(&progress(board, size.columns, now), width);
    lines.extend(flow(&standing(board, size.columns), width));
    lines.truncate(most);
    let room = most - lines.len();
    lines.extend(activity(board, room, size.rows, width, now));
    lines.iter().map(|line| truncate_str(line, width, "…").into_owned()).collect()
}

/// `██████░░░░ 45/120 38% · 1m12s, about 2m left · $0.42 of $2.50`: how far, how long, and for how much.
fn progress(board: &mut Board, columns: usize, now: Duration) -> Vec<String> {
    let style = board.style;
    let (done, planned) = (board.course.tally.done(), board.course.tally.planned);
    let length = BARS.iter().find(|(least, _)| columns >= *least).map(|(_, length)| *length);
    let bar = length.map(|length| format!("{} ", bar(done, planned, length, style)));
    let percent = (done.min(planned) * 100).checked_div(planned).unwrap_or(100);
    let count = style.paint(Tone::Heading, &format!("{done}/{planned}"));
    let far = format!("{}{count} {percent}%", bar.unwrap_or_default());
    let left = if board.stop > StopLevel::Run {
        Some("stopping".to_owned())
    } else {
        board.course.left(now).map(|left| format!("{} left", about(left)))
    };
    let time: Vec<String> = [whole_seconds(now)].into_iter().chain(left).collect();
    let time = if columns < NARROW { time } else { vec![time.join(", ")] };
    [far].into_iter().chain(time).chain(board.course.spend.words()).collect()
}

fn bar(done: usize, planned: usize, length: usize, style: Style) -> String {
    let full = (done * length).checked_div(planned).unwrap_or(length).min(length);
    let rest = style.paint(Tone::Aside, &"░".repeat(length - full));
    format!("{}{rest}", style.paint(Tone::Good, &"█".repeat(full)))
}

/// Counts and rate.
fn standing(board: &Board, columns: usize) -> Vec<String> {
    let (tally, rate) = (&board.course.tally, &board.course.rate);
    let counts = tally.painted_words(board.style);
    if columns < NARROW {
        return counts.into_iter().chain(rate.short_words()).collect();
    }
    [counts.join(", ")].into_iter().chain(rate.words()).collect()
}

/// As many lines as there is room for, and about a third of the window.
fn activity(board: &Board, room: usize, rows: usize, width: usize, now: Duration) -> Vec<String> {
    let style = board.style;
    let waiting = (board.waiting > 0 && room > 1).then(|| {
        let why = board.waits_for.as_deref().unwrap_or("it failed");
        let words = format!("{} waiting for another attempt, the last after: {why}", board.waiting);
        style.paint(Tone::Odd, &words)
    });
    let room = room - usize::from(waiting.is_some());
    let most = room.min(MOST_LISTED).min((rows / 3).max(1));
    let count = board.under_way.len();
    if count == 0 && waiting.is_none() && room > 0 {
        return vec![style.paint(Tone::Aside, "nothing is running")];
    }
    let listed = if count > most && most > 1 { most - 1 } else { most };
    let mut lines: Vec<String> = board
        .under_way
        .values()
        .take(listed)
        .map(|under_way| under_way_line(under_way, width, style, now))
        .collect();
    if count > listed && most > 0 {
        let more = style.paint(Tone::Aside, &format!("+{} more", count - listed));
        match lines.last_mut() {
            // There is one line for all of it.
            Some(line) if most == 1 => {
                let left = width.saturating_sub(measure_text_width(&more) + 1);
                *line = format!("{} {more}", truncate_str(line, left, "…"));
            }
            _ => lines.push(format!("        {more}")),
        }
    }
    lines.into_iter().chain(waiting).collect()
}

/// `   12s  id #2 (agent), attempt 2`. Where it is too long the id is cut: what stands behind it is
/// short, and tells as much.
fn under_way_line(it: &UnderWay, width: usize, style: Style, now: Duration) -> String {
    let time = whole_seconds(now.saturating_sub(it.since));
    let doing = if it.is_grading { "grading " } else { "" };
    let start = 8 + measure_text_width(doing);
    let left = width.saturating_sub(start + measure_text_width(&it.about));
    let id = truncate_str(&it.id, left.max(width.saturating_sub(start) / 2), "…");
    format!("{}  {doing}{id}{}", style.paint(Tone::Aside, &format!("{time:>6}")), it.about)
}

/// Things side by side as long as they fit, and on the next line where they do not.
fn flow(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for part in parts {
        let wide = measure_text_width(part);
        let gap = measure_text_width(BETWEEN);
        match lines.last_mut() {
            Some(line) if used + gap + wide <= width => {
                line.push_str(BETWEEN);
                line.push_str(part);
                used += gap + wide;
            }
            _ => {
                lines.push(part.clone());
                used = wide;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests;
