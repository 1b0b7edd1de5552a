//! The loop over rows: what is common to k6's CSV and JSON. A row is a name, a time, a value and a tail of tags, and most
//! rows have the name that followed the last name before, the time of the last row, and a tail that was seen already. So
//! a row is mostly compared, seldom read.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::fault::Fault;
use super::number::Number;
use super::tags::{Class, Parts, Role, Tags, Told};
use super::tails::{NO_STREAM, Tails};
use super::tally::{Facet, Part, Tally, Time};
use super::wanted::{Keep, Wanted};

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
    pub(super) metric: std::borrow::Cow<'a, str>,
    pub(super) time: Time,
    pub(super) value: Number,
    pub(super) tags: Tags<'a>,
    pub(super) end: usize,
}

impl Row<'_> {
    /// The same row with texts of its own.
    pub(super) fn into_owned(self) -> Row<'static> {
        let Self { metric, time, value, tags, end } = self;
        Row { metric: std::borrow::Cow::Owned(metric.into_owned()), time, value, tags: tags.into_owned(), end }
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
    /// What a row of a metric begins with, up to its time.
    fn opening(&self, metric: &str) -> Vec<u8>;
    /// The end of the name at a row's start, and of its opening.
    fn name<'a>(&self, bytes: &'a [u8], start: usize) -> Option<(&'a [u8], usize)>;
    /// Reads a time and what stands between it and the value.
    fn time(&mut self, bytes: &[u8], start: usize) -> Option<(Time, usize)>;
    /// Reads a value and what stands between it and the tail.
    fn value(&self, bytes: &[u8], start: usize) -> Option<(Number, usize)>;
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
    /// The metric that came next the last time.
    next: usize,
    /// The end of its last row.
    tail: usize,
    /// The streams of samples that nothing but their class tells apart.
    plain: [u32; Class::ALL],
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
        while at < stop {
            let row_offset = offset + at as u64;
            let next = if quick { self.quick(bytes, at, row_offset) } else { None };
            match next {
                Some(next) => at = next,
                None => match self.whole(bytes, at, row_offset) {
                    Step::Next(next) => at = next,
                    other => return Err((at, other)),
                },
            }
        }
        Ok(at)
    }

    /// Reads a row of a known metric; `None` leaves everything else to [`Rows::whole`].
    #[inline]
    fn quick(&mut self, bytes: &[u8], start: usize, offset: u64) -> Option<usize> {
        let guess = self.metrics.get(self.last)?.next;
        let opening = &self.metrics.get(guess)?.opening;
        let (number, at) = if begins(bytes, start, opening) { (guess, start + opening.len()) } else { self.known(bytes, start)? };
        let at = if begins(bytes, at, &self.time_text) { at + self.time_text.len() } else { self.turn(bytes, at)? };
        let (value, at) = self.layout.value(bytes, at)?;
        let tail = self.tail(bytes, at, number)?;
        let stream = self.stream(number, tail, value)?;
        let end = at + self.tails.get(tail)?.bytes.len();
        self.last_tail = tail;
        self.metrics.get_mut(number)?.tail = tail;
        self.last = number;
        self.count += 1;
        self.tally.add(stream as usize, self.time, value, offset);
        Some(end)
    }

    /// The metric whose name stands here, if it was seen before.
    fn known(&mut self, bytes: &[u8], start: usize) -> Option<(usize, usize)> {
        let (name, end) = self.layout.name(bytes, start)?;
        let number = *self.numbers.get(std::str::from_utf8(name).ok()?)?;
        self.metrics.get_mut(self.last)?.next = number;
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

    /// The number of the end that stands here: that of the last row, that of the metric's last row, or one looked up.
    #[inline]
    fn tail(&mut self, bytes: &[u8], at: usize, metric: usize) -> Option<usize> {
        for guess in [self.last_tail, self.metrics.get(metric)?.tail] {
            if self.tails.get(guess).is_some_and(|tail| begins(bytes, at, &tail.bytes)) {
                return Some(guess);
            }
        }
        let end = self.layout.end(bytes, at)?;
        let tail = bytes.get(at..end)?;
        let layout = &self.layout;
        self.tails.place(tail, || layout.class(tail))
    }

    /// The stream that a sample belongs to.
    #[inline]
    fn stream(&mut self, number: usize, tail: usize, value: Number) -> Option<u32> {
        let metric = self.metrics.get(number)?;
        let known = self.tails.get(tail)?;
        let stream = match metric.role {
            Role::Duration => known.duration,
            Role::Check => known.check,
            Role::Failed if value.is_true() => known.failed,
            _ if metric.is_gauge => metric.plain[Class::of_no_phase().index()],
            _ => metric.plain[known.class.index()],
        };
        if stream == NO_STREAM { self.lead(number, tail, value) } else { Some(stream) }
    }

    /// Finds the stream that an end leads a metric to, and notes it.
    fn lead(&mut self, number: usize, tail: usize, value: Number) -> Option<u32> {
        let known = self.tails.get(tail)?;
        let Metric { role, keep, is_gauge, .. } = *self.metrics.get(number)?;
        let class = if is_gauge { Class::of_no_phase() } else { known.class };
        let failed = role == Role::Failed && value.is_true();
        let part = if failed || matches!(role, Role::Duration | Role::Check) {
            self.parts.of(role, failed, &self.layout.tags(&known.bytes)?)
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
        let row = match self.layout.whole(bytes, start) {
            Whole::Row(row) => row,
            Whole::Aside(end) => return Step::Next(end),
            Whole::Incomplete => return Step::Incomplete,
            Whole::Fault(fault) => return Step::Fault(fault),
        };
        let Row { metric, time, value, tags, end } = *row;
        let number = match self.numbers.get(metric.as_ref()) {
            Some(number) => *number,
            None => self.meet(&metric),
        };
        let Metric { role, keep, is_gauge, .. } = self.metrics[number];
        let class = if is_gauge { Class::of_no_phase() } else { Class::of(&tags, self.layout.told()) };
        let part = self.parts.of(role, role == Role::Failed && value.is_true(), &tags);
        let stream = self.open(number, class.facet(part), keep);
        self.count += 1;
        self.tally.add(stream as usize, time, value, offset);
        if let Some(last) = self.metrics.get_mut(self.last) {
            last.next = number;
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
            next: number,
            tail: 0,
            plain: [NO_STREAM; Class::ALL],
        });
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// Whether some words begin at a place; no words begin nowhere.
///
/// Words are short, and compared several times a row: sixteen bytes at a time, the last sixteen once more, cost less than a
/// call of the system's comparison.
#[inline]
fn begins(bytes: &[u8], at: usize, words: &[u8]) -> bool {
    let Some(here) = bytes.get(at..at + words.len()) else { return false };
    if let (Some(a), Some(b)) = (here.last_chunk::<16>(), words.last_chunk::<16>()) {
        let (here, _) = here.as_chunks::<16>();
        let (words, _) = words.as_chunks::<16>();
        return a == b && here.iter().zip(words).all(|(a, b)| a == b);
    }
    if let (Some(a), Some(b)) = (here.last_chunk::<8>(), words.last_chunk::<8>()) {
        return a == b && here.first_chunk::<8>() == words.first_chunk::<8>();
    }
    here == words && !words.is_empty()
}
