//! The catalogue of figures: one table, from which the record's schema, the flows' vocabulary and the documents are made.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::Unit;

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Computed from k6's own summary, every time it is asked for.
    Derived,
    /// Measured on the service, the database or the load generator, and captured.
    Captured,
    /// A fact of the environment: what was provisioned.
    Provisioned,
    /// Set by the project: a goal.
    Project,
}

/// A row of the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The figure.
    pub figure: FigureId,
    /// Its only spelling.
    pub name: &'static str,
    /// What its value is in.
    pub unit: Unit,
    /// Where it comes from.
    pub origin: Origin,
    /// What it means.
    pub meaning: &'static str,
}

macro_rules! catalogue {
    ($($id:ident $name:literal $unit:ident $origin:ident $meaning:literal;)+) => {
        /// A figure of the catalogue.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum FigureId {
            $(#[doc = $meaning] #[serde(rename = $name)] $id,)+
        }

        /// The whole catalogue, in the order in which documents list it.
        pub const CATALOGUE: &[Row] = &[
            $(Row { figure: FigureId::$id, name: $name, unit: Unit::$unit, origin: Origin::$origin, meaning: $meaning },)+
        ];
    };
}

catalogue! {
    K6IterationsPerS "k6.iterations_per_s" PerSecond Derived "Iterations per second over k6's whole clock, set-up and teardown included: what k6 prints.";
    K6TestIterationsPerS "k6.test_iterations_per_s" PerSecond Derived "Iterations per second over the test phase alone.";
    K6Iterations "k6.iterations" Count Derived "Iterations that ended by themselves.";
    K6Requests "k6.requests" Count Derived "HTTP requests, those of set-up and teardown included.";
    K6FailedRequests "k6.failed_requests" Count Derived "HTTP requests that k6 counts as failed.";
    K6Checks "k6.checks" Count Derived "Check results.";
    K6FailedChecks "k6.failed_checks" Count Derived "Check results that did not hold.";
    K6SuccessRatio "k6.success_ratio" Ratio Derived "The smaller of the share of requests that did not fail and the share of checks that held.";
    K6Vus "k6.vus" Count Derived "The most virtual users there could be: the load, not the last value of k6's gauge.";
    K6ClientTimeRatio "k6.client_time_ratio" Ratio Derived "The share of an iteration that was not spent waiting for a response.";
    K6BytesPerRequest "k6.bytes_per_request" Bytes Derived "Bytes received per HTTP request.";
    K6RequestsPerIteration "k6.requests_per_iteration" Count Derived "HTTP requests per iteration, those of set-up and teardown included.";
    ContainerCpuP50 "container.cpu.p50" Ratio Captured "Median CPU utilisation of the service's containers.";
    ContainerCpuP99 "container.cpu.p99" Ratio Captured "99th percentile of the containers' CPU utilisation.";
    ContainerCpuPeak "container.cpu.peak" Ratio Captured "Highest CPU utilisation of a container.";
    ContainerMemoryP50 "container.memory.p50" Ratio Captured "Median memory utilisation of the service's containers.";
    ContainerMemoryPeak "container.memory.peak" Ratio Captured "Highest memory utilisation of a container.";
    ContainerInstancesMedian "container.instances.median" Count Captured "Median number of containers.";
    ContainerInstancesMin "container.instances.min" Count Captured "Smallest number of containers.";
    ContainerInstancesMax "container.instances.max" Count Captured "Largest number of containers.";
    ContainerInstancesStartups "container.instances.startups" Count Captured "Containers started during the window.";
    ServerRequestsPerS "server.requests_per_s" PerSecond Captured "Requests per second as the platform in front of the service counts them.";
    ServerLatencyP50 "server.latency.p50" Ms Captured "Median latency measured at the service.";
    ServerLatencyP95 "server.latency.p95" Ms Captured "95th percentile of the latency measured at the service.";
    ServerLatencyP99 "server.latency.p99" Ms Captured "99th percentile of the latency measured at the service.";
    ServerErrorLogsPerMin "server.error_logs_per_min" PerMinute Captured "Error lines the service logged per minute.";
    PoolEmptyRatio "pool.empty_ratio" Ratio Captured "The share of acquires that found the connection pool empty.";
    PoolMeanWait "pool.mean_wait" Ms Captured "Mean wait for a connection, over all acquires.";
    PoolAcquires "pool.acquires" Count Captured "Connections acquired from the pools.";
    PoolMaxOpen "pool.max_open" Count Captured "The most connections a container's pool may open.";
    DatabaseCpuMedian "database.cpu.median" Ratio Captured "Median CPU utilisation of the database.";
    DatabaseCpuPeak "database.cpu.peak" Ratio Captured "Highest CPU utilisation of the database.";
    DatabaseMemory "database.memory" Ratio Captured "Memory utilisation of the database.";
    DatabaseConnections "database.connections" Count Captured "Connections to the database.";
    DatabaseTransactionsPerS "database.transactions_per_s" PerSecond Captured "Transactions per second, commits and rollbacks.";
    DatabaseIopsRead "database.iops.read" PerSecond Captured "Read operations of the disk per second.";
    DatabaseIopsWrite "database.iops.write" PerSecond Captured "Write operations of the disk per second.";
    DatabaseIopsProvisioned "database.iops.provisioned" PerSecond Provisioned "Operations per second the disk was bought for.";
    DatabaseLockWaitRatio "database.lock_wait_ratio" Ratio Captured "The share of query time spent waiting for a lock; `of` says of which time.";
    DatabaseTopQueryRatio "database.top_query_ratio" Ratio Captured "The share of database time that the most expensive query took.";
    DatabaseErrorLogsPerMin "database.error_logs_per_min" PerMinute Captured "Error lines the database logged per minute.";
    ClientCpuPeak "client.cpu.peak" Ratio Captured "Highest CPU utilisation of the load generator.";
    ClientCpuSteal "client.cpu.steal" Ratio Captured "Mean share of CPU time that the host took from the load generator's machine.";
    ContainerVcpu "container.vcpu" Count Provisioned "vCPUs of a container.";
    ContainerMemorySize "container.memory_size" Bytes Provisioned "Memory of a container.";
    ContainerMaxScale "container.max_scale" Count Provisioned "The most containers there may be.";
    DatabaseVcpu "database.vcpu" Count Provisioned "vCPUs of the database.";
    DatabaseMemorySize "database.memory_size" Bytes Provisioned "Memory of the database.";
    GoalIterationsPerS "goal.iterations_per_s" PerSecond Project "The target's goal, from plimsoll.toml.";
}

/// Figures that are computed over the test phase alone where raw samples tell it from set-up and teardown.
pub const OVER_TEST: [FigureId; 3] = [FigureId::K6ClientTimeRatio, FigureId::K6BytesPerRequest, FigureId::K6RequestsPerIteration];

impl FigureId {
    /// Its row in the catalogue.
    #[must_use]
    pub fn row(self) -> &'static Row {
        // The macro writes enum and table from the same lines, so the discriminant is the index.
        &CATALOGUE[self as usize]
    }

    /// Its only spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What its value is in.
    #[must_use]
    pub fn unit(self) -> Unit {
        self.row().unit
    }

    /// All names, for a suggestion.
    pub fn names() -> impl Iterator<Item = &'static str> {
        CATALOGUE.iter().map(|row| row.name)
    }
}

impl fmt::Display for FigureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown figure `{0}`")]
pub struct UnknownFigure(pub String);

impl FromStr for FigureId {
    type Err = UnknownFigure;

    fn from_str(text: &str) -> Result<Self, UnknownFigure> {
        CATALOGUE.iter().find(|row| row.name == text).map(|row| row.figure).ok_or_else(|| UnknownFigure(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_finds_its_row_and_its_name() {
        for row in CATALOGUE {
            assert_eq!(row.figure.row(), row);
            assert_eq!(row.name.parse(), Ok(row.figure));
            assert!(row.meaning.ends_with('.'));
        }
    }
}
