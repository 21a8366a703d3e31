//! Any reference: what is opened beneath a root lies beneath it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pagewise::source::{Reference, Roots};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::LazyLock;

/// A root with a file and links, beside a folder that must stay out of reach.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let (root, evil) = (folder.path().join("root"), folder.path().join("root-evil"));
    std::fs::create_dir_all(root.join("a/b")).expect("folders");
    std::fs::create_dir(&evil).expect("a folder");
    std::fs::write(root.join("a/in"), "in").expect("a file");
    std::fs::write(evil.join("out"), "out").expect("a file");
    symlink("../root-evil", root.join("e")).expect("a link");
    symlink("../root-evil/out", root.join("a/o")).expect("a link");
    symlink("/proc/self/root", root.join("p")).expect("a link");
    folder
});

static ROOTS: LazyLock<Roots> = LazyLock::new(|| Roots::beneath([FOLDER.path().join("root")]).expect("a root"));

fn open(text: &str, cwd: &Path) {
    let Ok(reference) = Reference::parse(text, cwd, Some(FOLDER.path())) else { return };
    if let Ok(file) = ROOTS.open(&reference) {
        assert_eq!(file.read_all(10, "a limit").expect("a small file"), b"in", "{text}");
    }
}

fuzz_target!(|text: &str| {
    let root = FOLDER.path().join("root");
    open(text, &root);
    open(&format!("{}/{text}", root.display()), Path::new("/"));
    open(&format!("file://{}/{text}", root.display()), Path::new("/"));
    open(&format!("~/root/{text}"), Path::new("/"));
});
