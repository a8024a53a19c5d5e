//! The mails of the collection, and what is to be found in them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use inboxd_mail::parse;

/// What is found, counted over many mails.
#[derive(Default)]
struct Score {
    hits: f64,
    misses: f64,
    alarms: f64,
    differences: String,
}

impl Score {
    fn precision(&self) -> f64 {
        self.hits / (self.hits + self.alarms)
    }

    fn recall(&self) -> f64 {
        self.hits / (self.hits + self.misses)
    }

    fn add(&mut self, mail: &Path, found: &[String], expected: &[&str]) {
        for line in found {
            if expected.contains(&line.as_str()) {
                self.hits += 1.0;
            } else {
                self.alarms += 1.0;
                writeln!(self.differences, "+ {}: {line}", mail.display()).unwrap();
            }
        }
        for line in expected.iter().filter(|line| !found.iter().any(|found| found == *line)) {
            self.misses += 1.0;
            writeln!(self.differences, "- {}: {line}", mail.display()).unwrap();
        }
    }
}

/// The mails below a directory of the collection.
fn mails(directory: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("collection").join(directory);
    let languages = fs::read_dir(root).unwrap().map(|language| language.unwrap().path());
    let files = languages.flat_map(|language| fs::read_dir(language).unwrap().map(|file| file.unwrap().path()));
    let mut mails: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "eml")).collect();
    mails.sort();
    mails
}

#[test]
fn the_codes_and_links_of_the_collection_are_found() {
    let (mut codes, mut links) = (Score::default(), Score::default());
    let mails = mails("findings");
    assert!(mails.len() > 150, "{}", mails.len());
    for file in mails {
        let mail = parse(&fs::read(&file).unwrap());
        let expected = fs::read_to_string(file.with_extension("expected")).unwrap();
        let (expected_codes, expected_links): (Vec<&str>, Vec<&str>) =
            expected.lines().filter(|line| !line.trim().is_empty()).partition(|line| line.starts_with("code "));
        let found: Vec<String> = mail.codes.iter().map(|found| format!("code {}", found.code)).collect();
        codes.add(&file, &found, &expected_codes);
        let found: Vec<String> = mail.links.iter().map(|found| format!("link {} {}", found.kind, found.url)).collect();
        links.add(&file, &found, &expected_links);
    }
    for (name, Score { hits, misses, alarms, differences }) in [("codes", &codes), ("links", &links)] {
        println!("{name}: {hits} found, {misses} missed, {alarms} false\n{differences}");
    }
    for (name, score) in [("codes", codes), ("links", links)] {
        assert!(score.precision() >= 0.98 && score.recall() >= 0.95, "{name}");
    }
}
