//! Whether a run is a repeat of another.

use super::declared;
use super::held::{Held, Sides};
use super::key::{KEYS, Key};
use super::normal;
use crate::diff::writing;
use crate::model::environment::SettingGroup;
use crate::model::record::Record;

/// Whether a run is a repeat of another: it is of the same build where both know it, all declared keys that both know are equal, and
/// so are the settings of the service that both know: a run that was made to try another hash is no repeat.
///
/// # Errors
/// The first declared key that differs, and both values, in words: `VUs 200, not 600`.
pub fn is_repeat(run: &Record, of: &Record) -> Result<(), String> {
    let (a, b) = ([run], [of]);
    let sides = Sides::new(&a, &b);
    if let Held::Unlike { a, b } = sides.declared(declared::service_version) {
        return Err(format!("build {a}, not {b}"));
    }
    for key in KEYS.iter().filter(|key| !key.is_behavioural) {
        for (name, held) in key.hold(&sides) {
            if let Held::Unlike { a, b } = held {
                return Err(format!("{} {a}, not {b}", words(key, &name)));
            }
        }
    }
    settings(&run.environment.service.settings, &of.environment.service.settings)
}

/// What a key is called in a sentence; one below a family by its own name.
fn words<'k>(key: &Key, name: &'k str) -> &'k str
where
    'static: 'k,
{
    name.strip_prefix(key.name).and_then(|rest| rest.strip_prefix('.')).unwrap_or(key.words)
}

fn settings(run: &[SettingGroup], of: &[SettingGroup]) -> Result<(), String> {
    for group in run {
        let others = of.iter().filter(|other| writing::name(&other.name) == writing::name(&group.name));
        let others: Vec<_> = others.flat_map(|other| &other.entries).collect();
        for setting in &group.entries {
            let same = others.iter().find(|other| writing::name(&other.key) == writing::name(&setting.key));
            if let Some(other) = same.filter(|other| normal::value(&other.value) != normal::value(&setting.value)) {
                return Err(format!("{} {}, not {}", writing::unescaped(&setting.key), setting.value, other.value));
            }
        }
    }
    Ok(())
}
