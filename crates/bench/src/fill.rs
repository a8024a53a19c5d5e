//! Large inboxes, filled by the database with rows as the product writes them.
//!
//! One message arrives over SMTP as a template. Its rows are copied, column by column, with another number, text and
//! time. This program writes the compressed bodies. Then a message with the text of a copy arrives over SMTP, and the API
//! must show both alike.

mod frames;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::load::http::{Http, encoded};
use crate::load::smtp::Session;
use crate::outcome::Outcome;
use crate::peers::psql::Database;
use crate::server::Server;

/// Word of one message in 5,000.
pub(crate) const RARE_WORD: &str = "xylophonist";
/// Word of every other message.
pub(crate) const COMMON_WORD: &str = "thursday";
/// Three letters of one message in 50.
pub(crate) const THREE_LETTERS: &str = "wkw";
/// Two adjacent letters of one message in 2,500.
pub(crate) const TWO_LETTERS: &str = "qz";
/// Label of about sixty messages, independent of the inbox size.
pub(crate) const LABEL: &str = "seldom";
/// Number of messages with [`LABEL`], and of threads with an assignee.
const LABELLED_MESSAGES: usize = 60;

/// Time without changes after which the index counts as complete.
const STABLE_TIME: Duration = Duration::from_secs(15);

/// Placeholder for the number of a copy.
const NUMBER_PLACEHOLDER: &str = "benchnumber";
/// Separator of the sentences of a copy, which stands for the line end of the template.
const SEPARATOR: char = '\u{1}';
const LINES: [&str; 2] = ["benchfirst", "benchsecond"];
const SENTENCES: usize = 1024;
const SENDER: &str = "sender@bench.example";

/// Words of made texts.
pub(crate) const WORDS: &str = "the of and to in is that for it was on are as with they be at one have this from or \
    had by but what some we can out other were all there when up use your how said each she which do their time if \
    will way about many then them write would like so these her long make thing see him two has look more day could \
    go come did number sound no most people my over know water than call first who may down side been now find any \
    new work part take get place made live where after back little only round man year came show every good me give \
    our under name very through just form sentence great think say help low line differ turn cause much mean before \
    move right boy old too same tell does set three want air well also play small end put home read hand port large \
    spell add even land here must big high such follow act why ask men change went light kind off need house picture \
    try us again animal point mother world near";

/// Creates the objects that [`fill`] needs.
pub(crate) fn prepare(server: &Server) -> Outcome<()> {
    let text = LINES.join("\r\n");
    deliver(server, &server.inbox_id, NUMBER_PLACEHOLDER, &text)?;
    let mut api = server.api()?;
    let message = newest(&mut api, &server.inbox_id)?;
    let path = |kind: &str, id: &Value| {
        format!("/v0/inboxes/{}/{kind}/{}", server.inbox_id, encoded(id.as_str().unwrap_or_default()))
    };
    api.patch(&path("messages", &message["message_id"]), &json!({"add_labels": [LABEL]}))?;
    api.patch(&path("threads", &message["thread_id"]), &json!({"assignee_id": "me"}))?;
    let rows = format!(
        "create schema bench;
         create table bench.message as select * from messages where inbox_id = '{inbox}';
         create table bench.body as select * from message_bodies where inbox_id = '{inbox}';
         create table bench.thread as select * from threads where inbox_id = '{inbox}';
         create table bench.sentences (place int primary key, sentence text);
         insert into bench.sentences select ordinality - 1, sentence from unnest(array[{sentences}]) with ordinality
             as s(sentence, ordinality);
         analyze bench.sentences;
         create function bench.between(text) returns text immutable language sql as
             $$ select substring($1 from '{first}(.*?){second}') $$;
         create function bench.body(n int) returns text stable language sql as $$
             select string_agg((select sentence from bench.sentences where place = hashint4(n * 64 + k) & {last}), chr(1)
                     order by k)
                 || case when n % 2 = 0 then chr(1) || '{COMMON_WORD}' else '' end
                 || case when n % 50 = 3 then chr(1) || 'awkward' else '' end
                 || case when n % 2500 = 11 then chr(1) || 'su{TWO_LETTERS}ar' else '' end
                 || case when n % 5000 = 17 then chr(1) || '{RARE_WORD}' else '' end
             from generate_series(1, 28) k $$;
         create function bench.copy(original text, n int, body text) returns text immutable language sql as $$
             select replace(replace(original, '{first}' || coalesce(bench.between(original), '') || '{second}',
                 replace(body, chr(1), coalesce(bench.between(original), ''))), '{NUMBER_PLACEHOLDER}', n::text) $$",
        inbox = server.inbox_id,
        first = LINES[0],
        second = LINES[1],
        last = SENTENCES - 1,
        sentences = sentences(),
    );
    server.database().script(&rows)
}

/// Fills a new inbox with so many messages, one second apart. The newest is from now.
pub(crate) fn fill(server: &mut Server, messages: usize) -> Outcome<String> {
    let [inbox_id] = server.new_inboxes(1)?.try_into().map_err(|_| "not one inbox")?;
    let began = Instant::now();
    let database = server.database();
    database.script(&made(&inbox_id, messages))?;
    frames::write(&database)?;
    database.script(&copies(&inbox_id))?;
    database.execute("vacuum analyze messages, message_labels, message_bodies, threads, thread_labels")?;
    until_indexed(&database, &inbox_id)?;
    check(server, &inbox_id, messages)?;
    eprintln!("an inbox of {messages} messages was filled in {:.0} s", began.elapsed().as_secs_f64());
    Ok(inbox_id)
}

/// Returns the script that makes numbers, contents and times of copies.
fn made(inbox_id: &str, messages: usize) -> String {
    let every = messages.div_ceil(LABELLED_MESSAGES);
    format!(
        "create unlogged table bench.made as
             select n, bench.body(n) as content, now() - ({messages} - n) * interval '1 second' as at,
                 md5('{inbox_id}' || n)::uuid as thread_id, n % {every} = 0 as is_seldom
             from generate_series(1, {messages}) n"
    )
}

fn copies(inbox_id: &str) -> String {
    // Columns of the message body row, and whether the label and assignee of the template are left out.
    let labels =
        |table: &str| format!("case when is_seldom then t.{table} else array_remove(t.{table}, '{LABEL}') end");
    let copied = |column: &str| format!("'{column}', bench.copy(t.{column}, made.n, content)");
    let columns = |names: &[&str]| names.iter().map(|name| copied(name)).collect::<Vec<_>>().join(", ");
    let preview = "'preview', rtrim(left(replace(content, chr(1), ' '), 200))";
    let times = "'timestamp', at, 'created_at', at, 'updated_at', at";
    let insert = |table: &str, template: &str, values: &str| {
        format!(
            "insert into {table} select r.* from bench.made made join bench.frames frames using (n)
                 cross join bench.{template} t cross join lateral
             jsonb_populate_record(t, jsonb_build_object('inbox_id', '{inbox_id}', {values})) r;"
        )
    };
    let message = format!(
        "{}, 'thread_id', made.thread_id, 'labels', {}, {preview}, {times},
         'size', t.size + octet_length(content) + 27 - {}",
        columns(&["message_id", "header_message_id", "subject"]),
        labels("labels"),
        LINES.concat().len()
    );
    let body = format!(
        "{}, 'body', frames.body, 'body_bytes', frames.body_bytes",
        columns(&["message_id", "search_text", "folded_subject"])
    );
    let thread = format!(
        "{}, 'thread_id', made.thread_id, 'labels', {}, {preview}, {times}, 'received_timestamp', at,
         'assignee_id', case when is_seldom then t.assignee_id end, 'assignee', case when is_seldom then t.assignee end",
        columns(&["last_message_id", "subject", "folded_subject"]),
        labels("labels")
    );
    [
        "begin;".to_owned(),
        insert("messages", "message", &message),
        insert("message_bodies", "body", &body),
        insert("threads", "thread", &thread),
        format!(
            "insert into message_labels select organization_id, inbox_id, unnest(labels), hidden, timestamp, message_id
                 from messages where inbox_id = '{inbox_id}';
             insert into thread_labels select organization_id, inbox_id, unnest(labels), visible, timestamp, thread_id
                 from threads where inbox_id = '{inbox_id}';
             insert into search_pending (organization_id, inbox_id, hidden, timestamp, message_id)
                 select organization_id, inbox_id, hidden, timestamp, message_id from messages where inbox_id = '{inbox_id}';
             delete from inbox_usage where inbox_id = '{inbox_id}';
             insert into inbox_usage (organization_id, inbox_id, storage_bytes, messages, threads)
                 select organization_id, inbox_id, sum(size), count(*), count(*)
                 from messages where inbox_id = '{inbox_id}' group by 1, 2;
             commit;
             drop table bench.made, bench.frames;"
        ),
    ]
    .concat()
}

/// Waits until the copies are in the search index and the index no longer changes.
fn until_indexed(database: &Database, inbox_id: &str) -> Outcome<()> {
    let left = format!("select count(*) from (select from search_pending where inbox_id = '{inbox_id}' limit 64) few");
    let segments = format!(
        "select string_agg(segment_id::text, ',' order by 1) from search_segments where inbox_id = '{inbox_id}'"
    );
    let mut last = String::new();
    loop {
        std::thread::sleep(STABLE_TIME);
        let now = database.execute(&segments)?;
        if now == last && database.execute(&left)?.trim() != "64" {
            return Ok(());
        }
        last = now;
    }
}

/// Compares a received message with a copy, and checks that searches find copies.
fn check(server: &Server, inbox_id: &str, messages: usize) -> Outcome<()> {
    let mut api = server.api()?;
    let copy = newest(&mut api, inbox_id)?;
    let text = copy["text"].as_str().unwrap_or_default().lines().collect::<Vec<_>>().join("\r\n");
    deliver(server, &server.inbox_id, &messages.to_string(), &text)?;
    let own = newest(&mut api, &server.inbox_id)?;
    for field in ["message_id", "subject", "preview", "text", "extracted_text", "from", "headers", "attachments"] {
        if own[field] != copy[field] {
            return Err(format!("{field} is {} where the product writes {}", copy[field], own[field]).into());
        }
    }
    let found = api.get(&format!("/v0/inboxes/{inbox_id}/messages/search?q={RARE_WORD}"))?;
    match found["messages"].as_array().map(Vec::len) {
        Some(hits) if hits == (messages.saturating_sub(17) / 5000 + 1).min(50) => Ok(()),
        hits => Err(format!("{hits:?} of the copies are found by {RARE_WORD}").into()),
    }
}

fn deliver(server: &Server, inbox_id: &str, number: &str, text: &str) -> Outcome<()> {
    let mail = format!(
        "From: Sender <{SENDER}>\r\nTo: Agent <agent@bench.example>\r\nSubject: mail {number}\r\n\
         Message-ID: <{number}.fill@bench.example>\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n\r\n{text}\r\n.\r\n"
    );
    let mut session = Session::open(server.smtp)?;
    session.send(SENDER, inbox_id, mail.as_bytes())?;
    Ok(session.quit()?)
}

/// Returns the newest message of an inbox with its bodies.
fn newest(api: &mut Http, inbox_id: &str) -> Outcome<Value> {
    let list = api.get(&format!("/v0/inboxes/{inbox_id}/messages?limit=1"))?;
    let message_id = list["messages"][0]["message_id"].as_str().ok_or_else(|| format!("no message in {inbox_id}"))?;
    api.get(&format!("/v0/inboxes/{inbox_id}/messages/{}", encoded(message_id)))
}

/// Returns fixed sentences of about seventy characters as SQL.
fn sentences() -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut seed = 1_u32;
    let mut all = String::new();
    for number in 0..SENTENCES {
        let mut sentence = String::new();
        while sentence.len() < 66 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let word = words.get((seed >> 16) as usize % words.len()).copied().unwrap_or_default();
            let _ = write!(sentence, "{}{word}", if sentence.is_empty() { "" } else { " " });
        }
        let _ = write!(all, "{}'{sentence}.'", if number == 0 { "" } else { "," });
    }
    all
}
