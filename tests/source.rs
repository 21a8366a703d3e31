//! Files are opened once, beneath the roots, and only if they are files.

#![allow(clippy::unwrap_used, reason = "a failed test may stop where it stands")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use pagewise::source::{HashCache, OpenFile, Reference, Roots, SourceError};
use pagewise_base::hash::ContentHash;
use pagewise_store::HashStore;

/// A root beside a folder whose name starts the same.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("root/sub")).unwrap();
        fs::create_dir(folder.path().join("root-evil")).unwrap();
        fs::write(folder.path().join("root/sub/in.txt"), "inside").unwrap();
        fs::write(folder.path().join("root-evil/out.txt"), "outside").unwrap();
        Self { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn roots(&self) -> Roots {
        Roots::beneath([self.path("root")]).unwrap()
    }

    /// Opens a path, relative to the world's folder, beneath the root.
    fn open(&self, path: &str) -> Result<OpenFile, SourceError> {
        self.roots().open(&self.reference(path))
    }

    fn reference(&self, path: &str) -> Reference {
        Reference::parse(path, self.folder.path(), None).unwrap()
    }

    fn is_not_allowed(&self, path: &str) {
        let refused = self.open(path).unwrap_err();
        assert!(
            matches!(&refused, SourceError::NotAllowed { roots, .. } if *roots == [self.path("root")]),
            "{refused:?}"
        );
    }
}

fn text(file: &OpenFile) -> String {
    String::from_utf8(file.read_all(1_000, "max_file_bytes").unwrap()).unwrap()
}

fn everything(path: &Path) -> Result<OpenFile, SourceError> {
    Roots::everything().open(&Reference::parse(path.to_str().unwrap(), Path::new("/"), None).unwrap())
}

#[test]
fn what_lies_within_is_opened_by_any_spelling() {
    let world = World::new();
    symlink("sub/in.txt", world.path("root/relative")).unwrap();
    symlink(world.path("root/sub/in.txt"), world.path("root/absolute")).unwrap();
    symlink(world.path("root"), world.path("other-name")).unwrap();
    for path in [
        "root/sub/in.txt",
        "root/./sub//in.txt",
        "root/sub/../sub/in.txt",
        "root-evil/../root/sub/in.txt",
        "root/relative",
        "root/absolute",
        "other-name/sub/in.txt",
    ] {
        assert_eq!(text(&world.open(path).unwrap()), "inside", "{path}");
    }
}

#[test]
fn what_lies_or_leads_outside_is_refused() {
    let world = World::new();
    symlink("../root-evil/out.txt", world.path("root/link")).unwrap();
    symlink(world.path("root-evil/out.txt"), world.path("root/absolute-link")).unwrap();
    symlink("../root-evil", world.path("root/folder-link")).unwrap();
    symlink("/", world.path("root/slash")).unwrap();
    for path in [
        "root-evil/out.txt",
        "root/../root-evil/out.txt",
        "root/sub/../../root-evil/out.txt",
        "root/link",
        "root/absolute-link",
        "root/folder-link/out.txt",
        "root/slash/etc/passwd",
        "/etc/passwd",
        "/",
    ] {
        world.is_not_allowed(path);
    }
}

#[test]
fn another_case_or_unicode_form_is_another_name() {
    let world = World::new();
    // An é as one character and as two: two names on systems that compare bytes, one on others.
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    std::fs::create_dir(world.path(composed)).unwrap();
    std::fs::write(world.path(composed).join("in.txt"), "inside").unwrap();
    let roots = Roots::beneath([world.path(composed)]).unwrap();
    let open = |path: &str| roots.open(&world.reference(path));
    assert_eq!(text(&open("caf\u{e9}/in.txt").unwrap()), "inside");
    std::fs::create_dir_all(world.path(decomposed)).unwrap();
    if world.path(decomposed).join("in.txt").exists() {
        return;
    }
    std::fs::write(world.path(decomposed).join("in.txt"), "outside").unwrap();
    std::fs::create_dir(world.path("CAF\u{c9}")).unwrap();
    std::fs::write(world.path("CAF\u{c9}").join("in.txt"), "outside").unwrap();
    for path in
        ["cafe\u{301}/in.txt", "CAF\u{c9}/in.txt", "caf\u{e9}/../cafe\u{301}/in.txt", "cafe\u{301}/../CAF\u{c9}/in.txt"]
    {
        let refused = open(path).unwrap_err();
        assert!(matches!(refused, SourceError::NotAllowed { .. }), "{path}: {refused:?}");
    }
}

#[test]
fn spellings_that_programs_read_otherwise_are_names_and_no_way_out() {
    let world = World::new();
    for path in [
        "root/..\\root-evil\\out.txt",
        "root/%2e%2e/root-evil/out.txt",
        "root/\u{ff0e}\u{ff0e}/root-evil/out.txt",
        "root/\u{2024}\u{2024}/root-evil/out.txt",
        "root/ ../root-evil/out.txt",
    ] {
        let refused = world.open(path).unwrap_err();
        assert!(matches!(refused, SourceError::NotFound { .. }), "{path}: {refused:?}");
    }
    world.is_not_allowed("root/../root-evil/./out.txt");
    world.is_not_allowed(&format!("file://{}/%2e%2e/root-evil/out.txt", world.path("root").display()));
}

#[test]
fn outside_nothing_is_told_about_what_exists() {
    let world = World::new();
    symlink("../root-evil/none", world.path("root/dangling")).unwrap();
    for path in ["root-evil/none", "root/../none", "root/dangling", "/none"] {
        world.is_not_allowed(path);
    }
    let missing = world.open("root/none").unwrap_err();
    assert!(matches!(missing, SourceError::NotFound { .. }), "{missing:?}");
}

#[test]
fn without_roots_nothing_is_opened() {
    let world = World::new();
    let none = Roots::beneath(Vec::<PathBuf>::new()).unwrap();
    let refused = none.open(&world.reference("root/sub/in.txt")).unwrap_err();
    assert!(matches!(refused, SourceError::NotAllowed { .. }), "{refused:?}");
}

#[test]
fn a_root_may_be_a_link_and_stays_the_folder_that_it_was() {
    let world = World::new();
    symlink("root", world.path("named")).unwrap();
    let roots = Roots::beneath([world.path("named")]).unwrap();
    assert_eq!(text(&roots.open(&world.reference("named/sub/in.txt")).unwrap()), "inside");
    assert_eq!(text(&roots.open(&world.reference("root/sub/in.txt")).unwrap()), "inside");
    fs::remove_file(world.path("named")).unwrap();
    symlink("root-evil", world.path("named")).unwrap();
    assert!(roots.open(&world.reference("named/out.txt")).is_err());
}

#[test]
fn a_link_exchanged_all_the_time_never_leads_out() {
    let world = World::new();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::Relaxed;
    fs::write(world.path("root-evil/in.txt"), "outside").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0.. {
                if stop.load(order) {
                    break;
                }
                let target = if round % 2 == 0 { "sub" } else { "../root-evil" };
                let _ = symlink(target, world.path("root/next"));
                let _ = fs::rename(world.path("root/next"), world.path("root/turning"));
            }
        });
        let roots = world.roots();
        let (mut inside, mut refused) = (0, 0);
        // Long enough to have met both targets, however the threads take turns.
        while inside < 1_000 || refused < 1_000 {
            match roots.open(&world.reference("root/turning/in.txt")) {
                Ok(file) => {
                    assert_eq!(text(&file), "inside");
                    inside += 1;
                }
                Err(SourceError::NotAllowed { .. }) => refused += 1,
                Err(SourceError::NotFound { .. }) => {}
                Err(other) => unreachable!("{other:?}"),
            }
        }
        stop.store(true, order);
    });
}

#[test]
fn only_regular_files_are_opened() {
    let world = World::new();
    let fifo = world.path("root/fifo");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, mode).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.path("root/socket")).unwrap();
    for path in ["root/fifo", "root/socket"] {
        let refused = world.open(path).unwrap_err();
        assert!(matches!(refused, SourceError::NotAFile { .. }), "{path}: {refused:?}");
    }
    for path in ["root", "root/sub", "root/sub/"] {
        let refused = world.open(path).unwrap_err();
        assert!(matches!(refused, SourceError::IsDirectory { .. }), "{path}: {refused:?}");
    }
    let below_a_file = world.open("root/sub/in.txt/x").unwrap_err();
    assert!(matches!(below_a_file, SourceError::NotFound { .. }), "{below_a_file:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn devices_and_what_the_kernel_makes_up_are_no_files() {
    for path in [
        "/dev/null",
        "/dev/zero",
        "/proc/self/environ",
        "/proc/self/mem",
        "/sys/kernel/mm/transparent_hugepage/enabled",
    ] {
        let refused = everything(Path::new(path));
        let is_refused = matches!(refused, Err(SourceError::NotAFile { .. } | SourceError::NotFound { .. }));
        assert!(is_refused, "{path}: {refused:?}");
    }
    let proc = Roots::beneath(["/proc"]).unwrap();
    let magic = proc.open(&Reference::parse("/proc/self/root/etc/passwd", Path::new("/"), None).unwrap());
    assert!(matches!(magic, Err(SourceError::NotAllowed { .. })), "{magic:?}");
}

#[test]
fn a_file_may_be_as_large_as_the_setting_and_no_larger() {
    let world = World::new();
    let file = world.open("root/sub/in.txt").unwrap();
    assert_eq!(file.len(), 6);
    assert!(file.read_all(6, "max_file_bytes").is_ok());
    let refused = file.read_all(5, "max_file_bytes").unwrap_err();
    let SourceError::TooLarge { size, limit, setting, .. } = refused else { unreachable!("{refused:?}") };
    assert_eq!((size, limit, setting), (6, 5, "max_file_bytes"));
}

#[test]
fn reading_by_position_stops_at_the_end() {
    let world = World::new();
    let file = world.open("root/sub/in.txt").unwrap();
    let mut buffer = [0; 4];
    assert_eq!((file.read_at(0, &mut buffer).unwrap(), &buffer), (4, b"insi"));
    assert_eq!((file.read_at(4, &mut buffer).unwrap(), &buffer), (2, b"desi"));
    assert_eq!(file.read_at(u64::from(u32::MAX), &mut buffer).unwrap(), 0);
    assert_eq!((file.head(2).unwrap(), file.head(100).unwrap()), (b"in".to_vec(), b"inside".to_vec()));
}

#[test]
fn a_file_cut_short_after_opening_is_an_error_and_no_signal() {
    let world = World::new();
    let file = world.open("root/sub/in.txt").unwrap();
    fs::write(world.path("root/sub/in.txt"), "in").unwrap();
    let changed = file.read_all(100, "max_file_bytes").unwrap_err();
    assert!(matches!(changed, SourceError::Changed { .. }), "{changed:?}");
    let changed = HashCache::new(None).content_hash(&file, SystemTime::now()).unwrap_err();
    assert!(matches!(changed, SourceError::Changed { .. }), "{changed:?}");
}

#[test]
fn a_file_replaced_after_opening_is_still_the_one_opened() {
    let world = World::new();
    let file = world.open("root/sub/in.txt").unwrap();
    fs::write(world.path("root/next"), "replaced").unwrap();
    fs::rename(world.path("root/next"), world.path("root/sub/in.txt")).unwrap();
    assert_eq!(text(&file), "inside");
    let hash = HashCache::new(None).content_hash(&file, SystemTime::now()).unwrap();
    assert_eq!(hash, ContentHash::of(b"inside"));
}

/// Counts what is asked of it.
#[derive(Default)]
struct Ledger {
    kept: Mutex<BTreeMap<[u8; 32], ContentHash>>,
}

impl HashStore for Ledger {
    fn load_hash(&self, key: &[u8; 32]) -> Option<ContentHash> {
        self.kept.lock().unwrap().get(key).copied()
    }

    fn save_hash(&self, key: &[u8; 32], content: ContentHash, _: SystemTime) {
        self.kept.lock().unwrap().insert(*key, content);
    }
}

#[test]
fn a_hash_is_kept_once_the_file_has_settled() {
    let world = World::new();
    let ledger = Arc::new(Ledger::default());
    let cache = HashCache::new(Some(ledger.clone()));
    let file = world.open("root/sub/in.txt").unwrap();
    let kept = || ledger.kept.lock().unwrap().len();
    let later = |seconds| SystemTime::now() + Duration::from_secs(seconds);
    assert_eq!(cache.content_hash(&file, later(0)).unwrap(), ContentHash::of(b"inside"));
    assert_eq!(kept(), 0, "changed less than two seconds ago");
    assert_eq!(cache.content_hash(&file, later(3)).unwrap(), ContentHash::of(b"inside"));
    assert_eq!(kept(), 1);

    // What the store says is believed: the file is not read again.
    ledger.kept.lock().unwrap().insert(file.stat().key(), ContentHash([1; 32]));
    let other_process = HashCache::new(Some(ledger.clone()));
    assert_eq!(other_process.content_hash(&file, later(3)).unwrap(), ContentHash([1; 32]));
}

#[test]
fn a_large_file_hashes_as_a_whole() {
    let world = World::new();
    for bytes in [(1 << 20) - 1, 1 << 20, (1 << 20) + 1, (3 << 20) + 17] {
        let content: Vec<u8> = (0_u8..251).cycle().take(bytes).collect();
        fs::write(world.path("root/large"), &content).unwrap();
        let file = world.open("root/large").unwrap();
        let hash = HashCache::new(None).content_hash(&file, SystemTime::now()).unwrap();
        assert_eq!(hash, ContentHash::of(&content), "{bytes}");
    }
}
