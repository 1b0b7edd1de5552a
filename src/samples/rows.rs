//! The loop over rows: what is common to k6's CSV and JSON. A row is a name, a time, a value and a tail of tags, and most
//! rows have the name that followed the last name before, the time of the last row, and a tail that was seen already. So
//! a row is mostly compared, seldom read.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::fault::Fault;
use super::number::Number;
use super::reading::{LONGEST_ROW, too_long};
use super::tags::{Class, MOST_FAILURES, Parts, Role, Tags, Told};
use super::tails::{NO_STREAM, Tail, Tails};
use super::tally::{Facet, Part, Tally, Time};
use super::wanted::{Keep, Wanted};

// A script declares its metrics one by one; where names are made of ids, memory has no bound.
pub(super) use crate::limits::RAW_METRICS as MOST_METRICS;
use crate::limits::{RAW_MINUTE_ROWS as ROWS_A_PAGE, RAW_MINUTES as MOST_PAGES};

/// The fault of a file with more.
pub(super) fn too_many_metrics() -> Fault {
    let help = "a script of k6 declares a few: what stands there are no names of metrics";
    Fault::new("too-many-metrics", format!("there are more than {MOST_METRICS} metrics"), help)
}

/// The fault of a file whose failed requests are of more statuses, codes and methods.
pub(super) fn too_many_failures() -> Fault {
    let message = format!("failed requests are of more than {MOST_FAILURES} kinds by status, error code and method alone");
    Fault::new(
        "too-many-failures",
        message,
        "HTTP has some sixty statuses, and k6 some hundred codes: what stands there are none",
    )
}

/// The fault of a file whose rows are so far apart that each has a minute for itself.
fn too_sparse() -> Fault {
    let help = "a metric of a load test has many samples a minute: are these times and names those of one run?";
    let message = format!("the rows so far are of {MOST_PAGES} minutes of metrics, and fewer than {ROWS_A_PAGE} are of one");
    Fault::new("too-sparse", message, help)
}

/// What came of a row, or of the attempt to read one.
pub(super) enum Step {
    /// It was read; the next begins here.
    Next(usize),
    /// Its end is not in the bytes.
    Incomplete,
    /// It is no row.
    Fault(Fault),
}

/// A row that was read to its end without help of the caches.
pub(super) struct Row<'a> {
    pub(super) metric: Cow<'a, str>,
    pub(super) time: Time,
    pub(super) value: Number,
    pub(super) tags: Tags<'a>,
    pub(super) end: usize,
}

impl Row<'_> {
    /// The same row with texts of its own.
    pub(super) fn into_owned(self) -> Row<'static> {
        let Self { metric, time, value, tags, end } = self;
        Row { metric: Cow::Owned(metric.into_owned()), time, value, tags: tags.map(|tag| Cow::Owned(tag.into_owned())), end }
    }
}

/// What came of reading a whole row.
pub(super) enum Whole<'a> {
    Row(Box<Row<'a>>),
    /// A line that is no sample, but in its place: k6's JSON declares its metrics.
    Aside(usize),
    Incomplete,
    Fault(Fault),
}

/// How a source writes its rows.
pub(super) trait Layout {
    /// Whether a line break within quotes ends no row.
    const QUOTES: bool;
    /// Bytes before the first row.
    fn header(&self) -> usize;
    /// Whether rows begin with the name, so that they can be compared instead of read.
    fn is_quick(&self) -> bool;
    /// What a row of a metric begins with, up to its time; nothing where such rows are to be read, not compared.
    fn opening(&self, metric: &str) -> Vec<u8>;
    /// The end of the name at a row's start, and of its opening.
    fn name<'a>(&self, bytes: &'a [u8], start: usize) -> Option<(&'a [u8], usize)>;
    /// Reads a time and what stands between it and the value.
    fn time(&mut self, bytes: &[u8], start: usize) -> Option<(Time, usize)>;
    /// Reads a value and what stands between it and the tail.
    fn value(&self, bytes: &[u8], start: usize) -> Option<(Number, usize)>;
    /// The same for a value that is not wanted: whether it is one, and where the tail begins.
    fn skip(&self, bytes: &[u8], start: usize) -> Option<usize> {
        self.value(bytes, start).map(|(_, end)| end)
    }
    /// The end of the row whose tail begins here: behind its line break.
    fn end(&self, bytes: &[u8], tail: usize) -> Option<usize>;
    /// Reads the tags of a whole tail; `None` where it is no tail of this source.
    fn tags<'a>(&self, tail: &'a [u8]) -> Option<Tags<'a>>;
    /// Phase and success of a whole tail; `None` where it is no tail of this source.
    fn class(&self, tail: &[u8]) -> Option<Class> {
        Some(Class::of(&self.tags(tail)?, self.told()))
    }
    /// Reads a whole row, or says what is wrong with it.
    fn whole<'a>(&mut self, bytes: &'a [u8], start: usize) -> Whole<'a>;
    /// What is wrong with a row that has no end in the file; `None` if it is the beginning of a row that was cut.
    fn cut(&self, rest: &[u8]) -> Option<Fault>;
    /// Which tags the source has.
    fn told(&self) -> Told;
}

/// A metric as a thread knows it.
#[derive(Debug)]
pub(super) struct Metric {
    pub(super) name: String,
    opening: Vec<u8>,
    role: Role,
    keep: Keep,
    /// Whether it is one of k6's gauges, which belong to no phase.
    is_gauge: bool,
    /// The metrics that came next the last time, and before that another.
    next: [usize; 2],
    /// The streams of samples that nothing but their class tells apart.
    plain: [u32; Class::ALL],
}

impl Metric {
    /// Notes what came next.
    fn follow(&mut self, number: usize) {
        if self.next[0] != number {
            self.next = [number, self.next[0]];
        }
    }

    /// The stream that a sample of this metric belongs to, if it is known yet.
    #[inline]
    fn stream(&self, tail: &Tail, value: Number) -> u32 {
        match self.role {
            Role::Other => self.plain[if self.is_gauge { Class::of_no_phase() } else { tail.class }.index()],
            Role::Duration => tail.duration,
            Role::Check => tail.check,
            Role::Failed if value.is_true() => tail.failed,
            Role::Failed => self.plain[tail.class.index()],
        }
    }
}

/// Reads rows and adds them up: one to a thread.
#[derive(Debug)]
pub(super) struct Rows<L> {
    pub(super) layout: L,
    pub(super) tally: Tally,
    pub(super) metrics: Vec<Metric>,
    pub(super) parts: Parts,
    /// Rows that were read.
    pub(super) count: u64,
    wanted: Wanted,
    numbers: HashMap<String, usize, FixedState>,
    streams: HashMap<(usize, Facet), u32, FixedState>,
    tails: Tails,
    last: usize,
    last_tail: usize,
    time: Time,
    time_text: Vec<u8>,
}

impl<L: Layout> Rows<L> {
    pub(super) fn new(layout: L, wanted: &Wanted) -> Self {
        Self {
            layout,
            tally: Tally::default(),
            metrics: Vec::new(),
            parts: Parts::default(),
            count: 0,
            wanted: wanted.clone(),
            numbers: HashMap::default(),
            streams: HashMap::default(),
            tails: Tails::default(),
            last: 0,
            last_tail: 0,
            time: Time::default(),
            time_text: Vec::new(),
        }
    }

    /// Reads the rows that begin in `start..stop`; the last of them may end behind `stop`. `offset` is where the bytes lie
    /// in the file. Gives where the next row begins, or the row that stopped it and why.
    pub(super) fn read(&mut self, bytes: &[u8], start: usize, stop: usize, offset: u64) -> Result<usize, (usize, Step)> {
        let mut at = start;
        let quick = self.layout.is_quick();
        // Looked at once a block, which has no more rows than some thousand.
        let pages = self.tally.pages();
        if pages > MOST_PAGES && self.count < pages * ROWS_A_PAGE {
            return Err((at, Step::Fault(too_sparse())));
        }
        while at < stop {
            if quick {
                at = self.alike(bytes, at, stop, offset);
                if at >= stop {
                    break;
                }
                if let Some(next) = self.quick(bytes, at, offset + at as u64) {
                    at = next;
                    continue;
                }
            }
            match self.whole(bytes, at, offset + at as u64) {
                Step::Next(next) => at = next,
                other => return Err((at, other)),
            }
        }
        Ok(at)
    }

    /// Reads rows as long as each is like one before it in everything but its value: the name that followed last time, the
    /// time of the last row, and its end or the one that followed that. Gives where the first other row begins.
    fn alike(&mut self, bytes: &[u8], start: usize, stop: usize, offset: u64) -> usize {
        let metrics = self.metrics.as_slice();
        let tails = self.tails.known();
        let (mut at, mut rows, mut last, mut last_tail) = (start, 0, self.last, self.last_tail);
        while at < stop {
            let Some((number, time)) = following(metrics, last, bytes, at) else { break };
            let Some(value) = after(bytes, time, &self.time_text) else { break };
            let metric = &metrics[number];
            let next = if metric.keep == Keep::Nothing {
                let Some(behind) = self.layout.skip(bytes, value) else { break };
                let Some(next) = next_tail(tails, last_tail, bytes, behind) else { break };
                next
            } else {
                let Some((value, behind)) = self.layout.value(bytes, value) else { break };
                let Some(next) = next_tail(tails, last_tail, bytes, behind) else { break };
                let stream = metric.stream(&tails[next.0], value);
                if stream == NO_STREAM {
                    break;
                }
                self.tally.add(stream as usize, self.time, value, offset + at as u64);
                next
            };
            let (tail, end) = next;
            (last, last_tail, at) = (number, tail, end);
            rows += 1;
        }
        (self.last, self.last_tail) = (last, last_tail);
        self.count += rows;
        at
    }

    /// Reads a row of a known metric; `None` leaves everything else to [`Rows::whole`].
    #[inline]
    fn quick(&mut self, bytes: &[u8], start: usize, offset: u64) -> Option<usize> {
        let (number, at) = match following(&self.metrics, self.last, bytes, start) {
            Some(found) => found,
            None => self.known(bytes, start)?,
        };
        let at = match after(bytes, at, &self.time_text) {
            Some(at) => at,
            None => self.turn(bytes, at)?,
        };
        let (value, at) = self.layout.value(bytes, at)?;
        let tail = self.tail(bytes, at)?;
        let stream = self.stream(number, tail, value)?;
        let end = at + self.tails.get(tail)?.bytes.len();
        self.last_tail = tail;
        self.last = number;
        self.count += 1;
        self.tally.add(stream as usize, self.time, value, offset);
        Some(end)
    }

    /// The metric whose name stands here, if it was seen before.
    fn known(&mut self, bytes: &[u8], start: usize) -> Option<(usize, usize)> {
        let (name, end) = self.layout.name(bytes, start)?;
        let number = *self.numbers.get(std::str::from_utf8(name).ok()?)?;
        self.metrics.get_mut(self.last)?.follow(number);
        Some((number, end))
    }

    /// Reads a time that is another than the last row's.
    fn turn(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        let (time, end) = self.layout.time(bytes, at)?;
        self.time = time;
        self.time_text.clear();
        self.time_text.extend_from_slice(bytes.get(at..end)?);
        Some(end)
    }

    /// The number of the end that stands here.
    fn tail(&mut self, bytes: &[u8], at: usize) -> Option<usize> {
        if let Some((tail, _)) = next_tail(self.tails.known(), self.last_tail, bytes, at) {
            return Some(tail);
        }
        let end = self.layout.end(bytes, at)?;
        let tail = bytes.get(at..end)?;
        let layout = &self.layout;
        let tail = self.tails.place(tail, || layout.class(tail))?;
        self.tails.follow(self.last_tail, tail);
        Some(tail)
    }

    /// The stream that a sample belongs to.
    fn stream(&mut self, number: usize, tail: usize, value: Number) -> Option<u32> {
        let stream = self.metrics.get(number)?.stream(self.tails.get(tail)?, value);
        if stream == NO_STREAM { self.lead(number, tail, value) } else { Some(stream) }
    }

    /// Finds the stream that an end leads a metric to, and notes it.
    fn lead(&mut self, number: usize, tail: usize, value: Number) -> Option<u32> {
        let known = self.tails.get(tail)?;
        let Metric { role, keep, is_gauge, .. } = *self.metrics.get(number)?;
        let class = if is_gauge { Class::of_no_phase() } else { known.class };
        let failed = role == Role::Failed && value.is_true();
        let part = if failed || matches!(role, Role::Duration | Role::Check) {
            let part = self.parts.of(role, failed, &self.layout.tags(&known.bytes)?);
            // Read as a whole, the row is told.
            (!self.parts.is_beyond()).then_some(part)?
        } else {
            Part::Whole
        };
        let stream = self.open(number, class.facet(part), keep);
        let known = self.tails.get_mut(tail)?;
        match role {
            Role::Duration => known.duration = stream,
            Role::Check => known.check = stream,
            Role::Failed if failed => known.failed = stream,
            _ => self.metrics.get_mut(number)?.plain[class.index()] = stream,
        }
        Some(stream)
    }

    /// Reads a row from its beginning to its end, whatever it holds, and remembers its metric.
    fn whole(&mut self, bytes: &[u8], start: usize, offset: u64) -> Step {
        // No more is looked at than a row may have, so that a longer one is refused alike whether its end is at hand or not.
        let row = match self.layout.whole(&bytes[..bytes.len().min(start + LONGEST_ROW)], start) {
            Whole::Row(row) => row,
            Whole::Aside(end) => return Step::Next(end),
            Whole::Incomplete if bytes.len() - start > LONGEST_ROW => {
                return Step::Fault(too_long(&self.layout, &bytes[start..]));
            }
            Whole::Incomplete => return Step::Incomplete,
            Whole::Fault(fault) => return Step::Fault(fault),
        };
        let Row { metric, time, value, tags, end } = *row;
        let number = match self.numbers.get(metric.as_ref()) {
            Some(number) => *number,
            None if self.metrics.len() == MOST_METRICS => return Step::Fault(too_many_metrics()),
            None => self.meet(&metric),
        };
        let Metric { role, keep, is_gauge, .. } = self.metrics[number];
        let class = if is_gauge { Class::of_no_phase() } else { Class::of(&tags, self.layout.told()) };
        let part = self.parts.of(role, role == Role::Failed && value.is_true(), &tags);
        if self.parts.is_beyond() {
            return Step::Fault(too_many_failures());
        }
        let stream = self.open(number, class.facet(part), keep);
        self.count += 1;
        self.tally.add(stream as usize, time, value, offset);
        if let Some(last) = self.metrics.get_mut(self.last) {
            last.follow(number);
        }
        self.last = number;
        Step::Next(end)
    }

    /// The stream of a metric's facet; a new one if there is none yet.
    fn open(&mut self, metric: usize, facet: Facet, keep: Keep) -> u32 {
        let tally = &mut self.tally;
        let new = || u32::try_from(tally.open(metric, facet, keep)).unwrap_or(NO_STREAM);
        *self.streams.entry((metric, facet)).or_insert_with(new)
    }

    fn meet(&mut self, name: &str) -> usize {
        let number = self.metrics.len();
        let keep = self.wanted.keep(name);
        self.metrics.push(Metric {
            name: name.to_owned(),
            opening: self.layout.opening(name),
            role: Role::of(name, keep),
            keep,
            is_gauge: matches!(name, "vus" | "vus_max"),
            next: [number; 2],
            plain: [NO_STREAM; Class::ALL],
        });
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// The metric that begins here, if it is one that followed the last one before, and the end of its opening.
#[inline(always)]
#[allow(clippy::inline_always, reason = "measured: a call a row costs a tenth of the time")]
fn following(metrics: &[Metric], last: usize, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let [first, second] = metrics.get(last)?.next;
    let begins = |number: usize| Some((number, after(bytes, at, &metrics.get(number)?.opening)?));
    begins(first).or_else(|| begins(second))
}

/// The end of the row behind a value: that of the last row, or one that followed it before; and where the row ends.
#[inline(always)]
#[allow(clippy::inline_always, reason = "measured: a call a row costs a tenth of the time")]
fn next_tail(tails: &[Tail], last: usize, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let known = tails.get(last)?;
    match after(bytes, at, &known.bytes) {
        Some(end) => Some((last, end)),
        None => other_tail(tails, known.next, bytes, at),
    }
}

fn other_tail(tails: &[Tail], next: [usize; 2], bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    next.iter().find_map(|next| Some((*next, after(bytes, at, &tails.get(*next)?.bytes)?)))
}

/// The place behind some words that begin at another; no words begin nowhere.
///
/// Words are short, and compared several times a row: up to 64 bytes, pieces of one size that overlap cost less than a call
/// of the system's comparison.
#[inline]
fn after(bytes: &[u8], at: usize, words: &[u8]) -> Option<usize> {
    let end = at + words.len();
    let here = bytes.get(at..end)?;
    let same = match words.len() {
        0 => false,
        1..8 | 65.. => here == words,
        8..=16 => ends_agree::<8>(here, words),
        17..=32 => ends_agree::<16>(here, words),
        _ => ends_agree::<32>(here, words),
    };
    same.then_some(end)
}

/// Whether the first and the last bytes are the same.
#[inline]
fn ends_agree<const BYTES: usize>(a: &[u8], b: &[u8]) -> bool {
    a.first_chunk::<BYTES>() == b.first_chunk::<BYTES>() && a.last_chunk::<BYTES>() == b.last_chunk::<BYTES>()
}
