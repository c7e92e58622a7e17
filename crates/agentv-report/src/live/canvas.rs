//! Turns pictures into what a terminal must be sent: each picture is drawn over the one before, and
//! lines that stay are put above it. One piece of text a picture, so that nothing flickers.

use console::measure_text_width;

use super::picture::Size;

const CLEAR_LINE: &str = "\u{1b}[K";
const CLEAR_BELOW: &str = "\u{1b}[J";

/// The lines of a picture are cut where they do not fit: a window may be narrower than it said a moment
/// ago, and a line that is broken would put all others in the wrong place.
const CUT_LINES: &str = "\u{1b}[?7l";
const BREAK_LINES: &str = "\u{1b}[?7h";

#[derive(Default)]
pub(super) struct Canvas {
    /// The picture on the screen; the cursor stands at the end of its last line.
    drawn: Vec<String>,
    size: Option<Size>,
}

impl Canvas {
    /// What draws these lines above and the picture below them. Nothing where that stands there
    /// already.
    pub(super) fn draw(
        &mut self,
        said: &[String],
        picture: Vec<String>,
        size: Size,
    ) -> Option<String> {
        let is_resized = self.size.replace(size).is_some_and(|before| before != size);
        if said.is_empty() && !is_resized && picture == self.drawn {
            return None;
        }
        let mut out = self.to_the_top(size);
        if !said.is_empty() || is_resized {
            // Lines that stay may be of any length, and what the window did is not known.
            out.push_str(CLEAR_BELOW);
        }
        for line in said {
            out.push_str(line);
            out.push_str("\r\n");
        }
        out.push_str(CUT_LINES);
        for (place, line) in picture.iter().enumerate() {
            if place > 0 {
                out.push_str("\r\n");
            }
            out.push_str(line);
            out.push_str(CLEAR_LINE);
        }
        out.push_str(BREAK_LINES);
        out.push_str(CLEAR_BELOW);
        self.drawn = picture;
        Some(out)
    }

    /// What takes the picture away and leaves these lines.
    pub(super) fn clear(&mut self, said: &[String], size: Size) -> String {
        let mut out = String::new();
        if !self.drawn.is_empty() {
            out = self.to_the_top(size);
            out.push_str(CLEAR_BELOW);
        }
        self.drawn.clear();
        for line in said {
            out.push_str(line);
            out.push_str("\r\n");
        }
        out
    }

    /// To the start of the picture. A window that became narrower has broken its lines: most
    /// terminals do, and where one does not, a few of the lines above are drawn over, which the
    /// summary says again.
    fn to_the_top(&self, size: Size) -> String {
        let columns = size.columns.max(1);
        let rows = |line: &String| measure_text_width(line).div_ceil(columns).max(1);
        let rows: usize = self.drawn.iter().map(rows).sum();
        match rows.saturating_sub(1).min(size.rows.saturating_sub(1)) {
            0 => "\r".to_owned(),
            up => format!("\r\u{1b}[{up}A"),
        }
    }
}

#[cfg(test)]
mod tests;
