//! What a server answers, and how it fails to.

use std::time::SystemTime;

use jiff::{Timestamp, fmt::rfc2822::DateTimePrinter};
use serde_json::Value;

/// An answer of a model, or a fault of its service.
#[derive(Clone, Debug)]
pub struct Answer {
    pub(super) content: Content,
    pub(super) headers: Vec<(String, String)>,
    pub(super) delivery: Delivery,
    /// Whether it waits until the test lets it go.
    pub(super) held: bool,
}

/// What is answered.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A model says something, in the form of the vendor.
    Said(Said),
    /// As it stands here, whatever the vendor.
    Raw { status: u16, content_type: &'static str, body: Vec<u8> },
}

/// What a model says.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) text: String,
    /// Where the answer is JSON: it stands where the vendor puts what follows a schema.
    pub(super) json: Option<Value>,
    /// Tools and what they are given.
    pub(super) calls: Vec<(String, Value)>,
    pub(super) usage: Option<Usage>,
    pub(super) finish: Finish,
    /// What the vendor calls the model, where that is not what was asked for.
    pub(super) model: Option<String>,
}

/// Tokens; `input` holds those that were cached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) output: u64,
    pub(super) cached: u64,
}

/// Why a model said no more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// It was done, or wants its tools to be called.
    #[default]
    Done,
    /// It may not say more.
    Length,
    /// It will not say it; the text is why.
    Refusal,
}

/// How an answer goes over the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Delivery {
    Whole,
    Chunked,
    /// The connection is closed before a byte was sent.
    NoHead,
    /// The connection is closed in the middle of a body of known length.
    HalfBody,
    /// The connection is closed in the middle of a chunk.
    HalfChunk,
    /// The length is said to be this.
    Length(usize),
    /// The body never ends.
    Endless,
    /// Nothing is ever sent.
    Never,
}

impl Answer {
    pub fn text(text: impl Into<String>) -> Self {
        Self::said(Said { text: text.into(), ..Said::default() })
    }

    /// An answer that follows the schema that was asked for; without one, its text.
    pub fn json(value: Value) -> Self {
        Self::said(Said { text: value.to_string(), json: Some(value), ..Said::default() })
    }

    /// A model that will not answer, and says why.
    pub fn refusal(text: &str) -> Self {
        let finish = Finish::Refusal;
        Self::said(Said { text: text.to_owned(), finish, ..Said::default() })
    }

    /// A text of so many bytes.
    pub fn giant(bytes: usize) -> Self {
        Self::text("a".repeat(bytes)).chunked()
    }

    /// A fault without a body.
    pub fn status(status: u16) -> Self {
        Self::raw(status, "application/json", Vec::new())
    }

    /// What a service says of a fault.
    pub fn fault(status: u16, body: &Value) -> Self {
        Self::raw(status, "application/json", body.to_string())
    }

    /// A page for people, as gateways answer.
    pub fn html(status: u16, title: &str) -> Self {
        let page = format!(
            "<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n\
             <body><center><h1>{title}</h1></center><hr></body></html>\n"
        );
        Self::raw(status, "text/html; charset=utf-8", page)
    }

    /// Any status and bytes.
    pub fn raw(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self::of(Content::Raw { status, content_type, body: body.into() })
    }

    /// Bytes that are no text, where JSON should be.
    pub fn not_utf8() -> Self {
        Self::raw(200, "application/json", b"{\"text\": \"caf\xe9 \xff\xfe\"}".as_slice())
    }

    pub fn redirect(status: u16, to: &str) -> Self {
        Self::status(status).header("location", to)
    }

    /// A request that is read and never answered.
    pub fn never() -> Self {
        Self::text("").delivered(Delivery::Never)
    }

    /// A body that goes on for as long as somebody reads it.
    pub fn endless() -> Self {
        Self::text("").delivered(Delivery::Endless)
    }

    #[must_use]
    pub fn call(mut self, tool: &str, input: Value) -> Self {
        self.said_mut().calls.push((tool.to_owned(), input));
        self
    }

    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.said_mut().usage = Some(Usage { input, output, cached: 0 });
        self
    }

    /// As many of the tokens of the question were cached.
    #[must_use]
    pub fn cached(mut self, cached: u64) -> Self {
        let usage = self.said_mut().usage.get_or_insert(Usage { input: 0, output: 0, cached: 0 });
        usage.cached = cached;
        usage.input = usage.input.max(cached);
        self
    }

    #[must_use]
    pub fn finish(mut self, finish: Finish) -> Self {
        self.said_mut().finish = finish;
        self
    }

    #[must_use]
    pub fn by_model(mut self, model: &str) -> Self {
        self.said_mut().model = Some(model.to_owned());
        self
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// `Retry-After` as a number of seconds.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        self.header("retry-after", &seconds.to_string())
    }

    /// `Retry-After` as a date.
    #[must_use]
    pub fn retry_at(self, time: SystemTime) -> Self {
        let time = Timestamp::try_from(time).expect("a time of this age");
        let date = DateTimePrinter::new().timestamp_to_rfc9110_string(&time).expect("a date");
        self.header("retry-after", &date)
    }

    /// Waits until the test calls `release` or `release_some`.
    #[must_use]
    pub fn held(mut self) -> Self {
        self.held = true;
        self
    }

    #[must_use]
    pub fn chunked(self) -> Self {
        self.delivered(Delivery::Chunked)
    }

    #[must_use]
    pub fn dropped_before_head(self) -> Self {
        self.delivered(Delivery::NoHead)
    }

    #[must_use]
    pub fn dropped_mid_body(self) -> Self {
        self.delivered(Delivery::HalfBody)
    }

    #[must_use]
    pub fn dropped_mid_chunk(self) -> Self {
        self.delivered(Delivery::HalfChunk)
    }

    /// Says that its body is this long, whatever it is.
    #[must_use]
    pub fn said_to_be_long(self, bytes: usize) -> Self {
        self.delivered(Delivery::Length(bytes))
    }

    fn of(content: Content) -> Self {
        Self { content, headers: Vec::new(), delivery: Delivery::Whole, held: false }
    }

    fn said(said: Said) -> Self {
        Self::of(Content::Said(said))
    }

    fn delivered(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    fn said_mut(&mut self) -> &mut Said {
        match &mut self.content {
            Content::Said(said) => said,
            Content::Raw { .. } => panic!("only a model says that"),
        }
    }
}
