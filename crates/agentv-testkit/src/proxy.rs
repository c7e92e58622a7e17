//! A forward proxy on loopback that writes down what went through it.

use std::{
    io::{self, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use crate::{
    listening::Listening,
    model_server::http::{Incoming, read_request},
};

/// A running proxy, for tunnels (`CONNECT`) and for requests with a whole address. It ends with
/// this.
pub struct Proxy {
    listening: Listening,
    log: Arc<Mutex<Log>>,
}

#[derive(Default)]
struct Log {
    passed: Vec<Passed>,
    /// Where everything goes, whatever the client asked for.
    leads_to: Option<SocketAddr>,
    /// The header that clients must send.
    login: Option<String>,
}

/// A request of a client to the proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// `CONNECT` for a tunnel.
    pub method: String,
    /// `host:port` of a tunnel, else the whole address.
    pub address: String,
    pub headers: Vec<(String, String)>,
    /// Whether it lacked what the proxy asks for.
    pub refused: bool,
}

impl Proxy {
    pub fn start() -> Self {
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        let listening = Listening::start(move |stream| {
            // Whatever goes wrong with a connection is the business of the client.
            let _ = serve(stream, &shared);
        });
        Self { listening, log }
    }

    /// Brings everyone to this port of loopback, so that clients can ask for hosts that nobody else
    /// finds.
    #[must_use]
    pub fn leads_to(self, port: u16) -> Self {
        self.log.lock().unwrap().leads_to = Some(SocketAddr::from(([127, 0, 0, 1], port)));
        self
    }

    /// Lets only those through who send this as `Proxy-Authorization`.
    #[must_use]
    pub fn login(self, header: &str) -> Self {
        self.log.lock().unwrap().login = Some(header.to_owned());
        self
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.listening.address())
    }

    /// `host:port`.
    pub fn address(&self) -> String {
        self.listening.address().to_string()
    }

    pub fn passed(&self) -> Vec<Passed> {
        self.log.lock().unwrap().passed.clone()
    }
}

fn serve(mut client: TcpStream, log: &Mutex<Log>) -> io::Result<()> {
    let mut left = Vec::new();
    while let Some(incoming) = read_request(&mut client, &mut left)? {
        let (leads_to, refused) = {
            let mut log = log.lock().unwrap();
            let given = incoming.header("proxy-authorization");
            let refused = log.login.as_deref().is_some_and(|login| given != Some(login));
            log.passed.push(Passed {
                method: incoming.method.clone(),
                address: incoming.target.clone(),
                headers: incoming.headers.clone(),
                refused,
            });
            (log.leads_to, refused)
        };
        if refused {
            let head = "HTTP/1.1 407 Proxy Authentication Required\r\n\
                        proxy-authenticate: Basic realm=\"proxy\"\r\ncontent-length: 0\r\n\r\n";
            client.write_all(head.as_bytes())?;
            continue;
        }
        let host = host_of(&incoming);
        let found = match leads_to {
            Some(address) => TcpStream::connect(address),
            None => TcpStream::connect(&host),
        };
        let Ok(mut server) = found else {
            client.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")?;
            continue;
        };
        if incoming.method == "CONNECT" {
            client.write_all(b"HTTP/1.1 200 Connection Established\r\n\r\n")?;
            server.write_all(&left)?;
            return tunnel(client, server);
        }
        server.write_all(&forwarded(&incoming))?;
        return bring_back(server, client);
    }
    Ok(())
}

/// `host:port` of what a client wants to reach.
fn host_of(incoming: &Incoming) -> String {
    let target = incoming.target.strip_prefix("http://").unwrap_or(&incoming.target);
    let host = target.split(['/', '?']).next().unwrap_or_default();
    if host.contains(':') { host.to_owned() } else { format!("{host}:80") }
}

/// The request as the server wants it: with a path only, and nothing that was for the proxy. It is
/// the last of its connection.
fn forwarded(incoming: &Incoming) -> Vec<u8> {
    let target = incoming.target.strip_prefix("http://").unwrap_or(&incoming.target);
    let path = target.find('/').map_or("/", |at| target.split_at(at).1);
    let mut head = format!("{} {path} HTTP/1.1\r\n", incoming.method);
    for (name, value) in &incoming.headers {
        if !name.to_ascii_lowercase().starts_with("proxy-") {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    head.push_str("connection: close\r\n\r\n");
    [head.into_bytes(), incoming.body.clone()].concat()
}

/// Carries one answer to the client, and says in it that the connection ends there.
fn bring_back(mut server: TcpStream, mut client: TcpStream) -> io::Result<()> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n") {
        if server.read(&mut byte)? == 0 {
            return Ok(());
        }
        line.extend(byte);
    }
    line.extend(b"connection: close\r\n");
    client.write_all(&line)?;
    carry(server, client);
    Ok(())
}

/// Carries bytes both ways until one side ends.
fn tunnel(client: TcpStream, server: TcpStream) -> io::Result<()> {
    let (from_client, to_server) = (client.try_clone()?, server.try_clone()?);
    let there = thread::spawn(move || carry(from_client, to_server));
    carry(server, client);
    there.join().map_err(|_| io::Error::other("a carrier panicked"))
}

fn carry(mut from: TcpStream, mut to: TcpStream) {
    let mut piece = [0; 16 * 1024];
    while let Ok(count @ 1..) = from.read(&mut piece) {
        if to.write_all(&piece[..count]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
