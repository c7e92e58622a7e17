//! The id of a record, seen in passing: every byte is looked at, and nothing is made of it.
//!
//! A fifth of the first pass over a batch was spent on making sense of values that are skipped anyway. This
//! knows the same grammar and is surer than it need be: whatever is odd (a key with an escape, two ids,
//! very deep nesting, and all that is no JSON) is left to the parser, which also has the words for it.

use agentv_base::plain_prefix;

/// Deeper values are left to the parser, which has a limit of its own.
const DEEPEST: usize = 64;

/// The id of an object that is sound JSON from its first byte to its last; nothing where that is not sure.
pub(super) fn id(text: &str) -> Option<&str> {
    let mut skimmer = Skimmer { text, at: 0 };
    skimmer.blanks();
    skimmer.byte(b'{')?;
    let mut id = None;
    skimmer.blanks();
    if skimmer.byte(b'}').is_some() {
        return None;
    }
    loop {
        skimmer.blanks();
        let key = skimmer.plain_string()?;
        skimmer.colon()?;
        if key == "id" {
            let value = skimmer.plain_string()?;
            if id.replace(value).is_some() {
                return None;
            }
        } else {
            skimmer.value(1)?;
        }
        skimmer.blanks();
        match skimmer.next()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    skimmer.blanks();
    id.filter(|_| skimmer.at == text.len())
}

struct Skimmer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Skimmer<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn byte(&mut self, wanted: u8) -> Option<()> {
        if self.peek()? != wanted {
            return None;
        }
        self.at += 1;
        Some(())
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn colon(&mut self) -> Option<()> {
        self.blanks();
        self.byte(b':')?;
        self.blanks();
        Some(())
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'"' => self.string(),
            b'{' | b'[' if depth > DEEPEST => None,
            b'{' => self.members(depth),
            b'[' => self.items(depth),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => self.number(),
        }
    }

    fn members(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        self.blanks();
        if self.byte(b'}').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            self.string()?;
            self.colon()?;
            self.value(depth + 1)?;
            self.blanks();
            match self.next()? {
                b',' => {}
                b'}' => return Some(()),
                _ => return None,
            }
        }
    }

    fn items(&mut self, depth: usize) -> Option<()> {
        self.at += 1;
        self.blanks();
        if self.byte(b']').is_some() {
            return Some(());
        }
        loop {
            self.blanks();
            self.value(depth + 1)?;
            self.blanks();
            match self.next()? {
                b',' => {}
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let end = self.at + word.len();
        if self.text.get(self.at..end)? != word {
            return None;
        }
        self.at = end;
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let _ = self.byte(b'-');
        match self.next()? {
            b'0' => {}
            b'1'..=b'9' => self.digits(),
            _ => return None,
        }
        if self.byte(b'.').is_some() {
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.some_digits()?;
        }
        Some(())
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Option<()> {
        let begin = self.at;
        self.digits();
        (self.at > begin).then_some(())
    }

    /// A string without escapes.
    fn plain_string(&mut self) -> Option<&'t str> {
        self.byte(b'"')?;
        let begin = self.at;
        self.skip_plain();
        let text = self.text.get(begin..self.at)?;
        self.byte(b'"')?;
        Some(text)
    }

    fn string(&mut self) -> Option<()> {
        self.byte(b'"')?;
        loop {
            self.skip_plain();
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        match self.next()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => {
                let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
                self.at += 4;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(())
            }
            _ => None,
        }
    }

    /// To the next quote, backslash or control character, or to the end.
    fn skip_plain(&mut self) {
        self.at += plain_prefix(self.text.as_bytes().get(self.at..).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::id;

    /// All that is not the id is checked and skipped.
    #[derive(serde::Deserialize)]
    struct Record {
        id: String,
    }

    /// Whether the skimmer is sure of a line; then the parser says the same.
    fn check(text: &str) -> bool {
        let Some(id) = id(text) else { return false };
        let parsed: Record = serde_json::from_str(text).unwrap_or_else(|it| panic!("{text}: {it}"));
        assert_eq!(parsed.id, id, "{text}");
        true
    }

    #[test]
    fn records_are_skimmed() {
        for text in [
            r#"{"id":"a"}"#,
            " { \"x\" : [ ] , \"id\" : \"b c\" , \"y\" : { } } ",
            r#"{"n":[0,-1,1.5,2e9,-0.0E-1,10],"id":"é","t":[true,false,null]}"#,
            r#"{"s":"a \"quoted\" \\ \u00e9 \/ \b\f\n\r\t","id":"x"}"#,
            r#"{"deep":[[[{"a":[{"b":"c"}]}]]],"id":"12345678901234567"}"#,
        ] {
            assert!(check(text), "{text}");
        }
    }

    #[test]
    fn what_is_odd_is_left_to_the_parser() {
        let deep = format!(r#"{{"id":"a","x":{}{}}}"#, "[".repeat(70), "]".repeat(70));
        for text in [
            "",
            "{}",
            "[]",
            "5",
            r#"{"x":1}"#,
            r#"{"id":5}"#,
            r#"{"id":"a""#,
            r#"{"id":"a"}}"#,
            r#"{"id":"a","id":"b"}"#,
            r#"{"i\u0064":"a"}"#,
            r#"{"id":"\u0061"}"#,
            r#"{"id":"a","x":01}"#,
            r#"{"id":"a","x":1.}"#,
            r#"{"id":"a","x":-}"#,
            r#"{"id":"a","x":"\x"}"#,
            r#"{"id":"a","x":"\u00g0"}"#,
            r#"{"id":"a","x":[1,]}"#,
            r#"{"id":"a",}"#,
            r#"{"id":"a","x":{"y"}}"#,
            r#"{"id":"a","x":tru}"#,
            "{\"id\":\"a\",\"x\":\"tab\there\"}",
            "{\"id\":\"a\nb\"}",
            &deep,
        ] {
            assert_eq!(id(text), None, "{text}");
        }
    }

    #[test]
    fn every_byte_is_seen_wherever_it_stands() {
        for byte in 0..0x80_u8 {
            for before in 0..20 {
                let (before, odd) = ("x".repeat(before), char::from(byte));
                check(&format!(r#"{{"id":"a","t":"{before}{odd}yyyyyyyyyyyyyyyyy"}}"#));
                check(&format!(r#"{{"id":"{before}{odd}yyyyyyyyyyyyyyyyy"}}"#));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// Pieces of JSON in any order are mostly none; where they are, both agree.
        #[test]
        fn whatever_it_is_sure_of_the_parser_reads_too(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"id\"", "\"id\":\"a\"", "\"x\":", "\"y\"", "1", "-0", "1.5e3", "01",
                "true", "null", " ", "\"\\n\"", "\"\\u12\"", "\"é\"", "\\", "\"",
            ]), 0..9)
        ) {
            check(&pieces.concat());
            check(&format!("{{\"id\":\"a\",\"x\":{}}}", pieces.concat()));
            check(&format!("{{\"x\":[{}],\"id\":\"b\"}}", pieces.concat()));
        }

        #[test]
        fn strings_of_any_kind_are_skipped(text in any::<String>(), more in ".{0,40}") {
            let record = serde_json::json!({"text": text, "id": "a", "more": [more, {"x": more}]});
            prop_assert!(check(&record.to_string()));
        }
    }
}
