//! What changed, told to the pages that are open, as server-sent events.
//!
//! A page is told the latest site and what is other there than in the site that it has. There is no queue: a page that reads
//! slowly misses the sites between and is told all that changed since, so no page holds up another and none fills the memory.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::Request;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::watch;

use super::site::{Change, Site};

/// How long nothing is said before a comment is, by which both sides see that the other is still there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How soon a browser asks again after a break.
const RETRY: Duration = Duration::from_secs(1);
/// More changed files than that are not listed: whoever hears of them loads all again.
const LISTED: usize = 5000;

/// What an event tells.
#[derive(Debug, Serialize)]
struct Told<'a> {
    /// How many sites there were.
    generation: u64,
    /// The name of the site.
    site: &'a str,
    /// Whether everything may be other.
    all: bool,
    /// Files that are other, by path.
    changed: Vec<String>,
    /// Files that are gone.
    removed: Vec<String>,
    /// What is wrong with the next site.
    faults: Option<&'a str>,
}

/// Tells a page of every site from now on, the present one first; ends when the server does.
pub(super) fn told(sites: watch::Receiver<Arc<Site>>, request: &Request) -> Response {
    let listener = Listener { sites, has: since(request), is_first: true };
    let events = stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<Event, Infallible>(event), listener))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

/// The site that a page has: that of the last event it heard, else the one it says.
fn since(request: &Request) -> String {
    let last = request.headers().get("last-event-id").and_then(|id| id.to_str().ok());
    let said = || request.uri().query()?.split('&').find_map(|pair| pair.strip_prefix("since="));
    last.or_else(said).unwrap_or_default().to_owned()
}

struct Listener {
    sites: watch::Receiver<Arc<Site>>,
    has: String,
    is_first: bool,
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        if self.is_first {
            self.is_first = false;
        } else {
            self.sites.changed().await.ok()?;
        }
        let site = self.sites.borrow_and_update().clone();
        let event = event(&site, &self.has);
        self.has = site.name().to_string();
        Some(event)
    }
}

fn event(site: &Site, has: &str) -> Event {
    let text = words(site, has);
    Event::default().event("site").id(&**site.name()).retry(RETRY).data(text)
}

fn words(site: &Site, has: &str) -> String {
    let mut change = site.since(has);
    if change.changed.len() + change.removed.len() > LISTED {
        change = Change { all: true, ..Change::default() };
    }
    let Change { all, changed, removed } = change;
    let (generation, name) = (site.generation(), site.name());
    let told = Told { generation, site: name, all, changed, removed, faults: site.faults() };
    // Texts and a number are always JSON, and JSON on one line is always one event.
    serde_json::to_string(&told).unwrap_or_default()
}
