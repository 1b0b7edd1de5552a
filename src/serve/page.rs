//! HTML as it is sent: pages of the site with the script that hears of changes, and the pages that the server has of its own.

use std::fmt::Write;

use super::address::target;
use super::site::Site;
use crate::render::markup::escape;
use crate::render::site::links;

/// Where the script lies. No target and no release has a name that begins with a dot.
pub(super) const SCRIPT: &str = ".plimsoll/live.js";
/// Where changes are told.
pub(super) const EVENTS: &str = ".plimsoll/events";
/// The script.
pub(super) const SCRIPT_TEXT: &str = include_str!("live.js");

/// What the script and its connection need of a policy.
const NEEDED: [&str; 2] = ["script-src", "connect-src"];

/// A page of the site as it is sent: with the script at its end, and with its own policy allowing that script and its
/// connection, no more. The files of the site are left alone.
pub(super) fn live(html: &str, site: &Site) -> String {
    let html = widened(html);
    let at = html.to_ascii_lowercase().rfind("</body").unwrap_or(html.len());
    format!("{}{}{}", &html[..at], script(site), &html[at..])
}

fn script(site: &Site) -> String {
    format!("<script src=\"/{SCRIPT}\" data-site=\"{}\" data-generation=\"{}\" defer></script>\n", site.name(), site.generation())
}

/// The page with its policy, a `meta` element of its head, widened.
fn widened(html: &str) -> String {
    let lower = html.to_ascii_lowercase();
    let head = lower.find("<body").unwrap_or(lower.len());
    let mut out = String::with_capacity(html.len() + 256);
    let mut done = 0;
    for (at, _) in lower[..head].match_indices("<meta") {
        let Some(length) = tag_length(&html[at..head]) else { break };
        if at >= done
            && let Some(policy) = policy(&html[at..at + length])
        {
            out.push_str(&html[done..at]);
            let widened = allowing(&policy);
            // A text takes all that is written into it.
            let _written = write!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">", escape(&widened));
            done = at + length;
        }
    }
    out.push_str(&html[done..]);
    out
}

/// The length of the tag that a text begins with; a `>` in quotes does not end it.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| match (quote, c) {
        (None, '>') => Some(at + 1),
        (None, '"' | '\'') => {
            quote = Some(c);
            None
        }
        (Some(open), c) if open == c => {
            quote = None;
            None
        }
        _ => None,
    })
}

/// The policy that a `meta` element states.
fn policy(tag: &str) -> Option<String> {
    let element = links::elements(tag).into_iter().next()?;
    let states = element.attribute("http-equiv")?.trim().eq_ignore_ascii_case("Content-Security-Policy");
    if states { element.attribute("content").map(str::to_owned) } else { None }
}

/// The policy with scripts and connections of this server allowed.
fn allowing(policy: &str) -> String {
    let mut directives: Vec<String> = policy.split(';').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect();
    for needed in NEEDED {
        let is_it = |one: &&mut String| one.split_ascii_whitespace().next().is_some_and(|name| name.eq_ignore_ascii_case(needed));
        match directives.iter_mut().find(is_it) {
            Some(stated) => {
                let is_other = |source: &&str| !["'none'", "'self'"].iter().any(|known| source.eq_ignore_ascii_case(known));
                let sources = stated.split_ascii_whitespace().skip(1).filter(is_other);
                *stated = std::iter::once(needed).chain(sources).chain(["'self'"]).collect::<Vec<_>>().join(" ");
            }
            None => directives.push(format!("{needed} 'self'")),
        }
    }
    directives.join("; ")
}

/// The page in place of one that is not there.
pub(super) fn missing(asked: &str, near: &[String], site: &Site) -> String {
    let mut body = format!("<p>The site has no page <code>{}</code>.</p>\n", escape(asked));
    if !near.is_empty() {
        body.push_str("<p>There are:</p>\n<ul>\n");
        for folder in near {
            let (href, shown) = if folder.is_empty() {
                ("/".to_owned(), "the overview".to_owned())
            } else {
                (format!("{}/", target(folder)), escape(folder).into_owned())
            };
            let _written = writeln!(body, "<li><a href=\"{href}\">{shown}</a></li>");
        }
        body.push_str("</ul>\n");
    }
    own("Not there", &body, site)
}

/// The page in place of all pages as long as none could be made.
pub(super) fn unmade(site: &Site) -> String {
    let faults = site.faults().unwrap_or("nothing was built yet");
    let body = format!(
        "<p>This page shows itself again as soon as the project builds.</p>\n<pre id=\"plimsoll-faults\">{}</pre>\n",
        escape(faults)
    );
    own("The site can't be built yet", &body, site)
}

fn own(title: &str, body: &str, site: &Site) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\
         body {{ font: 1rem/1.6 system-ui, sans-serif; max-width: 60rem; margin: 3rem auto; padding: 0 1rem; overflow-wrap: anywhere }}\
         pre {{ white-space: pre-wrap }}</style>\n</head>\n<body data-plimsoll=\"own\">\n<main>\n<h1>{title}</h1>\n{body}</main>\n{}</body>\n</html>\n",
        script(site)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_gets_the_script_at_its_end_and_may_run_it() {
        let html = "<!doctype html><head>\n<META content=\"default-src 'none'; Script-Src 'none'; style-src 'self'\" \
                    http-equiv='content-security-policy'>\n<meta name=a content=\"a>b\"></head><body>é</BODY></html>";
        insta::assert_snapshot!(live(html, &Site::nothing()));
    }

    #[test]
    fn a_page_without_an_end_or_a_policy_gets_it_too() {
        assert_eq!(live("<p>a", &Site::nothing()), format!("<p>a{}", script(&Site::nothing())));
        let unclosed = "<meta http-equiv=\"Content-Security-Policy\" content=\"a";
        assert!(live(unclosed, &Site::nothing()).starts_with(unclosed));
    }

    #[test]
    fn what_is_not_there_is_named_as_text() {
        let near = ["v1/<b>".to_owned(), String::new()];
        insta::assert_snapshot!(missing("\"><script>alert(1)</script>", &near, &Site::nothing()));
    }

    #[test]
    fn faults_are_text() {
        insta::assert_snapshot!(unmade(&Site::nothing().faulty("error: <b> & </pre><script>")));
    }
}
