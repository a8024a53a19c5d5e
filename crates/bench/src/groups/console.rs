//! Pages of the console with a large inbox.

use inboxd_core::rules::signing::SigningKey;

use crate::fill::{self, RARE_WORD};
use crate::load::http::{Http, encoded};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages of the inbox.
const MESSAGES: usize = 100_000;

/// Measures the group.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let mut server = Server::start(options, &[]).await?;
    fill::prepare(&server)?;
    let inbox_id = fill::fill(&mut server, MESSAGES)?;
    let session = session_token(&server)?;
    server.database().execute(&format!(
        "insert into browser_sessions values (sha256('{session}'), 'owner@example.org', now(), now(), now() + interval '1 day')"
    ))?;
    let mut console = Http::with_session(server.http_address(), &session)?;
    let thread = server.api()?.get(&format!("/v0/inboxes/{inbox_id}/threads?limit=1"))?;
    let thread_id = thread["threads"][0]["thread_id"].as_str().ok_or("the inbox has no thread")?;
    let inbox = format!("/console/inboxes/{}", encoded(&inbox_id));
    let pages = [
        ("first page", "/console".to_owned()),
        ("inbox", inbox.clone()),
        ("conversation", format!("{inbox}/threads/{thread_id}")),
        ("search for a rare word", format!("{inbox}?q={RARE_WORD}")),
    ];
    let mut times = pages.each_ref().map(|(name, _)| ReportRow::new(*name, "ms", "none", Requirement::Under(30.0)));
    let mut sizes = pages.each_ref().map(|(name, _)| {
        ReportRow::new(format!("{name}, with styles and scripts"), "kB", "none", Requirement::Under(100.0))
    });
    for _ in 0..options.rounds {
        for ((_, path), (time, size)) in pages.iter().zip(times.iter_mut().zip(&mut sizes)) {
            time.add(console.median_ms(path)?, None);
            size.add(first_visit(&mut console, path)?, None);
        }
    }
    report::print(&format!("console with {MESSAGES} messages in the inbox"), &times);
    report::print("bytes of a first visit", &sizes);
    server.stop().await
}

/// Returns a token of a session, signed with the key of the server. The database stores its hash.
fn session_token(server: &Server) -> Outcome<String> {
    let root = SigningKey::new(server.secret_key()?);
    let signing_key = SigningKey::new(root.mac("signing", &[]));
    Ok(format!("bs_{}", signing_key.sign("browser session", &[0; 32])))
}

/// Returns the kilobytes of a page and of the files that it names.
fn first_visit(console: &mut Http, path: &str) -> Outcome<f64> {
    let page = console.bytes(path)?;
    let text = String::from_utf8_lossy(&page);
    let files = text.split('"').filter(|text| text.starts_with("/assets/"));
    let sizes = files.map(|file| Ok(console.bytes(file)?.len())).collect::<Outcome<Vec<_>>>()?;
    let bytes = u32::try_from(page.len() + sizes.iter().sum::<usize>())?;
    Ok(f64::from(bytes) / 1_000.0)
}
