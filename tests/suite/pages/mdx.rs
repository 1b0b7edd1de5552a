//! The real compilers over every page that is written.

use std::path::{Path, PathBuf};
use std::process::Command;

use plimsoll::model::profile::Profile;
use plimsoll::render::docs::Layout;
use plimsoll::source::Source;

use super::{LAYOUTS, hostile, pages, read, run_of, series, write_as};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder of pages for the compiler.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = root().join("target/mdx-pages").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    /// Has `tests/mdx/compile.mjs` compile, render and look at the pages; skipped where its packages are not installed
    /// (`npm ci` in `tests/mdx`).
    fn compile(&self, profile: Profile) {
        if !root().join("tests/mdx/node_modules/@mdx-js/mdx").is_dir() {
            eprintln!("skipped: the MDX compiler is not installed (npm ci in tests/mdx)");
            return;
        }
        let script = root().join("tests/mdx/compile.mjs");
        let run = Command::new("node").arg(script).arg(&self.0).args(["--profile", profile.name()]).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && said.contains(" passed, 0 failed"), "{said}{}", String::from_utf8_lossy(&run.stderr));
    }
}

/// The pictures that pages of a layout show.
fn put_pictures(folder: &Folder, layout: Layout<'_>) {
    let basket = read(&Source::new("basket.mdx", include_str!("../../fixtures/pages/basket.mdx")));
    for (file, svg) in run_of(layout, &basket, Some(&series())).pictures() {
        folder.put(&file, &svg);
    }
}

#[test]
fn every_published_page_compiles_for_every_docs_site() {
    for (at, layout) in LAYOUTS.into_iter().enumerate() {
        let folder = Folder::new(&format!("published-{at}-{}", layout.profile));
        put_pictures(&folder, layout);
        for (name, source) in pages() {
            folder.put(&layout.profile.page_file(&name.replace(['/', '.'], "-")), &write_as(layout, &read(&source), true));
        }
        let basket = Source::new("basket.mdx", include_str!("../../fixtures/pages/basket.mdx"));
        folder.put(&layout.profile.page_file("basket"), &write_as(layout, &read(&basket), false));
        folder.compile(layout.profile);
    }
}

fn hostile_words_compile(layout: Layout<'_>) {
    let folder = Folder::new(&format!("hostile-{}", layout.profile));
    put_pictures(&folder, layout);
    let (pages, wrong) = hostile::compiled(layout);
    assert!(pages.len() >= 300, "{}", pages.len());
    for (name, text, wanted) in pages {
        folder.put(&layout.profile.page_file(&name), &text);
        folder.put(&format!("{name}.json"), &wanted.to_string());
    }
    assert!(wrong.is_empty(), "{} come back otherwise:\n{}", wrong.len(), wrong.join("\n"));
    folder.compile(layout.profile);
}

#[test]
fn hostile_words_compile_for_fumadocs_and_read_the_same() {
    hostile_words_compile(LAYOUTS[0]);
}

#[test]
fn hostile_words_compile_for_docusaurus_and_read_the_same() {
    hostile_words_compile(LAYOUTS[1]);
}

#[test]
fn hostile_words_are_plain_markdown_and_read_the_same() {
    hostile_words_compile(LAYOUTS[2]);
}
