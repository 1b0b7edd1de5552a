//! Published pages: read, written, read again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use plimsoll::ingest::page::{self, Page};
use plimsoll::render::docs::{self, DocsRun};
use plimsoll::render::templates::Templates;
use plimsoll::source::Source;

/// A folder of the material beside the project; `None`, with a word, where it is absent.
fn shared(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: {} is not here", path.display());
    None
}

/// Every published page by `RELEASE/TARGET`, and every seed by its file's name.
fn pages() -> BTreeMap<String, Source> {
    let mut pages = BTreeMap::new();
    for release in folders(shared("published")) {
        for target in folders(Some(release.clone())) {
            let name = format!("{}/{}", name_of(&release), name_of(&target));
            pages.insert(name.clone(), source(&name, &target.join("page.mdx")));
        }
    }
    pages.extend(seeds());
    pages
}

fn seeds() -> BTreeMap<String, Source> {
    let files = shared("seeds").map(|path| std::fs::read_dir(path).unwrap()).into_iter().flatten();
    files.map(|file| file.unwrap().path()).map(|path| (name_of(&path), source(&name_of(&path), &path))).collect()
}

fn folders(path: Option<PathBuf>) -> Vec<PathBuf> {
    let entries = path.map(|path| std::fs::read_dir(path).unwrap()).into_iter().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn source(name: &str, path: &Path) -> Source {
    Source::from_bytes(name, &std::fs::read(path).unwrap())
}

fn read(source: &Source) -> Page {
    page::read(source).unwrap_or_else(|faults| panic!("{faults}"))
}

fn write(page: &Page, has_series: bool) -> String {
    let run =
        DocsRun { record: &page.record, verdict: None, service_name: "ZITADEL", has_series, k6_text: page.k6_text.as_deref() };
    docs::page(&Templates::embedded().unwrap(), &run).unwrap()
}

#[test]
fn every_published_page_comes_back_the_same() {
    for (name, source) in pages() {
        let first = read(&source);
        let written = write(&first, true);
        let again = read(&Source::new("written.mdx", written.as_str()));
        similar(&name, &first, &again);
        let mut bare = first.clone();
        bare.record = bare.record.figures_only();
        let again = read(&Source::new("bare.mdx", write(&bare, false)));
        similar(&format!("{name} (figures only)"), &bare, &again);
    }
}

/// Two pages tell the same, shown as JSON where they don't.
fn similar(name: &str, a: &Page, b: &Page) {
    let text = |page: &Page| serde_json::to_string_pretty(&page.record).unwrap();
    let (left, right) = (text(a), text(b));
    for (left, right) in left.lines().zip(right.lines()) {
        assert_eq!(left, right, "{name}");
    }
    assert_eq!(a.record, b.record, "{name}");
    assert_eq!(a.k6_text.as_deref().map(str::trim_end), b.k6_text.as_deref().map(str::trim_end), "{name}");
}

#[test]
fn dump_pages() {
    for (name, source) in pages() {
        let first = read(&source);
        std::fs::create_dir_all("/tmp/w").unwrap();
        std::fs::write(format!("/tmp/w/{}.mdx", name.replace('/', "__")), write(&first, true)).unwrap();
    }
}
