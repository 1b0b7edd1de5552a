//! Text for a terminal of 80 columns, which everybody has.

use textwrap::{Options, WordSplitter};

/// How wide a line of text may be.
const COLUMNS: usize = 80;

/// A text in lines of at most 80 columns; what comes after the first line begins in column `hanging`. Words stay whole,
/// blanks at the beginning stay, and a longer word has a line to itself.
#[must_use]
pub fn wrapped(text: &str, hanging: usize) -> String {
    let indent = " ".repeat(hanging);
    let options = Options::new(COLUMNS).subsequent_indent(&indent).break_words(false);
    textwrap::fill(text.trim_end(), options.word_splitter(WordSplitter::NoHyphenation))
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn what_is_too_long_goes_on_below() {
        let text = format!("  when  {} {} end", "a".repeat(40), "b".repeat(90));
        assert_eq!(wrapped(&text, 8), format!("  when  {}\n        {}\n        end", "a".repeat(40), "b".repeat(90)));
    }
}
