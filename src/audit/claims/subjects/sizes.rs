//! What was provisioned and how many of it ran: vCPUs, memory, containers, pools, virtual users.

use super::{Hit, Row};
use crate::audit::claims::topic::Topic;

pub(super) const ROWS: &[Row] = &[
    Row { pattern: r"MAXOPEN <to>(?P<n>NUM)", topics: |_| vec![("n", Topic::PoolSize)] },
    Row { pattern: r"POOL \( (?P<n>NUM)(?: CONN)? <per> BOX", topics: |_| vec![("n", Topic::PoolSize)] },
    Row { pattern: r"POOL of (?P<n>NUM)(?: CONN)?(?: <per> BOX)?", topics: |_| vec![("n", Topic::PoolSize)] },
    Row { pattern: r"(?P<n>NUM) CONN <per> (?:BOX|POOL)", topics: |_| vec![("n", Topic::PoolSize)] },
    Row { pattern: r"(?P<n>NUM) CONN POOL", topics: |_| vec![("n", Topic::PoolSize)] },
    Row { pattern: r"(?:from NUM|NUM -) (?:to )?(?P<n>NUM) VU", topics: |_| vec![("n", Topic::Vus)] },
    Row { pattern: r"(?P<n>NUM) VU", topics: vus },
    Row { pattern: r"VU (?::|=|of|at|to) (?P<n>NUM)", topics: |_| vec![("n", Topic::Vus)] },
    Row { pattern: r"MAXSCALE <to>(?P<n>NUM)", topics: |_| vec![("n", Topic::MaxScale)] },
    Row { pattern: r"MINSCALE <to>(?P<n>NUM)", topics: |_| vec![("n", Topic::MinScale)] },
    Row { pattern: r"(?:pinned|fixed) (?:at|to) (?P<n>NUM)(?: BOX)?", topics: pinned },
    Row { pattern: r"(?P<n>NUM) BOX (?:STARTED|STARTS)", topics: |hit| vec![("n", Topic::Startups(hit.extent()))] },
    Row { pattern: r"(?P<n>NUM) STARTS", topics: |hit| vec![("n", Topic::Startups(hit.extent()))] },
    Row { pattern: r"(?:from|between) (?P<n>NUM) (?:to|and) (?P<m>NUM) BOX", topics: range },
    Row { pattern: r"(?P<n>NUM) (?:-|to) (?P<m>NUM) BOX", topics: range },
    Row { pattern: r"(?:ran|running|measured|tested) (?:on|with) (?P<n>NUM) BOX", topics: containers },
    Row { pattern: r"(?:\)|RUN|SVC) (?:on|with) (?P<n>NUM) BOX", topics: containers },
    Row { pattern: r"(?P<n>NUM) BOX (?:ran|running|throughout|\( constant)", topics: containers },
    Row { pattern: r"BOX (?:count )?(?::|=) (?P<n>NUM)", topics: |_| vec![("n", Topic::Containers)] },
    Row { pattern: r"(?:count )?settled at (?P<n>NUM)(?: BOX)?", topics: settled },
    Row {
        pattern: r"<res> (?:with |of |beyond |: |\( |, ){0,2}(?P<n>NUM) VCPU(?: (?:and|,|/|with) (?P<s>SIZE))?",
        topics: machine,
    },
    Row { pattern: r"(?P<n>NUM) VCPU (?:(?:and|,|/) (?P<s>SIZE) )?(?:MEM )?(?:(?:per|on|in|for) )?<res>", topics: machine },
    Row { pattern: r"<res> (?:with |of |beyond |: |\( |, ){0,2}(?P<s>SIZE)(?: of)?(?: MEM)?", topics: machine },
    Row { pattern: r"(?P<s>SIZE) (?:of )?(?:MEM )?(?:per|on|in|for) <res>", topics: machine },
    Row { pattern: r"(?P<s>SIZE) <res>", topics: machine },
];

/// A count of virtual users, unless it is of some of them.
fn vus(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    const RUNS: [&str; 8] = ["ran", "RUN", "running", "measured", "tested", "SVC", "TARGET", "RELEASE"];
    let is_part = matches!(hit.last(), "per" | "first" | "last" | "another" | "each" | "every" | "from");
    let is_run = (0..hit.first()).any(|at| RUNS.contains(&hit.sentence.name(at)))
        && (hit.ends() || matches!(hit.next(), "on" | "against" | "for" | "as"));
    let is_told =
        hit.next() == "RUN" || hit.is_whole() || is_run || hit.next() == "" && matches!(hit.last(), "," | "at" | "with");
    if is_part || !is_told { Vec::new() } else { vec![("n", Topic::Vus)] }
}

/// `ran on 3 containers`; that load was carried by so many is another rule's.
fn containers(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let is_other = hit.has(&["carried", "PEAK"]);
    if is_other || !hit.ends() { Vec::new() } else { vec![("n", Topic::Containers)] }
}

/// `between 3 and 4 containers`, if they ran, and nothing else was done with them.
fn range(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let is_told = hit.ends() || matches!(hit.next(), "ran" | "running");
    if is_told { vec![("n", Topic::Containers), ("m", Topic::Containers)] } else { Vec::new() }
}

fn settled(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    if hit.sentence.has("BOX") { vec![("n", Topic::Containers)] } else { Vec::new() }
}

/// `ran pinned at 7`: containers, if nothing else is spoken of.
fn pinned(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let is_other = ["VU", "CPU", "MEM", "VCPU", "CONN", "POOL", "core"].iter().any(|word| hit.sentence.has(word));
    if is_other || hit.sentence.has("RATE") { Vec::new() } else { vec![("n", Topic::Pinned)] }
}

/// Words of a machine that is not there yet.
const PLANS: [&str; 12] = [
    "raise",
    "raised",
    "raising",
    "upgrade",
    "upgrading",
    "double",
    "doubling",
    "add",
    "adding",
    "additional",
    "more",
    "another",
];

/// vCPUs and memory of a machine. A machine that something is raised to is a plan; so is what is added.
fn machine(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let Some(resource) = hit.resource("res") else { return Vec::new() };
    let beyond = hit.sentence.has("beyond");
    let is_plan = hit.has(&PLANS) && !beyond;
    let is_traffic = hit.has(&["sent", "received", "wrote", "written"]);
    // A size alone may be that of a disk, a backup, a table.
    let is_memory = hit.has(&["MEM", "VCPU"]);
    let is_told = hit.ends() || beyond || matches!(hit.next(), "each" | "for" | "as" | "in" | "MEM");
    let vcpu = hit.place("n").filter(|_| is_told || hit.place("s").is_some()).map(|_| ("n", Topic::Vcpu(resource)));
    let size = hit.place("s").filter(|_| is_memory && !is_traffic && is_told).map(|_| ("s", Topic::Memory(resource)));
    if is_plan { Vec::new() } else { vcpu.into_iter().chain(size).collect() }
}
