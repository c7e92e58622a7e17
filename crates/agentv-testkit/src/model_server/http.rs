//! Requests as they come over a connection.

use std::io::{self, Read};

/// A request, whole.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    pub(crate) method: String,
    /// As it stands in the first line.
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Incoming {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let named = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        self.headers.iter().find(named).map(|(_, value)| value.as_str())
    }
}

/// The next request; none where the client has nothing more to ask. `left` holds what was read
/// beyond the request before.
pub(crate) fn read_request(
    stream: &mut (impl Read + ?Sized),
    left: &mut Vec<u8>,
) -> io::Result<Option<Incoming>> {
    let (mut incoming, head) = loop {
        if let Some(found) = head_of(left)? {
            break found;
        }
        if read_more(stream, left)? == 0 {
            return if left.is_empty() { Ok(None) } else { Err(wrong("half a head")) };
        }
    };
    let length = match (incoming.header("content-length"), incoming.header("transfer-encoding")) {
        (_, Some(_)) => return Err(wrong("clients send the length of what they ask")),
        (Some(length), None) => length.parse().map_err(|_| wrong("a length is a number"))?,
        (None, None) => 0,
    };
    while left.len() < head + length {
        if read_more(stream, left)? == 0 {
            return Err(wrong("half a body"));
        }
    }
    incoming.body = left[head..head + length].to_vec();
    left.drain(..head + length);
    Ok(Some(incoming))
}

/// The head that the bytes begin with, and how long it is; none where it is not complete.
fn head_of(bytes: &[u8]) -> io::Result<Option<(Incoming, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(length) =
        request.parse(bytes).map_err(|why| wrong(&why.to_string()))?
    else {
        return Ok(None);
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let headers = request.headers.iter();
    let incoming = Incoming {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        headers: headers.map(|header| (header.name.to_owned(), text(header.value))).collect(),
        body: Vec::new(),
    };
    Ok(Some((incoming, length)))
}

fn read_more(stream: &mut (impl Read + ?Sized), left: &mut Vec<u8>) -> io::Result<usize> {
    let mut piece = [0; 16 * 1024];
    let count = stream.read(&mut piece)?;
    left.extend_from_slice(&piece[..count]);
    Ok(count)
}

fn wrong(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}
