//! What a series can measure: the vocabulary of mapping rules (`measures = "container.cpu"`).

use std::str::FromStr;

use crate::model::units::Unit;

macro_rules! quantities {
    ($($id:ident $name:literal $meaning:literal;)+) => {
        /// What a series measures.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Quantity {
            $(#[doc = $meaning] $id,)+
        }

        impl Quantity {
            /// All of them with their names and meanings.
            pub const ALL: &[(Self, &'static str, &'static str)] = &[$((Self::$id, $name, $meaning),)+];
        }
    };
}

quantities! {
    ContainerCpu "container.cpu" "CPU utilisation of the service's containers, a share of what a container has.";
    ContainerMemory "container.memory" "Memory utilisation of the service's containers, a share of what a container has.";
    ContainerInstances "container.instances" "Containers that there are.";
    ContainerStartups "container.startups" "Containers that started.";
    ServerRequests "server.requests" "Requests that the platform in front of the service, or the service, counts.";
    ServerLatency "server.latency" "Latency measured at the service.";
    PoolAcquires "pool.acquires" "Connections acquired from the pools.";
    PoolEmptyAcquires "pool.empty_acquires" "Acquires that found the pool empty.";
    PoolWait "pool.wait" "Time that acquires took, summed.";
    PoolMaxOpen "pool.max_open" "The most connections a container's pool may open.";
    DatabaseCpu "database.cpu" "CPU utilisation of the database.";
    DatabaseMemory "database.memory" "Memory utilisation of the database.";
    DatabaseConnections "database.connections" "Connections to the database.";
    DatabaseTransactions "database.transactions" "Transactions, commits and rollbacks.";
    DatabaseReads "database.reads" "Read operations of the database's disk.";
    DatabaseWrites "database.writes" "Write operations of the database's disk.";
    DatabaseWaits "database.waits" "Sessions that wait for something, by what they wait for.";
    ProcessStart "process.start" "The moment a process started, in seconds since 1970.";
    ClientCpu "client.cpu" "CPU utilisation of the load generator.";
    ClientSteal "client.steal" "CPU time that the host took from the load generator's machine, a share of what its CPUs have.";
    QueryTime "query.time" "Execution time of statements, summed over sessions, by statement.";
    QueryLockTime "query.lock_time" "Time that statements waited for locks.";
    QueryIoTime "query.io_time" "Time that statements waited for reads and writes.";
    QueryLatency "query.latency" "Latency of single statements.";
    Ignored "ignored" "Known, and nothing that a record keeps.";
}

impl Quantity {
    /// Its only spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(quantity, _, _)| *quantity == self).map_or("", |(_, name, _)| name)
    }

    /// What its values are in, once they are in a base unit.
    #[must_use]
    pub fn unit(self) -> Unit {
        match self {
            Self::ContainerCpu
            | Self::ContainerMemory
            | Self::DatabaseCpu
            | Self::DatabaseMemory
            | Self::ClientCpu
            | Self::ClientSteal => Unit::Ratio,
            Self::ServerLatency
            | Self::PoolWait
            | Self::QueryTime
            | Self::QueryLockTime
            | Self::QueryIoTime
            | Self::QueryLatency => Unit::Ms,
            _ => Unit::Count,
        }
    }

    /// Whether it is asked for percentiles: a plain number of it that stands for a period is one of that period.
    #[must_use]
    pub fn is_distribution(self) -> bool {
        matches!(self, Self::ContainerCpu | Self::ContainerMemory | Self::ServerLatency | Self::QueryLatency)
    }

    /// All names, for a suggestion.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.iter().map(|(_, name, _)| *name)
    }
}

/// A name that is no quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no quantity `{0}`")]
pub struct UnknownQuantity(pub String);

impl FromStr for Quantity {
    type Err = UnknownQuantity;

    fn from_str(text: &str) -> Result<Self, UnknownQuantity> {
        let found = Self::ALL.iter().find(|(_, name, _)| *name == text);
        found.map(|(quantity, _, _)| *quantity).ok_or_else(|| UnknownQuantity(text.to_owned()))
    }
}
