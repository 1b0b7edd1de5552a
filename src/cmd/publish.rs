//! x
use super::{Exit, Failure, Project, Streams};
pub(super) fn run<T>(_args: &T, _project: &Project, _streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    Ok(Exit::Yes)
}
