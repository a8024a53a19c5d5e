//! Search by words beside search by substring, in large inboxes.

use super::search::ours;
use crate::fill::{self, COMMON_WORD, RARE_WORD};
use crate::load::http::encoded;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Searches by words, each beside the substring of the same messages.
const WORD_QUERIES: [(&str, &str, &str); 6] = [
    ("rare word", RARE_WORD, RARE_WORD),
    ("common word", COMMON_WORD, COMMON_WORD),
    ("beginning of a word, three letters", "awk", "awk"),
    ("a word and a common one", "people awkward", "awkward"),
    ("rare word of a sender", "\"xylophonist\" from:sender", RARE_WORD),
    ("absent word", "xylophonists", "xylophonists"),
];

/// Measures an inbox of a hundred thousand messages, and of a million on request.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let sizes = [100_000, 1_000_000];
    for messages in sizes.into_iter().take(if options.million { 2 } else { 1 }) {
        let mut server = Server::start(options, &[]).await?;
        fill::prepare(&server)?;
        let inbox_id = fill::fill(&mut server, messages)?;
        words(&server, &inbox_id, messages, options.rounds)?;
        server.stop().await?;
    }
    Ok(())
}

/// Measures searches by words in an inbox and the organization beside searches by substring in the inbox.
fn words(server: &Server, inbox_id: &str, messages: usize, rounds: usize) -> Outcome<()> {
    let mut api = server.api()?;
    let mut rows = Vec::new();
    for (name, query, needle) in WORD_QUERIES {
        let substring = format!("/v0/inboxes/{inbox_id}/messages/search?q={needle}&limit=50");
        let query = format!("match=words&limit=50&q={}", encoded(query));
        let mut row = ReportRow::new(name, "ms", "substring", Requirement::Within(3.0));
        let threads = format!("{name}, threads of the organization");
        let mut across = ReportRow::new(&threads, "ms", "substring, messages", Requirement::Nothing);
        for _ in 0..rounds {
            let theirs = ours(&mut api, &substring);
            row.add(ours(&mut api, &format!("/v0/inboxes/{inbox_id}/messages/search?{query}")), theirs);
            across.add(ours(&mut api, &format!("/v0/threads/search?{query}")), theirs);
        }
        rows.extend([row, across]);
    }
    report::print(&format!("search by words, newest 50 hits, inbox of {messages}"), &rows);
    Ok(())
}
