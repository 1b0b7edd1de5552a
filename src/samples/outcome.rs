//! Everything that a record keeps of raw samples.

use super::merged::{File, Samples};
use super::origins::Origins;
use crate::diagnostic::Diagnostic;
use crate::model::failures::Failures;
use crate::model::phases::Phases;
use crate::model::series::Series;
use crate::model::stat::Stat;
use crate::model::summary::Summary;

/// What a record and its series keep of the raw samples of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The summary of all samples, set-up and teardown included, as k6 makes it.
    pub summary: Summary,
    /// Set-up, test and teardown apart.
    pub phases: Phases,
    /// What failed, when, and on whose side.
    pub failures: Failures,
    /// The test phase by second and by block.
    pub series: Series,
    /// The files.
    pub files: Vec<File>,
    /// What people should know.
    pub remarks: Vec<Diagnostic>,
    /// Whether a file was cut: then the samples are not all there were.
    pub is_cut: bool,
}

impl Samples {
    /// Whether a file was cut: then the samples are not all there were.
    pub(super) fn is_cut(&self) -> bool {
        self.remarks.iter().any(|remark| remark.code == "cut-tail")
    }

    /// What a record keeps, with some statistics of trends.
    #[must_use]
    pub fn outcome(&self, stats: &[Stat], origins: &Origins) -> Outcome {
        // The series look at every value again; the figures beside them do the same to others.
        let (series, (summary, phases, failures)) = std::thread::scope(|scope| {
            let series = scope.spawn(|| self.series());
            let figures = (self.summary(stats), self.phases(stats), self.failures(origins));
            (series.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), figures)
        });
        let is_cut = self.is_cut();
        let remarks = self.remarks.iter().cloned().chain(uncounted(&series)).collect();
        Outcome { summary, phases, failures, series, files: self.files.clone(), remarks, is_cut }
    }
}

/// Says where a series has nothing by block though there are samples.
fn uncounted(series: &Series) -> Option<Diagnostic> {
    let message = "the samples are too far apart for a test: nothing of it is kept by block, and of traffic nothing by second";
    (series.blocks.is_empty() && !series.distributions.is_empty()).then(|| Diagnostic::remark("sparse-series", message))
}
