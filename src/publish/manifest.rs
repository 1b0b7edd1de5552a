//! What a publication wrote, so that the next one knows what is its own: a file `.plimsoll.json` a release, and one for the
//! pages that belong to no release.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::keep::{Page, Syntax};
use super::place::{Place, Root};
use crate::archive::record_json::{bad_json, check_schema};
use crate::diagnostic::{Diagnostic, Faults};
use crate::model::address::Release;
use crate::model::profile::Profile;
use crate::model::provenance::Input;
use crate::source::Source;

/// The file beside the pages.
pub const FILE: &str = ".plimsoll.json";

/// The schema that is written, and the newest that is read.
const SCHEMA: u32 = 1;

/// What is known of a file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owned {
    /// BLAKE3 of the bytes as they were made, before regions came into them, in hex.
    pub blake3: String,
    /// BLAKE3 of the lines that say something, of a page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// How many regions of its author the page had.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub regions: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// BLAKE3 of some bytes, in hex.
#[must_use]
pub fn fingerprint(bytes: &[u8]) -> String {
    Input::of("", "", bytes).blake3
}

impl Owned {
    /// What is to be known of a file as it was made, and of the regions that came into it.
    #[must_use]
    pub fn of(file: &str, made: &[u8], regions: usize) -> Self {
        let words = Syntax::of(file).and_then(|syntax| {
            let source = Source::new(file, std::str::from_utf8(made).ok()?);
            Page::read(&source, syntax).ok().map(|page| fingerprint(page.words().as_bytes()))
        });
        Self { blake3: fingerprint(made), words, regions }
    }
}

/// The files of a release, or those that belong to none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Which docs site they were written for.
    pub profile: Profile,
    /// The folder of second copies as the settings named it, where there was one.
    pub mirror: Option<String>,
    /// The files by their places.
    pub files: BTreeMap<Place, Owned>,
}

#[derive(Serialize, Deserialize)]
struct Wire {
    schema: u32,
    profile: String,
    files: BTreeMap<String, Owned>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mirror: Option<WireMirror>,
}

#[derive(Serialize, Deserialize)]
struct WireMirror {
    folder: String,
    files: BTreeMap<String, Owned>,
}

/// Where the manifest of a release lies; that of the pages of no release.
#[must_use]
pub fn path_of(release: Option<&Release>) -> String {
    format!("{}{FILE}", folder_of(release))
}

/// The folder of a release with a `/` behind it, so that a path in it can be told.
fn folder_of(release: Option<&Release>) -> String {
    release.map(|release| format!("{release}/")).unwrap_or_default()
}

impl Manifest {
    /// The manifest as JSON with a final line break; the same files give the same bytes. Paths are relative to the folder of
    /// the release.
    #[must_use]
    pub fn write(&self, release: Option<&Release>) -> String {
        let folder = folder_of(release);
        let inside = |place: &Place| {
            let path = place.path.as_str();
            path.strip_prefix(&folder).unwrap_or(path).to_owned()
        };
        let of = |root: Root| -> BTreeMap<String, Owned> {
            let files = self.files.iter().filter(|(place, _)| place.root == root);
            files.map(|(place, owned)| (inside(place), owned.clone())).collect()
        };
        let mirror = self.mirror.clone().map(|folder| WireMirror { folder, files: of(Root::Mirror) });
        let mirror = mirror.filter(|mirror| !mirror.files.is_empty());
        let wire = Wire { schema: SCHEMA, profile: self.profile.name().to_owned(), files: of(Root::Docs), mirror };
        // It holds maps with text keys and whole numbers only, which JSON can always say.
        let json = serde_json::to_string_pretty(&wire).unwrap_or_else(|error| unreachable!("a manifest is JSON: {error}"));
        json + "\n"
    }

    /// Reads the manifest of a release.
    ///
    /// # Errors
    /// `newer-schema`, or `bad-manifest` with its place: no JSON, another shape, a path that leaves its folder.
    pub fn read(source: &Source, release: Option<&Release>) -> Result<Self, Faults> {
        check_schema(source, SCHEMA)?;
        let help = "restore the file from your repository; or remove it and publish with --force, which takes the pages over";
        let wire: Wire = serde_json::from_str(source.text())
            .map_err(|error| Faults::from(bad_json(source, &error, "bad-manifest").help(help)))?;
        let mut faults = Vec::new();
        let mut fault = |message: String, word: &str| {
            let quoted = serde_json::Value::from(word).to_string();
            let at = source.text().find(&quoted).unwrap_or_default();
            faults.push(Diagnostic::error("bad-manifest", message).at(source.at(at..at + quoted.len())).help(help));
        };
        let profile = Profile::named(&wire.profile);
        if profile.is_none() {
            fault(format!("there is no profile `{}`", wire.profile), &wire.profile);
        }
        let mut files = BTreeMap::new();
        let (mirror, copies) = wire.mirror.map(|mirror| (mirror.folder, mirror.files)).unzip();
        let copies = copies.unwrap_or_default().into_iter().map(|file| (Root::Mirror, file));
        for (root, (path, owned)) in wire.files.into_iter().map(|file| (Root::Docs, file)).chain(copies) {
            match Place::new(root, format!("{}{path}", folder_of(release))) {
                Ok(place) => drop(files.insert(place, owned)),
                Err(bad) => fault(bad.to_string(), &path),
            }
        }
        Faults::check(faults)?;
        Ok(Self { profile: profile.unwrap_or(Profile::Fumadocs), mirror, files })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release() -> Release {
        Release::new("v4").unwrap_or_else(|error| unreachable!("{error}"))
    }

    fn read(text: &str) -> Result<Manifest, Faults> {
        Manifest::read(&Source::new("v4/.plimsoll.json", text), Some(&release()))
    }

    #[test]
    fn a_manifest_is_written_and_read_again() {
        let place = |root, path| Place::new(root, path).unwrap_or_else(|error| unreachable!("{error}"));
        let files = BTreeMap::from([
            (place(Root::Docs, "v4/a/index.mdx"), Owned::of("index.mdx", b"a\n\nb\n", 2)),
            (place(Root::Docs, "v4/a/output.json"), Owned::of("output.json", b"[]\n", 0)),
            (place(Root::Mirror, "v4/a/output.json"), Owned::of("output.json", b"[]\n", 0)),
        ]);
        let manifest = Manifest { profile: Profile::Fumadocs, mirror: Some("../data".to_owned()), files };
        let text = manifest.write(Some(&release()));
        insta::assert_snapshot!(text);
        assert_eq!(read(&text), Ok(manifest));
    }

    #[test]
    fn a_broken_manifest_is_a_fault_with_its_place() {
        for bad in [
            "{\"schema\": 2}",
            "{\"schema\": 1, \"profile\": \"fumadocs\", \"files\": {\n",
            "{\n  \"schema\": 1,\n  \"profile\": \"hugo\",\n  \"files\": {\"../x\": {\"blake3\": \"\"}}\n}\n",
        ] {
            insta::assert_snapshot!(read(bad).err().unwrap_or_else(|| unreachable!("{bad}")));
        }
    }
}
