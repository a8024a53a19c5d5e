//! Mail is read at least as well as it was.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use inboxd_mail::{parse, text_from_html};
use inboxd_reading::collection::{folder, read};
use inboxd_reading::findings::{Tally, lines, of_kind};
use inboxd_reading::score::Score;

/// The mails that the reader was written with, and those that were kept from its writers.
fn collections() -> [PathBuf; 2] {
    [folder(), folder().join("held")]
}

/// Scores of the text and of the HTML, each of English mails and of the others.
fn replies(collection: &Path) -> io::Result<[Score; 4]> {
    let mut scores = [Score::default(); 4];
    for case in read(&collection.join("replies"), "txt")? {
        let mail = parse(&case.raw);
        let other = usize::from(case.language != "en");
        scores[other].add(&case.expected, mail.extracted_text.as_deref().unwrap_or_default());
        if let Some(html) = &mail.extracted_html {
            scores[2 + other].add(&case.expected, &text_from_html(html));
        }
    }
    Ok(scores)
}

#[test]
fn what_is_new_is_told_from_what_is_quoted() -> io::Result<()> {
    let [known, held] = collections();
    let (known, held) = (replies(&known)?, replies(&held)?);
    assert!(known.iter().take(2).map(|score| score.mails).sum::<usize>() >= 300);
    for score in known {
        assert!(score.exact_rate() >= 0.97 && score.mean_f1() >= 0.99, "{score:?}");
    }
    // The mails kept from the writers are few: one that is read wrong is a tenth of the English ones.
    for score in held {
        assert!(score.exact_rate() >= 0.85 && score.mean_f1() >= 0.97, "{score:?}");
    }
    Ok(())
}

#[test]
fn codes_and_confirming_links_are_found_and_others_are_not() -> io::Result<()> {
    for (collection, least) in collections().into_iter().zip([0.95, 0.85]) {
        for kind in ["code", "link"] {
            let mut tally = Tally::default();
            for case in read(&collection.join("findings"), "expected")? {
                let expected: BTreeSet<String> = case.expected.lines().map(str::to_owned).collect();
                tally.add(&of_kind(&lines(&parse(&case.raw)), kind), &of_kind(&expected, kind));
            }
            assert!(tally.expected >= 15, "{tally:?}");
            assert!(tally.precision() >= least && tally.recall() >= least, "{kind}s of {collection:?}: {tally:?}");
        }
    }
    Ok(())
}
