//! Gives the shared library the name that programs ask the loader for.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| std::env::var(name).unwrap_or_default();
    // Before 1.0 a minor version may change the interface.
    let version = match of("CARGO_PKG_VERSION_MAJOR").as_str() {
        "0" => format!("0.{}", of("CARGO_PKG_VERSION_MINOR")),
        major => major.to_string(),
    };
    match of("CARGO_CFG_TARGET_OS").as_str() {
        "linux" => println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libcarom.so.{version}"),
        "macos" => println!(
            "cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libcarom.{version}.dylib"
        ),
        _ => {}
    }
}
