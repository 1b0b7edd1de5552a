//! `[secrets] accept`: what looks like a secret and may be written all the same.

use crate::diagnostic::Diagnostic;
use crate::handwritten::{Form, Written};
use crate::secrets::{KINDS, Secret};

/// A secret that is accepted: of one kind, in the files of a pattern, and of one value where the fingerprint says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedSecret {
    /// The id of its kind.
    pub kind: String,
    /// The files, as a pattern of their paths in the site or the docs folder: `*` stands for any letters but `/`, `**` for any.
    pub files: String,
    /// Of which value; `None` is all of the kind.
    pub fingerprint: Option<String>,
    /// Why.
    pub reason: String,
}

impl AcceptedSecret {
    /// Whether a file is one of those it speaks of.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        matcher(&self.files).is_some_and(|files| files.is_match(path))
    }

    /// Whether a secret of a file is accepted by it.
    #[must_use]
    pub fn accepts(&self, path: &str, secret: &Secret) -> bool {
        let is_value = self.fingerprint.as_ref().is_none_or(|fingerprint| *fingerprint == secret.fingerprint);
        self.kind == secret.kind && is_value && self.covers(path)
    }
}

fn matcher(files: &str) -> Option<globset::GlobMatcher> {
    let glob = globset::GlobBuilder::new(files).literal_separator(true).build();
    glob.ok().map(|glob| glob.compile_matcher())
}

/// A row of `accept`.
pub(super) fn secret(row: &Form<'_>) -> Option<AcceptedSecret> {
    let (kind, files, reason) = (row.wanted_text("kind"), row.wanted_text("where"), row.wanted_text("reason"));
    let fingerprint = row.text("fingerprint").map(|fingerprint| checked_fingerprint(row, fingerprint));
    let kind = kind.and_then(|kind| known(row, kind));
    let files = files.and_then(|files| checked_files(row, files));
    let reason = reason.and_then(|reason| said(row, reason));
    Some(AcceptedSecret {
        kind: kind?,
        files: files?,
        fingerprint: fingerprint.map_or(Some(None), |given| given.map(Some))?,
        reason: reason?,
    })
}

fn known(row: &Form<'_>, kind: Written<String>) -> Option<String> {
    if KINDS.iter().any(|known| known.id == kind.value) {
        return Some(kind.value);
    }
    let message = format!("there is no kind of secret called `{}`", kind.value);
    let fault = Diagnostic::error("unknown-secret-kind", message).at(kind.place).note("`plimsoll schema secrets` lists them all");
    row.fault(fault.suggest(&kind.value, KINDS.iter().map(|known| known.id)));
    None
}

fn checked_files(row: &Form<'_>, files: Written<String>) -> Option<String> {
    if !files.value.is_empty() && matcher(&files.value).is_some() {
        return Some(files.value);
    }
    let fault = Diagnostic::error("bad-pattern", format!("`{}` is no pattern of files", files.value)).at(files.place);
    row.fault(fault.help("write it as \"v4/otp_session/index.html\", \"v4/**\""));
    None
}

/// The fingerprint as a refusal tells it: eight hex digits.
fn checked_fingerprint(row: &Form<'_>, given: Written<String>) -> Option<String> {
    if given.value.len() == 8 && given.value.chars().all(|c| c.is_ascii_digit() || matches!(c, 'a'..='f')) {
        return Some(given.value);
    }
    let fault = Diagnostic::error("bad-fingerprint", "a fingerprint is eight small hex digits").at(given.place);
    row.fault(fault.help("copy it from the refusal"));
    None
}

fn said(row: &Form<'_>, reason: Written<String>) -> Option<String> {
    if !reason.value.trim().is_empty() {
        return Some(reason.value);
    }
    row.fault(
        Diagnostic::error("empty-reason", "`reason` is empty").at(reason.place).help("say why it is no secret, or may be seen"),
    );
    None
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::*;
    use crate::source::Source;

    fn read(rows: &str) -> Result<Vec<AcceptedSecret>, Vec<String>> {
        let text = format!("[secrets]\naccept = [{rows}]\n");
        let settings = Settings::read(&Source::new("plimsoll.toml", text));
        let told = |fault: &Diagnostic| format!("{} {}", fault.code, fault.help.clone().unwrap_or_default());
        settings.map(|settings| settings.secrets_accept).map_err(|faults| faults.list().iter().map(told).collect())
    }

    #[test]
    fn a_value_is_accepted_where_it_is_said() {
        let row = "{ kind = \"jwt\", where = \"v4/*\", fingerprint = \"0123abcd\", reason = \"an example\" }";
        let accepted = read(row).unwrap_or_default();
        let secret = |kind, fingerprint: &str| Secret { span: 0..1, kind, fingerprint: fingerprint.to_owned() };
        let accepts = |path: &str, secret: &Secret| accepted.iter().any(|one| one.accepts(path, secret));
        assert!(accepts("v4/a.html", &secret("jwt", "0123abcd")));
        assert!(!accepts("v4/a.html", &secret("jwt", "0123abce")));
        assert!(!accepts("v4/a.html", &secret("dsn", "0123abcd")));
        assert!(!accepts("v4/a/b.html", &secret("jwt", "0123abcd")));
        assert!(!accepts("v5/a.html", &secret("jwt", "0123abcd")));
    }

    #[test]
    fn all_faults_of_a_row_come_out_at_once() {
        let faults = read("{ kind = \"jwd\", where = \"\", fingerprint = \"XYZ\", reason = \" \" }, { kind = \"jwt\" }");
        let codes: Vec<String> = faults.err().unwrap_or_default();
        let wanted = [
            "unknown-secret-kind did you mean `jwt`?",
            "bad-pattern write it as \"v4/otp_session/index.html\", \"v4/**\"",
            "bad-fingerprint copy it from the refusal",
            "empty-reason say why it is no secret, or may be seen",
            "missing-key ",
            "missing-key ",
        ];
        assert_eq!(codes, wanted);
    }
}
