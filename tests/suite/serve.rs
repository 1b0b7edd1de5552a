//! `plimsoll serve` through the real program: what it shows, what it refuses, what it tells, how it ends.

mod attempts;
mod changes;
mod preview;

use preview::{Preview, project, silent};

use super::command::Folder;

#[test]
fn a_page_is_shown_with_the_script_and_its_headers() {
    let preview = Preview::of(project());
    let page = preview.get("/v1.2.0/checkout/").is(200);
    let script = "<script src=\"/.plimsoll/live.js\" data-site=\"";
    assert_eq!(page.body().matches(script).count(), 1, "{}", page.body());
    // The page allows scripts of its site itself, and connections nowhere.
    assert!(page.body().contains("script-src &#39;self&#39;; style-src"), "{}", page.body());
    assert!(page.body().contains("; connect-src &#39;self&#39;\">"), "{}", page.body());
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-cache"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        assert_eq!(page.header(name), Some(value), "{name}");
    }
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; connect-src 'self'; "), "{policy}");
    for (path, kind) in [("/assets/style.css", "text/css; charset=utf-8"), ("/assets/mark.svg", "image/svg+xml")] {
        assert_eq!(preview.get(path).is(200).header("content-type"), Some(kind));
    }
    let script = preview.get("/.plimsoll/live.js").is(200);
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
    assert!(script.body().contains("EventSource"));
}

#[test]
fn what_is_built_does_not_have_the_script() {
    let folder = project();
    folder.plimsoll(&["build"]).exits(0);
    for (path, bytes) in folder.files("site") {
        assert!(!String::from_utf8_lossy(&bytes).contains(".plimsoll/live.js"), "{path}");
    }
    let built = folder.read("site/assets/style.css");
    let preview = Preview::of(folder);
    assert_eq!(preview.get("/assets/style.css").body(), built);
    assert!(preview.files("").iter().all(|(path, _)| !path.contains(".plimsoll")), "nothing is written");
}

#[test]
fn a_folder_leads_to_its_page() {
    let preview = Preview::of(project());
    let led = preview.get("/v1.2.0").is(307);
    assert_eq!(led.header("location"), Some("/v1.2.0/"));
    assert_eq!(preview.get("/v1.2.0/checkout?a=//evil").is(307).header("location"), Some("/v1.2.0/checkout/"));
    assert_eq!(preview.get("/v1.2.0/").is(200).body(), preview.get("/v1.2.0/index.html").is(200).body());
    for elsewhere in ["//evil.example", "//evil.example/", "//v1.2.0", "/%2f/v1.2.0", "/\\v1.2.0", "/%5cevil.example"] {
        let answer = preview.get(elsewhere).is(400);
        assert_eq!(answer.header("location"), None);
    }
    preview.get("/assets").is(404);
    preview.get("/assets/style.css/").is(404);
}

#[test]
fn what_is_not_there_offers_what_is_near() {
    let preview = Preview::of(project());
    let missing = preview.get("/v1.2.0/chekcout/").is(404);
    assert!(missing.body().contains("<li><a href=\"/v1.2.0/checkout/\">v1.2.0/checkout</a></li>"), "{}", missing.body());
    let hostile = preview.get("/%3Cscript%3Ealert(1)%3C%2fscript%3E").is(400);
    assert!(!hostile.body().contains("<script>alert"));
    let hostile = preview.get("/%3Cimg%20src=x%20onerror=alert(1)%3E").is(404);
    assert!(hostile.body().contains("&lt;img src=x onerror=alert(1)&gt;"), "{}", hostile.body());
}

#[test]
fn what_a_browser_has_is_not_sent_again() {
    let preview = Preview::of(project());
    for path in ["/", "/assets/style.css", "/.plimsoll/live.js"] {
        let first = preview.get(path).is(200);
        let tag = first.header("etag").unwrap();
        for tags in [tag.to_owned(), format!("\"other\", W/{tag}"), "*".to_owned()] {
            let again = preview.ask("GET", path, &[("If-None-Match", &tags)]).is(304);
            assert_eq!((again.body(), again.header("etag")), ("", Some(tag)));
        }
        preview.ask("GET", path, &[("If-None-Match", "\"other\"")]).is(200);
    }
}

#[test]
fn the_head_of_an_answer_is_that_of_the_whole() {
    let preview = Preview::of(project());
    for path in ["/", "/assets/style.css", "/v1.2.0", "/nowhere", "/%"] {
        let (head, whole) = (preview.ask("HEAD", path, &[]), preview.get(path));
        assert_eq!(head.body(), "");
        assert_eq!((head.status, head.header("content-length")), (whole.status, whole.header("content-length")), "{path}");
        assert_eq!(whole.header("content-length"), Some(whole.body().len().to_string().as_str()));
    }
}

#[test]
fn only_reading_is_answered() {
    let preview = Preview::of(project());
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "FOO"] {
        for path in ["/", "/.plimsoll/events", "/nowhere"] {
            assert_eq!(preview.ask(method, path, &[]).is(405).header("allow"), Some("GET, HEAD"), "{method} {path}");
        }
    }
}

#[test]
fn a_name_of_another_site_is_refused() {
    let preview = Preview::of(project());
    let port = preview.port;
    for host in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
        preview.raw(format!("GET / HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n")).is(200);
    }
    let other = if port == 4000 { 4001 } else { 4000 };
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("localhost:{other}"),
        "127.0.0.1".to_owned(),
        format!("192.168.1.7:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("evil@127.0.0.1:{port}"),
        String::new(),
    ] {
        for path in ["/", "/.plimsoll/events", "/.plimsoll/live.js"] {
            let answer = preview.raw(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).is(421);
            assert!(answer.body().contains("another host"), "{host}");
        }
    }
    let ours = format!("127.0.0.1:{port}");
    for head in
        ["GET / HTTP/1.1".to_owned(), "GET / HTTP/1.0".to_owned(), format!("GET / HTTP/1.1\r\nHost: {ours}\r\nHost: {ours}")]
    {
        preview.raw(format!("{head}\r\nConnection: close\r\n\r\n")).is(400);
    }
    // A target with a host of its own means that host, whatever the header says.
    let whole = |target: &str| preview.raw(format!("GET {target} HTTP/1.1\r\nHost: {ours}\r\nConnection: close\r\n\r\n"));
    whole(&format!("http://{ours}/v1.2.0/")).is(200);
    whole("http://evil.example/").is(421);
    whole("evil.example").is(421);
}

#[test]
fn a_taken_port_is_named_with_a_free_one() {
    let preview = Preview::of(project());
    let port = preview.port.to_string();
    let answer = project().plimsoll(&["serve", "--port", &port]).exits(4);
    assert_eq!(answer.out, "");
    let says = &answer.talk;
    assert!(says.contains(&format!("can't listen at 127.0.0.1:{port}")) && says.contains("is free: `--port "), "{says}");
}

#[test]
fn a_folder_that_is_not_there_is_misuse() {
    Folder::new().plimsoll(&["serve", "--port", "0", "--project", "nowhere"]).exits(2).says("there is no folder `nowhere`");
}

#[test]
fn whoever_shows_the_site_to_others_is_told() {
    let preview = Preview::start(project(), &["--bind", "0.0.0.0", "-q"]);
    assert!(preview.url.starts_with("http://127.0.0.1:"), "{}", preview.url);
    preview.get("/").is(200);
    let port = preview.port;
    let named = |host: &str| preview.raw(format!("GET / HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"));
    named("192.168.1.7").is(200);
    named("localhost").is(200);
    named("evil.example").is(421);
    let end = preview.stops();
    assert!(end.contains("others can read the site") && !end.contains("showing"), "{end}");
}

#[test]
fn a_browser_that_cannot_be_opened_is_no_failure() {
    let preview = Preview::with(project(), &["--open"], |command| {
        command.env("PATH", "").env_remove("DISPLAY");
    });
    preview.get("/").is(200);
    preview.stops();
}

#[test]
fn it_stops_at_once_though_pages_listen_and_requests_are_unfinished() {
    let preview = Preview::of(project());
    let mut listening = preview.listen("/");
    listening.hears(|told| told["generation"] == 1);
    let _unfinished = silent(preview.port, "GET / HTTP/1.1\r\nHost: 127.0.0.1");
    let _idle = silent(preview.port, "");
    let says = preview.stops();
    assert!(says.contains("stopping"), "{says}");
    assert!(listening.ends());
}

#[test]
fn the_second_signal_ends_it_at_once() {
    let preview = Preview::of(project());
    let _unfinished = silent(preview.port, "GET / HTTP/1.1\r\n");
    preview.signal("-INT");
    preview.stops();
}
