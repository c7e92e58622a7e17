//! Finds the program `fake-agent`, building it where nobody has yet.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::SystemTime,
};

/// The path of `fake-agent`, up to date with its source. See the program for what it can do.
pub fn fake_agent() -> PathBuf {
    static FOUND: OnceLock<PathBuf> = OnceLock::new();
    FOUND.get_or_init(find_or_build).clone()
}

fn find_or_build() -> PathBuf {
    let program = beside_the_test();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let made_at = modified(&program);
    if made_at.is_some() && made_at >= newest_in(&sources) {
        return program;
    }
    // Cargo builds the programs of a package only for tests of that package.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = program.ancestors().nth(2).expect("a target folder");
    let mut building = Command::new(cargo);
    building
        .args(["build", "--quiet", "--package", "agentv-testkit"])
        .args(["--bin", "fake-agent", "--target-dir"])
        .arg(target)
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    if program.parent().is_some_and(|folder| folder.ends_with("release")) {
        building.arg("--release");
    }
    let status = building.status().expect("cargo can be started");
    assert!(status.success(), "fake-agent could not be built: {status}");
    assert!(program.exists(), "{} was not built", program.display());
    program
}

/// Tests are in `target/<profile>/deps`, programs in `target/<profile>`.
fn beside_the_test() -> PathBuf {
    let test = env::current_exe().expect("a test knows its own path");
    let folder = test.parent().expect("a program is in a folder");
    let folder = if folder.ends_with("deps") {
        folder.parent().expect("deps is in a folder")
    } else {
        folder
    };
    folder.join("fake-agent")
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).ok()?.modified().ok()
}

fn newest_in(folder: &Path) -> Option<SystemTime> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    entries
        .filter_map(|entry| {
            let path = entry.path();
            if path.is_dir() { newest_in(&path) } else { modified(&path) }
        })
        .max()
}
