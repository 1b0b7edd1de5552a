//! A preview that runs, asked byte by byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::command::Folder;

/// Longer than anything takes on a busy machine; reached only where something is wrong.
const DEADLINE: Duration = Duration::from_mins(2);

const LOG: &[u8] = include_bytes!("../../fixtures/k6/add_session/stdout.txt");

/// A project with one run.
pub(super) fn project() -> Folder {
    let folder = Folder::new().file("k6.log", LOG).file("plimsoll.toml", "schema = 1\n[service]\nname = \"Shop\"\n");
    folder.plimsoll(&["ingest", "k6.log", "--release", "v1.2.0", "--target", "checkout"]).exits(0);
    folder
}

/// The program as it serves a folder; it goes with this.
pub(super) struct Preview {
    folder: Folder,
    child: Child,
    pub(super) url: String,
    pub(super) port: u16,
}

impl Preview {
    pub(super) fn of(folder: Folder) -> Self {
        Self::start(folder, &[])
    }

    pub(super) fn start(folder: Folder, args: &[&str]) -> Self {
        Self::with(folder, args, |_| {})
    }

    /// Starts it at any port and waits for the URL.
    pub(super) fn with(folder: Folder, args: &[&str], set: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("plimsoll"));
        command.args(["serve", "--port", "0"]).args(args).current_dir(folder.path(""));
        let talk = std::fs::File::create(folder.path("talk.txt")).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(talk);
        set(&mut command);
        let mut child = command.spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let url = url.trim_end().to_owned();
        let port = url.trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no URL but `{url}`: {}", folder.read("talk.txt")));
        Self { folder, child, url, port }
    }

    /// What it said so far.
    pub(super) fn talk(&self) -> String {
        self.folder.read("talk.txt")
    }

    pub(super) fn files(&self, below: &str) -> Vec<(String, Vec<u8>)> {
        self.folder.files(below)
    }

    pub(super) fn path(&self, path: &str) -> std::path::PathBuf {
        self.folder.path(path)
    }

    /// Writes a file of the project as many editors do: beside it, then renamed.
    pub(super) fn writes(&self, path: &str, text: &str) {
        let place = self.folder.path(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        let beside = place.with_extension("editor");
        std::fs::write(&beside, text).unwrap();
        std::fs::rename(beside, place).unwrap();
    }

    /// Another command in the same folder.
    pub(super) fn plimsoll(&self, args: &[&str]) -> crate::command::Answer {
        self.folder.plimsoll(args)
    }

    pub(super) fn get(&self, target: &str) -> Reply {
        self.ask("GET", target, &[])
    }

    pub(super) fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Reply {
        let headers = headers.iter().fold(String::new(), |text, (name, value)| text + name + ": " + value + "\r\n");
        self.raw(format!("{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n{headers}\r\n", self.port))
    }

    /// Sends bytes and reads the answer.
    #[track_caller]
    pub(super) fn raw(&self, request: impl AsRef<[u8]>) -> Reply {
        let text = String::from_utf8_lossy(request.as_ref());
        self.sent(request.as_ref()).unwrap_or_else(|| panic!("no answer to {text:?}"))
    }

    /// Sends bytes and reads until the server closes; what is no HTTP may get no answer.
    pub(super) fn sent(&self, request: impl AsRef<[u8]>) -> Option<Reply> {
        let mut stream = connect(self.port);
        // A server may refuse before it has read all.
        let _sent = stream.write_all(request.as_ref());
        let mut bytes = Vec::new();
        let _read = stream.read_to_end(&mut bytes);
        Reply::read(&bytes)
    }

    /// Listens to events as a page does.
    pub(super) fn listen(&self, since: &str) -> Listening {
        let mut stream = connect(self.port);
        let head = format!("GET /.plimsoll/events?since={since} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port);
        stream.write_all(head.as_bytes()).unwrap();
        Listening { lines: BufReader::new(stream) }
    }

    /// Asks it to stop, asserts that it ends well, gives what it said.
    #[track_caller]
    pub(super) fn stops(mut self) -> String {
        self.signal("-TERM");
        let status = self.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{}", self.talk());
        self.talk()
    }

    pub(super) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Preview {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _waited = self.child.wait();
    }
}

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream
}

/// A connection that sends a part of a request and no more.
pub(super) fn silent(port: u16, sent: &str) -> TcpStream {
    let mut stream = connect(port);
    stream.write_all(sent.as_bytes()).unwrap();
    stream
}

/// An answer, read.
pub(super) struct Reply {
    pub(super) status: u16,
    head: String,
    body: String,
}

impl Reply {
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Self { status, head: head.to_owned(), body: body.to_owned() })
    }

    #[track_caller]
    pub(super) fn is(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}\n\n{}", self.head, self.body);
        self
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut pairs = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(super) fn body(&self) -> &str {
        &self.body
    }
}

/// A stream of events.
pub(super) struct Listening {
    lines: BufReader<TcpStream>,
}

impl Listening {
    /// Reads on until an event tells what is waited for.
    #[track_caller]
    pub(super) fn hears(&mut self, wanted: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
        let (mut heard, mut kept_alive) = (Vec::new(), 0);
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line);
            assert!(read.as_ref().is_ok_and(|bytes| *bytes > 0), "it ended ({read:?}) after {heard:#?}");
            kept_alive += usize::from(line.starts_with(':'));
            assert!(kept_alive < 8, "for minutes it was not told, but {heard:#?}");
            let Some(data) = line.strip_prefix("data: ") else { continue };
            let told: serde_json::Value = serde_json::from_str(data).unwrap();
            if wanted(&told) {
                return told;
            }
            heard.push(told);
        }
    }

    /// Whether the server ended it.
    pub(super) fn ends(mut self) -> bool {
        self.lines.read_to_end(&mut Vec::new()).is_ok()
    }
}
