//! The next site, made on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::super::live::Live;
use super::super::{Failure, Streams, Tone};
use crate::cli::Common;
use crate::serve::{Patch, Site};

/// Makes sites, one after the other.
pub(super) struct Maker {
    common: Common,
    /// What the next site is made with; none if that was lost to a defect, or is at work.
    live: Option<Live>,
    is_whole: bool,
}

/// What came of it.
struct Made {
    live: Option<Live>,
    result: Result<Patch, Failure>,
}

impl Maker {
    /// Nothing was made yet.
    pub(super) fn new(common: &Common) -> Self {
        Self { common: common.clone(), live: None, is_whole: true }
    }

    /// The site after the present one: with what changed, or with what is wrong, which is told on the terminal, too.
    pub(super) async fn make(&mut self, site: Site, streams: &mut Streams<'_>) -> Site {
        // What is made from nothing tells all its files, and not which of the former ones are gone.
        self.is_whole |= self.live.is_none();
        let mut live = self.live.take().unwrap_or_else(|| Live::new(&self.common));
        let work = move || match catch_unwind(AssertUnwindSafe(|| live.renew())) {
            Ok(result) => Made { live: Some(live), result },
            // What it was in the middle of is not to be trusted.
            Err(_) => Made { live: None, result: Err(defect()) },
        };
        let made = tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Made { live: None, result: Err(defect()) });
        self.live = made.live;
        match made.result {
            Ok(patch) if std::mem::take(&mut self.is_whole) => site.replaced(&patch),
            Ok(patch) => site.patched(&patch),
            Err(failure) => {
                streams.complain(&failure);
                site.faulty(&plain(&failure))
            }
        }
    }
}

fn defect() -> Failure {
    Failure::Defect("the program came upon a state it holds for impossible while it made the site".to_owned())
}

/// A failure as the terminal shows it, without colours.
fn plain(failure: &Failure) -> String {
    let (mut out, mut talk) = (Vec::new(), Vec::new());
    Streams { out: &mut out, talk: &mut talk, colour: false, tone: Tone::Usual, watched: false }.complain(failure);
    String::from_utf8_lossy(&talk).trim_end().to_owned()
}
