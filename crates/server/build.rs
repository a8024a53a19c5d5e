//! Build script: commit and date of the version.
//!
//! They come from `INBOXD_BUILD_COMMIT` and `SOURCE_DATE_EPOCH`, which a build from an archive sets, or from git.

use std::process::Command;

fn main() {
    for variable in ["INBOXD_BUILD_COMMIT", "SOURCE_DATE_EPOCH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    // The build reruns when another commit is checked out, and not otherwise.
    let head = git(&["rev-parse", "--git-path", "HEAD"]);
    let branch = git(&["symbolic-ref", "-q", "HEAD"]).and_then(|branch| git(&["rev-parse", "--git-path", &branch]));
    for path in [head, branch, Some("build.rs".to_owned())].into_iter().flatten() {
        if std::path::Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let given = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    let commit = given("INBOXD_BUILD_COMMIT").or_else(|| git(&["rev-parse", "--short=12", "HEAD"]));
    let date = given("SOURCE_DATE_EPOCH").and_then(|seconds| date(seconds.parse().ok()?));
    let date = date.or_else(|| git(&["log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%d"]));
    let known = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=INBOXD_COMMIT={}", known(commit));
    println!("cargo::rustc-env=INBOXD_COMMIT_DATE={}", known(date));
}

/// Returns the output of git; `None` without git or outside a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).env("TZ", "UTC").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

/// Returns the UTC date of a number of seconds since 1970 (algorithm `civil_from_days` by Howard Hinnant).
fn date(seconds: u64) -> Option<String> {
    let days = i64::try_from(seconds / 86_400).ok()? + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}
