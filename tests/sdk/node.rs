//! Node modules, installed once for all tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::venv::{assert_success, prepare};

const PACKAGE: &str = include_str!("typescript/package.json");
const LOCK: &str = include_str!("typescript/package-lock.json");

/// Returns a folder with these scripts and the modules that they import.
pub(crate) fn with_modules(scripts: &[(&str, &str)]) -> PathBuf {
    let folder = install("sdk-typescript", PACKAGE, LOCK);
    for (name, script) in scripts {
        std::fs::write(folder.join(name), script).unwrap();
    }
    folder
}

/// Returns a folder of this name with the modules of a package.
pub(crate) fn install(name: &str, package: &str, lock: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    prepare(&folder, lock, || {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("package.json"), package).unwrap();
        std::fs::write(folder.join("package-lock.json"), lock).unwrap();
        let npm = Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder).output();
        assert_success("npm ci", npm);
    });
    folder
}
