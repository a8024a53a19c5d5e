//! Resources of an idle server: memory, waiting sockets, start time, program size.

use std::net::Ipv4Addr;
use std::thread;
use std::time::Instant;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::load::mails;
use crate::load::sessions::{self, Load};
use crate::load::smtp::Session;
use crate::load::socket::Socket;
use crate::memory;
use crate::options::Options;
use crate::outcome::{Outcome, count, ms};
use crate::report::{self, ReportRow, Requirement};
use crate::server::Server;

/// Messages that are stored on the server.
const MAILS: usize = 2_000;
/// Limit of the memory of waiting sockets, in megabytes.
const MAX_MEGABYTES: f64 = 500.0;
/// Threads that open sockets, each with an address and an organization of its own.
const OPENING_THREADS: u8 = 8;

/// Measures the group with a fresh server in each round.
pub(crate) async fn run(options: &Options) -> Outcome<()> {
    let pool = mails::pool(MAILS).await?;
    allow_descriptors(options.sockets + 1_000)?;
    let row = |name: String, unit, demand| ReportRow::new(name, unit, "", demand);
    let mut rows = [
        row("cold start on an empty folder, until it is ready".into(), "ms", Requirement::Nothing),
        row("the same, until an inbox is made and has its first mail".into(), "ms", Requirement::Nothing),
        row("memory at rest, the server".into(), "MB", Requirement::Nothing),
        row("memory at rest, its PostgreSQL".into(), "MB", Requirement::Nothing),
        row(format!("peak memory over {MAILS} mails by 32 sessions, the server"), "MB", Requirement::Nothing),
        row("memory after them, its PostgreSQL".into(), "MB", Requirement::Nothing),
        row(format!("WebSockets that wait, of {}", options.sockets), "", Requirement::Nothing),
        row("memory with them, the server".into(), "MB", Requirement::Under(MAX_MEGABYTES)),
        row("size of the program".into(), "MB", Requirement::Nothing),
    ];
    for _ in 0..options.rounds {
        let server = Server::start(options, &[("INBOXD_DNS_ADDR", pool.dns.address().to_string())]).await?;
        let first = pool.mails.first().ok_or("no mail")?;
        let began = Instant::now();
        Session::open(server.smtp)?.send(&first.sender, &server.inbox_id, &first.content)?;
        let (start, accepted) = (ms(server.ready_after), ms(server.signed_up_after + began.elapsed()));
        let (process, postgres) = (server.process_id(), server.postgres_id()?);
        let at_rest = (memory::resident(process)?, memory::of_postgres(postgres)?);
        let load = Load { sessions: 32, reconnects: false, lasts: None };
        let rest = pool.mails.get(1..).unwrap_or_default();
        sessions::send(server.smtp, std::slice::from_ref(&server.inbox_id), rest, load)?;
        let loaded = (memory::peak(process)?, memory::of_postgres(postgres)?);
        let opened = open(&server, options.sockets)?;
        let with_sockets = memory::resident(process)?;
        let waiting = count(opened.len());
        let size = count(usize::try_from(std::fs::metadata(&options.server)?.len())?) / 1e6;
        let figures = [start, accepted, at_rest.0, at_rest.1, loaded.0, loaded.1, waiting, with_sockets, size];
        rows.iter_mut().zip(figures).for_each(|(row, figure)| row.add(figure, None));
        server.stop().await?;
    }
    report::print("what it takes", &rows);
    Ok(())
}

/// Opens subscribed sockets up to the limits of the server.
fn open(server: &Server, sockets: usize) -> Outcome<Vec<Socket>> {
    let to = server.http_address();
    // The server limits sockets by address and by organization.
    let keys = (0..OPENING_THREADS)
        .map(|number| server.another_key(&format!("waiting{number}")))
        .collect::<Outcome<Vec<_>>>()?;
    thread::scope(|scope| {
        let opening: Vec<_> = (0..OPENING_THREADS)
            .zip(&keys)
            .map(|(number, key)| {
                let from = Ipv4Addr::new(127, 0, 0, 2 + number);
                let share = sockets / usize::from(OPENING_THREADS);
                scope.spawn(move || (0..share).map_while(|_| Socket::subscribe(from, to, key).ok()).collect::<Vec<_>>())
            })
            .collect();
        let mut opened = Vec::with_capacity(sockets);
        for part in opening {
            opened.extend(part.join().map_err(|_| "a thread panicked")?);
        }
        Ok(opened)
    })
}

/// Raises the limit of open files for this process and the server.
///
/// If the system does not permit it, fewer sockets are opened, and the row states the number.
fn allow_descriptors(wanted: usize) -> Outcome<()> {
    let wanted = Some(u64::try_from(wanted)?);
    let limit = getrlimit(Resource::Nofile);
    let maximum = limit.maximum.max(wanted);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    if raised.is_err() {
        setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })?;
    }
    Ok(())
}
