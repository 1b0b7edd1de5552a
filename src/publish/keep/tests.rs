use proptest::prelude::*;

use super::*;

fn carried(old: &str, new: &str) -> String {
    let (old, new) = (Source::new("old", old), Source::new("new", new));
    let page = |source| Page::read(source, Syntax::Mdx).unwrap_or_else(|faults| unreachable!("{faults}"));
    carry(&page(&old), &page(&new))
}

const MADE: &str = "---\ntitle: a\n---\n\nimport A from './a'\nimport B from './b'\n\n## Summary\n\nFast.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nlog\n\n{/* keep:start */}\n```\n";
const REGION: &str = "{/* keep:start */}\nIt is *mine*.\n\n```\n{/* keep:end */}\n```\n{/* keep:end */}\n";

fn with_region(before: &str) -> String {
    MADE.replacen(before, &format!("{REGION}\n{before}"), 1)
}

#[test]
fn what_did_not_change_stays_letter_by_letter() {
    for before in ["## Summary", "Fast.", "| a | b |", "```\nlog"] {
        assert_eq!(carried(&with_region(before), MADE), with_region(before), "{before}");
    }
    for end in [format!("{MADE}{REGION}"), format!("{MADE}\n\n\n{}", REGION.trim_end()), MADE.to_owned()] {
        assert_eq!(carried(&end, MADE), end);
    }
}

#[test]
fn a_region_follows_the_lines_around_it() {
    let old = with_region("| a | b |");
    let slow = MADE.replace("Fast.", "Slow.");
    assert_eq!(carried(&old, &slow), old.replace("Fast.", "Slow."));
    let more = MADE.replace("Fast.", "Fast.\n\nAnd steady.");
    assert_eq!(carried(&old, &more), more.replace("Fast.\n\n", &format!("Fast.\n\n{REGION}\n")));
    let gone = MADE.replace("Fast.\n\n", "").replace("| a | b |\n|---|---|\n| 1 | 2 |\n\n", "");
    assert_eq!(carried(&old, &gone), gone.replace("## Summary\n\n", &format!("## Summary\n\n{REGION}\n")));
    assert_eq!(carried(&old, "other\n"), format!("{REGION}\nother\n"));
    assert_eq!(carried(&old, ""), REGION);
}

#[test]
fn a_region_never_lands_where_it_would_be_no_region() {
    let whole = "line\n\n{/* keep:start */}\nmine\n{/* keep:end */}\n";
    let mine = "{/* keep:start */}\nmine\n{/* keep:end */}\n";
    for new in ["line\n\n| line |\n| - |\n| x |\n\nend\n", "---\nline\n---\n", "```\nline\nx\n```\n", "a\nline\nb\n\nc\n"] {
        let text = carried(whole, new);
        assert!(text.contains(mine), "{text}");
        assert_eq!(carried(&text, new), text, "{new}");
    }
    assert_eq!(carried(whole, "```\nline\nx\n```\n"), format!("```\nline\nx\n```\n\n{mine}"));
    assert_eq!(carried(whole, "---\nline\n---\nx\n\ny\n"), format!("---\nline\n---\nx\n\n{mine}\ny\n"));
    let between = format!("import A from 'a'\n{mine}import B from 'b'\n\nx\n");
    assert_eq!(
        carried(&between, "import A from 'a'\nimport B from 'b'\n\nx\n"),
        format!("import A from 'a'\nimport B from 'b'\n\n{mine}\nx\n")
    );
}

#[test]
fn line_ends_of_a_region_are_its_own() {
    let region = "{/* keep:start */}\r\nmine\r\n{/* keep:end */}\r\n";
    assert_eq!(carried(&format!("a\n\n{region}\nb\n"), "a\n\nc\n"), format!("a\n\n{region}\nc\n"));
    assert_eq!(carried(&format!("a\r\n\r\n{region}"), "a\r\n\r\nc\r\n"), format!("a\r\n\r\n{region}\r\nc\r\n"));
}

#[test]
fn markers_that_make_no_region_are_faults() {
    let text = "---\n{/* keep:start */}\n---\n{/* keep:end */}\n{/*keep:start*/}\n  {/* keep:start */}\n{/* keep:end */}\n<!-- keep:end -->\n{/* keep:start */}\n```\n{/* keep:end */}\n";
    let source = Source::new("v1/a/index.mdx", text);
    let faults = Page::read(&source, Syntax::Mdx).err().unwrap_or_else(|| unreachable!());
    insta::assert_snapshot!(faults);
    let markdown = Source::new("README.md", "<!-- keep:start -->\na\n<!-- keep:end -->\n");
    assert_eq!(Page::read(&markdown, Syntax::Markdown).map(|page| (page.regions(), page.words())), Ok((1, String::new())));
    assert!(Page::read(&markdown, Syntax::Mdx).is_err());
}

/// Lines as pages have them.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-f]{1}",
        2 => Just(String::new()),
        1 => Just("| a |".to_owned()),
        1 => Just("import A from 'a'".to_owned()),
        1 => Just("```".to_owned()),
        1 => Just("~~~~".to_owned()),
        1 => Just("---".to_owned()),
        1 => Just("  {/* keep:start */} x".to_owned()),
    ]
}

fn page() -> impl Strategy<Value = String> {
    (prop::collection::vec(line(), 0..14), any::<bool>(), any::<bool>()).prop_map(|(lines, ends, crlf)| {
        let end = if crlf { "\r\n" } else { "\n" };
        lines.join(end) + if ends { end } else { "" }
    })
}

/// A page with regions between its lines, and the regions.
fn kept() -> impl Strategy<Value = (String, Vec<String>)> {
    (page(), prop::collection::vec((any::<prop::sample::Index>(), "[ a-z\r|`-]{0,6}"), 1..4)).prop_map(|(page, mut inserts)| {
        let mut lines: Vec<String> = page.split_inclusive('\n').map(str::to_owned).collect();
        if let Some(last) = lines.last_mut().filter(|last| !last.ends_with('\n')) {
            last.push('\n');
        }
        let mut regions = Vec::new();
        inserts.sort_by_key(|(index, _)| index.index(lines.len() + 1));
        for (number, (index, text)) in inserts.iter().enumerate().rev() {
            let region = format!("{{/* keep:start */}}\nregion {number} {text}\n{{/* keep:end */}}\n");
            lines.insert(index.index(page.split_inclusive('\n').count() + 1), region.clone());
            regions.insert(0, region);
        }
        (lines.concat(), regions)
    })
}

proptest! {
    #[test]
    fn regions_survive_any_change((old, regions) in kept(), new in page()) {
        let (old, new) = (Source::new("old", old), Source::new("new", new));
        let Ok(before) = Page::read(&old, Syntax::Mdx) else { return Ok(()) };
        let made = Page::read(&new, Syntax::Mdx).unwrap_or_else(|faults| unreachable!("{faults}"));
        prop_assume!(!made.open || made.items.iter().any(|item| !item.inside));
        prop_assume!(before.regions() == regions.len());
        let merged = Source::new("merged", carry(&before, &made));
        let mut at = 0;
        for region in &regions {
            let found = merged.text()[at..].find(region.trim_end_matches('\n'));
            prop_assert!(found.is_some(), "{region:?} not in {:?}", merged.text());
            at += found.unwrap_or_default() + region.len() - 1;
        }
        let after = Page::read(&merged, Syntax::Mdx).unwrap_or_else(|faults| unreachable!("{faults}"));
        prop_assert_eq!(after.regions(), regions.len());
        prop_assert_eq!(after.words(), made.words());
        prop_assert_eq!(&carry(&after, &made), merged.text());
    }
}

#[test]
fn versions_that_differ_by_regions_alone_are_told_from_others() {
    let kept = |text: &str| format!("a\n\n{{/* keep:start */}}\n{text}\n{{/* keep:end */}}\n\nb\n");
    let differ = |a: &str, b: &str| differ_by_regions("index.mdx", a.as_bytes(), b.as_bytes());
    assert!(differ("a\n\nb\n", &kept("x")) && differ(&kept("x"), &kept("y")) && differ(&kept("x"), "a\nb\n"));
    assert!(!differ("a\nb\n", "a\n\nb\n") && !differ("a\nc\n", &kept("x")) && !differ("a\n", "{/* keep:end */}\n"));
    assert!(!differ_by_regions("output.json", b"[]", b"[]"));
}
