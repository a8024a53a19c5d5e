//! The modules of npm, installed once and shared by all tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::venv::{done, prepare};

const PACKAGE: &str = include_str!("typescript/package.json");
const LOCK: &str = include_str!("typescript/package-lock.json");

/// A folder where scripts find the modules that they import, with these scripts in it.
pub(crate) fn beside_modules(scripts: &[(&str, &str)]) -> PathBuf {
    let folder = install("sdk-typescript", PACKAGE, LOCK);
    for (name, script) in scripts {
        std::fs::write(folder.join(name), script).unwrap();
    }
    folder
}

/// A folder of this name with the modules of a package.
pub(crate) fn install(name: &str, package: &str, lock: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    prepare(&folder, lock, || {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("package.json"), package).unwrap();
        std::fs::write(folder.join("package-lock.json"), lock).unwrap();
        let npm = Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder).output();
        done("npm ci", npm);
    });
    folder
}
