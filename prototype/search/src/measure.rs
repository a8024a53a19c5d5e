//! Figures.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio_postgres::Client;

use crate::mail::{Numbers, Words};
use crate::search::{Searcher, Work};
use crate::{Inbox, connect, id_of, index, time_of};

pub async fn sizes(client: &Client, indexed: usize) -> Result<(), Box<dyn Error>> {
    for table in
        ["messages", "message_bodies", "search_blocks", "search_documents", "search_segments", "search_pending"]
    {
        let row = client.query_one(&format!("SELECT pg_total_relation_size('{table}')"), &[]).await?;
        let octets: i64 = row.get(0);
        println!(
            "{table:>18} {:>8.1} MB {:>8.0} octets a message",
            octets as f64 / 1e6,
            octets as f64 / indexed.max(1) as f64
        );
    }
    for row in client.query("SELECT documents, octets FROM search_segments ORDER BY newest", &[]).await? {
        print!("{} ({} KB) ", row.get::<_, i32>(0), row.get::<_, i64>(1) / 1000);
    }
    println!();
    Ok(())
}

fn needles(words: &Words) -> Vec<(&'static str, String)> {
    let word = |from: usize| words.words[from..].iter().find(|word| word.len() >= 6).unwrap().clone();
    vec![
        ("rare word, planted", "marzipan".to_owned()),
        ("rare word of common parts", word(49_000)),
        ("seldom word", word(20_000)),
        ("word in some", word(3_000)),
        ("common word", word(300)),
        ("phrase that is nowhere", format!("{} {}", word(3_100), word(3_200))),
        ("word that is nowhere", "xylophonist".to_owned()),
        ("three letters, common", "the".to_owned()),
        ("three letters, rare", "arz".to_owned()),
        ("two rare letters", "qj".to_owned()),
        ("two letters, seldom", "zy".to_owned()),
        ("two common letters", "th".to_owned()),
        ("one rare character", "§".to_owned()),
        ("one common letter", "e".to_owned()),
    ]
}

const SCAN: &str = "SELECT m.timestamp, m.message_id FROM messages m WHERE m.organization_id = $1 AND m.inbox_id = $2
    AND m.hidden = 0 AND EXISTS (SELECT FROM message_bodies b WHERE b.organization_id = $1 AND b.inbox_id = $2
        AND b.message_id = m.message_id AND strpos(b.search_text, $3) > 0 OFFSET 0)
    ORDER BY m.timestamp DESC, m.message_id DESC LIMIT 50";

pub async fn queries(address: &str, rounds: usize, scans: bool) -> Result<(), Box<dyn Error>> {
    let client = connect(address).await?;
    let inbox = Inbox::first();
    let searcher = Searcher::new(&client).await?;
    let needles = needles(&Words::new());
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); needles.len()];
    let mut processor: Vec<Vec<f64>> = vec![Vec::new(); needles.len()];
    let backend: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await?.get(0);
    let processes = [std::process::id(), backend.cast_unsigned()];
    let mut seen: Vec<(usize, Work)> = vec![(0, Work::default()); needles.len()];
    // What the machine does at this moment: an empty statement, and the newest 50 without a search.
    let mut yardsticks: [Vec<Duration>; 2] = Default::default();
    let newest = client
        .prepare(
            "SELECT * FROM messages WHERE organization_id = $1 AND inbox_id = $2 AND hidden = 0
            ORDER BY timestamp DESC, message_id DESC LIMIT 50",
        )
        .await?;
    let nothing = client.prepare("SELECT").await?;
    for _ in 0..rounds {
        for _ in 0..needles.len() {
            let began = Instant::now();
            client.query(&nothing, &[]).await?;
            yardsticks[0].push(began.elapsed());
            let began = Instant::now();
            client.query(&newest, &[&inbox.organization_id, &inbox.inbox_id]).await?;
            yardsticks[1].push(began.elapsed());
        }
        for (place, (_, needle)) in needles.iter().enumerate() {
            let (began, before) = (Instant::now(), processor_ms(&processes));
            let (found, work) = searcher.newest(&client, &inbox, needle, 50, None).await?;
            times[place].push(began.elapsed());
            processor[place].push(processor_ms(&processes) - before);
            seen[place] = (found.len(), work);
        }
    }
    for (name, times) in ["empty statement", "newest 50"].iter().zip(&mut yardsticks) {
        times.sort_unstable();
        let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
        println!("{name:>28} {:>10} {:>9.2} {:>9.2}", "", at(50), at(99));
    }
    println!(
        "{:>28} {:>10} {:>9} {:>9} {:>7} {:>5} {:>7} {:>10} {:>6} {:>6} {:>10}",
        "", "needle", "p50 ms", "p99 ms", "cpu ms", "hits", "blocks", "candidates", "read", "rounds", "scan ms"
    );
    for (place, (((name, needle), times), (hits, work))) in needles.iter().zip(&mut times).zip(seen).enumerate() {
        times.sort_unstable();
        let at = |part: usize| times[(times.len() - 1) * part / 100].as_secs_f64() * 1e3;
        let began = Instant::now();
        if scans {
            let scanned = client.query(SCAN, &[&inbox.organization_id, &inbox.inbox_id, needle]).await?;
            assert_eq!(scanned.len(), hits, "{needle}");
        }
        println!(
            "{name:>28} {:>10} {:>9.2} {:>9.2} {:>7.2} {hits:>5} {:>7} {:>10} {:>6} {:>6} {:>10.1}",
            needle.chars().take(10).collect::<String>(),
            at(50),
            at(99),
            median(&mut processor[place]),
            work.blocks,
            work.candidates,
            work.read,
            work.rounds,
            began.elapsed().as_secs_f64() * 1e3
        );
    }
    Ok(())
}

/// Processor time that processes have taken, as the kernel counts it: waiting for others is not in it.
fn processor_ms(processes: &[u32]) -> f64 {
    let tasks = processes.iter().flat_map(|process| std::fs::read_dir(format!("/proc/{process}/task")).unwrap());
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.unwrap().path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<f64>().ok()
    });
    nanoseconds.sum::<f64>() / 1e6
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_unstable_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Asks for pieces of texts, from the whole inbox and before a time, and compares with a scan.
pub async fn check(address: &str, messages: u64) -> Result<(), Box<dyn Error>> {
    let client = connect(address).await?;
    let inbox = Inbox::first();
    let searcher = Searcher::new(&client).await?;
    let words = Words::new();
    let mut numbers = Numbers::new(99);
    for round in 0..300 {
        let text: Vec<char> = words.search_text(numbers.next() % messages).chars().collect();
        let length = 1 + numbers.below(if round % 3 == 0 { 4 } else { 14 });
        let from = numbers.below(text.len() - length);
        let needle: String = text[from..from + length].iter().collect();
        let before = (round % 2 == 0).then(|| time_of(numbers.next() % messages));
        let (found, _) = searcher.newest(&client, &inbox, &needle, 50, before).await?;
        let rows = client
            .query(
                &SCAN.replace("AND m.hidden = 0", "AND m.hidden = 0 AND ($4::timestamptz IS NULL OR m.timestamp < $4)"),
                &[&inbox.organization_id, &inbox.inbox_id, &needle, &before],
            )
            .await?;
        let scanned: Vec<_> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        assert_eq!(found, scanned, "{needle:?} {before:?}");
    }
    println!("300 searches found what a scan finds");
    Ok(())
}

const INSERT: &str = "
    WITH item AS (
        INSERT INTO messages (organization_id, inbox_id, message_id, thread_id, labels, hidden, timestamp, from_, to_, cc,
            bcc, reply_to, subject, preview, attachments, references_, size, header_message_id, digest, created_at, updated_at)
        VALUES ($1, $2, $3, $4, ARRAY['received','unread'], 0, $5, 'Anna <anna@sender.example>', ARRAY[$2], '{}', '{}', '{}',
            'A subject', 'A preview', '[]', '{}', 5000, $3, sha256($6), $5, $5)
    ), labels AS (
        INSERT INTO message_labels (organization_id, inbox_id, label, hidden, timestamp, message_id)
        SELECT $1, $2, l.label, 0, $5, $3 FROM unnest(ARRAY['received','unread']) AS l(label)
    ), event AS (
        INSERT INTO events (organization_id, created_at, event_id, event_type, pod_id, inbox_id, thread_id, message_id, body)
        VALUES ($1, $5, $8, 'message.received', $8, $2, $4, $3, '{}')
    ), thread AS (
        INSERT INTO threads (organization_id, inbox_id, thread_id, labels, timestamp, senders, recipients, attachments,
            last_message_id, message_count, size, hidden_sets, visible, folded_senders, folded_recipients, folded_subject,
            created_at, updated_at)
        VALUES ($1, $2, $4, ARRAY['received','unread'], $5, ARRAY['Anna'], ARRAY[$2], '[]', $3, 1, 5000, 1, true,
            ARRAY['anna'], ARRAY[$2], 'a subject', $5, $5)
    )
    PENDING
    INSERT INTO message_bodies (organization_id, inbox_id, message_id, text, headers, search_text, folded_from, folded_to,
        folded_subject, raw)
    VALUES ($1, $2, $3, $7, '[]', $7, 'anna', '{}', 'a subject', $6)";
const PENDING: &str = ", pending AS (INSERT INTO search_pending VALUES ($1, $2, 0, $5, $3))";

/// Stores messages as the product does, a commit each, with search off and on in turn, and prints the ratio.
pub async fn receiving(address: &str, seconds: u64, clients: usize) -> Result<(), Box<dyn Error>> {
    let words = Arc::new(Words::new());
    let texts: Arc<Vec<String>> = Arc::new((0..2_000).map(|n| words.search_text(n + 5_000_000)).collect());
    let first = (OffsetNow::seconds() - 1_700_000_000) as u64 * 100_000;
    let next = Arc::new(AtomicU64::new(first));
    let mut ratios = Vec::new();
    for round in 0..5 {
        let off = run(address, false, seconds, clients, &next, &texts).await?;
        let on = run(address, true, seconds, clients, &next, &texts).await?;
        println!(
            "{round}: off {:.0}/s p50 {:.2} p99 {:.2} most {:.1} ms; on {:.0}/s p50 {:.2} p99 {:.2} most {:.1} ms, \
            {} left pending; ratio {:.3}",
            off.0,
            off.1,
            off.2,
            off.3,
            on.0,
            on.1,
            on.2,
            on.3,
            on.4,
            on.0 / off.0
        );
        ratios.push(on.0 / off.0);
    }
    ratios.sort_by(f64::total_cmp);
    println!("ratio {:.3} ({:.3} - {:.3})", ratios[2], ratios[0], ratios[4]);
    Ok(())
}

struct OffsetNow;
impl OffsetNow {
    fn seconds() -> i64 {
        time::OffsetDateTime::now_utc().unix_timestamp()
    }
}

async fn run(
    address: &str,
    on: bool,
    seconds: u64,
    clients: usize,
    next: &Arc<AtomicU64>,
    texts: &Arc<Vec<String>>,
) -> Result<(f64, f64, f64, f64, i64), Box<dyn Error>> {
    let stop = Arc::new(AtomicBool::new(false));
    let text = INSERT.replace("PENDING", if on { PENDING } else { "" });
    let mut running = Vec::new();
    for _ in 0..clients {
        let client = connect(address).await?;
        let statement = client.prepare(&text).await?;
        let (stop, next, texts) = (stop.clone(), next.clone(), texts.clone());
        running.push(tokio::spawn(async move {
            let inbox = Inbox::first();
            let mut times = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let text = &texts[number as usize % texts.len()];
                let raw = [text.as_bytes(), b"Received: from somewhere else entirely"].concat();
                let thread = uuid::Uuid::now_v7();
                let event = uuid::Uuid::now_v7();
                let began = Instant::now();
                client
                    .execute(
                        &statement,
                        &[
                            &inbox.organization_id,
                            &inbox.inbox_id,
                            &id_of(number),
                            &thread,
                            &time::OffsetDateTime::now_utc(),
                            &raw,
                            text,
                            &event,
                        ],
                    )
                    .await
                    .unwrap();
                times.push(began.elapsed());
            }
            times
        }));
    }
    let indexes = std::env::var_os("PENDING_ALONE").is_none();
    let flusher = {
        let (stop, mut client) = (stop.clone(), connect(address).await?);
        tokio::spawn(async move {
            let (inbox, mut spent) = (Inbox::first(), index::Spent::default());
            while on && indexes && !stop.load(Ordering::Relaxed) {
                let began = Instant::now();
                let statement = "SELECT count(*) FROM (SELECT FROM search_pending WHERE organization_id = $1
                    AND inbox_id = $2 AND hidden = 0 LIMIT 64) few";
                let some: i64 =
                    client.query_one(statement, &[&inbox.organization_id, &inbox.inbox_id]).await.unwrap().get(0);
                if some >= 64 {
                    index::flush(&mut client, &inbox, 0, &mut spent).await.unwrap();
                    index::tidy(&client).await.unwrap();
                }
                tokio::time::sleep((6 * began.elapsed()).max(Duration::from_millis(100))).await;
            }
        })
    };
    let merger = {
        let (stop, mut client) = (stop.clone(), connect(address).await?);
        tokio::spawn(async move {
            let (inbox, mut spent) = (Inbox::first(), index::Spent::default());
            while on && indexes && !stop.load(Ordering::Relaxed) {
                let began = Instant::now();
                index::merge_some(&mut client, &inbox, 0, &mut spent).await.unwrap();
                tokio::time::sleep((6 * began.elapsed()).max(Duration::from_millis(100))).await;
            }
        })
    };
    let began = Instant::now();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    stop.store(true, Ordering::Relaxed);
    let mut times = Vec::new();
    for client in running {
        times.extend(client.await?);
    }
    let took = began.elapsed();
    let client = connect(address).await?;
    let left: i64 = client.query_one("SELECT count(*) FROM search_pending", &[]).await?.get(0);
    flusher.await?;
    merger.await?;
    times.sort_unstable();
    let at = |part: usize| times[(times.len() - 1) * part / 1000].as_secs_f64() * 1e3;
    Ok((times.len() as f64 / took.as_secs_f64(), at(500), at(990), at(1000), left))
}
