//! All that differs around two runs: flags, settings, machines.

use super::{environment, flags, groups};
use crate::model::comparison::{Area, SettingChange};
use crate::model::record::Record;

/// Flags, settings and facts of machines that differ or are known on one side alone: by area, then key.
///
/// Of settings known on one side alone those that are as nobody set them are left out. A value that was masked is told as `masked`,
/// and only where the other side has none that was; one that looks like a secret as `not shown`.
#[must_use]
pub fn settings(a: &Record, b: &Record) -> Vec<SettingChange> {
    let (service_a, service_b) = (&a.environment.service, &b.environment.service);
    let mut changes = flags::changes(service_a.flags.as_ref(), service_b.flags.as_ref());
    changes.extend(groups::changes(Area::Service, &service_a.settings, &service_b.settings));
    changes.extend(groups::changes(Area::Database, &a.environment.database.settings, &b.environment.database.settings));
    changes.extend(environment::changes(a, b));
    changes.sort_by(|one, other| (one.area, &one.key).cmp(&(other.area, &other.key)));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::environment::{Flag, FlagState, Flags, Setting, SettingGroup, SettingLayout};

    fn run(flag: FlagState, settings: &[(&str, &str)], wal: &str, version: &str) -> Record {
        let mut record = Record::new("v1/a".parse().unwrap_or_else(|e| unreachable!("{e}")));
        let service = &mut record.environment.service;
        service.flags = Some(Flags { flags: vec![Flag::new("tokenExchange", flag)], captured: None });
        service.lay_settings(settings.iter().map(|(key, value)| Setting::new(*key, *value)));
        service.version = Some(version.to_owned());
        let entries = vec![Setting::new("max_wal_size", wal)];
        let group = SettingGroup { name: "PostgreSQL".to_owned(), layout: SettingLayout::List, entries };
        record.environment.database.settings.push(group);
        record
    }

    #[test]
    fn areas_come_in_their_order_and_keys_in_theirs() {
        let a = [("secretHasher.iterations", "32000"), ("database.password", "***"), ("projections.sessions.lockShards", "64")];
        let b = [("secretHasher.iterations", "34500"), ("database.password", "***"), ("projections.sessions.lockShards", "1")];
        let found = settings(&run(FlagState::ExplicitlyOff, &a, "4GB", "1.0.0"), &run(FlagState::On, &b, "8GB", "v1.2.0"));
        let lines: Vec<String> = found
            .iter()
            .map(|one| {
                let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "null".to_owned());
                format!("{:?} {} {} -> {}", one.area, one.key, value(&one.a), value(&one.b))
            })
            .collect();
        let wanted = [
            "Flags tokenExchange off -> on",
            "Service projections.sessions.lockShards 64 -> 1",
            "Service secretHasher.iterations 32000 -> 34500",
            "Database max_wal_size 4GB -> 8GB",
            "Environment service.version 1.0.0 -> v1.2.0",
        ];
        assert_eq!(lines, wanted);
    }
}
