//! The mails of the collection, and what is new in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use inboxd_mail::parse;

/// The mails below the directory of one language.
fn mails(language: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(language).unwrap().map(|file| file.unwrap().path());
    let mut mails: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "eml")).collect();
    mails.sort();
    mails
}

/// The letters and digits of a text: what is left of it whatever marks and white space are made of.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[test]
fn what_is_new_in_the_mails_of_the_collection_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("collection/replies");
    let mut languages = BTreeMap::new();
    let mut missed = Vec::new();
    for language in fs::read_dir(root).unwrap().map(|language| language.unwrap().path()) {
        let mails = mails(&language);
        let mut exact = 0;
        for file in &mails {
            let new = parse(&fs::read(file).unwrap()).extracted_text.unwrap_or_default();
            let expected = fs::read_to_string(file.with_extension("txt")).unwrap();
            if letters(&new) == letters(&expected) {
                exact += 1;
            } else {
                missed.push(file.clone());
            }
        }
        languages.insert(language, (exact, mails.len()));
    }
    let (exact, all) = languages.values().fold((0, 0), |sum, (exact, all)| (sum.0 + exact, sum.1 + all));
    assert!(all >= 500, "{all}");
    assert!(exact * 100 >= all * 99, "{exact} of {all}: {missed:#?}");
    for (language, (exact, all)) in languages {
        assert!(exact * 100 >= all * 95, "{}: {exact} of {all}: {missed:#?}", language.display());
    }
}
