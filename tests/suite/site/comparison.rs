//! The pages of a comparison: whole pages, what is said beside numbers, one file that needs no other.

use plimsoll::model::comparison::Comparability;
use plimsoll::render::site::comparison::{AloneInput, page as alone};
use plimsoll::render::site::{RenderError, links, render};
use plimsoll::render::templates::Templates;

use super::published::keep;
use super::sample::{Sample, everything};
use super::{page, rendered, site};

const CHECKOUT: &str = "v2.1.0/diff/checkout/index.html";

fn one_file(sample: &Sample) -> String {
    let templates = Templates::embedded().unwrap();
    let input = AloneInput {
        comparison: &sample.comparisons[0].comparison,
        archive: &sample.archive,
        service_name: &sample.words,
        templates: &templates,
    };
    alone(&input).unwrap()
}

#[test]
fn two_releases_read_as_written() {
    let tree = site("words");
    keep(&tree, "sample");
    insta::assert_snapshot!(page(&tree, "v2.1.0/diff/index.html"));
}

#[test]
fn a_target_on_both_sides_reads_as_written() {
    insta::assert_snapshot!(page(&site("words"), CHECKOUT));
}

#[test]
fn runs_that_are_unlike_show_numbers_and_conclude_nothing() {
    let html = page(&site("words"), "v2.1.0/diff/pay/index.html");
    insta::assert_snapshot!(html);
    for judged in ["class=\"interval\"", "decision-mark regression", "decision-mark improvement", "%</b>", "&#43;"] {
        assert!(!html.contains(judged), "{judged}");
    }
    assert!(html.contains("46.9 kB") && html.contains("×67.9"));
}

#[test]
fn a_target_on_one_side_is_new_or_gone_and_never_alike() {
    let tree = site("words");
    let (new, gone) = (page(&tree, "v2.1.0/diff/refund/index.html"), page(&tree, "v2.1.0/diff/legacy/index.html"));
    assert!(new.contains("It is new") && gone.contains("It is gone"));
    for html in [new, gone] {
        assert!(!html.contains("no change") && !html.contains("alike in all") && !html.contains("Second by second"));
    }
}

#[test]
fn the_same_runs_are_told() {
    assert!(page(&site("words"), "v2.1.0/diff/search/index.html").contains("nothing can have changed"));
}

/// Every row with an estimate of a weakened target says so, and so does every row with assumed noise; no other row does.
#[test]
fn what_weakens_a_number_stands_beside_it() {
    let html = page(&site("words"), CHECKOUT);
    let remarks = |word: &str| html.lines().filter(|line| line.contains(&format!("<small class=\"remark\">{word}"))).count();
    assert_eq!((remarks("not quite alike"), remarks("not quite alike, noise assumed")), (6, 3));
    assert_eq!(remarks("not quite alike, noise assumed, rounded"), 1);
    let mut sample = everything("words");
    sample.comparisons[0].comparison.targets[0].contract.verdict = Comparability::Comparable;
    let html = page(&rendered(&sample, &Templates::embedded().unwrap()), CHECKOUT);
    assert!(!html.contains("not quite alike"));
}

#[test]
fn an_accepted_difference_has_its_reason_wherever_it_stands() {
    let tree = site("words");
    for path in ["v2.1.0/diff/index.html", CHECKOUT] {
        assert!(page(&tree, path).contains("The disks are the same"), "{path}");
    }
}

#[test]
fn a_closed_model_names_what_its_percentiles_miss() {
    let tree = site("words");
    let named = |path: &str| page(&tree, path).contains("Coordinated omission");
    assert!(named(CHECKOUT) && !named("v2.1.0/diff/pay/index.html"));
}

#[test]
fn pages_lead_to_a_comparison_where_there_is_one() {
    let tree = site("words");
    let leads = |path: &str, href: &str| page(&tree, path).contains(&format!("href=\"{href}\""));
    assert!(leads("index.html", "v2.1.0/diff/index.html"));
    assert!(leads("v2.1.0/index.html", "diff/index.html"));
    assert!(leads("v2.1.0/checkout~2/index.html", "../diff/checkout/index.html"));
    assert!(!page(&tree, "v2.0.0/index.html").contains("diff/") && !page(&tree, "v2.0.0/checkout/index.html").contains("diff/"));
}

#[test]
fn one_file_needs_no_other() {
    let html = one_file(&everything("words"));
    assert_eq!(links::leaving(&html), [("link".to_owned(), "data:,".to_owned())]);
    let mut tree = plimsoll::tree::Tree::new();
    tree.insert("index.html", html.as_str()).unwrap();
    assert_eq!(links::check(&tree), []);
    assert!(html.contains("--paper:") && !html.contains("<script") && !html.contains(" src="));
    assert_eq!(html, one_file(&everything("words")));
    let ids: Vec<String> =
        links::elements(&html).iter().filter_map(|element| element.attribute("id").map(str::to_owned)).collect();
    let mut once = ids.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), ids.len(), "an id stands twice");
    keep(&tree, "comparison");
}

#[test]
fn hostile_words_are_text_in_one_file() {
    let shape = |html: &str| links::elements(html).into_iter().map(|element| element.name).collect::<Vec<_>>();
    let calm = shape(&one_file(&everything("words")));
    for text in ["</style><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "{{ 7 * 7 }}", "<!--"] {
        let html = one_file(&everything(text));
        assert_eq!(calm, shape(&html), "{text}");
        assert!(html.contains(&*plimsoll::render::markup::escape(text)), "{text}");
    }
}

#[test]
fn a_run_cannot_take_the_folder_of_the_comparison() {
    let mut sample = everything("words");
    let mut releases = sample.archive.releases().to_vec();
    let run = releases[0].runs.pop_first().unwrap().1;
    releases[0].runs.insert("v2.0.0/Diff".parse().unwrap(), run);
    sample.archive = plimsoll::model::collection::Archive::new(releases);
    let templates = Templates::embedded().unwrap();
    assert_eq!(render(&super::input(&sample, &templates)), Err(RenderError::Taken("Diff".to_owned())));
}
