//! Reading names and indices: `invoice.lines[0]["a.b"]`.

use super::{PathFault, Step, fault};

/// What is left to read of a path.
struct Rest<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Rest<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn eat(&mut self, c: char) -> bool {
        let eaten = self.rest().starts_with(c);
        if eaten {
            self.at += c.len_utf8();
        }
        eaten
    }

    /// Everything before the first of these, or all.
    fn until(&mut self, ends: &[char]) -> &'t str {
        let rest = self.rest();
        let taken = rest.find(ends).and_then(|end| rest.get(..end)).unwrap_or(rest);
        self.at += taken.len();
        taken
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }
}

/// The steps of a path from `at` on.
pub(super) fn steps(text: &str, at: usize) -> Result<Vec<Step>, PathFault> {
    let mut rest = Rest { text, at };
    let mut steps = Vec::new();
    while !rest.rest().is_empty() {
        if rest.eat('[') {
            steps.push(bracket(&mut rest)?);
        } else if rest.at == 0 || rest.eat('.') {
            steps.push(name(&mut rest)?);
        } else {
            return Err(fault(rest.at, "`.` or `[` must come here"));
        }
    }
    Ok(steps)
}

fn name(rest: &mut Rest<'_>) -> Result<Step, PathFault> {
    let at = rest.at;
    let name = rest.until(&['.', '[', ']']);
    if rest.rest().starts_with(']') {
        return Err(fault(rest.at, "this `]` closes nothing"));
    }
    if name.is_empty() {
        return Err(fault(at, "a name is missing"));
    }
    if name == "*" {
        return Err(fault(at, SEVERAL));
    }
    if name.starts_with(['"', '\'']) {
        return Err(fault(at, "a name in quotes stands in brackets, as in `[\"a.b\"]`"));
    }
    if name.trim() != name {
        return Err(fault(at, "a name with blanks around it stands in `[\"…\"]`"));
    }
    Ok(Step::Name(name.to_owned()))
}

pub(super) const SEVERAL: &str = "only a path that starts with `$` selects several values";

/// What stands in brackets, and the bracket that closes them.
fn bracket(rest: &mut Rest<'_>) -> Result<Step, PathFault> {
    rest.skip_blanks();
    let at = rest.at;
    let step = match rest.rest().chars().next() {
        Some('*') => return Err(fault(at, SEVERAL)),
        Some(quote @ ('"' | '\'')) => Step::Name(quoted_name(rest, quote)?),
        _ => {
            let index = rest.until(&[']']).trim_end();
            let digits = index.strip_prefix('-').unwrap_or(index);
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                let wanted = "a whole number or a name in quotes must stand in brackets";
                return Err(fault(at, wanted));
            }
            let index = index.parse().map_err(|_| fault(at, "this number is too large"))?;
            Step::Index(index)
        }
    };
    rest.skip_blanks();
    if rest.eat(']') { Ok(step) } else { Err(fault(rest.at, "`]` must come here")) }
}

/// A name in single or double quotes with the escapes of JSON.
fn quoted_name(rest: &mut Rest<'_>, quote: char) -> Result<String, PathFault> {
    let at = rest.at;
    rest.eat(quote);
    let mut json = String::from('"');
    let mut escaped = false;
    for c in rest.rest().chars() {
        rest.at += c.len_utf8();
        match c {
            // The two quotes change roles where the name is in single ones.
            '\'' if escaped => _ = json.pop(),
            '"' if !escaped && quote != c => json.push('\\'),
            c if c == quote && !escaped => {
                json.push('"');
                return serde_json::from_str(&json)
                    .map_err(|_| fault(at, "this name has an escape that JSON does not know"));
            }
            _ => {}
        }
        json.push(c);
        escaped = c == '\\' && !escaped;
    }
    Err(fault(at, "this quote is not closed"))
}
