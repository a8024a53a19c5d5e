//! DNS responses from the test zone.

use std::sync::PoisonError;

use hickory_resolver::proto::op::{Message, MessageType, OpCode, Query, ResponseCode};
use hickory_resolver::proto::rr::rdata::{CNAME, NS};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

use super::{Entry, Zone, key};

/// Returns the response to a query, or `None` for a silent name. A response above the limit is truncated and flagged
/// (TC).
pub(super) fn respond(zone: &Zone, question: &[u8], limit: Option<usize>) -> Option<Vec<u8>> {
    let question = Message::from_vec(question).ok()?;
    let query = question.queries.first()?.clone();
    let name = key(&query.name().to_ascii());
    let entry = zone.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned();
    let mut response = Message::new(question.metadata.id, MessageType::Response, OpCode::Query);
    response.metadata.recursion_desired = question.metadata.recursion_desired;
    response.metadata.recursion_available = true;
    response.add_query(query.clone());
    match entry {
        Some(Entry::Silent) => return None,
        Some(Entry::Failing) => response.metadata.response_code = ResponseCode::ServFail,
        Some(Entry::Code(code)) => response.metadata.response_code = ResponseCode::from(0, code),
        Some(Entry::Referral) => {
            response.add_authority(Record::from_rdata(query.name().clone(), 60, referral()));
        }
        Some(Entry::Alias(target)) => {
            response.add_answer(Record::from_rdata(query.name().clone(), 60, RData::CNAME(CNAME(target))));
        }
        Some(Entry::Records(records)) => add_records(&mut response, zone, &query, &records),
        // The root zone always exists.
        None if name.is_empty() && query.query_type() == RecordType::NS => {
            response.add_answer(Record::from_rdata(query.name().clone(), 60, referral()));
        }
        None => response.metadata.response_code = ResponseCode::NXDomain,
    }
    let bytes = response.to_vec().unwrap();
    if limit.is_none_or(|limit| bytes.len() <= limit) {
        return Some(bytes);
    }
    response.answers.clear();
    response.metadata.truncation = true;
    Some(response.to_vec().unwrap())
}

/// Returns the name server of a referral.
fn referral() -> RData {
    RData::NS(NS(Name::from_ascii("a.servers.example.").unwrap()))
}

/// Adds the records of the queried type, and follows aliases.
fn add_records(response: &mut Message, zone: &Zone, query: &Query, records: &[RData]) {
    for data in records {
        if data.record_type() == query.query_type() {
            response.add_answer(Record::from_rdata(query.name().clone(), 60, data.clone()));
        }
        if let RData::CNAME(target) = data {
            response.add_answer(Record::from_rdata(query.name().clone(), 60, data.clone()));
            let known = zone.lock().unwrap_or_else(PoisonError::into_inner).get(&key(&target.to_ascii())).cloned();
            if let Some(Entry::Records(records)) = known {
                add_records(response, zone, &Query::query(target.0.clone(), query.query_type()), &records);
            }
        }
    }
}
