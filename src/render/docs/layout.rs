//! What is different from docs site to docs site: front matter, ids of headings, links between pages.

use super::mdx;
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
            return relative(from, to);
        }
        let ending = to.strip_suffix("/index.mdx").or_else(|| to.strip_suffix(".mdx"));
        format!("{}/{}", self.url, ending.unwrap_or(to))
    }

    /// A heading that links can name.
    pub(super) fn heading(self, level: usize, text: &str, id: &str) -> String {
        let body = format!("{} {}", "#".repeat(level), mdx::heading(text));
        match self.profile {
            Profile::Fumadocs => format!("{body} [#{id}]"),
            // MDX alone would take a bare brace for JavaScript; Docusaurus reads both.
            Profile::Docusaurus => format!("{body} \\{{#{id}\\}}"),
            Profile::Markdown => body,
        }
    }

    /// What stands above a page: front matter, or the title as the first heading.
    pub(super) fn head(self, head: &Head<'_>) -> String {
        if self.profile == Profile::Markdown {
            return format!("# {}\n", mdx::heading(head.title));
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
