//! Bodies of copied messages, compressed as the product stores them.

use std::io::{BufRead, BufReader};

use inboxd_postgres::{StoredBody, body_fields, raw_of, stored_body};

use super::{LINES, NUMBER_PLACEHOLDER, SEPARATOR};
use crate::outcome::Outcome;
use crate::peers::psql::{Database, bytes_of_hex, hex};

/// Fills the table `bench.frames` with the frame of each copy in `bench.made`.
pub(super) fn write(database: &Database) -> Outcome<()> {
    let frame = bytes_of_hex(database.execute("select encode(body, 'hex') from bench.body")?.trim())?;
    let extracted = database.execute("select coalesce(octet_length(extracted::text), 0) from bench.body")?;
    let extracted_bytes: usize = extracted.trim().parse()?;
    let original = String::from_utf8(raw_of(frame.clone())?)?;
    let [text, html, extracted_text, extracted_html, headers] =
        body_fields(frame)?.map(|field| field.map(String::from_utf8).transpose());
    let template = [text?, html?, extracted_text?, extracted_html?, headers?];
    database.script("create unlogged table bench.frames (n int primary key, body bytea, body_bytes bigint)")?;
    let made = database.stream("select n, content from bench.made")?;
    database.load("bench.frames", |rows| {
        for line in BufReader::new(made).lines() {
            let line = line?;
            let (number, content) = line.split_once('\t').ok_or("a copy without content")?;
            let raw = copied(&original, number, content);
            let fields = template.each_ref().map(|field| field.as_ref().map(|field| copied(field, number, content)));
            let fields = fields.each_ref().map(|field| field.as_ref().map(String::as_bytes));
            let StoredBody { body, body_bytes, .. } = stored_body(raw.as_bytes(), &fields, extracted_bytes)?;
            writeln!(rows, "{number}\t\\\\x{}\t{body_bytes}", hex(&body))?;
        }
        Ok(())
    })
}

/// Returns a field of the template with the number and the content of a copy.
fn copied(field: &str, number: &str, content: &str) -> String {
    let [first, second] = LINES;
    let line_end = field.split_once(first).and_then(|(_, rest)| rest.split_once(second)).map(|(line_end, _)| line_end);
    let copy = match line_end {
        Some(line_end) => field.replace(&format!("{first}{line_end}{second}"), &content.replace(SEPARATOR, line_end)),
        None => field.to_owned(),
    };
    copy.replace(NUMBER_PLACEHOLDER, number)
}
