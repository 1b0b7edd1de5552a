use proptest::prelude::*;

use super::*;

#[test]
fn a_text_is_brought_into_one_form() {
    for (text, wanted) in [
        ("SELECT  a,\n\tb FROM t WHERE id = $1;", "select a, b from t where id = ?"),
        ("select 1, -2.5e-10, .5, 0x1F, 1_000, 7", "select ?, -?, ?, ?, ?, ?"),
        ("select 'it''s', E'a\\'b', b'01', U&'\\00e9', N'x' ;; ", "select ?, ?, ?, ?, ?"),
        ("do $body$ begin 'a' end $body$ language plpgsql", "do ? language plpgsql"),
        ("do $$ a $x$ b $$", "do ?"),
        ("select /* a /* nested */ one */ 1 -- to the end\n from t", "select ? from t"),
        ("select a/**/b", "select a b"),
        ("select \"Name\", \"a\"\"B\" from \"T\"", "select \"Name\", \"a\"\"B\" from \"T\""),
        ("select sessions8.id from projections.sessions8", "select sessions8.id from projections.sessions8"),
        ("select $2::REGCLASS::OID, hashtext($1)", "select ?::regclass::oid, hashtext(?)"),
        ("select 'eventstore.events2'::REGCLASS", "select ?::regclass"),
        ("-- only words", ""),
        ("", ""),
    ] {
        assert_eq!(normalised(text), wanted, "{text}");
    }
}

#[test]
fn lists_of_any_length_are_one_statement() {
    let wanted = "select a from t where b in (?) and c = any(array[?])";
    for text in [
        "select a from t where b in ($1, $2, $3) and c = any(array[1,2])",
        "SELECT a FROM t WHERE b IN ( 'x' ) AND c = ANY(ARRAY['u', 'v', 'w'])".replace("( 'x' )", "('x')").as_str(),
        "select a from t where b in ($1 /*, ... */) and c = any(array[$2 /*, ... */])",
    ] {
        assert_eq!(normalised(text).replace("? )", "?)").replace("? ]", "?]"), wanted, "{text}");
    }
    assert_eq!(normalised("select f(1, 2)"), "select f(?, ?)");
}

#[test]
fn a_cut_string_is_hidden_to_its_end() {
    for (text, wanted) in [
        ("select a from t where b = 'secr", "select a from t where b = ?"),
        ("select a from t where b = E'secr\\", "select a from t where b = ?"),
        ("do $tag$ secr", "do ?"),
        ("do $ta", "do ?"),
        ("select 1 /* secr", "select ?"),
        ("select \"colu", "select \"colu"),
    ] {
        assert_eq!(normalised(text), wanted, "{text}");
    }
}

#[test]
fn behind_a_gap_no_quote_is_trusted() {
    for (text, wanted) in [
        ("SELECT a, aggre ... FROM eventstore.events2 ... FROM now", "select a, aggre ... from eventstore.events2 ... from now"),
        ("select a from t where b = 'x ... secret' and c = 1", "select a from t where b = ?"),
        ("select a ... secret' and b = 'c'", "select a ... ?"),
        ("select a ... \"key\": \"secret\"", "select a ... ?"),
        ("do ... $$ secret", "do ... ?"),
        ("select 'a…b' , 'c'", "select ?"),
        ("where path = 'C:\\' and b = 'secret'", "where path = ?"),
        ("select \"a ... secret', \"b\" , 'c'", "select \"a ... ?"),
        ("create table a ( ... ", "create table a ( ..."),
    ] {
        assert_eq!(normalised(text), wanted, "{text}");
    }
}

#[test]
fn a_fingerprint_has_sixteen_digits_and_depends_on_the_text_alone() {
    let of = |text| fingerprint(&normalised(text));
    assert_eq!(of("select 1"), of("SELECT  $1 ;"));
    assert_ne!(of("select a"), of("select b"));
    assert_eq!(of("select 1").len(), 16);
}

/// Pieces that texts of statements are made of, whole and broken.
fn piece() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(vec![
        "select", "FROM", "events2", "in (", ")", ",", ";", "'", "''", "\"", "$1", "$$", "$tag$", "--", "\n", "/*", "*/", " ",
        " ... ", "…", "...", "e'", "E'\\", "\\", "1", "-2.5e-3", ".5", "0x1f", "array[", "]", "?", "::", "é", "İ", "\u{a0}", "$",
        "1e", "e", "u&'", "b'", "u&\"", "-", "/", "*", ".",
    ]);
    prop_oneof![4 => word.prop_map(str::to_owned), 1 => any::<String>()]
}

/// Literals and comments with a secret inside; the secret is a word that nothing else holds.
fn planted() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "'qzsecretzq'",
        "'a''qzsecretzq'",
        "e'\\'qzsecretzq'",
        "E'\\\\\\'qzsecretzq'",
        "N'qzsecretzq'",
        "u&'qzsecretzq'",
        "$$qzsecretzq$$",
        "$t1$ ' $$ qzsecretzq $t1$",
        "918273645",
        "918273645.5e-3",
        "-918273645",
        "0x918273645",
        "/* qzsecretzq */",
        "/* /* ' */ qzsecretzq */",
        "-- qzsecretzq ' \n",
        "/* 918273645 $$ */",
        "'{\"password\": \"qzsecretzq\"}'",
        "'a -- qzsecretzq'",
        "'a /* qzsecretzq'",
        "'qzsecretzq ... x'",
    ])
    .prop_map(str::to_owned)
}

fn plain() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "select",
        "a.b",
        "\"Col 1\"",
        "events2",
        "(",
        ")",
        ",",
        "=",
        "||",
        "::text",
        "in (",
        "?",
        "from t",
        "... from t",
        "\n",
        "\t",
        ";",
    ])
    .prop_map(str::to_owned)
}

proptest! {
    #[test]
    fn normalising_twice_is_normalising_once(pieces in proptest::collection::vec(piece(), 0..14)) {
        let once = normalised(&pieces.concat());
        prop_assert_eq!(normalised(&once), once);
    }

    #[test]
    fn no_planted_literal_survives_not_even_in_a_cut_text(
        pieces in proptest::collection::vec(prop_oneof![plain(), planted()], 1..12),
        cut in 0.0..1.0f64,
    ) {
        let whole = pieces.join(" ");
        prop_assert!(!leaks(&normalised(&whole)), "{}", whole);
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a short text")]
        let at = (whole.len() as f64 * cut) as usize;
        prop_assert!(!leaks(&normalised(&whole[..at])), "{}", &whole[..at]);
    }

    #[test]
    fn a_gap_anywhere_in_a_text_leaks_nothing_that_has_a_quote_on_one_side(
        pieces in proptest::collection::vec(prop_oneof![plain(), planted()], 1..12),
        cut in 0.0..1.0f64,
    ) {
        let whole = format!("{} 'a'", pieces.join(" "));
        let quotes: Vec<usize> = whole.match_indices('\'').map(|(at, _)| at).collect();
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a short list")]
        let at = quotes[(quotes.len() as f64 * cut) as usize];
        // All before the quote is gone but the first word: the rest begins inside a string, or looks as if it did.
        let cut = format!("select a ... {} ... b", &whole[at..]);
        prop_assert!(!leaks(&normalised(&cut)), "{}", cut);
    }
}

fn leaks(text: &str) -> bool {
    text.contains("qzsecret") || text.contains("918273")
}
