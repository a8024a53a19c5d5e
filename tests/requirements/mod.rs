//! Requirements: the sentences of the specification with the tests that verify them.
//!
//! `service.txt` and `wire.txt` cover the specification, `limits.txt` the limits of `docs/operations/limits.md`. The
//! test here fails when a listed test is renamed, ignored or removed, and when a requirement has no test.

use std::collections::BTreeSet;
use std::path::Path;

const SERVICE: &str = include_str!("service.txt");
const WIRE: &str = include_str!("wire.txt");
const LIMITS: &str = include_str!("limits.txt");

/// Indentation of the lines below a sentence.
const INDENT: &str = "    ";
/// Prefix of a marker for a requirement that is not or only partly implemented.
const LATER: &str = "later: ";
/// Attributes of test functions, also in `proptest!` blocks.
const ATTRIBUTES: [&str; 4] = ["#[test]", "#[tokio::test]", "#[tokio::test(", "#[actix_web::test]"];

/// A sentence of the specification with its tests and markers.
struct Requirement<'a> {
    section: &'a str,
    sentence: &'a str,
    verifiers: Vec<&'a str>,
}

/// Returns the markers that the head of the list defines.
fn markers(list: &str) -> BTreeSet<&str> {
    let explained = list.lines().filter_map(|line| line.strip_prefix("#   ")?.split_once(": "));
    explained.map(|(marker, _)| marker).filter(|marker| !marker.contains(' ')).collect()
}

/// Parses a list.
fn requirements(list: &str) -> Result<Vec<Requirement<'_>>, String> {
    let mut requirements: Vec<Requirement<'_>> = Vec::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(verifier) = line.strip_prefix(INDENT) {
            let promise = requirements.last_mut().ok_or_else(|| format!("no sentence precedes `{line}`"))?;
            promise.verifiers.push(verifier);
            continue;
        }
        let promise =
            line.split_once(" | ").map(|(section, sentence)| Requirement { section, sentence, verifiers: Vec::new() });
        let is_numbered =
            |section: &str| section.strip_prefix('§').is_some_and(|rest| rest.starts_with(char::is_numeric));
        match promise {
            Some(promise) if is_numbered(promise.section) && !promise.sentence.trim().is_empty() => {
                requirements.push(promise);
            }
            _ => return Err(format!("`{line}` is not `§section | sentence`")),
        }
    }
    Ok(requirements)
}

/// Returns whether a source has an active test of this name.
fn has_test(source: &str, function: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let is_function = |line: &str| {
        let name = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        name.and_then(|name| name.strip_prefix(function)).is_some_and(|rest| rest.starts_with('('))
    };
    let is_test = |line: &str| ATTRIBUTES.iter().any(|attribute| line.starts_with(attribute));
    lines.iter().enumerate().any(|(number, line)| {
        let above = || lines[..number].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        is_function(line) && above().any(|line| is_test(line)) && !above().any(|line| line.starts_with("#[ignore"))
    })
}

/// Returns the fault of a line below a sentence.
fn fault(verifier: &str, markers: &BTreeSet<&str>, read: &impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some(marker) = verifier.strip_prefix(LATER) {
        return (!markers.contains(marker)).then(|| format!("`{marker}` is no known marker"));
    }
    let Some((path, function)) = verifier.split_once("::") else {
        return Some(format!("`{verifier}` is neither `path::function` nor `later: marker`"));
    };
    let Some(source) = read(path) else {
        return Some(format!("missing file {path}"));
    };
    (!has_test(&source, function)).then(|| format!("{path} has no test {function}"))
}

/// Returns all faults of a list.
fn faults(list: &str, markers: &BTreeSet<&str>, read: &impl Fn(&str) -> Option<String>) -> Vec<String> {
    let requirements = match requirements(list) {
        Ok(requirements) => requirements,
        Err(fault) => return vec![fault],
    };
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for Requirement { section, sentence, verifiers } in requirements {
        let mut add = |fault: String| faults.push(format!("{section} | {sentence}: {fault}"));
        if !seen.insert((section, sentence)) {
            add("occurs twice".to_owned());
        }
        if verifiers.is_empty() {
            add("has no test".to_owned());
        }
        let distinct: BTreeSet<&str> = verifiers.iter().copied().collect();
        if distinct.len() < verifiers.len() {
            add("names a test twice".to_owned());
        }
        distinct.iter().filter_map(|verifier| fault(verifier, markers, read)).for_each(add);
    }
    faults
}

#[test]
fn requirements_are_verified_by_existing_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).ok();
    for (list, least) in [(SERVICE, 200), (WIRE, 200), (LIMITS, 40)] {
        let faults = faults(list, &markers(SERVICE), &read);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert!(requirements(list).unwrap().len() > least, "too few requirements");
    }
}

#[test]
fn later_markers_are_all_in_use() {
    let lines = SERVICE.lines().chain(WIRE.lines()).chain(LIMITS.lines());
    let used: BTreeSet<&str> = lines.filter_map(|line| line.trim_start().strip_prefix(LATER)).collect();
    assert_eq!(used, markers(SERVICE));
}

#[test]
fn faulty_list_is_reported() {
    let source = "
        #[tokio::test]
        async fn active_test() {}

        fn helper() {}

        #[test]
        #[ignore]
        fn ignored_test() {}

        // #[test]
        // fn commented_test() {}
        proptest! {
            /// Any text.
            #[test]
            fn property_test(text in \".*\") {}
        }";
    let read = |path: &str| (path == "tests/a.rs").then(|| source.to_owned());
    let table = [
        ("§1 | It is.\n    tests/a.rs::active_test\n    tests/a.rs::property_test\n    later: feed", ""),
        ("§1 | It is.\n    later: feed\n\n§1 x | It is.\n    later: feed", ""),
        ("§1 | It is.\n    tests/a.rs::other_test", "tests/a.rs has no test other_test"),
        ("§1 | It is.\n    tests/a.rs::active_tes", "tests/a.rs has no test active_tes"),
        ("§1 | It is.\n    tests/a.rs::helper", "tests/a.rs has no test helper"),
        ("§1 | It is.\n    tests/a.rs::ignored_test", "tests/a.rs has no test ignored_test"),
        ("§1 | It is.\n    tests/a.rs::commented_test", "tests/a.rs has no test commented_test"),
        ("§1 | It is.\n    tests/b.rs::active_test", "missing file tests/b.rs"),
        ("§1 | It is.\n    active_test", "is neither"),
        ("§1 | It is.\n    later: some day", "is no known marker"),
        ("§1 | It is.", "has no test"),
        ("§1 | It is.\n§1 | It was.\n    later: feed", "has no test"),
        ("§1 | It is.\n    later: feed\n§1 | It is.\n    later: feed", "occurs twice"),
        ("§1 | It is.\n    later: feed\n    later: feed", "names a test twice"),
        ("    tests/a.rs::active_test", "no sentence precedes"),
        ("It is.\n    tests/a.rs::active_test", "is not `§section | sentence`"),
        ("§x | It is.\n    tests/a.rs::active_test", "is not `§section | sentence`"),
        ("§1 | It is.\n  tests/a.rs::active_test", "is not `§section | sentence`"),
    ];
    let markers = markers("# The markers.\n#   feed: events\n#   no marker: at all\n");
    for (list, expected) in table {
        let faults = faults(list, &markers, &read);
        assert_eq!(faults.len(), usize::from(!expected.is_empty()), "{list}: {faults:?}");
        assert!(faults.iter().all(|fault| fault.contains(expected)), "{list}: {faults:?}");
    }
}
