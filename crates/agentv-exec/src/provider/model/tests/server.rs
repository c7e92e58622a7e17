//! A server on loopback that says what it is told to say, byte by byte, and remembers what it heard.

use std::{
    io::{BufRead, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// What happens after a request was read.
#[derive(Clone)]
pub(super) enum Step {
    /// These bytes, and the connection stays open for the next request.
    Say(Vec<u8>),
    /// These bytes, and the connection is closed.
    Hang(Vec<u8>),
    /// Nothing, until the client goes away.
    Silence,
}

pub(super) struct Server {
    pub(super) url: String,
    heard: Arc<Mutex<Vec<String>>>,
}

/// An answer with a status, headers and a body.
pub(super) fn answer(status: &str, headers: &[&str], body: &str) -> Step {
    let length = body.len();
    let length = format!("content-length: {length}");
    let lines = [&[status, &length], headers, &["", body]].concat();
    Step::Say(format!("HTTP/1.1 {}", lines.join("\r\n")).into_bytes())
}

/// A success that says this.
pub(super) fn ok(body: &str) -> Step {
    answer("200 OK", &[], body)
}

impl Server {
    /// Follows the script, and then repeats its last step.
    pub(super) fn new(script: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let heard = Arc::new(Mutex::new(Vec::new()));
        let remembered = Arc::clone(&heard);
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (heard, script) = (Arc::clone(&remembered), Arc::clone(&script));
                thread::spawn(move || serve(stream.unwrap(), &script, &heard));
            }
        });
        Self { url, heard }
    }

    /// Says this to everyone, whatever they say, once they have said anything.
    pub(super) fn answering_at_once(step: Step) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        thread::spawn(move || {
            let (Step::Say(bytes) | Step::Hang(bytes)) = step else { return };
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(&bytes);
            }
        });
        Self { url, heard: Arc::default() }
    }

    /// Every request, head and body.
    pub(super) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

fn serve(mut stream: TcpStream, script: &[Step], heard: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while let Some(request) = read(&mut reader) {
        let place = {
            let mut heard = heard.lock().unwrap();
            heard.push(request);
            heard.len() - 1
        };
        match script.get(place).or(script.last()).unwrap() {
            // A client that has heard enough goes away.
            Step::Say(bytes) => {
                if stream.write_all(bytes).is_err() {
                    return;
                }
            }
            Step::Hang(bytes) => {
                let _ = stream.write_all(bytes);
                return;
            }
            Step::Silence => {
                let _ = reader.read(&mut [0]);
                return;
            }
        }
    }
}

fn read(reader: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(head + &String::from_utf8(body).unwrap())
}
