//! The docs sites that pages are written for.

use std::fmt;

/// Which docs site reads the pages, and so how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// Fumadocs: MDX, heading ids as `[#id]`, a navigation file with nested lists of pages.
    Fumadocs,
    /// Docusaurus 3: MDX, heading ids as `{#id}`, `_category_.json` and `sidebar_position`.
    Docusaurus,
    /// Plain Markdown as GitHub shows it: no component, no front matter, a folder's page is its README.
    Markdown,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Fumadocs, Self::Docusaurus, Self::Markdown];

    /// The names by which settings and the command line call them.
    pub const NAMES: [&'static str; 3] = ["fumadocs", "docusaurus", "markdown"];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fumadocs => "fumadocs",
            Self::Docusaurus => "docusaurus",
            Self::Markdown => "markdown",
        }
    }

    /// The profile of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Whether its pages are MDX, where braces hold JavaScript and `<` opens a component.
    #[must_use]
    pub fn is_mdx(self) -> bool {
        self != Self::Markdown
    }

    /// The file that is the page of its folder.
    #[must_use]
    pub fn folder_page(self) -> &'static str {
        if self.is_mdx() { "index.mdx" } else { "README.md" }
    }

    /// The file of a page that has no folder of its own: `results.mdx`.
    #[must_use]
    pub fn page_file(self, name: &str) -> String {
        format!("{name}.{}", if self.is_mdx() { "mdx" } else { "md" })
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
