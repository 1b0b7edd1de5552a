//! The real MDX compiler over every page that is written.

use std::path::Path;
use std::process::Command;

use plimsoll::source::Source;

use super::{hostile, pages, read, write};

/// Writes all pages to `target/mdx-pages`, then has `tests/mdx/compile.mjs` compile and render them; that part is skipped
/// where its packages are not installed (`npm ci` in `tests/mdx`).
#[test]
fn every_page_compiles_as_mdx_and_shows_its_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("target/mdx-pages");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    for (name, source) in pages() {
        let page = read(&source);
        put(&format!("{}.mdx", name.replace(['/', '.'], "-")), &write(&page, true));
    }
    let basket = Source::new("basket.mdx", include_str!("../../fixtures/pages/basket.mdx"));
    put("basket.mdx", &write(&read(&basket), false));
    for (at, page) in hostile::pages().iter().enumerate() {
        put(&format!("hostile-{at}.mdx"), &write(page, at % 2 == 0));
        let words: Vec<&str> = page.record.notes.iter().map(|note| note.text.as_str()).collect();
        put(&format!("hostile-{at}.txt"), &words.iter().map(|text| hostile::shown(text)).collect::<Vec<_>>().join("\n"));
    }
    if !root.join("tests/mdx/node_modules/@mdx-js/mdx").is_dir() {
        eprintln!("skipped: the MDX compiler is not installed (npm ci in tests/mdx)");
        return;
    }
    let run = Command::new("node").arg(root.join("tests/mdx/compile.mjs")).arg(&folder).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && said.contains(" passed, 0 failed"), "{said}{}", String::from_utf8_lossy(&run.stderr));
}
