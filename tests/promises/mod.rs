//! Every sentence of the specification that promises something, with the tests that would fail if it stopped being true:
//! `service.txt` and `wire.txt`; `limits.txt` has the limits of `docs/operations.md`. What is here proves that no list rots:
//! a test that is renamed, switched off or taken away is told, and so is a sentence that nothing holds.

use std::collections::BTreeSet;
use std::path::Path;

const SERVICE: &str = include_str!("service.txt");
const WIRE: &str = include_str!("wire.txt");
const LIMITS: &str = include_str!("limits.txt");

/// What the indented lines below a sentence begin with.
const INDENT: &str = "    ";
/// What holds a sentence that is still to become true, or to become so in full.
const LATER: &str = "later: ";
/// What an attribute says of a function that is a test, in a `proptest!` block too.
const ATTRIBUTES: [&str; 4] = ["#[test]", "#[tokio::test]", "#[tokio::test(", "#[actix_web::test]"];

/// A sentence, and what is written below it.
struct Promise<'a> {
    section: &'a str,
    sentence: &'a str,
    holders: Vec<&'a str>,
}

/// The words that a sentence may wait for, which the beginning of the list explains.
fn words(list: &str) -> BTreeSet<&str> {
    let explained = list.lines().filter_map(|line| line.strip_prefix("#   ")?.split_once(": "));
    explained.map(|(word, _)| word).filter(|word| !word.contains(' ')).collect()
}

/// Reads a list.
fn promises(list: &str) -> Result<Vec<Promise<'_>>, String> {
    let mut promises: Vec<Promise<'_>> = Vec::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(holder) = line.strip_prefix(INDENT) {
            let promise = promises.last_mut().ok_or_else(|| format!("no sentence stands above `{line}`"))?;
            promise.holders.push(holder);
            continue;
        }
        let promise =
            line.split_once(" | ").map(|(section, sentence)| Promise { section, sentence, holders: Vec::new() });
        let is_numbered =
            |section: &str| section.strip_prefix('§').is_some_and(|rest| rest.starts_with(char::is_numeric));
        match promise {
            Some(promise) if is_numbered(promise.section) && !promise.sentence.trim().is_empty() => {
                promises.push(promise);
            }
            _ => return Err(format!("`{line}` is no `§section | sentence`")),
        }
    }
    Ok(promises)
}

/// Whether a source has a test of this name that runs.
fn has_test(source: &str, function: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let is_it = |line: &str| {
        let name = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        name.and_then(|name| name.strip_prefix(function)).is_some_and(|rest| rest.starts_with('('))
    };
    let is_test = |line: &str| ATTRIBUTES.iter().any(|attribute| line.starts_with(attribute));
    lines.iter().enumerate().any(|(number, line)| {
        let above = || lines[..number].iter().rev().take_while(|line| line.starts_with("#[") || line.starts_with("//"));
        is_it(line) && above().any(|line| is_test(line)) && !above().any(|line| line.starts_with("#[ignore"))
    })
}

/// What is wrong with what stands below a sentence.
fn fault(holder: &str, words: &BTreeSet<&str>, read: &impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some(word) = holder.strip_prefix(LATER) {
        return (!words.contains(word)).then(|| format!("`{word}` is no word for later"));
    }
    let Some((path, function)) = holder.split_once("::") else {
        return Some(format!("`{holder}` is neither `path::function` nor `later: word`"));
    };
    let Some(source) = read(path) else {
        return Some(format!("there is no file {path}"));
    };
    (!has_test(&source, function)).then(|| format!("{path} has no test {function}"))
}

/// Everything that is wrong with a list.
fn faults(list: &str, words: &BTreeSet<&str>, read: &impl Fn(&str) -> Option<String>) -> Vec<String> {
    let promises = match promises(list) {
        Ok(promises) => promises,
        Err(fault) => return vec![fault],
    };
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for Promise { section, sentence, holders } in promises {
        let mut tell = |fault: String| faults.push(format!("{section} | {sentence}: {fault}"));
        if !seen.insert((section, sentence)) {
            tell("stands there twice".to_owned());
        }
        if holders.is_empty() {
            tell("nothing holds it".to_owned());
        }
        let distinct: BTreeSet<&str> = holders.iter().copied().collect();
        if distinct.len() < holders.len() {
            tell("names a test twice".to_owned());
        }
        distinct.iter().filter_map(|holder| fault(holder, words, read)).for_each(tell);
    }
    faults
}

#[test]
fn every_sentence_that_promises_something_is_held_by_tests_that_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).ok();
    for (list, least) in [(SERVICE, 200), (WIRE, 200), (LIMITS, 40)] {
        let faults = faults(list, &words(SERVICE), &read);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert!(promises(list).unwrap().len() > least, "there is more in the specification");
    }
}

#[test]
fn every_word_for_later_is_in_use() {
    let lines = SERVICE.lines().chain(WIRE.lines()).chain(LIMITS.lines());
    let used: BTreeSet<&str> = lines.filter_map(|line| line.trim_start().strip_prefix(LATER)).collect();
    assert_eq!(used, words(SERVICE));
}

#[test]
fn a_list_that_rots_is_told() {
    let source = "
        #[tokio::test]
        async fn it_holds() {}

        fn it_helps() {}

        #[test]
        #[ignore]
        fn it_sleeps() {}

        // #[test]
        // fn it_is_taken_away() {}
        proptest! {
            /// Whatever comes.
            #[test]
            fn it_holds_for_all(text in \".*\") {}
        }";
    let read = |path: &str| (path == "tests/a.rs").then(|| source.to_owned());
    let table = [
        ("§1 | It is.\n    tests/a.rs::it_holds\n    tests/a.rs::it_holds_for_all\n    later: feed", ""),
        ("§1 | It is.\n    later: feed\n\n§1 x | It is.\n    later: feed", ""),
        ("§1 | It is.\n    tests/a.rs::it_held", "tests/a.rs has no test it_held"),
        ("§1 | It is.\n    tests/a.rs::it_hold", "tests/a.rs has no test it_hold"),
        ("§1 | It is.\n    tests/a.rs::it_helps", "tests/a.rs has no test it_helps"),
        ("§1 | It is.\n    tests/a.rs::it_sleeps", "tests/a.rs has no test it_sleeps"),
        ("§1 | It is.\n    tests/a.rs::it_is_taken_away", "tests/a.rs has no test it_is_taken_away"),
        ("§1 | It is.\n    tests/b.rs::it_holds", "there is no file tests/b.rs"),
        ("§1 | It is.\n    it_holds", "is neither"),
        ("§1 | It is.\n    later: some day", "is no word for later"),
        ("§1 | It is.", "nothing holds it"),
        ("§1 | It is.\n§1 | It was.\n    later: feed", "nothing holds it"),
        ("§1 | It is.\n    later: feed\n§1 | It is.\n    later: feed", "stands there twice"),
        ("§1 | It is.\n    later: feed\n    later: feed", "names a test twice"),
        ("    tests/a.rs::it_holds", "no sentence stands above"),
        ("It is.\n    tests/a.rs::it_holds", "is no `§section | sentence`"),
        ("§x | It is.\n    tests/a.rs::it_holds", "is no `§section | sentence`"),
        ("§1 | It is.\n  tests/a.rs::it_holds", "is no `§section | sentence`"),
    ];
    let words = words("# The words.\n#   feed: what happens\n#   no word: at all\n");
    for (list, expected) in table {
        let faults = faults(list, &words, &read);
        assert_eq!(faults.len(), usize::from(!expected.is_empty()), "{list}: {faults:?}");
        assert!(faults.iter().all(|fault| fault.contains(expected)), "{list}: {faults:?}");
    }
}
