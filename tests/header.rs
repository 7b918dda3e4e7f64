//! include/tollgate.h is what src/ffi says. `TOLLGATE_BLESS=1 cargo test --test header` writes it anew.

use std::fs;
use std::path::{Path, PathBuf};

/// In the order of the header: what a reader needs first comes first.
const SOURCES: [&str; 12] = [
    "status.rs",
    "config.rs",
    "size.rs",
    "engine.rs",
    "quota.rs",
    "stats.rs",
    "principals.rs",
    "snapshot.rs",
    "windowed.rs",
    "token_bucket.rs",
    "gcra.rs",
    "dispatch.rs",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn generated() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(root().join("src/ffi").join(source));
    }
    let mut header = Vec::new();
    builder.generate().expect("src/ffi can be put into C").write(&mut header);
    String::from_utf8(header).expect("a header is UTF-8").replace("@VERSION@", env!("CARGO_PKG_VERSION"))
}

#[test]
fn committed_header_is_the_generated_one() {
    let path = root().join("include/tollgate.h");
    let generated = generated();
    if std::env::var_os("TOLLGATE_BLESS").is_some() {
        fs::create_dir_all(path.parent().expect("include/")).expect("include/ can be made");
        fs::write(&path, &generated).expect("include/tollgate.h can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "include/tollgate.h is not what src/ffi says; TOLLGATE_BLESS=1 cargo test --test header writes it anew"
    );
}

/// A file that the list above forgets would leave its functions out of the header in silence.
#[test]
fn every_exported_function_is_in_the_header() {
    let header = generated();
    let mut exported = 0;
    for file in fs::read_dir(root().join("src/ffi")).expect("src/ffi") {
        let path = file.expect("a file").path();
        // For tests only, under a feature.
        if path.ends_with("inject.rs") {
            continue;
        }
        let source = fs::read_to_string(path).expect("Rust source");
        for name in source.split("extern \"C\" fn ").skip(1).filter_map(|rest| rest.split('(').next()) {
            assert!(
                header.contains(&format!(" {name}(")) || header.contains(&format!("*{name}(")),
                "{name} is missing"
            );
            exported += 1;
        }
    }
    assert!(exported >= 20, "found only {exported} exported functions: the search is broken");
}

#[test]
fn no_source_is_listed_that_is_gone() {
    for source in SOURCES {
        assert!(Path::new(&root().join("src/ffi").join(source)).exists(), "{source}");
    }
}
