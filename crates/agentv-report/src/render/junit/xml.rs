//! Text as XML holds it.

use std::fmt::Write as _;

/// `name="value"` with a blank before it.
pub(super) fn attribute(to: &mut String, name: &str, value: &str) {
    let _ = write!(to, " {name}=\"");
    for c in value.chars().filter(|c| is_allowed(*c)) {
        match c {
            // Readers turn these into blanks, unless they are written as numbers.
            '\n' => to.push_str("&#10;"),
            '\r' => to.push_str("&#13;"),
            '\t' => to.push_str("&#9;"),
            '"' => to.push_str("&quot;"),
            c => escaped(to, c),
        }
    }
    to.push('"');
}

/// Text between tags. Every end of a line becomes a line feed, as readers of XML make it anyway.
pub(super) fn text(to: &mut String, value: &str) {
    let mut characters = value.chars().filter(|c| is_allowed(*c)).peekable();
    while let Some(c) = characters.next() {
        match c {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => to.push('\n'),
            c => escaped(to, c),
        }
    }
}

fn escaped(to: &mut String, c: char) {
    match c {
        '&' => to.push_str("&amp;"),
        '<' => to.push_str("&lt;"),
        // It matters only after `]]`, and costs nothing elsewhere.
        '>' => to.push_str("&gt;"),
        c => to.push(c),
    }
}

/// What XML 1.0 can hold. There is no way to write the others, not even as a number, so that they
/// are left out. Those that XML only discourages are left out as well.
fn is_allowed(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        c => !c.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_left_out_and_the_rest_means_itself() {
        let mut written = String::new();
        attribute(&mut written, "n", "a\u{0}\u{1b}[1m\"<&>\n\u{ffff}");
        assert_eq!(written, " n=\"a[1m&quot;&lt;&amp;&gt;&#10;\"");
        let mut written = String::new();
        text(&mut written, "]]> <b>\r\n\u{8}'\r\"");
        assert_eq!(written, "]]&gt; &lt;b&gt;\n'\n\"");
    }
}
