//! Ten thousand requests that want more than they may have.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::preview::{Preview, Reply, project};

/// What lies beside the site, and in no answer.
const SECRET: &str = "a-word-that-is-in-no-page";

/// Ways out that are known from other servers.
const BY_HAND: &[&str] = &[
    "/../secret.txt",
    "/../../secret.txt",
    "/../../../../../../../../etc/passwd",
    "/v1.2.0/../../secret.txt",
    "/v1.2.0/checkout/../../../secret.txt",
    "/%2e%2e/secret.txt",
    "/%2e%2e%2fsecret.txt",
    "/..%2fsecret.txt",
    "/.%2e/secret.txt",
    "/%2e./secret.txt",
    "/%252e%252e/secret.txt",
    "/%252e%252e%252fsecret.txt",
    "/..%252fsecret.txt",
    "/%c0%ae%c0%ae/secret.txt",
    "/%c0%ae%c0%ae%c0%afsecret.txt",
    "/%uff0e%uff0e/secret.txt",
    "/..\\secret.txt",
    "/..%5csecret.txt",
    "/%2e%2e%5csecret.txt",
    "/..%255csecret.txt",
    "\\..\\secret.txt",
    "/....//secret.txt",
    "/..../secret.txt",
    "/..;/secret.txt",
    "/v1.2.0/..;/..;/secret.txt",
    "/secret.txt%00.html",
    "/secret.txt%00",
    "/index.html%00../../secret.txt",
    "/%00",
    "/./secret.txt",
    "/secret.txt",
    "//secret.txt",
    "///etc/passwd",
    "//etc/passwd",
    "//evil.example/%2f..",
    "/%2f%2fevil.example",
    "/etc/passwd",
    "/%2fetc%2fpasswd",
    "file:///etc/passwd",
    "/file:///etc/passwd",
    "/proc/self/environ",
    "/.git/config",
    "/.plimsoll/../../secret.txt",
    "/.plimsoll/..%2f..%2fsecret.txt",
    "/.plimsoll/",
    "/.plimsoll",
    "/.plimsoll/secret.txt",
    "/plimsoll.toml",
    "/data/v1.2.0/checkout/record.json",
    "/talk.txt",
    "/C:/secret.txt",
    "/C:%5csecret.txt",
    "/\\\\127.0.0.1\\c$\\secret.txt",
    "/assets/../../secret.txt",
    "/assets/style.css/../../../secret.txt",
    "/~root/",
    "/?file=../secret.txt",
    "/#/../secret.txt",
    "*",
    "",
    "/%",
    "/%%32%65%%32%65/secret.txt",
    "/\u{ff0e}\u{ff0e}/secret.txt",
    "/ ../secret.txt",
    "/\t../secret.txt",
];

/// Whole requests that no library sends.
fn raw(port: u16) -> Vec<Vec<u8>> {
    let host = format!("Host: 127.0.0.1:{port}\r\nConnection: close\r\n");
    let heads = [
        format!("GET /../secret.txt HTTP/1.1\r\n{host}\r\n"),
        format!("GET ../secret.txt HTTP/1.1\r\n{host}\r\n"),
        format!("GET secret.txt HTTP/1.1\r\n{host}\r\n"),
        format!("GET http://127.0.0.1:{port}/../secret.txt HTTP/1.1\r\n{host}\r\n"),
        format!("GET http://evil.example/../secret.txt HTTP/1.1\r\n{host}\r\n"),
        format!("GET https://127.0.0.1:{port}/%2e%2e/secret.txt HTTP/1.1\r\n{host}\r\n"),
        format!("GET http://127.0.0.1:{port} HTTP/1.1\r\n{host}\r\n"),
        format!("CONNECT evil.example:443 HTTP/1.1\r\n{host}\r\n"),
        format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n{host}\r\n"),
        format!("OPTIONS * HTTP/1.1\r\n{host}\r\n"),
        format!("GET * HTTP/1.1\r\n{host}\r\n"),
        format!("GET /../secret.txt HTTP/1.0\r\n{host}\r\n"),
        "GET /../secret.txt\r\n\r\n".to_owned(),
        "GET /../secret.txt HTTP/0.9\r\n\r\n".to_owned(),
        format!("GET /../secret.txt HTTP/2.0\r\n{host}\r\n"),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        format!("GET /a\0b HTTP/1.1\r\n{host}\r\n"),
        format!("GET  /../secret.txt HTTP/1.1\r\n{host}\r\n"),
        format!("GET\t/../secret.txt\tHTTP/1.1\r\n{host}\r\n"),
        format!("GET /%0d%0aLocation:%20//evil HTTP/1.1\r\n{host}\r\n"),
        format!("GET / HTTP/1.1\r\n{host}X: a\nb\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}If-None-Match: \"\u{e9}\"\r\n\r\n"),
        format!("GET /.plimsoll/live.js HTTP/1.1\r\n{host}Last-Event-ID: ../secret.txt\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}X-Original-URL: /../secret.txt\r\nX-Rewrite-URL: /secret.txt\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}Range: bytes=0-1,5-3,-0\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}Content-Length: -1\r\n\r\n"),
        format!("GET / HTTP/1.1\r\n{host}Content-Length: 3\r\n\r\nabc"),
        format!("POST / HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\nzz\r\n"),
        format!("GET / HTTP/1.1\r\n{host}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: a\r\n\r\n"),
        format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(60_000)),
        format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(70_000)),
        format!("GET /{} HTTP/1.1\r\n{host}\r\n", "../".repeat(20_000)),
        format!("GET /{} HTTP/1.1\r\n{host}\r\n", "%2e%2e/".repeat(8_000)),
        format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x/".repeat(30_000)),
        format!("GET / HTTP/1.1\r\n{host}{}\r\n", "X: a\r\n".repeat(90)),
        format!("GET / HTTP/1.1\r\n{host}{}\r\n", "X: a\r\n".repeat(5000)),
        format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "a".repeat(1 << 20)),
        format!("GET / HTTP/1.1\r\n{host}If-None-Match: {}\r\n\r\n", "\"a\",".repeat(50_000)),
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}".to_owned() + "\r\n\r\n",
    ];
    let mut all: Vec<Vec<u8>> = heads.into_iter().map(String::into_bytes).collect();
    for bytes in [&b"/\xff\xfe"[..], b"/\xc0\xae\xc0\xae/secret.txt", b"/\xe2\x82", b"/\x7f"] {
        all.push([b"GET ", bytes, b" HTTP/1.1\r\n", host.as_bytes(), b"\r\n"].concat());
    }
    all
}

/// A target made of the pieces that ways out are made of.
fn targets() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "..", ".", "/", "/", "//", "\\", "%2e", "%2E", "%2f", "%5c", "%00", "%25", "%252e", "%c0%ae", "%", ";", "?", "#", ":", "@",
            "secret.txt", "plimsoll.toml", "index.html", "v1.2.0", "checkout", "assets", "style.css", ".plimsoll", "etc", "passwd", "data",
            "record.json", "~", "http:", "127.0.0.1", "evil.example",
        ]).prop_map(str::to_owned),
        1 => "[!-~]{1,6}",
        1 => "%[0-9a-f]{2}",
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| format!("/{}", pieces.concat()))
}

/// A connection that is used again as long as the server keeps it.
struct Line {
    port: u16,
    stream: Option<TcpStream>,
}

impl Line {
    fn asks(&mut self, target: &str) -> Reply {
        let head = format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port);
        let mut stream = self.stream.take().unwrap_or_else(|| super::silent(self.port, ""));
        stream.write_all(head.as_bytes()).unwrap_or_else(|error| panic!("{target}: {error}"));
        let (bytes, is_open) = answer(&mut stream, target);
        self.stream = is_open.then_some(stream);
        Reply::read(&bytes).unwrap_or_else(|| panic!("no answer to {target}"))
    }
}

/// One answer of known length, and whether another may follow.
fn answer(stream: &mut TcpStream, target: &str) -> (Vec<u8>, bool) {
    let (mut bytes, mut piece) = (Vec::new(), [0; 1 << 13]);
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let reply = Reply::read(&bytes).unwrap();
            let length: usize = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
            if bytes.len() >= end + 4 + length {
                return (bytes, reply.header("connection") != Some("close"));
            }
        }
        let read = stream.read(&mut piece).unwrap_or_else(|error| panic!("{target}: {error}"));
        assert!(read > 0, "{target}: it ended after {:?}", String::from_utf8_lossy(&bytes));
        bytes.extend(&piece[..read]);
    }
}

fn holds(reply: &Reply, of: &str) {
    assert!(reply.status < 500, "{} to {of:?}", reply.status);
    let all = reply.body();
    assert!(!all.contains(SECRET) && !all.contains("root:x:") && !all.contains("[service]"), "{of:?} got out");
    if let Some(to) = reply.header("location") {
        assert!(to.starts_with('/') && !to.starts_with("//") && !to.contains('\\'), "{of:?} leads to {to}");
    }
}

#[test]
fn ten_thousand_requests_get_nothing_but_the_site() {
    let preview =
        Preview::of(project().file("secret.txt", SECRET).file("site/secret.txt", SECRET).file("data/secret.txt", SECRET));
    let pages: BTreeSet<String> =
        ["/", "/v1.2.0/", "/v1.2.0/checkout/"].into_iter().map(|path| preview.get(path).is(200).body().to_owned()).collect();
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]));
    let generated = (0..10_000)
        .map(|_| targets().new_tree(&mut runner).unwrap().current())
        .filter(|target| !target.contains(".plimsoll/events"));
    let targets: Vec<String> = BY_HAND.iter().map(|target| (*target).to_owned()).chain(generated).collect();
    let (served, port) = (AtomicUsize::new(0), preview.port);
    std::thread::scope(|scope| {
        for part in targets.chunks(targets.len().div_ceil(8)) {
            let (pages, served) = (&pages, &served);
            scope.spawn(move || {
                let mut line = Line { port, stream: None };
                for target in part {
                    let reply = line.asks(target);
                    holds(&reply, target);
                    if reply.status == 200 && reply.header("content-type") == Some("text/html; charset=utf-8") {
                        assert!(pages.contains(reply.body()), "{target:?} got a page that the site does not have");
                        served.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let raw = raw(preview.port);
    let answers = raw.iter().filter_map(|request| Some((preview.sent(request)?, request)));
    let answered =
        answers.map(|(reply, request)| holds(&reply, &String::from_utf8_lossy(&request[..request.len().min(200)]))).count();
    // A connection that speaks HTTP/2 or TLS, or goes on after its refusal, may end without a word.
    assert!(answered >= raw.len() - 5, "{answered} of {} were answered", raw.len());
    assert!(served.load(Ordering::Relaxed) > 10, "hardly any request named a page: the test asks nothing");
    assert!(pages.contains(preview.get("/").is(200).body()));
    let says = preview.stops();
    assert!(!says.contains("panicked"), "{says}");
}
