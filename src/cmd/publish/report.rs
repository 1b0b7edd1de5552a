//! What a publication does, told.

use std::path::{Path, PathBuf};

use super::super::project::shown;
use super::super::{Failure, Streams, Tone};
use super::folders::{Folders, real};
use crate::publish::place::{Place, Root, Roots};
use crate::publish::plan;
use crate::publish::{Change, Plan};
use crate::secrets::masked;

/// Every file that changes, and those that are kept with `-v`; then what people should know.
pub(super) fn list(plan: &Plan, notes: &[String], folders: &Folders, streams: &mut Streams<'_>) -> Result<(), Failure> {
    for step in &plan.steps {
        if step.change != Change::Keep || streams.tone == Tone::Verbose {
            writeln!(streams.out, "{:8}  {}", step.change, masked(&folders.roots.shown(&step.place)))?;
        }
    }
    plan.notes.iter().chain(notes).for_each(|note| streams.say(note));
    Ok(())
}

/// The diff of what changes, or of conflicts alone.
pub(super) fn diff(plan: &Plan, conflicts_alone: bool, folders: &Folders, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let base = Base::of(&folders.roots);
    let diff = plan.diff(conflicts_alone, |step| base.path(&folders.roots, &step.place));
    if !diff.is_empty() {
        // What is taken away may have been written before anybody looked.
        write!(streams.out, "\n{}", masked(&diff))?;
        if let Some(elsewhere) = base.elsewhere {
            streams.say(&format!("the paths of the diff begin in `{}`", shown(&elsewhere)));
        }
    }
    Ok(())
}

/// The counts of a plan, and whether it was carried out.
pub(super) fn counted(plan: &Plan, nothing_written: bool) -> String {
    format!("{}{}", plan::counted(plan, !nothing_written), if nothing_written { "; nothing was written" } else { "" })
}

/// Where the paths of a diff begin: here, if all folders are below; else in the folder that holds them all.
struct Base {
    folder: PathBuf,
    elsewhere: Option<PathBuf>,
}

impl Base {
    fn of(roots: &Roots) -> Self {
        let here = real(Path::new("."));
        let folders: Vec<PathBuf> = Root::ALL.into_iter().filter_map(|root| roots.folder(root)).map(real).collect();
        if folders.iter().all(|folder| folder.starts_with(&here)) {
            return Self { folder: here, elsewhere: None };
        }
        let holds_all = |above: &&Path| folders.iter().all(|folder| folder.starts_with(above));
        let folder = folders.first().and_then(|first| first.ancestors().find(holds_all)).unwrap_or(Path::new("/")).to_owned();
        Self { elsewhere: Some(folder.clone()), folder }
    }

    fn path(&self, roots: &Roots, place: &Place) -> String {
        let folder = real(roots.folder(place.root).unwrap_or(&roots.docs));
        let inside = folder.strip_prefix(&self.folder).unwrap_or(&folder);
        shown(&inside.join(place.path.as_str()))
    }
}
