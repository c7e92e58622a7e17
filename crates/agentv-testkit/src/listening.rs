//! A listener on loopback with a thread for each connection, all of which end with it.

use std::{
    collections::HashMap,
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread::{self, JoinHandle},
};

/// Ends every connection, and waits for whoever serves them, when it is dropped.
pub(crate) struct Listening {
    address: SocketAddr,
    connections: Arc<Mutex<Connections>>,
    accepting: Option<JoinHandle<bool>>,
}

#[derive(Default)]
struct Connections {
    /// By the number of those before.
    open: HashMap<usize, TcpStream>,
    accepted: usize,
    ended: bool,
}

impl Listening {
    /// Accepts at a free port and hands every connection to `serve`, each in a thread of its own.
    pub(crate) fn start(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let connections = Arc::new(Mutex::new(Connections::default()));
        let known = Arc::clone(&connections);
        let serve = Arc::new(serve);
        let accepting = thread::spawn(move || {
            let mut serving = Vec::new();
            for stream in listener.incoming() {
                // A client that is gone already is nobody's fault.
                let Ok(stream) = stream else { continue };
                let Ok(clone) = stream.try_clone() else { continue };
                let mut connections = known.lock().unwrap();
                if connections.ended {
                    break;
                }
                let number = connections.accepted;
                connections.open.insert(number, clone);
                connections.accepted += 1;
                drop(connections);
                let (serve, known) = (Arc::clone(&serve), Arc::clone(&known));
                serving.push(thread::spawn(move || {
                    // Also where serving panics: nobody waits for an answer then.
                    let _closing = Closing { number, known };
                    serve(stream);
                }));
            }
            drop(listener);
            serving.into_iter().map(JoinHandle::join).all(|ended| ended.is_ok())
        });
        Self { address, connections, accepting: Some(accepting) }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections there were until now.
    pub(crate) fn accepted(&self) -> usize {
        self.connections.lock().unwrap().accepted
    }

    /// Ends everything and waits for it; says whether nobody who served a connection panicked.
    pub(crate) fn end(&mut self) -> bool {
        let Some(accepting) = self.accepting.take() else { return true };
        {
            let mut connections = self.connections.lock().unwrap();
            connections.ended = true;
            for (_, stream) in connections.open.drain() {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        // Wakes whoever accepts.
        let _ = TcpStream::connect(self.address);
        accepting.join().unwrap_or(false)
    }
}

/// Closes a connection when whoever serves it is done.
struct Closing {
    number: usize,
    known: Arc<Mutex<Connections>>,
}

impl Drop for Closing {
    fn drop(&mut self) {
        if let Some(stream) = self.known.lock().unwrap().open.remove(&self.number) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.end();
    }
}

/// A port of loopback where nobody listens, and nobody else can while this is held.
pub struct Nobody {
    /// Its own end of a connection occupies the port.
    stream: TcpStream,
    _listener: TcpListener,
}

impl Nobody {
    #[expect(clippy::new_without_default, reason = "it opens sockets")]
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let stream = TcpStream::connect(address).expect("somebody listens");
        Self { stream, _listener: listener }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.stream.local_addr().expect("a connection has an address"))
    }
}
