//! A database instance as `gcloud sql instances describe` prints it (Cloud SQL's `DatabaseInstance`).

use serde_json::json;

use super::describe::Told;
use crate::capture::settings;
use crate::capture::yaml::Node;
use crate::model::environment::{Setting, SettingGroup, SettingLayout, Size};

/// Reads an instance.
pub(super) fn instance(root: &Node, told: &mut Told) {
    told.text("database.instance", root.get(&["name"]));
    told.text("database.location", root.get(&["region"]));
    versions(root, told);
    let setting = |path: &[&str]| root.get(&["settings"]).and_then(|settings| settings.get(path));
    told.text("database.edition", setting(&["edition"]));
    if let Some(tier) = setting(&["tier"]) {
        told.text("database.tier", Some(tier));
        machine(tier, told);
    }
    told.truth("database.data_cache", setting(&["dataCacheConfig", "dataCacheEnabled"]));
    told.size("database.disk", setting(&["dataDiskSizeGb"]), " GB");
    told.text("database.availability", setting(&["availabilityType"]));
    told.truth("database.query_insights", setting(&["insightsConfig", "queryInsightsEnabled"]));
    told.count("database.query_string_length", setting(&["insightsConfig", "queryStringLength"]));
    if let Some(flags) = setting(&["databaseFlags"]) {
        self::flags(flags, told);
    }
}

/// `POSTGRES_17` was asked for, `POSTGRES_17_4` runs.
fn versions(root: &Node, told: &mut Told) {
    let read = |key: &str| {
        let node = root.get(&[key])?;
        let (kind, version) = node.text()?.split_once('_')?;
        Some((node, kind.to_lowercase(), version.replace('_', ".")))
    };
    if let Some((node, kind, version)) = read("databaseVersion") {
        told.fact("database.kind", kind, node);
        told.fact("database.version", version, node);
    }
    if let Some((node, _, version)) = read("databaseInstalledVersion") {
        told.fact("database.installed_version", version, node);
    }
}

/// What a tier's name tells: `db-custom-8-32768` has vCPUs and MiB, `db-perf-optimized-N-8` and `db-c4a-highmem-8` vCPUs alone.
fn machine(node: &Node, told: &mut Told) {
    let tier = node.text().unwrap_or_default();
    if let Some((vcpu, memory)) = tier.strip_prefix("db-custom-").and_then(|rest| rest.split_once('-')) {
        if let (Ok(vcpu), Ok(memory)) = (vcpu.parse::<f64>(), Size::read(&format!("{memory} MiB"))) {
            told.fact("database.vcpu", vcpu, node);
            told.fact("database.memory", json!(memory), node);
        }
        return;
    }
    let known = ["db-perf-optimized-N-", "db-c4a-highmem-"].iter().find_map(|start| tier.strip_prefix(start));
    if let Some(vcpu) = known.and_then(|vcpu| vcpu.parse::<f64>().ok()) {
        told.fact("database.vcpu", vcpu, node);
    }
}

/// Settings of the server that somebody changed.
fn flags(list: &Node, told: &mut Told) {
    let mut entries: Vec<Setting> = Vec::new();
    for flag in list.items() {
        let Some(name) = flag.get(&["name"]).and_then(Node::text) else { continue };
        let value = flag.get(&["value"]);
        let (setting, masked) = settings::setting(name, value.and_then(Node::text).unwrap_or_default());
        value.filter(|_| masked).into_iter().for_each(|value| told.hide(value));
        entries.push(setting);
    }
    if !entries.is_empty() {
        let group = SettingGroup { name: "Flags".to_owned(), layout: SettingLayout::List, entries };
        told.fact("database.settings", json!([group]), list);
    }
}
