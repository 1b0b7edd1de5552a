//! What is to be written, looked through for secrets: a find is a refusal, unless `plimsoll.toml` accepts it.

use std::collections::BTreeMap;

use super::Project;
use super::project::{FILE, counted, shown};
use crate::diagnostic::{Diagnostic, Faults, FirstFaults};
use crate::fs;
use crate::secrets::{self, Secret};
use crate::settings::AcceptedSecret;
use crate::source::{Place, Source};

/// How many further files of a secret are named.
const NAMED: usize = 3;

/// A secret in a file, or in its name.
#[derive(Clone, Debug)]
pub(super) struct Sighting {
    /// The file, as patterns of `accept` name it.
    path: String,
    secret: Secret,
    /// The line, without a secret.
    place: Place,
}

/// The secrets of a file, in order; those of its name come first.
pub(super) fn look(path: &str, text: &str) -> Vec<Sighting> {
    let in_name = secrets::find(path);
    let name = if in_name.is_empty() { path.to_owned() } else { blotted(path, &in_name) };
    let source = Source::new("names of files", name.as_str());
    let sighting = |secret: Secret, place: Place| Sighting { path: path.to_owned(), secret, place };
    let mut all: Vec<Sighting> = in_name.into_iter().map(|secret| sighting(secret.clone(), source.at(secret.span))).collect();
    let found = secrets::find(text);
    if !found.is_empty() {
        let safe = blotted(text, &found);
        all.extend(found.into_iter().map(|secret| {
            let place = line(&name, text, &safe, &secret);
            sighting(secret, place)
        }));
    }
    all
}

/// The text with as many stars as a secret has letters, whatever it is escaped as.
fn blotted(text: &str, secrets: &[Secret]) -> String {
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for Secret { span, .. } in secrets {
        out.push_str(&text[from..span.start]);
        out.extend(text[span.clone()].chars().map(|c| if c == '\n' { c } else { '*' }));
        from = span.end;
    }
    out + &text[from..]
}

/// The line of a secret in the text without secrets, with its number in the whole.
fn line(name: &str, text: &str, safe: &str, secret: &Secret) -> Place {
    let number = text[..secret.span.start].matches('\n').count();
    let begin = text[..secret.span.start].rfind('\n').map_or(0, |at| at + 1);
    let lines = secret_lines(&text[secret.span.clone()]);
    let shown: Vec<&str> = safe.split('\n').skip(number).take(lines).collect();
    let shown = shown.join("\n");
    let before = text[begin..secret.span.start].chars().count();
    let at = |count: usize| shown.char_indices().nth(count).map_or(shown.len(), |(at, _)| at);
    let (start, end) = (at(before), at(before + text[secret.span.clone()].chars().count()));
    Source::excerpt(name, shown, number + 1).at(start..end)
}

/// How many lines of a secret are shown: where it begins is enough to find it.
fn secret_lines(secret: &str) -> usize {
    (secret.matches('\n').count() + 1).min(2)
}

/// What a tree holds, held against what is accepted.
#[derive(Debug, Default)]
pub(super) struct Scanned<'a> {
    paths: Vec<&'a str>,
    sightings: Vec<&'a Sighting>,
}

impl<'a> Scanned<'a> {
    /// Adds a file.
    pub(super) fn add(&mut self, path: &'a str, sightings: &'a [Sighting]) {
        self.paths.push(path);
        self.sightings.extend(sightings);
    }

    /// What is accepted and not there, if nothing else is found.
    ///
    /// # Errors
    /// Every secret that is not accepted, once, with where it is and where it probably comes from.
    pub(super) fn check(&self, project: &Project) -> Result<Vec<Diagnostic>, Faults> {
        let accepted = &project.settings.secrets_accept;
        let is_accepted = |seen: &Sighting| accepted.iter().any(|one| one.accepts(&seen.path, &seen.secret));
        let refused: Vec<&Sighting> = self.sightings.iter().copied().filter(|seen| !is_accepted(seen)).collect();
        if refused.is_empty() {
            return Ok(accepted.iter().filter_map(|one| self.needless(one)).collect());
        }
        let mut groups: BTreeMap<(&str, &str), Vec<&Sighting>> = BTreeMap::new();
        for seen in refused {
            groups.entry((seen.secret.kind, &seen.secret.fingerprint)).or_default().push(seen);
        }
        let mut groups: Vec<Vec<&Sighting>> = groups.into_values().collect();
        groups.sort_by_key(|group| (&group[0].path, group[0].secret.span.start));
        let sources = sources(project);
        let mut faults = FirstFaults::default();
        for group in &groups {
            faults.push(|| refusal(group, &sources));
        }
        Faults::check(faults.told()).map(|_| Vec::new())
    }

    /// A warning of a row that accepts nothing in files that are here.
    fn needless(&self, accepted: &AcceptedSecret) -> Option<Diagnostic> {
        let covers = self.paths.iter().any(|path| accepted.covers(path));
        let accepts = self.sightings.iter().any(|seen| accepted.accepts(&seen.path, &seen.secret));
        let AcceptedSecret { kind, files, .. } = accepted;
        let message = format!("`[secrets] accept` of {FILE} accepts a {kind} in `{files}`, and there is none");
        let fault = Diagnostic::warning("needless-accept", message);
        (covers && !accepts).then(|| fault.help("take the row out: what it accepts would be written without a word"))
    }
}

fn refusal(group: &[&Sighting], sources: &[Sighting]) -> Diagnostic {
    let first = group[0];
    let Secret { kind, fingerprint, .. } = &first.secret;
    let title = secrets::kind(kind).map_or(*kind, |kind| kind.title);
    let message = format!("what is to be written holds what looks like {title} ({kind}), at {}", first.place);
    let mut fault = Diagnostic::error("secret", message).at(first.place.clone());
    let mut others: Vec<&str> = group.iter().map(|seen| seen.path.as_str()).filter(|path| *path != first.path).collect();
    others.dedup();
    if !others.is_empty() {
        let named = others.iter().take(NAMED).map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
        fault = fault.note(format!("it is in {} more, too: {named}", counted(others.len(), "file")));
    }
    let same = |seen: &&Sighting| seen.secret.fingerprint == *fingerprint;
    fault = match sources.iter().find(same) {
        Some(source) => fault.note(format!("it probably comes from {}", source.place)),
        None => fault.note("where it comes from can't be told"),
    };
    fault.note(format!("its fingerprint is {fingerprint}")).help(format!(
        "take it out there, and change it if it was ever published; if it is none, say so in {FILE}: [secrets] accept = [{{ kind = \
         \"{kind}\", where = \"{}\", fingerprint = \"{fingerprint}\", reason = \"why\" }}]",
        secrets::masked(&first.path)
    ))
}

/// The secrets of all that a site is made of: asked for only where something was found.
fn sources(project: &Project) -> Vec<Sighting> {
    let mut all = Vec::new();
    for folder in [project.archive_folder.clone(), project.root.join("templates"), project.root.join("flows")] {
        // What can't be read tells nothing; the refusal stands all the same.
        for found in fs::find(&folder).unwrap_or_default() {
            all.extend(
                fs::read(&found.path)
                    .map(|bytes| look(&shown(&found.path), &String::from_utf8_lossy(&bytes)))
                    .unwrap_or_default(),
            );
        }
    }
    let settings = project.root.join(FILE);
    all.extend(fs::read(&settings).map(|bytes| look(&shown(&settings), &String::from_utf8_lossy(&bytes))).unwrap_or_default());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_secret_shows_none() {
        let text = "a\nb &lt;&#112;assword=h&#117;nter22&gt; token=abcd1234 c\nd";
        let seen = look("v1/a.html", text);
        let told: Vec<String> = seen.iter().map(|seen| format!("{} {}", seen.place, seen.secret.kind)).collect();
        assert_eq!(told, ["v1/a.html:2:21 password-assignment", "v1/a.html:2:45 token-assignment"]);
        assert_eq!(seen[0].place.source.text(), "b &lt;&#112;assword=*************&gt; token=******** c");
    }

    #[test]
    fn the_name_of_a_file_is_looked_at_too() {
        let seen = look("v1/glpat-0123456789ab/index.html", "nothing");
        assert_eq!(seen.len(), 1);
        assert_eq!(seen[0].place.source.text(), "v1/******************/index.html");
    }
}
