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
