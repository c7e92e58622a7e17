//! How text looks on a screen. Colour only repeats what the words and signs already say.

use anstyle::{AnsiColor, Effects};

/// What the screen can do, as found out by whoever owns it.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub color: bool,
    /// In columns.
    pub width: usize,
}

/// What a piece of text says, which is what its colour follows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tone {
    Good,
    Bad,
    /// Neither passed nor failed: an error, a warning.
    Odd,
    Heading,
    Aside,
}

impl Style {
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let style = match tone {
            Tone::Good => AnsiColor::Green.on_default(),
            Tone::Bad => AnsiColor::Red.on_default(),
            Tone::Odd => AnsiColor::Yellow.on_default(),
            Tone::Heading => anstyle::Style::new().effects(Effects::BOLD),
            Tone::Aside => anstyle::Style::new().effects(Effects::DIMMED),
        };
        format!("{}{text}{}", style.render(), style.render_reset())
    }
}

/// `850ms`, `1.2s`, `2m05s`, `1h02m`: as exact as anybody reads it.
pub(crate) fn duration_text(milliseconds: f64) -> String {
    let seconds = milliseconds / 1000.0;
    if !seconds.is_finite() || seconds < 0.0 {
        return "?".to_owned();
    }
    if milliseconds.round() < 1000.0 {
        return format!("{milliseconds:.0}ms");
    }
    if seconds < 59.95 {
        return format!("{seconds:.1}s");
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "finite and not negative; a conversion that saturates is fine"
    )]
    let whole = seconds.round() as u64;
    if whole < 3600 {
        format!("{}m{:02}s", whole / 60, whole % 60)
    } else {
        format!("{}h{:02}m", whole / 3600, whole % 3600 / 60)
    }
}

/// `1 case`, `2 cases`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A message after its kind, which a message that begins with the same word has said already.
pub(crate) fn told_with(kind: &str, message: &str) -> String {
    if message.split(' ').next() == Some(kind) {
        message.to_owned()
    } else {
        format!("{kind}: {message}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_told_in_the_unit_people_use() {
        for (milliseconds, text) in [
            (0.0, "0ms"),
            (850.4, "850ms"),
            (999.6, "1.0s"),
            (1234.0, "1.2s"),
            (59_960.0, "1m00s"),
            (125_000.0, "2m05s"),
            (3_725_000.0, "1h02m"),
            (f64::NAN, "?"),
            (-1.0, "?"),
        ] {
            assert_eq!(duration_text(milliseconds), text);
        }
    }

    #[test]
    fn without_colour_text_stays_as_it_is() {
        let style = Style { color: false, width: 80 };
        assert_eq!(style.paint(Tone::Bad, "x"), "x");
    }
}
