//! SPF evaluation (RFC 7208): the queries of `inboxd_mail`'s evaluator.

use std::time::Duration;

use futures_util::future::join_all;
use inboxd_core::model::AuthResult;
use inboxd_core::ports::{Dns, HandedMail, Lookup, SpfEvidence};
use inboxd_mail::{SpfAnswer, SpfAnswers, SpfCheck, SpfQuery, SpfRecordType, SpfResult};

use super::UNANSWERED;
use super::bounds::dns_name;
use crate::dns::DnsResolver;

/// Evaluates SPF for the domain of the return path, or for the HELO name without one (RFC 7208, section 2.4).
pub(super) async fn evaluate(resolver: &DnsResolver, mail: &HandedMail<'_>, time_limit: Duration) -> SpfEvidence {
    let helo = dns_name(mail.helo.trim_end_matches('.'));
    // Internationalized names are queried as A-labels (RFC 8616, section 4).
    let sender = mail.envelope_from.map(|sender| (sender.local(), dns_name(&sender.domain())));
    let check = SpfCheck::new(mail.ip, &helo, sender.as_ref().map(|(local, domain)| (&**local, &**domain)));
    let of_helo = sender.is_none();
    let domain = sender.map_or(helo, |(_, domain)| domain);
    let result = tokio::time::timeout(time_limit, resolve(resolver, &check)).await.map_or(UNANSWERED, result);
    SpfEvidence { result, domain, of_helo }
}

/// Evaluates a check with the answers of a resolver.
async fn resolve(resolver: &DnsResolver, check: &SpfCheck) -> SpfResult {
    let mut answers = SpfAnswers::new();
    loop {
        match check.evaluate(&answers) {
            Ok(result) => return result,
            Err(queries) => {
                let found = join_all(queries.iter().map(|query| answer(resolver, query))).await;
                answers.extend(queries.into_iter().zip(found));
            }
        }
    }
}

async fn answer(resolver: &DnsResolver, query: &SpfQuery) -> SpfAnswer {
    let name = &query.name;
    match query.record_type {
        SpfRecordType::Txt => of_lookup(resolver.txt(name).await, SpfAnswer::Texts),
        SpfRecordType::A => of_lookup(resolver.ipv4_addresses(name).await, SpfAnswer::Addresses),
        SpfRecordType::Aaaa => of_lookup(resolver.ipv6_addresses(name).await, SpfAnswer::Addresses),
        SpfRecordType::Ptr => of_lookup(resolver.pointers(name).await, SpfAnswer::Hosts),
        SpfRecordType::Mx => of_lookup(resolver.mx(name).await, |mut hosts| {
            hosts.sort_by_key(|host| host.preference);
            // The null exchanger is no host (RFC 7505).
            SpfAnswer::Hosts(hosts.into_iter().map(|host| host.host).filter(|host| !host.is_empty()).collect())
        }),
    }
}

fn of_lookup<T>(lookup: Lookup<T>, answer: impl FnOnce(Vec<T>) -> SpfAnswer) -> SpfAnswer {
    match lookup {
        Lookup::Found(records) => answer(records),
        Lookup::Absent => answer(Vec::new()),
        Lookup::Failed(_) => SpfAnswer::Failed,
    }
}

fn result(result: SpfResult) -> AuthResult {
    match result {
        SpfResult::Pass => AuthResult::Pass,
        SpfResult::Fail => AuthResult::Fail,
        SpfResult::SoftFail => AuthResult::SoftFail,
        SpfResult::Neutral => AuthResult::Neutral,
        SpfResult::TempError => AuthResult::TempError,
        SpfResult::PermError => AuthResult::PermError,
        SpfResult::None => AuthResult::None,
    }
}
