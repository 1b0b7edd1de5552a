//! What a number of a text may be said of.

use super::number::Number;
use crate::model::stat::Stat;

/// Whose CPU, memory or size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resource {
    /// The service's containers.
    Service,
    /// The database.
    Database,
    /// The load generator.
    Client,
}

/// What of a resource is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quantity {
    /// CPU.
    Cpu,
    /// Memory.
    Memory,
    /// It is not said which.
    Either,
}

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// It took too long.
    Timeout,
    /// The connection was reset.
    Reset,
    /// An HTTP status.
    Status(u16),
    /// It is not said.
    Any,
}

/// Whether a number is of all there were, or may be of some of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Of all.
    All,
    /// Perhaps of a part: it can't be more than all.
    Part,
}

/// What a number is said of.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Topic {
    /// CPU or memory of a resource, with the statistic where the words have one.
    Level(Resource, Quantity, Option<Stat>),
    /// CPU time that the host took from the load generator.
    Steal,
    /// The share of lock wait, of what.
    LockWait(Option<String>),
    /// The share of acquires that found the pool empty.
    PoolEmpty,
    /// The mean wait for a connection.
    PoolWait,
    /// The connections of a container's pool.
    PoolSize,
    /// Connections acquired.
    Acquires(Extent),
    /// Virtual users.
    Vus,
    /// Containers that ran.
    Containers,
    /// The number that the containers are pinned at.
    Pinned,
    /// The most containers there may be.
    MaxScale,
    /// The fewest containers there may be.
    MinScale,
    /// Containers that started.
    Startups(Extent),
    /// vCPUs.
    Vcpu(Resource),
    /// Bytes of memory.
    Memory(Resource),
    /// Connections to the database.
    Connections,
    /// Iterations.
    Iterations(Extent),
    /// Iterations that were interrupted.
    Interrupted,
    /// Iterations that an exception ended.
    Aborted,
    /// HTTP requests.
    Requests(Extent),
    /// Check results.
    Checks(Extent),
    /// Check results that did not hold.
    FailedChecks(Extent),
    /// Requests that failed, for a reason.
    Failed(Cause, Extent),
    /// The share of requests that failed.
    FailedShare,
    /// The share of requests that did not fail.
    Success,
    /// The share of checks that did not hold.
    FailedCheckShare,
    /// The share that a count is of the requests, or of what else it may be of.
    ShareOf(Number),
    /// The share that one count is of another.
    Quotient(Number, Number),
    /// The same time in another unit.
    SameTime(Number),
    /// Iterations per second.
    IterationsPerS,
    /// HTTP requests per second; whether as the service's platform counts them.
    RequestsPerS(bool),
    /// Transactions per second.
    TransactionsPerS,
    /// Reads of the disk per second.
    ReadsPerS,
    /// Writes of the disk per second.
    WritesPerS,
    /// A latency: of a trend by its name, or of the service as its platform measures it.
    Latency(Option<String>, Stat),
    /// How long the test ran.
    Duration,
    /// How far into the run; with the time of day that is said of it.
    IntoRun(Option<Number>),
    /// A time of day within the run.
    Clock,
    /// The day of the run.
    Day,
}

impl Topic {
    /// Whether two numbers of one sentence that are of it contradict each other, so that one of them is of something else.
    pub(super) fn is_single(&self) -> bool {
        !matches!(
            self,
            Self::Containers | Self::Clock | Self::IntoRun(_) | Self::SameTime(_) | Self::Quotient(..) | Self::ShareOf(_)
        )
    }
}
