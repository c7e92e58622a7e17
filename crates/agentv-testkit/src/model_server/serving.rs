//! One connection: requests in, answers out, as whole or as broken as the script says.

use std::io::{self, Read, Write};

use super::{
    answer::{Answer, Content, Delivery},
    asked::Asked,
    http::read_request,
    ledger::Ledger,
    vendor,
};

/// A connection, be it secure or not.
pub(super) trait Wire: Read + Write {}
impl<T: Read + Write> Wire for T {}

/// What an endless body is made of.
const PIECE: [u8; 16 * 1024] = [b' '; 16 * 1024];

/// Answers until the client has nothing more to ask or an answer ends the connection. An error is
/// the client's: it went away, or does not speak HTTP.
pub(super) fn serve(stream: &mut dyn Wire, ledger: &Ledger) -> io::Result<()> {
    let mut left = Vec::new();
    while let Some(incoming) = read_request(stream, &mut left)? {
        let (asked, answer) = ledger.arrived(incoming);
        let answer = answer.unwrap_or_else(|refusal| Answer::fault(refusal.status, &refusal.body));
        if answer.held && !ledger.hold() {
            return Ok(());
        }
        if answer.delivery == Delivery::Never {
            // Ends when the client or the server does.
            let gone = read_request(stream, &mut left);
            ledger.answering(&asked);
            ledger.client_gave_up();
            return gone.map(|_| ());
        }
        ledger.answering(&asked);
        let goes_on = deliver(stream, &asked, &answer)?;
        if !goes_on || asked.header("connection").is_some_and(|wish| wish == "close") {
            return Ok(());
        }
    }
    Ok(())
}

/// Sends an answer; says whether the connection goes on.
fn deliver(stream: &mut dyn Wire, asked: &Asked, answer: &Answer) -> io::Result<bool> {
    let (status, content_type, body) = match &answer.content {
        Content::Raw { status, content_type, body } => (*status, *content_type, body.clone()),
        Content::Said(said) => {
            (200, "application/json", vendor::body(asked, said).to_string().into_bytes())
        }
    };
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    head.push_str(&format!(
        "content-type: {content_type}\r\nx-request-id: req-{}\r\n",
        asked.number
    ));
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let (first, second) = body.split_at(body.len() / 2);
    match answer.delivery {
        Delivery::Whole | Delivery::HalfBody | Delivery::Length(_) => {
            let length = match answer.delivery {
                Delivery::Length(length) => length,
                _ => body.len(),
            };
            head.push_str(&format!("content-length: {length}\r\n\r\n"));
            stream.write_all(head.as_bytes())?;
            let whole = answer.delivery != Delivery::HalfBody;
            stream.write_all(if whole { &body } else { first })?;
        }
        Delivery::Chunked => {
            head.push_str("transfer-encoding: chunked\r\n\r\n");
            stream.write_all(head.as_bytes())?;
            for piece in body.chunks(PIECE.len()) {
                write_chunk(stream, piece)?;
            }
            stream.write_all(b"0\r\n\r\n")?;
        }
        Delivery::HalfChunk => {
            head.push_str("transfer-encoding: chunked\r\n\r\n");
            stream.write_all(head.as_bytes())?;
            write_chunk(stream, first)?;
            stream.write_all(format!("{:x}\r\n", second.len() + 1).as_bytes())?;
            stream.write_all(second)?;
        }
        Delivery::Endless => {
            head.push_str("transfer-encoding: chunked\r\n\r\n");
            stream.write_all(head.as_bytes())?;
            loop {
                write_chunk(stream, &PIECE)?;
            }
        }
        Delivery::NoHead | Delivery::Never => return Ok(false),
    }
    stream.flush()?;
    Ok(matches!(answer.delivery, Delivery::Whole | Delivery::Chunked))
}

fn write_chunk(stream: &mut dyn Wire, piece: &[u8]) -> io::Result<()> {
    if piece.is_empty() {
        return Ok(());
    }
    stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
    stream.write_all(piece)?;
    stream.write_all(b"\r\n")
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Whatever",
    }
}
