//! From a question to an answer.

use std::sync::PoisonError;

use hickory_resolver::proto::op::{Message, MessageType, OpCode, Query, ResponseCode};
use hickory_resolver::proto::rr::rdata::{CNAME, NS};
use hickory_resolver::proto::rr::{Name, RData, Record, RecordType};

use super::{Entry, Zone, key};

/// The answer to a question; `None` for silence. One that is larger than the limit is cut short and says so.
pub(super) fn answer(zone: &Zone, question: &[u8], limit: Option<usize>) -> Option<Vec<u8>> {
    let question = Message::from_vec(question).ok()?;
    let query = question.queries.first()?.clone();
    let name = key(&query.name().to_ascii());
    let entry = zone.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned();
    let mut answer = Message::new(question.metadata.id, MessageType::Response, OpCode::Query);
    answer.metadata.recursion_desired = question.metadata.recursion_desired;
    answer.metadata.recursion_available = true;
    answer.add_query(query.clone());
    match entry {
        Some(Entry::Silent) => return None,
        Some(Entry::Failing) => answer.metadata.response_code = ResponseCode::ServFail,
        Some(Entry::Code(code)) => answer.metadata.response_code = ResponseCode::from(0, code),
        Some(Entry::Elsewhere) => {
            answer.add_authority(Record::from_rdata(query.name().clone(), 60, servers()));
        }
        Some(Entry::Alias(target)) => {
            answer.add_answer(Record::from_rdata(query.name().clone(), 60, RData::CNAME(CNAME(target))));
        }
        Some(Entry::Records(records)) => add(&mut answer, zone, &query, &records),
        // The root is there for everybody.
        None if name.is_empty() && query.query_type() == RecordType::NS => {
            answer.add_answer(Record::from_rdata(query.name().clone(), 60, servers()));
        }
        None => answer.metadata.response_code = ResponseCode::NXDomain,
    }
    let octets = answer.to_vec().unwrap();
    if limit.is_none_or(|limit| octets.len() <= limit) {
        return Some(octets);
    }
    answer.answers.clear();
    answer.metadata.truncation = true;
    Some(answer.to_vec().unwrap())
}

/// The name of a server that would know.
fn servers() -> RData {
    RData::NS(NS(Name::from_ascii("a.servers.example.").unwrap()))
}

/// Adds the records of the wanted type; an alias, with what it leads to.
fn add(answer: &mut Message, zone: &Zone, query: &Query, records: &[RData]) {
    for data in records {
        if data.record_type() == query.query_type() {
            answer.add_answer(Record::from_rdata(query.name().clone(), 60, data.clone()));
        }
        if let RData::CNAME(target) = data {
            answer.add_answer(Record::from_rdata(query.name().clone(), 60, data.clone()));
            let known = zone.lock().unwrap_or_else(PoisonError::into_inner).get(&key(&target.to_ascii())).cloned();
            if let Some(Entry::Records(records)) = known {
                add(answer, zone, &Query::query(target.0.clone(), query.query_type()), &records);
            }
        }
    }
}
