//! Properties of short inputs: fields of events, searches, SPF records, documents of OAuth clients, signed tokens, and
//! headers of proxies.

use std::net::{IpAddr, Ipv4Addr};

use inboxd_core::rules::oauth::documents;
use inboxd_core::rules::proxy_protocol::{MAX_REST_BYTES, ProxyPrefix};
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::rules::trusted_proxies::TrustedProxies;
use inboxd_core::rules::word_search::{TermField, WordQuery};
use inboxd_mail::{
    SpfAnswer, SpfAnswers, SpfCheck, SpfQuery, SpfRecordType, check_recurrence, check_times, is_valid_spf_record,
};
use time::OffsetDateTime;

/// Evaluations after which every SPF check has its result: ten terms query, with two queries each.
const MAX_EVALUATIONS: usize = 40;

/// Checks times and recurrence of an event: start, end, time zone, rule and dates, a line each.
pub fn calendar_fields(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let mut next = || lines.next().unwrap_or_default();
    let (start, end, timezone, rule) = (next(), next(), next(), next());
    let dates: Vec<String> = lines.map(str::to_owned).collect();
    for all_day in [false, true] {
        let Ok(times) = check_times(all_day, start, end, timezone, true) else { continue };
        assert!(times.start <= times.end && times.start_at < times.end_at, "{times:?}");
        let Ok(checked) = check_recurrence(&times, rule, dates.clone(), Vec::new()) else { continue };
        let again = check_recurrence(&times, &checked.rule, dates.clone(), Vec::new());
        assert_eq!(again.as_ref(), Ok(&checked), "a normalized rule stays the same");
    }
}

/// Parses a search by words.
pub fn word_query(bytes: &[u8]) {
    let Ok(query) = WordQuery::parse(&String::from_utf8_lossy(bytes)) else { return };
    let fields = [TermField::Any, TermField::From, TermField::To, TermField::Subject];
    let pieces: Vec<&str> = fields.iter().flat_map(|field| query.pieces(*field)).collect();
    // A sigma splits a word.
    assert!((1..=32 * 64).contains(&pieces.len()), "a query has a word that must occur: {query:?}");
    for piece in pieces {
        assert!((1..=64).contains(&piece.chars().count()) && !piece.contains(char::is_whitespace), "{piece:?}");
    }
}

/// Evaluates SPF records, one a line; the names that they query have the records in turns.
pub fn spf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let records: Vec<&str> = text.lines().take(20).collect();
    let client = IpAddr::from(Ipv4Addr::new(192, 0, 2, 1));
    let check = SpfCheck::new(client, "mx.example.org", Some(("anna", "example.org")));
    let mut answers = SpfAnswers::new();
    for _ in 0..MAX_EVALUATIONS {
        let Err(missing) = check.evaluate(&answers) else { return };
        assert!(!missing.is_empty() && missing.iter().all(|query| !answers.contains_key(query)), "{missing:?}");
        for query in missing {
            let record = records.get(answers.len() % records.len().max(1)).copied().unwrap_or_default();
            let answer = answer(&query, record, client);
            answers.insert(query, answer);
        }
    }
    let is_valid = records.iter().any(|record| is_valid_spf_record(record));
    panic!("the check of {records:?} never ends (valid: {is_valid})");
}

fn answer(query: &SpfQuery, record: &str, client: IpAddr) -> SpfAnswer {
    assert!(query.name.len() <= 253, "names fit into DNS: {}", query.name);
    match query.record_type {
        SpfRecordType::Txt => SpfAnswer::Texts(vec![record.to_owned()]),
        SpfRecordType::A | SpfRecordType::Aaaa if record.len().is_multiple_of(2) => SpfAnswer::Addresses(vec![client]),
        SpfRecordType::A | SpfRecordType::Aaaa => SpfAnswer::Failed,
        SpfRecordType::Mx | SpfRecordType::Ptr => SpfAnswer::Hosts(vec![record.to_owned(); 11]),
    }
}

/// Reads the metadata document of an OAuth client.
pub fn client_document(bytes: &[u8]) {
    let url = "https://client.example/oauth.json";
    let Ok(client) = documents::read(url, bytes, Some("application/json"), None, OffsetDateTime::UNIX_EPOCH) else {
        return;
    };
    assert!(client.secret_hash.is_none() && !client.redirect_uris.is_empty(), "{client:?}");
    assert!(!client.name.trim().is_empty() && !client.name.contains(char::is_control), "{:?}", client.name);
}

/// Parses a PROXY protocol header.
pub fn proxy_header(bytes: &[u8]) {
    let Some((prefix, rest)) = bytes.split_first_chunk() else { return };
    let Ok(prefix) = ProxyPrefix::parse(prefix) else { return };
    assert!(prefix.rest_bytes() <= MAX_REST_BYTES, "the reader allocates {} bytes", prefix.rest_bytes());
    if let Some(rest) = rest.get(..prefix.rest_bytes()) {
        let _ = prefix.client(rest);
    }
}

/// Reads fields of a proxy, one a line, with the address of its client at their end.
pub fn forwarded(bytes: &[u8]) {
    let network = "10.0.0.0/8".parse().unwrap_or_else(|error| panic!("{error}"));
    let trusted = TrustedProxies::new(vec![network]);
    let (proxy, client) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([192, 0, 2, 1]));
    let text = String::from_utf8_lossy(bytes);
    let (sent, other) = text.split_once('\n').unwrap_or((&text, ""));
    let (forwarded_for, forwarded) = (format!("{sent},{client}"), format!("{sent},for={client}"));
    assert_eq!(trusted.client(client, &[sent, other], &[other]), client, "an untrusted peer is the client");
    assert_eq!(trusted.client(proxy, &[&forwarded_for], &[]), client);
    assert_eq!(trusted.client(proxy, &[], &[&forwarded]), client);
    for chosen in [trusted.client(proxy, &[&forwarded_for], &[other]), trusted.client(proxy, &[other], &[&forwarded])] {
        assert!([client, proxy].contains(&chosen), "a client chose {chosen}");
    }
}

/// Verifies signed tokens: those of another purpose and all other texts are invalid.
pub fn tokens(bytes: &[u8]) {
    let key = SigningKey::new([7; 32]);
    let token = key.sign("file upload", bytes);
    assert_eq!(key.verify("file upload", &token).as_deref(), Some(bytes));
    assert_eq!(key.verify("file download", &token), None);
    assert_eq!(key.verify("file upload", &String::from_utf8_lossy(bytes)), None);
}
