//! Command line of the extraction benchmark.
//!
//! ```text
//! inboxd-extraction-bench write <folder> [collection]   writes the texts of the messages as files for other readers
//! inboxd-extraction-bench score <folder> [collection]   scores inboxd and every reader with results in the folder
//! inboxd-extraction-bench misses [collection]           prints the deviations of inboxd from the expected results
//! inboxd-extraction-bench languages [collection]        scores previews, codes and replies by language, and prints their deviations
//! inboxd-extraction-bench trust [collection]            scores signals and verdicts, and prints their deviations
//! inboxd-extraction-bench cost [collection]             measures parsing and judging of a message
//! ```
//!
//! A collection is a folder of messages with the expected results. A reader is a program that extracts the new text of
//! a reply: inboxd, or another one with results in `<folder>/<reader>`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use inboxd_extraction_bench::collection::{self, ExpectedMessage};
use inboxd_extraction_bench::cost::measure;
use inboxd_extraction_bench::findings::{self, FindingTally};
use inboxd_extraction_bench::languages::{self, LanguageScores};
use inboxd_extraction_bench::parts::PartScores;
use inboxd_extraction_bench::score::words;
use inboxd_extraction_bench::table::{self, ReaderScores};
use inboxd_extraction_bench::trust;
use inboxd_mail::{ParsedMail, parse, text_from_html};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let at = |place: usize| arguments.get(place).map(PathBuf::from);
    let or_default = |given: Option<PathBuf>| given.unwrap_or_else(collection::folder);
    match (arguments.first().map(String::as_str), at(1)) {
        (Some("write"), Some(folder)) => write(&folder, &or_default(at(2))),
        (Some("score"), Some(folder)) => score(&folder, &or_default(at(2))),
        (Some("misses"), given) => misses(&or_default(given)),
        (Some("languages"), given) => by_language(&or_default(given)),
        (Some("trust"), given) => judge(&or_default(given)),
        (Some("cost"), given) => cost(&or_default(given)),
        _ => {
            Err("usage: write <folder> | score <folder> | misses | languages | trust | cost, each with an optional collection"
                .into())
        }
    }
}

fn replies(collection: &Path) -> Result<Vec<ExpectedMessage>, Box<dyn Error>> {
    Ok(collection::read(&collection.join("replies"), "txt")?)
}

/// Writes the text and the HTML of each message to `folder/mails`.
fn write(folder: &Path, collection: &Path) -> Result<(), Box<dyn Error>> {
    let folder = folder.join("mails");
    fs::create_dir_all(&folder)?;
    for case in replies(collection)? {
        let mail = parse(&case.raw);
        fs::write(folder.join(case.id() + ".txt"), mail.text.unwrap_or_default())?;
        if let Some(html) = mail.html {
            fs::write(folder.join(case.id() + ".html"), html)?;
        }
    }
    Ok(())
}

/// Returns the new content of the HTML as text.
fn new_of_html(mail: &ParsedMail) -> Option<String> {
    mail.extracted_html.as_deref().map(text_from_html)
}

fn score(folder: &Path, collection: &Path) -> Result<(), Box<dyn Error>> {
    let cases = replies(collection)?;
    let mails: Vec<ParsedMail> = cases.iter().map(|case| parse(&case.raw)).collect();
    let mut languages: Vec<&str> = cases.iter().map(|case| case.language.as_str()).collect();
    languages.dedup();

    println!("New text (extracted_text)");
    let mut names = vec!["inboxd".to_owned()];
    names.extend(others(folder)?);
    let mut groups = vec!["all", "English", "other languages", "quotation to remove", "nothing to remove"];
    groups.extend(&languages);
    let readers = names.iter().map(|name| {
        let mut reader = ReaderScores::default();
        for (case, mail) in cases.iter().zip(&mails) {
            let read = match name.as_str() {
                "inboxd" => mail.extracted_text.clone().unwrap_or_default(),
                name => fs::read_to_string(folder.join(name).join(case.id() + ".txt"))?,
            };
            let is_whole = words(mail.text.as_deref().unwrap_or_default()) == words(&case.expected);
            let form = if is_whole { "nothing to remove" } else { "quotation to remove" };
            let tongue = if case.language == "en" { "English" } else { "other languages" };
            reader.add(&["all", tongue, form, &case.language], &case.expected, &read);
        }
        Ok((name.clone(), reader))
    });
    let readers = readers.collect::<Result<Vec<_>, std::io::Error>>()?;
    println!("{}\n", table::lines(&groups, &readers).join("\n"));

    println!("New HTML (extracted_html), compared as text; readers of HTML only");
    let mut readers = Vec::new();
    for name in &names {
        let mut reader = ReaderScores::default();
        for (case, mail) in cases.iter().zip(&mails) {
            let Some(own) = new_of_html(mail) else { continue };
            let read = match name.as_str() {
                "inboxd" => own,
                name => match fs::read_to_string(folder.join(name).join(case.id() + ".html")) {
                    Ok(html) => text_from_html(&html),
                    Err(_) => continue,
                },
            };
            let tongue = if case.language == "en" { "English" } else { "other languages" };
            reader.add(&["all", tongue], &case.expected, &read);
        }
        if reader.of("all").mails > 0 {
            readers.push((name.clone(), reader));
        }
    }
    println!("{}\n", table::lines(&["all", "English", "other languages"], &readers).join("\n"));
    println!("Parts of replies in HTML (exact % / token F1 %)");
    println!("{}\n", PartScores::of(&collection::read(&collection.join("html"), "txt")?));
    score_findings(collection)
}

/// Returns the readers with results in `folder`.
fn others(folder: &Path) -> Result<Vec<String>, std::io::Error> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name != "mails" {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn score_findings(collection: &Path) -> Result<(), Box<dyn Error>> {
    let cases = collection::read(&collection.join("findings"), "expected")?;
    println!("Codes and confirming links, {} mails", cases.len());
    println!("{:<18} {:>8} {:>8} {:>10} {:>10}", "", "expected", "found", "precision", "recall");
    for (kind, tongue) in [
        ("code", "all"),
        ("code", "English"),
        ("code", "others"),
        ("link", "all"),
        ("link", "English"),
        ("link", "others"),
    ] {
        let mut tally = FindingTally::default();
        for case in &cases {
            let is_english = case.language == "en";
            if tongue != "all" && (tongue == "English") != is_english {
                continue;
            }
            let expected = case.expected.lines().map(str::to_owned).collect();
            let found = findings::lines(&parse(&case.raw));
            tally.add(&findings::of_kind(&found, kind), &findings::of_kind(&expected, kind));
        }
        println!(
            "{:<18} {:>8} {:>8} {:>9.1}% {:>9.1}%",
            format!("{kind}s, {tongue}"),
            tally.expected,
            tally.found,
            100.0 * tally.precision(),
            100.0 * tally.recall()
        );
    }
    Ok(())
}

fn misses(collection: &Path) -> Result<(), Box<dyn Error>> {
    let print = |case: &ExpectedMessage, part: &str, expected: &str, read: &str| {
        if words(read) != words(expected) {
            println!("=== {} ({part})\n--- expected\n{}\n--- read\n{read}", case.id(), expected.trim_end());
        }
    };
    let print_new = |case: &ExpectedMessage, mail: &ParsedMail| {
        for (part, read) in [("text", mail.extracted_text.clone()), ("html", new_of_html(mail))] {
            print(case, part, &case.expected, &read.unwrap_or_else(|| case.expected.clone()));
        }
    };
    for case in replies(collection)? {
        print_new(&case, &parse(&case.raw));
    }
    for case in collection::read(&collection.join("html"), "txt")? {
        let mail = parse(&case.raw);
        print_new(&case, &mail);
        print(&case, "signature", &case.signature, mail.signature.as_deref().unwrap_or_default());
        print(&case, "footer", &case.footer, mail.footer.as_deref().unwrap_or_default());
    }
    for case in collection::read(&collection.join("findings"), "expected")? {
        let expected = case.expected.lines().map(str::to_owned).collect();
        let found = findings::lines(&parse(&case.raw));
        for line in found.difference(&expected) {
            println!("=== {}: unexpected finding: {line}", case.id());
        }
        for line in expected.difference(&found) {
            println!("=== {}: missing finding: {line}", case.id());
        }
    }
    Ok(())
}

/// Measures messages made of the words of the collection.
fn cost(collection: &Path) -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = replies(collection)?.iter().filter_map(|case| parse(&case.raw).text).collect();
    let words = words.join("\n\n");
    println!("{:<10} {:>16} {:>16}", "text", "parsing", "judging");
    for length in [5_000, 50_000] {
        let cost = measure(&words, length);
        println!("{length:<10} {:>16?} {:>16?}", cost.parsing, cost.judging);
    }
    Ok(())
}

fn by_language(collection: &Path) -> Result<(), Box<dyn Error>> {
    let (scores, deviations) = languages::score(collection)?;
    println!("Exact results in per cent (number of mails)");
    println!("{:<4} {:>12} {:>12} {:>12}", "", "previews", "codes", "replies");
    for LanguageScores { language, previews, codes, replies } in scores {
        let [previews, codes, replies] = [previews, codes, replies].map(|tally| tally.to_string());
        println!("{language:<4} {previews:>12} {codes:>12} {replies:>12}");
    }
    println!("{}", deviations.join("\n"));
    Ok(())
}

fn judge(collection: &Path) -> Result<(), Box<dyn Error>> {
    let messages = trust::read(collection)?;
    println!("Trust, {} mails", messages.len());
    println!("{:<22} {:>8} {:>8} {:>10} {:>10}", "", "expected", "found", "precision", "recall");
    for (signal, tally) in trust::score(&messages) {
        println!(
            "{signal:<22} {:>8} {:>8} {:>9.1}% {:>9.1}%",
            tally.expected,
            tally.found,
            100.0 * tally.precision(),
            100.0 * tally.recall()
        );
    }
    for message in &messages {
        let found = message.signals();
        for signal in found.difference(&message.expected) {
            println!("=== {}: unexpected signal: {signal}", message.name);
        }
        for signal in message.expected.difference(&found) {
            println!("=== {}: missing signal: {signal}", message.name);
        }
    }
    Ok(())
}
