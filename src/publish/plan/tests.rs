use std::path::PathBuf;

use super::*;

const MINE: &str = "{/* keep:start */}\nmine\n{/* keep:end */}\n";

fn place(path: &str) -> Place {
    Place::new(Root::Docs, path).unwrap_or_else(|error| unreachable!("{error}"))
}

fn release() -> Option<Release> {
    Release::new("v1").ok()
}

/// A publication of some pages of v1 after another one.
struct Case {
    before: Vec<(&'static str, &'static str)>,
    there: Vec<(&'static str, String)>,
    wanted: Vec<(&'static str, &'static str)>,
    force: bool,
}

impl Case {
    fn roots() -> Roots {
        Roots { docs: PathBuf::from("docs"), mirror: None, navigation: None }
    }

    fn plan(&self) -> Result<Plan, Faults> {
        let roots = Self::roots();
        let files = self.before.iter().map(|(path, text)| (place(path), Owned::of(path, text.as_bytes(), 0)));
        let manifest = Manifest { profile: Profile::Fumadocs, mirror: None, files: files.collect() };
        let wanted = self.wanted.iter().map(|(path, text)| (place(path), text.as_bytes().to_vec())).collect();
        let group = Group { release: release(), wanted, manifest: Some(manifest).filter(|known| !known.files.is_empty()) };
        let wish = Wish { roots: &roots, profile: Profile::Fumadocs, groups: vec![group], navigation: None, force: self.force };
        let mut present: BTreeMap<Place, Found> =
            wish.places().unwrap_or_default().into_iter().map(|place| (place, Found::Nothing)).collect();
        present.extend(self.there.iter().map(|(path, text)| (place(path), Found::File(text.clone().into_bytes()))));
        plan(&wish, &present)
    }

    /// The plan in words, manifests aside.
    fn told(&self) -> String {
        let plan = self.plan().unwrap_or_else(|faults| unreachable!("{faults}"));
        let steps = plan.steps.iter().filter(|step| step.place.path.file_name() != manifest::FILE);
        let lines = steps.map(|step| format!("{} {}", step.change, step.place.path)).chain(plan.notes.iter().cloned());
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// A case of one page, by what was published, what is there and what is wanted.
fn page(before: Option<&'static str>, there: Option<&str>, wanted: Option<&'static str>) -> Case {
    let path = "v1/a/index.mdx";
    Case {
        before: before.map(|text| (path, text)).into_iter().collect(),
        there: there.map(|text| (path, text.to_owned())).into_iter().collect(),
        wanted: wanted.map(|text| (path, text)).into_iter().collect(),
        force: false,
    }
}

#[test]
fn every_file_has_its_fate() {
    let cases = [
        (page(None, None, Some("new\n")), "create v1/a/index.mdx"),
        (page(None, Some("new\n"), Some("new\n")), "keep v1/a/index.mdx"),
        (page(None, Some("other\n"), Some("new\n")), "conflict v1/a/index.mdx"),
        (page(Some("old\n"), Some("old\n"), Some("new\n")), "replace v1/a/index.mdx"),
        (page(Some("old\n"), Some("old\r\n"), Some("old\n")), "keep v1/a/index.mdx"),
        (page(Some("old\n"), Some("old\r\n"), Some("new\n")), "replace v1/a/index.mdx"),
        (page(Some("old\n"), Some("by hand\n"), Some("new\n")), "conflict v1/a/index.mdx"),
        (page(Some("old\n"), Some("\nold\n"), Some("new\n")), "conflict v1/a/index.mdx"),
        (page(Some("old\n"), Some("new\n"), Some("new\n")), "keep v1/a/index.mdx"),
        (page(Some("old\n"), Some("old\n"), None), "remove v1/a/index.mdx"),
        (page(Some("old\n"), Some("by hand\n"), None), "conflict v1/a/index.mdx"),
        (page(Some("old\n"), None, None), ""),
        (
            page(Some("old\n"), None, Some("new\n")),
            "create v1/a/index.mdx\n`docs/v1/a/index.mdx` was removed by hand and is written again",
        ),
    ];
    for (case, told) in cases {
        assert_eq!(case.told(), told);
    }
}

#[test]
fn force_settles_conflicts() {
    for (case, told) in [
        (page(None, Some("other\n"), Some("new\n")), "replace v1/a/index.mdx"),
        (page(Some("old\n"), Some("by hand\n"), None), "remove v1/a/index.mdx"),
    ] {
        assert_eq!(Case { force: true, ..case }.told(), told);
    }
}

#[test]
fn regions_are_no_change_by_hand() {
    let there = format!("old\n\n\n{MINE}");
    let plan = page(Some("old\n"), Some(&there), Some("new\n")).plan().unwrap_or_default();
    let step = &plan.steps[1];
    assert_eq!((step.change, step.new.clone()), (Change::Replace, Some(format!("new\n\n{MINE}").into_bytes())));
    assert_eq!(page(Some("old\n"), Some(&there), Some("old\n")).told(), "keep v1/a/index.mdx");
    assert_eq!(page(Some("old\n"), Some(&there.replace("old", "by hand")), Some("old\n")).told(), "conflict v1/a/index.mdx");
    assert_eq!(page(Some("old\n"), Some(&there), None).told(), "conflict v1/a/index.mdx");
    let forced = Case { force: true, ..page(None, Some(&format!("x\n\n{MINE}")), Some("new\n")) }.plan().unwrap_or_default();
    assert_eq!(forced.steps[1].new, Some(format!("new\n\n{MINE}").into_bytes()));
}

#[test]
fn the_page_of_a_folder_that_we_did_not_make_is_left_alone() {
    for (path, told) in
        [("v1/index.mdx", "`docs/v1/index.mdx` was not published and is left alone"), ("index.mdx", ""), ("README.md", "")]
    {
        let there = vec![(path, "by hand\n".to_owned())];
        let case = Case { before: vec![], there, wanted: vec![(path, "new\n")], force: true };
        assert_eq!(case.told(), told);
    }
    let case = Case { before: vec![], there: vec![], wanted: vec![("v1/index.mdx", "new\n")], force: false };
    assert_eq!(case.told(), "create v1/index.mdx");
}

#[test]
fn names_that_differ_by_case_alone_are_refused() {
    let wanted = vec![("v1/a/index.mdx", "x\n"), ("v1/A/index.mdx", "x\n")];
    let faults = Case { before: vec![], there: vec![], wanted, force: true }.plan().err();
    insta::assert_snapshot!(faults.unwrap_or_else(|| unreachable!()));
}

#[test]
fn conflicts_are_told_all_at_once() {
    let case = Case {
        before: vec![("v1/a/index.mdx", "old\n"), ("v1/c/index.mdx", "old\n")],
        there: vec![
            ("v1/a/index.mdx", "by hand\n".to_owned()),
            ("v1/b/index.mdx", "other\n".to_owned()),
            ("v1/c/index.mdx", format!("old\n{MINE}")),
        ],
        wanted: vec![("v1/a/index.mdx", "new\n"), ("v1/b/index.mdx", "new\n")],
        force: false,
    };
    let plan = case.plan().unwrap_or_else(|faults| unreachable!("{faults}"));
    let faults = plan.check(&Case::roots()).err().unwrap_or_else(|| unreachable!());
    let diff = plan.diff(true, |step| format!("docs/{}", step.place.path));
    insta::assert_snapshot!(format!("{}\n\n{diff}\n{faults}", counted(&plan, false)));
}
