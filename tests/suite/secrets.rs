//! Secrets are masked and nothing else: held against real pages and logs.

use std::path::Path;

use plimsoll::secrets::masked_alike;

use crate::material;

#[test]
fn pages_and_logs_stay_as_they_are_but_for_the_tokens_they_really_hold() {
    let Some(shared) = material::shared("data") else { return };
    let (mut seen, mut other) = (0, Vec::new());
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let walk = |root: &Path| walkdir::WalkDir::new(root).follow_links(true).sort_by_file_name();
    for entry in walk(&shared).into_iter().chain(walk(&docs)) {
        let entry = entry.unwrap_or_else(|e| unreachable!("{e}"));
        let is_text =
            ["md", "mdx", "log", "txt", "csv", "toml"].iter().any(|end| entry.path().extension().is_some_and(|is| is == *end));
        let is_small = entry.metadata().is_ok_and(|metadata| metadata.len() < 4 << 20);
        let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
        if !is_text || !is_small {
            continue;
        }
        seen += 1;
        for (line, masked) in text.lines().zip(masked_alike(&text).lines()).filter(|(line, masked)| line != masked) {
            let is_setup = line.contains("eyJ") || line.contains("oken\"");
            if !is_setup {
                other.push(format!("{}: {line}\n{masked}", entry.path().display()));
            }
        }
    }
    assert!(seen > 0);
    assert!(other.is_empty(), "{}", other.join("\n"));
}
