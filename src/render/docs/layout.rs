//! What is different from docs site to docs site: front matter, ids of headings, links between pages, what is escaped.

use std::fmt::Write as _;

use super::mdx::{self, Writer};
use crate::model::profile::Profile;
use crate::settings::Docs;

/// How pages of a docs folder are written.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// Which docs site reads them.
    pub profile: Profile,
    /// The docs folder's address on its site, without a `/` at its end; empty: links are relative paths of files.
    pub url: &'a str,
    /// The module that gives `BenchmarkChart`; empty draws a picture instead.
    pub chart: &'a str,
}

/// What stands above a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head<'a> {
    /// The title.
    pub(super) title: &'a str,
    /// What the sidebar calls the page.
    pub(super) sidebar_label: &'a str,
    /// Its place in the sidebar, where the docs site asks for one.
    pub(super) position: Option<i64>,
}

impl<'a> Layout<'a> {
    /// What settings say, for a profile.
    #[must_use]
    pub fn of(docs: &'a Docs, profile: Profile) -> Self {
        let usual = match profile {
            Profile::Fumadocs => "@/components/benchmark_chart",
            Profile::Docusaurus => "@site/src/components/benchmark_chart",
            Profile::Markdown => "",
        };
        let chart = docs.chart.as_deref().filter(|_| profile.is_mdx()).unwrap_or(usual);
        Self { profile, url: docs.url.trim_end_matches('/'), chart }
    }

    /// The page of a folder: `v4/otp_session/index.mdx`; of the docs folder's release, `v4/index.mdx`.
    pub(super) fn page_of(self, folder: &str) -> String {
        format!("{folder}/{}", self.profile.folder_page())
    }

    /// The way from a page to another, both as paths from the docs folder.
    pub(super) fn href(self, from: &str, to: &str) -> String {
        if self.url.is_empty() {
            return encoded(&relative(from, to));
        }
        let ending = to.strip_suffix("/index.mdx").or_else(|| to.strip_suffix(".mdx"));
        let path = ending.unwrap_or(to);
        let part = |part| if self.profile == Profile::Docusaurus { without_number(part) } else { part };
        let path: Vec<&str> = path.split('/').map(part).collect();
        format!("{}/{}", self.url, encoded(&path.join("/")))
    }

    /// A text inside a table's cell.
    pub(super) fn cell(self, text: &str) -> String {
        Writer(self.profile).cell(text)
    }

    /// A text as a paragraph.
    pub(super) fn paragraph(self, text: &str) -> String {
        Writer(self.profile).paragraph(text)
    }

    /// A picture that lies beside the page.
    pub(super) fn picture(self, file: &str, alternative: &str) -> String {
        format!("![{}](./{file})", Writer(self.profile).alternative(alternative))
    }

    /// The words of a heading that no link names.
    pub(super) fn heading_words(self, text: &str) -> String {
        Writer(self.profile).heading(text)
    }

    /// A heading that links can name.
    pub(super) fn heading(self, level: usize, text: &str, id: &str) -> String {
        let body = format!("{} {}", "#".repeat(level), self.heading_words(text));
        match self.profile {
            Profile::Fumadocs => format!("{body} [#{id}]"),
            // MDX alone would take a bare brace for JavaScript; Docusaurus reads both.
            Profile::Docusaurus => format!("{body} \\{{#{id}\\}}"),
            // GitHub makes the id of the words.
            Profile::Markdown => body,
        }
    }

    /// What stands above a page: front matter, or the title as the first heading.
    pub(super) fn head(self, head: &Head<'_>) -> String {
        if self.profile == Profile::Markdown {
            return format!("# {}\n", self.heading_words(head.title));
        }
        let position = head.position.filter(|_| self.profile == Profile::Docusaurus);
        let position = position.map(|position| format!("sidebar_position: {position}\n")).unwrap_or_default();
        format!("---\ntitle: {}\nsidebar_label: {}\n{position}---\n", mdx::yaml(head.title), mdx::yaml(head.sidebar_label))
    }
}

/// The relative path of a file from another's folder, `./` before one that goes down.
fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let folders = from.len() - 1;
    let common = from[..folders].iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(folders - common);
    format!("{}{}", if up.is_empty() { "./" } else { &up }, to[common..].join("/"))
}

/// A path as part of an address. Names of releases and runs hold letters of any script, which stand there as bytes.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~+".contains(&byte);
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// A folder's name as Docusaurus has it in addresses: a number before it is its place in the sidebar, unless it reads like a
/// version or a date.
pub(super) fn without_number(name: &str) -> &str {
    let rest = name.trim_start_matches(|c: char| c.is_ascii_digit());
    let suffix = rest.trim_start_matches(['-', '_', '.']);
    let marked = rest.len() < name.len() && suffix.len() < rest.len() && !suffix.is_empty();
    let version = rest.len() - suffix.len() == 1 && suffix.starts_with(|c: char| c.is_ascii_digit());
    if marked && !version { suffix } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(profile: Profile, url: &str) -> Layout<'_> {
        Layout { profile, url, chart: "" }
    }

    #[test]
    fn links_lead_from_file_to_file_or_below_an_address() {
        let relative = layout(Profile::Fumadocs, "");
        assert_eq!(relative.href("v4/index.mdx", "v4/otp~2/index.mdx"), "./otp~2/index.mdx");
        assert_eq!(relative.href("v4/otp/index.mdx", "v4.1/otp/index.mdx"), "../../v4.1/otp/index.mdx");
        assert_eq!(relative.href("results.mdx", "v4/größe/index.mdx"), "./v4/gr%C3%B6%C3%9Fe/index.mdx");
        let below = layout(Profile::Fumadocs, "/docs/b");
        assert_eq!(below.href("results.mdx", "v4/1-otp/index.mdx"), "/docs/b/v4/1-otp");
    }

    #[test]
    fn docusaurus_takes_a_number_before_a_name_for_its_place() {
        let below = layout(Profile::Docusaurus, "/b");
        for (name, part) in [("1-otp", "otp"), ("2024-10-22", "2024-10-22"), ("4.1-a", "4.1-a"), ("12", "12"), ("v1-a", "v1-a")] {
            assert_eq!(below.href("results.mdx", &format!("{name}/x/index.mdx")), format!("/b/{part}/x"));
        }
    }

    #[test]
    fn a_heading_has_its_id_where_the_site_does_not_make_it() {
        let heading = |profile| layout(profile, "").heading(2, "k6 output", "k6-output");
        assert_eq!(Profile::ALL.map(heading), ["## k6 output [#k6-output]", r"## k6 output \{#k6-output\}", "## k6 output"]);
    }
}
