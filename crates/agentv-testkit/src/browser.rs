//! A real Chromium, for pages that must work in one: it opens files, runs scripts in them, and says
//! what it saw.
//!
//! It speaks the DevTools protocol over two pipes. Libraries that do the same bring a download of a
//! browser into the build, or an asynchronous runtime; what is needed here is a page of code. The
//! pipes are named ones, because Chromium wants them as its descriptors 3 and 4, and a shell can
//! open them there without unsafe code. No browser outlives its `Browser`, also when a test fails.

use std::{
    fs::{self, File, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use nix::{
    sys::{
        signal::{Signal, killpg},
        stat::Mode,
    },
    unistd::{Pid, mkfifo},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::processes::kill_processes_with;

/// Far more than any answer takes: a browser that says nothing for so long will not.
const PATIENCE: Duration = Duration::from_mins(2);

/// By which a browser is called, on the systems that there are.
const PROGRAMS: &[&str] =
    &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// A started browser with one page.
pub struct Browser {
    child: Child,
    folder: TempDir,
    to: File,
    from: Receiver<Value>,
    session: Option<String>,
    last_id: u64,
    seen: Seen,
}

/// What happened in the page since it was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Errors and warnings of the console, and exceptions that nobody caught.
    pub console: Vec<String>,
    /// Every address that was asked for.
    pub requests: Vec<String>,
    /// Texts of `alert` and its like; each is dismissed.
    pub dialogs: Vec<String>,
}

impl Browser {
    /// Starts it. A machine without one fails the test, and says what is missing.
    pub fn start() -> Self {
        let program = program();
        let folder = tempfile::Builder::new().prefix("browser-").tempdir().unwrap();
        let pipe = |name: &str| {
            let path = folder.path().join(name);
            mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR).expect("a named pipe");
            // Both ways, so that opening waits for nobody.
            OpenOptions::new().read(true).write(true).open(path).expect("the named pipe")
        };
        let (to, from) = (pipe("to"), pipe("from"));
        let child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<\"$PIPES/to\" 4>\"$PIPES/from\"", "sh"])
            .arg(program)
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"])
            .args(["--disable-breakpad", "--disable-crash-reporter", "--no-first-run"])
            .args([
                "--disable-background-networking",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
            ])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .env("PIPES", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("a shell");
        let from = messages(from);
        let mut browser =
            Self { child, folder, to, from, session: None, last_id: 0, seen: Seen::default() };
        let target = browser.call("Target.createTarget", &json!({"url": "about:blank"}));
        let attached = browser.call(
            "Target.attachToTarget",
            &json!({"targetId": target["targetId"], "flatten": true}),
        );
        browser.session = Some(attached["sessionId"].as_str().expect("a session").to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Opens a file and waits until it is there; `hash` goes behind its address.
    pub fn open(&mut self, file: &Path, hash: &str) {
        // Another page first, or only the hash would change.
        self.call("Page.navigate", &json!({"url": "about:blank"}));
        self.evaluate("1");
        self.seen = Seen::default();
        let address = format!("file://{}{hash}", file.canonicalize().unwrap().display());
        let gone = self.call("Page.navigate", &json!({"url": address}));
        assert!(gone["errorText"].is_null(), "{address}: {gone}");
        let loaded = "new Promise(done => { const look = () => location.protocol === 'file:' && \
                      document.readyState === 'complete' ? done(true) : setTimeout(look, 5); look(); })";
        assert_eq!(self.evaluate(loaded), true, "{address} was opened");
    }

    /// What an expression comes to; a promise is waited for. Panics where it throws.
    pub fn evaluate(&mut self, script: &str) -> Value {
        let asked = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        let mut result = self.call("Runtime.evaluate", &asked);
        let thrown = &result["exceptionDetails"];
        assert!(thrown.is_null(), "{script}: {thrown}");
        result["result"]["value"].take()
    }

    /// The size of the window, in the points of the page.
    pub fn set_size(&mut self, width: u32, height: u32, is_mobile: bool) {
        let scale = if is_mobile { 2 } else { 1 };
        self.call(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": is_mobile}),
        );
    }

    /// `light` or `dark`, on the screen or on paper.
    pub fn set_media(&mut self, scheme: &str, is_print: bool) {
        let media = if is_print { "print" } else { "screen" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.call("Emulation.setEmulatedMedia", &json!({"media": media, "features": features}));
    }

    /// Presses a key, as `/`, `j` or `Escape`.
    pub fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        let text = if key == "Enter" { "\r" } else { text };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            self.call("Input.dispatchKeyEvent", &json!({"type": kind, "key": key, "text": text}));
        }
    }

    /// A picture of what is on the screen, as PNG.
    pub fn screenshot(&mut self, file: &Path) {
        let picture = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        fs::write(file, decoded(picture["data"].as_str().expect("a picture"))).unwrap();
    }

    /// Everything that happened since the page was opened.
    pub fn seen(&mut self) -> Seen {
        // Whatever happened before this answer was told before it.
        self.evaluate("new Promise(done => setTimeout(done))");
        self.seen.clone()
    }

    /// Asks the browser something and waits for its answer; what it tells meanwhile is noted.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        loop {
            let message = self.from.recv_timeout(PATIENCE);
            let mut message = message.unwrap_or_else(|_| panic!("no answer to {method}"));
            if message["id"] == id {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].take();
            }
            self.note(&message);
        }
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("the browser listens");
        self.last_id
    }

    fn note(&mut self, message: &Value) {
        let params = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.consoleAPICalled"
                if params["type"] == "error" || params["type"] == "warning" =>
            {
                self.seen.console.push(params["args"].to_string());
            }
            "Runtime.exceptionThrown" => {
                self.seen.console.push(params["exceptionDetails"].to_string());
            }
            "Log.entryAdded" if params["entry"]["level"] != "verbose" => {
                self.seen.console.push(params["entry"].to_string());
            }
            "Network.requestWillBeSent" => {
                let address = params["request"]["url"].as_str().unwrap_or_default();
                self.seen.requests.push(address.to_owned());
            }
            "Page.javascriptDialogOpening" => {
                self.seen.dialogs.push(params["message"].to_string());
                self.send("Page.handleJavaScriptDialog", &json!({"accept": false}));
            }
            _ => {}
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = killpg(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGKILL);
        let _ = self.child.wait();
        // Helpers that left the group carry the folder in their environment.
        kill_processes_with(&self.folder.path().to_string_lossy());
    }
}

/// The browser of this machine, or of the user's choice.
fn program() -> String {
    if let Ok(chosen) = std::env::var("CHROME") {
        return chosen;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&&str| std::env::split_paths(&path).any(|it| it.join(name).is_file());
    PROGRAMS
        .iter()
        .find(is_there)
        .map(|name| (*name).to_owned())
        .expect("a Chromium: `scripts/test` installs one; name another in CHROME")
}

/// Messages end with a zero byte. Read in a thread of its own, so that waiting can be given up.
fn messages(from: File) -> Receiver<Value> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for message in BufReader::new(from).split(0) {
            let Ok(message) = message.map(|bytes| serde_json::from_slice(&bytes)) else { return };
            if sender.send(message.expect("JSON from the browser")).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The bytes behind a text in base64, as pictures come.
fn decoded(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = alphabet.iter().position(|it| *it == letter).expect("a letter of base64");
        bits = bits << 6 | u32::try_from(value).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count).unwrap());
            bits &= (1 << count) - 1;
        }
    }
    bytes
}
