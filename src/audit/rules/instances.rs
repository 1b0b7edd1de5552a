//! Whether the containers that are told of can have been there.

use std::sync::LazyLock;

use regex::Regex;

use crate::audit::rule::{Found, Rule, Scope, one};
use crate::audit::subject::Subject;
use crate::model::catalogue::FigureId;
use crate::model::finding::Level;
use crate::model::units::{self, Unit, show_number};

/// More containers than there may be.
pub(super) const BEYOND_SCALE: Rule = Rule {
    code: "instances-beyond-scale",
    level: Level::Error,
    title: "More containers ran than there may be",
    reason: "The service may have so many containers, and more were counted. Either the limit is another, or the count holds containers of another \
             revision or service.",
    hint: "state the limit that held, or count the containers of this service and revision alone",
    look: Scope::Run(beyond_scale),
};

fn beyond_scale(subject: &Subject<'_>) -> Vec<Found> {
    let most = subject.figure(FigureId::ContainerInstancesMax);
    let limit = subject.figure(FigureId::ContainerMaxScale);
    one(most.zip(limit).filter(|(most, limit)| most.range().lo() > limit.range().hi()).map(|(most, limit)| {
        let message = format!("{} containers ran, and there may be {}", most.text(), show_number(limit.value));
        Found::new(message).measured("container.instances.max", &most).measured("container.max_scale", &limit)
    }))
}

/// A count that changed.
pub(super) const VARIED: Rule = Rule {
    code: "instances-varied",
    level: Level::Warning,
    title: "The number of containers changed during the test",
    reason: "The method measures a fixed number of containers. Where it changed, a median over the test mixes two systems, and a comparison with a run on \
             another number says nothing of the release.",
    hint: "pin the number of containers (minimum = maximum), wait until all are up, and measure again",
    look: Scope::Run(varied),
};

/// Smallest and largest number of containers.
fn range(subject: &Subject<'_>) -> Option<(f64, f64)> {
    let min = subject.figure(FigureId::ContainerInstancesMin)?.value;
    let max = subject.figure(FigureId::ContainerInstancesMax)?.value;
    Some((min, max))
}

fn with_range(found: Found, min: f64, max: f64) -> Found {
    found.with("container.instances.min", min, Unit::Count).with("container.instances.max", max, Unit::Count)
}

fn varied(subject: &Subject<'_>) -> Vec<Found> {
    one(range(subject).filter(|(min, max)| min < max).map(|(min, max)| {
        let median =
            subject.figure(FigureId::ContainerInstancesMedian).map(|median| format!(" (median {})", show_number(median.value)));
        let message =
            format!("between {} and {} containers ran{}", show_number(min), show_number(max), median.unwrap_or_default());
        with_range(Found::new(message), min, max)
    }))
}

/// Started without a trace.
pub(super) const STARTUPS_WITHOUT_GROWTH: Rule = Rule {
    code: "startups-without-growth",
    level: Level::Warning,
    title: "Containers started, and their number never changed",
    reason: "A container that starts raises the number, or replaces one that ended. The number was told as constant: a container was replaced during the test \
             (it crashed, or was moved), or one of the two is wrong.",
    hint: "look at the platform's log for why a container started",
    look: Scope::Run(startups_without_growth),
};

/// Containers that started in the window.
fn startups(subject: &Subject<'_>) -> Option<f64> {
    subject.figure(FigureId::ContainerInstancesStartups).map(|startups| startups.value)
}

fn startups_without_growth(subject: &Subject<'_>) -> Vec<Found> {
    let constant = range(subject).filter(|(min, max)| min.total_cmp(max).is_eq());
    one(constant.zip(startups(subject).filter(|count| *count > 0.0)).map(|((min, max), count)| {
        let started = units::show_counted(units::cut(count), "container");
        let message = format!("{} containers ran all the time, and {started} started", show_number(max));
        with_range(Found::new(message), min, max).with("container.instances.startups", count, Unit::Count)
    }))
}

/// Grown without a start.
pub(super) const GROWTH_WITHOUT_STARTUPS: Rule = Rule {
    code: "growth-without-startups",
    level: Level::Warning,
    title: "The number of containers changed by more than started",
    reason: "For every container more, one has to start. Fewer startups than the range is wide leave only that the number fell, which the method does not allow \
             either, or that startups or containers were miscounted.",
    hint: "look at the number of containers over time",
    look: Scope::Run(growth_without_startups),
};

fn growth_without_startups(subject: &Subject<'_>) -> Vec<Found> {
    one(range(subject).zip(startups(subject)).filter(|((min, max), count)| max - min > *count).map(|((min, max), count)| {
        let started = if count > 0.0 {
            format!("{} started", units::show_counted(units::cut(count), "container"))
        } else {
            "none started".to_owned()
        };
        let message = format!("between {} and {} containers ran, and {started}", show_number(min), show_number(max));
        with_range(Found::new(message), min, max).with("container.instances.startups", count, Unit::Count)
    }))
}

/// Load on containers that were not there.
pub(super) const CARRIED: Rule = Rule {
    code: "carried-containers",
    level: Level::Error,
    title: "Load is told of containers that were not there",
    reason: "A text says that N of M containers carried the load. M, or N, is above the most containers that the platform counted in the test. The two come from two \
             sources (metrics of the service, metrics of the platform), one of which saw other containers.",
    hint: "count both over the same window and the same revision",
    look: Scope::Run(carried),
};

static CARRIED_BY: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)carried by (\d{1,6})(?: of (?:the )?(\d{1,6}))? (?:container|instance)s?").ok());

fn carried(subject: &Subject<'_>) -> Vec<Found> {
    let Some((pattern, most)) = CARRIED_BY.as_ref().zip(subject.figure(FigureId::ContainerInstancesMax)) else {
        return Vec::new();
    };
    let found = subject.texts().flat_map(|text| pattern.captures_iter(text)).filter_map(|caught| {
        let number = |at: usize| caught.get(at).and_then(|digits| digits.as_str().parse::<f64>().ok());
        let told = number(2).or_else(|| number(1)).filter(|told| *told > most.range().hi())?;
        let message = format!("\"{}\", but {} containers ran at most", caught.get(0)?.as_str(), most.text());
        Some(Found::new(message).with("told_containers", told, Unit::Count).measured("container.instances.max", &most))
    });
    found.collect()
}

/// More connections than the pools hold.
pub(super) const CONNECTIONS: Rule = Rule {
    code: "connections-beyond-pools",
    level: Level::Note,
    title: "The database had more connections than the service's pools may open",
    reason: "The service's containers may open so many connections each. The database counted more than all of them together: somebody else used it during the test \
             (another service, monitoring, the platform itself), and its CPU is theirs too.",
    hint: "find out who else is connected (pg_stat_activity by application_name)",
    look: Scope::Run(connections),
};

fn connections(subject: &Subject<'_>) -> Vec<Found> {
    let counted = subject.figure(FigureId::DatabaseConnections);
    let pools = subject.figure(FigureId::ContainerInstancesMax).zip(subject.figure(FigureId::PoolMaxOpen));
    one(counted.zip(pools).and_then(|(counted, (instances, open))| {
        let most = instances.range().hi() * open.range().hi();
        (counted.range().lo() > most).then(|| {
            let message = format!(
                "the database had {} connections, and {} containers may open {} each, {} in all",
                counted.text(),
                instances.text(),
                open.text(),
                show_number(most)
            );
            let found = Found::new(message).measured("database.connections", &counted);
            found.measured("container.instances.max", &instances).measured("pool.max_open", &open)
        })
    }))
}
