//! Python environments, created once for all tests.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder for files that outlive a test run, `target/tmp`: a test binary is `target/debug/deps/…`.
fn cache_folder() -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("tmp")
}

/// Returns the program folder of an environment with these packages.
#[must_use]
pub fn programs(name: &str, requirements: &str) -> PathBuf {
    let folder = cache_folder().join(name);
    prepare(&folder, requirements, || {
        let made = Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder).output();
        assert_success("python3 -m venv", made);
        let list = folder.join("requirements.txt");
        std::fs::write(&list, requirements).unwrap();
        let pip = folder.join("bin/pip");
        let install = ["install", "--quiet", "--disable-pip-version-check", "--requirement"];
        assert_success("pip install", Command::new(pip).args(install).arg(list).output());
    });
    folder.join("bin")
}

/// Fills a folder unless it is complete; one test at a time across processes.
pub fn prepare(folder: &Path, wanted: &str, make: impl FnOnce()) {
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    let mark = folder.with_extension("made");
    if std::fs::read_to_string(&mark).is_ok_and(|made| made == wanted) {
        return;
    }
    make();
    std::fs::write(mark, wanted).unwrap();
}

/// Fails with the output of a program.
#[track_caller]
pub fn assert_success(what: &str, output: std::io::Result<std::process::Output>) {
    let output = match output {
        Ok(output) => output,
        Err(error) => panic!("{what}: {error}; `scripts/setup test` installs what the tests of the clients need"),
    };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{what} failed; `scripts/setup test` installs what it needs:\n{said}");
}
