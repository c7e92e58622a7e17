//! The lines of a `.env` file.
//!
//! `NAME=value`, `export NAME=value`, `# comment`; values in single quotes or backticks as they
//! stand, in double quotes with `\n`, `\r`, `\t`, `\"`, `\\` and `\$`; quoted values may span
//! lines; a plain value ends at the line or at a `#` after a space. `$NAME` inside a value stays
//! text: a password with a dollar sign must arrive as written, and nothing here looks at the
//! variables of the process.

use std::collections::BTreeMap;

/// What is wrong with a line, and where it starts and ends in the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineFault {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) message: &'static str,
}

/// Reads a whole file; broken lines are told apart from the others. The last line of a name wins.
pub(crate) fn parse(text: &str) -> (BTreeMap<String, String>, Vec<LineFault>) {
    let mut values = BTreeMap::new();
    let mut faults = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let start = text.len() - rest.len();
        let line_end = rest.find('\n').map_or(rest.len(), |end| end + 1);
        let (line, after_line) = rest.split_at_checked(line_end).unwrap_or((rest, ""));
        match assignment(rest, line, after_line) {
            Ok((parsed, after)) => {
                values.extend(parsed);
                rest = after;
            }
            Err(message) => {
                faults.push(LineFault { start, end: start + line.trim_end().len(), message });
                rest = after_line;
            }
        }
    }
    (values, faults)
}

type Assignment<'t> = (Option<(String, String)>, &'t str);

/// One assignment at the start of `rest`, and what comes after it.
fn assignment<'t>(
    rest: &'t str,
    line: &'t str,
    after_line: &'t str,
) -> Result<Assignment<'t>, &'static str> {
    let trimmed = line.trim();
    if trimmed.is_empty() || trimmed.starts_with('#') {
        return Ok((None, after_line));
    }
    let Some((left, _)) = line.split_once('=') else {
        return Err("expected `NAME=value`");
    };
    let name = match left.trim().split_once(char::is_whitespace) {
        Some(("export", name)) => name.trim(),
        _ => left.trim(),
    };
    if !is_name(name) {
        return Err("a name starts with a letter or `_`");
    }
    let value = rest.split_at_checked(left.len() + 1).map_or("", |(_, value)| value);
    let start = value.trim_start_matches([' ', '\t']);
    let quote = start.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let Some(quote) = quote else {
        let plain = value.lines().next().unwrap_or_default();
        return Ok((Some((name.to_owned(), plain_value(plain))), after_line));
    };
    let (value, after) = quoted_value(start, quote).ok_or("this quote is never closed")?;
    let line_end = after.find('\n').map_or(after.len(), |end| end + 1);
    let (remark, after) = after.split_at_checked(line_end).unwrap_or((after, ""));
    let remark = remark.trim();
    if !remark.is_empty() && !remark.starts_with('#') {
        return Err("something follows the closing quote");
    }
    Ok((Some((name.to_owned(), value)), after))
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))
}

fn plain_value(line: &str) -> String {
    let mut end = line.len();
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        if c == '#' && before.is_whitespace() {
            end = at;
            break;
        }
        before = c;
    }
    line.get(..end).unwrap_or(line).trim().to_owned()
}

/// The value of a quoted text that starts with its quote, and what comes after it.
fn quoted_value(text: &str, quote: char) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            let (_, after) = text.split_at_checked(at + c.len_utf8())?;
            return Some((value.replace("\r\n", "\n"), after));
        }
        let escaped = if c == '\\' && quote == '"' {
            chars.peek().and_then(|(_, next)| match next {
                'n' => Some('\n'),
                'r' => Some('\r'),
                't' => Some('\t'),
                '"' | '\\' | '$' => Some(*next),
                _ => None,
            })
        } else {
            None
        };
        if escaped.is_some() {
            chars.next();
        }
        value.push(escaped.unwrap_or(c));
    }
    None
}

/// The file as it may be shown beside a problem: names and layout, and no value.
pub(crate) fn masked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let name = line.split_once('=').map(|(left, _)| left);
        let open = match name {
            Some(left) if is_name(left.trim().trim_start_matches("export ").trim()) => {
                left.len() + 1
            }
            Some(_) | None => 0,
        };
        for (at, c) in line.char_indices() {
            let visible = at < open || c.is_whitespace() || matches!(c, '#' | '"' | '\'' | '`');
            // One byte for each, so that places in the file stay what they are.
            if visible {
                shown.push(c);
            } else {
                shown.extend(std::iter::repeat_n('*', c.len_utf8()));
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<(String, String)> {
        let (values, faults) = parse(text);
        assert_eq!(faults, []);
        values.into_iter().collect()
    }

    fn check(line: &str, name: &str, value: &str) {
        assert_eq!(values(line), [(name.to_owned(), value.to_owned())], "{line}");
    }

    #[test]
    fn every_way_of_writing_a_value_is_read() {
        check("A=1", "A", "1");
        check("  A = 1  \r\n", "A", "1");
        check("export A=1", "A", "1");
        check("A=", "A", "");
        check("A=  # nothing", "A", "");
        check("A=two words # remark", "A", "two words");
        check("A=x#y", "A", "x#y");
        check("A='it is $5 \\n' # remark", "A", "it is $5 \\n");
        check("A=\"a\\n\\\"b\\\" \\$c \\w\"", "A", "a\n\"b\" $c \\w");
        check("A=`'\"`", "A", "'\"");
        check("A='one\r\ntwo'\n", "A", "one\ntwo");
        check("A=pa$$word", "A", "pa$$word");
        check("A=b=c", "A", "b=c");
        check("A=first\nA=last", "A", "last");
    }

    #[test]
    fn blank_lines_and_comments_are_nothing() {
        assert_eq!(values("\n  \n# A=1\n"), []);
    }

    #[test]
    fn a_broken_line_is_placed_and_the_others_are_read() {
        let (values, faults) = parse("A=1\nnonsense\n2B=x\nC='open\nD=4\nE='x' y\nF=6\n");
        let names: Vec<_> = values.keys().map(String::as_str).collect();
        assert_eq!(names, ["A", "D", "F"]);
        let faults: Vec<_> =
            faults.iter().map(|fault| (fault.start, fault.end, fault.message)).collect();
        assert_eq!(
            faults,
            [
                (4, 12, "expected `NAME=value`"),
                (13, 17, "a name starts with a letter or `_`"),
                // The quote closes at `E='`, and `x' y` follows.
                (18, 25, "something follows the closing quote"),
                (30, 37, "something follows the closing quote"),
            ]
        );
        let (_, faults) = parse("A='open\nB=2");
        assert_eq!(faults.first().unwrap().message, "this quote is never closed");
    }

    #[test]
    fn what_is_shown_of_a_file_has_no_value_and_the_same_places() {
        let text = "TOKEN=sk-ä1 # x\nsk-123\nexport K = 'v'\n";
        let shown = masked(text);
        assert_eq!(shown, "TOKEN=****** # *\n******\nexport K = '*'\n");
        assert_eq!(shown.len(), text.len());
    }
}
