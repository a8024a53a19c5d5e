//! Memory at rest after growing amounts of mail, including large messages.

use std::time::Duration;

use tokio::time::sleep;

use crate::load::mails::{self, SignedMail};
use crate::load::sessions::{self, Load};
use crate::memory;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages of each step, sent to a new inbox.
const MAILS: usize = 31_000;
/// Total messages at each measurement.
const STEPS: [&str; 3] = ["31,000", "62,000", "93,000"];
/// Interval of large messages.
const LARGE_INTERVAL: usize = 100;
/// Additional bytes of large messages, in turns.
const LARGE_BYTES: [usize; 4] = [100_000, 300_000, 1_000_000, 3_000_000];
/// Time for indexing the last messages and releasing its memory.
const SETTLE_TIME: Duration = Duration::from_secs(75);
/// Accepted growth from the first step.
const MAX_GROWTH: f64 = 1.2;
const LOAD: Load = Load { sessions: 32, reconnects: false, lasts: None };

/// Measures the group with a fresh server in each round.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let pool = mails::pool(MAILS).await?;
    let mails = enlarge(&pool.mails);
    let mut before = ReportRow::new("memory at rest before, the server", "MB", "", Requirement::Nothing);
    let mut rows = STEPS.map(|mails| {
        let name = format!("memory at rest after {mails} mails, the server");
        ReportRow::new(name, "MB", "after 31,000", Requirement::Within(MAX_GROWTH))
    });
    let mut rates = ReportRow::new("receiving them, 32 sessions", "mails/s", "", Requirement::Nothing);
    for _ in 0..options.rounds {
        let mut server = Server::start(options, &[("INBOXD_DNS_ADDR", pool.dns.address().to_string())]).await?;
        before.add(memory::resident(server.process_id())?, None);
        let mut first = None;
        for row in &mut rows {
            let inboxes = server.new_inboxes(1)?;
            rates.add(sessions::send(server.smtp, &inboxes, &mails, LOAD)?.rate, None);
            sleep(SETTLE_TIME).await;
            let resident = memory::resident(server.process_id())?;
            row.add(resident, *first.get_or_insert(resident));
        }
        server.stop().await?;
    }
    let [first, second, third] = rows;
    report::print("memory that stays", &[before, first, second, third, rates]);
    Ok(())
}

/// Returns the messages, some with text beyond the signed one.
fn enlarge(mails: &[SignedMail]) -> Vec<SignedMail> {
    let line = b"The quick brown fox jumps over the lazy dog, and the dog lets it be.\r\n";
    let mut sizes = LARGE_BYTES.iter().cycle();
    let mut enlarged = mails.to_vec();
    for mail in enlarged.iter_mut().step_by(LARGE_INTERVAL) {
        mail.content.truncate(mail.content.len().saturating_sub(b".\r\n".len()));
        let size = sizes.next().copied().unwrap_or_default();
        mail.content.extend(line.iter().cycle().take(size / line.len() * line.len()));
        mail.content.extend(b".\r\n");
    }
    enlarged
}
