//! What the target of a request names: decoded once and strictly, and never anything but a path of a tree.

use crate::tree::TreePath;

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The path without its slashes at both ends; empty is the root.
    pub(super) path: String,
    /// Whether a slash ends it.
    pub(super) is_folder: bool,
}

/// A target that names nothing in any tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadTarget {
    /// It does not begin with a slash.
    #[error("the target of the request is no path")]
    NoPath,
    /// A `%` without two hexadecimal digits behind it, or bytes that are no UTF-8.
    #[error("the path is not percent-encoded UTF-8")]
    Encoding,
    /// A name that is empty, `.` or `..`, or has a slash, a backslash or a control character in it.
    #[error("the path has a name in it that no file can have")]
    Name,
}

/// Reads the path of a target, without its query.
///
/// # Errors
/// What is wrong with it. A browser never asks so: it resolves `.` and `..` itself.
pub(super) fn read(target: &str) -> Result<Asked, BadTarget> {
    let path = target.strip_prefix('/').ok_or(BadTarget::NoPath)?;
    if path.is_empty() {
        return Ok(Asked { path: String::new(), is_folder: true });
    }
    let (path, is_folder) = path.strip_suffix('/').map_or((path, false), |folder| (folder, true));
    let names = path.split('/').map(name).collect::<Result<Vec<String>, BadTarget>>()?;
    let path = TreePath::new(names.join("/")).map_err(|_| BadTarget::Name)?;
    Ok(Asked { path: path.as_str().to_owned(), is_folder })
}

fn name(encoded: &str) -> Result<String, BadTarget> {
    let name = decoded(encoded)?;
    if name.contains(|c: char| c == '/' || c.is_control()) { Err(BadTarget::Name) } else { Ok(name) }
}

fn decoded(encoded: &str) -> Result<String, BadTarget> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        let plain = match byte {
            b'%' => (digit(rest.next())? << 4) | digit(rest.next())?,
            byte => byte,
        };
        bytes.push(plain);
    }
    String::from_utf8(bytes).map_err(|_| BadTarget::Encoding)
}

fn digit(byte: Option<u8>) -> Result<u8, BadTarget> {
    let digit = byte.and_then(|byte| char::from(byte).to_digit(16)).ok_or(BadTarget::Encoding)?;
    u8::try_from(digit).map_err(|_| BadTarget::Encoding)
}

/// The path as a target: from the root, so that it is never taken for another server's, and with nothing in it that a
/// header or an attribute could take for something else.
pub(super) fn target(path: &str) -> String {
    use std::fmt::Write;

    let mut target = String::with_capacity(path.len() + 1);
    target.push('/');
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~') {
            target.push(char::from(byte));
        } else {
            // A text takes all that is written into it.
            let _written = write!(target, "%{byte:02X}");
        }
    }
    target
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(path: &str) -> Result<Asked, BadTarget> {
        Ok(Asked { path: path.to_owned(), is_folder: false })
    }

    #[test]
    fn a_path_names_a_file_or_a_folder() {
        assert_eq!(read("/"), Ok(Asked { path: String::new(), is_folder: true }));
        assert_eq!(read("/v4/"), Ok(Asked { path: "v4".to_owned(), is_folder: true }));
        assert_eq!(read("/v4/otp_session~2/index.html"), file("v4/otp_session~2/index.html"));
        assert_eq!(read("/v%34/%C3%A9"), file("v4/é"));
    }

    #[test]
    fn it_is_decoded_once() {
        assert_eq!(read("/%252e%252e/%2525"), file("%2e%2e/%25"));
    }

    #[test]
    fn a_bad_encoding_is_refused() {
        for bad in ["/%", "/%2", "/%zz", "/%+1", "/a%u002e", "/%ff", "/%c0%ae%c0%ae/", "/%e2%82", "/%-1"] {
            assert_eq!(read(bad), Err(BadTarget::Encoding), "{bad}");
        }
    }

    #[test]
    fn no_name_leads_elsewhere() {
        let bad = [
            "//",
            "//evil",
            "/a//b",
            "/..",
            "/../etc/passwd",
            "/a/..",
            "/./a",
            "/%2e%2e/a",
            "/%2E%2e%2f",
            "/a%2fb",
            "/..%2fa",
            "/a\\b",
            "/a%5c..%5cb",
            "/a%00",
            "/%0d%0aSet-Cookie:a",
            "/a/%7f",
            "/%c2%85",
        ];
        for bad in bad {
            assert_eq!(read(bad), Err(BadTarget::Name), "{bad}");
        }
        for bad in ["", "*", "a", "\\\\a", "http:"] {
            assert_eq!(read(bad), Err(BadTarget::NoPath), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_asked_names_a_path_of_a_tree_or_nothing(target in "/?(\\PC|%[0-9a-f]{2}|[./\\\\%]){0,20}") {
            if let Ok(asked) = read(&target) {
                prop_assert!(asked.path.is_empty() || TreePath::new(asked.path.as_str()).is_ok());
            }
        }

        #[test]
        fn a_path_comes_back_from_its_target(path in "[^/\\\\\\p{Cc}]{1,9}(/[^/\\\\\\p{Cc}]{1,9}){0,3}") {
            prop_assume!(TreePath::new(path.as_str()).is_ok());
            let target = target(&path);
            prop_assert!(!target.starts_with("//"));
            prop_assert_eq!(read(&target), file(&path));
        }
    }
}
