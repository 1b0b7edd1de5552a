//! What a run was made on: machines, versions, settings, feature flags.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::instant::Moment;
use super::units::{Bytes, NotANumber, Unit, Written};

/// Everything around a run that must be alike before two runs may be compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Environment {
    /// Where the load came from.
    pub client: Client,
    /// What was tested.
    pub service: Service,
    /// What it stored its data in.
    pub database: Database,
}

/// The load generator.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Client {
    /// Its location, `US1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Its machine type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// k6's version, `v2.1.0`, as somebody stated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k6_version: Option<String>,
    /// The version of the load test's own scripts, `2026.9`, as somebody stated it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness_version: Option<String>,
}

/// The service under test.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Service {
    /// Its name on the platform, `zitadel-qa`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The deployment that ran, as the platform numbers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Its location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The build that ran, `v4.0.0-rc2`; not the release's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its containers.
    pub container: Container,
    /// Settings, as far as somebody wrote them down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingGroup>,
    /// Feature flags; absent is unknown, an empty list is "none".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flags: Option<Flags>,
}

impl Service {
    /// Lays settings by their dotted keys into the group without a name, in the order of the keys; one of a known key replaces it.
    pub fn lay_settings(&mut self, settings: impl IntoIterator<Item = Setting>) {
        let is_own = |group: &SettingGroup| group.name.is_empty();
        let known = self.settings.iter().filter(|group| is_own(group)).flat_map(|group| group.entries.clone());
        let by_key: BTreeMap<String, Setting> = known.chain(settings).map(|setting| (setting.key.clone(), setting)).collect();
        self.settings.retain(|group| !is_own(group));
        if !by_key.is_empty() {
            let entries = by_key.into_values().collect();
            self.settings.push(SettingGroup { name: String::new(), layout: SettingLayout::Lines, entries });
        }
    }
}

/// A container of the service, and how many of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Container {
    /// vCPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcpu: Option<f64>,
    /// Memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// A fixed number of containers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// The fewest there may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_scale: Option<u64>,
    /// The most there may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_scale: Option<u64>,
    /// Requests a container takes at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u64>,
}

/// The database.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Database {
    /// Its name on the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// `psql`, `postgres`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `v17.4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The version that runs, where the platform tells it beside the one that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed_version: Option<String>,
    /// The edition of the platform's product, `ENTERPRISE_PLUS`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// `ZONAL`, `REGIONAL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub availability: Option<String>,
    /// Its location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// The product and machine type, `Cloud SQL Enterprise Plus, db-perf-optimized-N-8`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// vCPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcpu: Option<f64>,
    /// Memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// Whether the data cache is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_cache: Option<bool>,
    /// Its disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk: Option<Size>,
    /// Whether the platform records queries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_insights: Option<bool>,
    /// The bytes after which a recorded query's text is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query_string_length: Option<u64>,
    /// Settings that change the work, `auto_explain`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<SettingGroup>,
}

/// A size with the digits it was written in: `6 Gi`, `32Gib`, `64 GB`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Size {
    /// In bytes.
    pub bytes: Bytes,
    /// As written.
    pub printed: String,
}

impl Size {
    /// Reads a size as people write it.
    ///
    /// # Errors
    /// [`NotANumber`] if it is none.
    pub fn read(text: &str) -> Result<Self, NotANumber> {
        let written = Written::read(text, Unit::Bytes)?;
        Ok(Self { bytes: Bytes::try_from(written.value)?, printed: written.printed })
    }
}

/// Settings that belong together, `Database pool: MaxOpenConns 6, MaxIdleConns 6`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingGroup {
    /// What they are settings of.
    pub name: String,
    /// How a page lays them out.
    pub layout: SettingLayout,
    /// The settings in order.
    pub entries: Vec<Setting>,
}

/// How a group of settings is written on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SettingLayout {
    /// `Key: value`, a line each.
    Lines,
    /// `Key value, Key value` on one line.
    List,
}

/// A setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Setting {
    /// Its name.
    pub key: String,
    /// Its value; empty for a setting that is a bare word.
    pub value: String,
    /// The value it has where nobody sets it, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

impl Setting {
    /// A setting of which no default is known.
    #[must_use]
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { key: key.into(), value: value.into(), default: None }
    }

    /// Whether it differs from its default; `None` where no default is known.
    #[must_use]
    pub fn deviates(&self) -> Option<bool> {
        self.default.as_ref().map(|default| *default != self.value)
    }
}

/// Feature flags in the order of their source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flags {
    /// The flags.
    pub flags: Vec<Flag>,
    /// When and how they were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured: Option<FlagCapture>,
}

/// A feature flag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Flag {
    /// Its name, `improvedPerformance`.
    pub name: String,
    /// Whether it was on.
    pub state: FlagState,
    /// Where it was set, where known: `instance`, `system`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// What it is on for, where it is a list: `IMPROVED_PERFORMANCE_PROJECT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The address it is set to, of a flag that has one: `loginV2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_uri: Option<String>,
}

impl Flag {
    /// A flag and its state, nothing else known.
    #[must_use]
    pub fn new(name: impl Into<String>, state: FlagState) -> Self {
        Self { name: name.into(), state, level: None, paths: Vec::new(), base_uri: None }
    }
}

/// Whether a flag was on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FlagState {
    /// On.
    On,
    /// Off, set nowhere.
    Off,
    /// Off because somebody set it to false.
    ExplicitlyOff,
}

/// When and how flags were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FlagCapture {
    /// What was asked: `instance`.
    pub level: String,
    /// `before` or `after` the run, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// When it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
    /// The sequence of the last change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence: Option<u64>,
    /// When the flags were last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changed: Option<Moment>,
}
