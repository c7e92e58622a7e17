//! A table that fits its window: columns that matter less go first, long texts are cut, and in a
//! window too narrow for the rest each entry is told in lines of its own by whoever asked.

use std::borrow::Cow;

use console::{measure_text_width, truncate_str};

use crate::style::{Style, Tone};

/// Between two columns.
const GAP: usize = 2;

/// Columns up to this rank matter more than whole texts.
const MATTERS: u8 = 3;

/// How a column is laid out.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) is_number: bool,
    /// The columns with the highest go first when the window is too narrow; 0 stays.
    pub(super) rank: u8,
    /// A text may be cut to this many columns; nothing where it must stay whole.
    pub(super) least: Option<usize>,
    /// Columns of a rank above [`MATTERS`] go before a text is cut to less than this.
    pub(super) enough: usize,
    /// A path says most at its end, so that is what stays of it.
    pub(super) keeps_end: bool,
    /// A column in which every cell says this, or nothing, goes before all others.
    pub(super) usual: &'static str,
}

impl Column {
    pub(super) const fn text(title: &'static str, rank: u8) -> Self {
        Self { title, is_number: false, rank, least: None, enough: 0, keeps_end: false, usual: "" }
    }

    pub(super) const fn number(title: &'static str, rank: u8) -> Self {
        Self { is_number: true, ..Self::text(title, rank) }
    }

    /// One that always stays, however little of it.
    pub(super) const fn cut(title: &'static str, least: usize, enough: usize) -> Self {
        Self { least: Some(least), enough, ..Self::text(title, 0) }
    }

    pub(super) const fn keeping_end(self) -> Self {
        Self { keeps_end: true, ..self }
    }

    pub(super) const fn usually(self, usual: &'static str) -> Self {
        Self { usual, ..self }
    }
}

/// A cell, which is painted after it was measured and cut.
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) tone: Option<Tone>,
}

impl Cell {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), tone: None }
    }

    pub(super) fn toned(text: impl Into<String>, tone: Option<Tone>) -> Self {
        Self { text: text.into(), tone }
    }
}

/// The lines of a table; nothing where the window is too narrow for what must be told.
pub(super) fn table(columns: &[Column], rows: &[Vec<Cell>], style: Style) -> Option<String> {
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(place, column)| {
            let cells = rows.iter().filter_map(|row| row.get(place));
            let widest = cells.map(|cell| measure_text_width(&cell.text)).max().unwrap_or(0);
            widest.max(measure_text_width(column.title))
        })
        .collect();
    let mut shown: Vec<usize> = (0..columns.len())
        // A column that says nothing of any row is left out.
        .filter(|place| {
            rows.iter().any(|row| row.get(*place).is_some_and(|it| !it.text.is_empty()))
        })
        .collect();
    // What tells nothing apart makes room before anything is cut.
    while whole_width(&shown, &widths) > style.width {
        let idle = shown.iter().copied().filter(|it| {
            columns.get(*it).is_some_and(|column| {
                (column.rank > 0 || !column.usual.is_empty()) && column.is_idle(*it, rows)
            })
        });
        let Some(next) = idle.max_by_key(|it| rank(columns, *it)) else { break };
        shown.retain(|it| *it != next);
    }
    while comfortable_width(&shown, columns, &widths) > style.width {
        let spared = shown.iter().copied().filter(|it| rank(columns, *it) > MATTERS);
        let Some(next) = spared.max_by_key(|it| rank(columns, *it)) else { break };
        shown.retain(|it| *it != next);
    }
    while !fit(&shown, columns, &mut widths, style.width) {
        let dispensable = shown.iter().copied().filter(|it| rank(columns, *it) > 0);
        let next = dispensable.max_by_key(|it| rank(columns, *it))?;
        shown.retain(|it| *it != next);
    }
    let mut text = String::new();
    let titles = columns.iter().map(|it| Cell::toned(it.title, Some(Tone::Heading)));
    line(&titles.collect::<Vec<_>>(), &shown, columns, &widths, style, &mut text);
    for row in rows {
        line(row, &shown, columns, &widths, style, &mut text);
    }
    Some(text)
}

impl Column {
    fn is_idle(&self, place: usize, rows: &[Vec<Cell>]) -> bool {
        let mut cells = rows.iter().filter_map(|row| row.get(place));
        cells.all(|cell| matches!(cell.text.as_str(), "" | "—") || cell.text == self.usual)
    }
}

fn whole_width(shown: &[usize], widths: &[usize]) -> usize {
    let gaps = GAP * shown.len().saturating_sub(1);
    gaps + shown.iter().filter_map(|it| widths.get(*it)).sum::<usize>()
}

fn comfortable_width(shown: &[usize], columns: &[Column], widths: &[usize]) -> usize {
    let width = |place: &usize| {
        let whole = widths.get(*place).copied().unwrap_or(0);
        let column = columns.get(*place).filter(|column| column.least.is_some());
        column.map_or(whole, |column| column.enough.min(whole))
    };
    GAP * shown.len().saturating_sub(1) + shown.iter().map(width).sum::<usize>()
}

/// The end of a path that is too long, from the beginning of a folder or a file where one fits:
/// `…/orders.yaml`.
pub(super) fn cut_path(path: &str, width: usize) -> Cow<'_, str> {
    if measure_text_width(path) <= width {
        return Cow::Borrowed(path);
    }
    let room = width.saturating_sub(1);
    let fitting =
        |(at, _): (usize, char)| path.get(at..).filter(|rest| measure_text_width(rest) <= room);
    let mut ends = path.char_indices().filter_map(fitting);
    let Some(longest) = ends.next() else { return Cow::Borrowed("…") };
    let end = longest.find('/').and_then(|at| longest.get(at..)).unwrap_or(longest);
    Cow::Owned(format!("…{end}"))
}

fn rank(columns: &[Column], place: usize) -> u8 {
    columns.get(place).map_or(0, |column| column.rank)
}

/// Whether the columns fit, once those that may be cut are.
fn fit(shown: &[usize], columns: &[Column], widths: &mut [usize], width: usize) -> bool {
    let gaps = GAP * shown.len().saturating_sub(1);
    let least: usize = gaps
        + shown
            .iter()
            .map(|it| {
                let whole = widths.get(*it).copied().unwrap_or(0);
                columns.get(*it).and_then(|column| column.least).map_or(whole, |it| it.min(whole))
            })
            .sum::<usize>();
    if least > width {
        return false;
    }
    // From the widest that may be cut, a column at a time.
    while whole_width(shown, widths) > width {
        let can = shown.iter().copied().filter(|it| {
            let least = columns.get(*it).and_then(|column| column.least);
            least.is_some_and(|least| widths.get(*it).is_some_and(|width| *width > least))
        });
        let Some(widest) = can.max_by_key(|it| widths.get(*it).copied()) else { return false };
        if let Some(width) = widths.get_mut(widest) {
            *width -= 1;
        }
    }
    true
}

fn line(
    cells: &[Cell],
    shown: &[usize],
    columns: &[Column],
    widths: &[usize],
    style: Style,
    text: &mut String,
) {
    let mut line = String::new();
    for (nth, place) in shown.iter().enumerate() {
        let (Some(cell), Some(column), Some(width)) =
            (cells.get(*place), columns.get(*place), widths.get(*place))
        else {
            continue;
        };
        let cut = if column.keeps_end {
            cut_path(&cell.text, *width)
        } else {
            truncate_str(&cell.text, *width, "…")
        };
        let pad = " ".repeat(width.saturating_sub(measure_text_width(&cut)));
        let painted = match cell.tone {
            Some(tone) => style.paint(tone, &cut),
            None => cut.into_owned(),
        };
        if nth > 0 {
            line.push_str(&" ".repeat(GAP));
        }
        let (before, behind) = if column.is_number { (&*pad, "") } else { ("", &*pad) };
        line.push_str(before);
        line.push_str(&painted);
        line.push_str(behind);
    }
    text.push_str(line.trim_end());
    text.push('\n');
}
