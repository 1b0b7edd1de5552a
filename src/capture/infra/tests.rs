use serde_json::{Value, json};

use super::*;
use crate::capture::File;
use crate::diagnostic::Level;
use crate::model::environment::Environment;

const KNATIVE: &str = r"
apiVersion: serving.knative.dev/v1
kind: Service
metadata:
  annotations: {run.googleapis.com/minScale: '1', run.googleapis.com/maxScale: '9'}
  labels: {cloud.googleapis.com/location: nowhere1}
  name: own-service
spec:
  template:
    metadata:
      annotations: {autoscaling.knative.dev/maxScale: '4'}
    spec:
      containerConcurrency: 80
      containers:
      - {image: 'example.test/proxy:v9', name: proxy}
      - env:
        - {name: ZITADEL_PROJECTIONS_REQUEUEEVERY, value: 90s}
        - {name: OTHER_TOKEN, value: hunter2}
        - {name: ZITADEL_MASTERKEY, valueFrom: {secretKeyRef: {key: latest, name: own-masterkey}}}
        - {name: ZITADEL_DATABASE_POSTGRES_USER_PASSWORD, value: hunter2}
        image: example.test/own/service:v1.2.0
        ports: [{containerPort: 8080}]
        resources: {limits: {cpu: 1500m, memory: 6Gi}}
status:
  latestCreatedRevisionName: own-service-00002-b
  latestReadyRevisionName: own-service-00002-b
  traffic: [{latestRevision: true, percent: 100, revisionName: own-service-00002-b}]
";

fn facts(text: &str) -> Facts {
    let source = Source::new("own.yaml", text);
    assert!(sniff(&source), "{text}");
    match read(&source) {
        Ok(Capture::Facts(facts)) => facts,
        other => unreachable!("{other:?}"),
    }
}

/// Facts as an environment: every key must be one of it, and keep its value.
fn environment(facts: &[Fact]) -> Environment {
    let mut root = json!({});
    for fact in facts {
        let path: Vec<&str> = fact.key.split('.').collect();
        let place = path.iter().fold(&mut root, |node, part| &mut node[*part]);
        *place = fact.value.clone();
    }
    let environment: Environment = serde_json::from_value(root).unwrap_or_else(|e| unreachable!("{e}"));
    let back = json!(environment);
    for fact in facts {
        let pointer = format!("/{}", fact.key.replace('.', "/"));
        let kept = back.pointer(&pointer).unwrap_or(&Value::Null);
        assert_eq!(kept.as_f64().map(f64::to_bits), fact.value.as_f64().map(f64::to_bits), "{}", fact.key);
        assert!(kept.is_number() || *kept == fact.value, "{} {kept}", fact.key);
    }
    environment
}

fn settings(facts: &Facts) -> Vec<(&str, &str)> {
    facts.settings.iter().map(|known| (known.setting.key.as_str(), known.setting.value.as_str())).collect()
}

#[test]
fn a_service_of_cloud_run_becomes_facts() {
    let facts = facts(KNATIVE);
    let service = environment(&facts.facts).service;
    assert_eq!(service.name.as_deref(), Some("own-service"));
    assert_eq!(service.location.as_deref(), Some("nowhere1"));
    assert_eq!(service.version.as_deref(), Some("v1.2.0"));
    assert_eq!(service.revision.as_deref(), Some("own-service-00002-b"));
    let container = service.container;
    assert_eq!(container.vcpu, Some(1.5));
    assert_eq!(container.memory.map(|size| json!(size)), Some(json!({"bytes": 6_442_450_944.0, "printed": "6Gi"})));
    assert_eq!((container.min_scale, container.max_scale, container.concurrency), (Some(1), Some(4), Some(80)));
    assert_eq!(settings(&facts), [("Projections.RequeueEvery", "90s"), ("Database.postgres.User.Password", "***")]);
    let cpu = facts.facts.iter().find(|fact| fact.key == "service.container.vcpu").unwrap_or_else(|| unreachable!());
    assert_eq!(cpu.place.source.text()[cpu.place.span.clone()], *"1500m");
    assert!(!cpu.place.source.text().contains("hunter2"));
}

#[test]
fn a_template_that_does_not_serve_says_nothing() {
    let other = facts(&KNATIVE.replace("revisionName: own-service-00002-b}", "revisionName: own-service-00001-a}"));
    let service = environment(&other.facts).service;
    assert_eq!((service.revision.as_deref(), service.version, service.container.vcpu), (Some("own-service-00001-a"), None, None));
    assert_eq!(other.told.iter().map(|told| (told.code, told.level)).collect::<Vec<_>>(), [("other-revision", Level::Warning)]);
    let split = "[{percent: 60, revisionName: a}, {percent: 40, revisionName: b}]";
    let split = facts(&KNATIVE.replace("[{latestRevision: true, percent: 100, revisionName: own-service-00002-b}]", split));
    assert!(split.told.len() == 1 && environment(&split.facts).service.revision.is_none());
}

#[test]
fn a_deployment_becomes_facts() {
    let own = r#"{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"own"},"spec":{"replicas":3,"template":{"spec":
        {"containers":[{"image":"own:v2","resources":{"limits":{"cpu":2,"memory":"512Mi"}}}]}}}}"#;
    let list = |items: &str| format!("{{\"apiVersion\":\"v1\",\"items\":[{items}],\"kind\":\"List\"}}");
    assert_eq!(facts(&list(own)).facts.len(), facts(own).facts.len());
    assert!(read(&Source::new("own.json", list(&format!("{own},{own}")))).is_err());
    let service = environment(&facts(own).facts).service;
    assert_eq!((service.container.count, service.container.vcpu, service.version.as_deref()), (Some(3), Some(2.0), Some("v2")));
}

#[test]
fn a_database_becomes_facts() {
    let sql = |tier: &str| {
        let text = format!(
            "kind: sql#instance\nname: own\nregion: nowhere1\ndatabaseVersion: POSTGRES_9_6\nsettings:\n  tier: {tier}\n  \
             dataDiskSizeGb: '250'\n  databaseFlags:\n  - {{name: max_connections, value: '500'}}\n"
        );
        environment(&facts(&text).facts).database
    };
    let custom = sql("db-custom-8-32768");
    assert_eq!((custom.kind.as_deref(), custom.version.as_deref()), (Some("postgres"), Some("9.6")));
    assert_eq!(custom.vcpu, Some(8.0));
    assert_eq!(custom.memory.map(|size| json!(size)), Some(json!({"bytes": 34_359_738_368.0, "printed": "32768 MiB"})));
    assert_eq!(custom.disk.map(|size| json!(size)), Some(json!({"bytes": 250_000_000_000.0, "printed": "250 GB"})));
    assert_eq!(custom.settings[0].entries[0].key, "max_connections");
    assert_eq!((custom.data_cache, custom.query_insights, custom.installed_version), (None, None, None));
    let optimized = sql("db-perf-optimized-N-16");
    assert_eq!((optimized.vcpu, optimized.memory), (Some(16.0), None));
    assert_eq!(sql("db-f1-micro").vcpu, None);
}

#[test]
fn values_that_cannot_be_are_all_told() {
    let text = KNATIVE.replace("1500m", "many").replace("6Gi", "6 apples").replace("'4'", "four");
    let faults = read(&Source::new("own.yaml", text)).err().unwrap_or_else(|| unreachable!());
    assert_eq!(faults.list().len(), 3, "{faults}");
    assert!(!faults.to_string().contains("hunter2"));
}

#[test]
fn a_description_that_was_cut_is_a_fault_with_its_place() {
    let source = Source::new("own.json", "{\n  \"apiVersion\": \"serving.knative.dev/v1\",\n  \"template\": {\"a\": ");
    assert!(sniff(&source));
    let faults = read(&source).err().unwrap_or_else(|| unreachable!());
    assert!(faults.list()[0].places[0].to_string().starts_with("own.json:3:"), "{faults}");
}

#[test]
fn other_documents_are_none() {
    for text in [
        "",
        "[]",
        "Service own in region nowhere1\n",
        "apiVersion: v1\nkind: Pod\nspec: {containers: []}\n",
        "{\"name\":\"projects/a/services/b\"}",
        "level=info msg=\"serving.knative.dev/ template\"",
    ] {
        assert!(!sniff(&Source::new("a", text)), "{text}");
    }
}

fn file(path: &str, facts: Facts) -> File {
    File {
        source: Source::new(path, ""),
        path: path.to_owned(),
        kind: "infrastructure",
        named: false,
        capture: Capture::Facts(facts),
    }
}

fn fact(key: &str, value: Value) -> Facts {
    let place = Source::new(format!("{value}.json"), "text").at(0..4);
    Facts { facts: vec![Fact { key: key.to_owned(), value, place }], ..Facts::default() }
}

#[test]
fn what_agrees_is_one_and_what_contradicts_is_told() {
    let size = |bytes: u64, printed: &str| json!({"bytes": bytes, "printed": printed});
    for (key, a, b, kept) in [
        ("database.version", json!("17"), json!("17.10"), Some(json!("17.10"))),
        ("database.version", json!("v17.10"), json!("17"), Some(json!("v17.10"))),
        ("database.version", json!("17.1"), json!("17.10"), None),
        ("service.container.memory", size(1024, "1Ki"), size(1024, "1 KiB"), Some(size(1024, "1Ki"))),
        ("service.container.memory", size(1024, "1Ki"), size(1000, "1k"), None),
        ("service.container.vcpu", json!(6), json!(6.0), Some(json!(6))),
        ("service.container.vcpu", json!(6), json!(5), None),
        ("service.name", json!("a"), json!("A"), None),
    ] {
        let (one, two) = (file("a.json", fact(key, a)), file("b.json", fact(key, b)));
        let (forth, back) = (findings(&[&one, &two]), findings(&[&two, &one]));
        assert_eq!((&forth.facts, &forth.told), (&back.facts, &back.told));
        match kept {
            Some(kept) => assert!(forth.told.is_empty() && forth.facts[0].value == kept, "{key} {:?}", forth.facts),
            None => assert!(forth.told.len() == 1 && forth.told[0].places.len() == 2, "{key}"),
        }
    }
}

#[test]
fn what_files_gave_is_noted() {
    let (run, sql) = (file("run.yaml", facts(KNATIVE)), file("sql.json", fact("database.vcpu", json!(8))));
    let other = KNATIVE.replace("90s", "91s");
    let (again, nothing) = (file("z.yaml", facts(&other)), file("nothing.yaml", Facts::default()));
    let found = findings(&[&sql, &run, &again, &nothing]);
    let used = |path: &str| found.used.get(path).map(|what| what.iter().cloned().collect::<Vec<_>>()).unwrap_or_default();
    assert_eq!(
        (used("run.yaml"), used("sql.json")),
        (vec!["2 settings".to_owned(), "service".to_owned()], vec!["database".to_owned()])
    );
    assert!(found.unused.contains_key("nothing.yaml"));
    assert_eq!(found.told.iter().map(|told| told.code).collect::<Vec<_>>(), ["contradiction"]);
    let drawn = found.told[0].to_string();
    assert!(drawn.contains("`90s`") && drawn.contains("`91s`") && !drawn.contains("hunter2"), "{drawn}");
}

mod material;
