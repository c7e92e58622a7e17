//! Where a service is asked.

use std::fmt::Write as _;

use agentv_base::{Diagnostic, Fields, Problems, Span};
use reqwest::Url;

/// An address that paths are put behind. Invariant: http or https with a host; no credentials, no
/// query, no slash at its end.
#[derive(Debug)]
pub(in crate::provider) struct Address {
    pub(in crate::provider) base: String,
    /// Whether it is the vendor's own.
    pub(in crate::provider) vendors_own: bool,
}

/// Whose address is meant where none is given.
pub(in crate::provider) struct Vendor {
    /// The key that another address stands under.
    pub(in crate::provider) key: &'static str,
    pub(in crate::provider) base: &'static str,
    pub(in crate::provider) host: &'static str,
    /// What is put behind an address, longest first, so that an address must not end with it.
    pub(in crate::provider) behind: &'static [&'static str],
}

impl Address {
    /// The address of a target, the vendor's where it names no other.
    pub(in crate::provider) fn read(
        fields: &Fields<'_>,
        vendor: &Vendor,
        problems: &mut Problems,
    ) -> Option<Self> {
        if fields.get(vendor.key).is_none() {
            return Some(Self { base: vendor.base.to_owned(), vendors_own: true });
        }
        let text = fields.non_blank(vendor.key, problems)?;
        let span = fields.get(vendor.key).map_or(fields.span(), |node| node.span);
        Self::parse(text, span, vendor, problems)
    }

    pub(in crate::provider) fn parse(
        text: &str,
        span: Span,
        vendor: &Vendor,
        problems: &mut Problems,
    ) -> Option<Self> {
        let key = vendor.key;
        // What was written is never shown: where it is wrong, it may hold a secret.
        let mut wrong = |message: String, hint: String| {
            problems.push(Diagnostic::error(message).at(span).hint(hint));
        };
        let url = Url::parse(text.trim()).ok();
        let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let Some(url) = url else {
            let example = format!("write it whole, such as `{}`", vendor.base);
            wrong(format!("`{key}` is no http or https address"), example);
            return None;
        };
        if !url.username().is_empty() || url.password().is_some() {
            let hint = "addresses are shown and recorded: set `api_key` or `headers` instead";
            wrong(format!("`{key}` has a name or a password in it"), hint.to_owned());
            return None;
        }
        if url.query().is_some() || url.fragment().is_some() {
            let hint = "nothing may stand behind the path: set `headers` or `extra_body`";
            wrong(format!("`{key}` has a query or a fragment in it"), hint.to_owned());
            return None;
        }
        let base = url.as_str().trim_end_matches('/');
        if let Some(behind) = vendor.behind.iter().find(|behind| base.ends_with(**behind)) {
            let hint = format!("leave `{behind}` out: AgentV adds it");
            wrong(format!("`{key}` is only the part before `{behind}`"), hint);
            return None;
        }
        let host = url.host_str().unwrap_or_default();
        let is_part = host.strip_suffix(vendor.host).is_some_and(|part| part.ends_with('.'));
        let vendors_own = host == vendor.host || is_part;
        Some(Self { base: base.to_owned(), vendors_own })
    }

    /// The address of something behind this one.
    pub(in crate::provider) fn with(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

/// A name as a part of a path.
pub(in crate::provider) fn as_segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~:@".contains(&byte) {
            segment.push(char::from(byte));
        } else {
            let _ = write!(segment, "%{byte:02X}");
        }
    }
    segment
}
