//! How fast: throughput, latencies of endpoints and of the service, the wait for a connection, the disk.

use super::{Hit, Row, Said, stat};
use crate::audit::claims::sentence::Sentence;
use crate::audit::claims::topic::Topic;

pub(super) const ROWS: &[Row] = &[
    Row { pattern: r"(?P<n>NUM) ITERPS", topics: |hit| rate(hit, Topic::IterationsPerS) },
    Row { pattern: r"ITERPS <to>(?P<n>NUM|RATE)", topics: |hit| rate(hit, Topic::IterationsPerS) },
    Row { pattern: r"ITER (?:ran |at |: ){1,2}(?P<n>RATE)", topics: |hit| rate(hit, Topic::IterationsPerS) },
    Row {
        pattern: r"throughput (?:of |at |: |MOVED to |MOVED from (?:NUM|RATE) to ){0,2}(?P<n>RATE)",
        topics: |hit| rate(hit, Topic::IterationsPerS),
    },
    Row { pattern: r"(?:SERVER|platform|DB|SVC) (?:: |counted |at |of ){0,2}(?P<n>NUM) REQPS", topics: server_requests },
    Row {
        pattern: r"(?P<n>NUM) REQPS(?: (?:at|by|on) (?:SVC|platform|SERVER))?",
        topics: |hit| rate(hit, Topic::RequestsPerS(false)),
    },
    Row { pattern: r"REQPS <to>(?P<n>NUM|RATE)", topics: |hit| rate(hit, Topic::RequestsPerS(false)) },
    Row { pattern: r"(?P<n>NUM) TXPS", topics: |hit| rate(hit, Topic::TransactionsPerS) },
    Row { pattern: r"(?:TXPS|TX) <to>(?P<n>NUM|RATE)", topics: transactions },
    Row {
        pattern: r"IOPS (?:: )?READ <to>(?P<n>NUM)(?: (?:,|and) WRITE <to>(?P<m>NUM))?",
        topics: |_| vec![("n", Topic::ReadsPerS), ("m", Topic::WritesPerS)],
    },
    Row { pattern: r"READ IOPS <to>(?P<n>NUM)", topics: |_| vec![("n", Topic::ReadsPerS)] },
    Row { pattern: r"WRITE IOPS <to>(?P<n>NUM)", topics: |_| vec![("n", Topic::WritesPerS)] },
    Row { pattern: r"(?P<n>NUM) READ IOPS", topics: |_| vec![("n", Topic::ReadsPerS)] },
    Row { pattern: r"(?P<n>NUM) WRITE IOPS", topics: |_| vec![("n", Topic::WritesPerS)] },
    Row { pattern: r"AVG wait (?:for CONN )?<to>(?P<n>DUR)", topics: |_| vec![("n", Topic::PoolWait)] },
    Row { pattern: r"(?P<n>DUR) (?:AVG )?(?:wait )?(?:for|per) (?:CONN|ACQ)", topics: |_| vec![("n", Topic::PoolWait)] },
    Row { pattern: r"POOL (?:AVG )?wait <to>(?P<n>DUR)", topics: |_| vec![("n", Topic::PoolWait)] },
    Row { pattern: r"(?P<metric>METRIC|TARGET) (?:latency |duration )?(?:: |at |\( )?<stat> <to>(?P<n>DUR)", topics: latency },
    Row { pattern: r"<stat> (?:latency |duration )?(?:of|for) (?P<metric>METRIC|TARGET) <to>(?P<n>DUR)", topics: latency },
    Row { pattern: r"(?P<metric>METRIC|TARGET) (?:latency |duration )?<to>(?P<n>DUR) (?:at |\( )?<stat>", topics: latency },
    Row { pattern: r"(?P<n>DUR) <stat> (?:latency )?(?:of|for) (?P<metric>METRIC|TARGET)", topics: latency },
    Row { pattern: r"SERVER (?:latency )?(?:: |at )?<stat> (?:latency )?<to>(?P<n>DUR)", topics: server_latency },
    Row { pattern: r"SERVER latency <to>(?P<n>DUR) (?:at |\( )?<stat>", topics: server_latency },
    Row { pattern: r"<stat> SERVER latency <to>(?P<n>DUR)", topics: server_latency },
    Row { pattern: r"<stat> latency (?:at|of|in) SVC <to>(?P<n>DUR)", topics: server_latency },
];

/// A rate over the whole run, of all there was: not the highest, none of a part, no limit, none on the way from one to another.
fn rate(hit: &Hit<'_>, topic: Topic) -> Vec<(&'static str, Topic)> {
    const OTHERS: [&str; 14] =
        ["PEAK", "LOW", "per", "each", "every", "one", "limit", "limited", "cap", "capped", "quota", "capacity", "MOVED", "over"];
    let is_between = hit.has(&["MOVED"]) && hit.has(&["from"]) && !hit.has(&["over", "during", "throughout", "time", "end"]);
    let is_other = OTHERS.iter().any(|word| hit.sentence.has(word) && !(is_between && *word == "MOVED"));
    if is_other || !(hit.ends() || hit.next() == "in") { Vec::new() } else { vec![("n", topic)] }
}

fn server_requests(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    // Whose requests the database's are, nobody counts.
    if hit.word("all").starts_with("DB") { Vec::new() } else { rate(hit, Topic::RequestsPerS(true)) }
}

/// Transactions that are counted in a time, not one by one.
fn transactions(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    if hit.word("n") == "RATE" || hit.word("all").starts_with("TXPS") { rate(hit, Topic::TransactionsPerS) } else { Vec::new() }
}

fn latency(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    let topic = hit.text("metric").zip(hit.stat(&["stat"])).map(|(metric, stat)| Topic::Latency(Some(metric.to_owned()), stat));
    topic.map(|topic| vec![("n", topic)]).unwrap_or_default()
}

fn server_latency(hit: &Hit<'_>) -> Vec<(&'static str, Topic)> {
    hit.stat(&["stat"]).map(|stat| vec![("n", Topic::Latency(None, stat))]).unwrap_or_default()
}

/// `oidc_token_duration p50 70ms / p95 2.16s / p99 2.56s`: a time behind a statistic is of what the time before it was of.
pub(super) fn inherit(sentence: &Sentence, said: &mut Vec<Said>) {
    let times: Vec<usize> = (0..sentence.symbols.len()).filter(|at| sentence.name(*at) == "DUR").collect();
    for (before, at) in times.iter().zip(times.iter().skip(1)) {
        if said.iter().any(|one| one.number == *at) {
            continue;
        }
        let latency = said.iter().find(|one| one.number == *before).map(|one| (one.topic.clone(), one.words.start));
        let Some((Topic::Latency(metric, _), start)) = latency else { continue };
        let is_joint =
            (before + 1..*at).all(|at| matches!(sentence.name(at), "," | "/" | "and" | "=") || stat(sentence.name(at)).is_some());
        if let Some(found) = stat(sentence.name(at - 1)).filter(|_| is_joint) {
            said.push(Said { number: *at, topic: Topic::Latency(metric, found), words: start..at + 1 });
        }
    }
}
