//! The header is what cbindgen makes of the sources.

use std::fs;
use std::path::Path;

#[test]
fn the_header_is_made_from_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut made = Vec::new();
    cbindgen::generate(root).unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let header = root.join("include/carom.h");
    if std::env::var("CAROM_WRITE_HEADER").is_ok_and(|value| value == "1") {
        fs::write(&header, &made).unwrap();
    }
    let known = fs::read_to_string(&header).unwrap_or_default();
    assert!(
        known == made,
        "capi/include/carom.h is not what cbindgen makes; \
         `CAROM_WRITE_HEADER=1 cargo test --package carom-c --test c header` writes it"
    );
}

/// What the header says of the certified bound is what the bound takes.
#[test]
fn the_limits_of_the_header_are_those_of_the_library() {
    use carom_analysis::bounds::certified::MOST_CONTACTS;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = fs::read_to_string(root.join("include/carom.h")).unwrap();
    let (before, _) = header.split_once("#define CAROM_CERTIFIED").unwrap();
    let said = &before[before.rfind("/**").unwrap()..];
    for words in ["in space", "Stronge's", &format!("up to {MOST_CONTACTS} contacts")] {
        assert!(said.replace("\n *", "").contains(words), "{words}: {said}");
    }
}
