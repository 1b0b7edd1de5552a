//! What a request gets: a file of the site, a way to it, or words why not. Nothing here reads a disk.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tokio::sync::watch;

use super::address::{self, Asked};
use super::hosts::Hosts;
use super::near::{INDEX, near};
use super::site::{File, Site};
use super::{events, page};

/// What is shown, and to whom.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// The latest site.
    pub(super) site: watch::Receiver<Arc<Site>>,
    /// Whom requests may be meant for.
    pub(super) hosts: Hosts,
}

const HTML: &str = "text/html; charset=utf-8";
const PLAIN: &str = "text/plain; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Answers a request.
pub(super) async fn answer(State(shown): State<Shown>, request: Request) -> Response {
    if let Some(refused) = refused(&request, shown.hosts) {
        return refused;
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let allow = [(header::ALLOW, "GET, HEAD")];
        return (allow, plain(StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered here")).into_response();
    }
    let asked = match address::read(request.uri().path()) {
        Ok(asked) => asked,
        Err(bad) => return plain(StatusCode::BAD_REQUEST, &bad.to_string()),
    };
    let site = shown.site.borrow().clone();
    match asked.path.as_str() {
        page::EVENTS if request.method() == Method::GET => events::told(shown.site.clone(), &request),
        page::EVENTS => ([(header::CONTENT_TYPE, "text/event-stream")], Body::empty()).into_response(),
        page::SCRIPT => sent(request.headers(), SCRIPT, page::SCRIPT_TEXT, env!("CARGO_PKG_VERSION")),
        _ if site.generation() == 0 => unmade(&site),
        _ => of_site(&site, &asked, request.headers()),
    }
}

/// What a request gets that is not meant for this server. Both names count where there are two: a proxy writes one into the target.
fn refused(request: &Request, hosts: Hosts) -> Option<Response> {
    let mut named = request.headers().get_all(header::HOST).iter();
    let (Some(host), None) = (named.next(), named.next()) else {
        return Some(plain(StatusCode::BAD_REQUEST, "a request names one host, in its header `Host`"));
    };
    let is_ours = host.to_str().is_ok_and(|host| hosts.allow(host));
    if is_ours && request.uri().authority().is_none_or(|authority| hosts.allow(authority.as_str())) {
        return None;
    }
    let why = "this request is meant for another host: the preview answers to localhost and to its own address with its own port, \
               so that pages of other sites can't read it under a name of theirs";
    Some(plain(StatusCode::MISDIRECTED_REQUEST, why))
}

fn of_site(site: &Site, asked: &Asked, headers: &HeaderMap) -> Response {
    let index = if asked.path.is_empty() { INDEX.to_owned() } else { format!("{}/{INDEX}", asked.path) };
    if !asked.is_folder
        && let Some(file) = site.file(&asked.path)
    {
        return of_file(site, &asked.path, file, headers);
    }
    match site.file(&index) {
        Some(file) if asked.is_folder => of_file(site, &index, file, headers),
        Some(_) => redirect(&format!("{}/", address::target(&asked.path))),
        None => missing(site, asked),
    }
}

fn of_file(site: &Site, path: &str, file: &File, headers: &HeaderMap) -> Response {
    let kind = kind(path);
    if kind != HTML {
        return sent(headers, kind, file.bytes.clone(), &file.digest);
    }
    // The page as it is sent names the site that it is of.
    let tag = format!("{}-{}", file.digest, site.name());
    sent(headers, kind, page::live(&String::from_utf8_lossy(&file.bytes), site), &tag)
}

/// Bytes, or that they are those the browser has.
fn sent(headers: &HeaderMap, kind: &'static str, bytes: impl Into<Bytes>, tag: &str) -> Response {
    let tag = format!("\"{tag}\"");
    let known =
        headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(|tags| names(tags, &tag));
    let about = [(header::ETAG, text(&tag))];
    if known {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    (about, [(header::CONTENT_TYPE, HeaderValue::from_static(kind))], Body::from(bytes.into())).into_response()
}

/// Whether a list of tags names one, weak or not (RFC 9110, 13.1.2).
fn names(tags: &str, tag: &str) -> bool {
    tags.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

/// A header's value. What is handed in here is ASCII without controls, which is always one.
fn text(value: &str) -> HeaderValue {
    HeaderValue::from_str(value).unwrap_or_else(|_| HeaderValue::from_static(""))
}

fn redirect(target: &str) -> Response {
    let place = [(header::LOCATION, text(target))];
    (place, plain(StatusCode::TEMPORARY_REDIRECT, &format!("the page is at {target}"))).into_response()
}

fn missing(site: &Site, asked: &Asked) -> Response {
    let words = page::missing(&format!("/{}", asked.path), &near(site, &asked.path), site);
    (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, HTML)], words).into_response()
}

/// Not the page that was asked for, so no success: who fetches pages must not take it for one. A browser shows it all the same.
fn unmade(site: &Site) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, [(header::CONTENT_TYPE, HTML)], page::unmade(site)).into_response()
}

fn plain(status: StatusCode, words: &str) -> Response {
    (status, [(header::CONTENT_TYPE, PLAIN)], format!("{words}\n")).into_response()
}

/// What a file is, by its ending.
fn kind(path: &str) -> &'static str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html" | "htm") => HTML,
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => SCRIPT,
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("xml") => "application/xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md" | "mdx" | "csv") => PLAIN,
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_found_in_a_list() {
        for tags in ["\"a\"", "W/\"a\"", "\"b\", \"a\"", "*", "\"b\" , W/\"a\""] {
            assert!(names(tags, "\"a\""), "{tags}");
        }
        for tags in ["", "a", "\"b\"", "\"aa\"", "w/\"a\""] {
            assert!(!names(tags, "\"a\""), "{tags}");
        }
    }

    #[test]
    fn a_file_is_what_its_ending_says() {
        assert_eq!(kind("v1.2/index.html"), HTML);
        assert_eq!(kind("a.svg/b"), "application/octet-stream");
        assert_eq!(kind("assets/mark.svg"), "image/svg+xml");
    }
}
