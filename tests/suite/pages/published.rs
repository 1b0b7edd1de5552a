//! Every published page and every seed, there and back.

use std::collections::BTreeMap;

use plimsoll::model::catalogue::FigureId;
use plimsoll::model::page::PageRow;
use plimsoll::model::record::Record;
use plimsoll::source::Source;

use super::{LAYOUTS, again, cells, lines, pages, read, runs, same, seeds, source, words, write, write_as};

#[test]
fn every_page_comes_back_the_same_from_every_docs_site() {
    for (name, source) in pages() {
        let page = read(&source);
        for layout in LAYOUTS {
            for has_series in [true, false] {
                let text = write_as(layout, &page, has_series);
                same(&format!("{name} for {}", layout.profile), &page, &again(&text));
            }
        }
    }
}

#[test]
fn a_written_page_is_known_by_its_content() {
    for (name, source) in pages() {
        let page = read(&source);
        for layout in LAYOUTS {
            let text = Source::new("x", write_as(layout, &page, true));
            let kind = plimsoll::ingest::kinds::detect(&text).map(|kind| kind.name);
            assert_eq!(kind, Some("page"), "{name} for {}", layout.profile);
        }
    }
}

#[test]
fn every_page_of_figures_only_comes_back_the_same() {
    for (name, source) in pages() {
        let mut page = read(&source);
        page.record = page.record.figures_only();
        let text = write(&page, false);
        assert!(!text.contains("BenchmarkChart"), "{name}");
        same(&name, &page, &again(&text));
    }
}

#[test]
fn writing_twice_gives_the_same_bytes() {
    for source in pages().values() {
        let text = write(&read(source), true);
        assert_eq!(write(&again(&text), true), text);
    }
}

#[test]
fn line_ends_and_a_byte_order_mark_do_not_matter() {
    for (name, source) in pages() {
        let text = format!("\u{feff}{}", source.text().replace('\n', "\r\n"));
        let page = read(&Source::from_bytes("page.mdx", text.as_bytes()));
        assert_eq!(page.record, read(&source).record, "{name}");
    }
}

#[test]
fn every_row_of_the_seeds_comes_out_again() {
    let squeezed = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    for (name, source) in seeds() {
        let written = cells(&write(&read(&source), true));
        let mut rows = 0;
        for (row, value) in seed_rows(source.text()) {
            rows += 1;
            let cell = written.get(&row).unwrap_or_else(|| panic!("{name}: the page has no row {row}")).join(" ");
            match PageRow::named(&row) {
                // Its own wording: nothing but the words "(see k6 output)" and "none of the N" are another.
                Some(PageRow::Errors | PageRow::Outcome) if value.is_empty() => {}
                Some(PageRow::Errors) => {
                    let ours = value
                        .replace(" (see k6 output)", "")
                        .replace("none of the 182 individually logged", "182x not individually logged");
                    assert_eq!(squeezed(&cell), squeezed(&ours), "{name}: {row}");
                }
                _ => assert_eq!(squeezed(&cell), squeezed(&value), "{name}: {row}"),
            }
        }
        assert!(rows >= 20, "{name} has {rows} rows");
    }
}

/// The rows of a seed as it is written, name and value.
fn seed_rows(text: &str) -> Vec<(String, String)> {
    let table = text.split("Endpoint latencies").next().unwrap();
    let pair = |line: &str| -> Option<(String, String)> {
        let line = line.strip_prefix('|').map_or(line.to_owned(), |row| row.trim_end_matches('|').replacen('|', "\t", 1));
        let name = line.split('\t').next()?.trim().to_owned();
        PageRow::named(&name)?;
        Some((name, line.split_once('\t').map(|(_, value)| words(value)).unwrap_or_default()))
    };
    table.lines().filter_map(pair).collect()
}

#[test]
fn the_seeds_tell_what_their_pages_tell() {
    let published: BTreeMap<String, Record> =
        runs().into_iter().map(|(name, run)| (name, read(&source(&run.join("page.mdx"))).record)).collect();
    for (name, seed) in seeds() {
        let record = read(&seed).record;
        let page = &published[&record.address().to_string()];
        let facts = |record: &Record| {
            let mut record = record.clone();
            record.k6 = None;
            // Plain text has neither links nor a side bar.
            record.notes.iter_mut().for_each(|note| note.text = words(&note.text));
            record.identity.sidebar_label = None;
            serde_json::to_string_pretty(&record).unwrap()
        };
        assert_eq!(facts(&record), facts(page), "{name}");
    }
}

/// The table of a page as it was laid out from, and the same cells of the page we write.
#[test]
fn every_cell_of_the_tables_comes_out_again() {
    for (name, run) in runs() {
        let Ok(facts) = std::fs::read_to_string(run.join("facts.json")) else { continue };
        let facts: BTreeMap<String, serde_json::Value> = serde_json::from_str(&facts).unwrap();
        let written = cells(&write(&read(&source(&run.join("page.mdx"))), true));
        for (row, value) in &facts {
            let Some(known) = PageRow::named(row) else { continue };
            let mut wanted = lines(&value.as_str().unwrap().replace('\n', "<br/>"));
            let mut cell = written[row].clone();
            if known == PageRow::Errors {
                continue;
            }
            if known == PageRow::Queries {
                let ours = |line: &String| line.replace("Advisory-lock wait:", "Lock wait:").replace(" in this window.", ".");
                wanted = wanted.iter().map(ours).collect();
            }
            if known == PageRow::Database {
                // One line with a sentence behind it becomes two.
                wanted = wanted
                    .iter()
                    .flat_map(|line| line.split(". ").map(|part| part.trim_end_matches('.').to_owned()).collect::<Vec<_>>())
                    .collect();
                cell = cell.iter().map(|line| line.trim_end_matches('.').to_owned()).collect();
            }
            // Notes stand behind what has fields.
            wanted.sort();
            cell.sort();
            assert_eq!(cell, wanted, "{name}: {row}");
        }
    }
}

#[test]
fn figures_decide_and_not_words() {
    for (name, run) in runs() {
        let page = source(&run.join("page.mdx"));
        let outcome = page.text().lines().find(|line| line.to_lowercase().starts_with("| flowchart outcome")).unwrap();
        let share = ["% of the top-5 query time"].iter().find_map(|of| {
            let at = outcome.find(of)?;
            let start = outcome[..at].rfind(' ')? + 1;
            Some(outcome[start..at + of.len()].to_owned())
        });
        let bare = format!("| flowchart outcome | xxx. x xx {} xxxx. x |", share.clone().unwrap_or_default());
        let text = page.text().replace(outcome, &bare);
        let figures = |text: &str| read(&Source::new("page.mdx", text)).record.figures;
        assert_eq!(figures(&text), figures(page.text()), "{name}");
        if name.starts_with("v4.17.1") {
            assert!(share.is_some(), "{name}");
            let empty = page.text().replace(outcome, "| flowchart outcome | |");
            assert!(figures(&empty).get(FigureId::DatabaseLockWaitRatio).is_none(), "{name}");
        }
    }
}

#[test]
fn notes_keep_what_has_no_field() {
    let notes = |name: &str, row: PageRow| -> Vec<String> {
        let Some(run) = runs().remove(name) else { return Vec::new() };
        let record = read(&source(&run.join("page.mdx"))).record;
        record.notes.into_iter().filter(|note| note.place == row.place()).map(|note| note.text).collect()
    };
    if runs().is_empty() {
        return;
    }
    assert_eq!(notes("v4.17.1/human_password_login", PageRow::Errors).len(), 2);
    assert_eq!(notes("v4.17.1/manipulate_user", PageRow::Errors).len(), 2);
    assert_eq!(notes("v4.19.2/user_info", PageRow::Errors).len(), 1);
    assert_eq!(notes("v4.19.2/user_info", PageRow::ServiceSettings).len(), 2);
    assert_eq!(notes("v4.19.2/user_info", PageRow::ServiceMetrics).len(), 1);
    assert_eq!(notes("v4.17.1/user_info", PageRow::DatabaseMetrics).len(), 1);
    assert_eq!(notes("v4/user_info", PageRow::ServiceMetrics).len(), 1);
    assert_eq!(notes("v4.19.2/manipulate_user", PageRow::Vus).len(), 1);
}

/// A page as a browser's plain text: markup gone, line breaks inside cells turned into `glue`.
fn flattened(page: &str, glue: &str, tabs: bool) -> String {
    let mut out = Vec::new();
    let mut parts = page.splitn(3, "---\n");
    let front = parts.nth(1).unwrap();
    out.push(front.lines().find_map(|line| line.strip_prefix("title: ")).unwrap().to_owned());
    let (body, k6) = parts.next().unwrap().split_once("```bash").unwrap();
    for line in body.lines().filter(|line| !line.starts_with("import") && !line.starts_with('<') && !line.trim().is_empty()) {
        let line = line.replace("<br />", "<br/>").replace("<br/>", glue);
        if let Some(row) = line.strip_prefix('|') {
            if !row.starts_with(":-") {
                let (name, value) = row.trim_end_matches('|').split_once('|').unwrap();
                let (name, value) = (words(name), words(value));
                out.push(if tabs { format!("{name}\t{value}").trim_end().to_owned() } else { format!("| {name} | {value} |") });
            }
        } else {
            out.push(words(line.trim_start_matches('#')));
        }
    }
    out.join("\n") + "\n" + k6.trim_end().trim_end_matches('`') + "Was this page helpful?"
}

#[test]
fn a_page_whose_line_breaks_are_lost_tells_the_same() {
    for (name, run) in runs() {
        let page = source(&run.join("page.mdx"));
        let facts = |record: Record| {
            let mut record = record;
            record.k6 = None;
            record.identity.sidebar_label = None;
            // Where a break between two notes is lost, they are one.
            let mut notes: Vec<plimsoll::model::record::Note> = Vec::new();
            for note in std::mem::take(&mut record.notes) {
                match notes.last_mut().filter(|last| last.place == note.place && last.place != "introduction") {
                    Some(last) => last.text = format!("{} {}", last.text, words(&note.text)),
                    None => notes.push(plimsoll::model::record::Note { text: words(&note.text), ..note }),
                }
            }
            record.notes = notes;
            record.queries.iter_mut().for_each(|query| query.name = words(&query.name));
            serde_json::to_string_pretty(&record).unwrap()
        };
        let wanted = facts(read(&page).record);
        for tabs in [false, true] {
            let flat = flattened(page.text(), " ", tabs);
            let record = facts(read(&Source::new("page.txt", flat.as_str())).record);
            for (left, right) in record.lines().zip(wanted.lines()) {
                assert_eq!(left, right, "{name}\n{flat}");
            }
            assert_eq!(record, wanted, "{name}");
        }
    }
}
