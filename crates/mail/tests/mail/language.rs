//! Languages of the replies of the collection.

use std::path::Path;

use inboxd_mail::language;

/// Share of texts in per cent whose language is found; the others are too short or unclear.
const MIN_FOUND: usize = 87;
/// Share of texts in per cent that get another language.
const MAX_WRONG: usize = 3;

#[test]
fn languages_of_replies_are_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("collection/replies");
    let (mut texts, mut found, mut wrong) = (0, 0, 0);
    for folder in std::fs::read_dir(root).unwrap().flatten() {
        let expected = folder.file_name().into_string().unwrap();
        let mut counts = [0; 3];
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            if file.path().extension().is_none_or(|extension| extension != "txt") {
                continue;
            }
            let text = std::fs::read_to_string(file.path()).unwrap();
            let place = match language(&text) {
                Some(language) if language == expected => 0,
                None => 1,
                Some(_) => 2,
            };
            counts[place] += 1;
        }
        println!("{expected}: {} found, {} unclear, {} wrong", counts[0], counts[1], counts[2]);
        texts += counts.iter().sum::<usize>();
        found += counts[0];
        wrong += counts[2];
    }
    assert!(texts > 500, "{texts}");
    assert!(found * 100 >= texts * MIN_FOUND, "{found} of {texts} found");
    assert!(wrong * 100 <= texts * MAX_WRONG, "{wrong} of {texts} wrong");
}
