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

impl Maker {
    /// Nothing was made yet.
    pub(super) fn new(common: &Common) -> Self {
        Self { common: common.clone(), live: None, is_whole: true }
    }

    /// The site after the present one: with what changed, or with what is wrong, which is told on the terminal, too.
    pub(super) async fn make(&mut self, site: Site, streams: &mut Streams<'_>) -> Site {
        // What is made from nothing tells all its files, and not which of the former ones are gone.
        self.is_whole |= self.live.is_none();
        let live = self.live.take().unwrap_or_else(|| Live::new(&self.common));
        let work = tokio::task::spawn_blocking(move || guarded(live, Live::renew));
        let (live, made) = work.await.unwrap_or_else(|_| (None, Err(defect())));
        self.live = live;
        match made {
            Ok(patch) if std::mem::take(&mut self.is_whole) => site.replaced(&patch),
            Ok(patch) => site.patched(&patch),
            Err(failure) => {
                streams.complain(&failure);
                site.faulty(&plain(&failure))
            }
        }
    }
}

/// Works with something that is given back, but for a panic: what it was in the middle of is not to be trusted.
fn guarded<T>(mut with: T, work: impl FnOnce(&mut T) -> Result<Patch, Failure>) -> (Option<T>, Result<Patch, Failure>) {
    match catch_unwind(AssertUnwindSafe(|| work(&mut with))) {
        Ok(result) => (Some(with), result),
        Err(_) => (None, Err(defect())),
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

#[cfg(test)]
#[allow(clippy::panic, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_defect_is_told_and_what_it_was_made_with_is_given_up() {
        let (with, made) = guarded(1, |_| panic!("on purpose"));
        assert_eq!(with, None);
        let words = made.err().map(|failure| plain(&failure)).unwrap_or_default();
        assert!(words.starts_with("error[defect]: ") && words.contains("please report it"), "{words}");
    }

    #[test]
    fn what_is_wrong_leaves_it_as_it_was() {
        let (with, made) = guarded(1, |_| Err(Failure::misuse("no-project", "there is no folder `a`")));
        assert_eq!(with, Some(1));
        assert_eq!(made.err().map(|failure| plain(&failure)), Some("error[no-project]: there is no folder `a`".to_owned()));
    }
}
