//! Secrets at the door: whatever a file says, no token, password or key goes into a record.

use std::borrow::Cow;

use super::Draft;
use crate::diagnostic::Diagnostic;
use crate::model::series::Series;
use crate::secrets::{mask_names, masked, masked_value};

/// Masks every text of a run that is kept.
///
/// # Errors
/// A name that is a folder's looks like a secret: nothing can be kept under it.
pub(super) fn mask(draft: &mut Draft) -> Result<(), Diagnostic> {
    if let Some(text) = &mut draft.k6_text
        && let Cow::Owned(safe) = masked(text)
    {
        *text = safe;
    }
    draft.record = masked_value(draft.record.clone()).map_err(|in_name| {
        let fault = Diagnostic::error("secret-name", format!("{}: {in_name}", draft.record.address()));
        fault.help("name it otherwise: --release R --target T --label L")
    })?;
    if let Some(series) = &mut draft.series {
        mask_series(series);
    }
    Ok(())
}

/// Trends have the names that scripts give them.
fn mask_series(series: &mut Series) {
    mask_names(&mut series.trends);
    mask_names(&mut series.distributions);
    for blocks in &mut series.blocks {
        mask_names(&mut blocks.trends);
        mask_names(&mut blocks.counts);
    }
}
