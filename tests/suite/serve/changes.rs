//! What open pages are told when the project changes, breaks and is mended.

use serde_json::{Value, json};

use super::preview::{Listening, Preview, project};

const INDEX: &str = include_str!("../../../templates/site/index.html");

fn run_toml(purpose: &str) -> String {
    format!("purpose = \"{purpose}\"\n")
}

/// Whether an event tells that a page is other.
fn changes(path: &'static str) -> impl Fn(&Value) -> bool {
    move |told| told["changed"].as_array().unwrap().contains(&json!(path))
}

fn is_faulty(told: &Value) -> bool {
    told["faults"].is_string()
}

fn is_well(told: &Value) -> bool {
    told["faults"].is_null()
}

/// A page that listens from the present site on.
fn listening(preview: &Preview) -> (Listening, Value) {
    let mut listening = preview.listen("");
    let first = listening.hears(|_| true);
    (listening, first)
}

#[test]
fn a_change_of_a_run_changes_its_pages_and_no_others() {
    let folder = project();
    folder.plimsoll(&["ingest", "k6.log", "--release", "v1.2.0", "--target", "login"]).exits(0);
    let preview = Preview::of(folder);
    let (mut page, first) = listening(&preview);
    assert_eq!(
        first,
        json!({ "generation": 1, "site": first["site"], "all": true, "changed": [], "removed": [], "faults": null })
    );
    preview.writes("data/v1.2.0/checkout/run.toml", &run_toml("Find the limit"));
    let told = page.hears(changes("v1.2.0/checkout/index.html"));
    assert_eq!((&told["generation"], &told["all"], &told["removed"]), (&json!(2), &json!(false), &json!([])));
    assert!(!changes("v1.2.0/login/index.html")(&told) && !changes("assets/style.css")(&told), "{told:#}");
    assert!(preview.get("/v1.2.0/checkout/").body().contains("Find the limit"));
    let says = preview.stops();
    assert!(says.contains("v1.2.0/checkout changed: 2 files new or other"), "{says}");
}

#[test]
fn a_run_that_comes_and_goes_is_told() {
    let preview = Preview::of(project());
    let (mut page, _) = listening(&preview);
    preview.get("/v1.3.0/login/").is(404);
    preview.plimsoll(&["ingest", "k6.log", "--release", "v1.3.0", "--target", "login"]).exits(0);
    page.hears(changes("v1.3.0/login/index.html"));
    preview.get("/v1.3.0/login/").is(200);
    std::fs::remove_dir_all(preview.path("data/v1.3.0")).unwrap();
    page.hears(|told| told["removed"].as_array().unwrap().contains(&json!("v1.3.0/login/index.html")));
    preview.get("/v1.3.0/login/").is(404);
}

#[test]
fn a_template_and_a_style_sheet_that_appear_and_change_are_told() {
    let preview = Preview::of(project());
    let (mut page, _) = listening(&preview);
    preview.writes("templates/site/index.html", &INDEX.replace("{% endblock content %}", "<p>one</p>{% endblock content %}"));
    let told = page.hears(changes("index.html"));
    assert!(!changes("v1.2.0/checkout/index.html")(&told), "{told:#}");
    assert!(preview.get("/").body().contains("<p>one</p>"));
    preview.writes("templates/site/style.css", "body { color: red }");
    let told = page.hears(changes("assets/style.css"));
    assert_eq!(told["changed"], json!(["assets/style.css"]));
    assert_eq!(preview.get("/assets/style.css").body(), "body { color: red }");
    std::fs::remove_dir_all(preview.path("templates")).unwrap();
    page.hears(changes("index.html"));
    assert!(!preview.get("/").body().contains("<p>one</p>"));
}

#[test]
fn an_archive_that_is_removed_and_made_again_is_followed() {
    let preview = Preview::of(project());
    let (mut page, _) = listening(&preview);
    std::fs::rename(preview.path("data"), preview.path("away")).unwrap();
    let told = page.hears(is_faulty);
    assert!(told["faults"].as_str().unwrap().contains("the archive holds no run") && told["removed"] == json!([]), "{told:#}");
    preview.get("/v1.2.0/checkout/").is(200);
    std::fs::rename(preview.path("away"), preview.path("data")).unwrap();
    page.hears(is_well);
    preview.writes("data/v1.2.0/checkout/run.toml", &run_toml("Find the limit"));
    page.hears(changes("v1.2.0/checkout/index.html"));
}

#[test]
fn what_is_wrong_is_told_until_it_is_mended_and_the_last_good_site_stays() {
    let preview = Preview::of(project());
    let (mut page, first) = listening(&preview);
    preview.writes("plimsoll.toml", "schema = 1\n[flwo]\nname = \"<b>&</b>\"\n");
    let told = page.hears(is_faulty);
    let faults = told["faults"].as_str().unwrap();
    assert!(faults.contains("unknown key `flwo`") && faults.contains("did you mean `flow`?"), "{faults}");
    assert_eq!((&told["site"], &told["changed"], &told["all"]), (&first["site"], &json!([]), &json!(false)));
    preview.get("/v1.2.0/checkout/").is(200);
    // A page that comes now hears of it, too.
    let (_, late) = listening(&preview);
    assert_eq!(late["faults"], told["faults"]);
    preview.writes("plimsoll.toml", "schema = 1\n[service]\nname = \"Store\"\n");
    let told = page.hears(is_well);
    assert!(changes("index.html")(&told), "{told:#}");
    let says = preview.stops();
    assert!(says.contains("error[unknown-key]: unknown key `flwo`"), "{says}");
    assert!(says.contains("plimsoll.toml changed: it does not build, the last good site stays"), "{says}");
    assert!(says.contains("it builds again"), "{says}");
}

#[test]
fn a_project_that_does_not_build_at_first_is_shown_with_what_is_wrong() {
    let preview = Preview::of(project().file("plimsoll.toml", "schema = 1\n[flwo]\nname = \"a\"\n"));
    for path in ["/", "/v1.2.0/checkout/", "/assets/style.css"] {
        let page = preview.get(path).is(503);
        assert!(page.body().contains("unknown key `flwo`") && page.body().contains("data-site=\"none\""), "{}", page.body());
    }
    preview.get("/%").is(400);
    preview.get("/.plimsoll/live.js").is(200);
    let mut page = preview.listen("none");
    assert_eq!(page.hears(is_faulty)["all"], json!(false));
    preview.writes("plimsoll.toml", "schema = 1\n");
    let told = page.hears(is_well);
    assert_eq!((&told["generation"], &told["all"]), (&json!(1), &json!(true)), "all pages load again");
    preview.get("/v1.2.0/checkout/").is(200);
}

#[test]
fn settings_say_what_else_is_watched() {
    let preview = Preview::of(project());
    let (mut page, _) = listening(&preview);
    preview.writes("plimsoll.toml", "schema = 1\n[flow]\nname = \"own/practice.toml\"\n");
    page.hears(is_faulty);
    preview.writes("own/practice.toml", include_str!("../../../flows/practice.toml"));
    page.hears(is_well);
    preview.writes("own/practice.toml", "schema = 1\n");
    page.hears(is_faulty);
}

#[test]
fn whoever_comes_back_is_told_what_changed_meanwhile() {
    let preview = Preview::of(project());
    let (mut page, first) = listening(&preview);
    let former = first["site"].as_str().unwrap();
    for purpose in ["one", "two", "three"] {
        preview.writes("data/v1.2.0/checkout/run.toml", &run_toml(purpose));
        page.hears(changes("v1.2.0/checkout/index.html"));
    }
    let told = preview.listen(former).hears(|_| true);
    assert_eq!(
        (&told["generation"], &told["all"], &told["changed"]),
        (&json!(4), &json!(false), &json!(["v1.2.0/checkout/index.html", "v1.2.0/checkout/record.json"]))
    );
    let now = told["site"].as_str().unwrap();
    assert_eq!(preview.listen(now).hears(|_| true)["changed"], json!([]));
    assert_eq!(preview.listen("another-server").hears(|_| true)["all"], json!(true));
}

#[test]
fn a_page_that_reads_nothing_holds_nobody_up() {
    let preview = Preview::of(project());
    let _slow: Vec<Listening> = (0..100).map(|_| preview.listen("")).collect();
    let (mut page, _) = listening(&preview);
    for purpose in ["one", "two", "three"] {
        preview.writes("data/v1.2.0/checkout/run.toml", &run_toml(purpose));
        page.hears(changes("v1.2.0/checkout/index.html"));
    }
    preview.stops();
}
