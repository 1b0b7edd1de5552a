//! Secrets planted in every kind of input, looked for in every output: the archive, the site, the docs pages, both streams, and
//! the excerpts that faults show.

use super::capture_support::{RELEASE, ignored, log, told};
use super::command::{Answer, Folder};

const START: &str = "2026-03-01T10:00:00Z";
const END: &str = "2026-03-01T10:10:00Z";

/// Files with secrets. `{JWT}` is a signed token, `{PW}` a password, `{KEY}` a master key: each plant has its own.
pub(super) const PLANTS: &[Plant] = &[
    plant("k6 text", "k6.log", K6_LOG),
    plant("k6 summary, exported", "summary-export.json", K6_EXPORT).alone(),
    plant("k6 summary, handled", "handle-summary.json", K6_HANDLE).alone(),
    plant("raw CSV", "samples.csv", RAW_CSV).alone(),
    plant("raw JSON", "samples.json", RAW_JSON).alone(),
    plant("status table", "k6_status.txt", STATUS),
    plant("the team's metrics", "bench-metrics-raw.csv", METRICS),
    plant("Cloud Monitoring", "cpu.json", MONITORING),
    plant("Cloud Monitoring, an error", "error.json", MONITORING_ERROR).refused(),
    plant("Prometheus", "pool.json", PROMETHEUS),
    plant("Prometheus, an error", "error.json", PROMETHEUS_ERROR).refused(),
    plant("a scrape", "metrics.end.txt", SCRAPE),
    plant("Query Insights", "queries.json", INSIGHTS),
    plant("statements", "after.pg_stat_statements.csv", STATEMENTS_AFTER)
        .with("before.pg_stat_statements.csv", STATEMENTS_BEFORE),
    plant("activity", "pg_stat_activity.csv", ACTIVITY),
    plant("settings of PostgreSQL", "pg_settings.csv", PG_SETTINGS),
    plant("the server's log", "postgresql.log", PG_LOG),
    plant("feature flags", "features.json", FEATURES),
    plant("a service, JSON", "service.json", KNATIVE),
    plant("a service, YAML", "service.yaml", KNATIVE_YAML),
    plant("a database", "database.json", CLOUD_SQL),
    plant("configuration", "config.yaml", CONFIG),
    plant("environment", "zitadel.env", DOTENV),
    plant("by hand", "run.toml", BY_HAND),
    plant("by hand, of a release", "release.toml", BY_HAND_OF_RELEASE),
    plant("a page", "index.mdx", PAGE).alone(),
    plant("series", "output.json", SERIES),
];

#[derive(Clone, Copy)]
pub(super) struct Plant {
    pub(super) what: &'static str,
    pub(super) file: &'static str,
    pub(super) text: &'static str,
    /// A file that has to lie beside it.
    pub(super) beside: Option<(&'static str, &'static str)>,
    /// Whether it gives nothing as it is.
    pub(super) is_refused: bool,
    /// Whether it makes a run by itself.
    pub(super) is_alone: bool,
}

const fn plant(what: &'static str, file: &'static str, text: &'static str) -> Plant {
    Plant { what, file, text, beside: None, is_refused: false, is_alone: false }
}

impl Plant {
    const fn with(self, file: &'static str, text: &'static str) -> Self {
        Self { beside: Some((file, text)), ..self }
    }

    const fn refused(self) -> Self {
        Self { is_refused: true, ..self }
    }

    const fn alone(self) -> Self {
        Self { is_alone: true, ..self }
    }
}

// What is planted where. A text ends its file's line behind the secret with something that can be broken.

const K6_LOG: &str = "time=\"2026-03-01T10:00:00Z\" level=info msg=\"Authorization: Bearer {JWT}\" source=console\n\
time=\"2026-03-01T10:00:00Z\" level=warning msg=\"Request Failed\" error=\"Get \\\"https://admin:{PW}@svc.example/x\\\": EOF\"\n\
{\"setup_data\": {\"accessToken\": \"{JWT}\", \"password\": \"{PW}\"}}\n";
const K6_EXPORT: &str = r#"{"root_group": {"name": "", "path": "", "id": "d41d8cd98f00b204e9800998ecf8427e", "groups": {}, "checks": {}},
"setup_data": {"accessToken": "{JWT}", "users": [{"password": "{PW}"}]},
"metrics": {"iterations": {"count": 42, "rate": 4.2}, "http_reqs": {"count": 42, "rate": 4.2}}}"#;
const K6_HANDLE: &str = r#"{"setup_data": {"tokens": {"accessToken": "{JWT}"}, "users": [{"loginName": "z", "password": "{PW}"}]},
"root_group": {"name": "", "path": "", "id": "d41d8cd98f00b204e9800998ecf8427e", "groups": [], "checks": []},
"options": {"summaryTrendStats": ["avg"], "summaryTimeUnit": "", "noColor": false}, "state": {"isStdOutTTY": false, "isStdErrTTY": false, "testRunDurationMs": 10000},
"metrics": {"iterations": {"type": "counter", "contains": "default", "values": {"count": 42, "rate": 4.2}}, "http_reqs": {"type": "counter", "contains": "default", "values": {"count": 42, "rate": 4.2}}}}"#;
const RAW_CSV: &str = "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata
http_reqs,1772359201,1.000000,,\"Get \"\"https://admin:{PW}@svc.example/x?access_token={JWT}\"\": EOF\",1000,false,,GET,https://svc.example/x?access_token={JWT},HTTP/1.1,default,,0,,,https://svc.example/x?access_token={JWT},token={JWT},
http_req_duration,1772359201,12.500000,,\"Get \"\"https://admin:{PW}@svc.example/x?access_token={JWT}\"\": EOF\",1000,false,,GET,https://svc.example/x?access_token={JWT},HTTP/1.1,default,,0,,,https://svc.example/x?access_token={JWT},token={JWT},
http_req_failed,1772359201,1.000000,,\"Get \"\"https://admin:{PW}@svc.example/x?access_token={JWT}\"\": EOF\",1000,false,,GET,https://svc.example/x?access_token={JWT},HTTP/1.1,default,,0,,,https://svc.example/x?access_token={JWT},token={JWT},
iteration_duration,1772359201,13.000000,,,,,,,,,default,,,,,,,
iterations,1772359201,1.000000,,,,,,,,,default,,,,,,,
";
const RAW_JSON: &str = r#"{"type":"Metric","data":{"name":"http_reqs","type":"counter","contains":"default","thresholds":[],"submetrics":null},"metric":"http_reqs"}
{"metric":"http_reqs","type":"Point","data":{"time":"2026-03-01T10:00:01.1Z","value":1,"tags":{"error":"Get \"https://admin:{PW}@svc.example/x?access_token={JWT}\": EOF","error_code":"1000","expected_response":"false","group":"","method":"GET","name":"https://svc.example/x?access_token={JWT}","scenario":"default","status":"0","url":"https://svc.example/x?access_token={JWT}"}}}
{"type":"Metric","data":{"name":"http_req_failed","type":"rate","contains":"default","thresholds":[],"submetrics":null},"metric":"http_req_failed"}
{"metric":"http_req_failed","type":"Point","data":{"time":"2026-03-01T10:00:01.1Z","value":1,"tags":{"error":"Get \"https://admin:{PW}@svc.example/x?access_token={JWT}\": EOF","error_code":"1000","expected_response":"false","group":"","method":"GET","name":"https://svc.example/x?access_token={JWT}","scenario":"default","status":"0","url":"https://svc.example/x?access_token={JWT}"}}}
{"type":"Metric","data":{"name":"http_req_duration","type":"trend","contains":"time","thresholds":[],"submetrics":null},"metric":"http_req_duration"}
{"metric":"http_req_duration","type":"Point","data":{"time":"2026-03-01T10:00:01.1Z","value":12.5,"tags":{"error":"Get \"https://admin:{PW}@svc.example/x?access_token={JWT}\": EOF","error_code":"1000","expected_response":"false","group":"","method":"GET","name":"https://svc.example/x?access_token={JWT}","scenario":"default","status":"0","url":"https://svc.example/x?access_token={JWT}"}}}
{"type":"Metric","data":{"name":"iterations","type":"counter","contains":"default","thresholds":[],"submetrics":null},"metric":"iterations"}
{"metric":"iterations","type":"Point","data":{"time":"2026-03-01T10:00:01.2Z","value":1,"tags":{"group":"","scenario":"default"}}}
"#;
const STATUS: &str = "| status | error_code | error | requests |\n\
| - | 1000 | Get \"https://admin:{PW}@svc.example/x?access_token={JWT}\": EOF | 3 |\n\
| 200 | - | - | 39 |\n";
const METRICS: &str = "target,metric,timestamp,value\n\
\"{TARGET}\",\"db_cpu\",\"2026-03-01T10:01:00Z\",0.25\n\
\"{TARGET}\",\"db_mem?access_token={JWT}\",\"2026-03-01T10:01:00Z\",0.25\n\
\"{TARGET}\",\"postgres://zitadel:{PW}@db.example/zitadel\",\"2026-03-01T10:01:00Z\",0.25\n";
const MONITORING: &str = r#"{"timeSeries": [{"metric": {"type": "cloudsql.googleapis.com/database/cpu/utilization", "labels": {"dsn": "postgres://zitadel:{PW}@db.example/zitadel", "authorization": "Bearer {JWT}"}},
"resource": {"type": "cloudsql_database", "labels": {"database_id": "postgres://zitadel:{PW}@db.example/zitadel"}}, "metricKind": "GAUGE", "valueType": "DOUBLE",
"points": [{"interval": {"startTime": "2026-03-01T10:02:00Z", "endTime": "2026-03-01T10:02:00Z"}, "value": {"doubleValue": 0.3}}, {"interval": {"startTime": "2026-03-01T10:01:00Z", "endTime": "2026-03-01T10:01:00Z"}, "value": {"doubleValue": 0.2}}]},
{"metric": {"type": "custom.googleapis.com/postgres://zitadel:{PW}@db.example/{JWT}"}, "resource": {"type": "global"}, "metricKind": "GAUGE", "valueType": "DOUBLE",
"points": [{"interval": {"endTime": "2026-03-01T10:01:00Z"}, "value": {"doubleValue": 1}}]}],
"executionErrors": [{"code": 14, "message": "store of Bearer {JWT} at postgres://zitadel:{PW}@db.example is not there"}]}"#;
const MONITORING_ERROR: &str = r#"{"error": {"code": 401, "message": "The token {JWT} of https://admin:{PW}@svc.example is not valid", "status": "UNAUTHENTICATED"}}"#;
const PROMETHEUS: &str = r#"{"status":"success","warnings":["remote read of https://admin:{PW}@prometheus.example failed: Bearer {JWT}"],"data":{"resultType":"matrix","result":[{"metric":{"__name__":"zitadel_database_pool_max_conns","dsn":"postgres://zitadel:{PW}@db.example/zitadel","token":"{JWT}"},"values":[[1772359260,"6"],[1772359320,"6"]]},
{"metric":{"__name__":"unknown","url":"https://admin:{PW}@svc.example/{JWT}"},"values":[[1772359260,"6"]]}]}}"#;
const PROMETHEUS_ERROR: &str = r#"{"status":"error","errorType":"bad_data","error":"invalid parameter \"query\": Bearer {JWT} of https://admin:{PW}@svc.example"}"#;
const SCRAPE: &str = "# HELP zitadel_database_pool_max_conns of postgres://zitadel:{PW}@db.example/zitadel\n\
# TYPE zitadel_database_pool_max_conns gauge\n\
zitadel_database_pool_max_conns{dsn=\"postgres://zitadel:{PW}@db.example/zitadel\",token=\"{JWT}\"} 6\n\
unknown_total{url=\"https://admin:{PW}@svc.example/\"} 1\n";
const INSIGHTS: &str = r#"{"timeSeries": [{"metric": {"labels": {"query_hash": "17", "user": "zitadel", "client_addr": "", "querystring": "/* Bearer {JWT} */ SELECT id FROM accounts WHERE secret = '{PW}' -- {KEY}"}, "type": "cloudsql.googleapis.com/database/postgresql/insights/perquery/execution_time"}, "resource": {"type": "cloudsql_instance_database", "labels": {"resource_id": "example:eu1", "database": "zitadel"}}, "metricKind": "DELTA", "valueType": "INT64", "points": [{"interval": {"startTime": "2026-03-01T10:00:00Z", "endTime": "2026-03-01T10:10:00Z"}, "value": {"int64Value": "2647435734"}}]},
{"metric": {"labels": {"query_hash": "18", "user": "zitadel", "client_addr": "", "querystring": "UPDATE accounts SET secret = E'it\\'s {PW}"}, "type": "cloudsql.googleapis.com/database/postgresql/insights/perquery/execution_time"}, "resource": {"type": "cloudsql_instance_database", "labels": {"resource_id": "example:eu1", "database": "zitadel"}}, "metricKind": "DELTA", "valueType": "INT64", "points": [{"interval": {"startTime": "2026-03-01T10:00:00Z", "endTime": "2026-03-01T10:10:00Z"}, "value": {"int64Value": "47435734"}}]}]}"#;
const STATEMENTS_BEFORE: &str = "captured_at,userid,dbid,toplevel,queryid,query,calls,total_exec_time\n\
2026-03-01 10:00:00+00,10,16538,t,1,begin,1,0.5\n";
const STATEMENTS_AFTER: &str = "captured_at,userid,dbid,toplevel,queryid,query,calls,total_exec_time\n\
2026-03-01 10:10:00+00,10,16538,t,1,begin,2,0.6\n\
2026-03-01 10:10:00+00,10,16538,t,2,\"SELECT id FROM accounts WHERE secret = '{PW}' /* Bearer {JWT} */ -- {KEY}\",10,900.5\n\
2026-03-01 10:10:00+00,10,16538,t,3,\"ALTER ROLE zitadel PASSWORD '{PW}'\",10,800.5\n\
2026-03-01 10:10:00+00,10,16538,t,4,\"SELECT dblink_connect('postgres://zitadel:{PW}@db.example/zitadel')\",10,700.5\n\
2026-03-01 10:10:00+00,10,16538,t,5,\"DO $body$ begin perform login('{PW}'); end $body$\",10,600.5\n\
2026-03-01 10:10:00+00,10,16538,t,6,\"INSERT INTO keys VALUES (U&'{KEY}', E'a\\'{PW}', $${PW}$$, '{PW}\",10,500.5\n";
const ACTIVITY: &str = "ts,pid,datname,usename,application_name,backend_type,state,wait_event_type,wait_event,query_ms,query_id,query\n\
2026-03-01T10:01:00.549Z,5847,zitadel,zitadel,postgres://zitadel:{PW}@db.example,client backend,active,Lock,advisory,2,-8947882752471706823,\"select login('{PW}') /* Bearer {JWT} */ from accounts where secret = '{PW}\"\n\
2026-03-01T10:01:04.549Z,5847,zitadel,zitadel,postgres://zitadel:{PW}@db.example,client backend,active,Lock,advisory,2,-8947882752471706823,\"select login('{PW}') /* Bearer {JWT} */ from accounts where secret = '{PW}\"\n";
const PG_SETTINGS: &str = "name,setting,unit,source,pending_restart\n\
max_connections,100,,default,f\n\
primary_conninfo,host=db.example user=replica password={PW} sslmode=require,,configuration file,f\n\
ssl_passphrase_command,echo {KEY},,configuration file,f\n\
restore_command,curl -H 'Authorization: Bearer {JWT}' https://admin:{PW}@backup.example/%f,,configuration file,f\n\
server_version,17.10,,default,f\n";
const PG_LOG: &str = "2026-03-01 10:01:00.447 UTC [5832]: [1-1] db=zitadel,user=zitadel LOG:  process 5832 still waiting for ExclusiveLock on advisory lock [16538,1527733989,2749919134,2] after 200.097 ms\n\
2026-03-01 10:01:00.447 UTC [5832]: [2-1] db=zitadel,user=zitadel STATEMENT:  ALTER ROLE zitadel PASSWORD '{PW}' /* Bearer {JWT} */\n\
2026-03-01 10:02:00.447 UTC [5832]: [3-1] db=zitadel,user=zitadel ERROR:  could not connect to postgres://zitadel:{PW}@db.example\n";
const FEATURES: &str = r#"{"details":{"sequence":"5","changeDate":"2026-02-01T10:00:00Z","resourceOwner":"340000000000000001"},"loginDefaultOrg":{"enabled":true,"source":"SOURCE_INSTANCE"},
"loginV2":{"required":true,"baseUri":"https://admin:{PW}@login.example.com/?token={JWT}","source":"SOURCE_INSTANCE"}}"#;
const KNATIVE: &str = r#"{"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "zitadel-qa", "labels": {"cloud.googleapis.com/location": "europe-west1"}, "annotations": {"example.com/dsn": "postgres://zitadel:{PW}@db.example/zitadel"}},
"spec": {"template": {"metadata": {"name": "zitadel-qa-00001", "annotations": {"autoscaling.knative.dev/maxScale": "7"}}, "spec": {"containerConcurrency": 400, "containers": [{"args": ["start", "--masterkey", "{KEY}"], "image": "ghcr.io/zitadel/zitadel:v4.19.2",
"env": [{"name": "ZITADEL_DATABASE_POSTGRES_MAXOPENCONNS", "value": "6"}, {"name": "ZITADEL_MASTERKEY", "value": "{KEY}"},
{"name": "ZITADEL_DATABASE_POSTGRES_USER_PASSWORD", "value": "{PW}"}, {"name": "ZITADEL_DATABASE_POSTGRES_DSN", "value": "postgres://zitadel:{PW}@db.example/zitadel"}, {"name": "ZITADEL_FIRSTINSTANCE_ORG_MACHINE_PAT", "value": "{JWT}"}],
"resources": {"limits": {"cpu": "6", "memory": "6Gi"}}}]}}}}"#;
const KNATIVE_YAML: &str = "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata:\n  name: zitadel-qa\nspec:\n  template:\n    spec:\n      containerConcurrency: 400\n      containers:\n      - image: ghcr.io/zitadel/zitadel:v4.19.2\n        args: [start, --masterkey, {KEY}]\n        env:\n        - name: ZITADEL_DATABASE_POSTGRES_MAXOPENCONNS\n          value: '6'\n        - name: ZITADEL_MASTERKEY\n          value: {KEY}\n        - name: ZITADEL_DATABASE_POSTGRES_ADMIN_PASSWORD\n          value: {PW}\n        - name: ZITADEL_DATABASE_POSTGRES_DSN\n          value: postgres://zitadel:{PW}@db.example/zitadel\n        - name: TOKEN\n          value: {JWT}\n        resources:\n          limits: {cpu: '6', memory: 6Gi}\n";
const CLOUD_SQL: &str = r#"{"kind": "sql#instance", "name": "eu1", "region": "europe-west1", "databaseVersion": "POSTGRES_17", "rootPassword": "{PW}", "connectionName": "example:europe-west1:eu1",
"serverCaCert": {"kind": "sql#sslCert", "cert": "-----BEGIN PRIVATE KEY-----\n{KEY}\n-----END PRIVATE KEY-----"},
"settings": {"kind": "sql#settings", "tier": "db-custom-8-32768", "dataDiskSizeGb": "250", "userLabels": {"dsn": "postgres://zitadel:{PW}@db.example"},
"databaseFlags": [{"name": "max_connections", "value": "500"}, {"name": "primary_conninfo", "value": "host=db.example password={PW}"}, {"name": "cloudsql.token", "value": "{JWT}"}]}}"#;
const CONFIG: &str = "Database:\n  postgres:\n    MaxOpenConns: 6\n    DSN: postgres://zitadel:{PW}@db.example/zitadel\n    User:\n      Username: zitadel\n      Password: {PW}\nFirstInstance:\n  Org:\n    Human: {UserName: zitizen, Password: '{PW}'}\n  MasterKey: {KEY}\nSMTPConfiguration:\n  SMTP: {Host: 'mail.example:587', User: mail, Password: \"{PW}\"}\nSystemAPIUsers:\n- superuser:\n    KeyData: {KEY}\nProjections:\n  RequeueEvery: 180s\n  Header: Bearer {JWT}\n";
const DOTENV: &str = "ZITADEL_DATABASE_POSTGRES_MAXOPENCONNS=6\n\
export ZITADEL_MASTERKEY={KEY}\n\
ZITADEL_DATABASE_POSTGRES_USER_PASSWORD=\"{PW}\"\n\
ZITADEL_DATABASE_POSTGRES_DSN=postgres://zitadel:{PW}@db.example/zitadel\n\
ZITADEL_PROJECTIONS_REQUEUEEVERY=180s # {JWT}\n\
ZITADEL_SYSTEMAPIUSERS='[{\"superuser\":{\"KeyData\":\"{KEY}\"}}]'\n";
const BY_HAND: &str = "purpose = \"Test of Bearer {JWT} at postgres://zitadel:{PW}@db.example/zitadel\"\n\
notes = [\"the database was postgres://zitadel:{PW}@db.example/zitadel, the token {JWT}\"]\n\
[figures]\n\"database.cpu.median\" = \"97%\"\n";

const BY_HAND_OF_RELEASE: &str = "notes = [\"the database was postgres://zitadel:{PW}@db.example/zitadel, the token {JWT}\"]\n";
const PAGE: &str = include_str!("../fixtures/pages/basket.mdx");
const SERIES: &str = r#"[{"metric_name":"of_{JWT}","timestamp":"2026-03-01 10:00:01+00","p50":7,"p95":16,"p99":17.4}]"#;

/// What stands in the page instead of its own words.
pub(super) const IN_PAGE: [(&str, &str); 3] = [
    ("See where the basket stops", "See what {JWT} gets"),
    ("sunny <br/> but windy", "postgres://zitadel:{PW}@db.example/zitadel"),
    ("    ✓ org created", "    ✓ org created with Bearer {JWT}"),
];

/// The secrets of a plant, by the words that stand for them.
fn secrets(at: usize) -> [(&'static str, String); 3] {
    [
        (
            "{JWT}",
            format!(
                "eyJhbGciOiJSUzI1NiIsImtpZCI6IjE3In0.eyJzdWIiOiJwbGFudGVkLTM0{at:02}In0.c2lnbmF0dXJl{at:02}KfjQ8vTzLm4wYh2xQb"
            ),
        ),
        ("{PW}", format!("Pl4nted{at:02}xQz7")),
        ("{KEY}", format!("M4sterkeyOfPlantNumber{at:02}HasIt32b")),
    ]
}

/// What must be in no output: of a token its two parts that say something.
fn hidden(at: usize) -> Vec<String> {
    let [(_, token), (_, password), (_, key)] = secrets(at);
    let parts = token.split('.').skip(1).map(str::to_owned);
    parts.chain([password, key]).collect()
}

/// A text with its secrets in place.
fn sown(text: &str, at: usize) -> String {
    let text = IN_PAGE.iter().fold(text.replace("{TARGET}", &target(at)), |text, (own, sown)| text.replace(own, sown));
    secrets(at).iter().fold(text, |text, (word, secret)| text.replace(word, secret))
}

fn target(at: usize) -> String {
    format!("plant_{at:02}")
}

/// The runner's log; the plant's own lines stand in it where it is the plant.
fn journal(plant: &Plant, at: usize) -> Vec<u8> {
    let log = log(&target(at), START, END);
    if plant.file != "k6.log" {
        return log;
    }
    // Behind the first line, the stamp.
    let end = log.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    [&log[..end], sown(plant.text, at).as_bytes(), &log[end..]].concat()
}

/// The secrets that a text holds, with the words around them.
fn leaks(place: &str, bytes: &[u8], hidden: &[String]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let around = |at: usize| text[..at].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect::<String>();
    hidden.iter().filter_map(|secret| text.find(secret).map(|at| format!("{place}: `{}{secret}`", around(at)))).collect()
}

fn leaks_of_answer(place: &str, answer: &Answer, hidden: &[String]) -> Vec<String> {
    let mut found = leaks(&format!("{place}, stdout"), answer.out.as_bytes(), hidden);
    found.extend(leaks(&format!("{place}, stderr"), answer.talk.as_bytes(), hidden));
    found
}

/// Puts a plant's files below a folder; the last of them is the plant.
fn put(folder: Folder, below: &str, plant: &Plant, at: usize, text: &str) -> (Folder, Vec<String>) {
    let (mut folder, mut paths) = (folder, Vec::new());
    if !plant.is_alone {
        paths.push(format!("{below}/k6.log"));
        folder = folder.file(&paths[0], journal(plant, at));
    }
    if let Some((name, text)) = plant.beside {
        paths.push(format!("{below}/{name}"));
        folder = folder.file(paths.last().unwrap(), sown(text, at));
    }
    if plant.file != "k6.log" {
        paths.push(format!("{below}/{}", plant.file));
        folder = folder.file(paths.last().unwrap(), text);
    }
    (folder, paths)
}

/// Every plant as it is: read into one archive, from which site and pages are made.
#[test]
fn no_output_holds_a_secret_of_any_input() {
    let (mut folder, mut faults) = (Folder::new(), Vec::new());
    for (at, plant) in PLANTS.iter().enumerate() {
        let below = format!("in{at}");
        folder = put(folder, &below, plant, at, &sown(plant.text, at)).0;
        let (target, archive) = (target(at), folder.files("data").len());
        let typed = ["-v", "ingest", &below, "--release", RELEASE, "--target", &target];
        let answer = folder.plimsoll(&typed);
        let is_written = answer.status == 0 && folder.files("data").len() > archive;
        let is_read = is_written && (plant.is_refused || !ignored(&answer.talk, plant.file));
        if !is_read {
            faults.push(format!(
                "{}: not read, so nothing is proved: exit {}\n{}",
                plant.what,
                answer.status,
                told(&answer.talk)
            ));
        }
        faults.extend(leaks_of_answer(plant.what, &answer, &hidden(at)));
        let explained = folder.plimsoll(&[&typed[..], &["--explain", "database.cpu.median"]].concat());
        faults.extend(leaks_of_answer(plant.what, &explained, &hidden(at)));
    }
    let all: Vec<String> = (0..PLANTS.len()).flat_map(hidden).collect();
    for typed in [&["-v", "classify"][..], &["-v", "build"], &["-v", "publish", "--to", "docs"]] {
        let answer = folder.plimsoll(typed);
        if answer.status != 0 {
            faults.push(format!("{typed:?}: exit {}\n{}", answer.status, told(&answer.talk)));
        }
        faults.extend(leaks_of_answer(typed[1], &answer, &all));
    }
    let mut looked_at = 0;
    for below in ["data", "site", "docs"] {
        let files = folder.files(below);
        if files.is_empty() {
            faults.push(format!("{below} is empty"));
        }
        for (name, bytes) in files {
            looked_at += 1;
            faults.extend(leaks(&format!("{below}/{name}"), &bytes, &all));
        }
    }
    println!("{} plants, {} secrets, {looked_at} files looked at", PLANTS.len(), all.len());
    assert!(faults.is_empty(), "{} leaks and faults:\n{}", faults.len(), faults.join("\n"));
}

/// The ways a text is broken behind a secret, so that the excerpt of the fault would show it: cut there, or with something on
/// the same line that can be in no such file.
fn broken(text: &str, at: usize) -> Vec<String> {
    let mut all = Vec::new();
    for (_, secret) in secrets(at) {
        let Some(end) = text.find(&secret).map(|start| start + secret.len()) else { continue };
        all.push(text[..end].to_owned());
        for rubbish in ["}]\"'\u{1}", "\",,,,,,,\"x\n", "': [{\n"] {
            all.push(format!("{}{rubbish}{}", &text[..end], &text[end..]));
        }
    }
    all
}

/// Every plant broken behind each of its secrets, named on the command line: the faults are told without them.
#[test]
fn no_fault_shows_a_secret_of_the_line_it_points_at() {
    let (mut faults, mut tried, mut refused) = (Vec::new(), 0, 0);
    for (at, plant) in PLANTS.iter().enumerate().filter(|(_, plant)| plant.file != "k6.log") {
        for text in broken(&sown(plant.text, at), at) {
            let (folder, paths) = put(Folder::new(), "in", plant, at, &text);
            let (named, target): (Vec<&str>, String) = (paths.iter().map(String::as_str).collect(), target(at));
            let typed = [&["-v", "ingest"], named.as_slice(), &["--release", RELEASE, "--target", &target]].concat();
            let answer = folder.plimsoll(&typed);
            tried += 1;
            refused += usize::from(answer.status == 3);
            if !matches!(answer.status, 0 | 3) {
                faults.push(format!("{}: exit {}\n{}", plant.what, answer.status, told(&answer.talk)));
            }
            faults.extend(leaks_of_answer(&format!("{}, broken", plant.what), &answer, &hidden(at)));
            for (name, bytes) in folder.files("data") {
                faults.extend(leaks(&format!("{}, broken: data/{name}", plant.what), &bytes, &hidden(at)));
            }
        }
    }
    faults.sort();
    faults.dedup();
    println!("{tried} broken files, {refused} of them refused");
    assert!(refused > tried / 4, "{refused} of {tried} are refused: the test breaks too little");
    assert!(faults.is_empty(), "{} leaks and faults:\n{}", faults.len(), faults.join("\n"));
}
