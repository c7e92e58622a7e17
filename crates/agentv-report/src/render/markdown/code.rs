//! Text from outside as code: in a line, in the cell of a table, in a block, in a heading that can
//! be folded. In code nothing is a link, a mention, a number of an issue, or markup.

use agentv_base::{escape_controls, excerpt};

/// In a line of Markdown.
pub(super) fn inline(text: &str, most: usize) -> String {
    if text.trim().is_empty() {
        return "—".to_owned();
    }
    let text = excerpt(text, most);
    // The fence is longer than any row of backticks within, and a blank keeps them apart.
    let fence = "`".repeat(longest_run(&text) + 1);
    let is_edged = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']);
    let edge = if is_edged { " " } else { "" };
    format!("{fence}{edge}{text}{edge}{fence}")
}

/// In a cell, which a bar would end even within code.
pub(super) fn cell(text: &str, most: usize) -> String {
    inline(text, most).replace('|', "\\|")
}

/// A block of lines, under a language that colours it.
pub(super) fn block(language: &str, lines: &[String]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| escape_controls(line)).collect();
    let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}\n", lines.join("\n"))
}

/// Something that is folded under a heading; `body` is Markdown already.
pub(super) fn details(heading: &str, body: &str) -> String {
    format!("<details><summary>{heading}</summary>\n\n{body}\n</details>\n\n")
}

/// In the heading of [`details`], which is HTML.
pub(super) fn html(text: &str, most: usize) -> String {
    let text = excerpt(text, most);
    let mut code = String::from("<code>");
    for c in text.chars() {
        match c {
            '&' => code.push_str("&amp;"),
            '<' => code.push_str("&lt;"),
            '>' => code.push_str("&gt;"),
            '"' => code.push_str("&quot;"),
            c => code.push(c),
        }
    }
    code.push_str("</code>");
    code
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_bars_and_newlines_cannot_end_code_or_a_cell() {
        assert_eq!(inline("a `b`` c", 50), "```a `b`` c```");
        assert_eq!(inline("`x`", 50), "`` `x` ``");
        assert_eq!(cell("a|b\n@all <b> [x](y)", 50), "`a\\|b\\n@all <b> [x](y)`");
        assert_eq!(inline("  ", 50), "—");
        assert_eq!(block("", &["```".to_owned()]), "````\n```\n````\n");
    }

    #[test]
    fn a_heading_holds_no_markup() {
        assert_eq!(
            html("</summary><script>&", 50),
            "<code>&lt;/summary&gt;&lt;script&gt;&amp;</code>"
        );
    }
}
