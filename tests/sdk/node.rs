//! The modules of npm, installed once and shared by all tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::venv::{done, prepare};

const PACKAGE: &str = include_str!("typescript/package.json");
const LOCK: &str = include_str!("typescript/package-lock.json");

/// A script where its imports find the modules.
pub(crate) fn beside_modules(name: &str, script: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdk-typescript");
    prepare(&folder, LOCK, || {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("package.json"), PACKAGE).unwrap();
        std::fs::write(folder.join("package-lock.json"), LOCK).unwrap();
        let npm = Command::new("npm").args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder).output();
        done("npm ci", npm);
    });
    let path = folder.join(name);
    std::fs::write(&path, script).unwrap();
    path
}
