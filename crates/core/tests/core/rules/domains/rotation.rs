use inboxd_core::model::domain::{DomainStatus, RecordPurpose, RecordStatus};
use inboxd_core::model::{DkimKey, Domain, KeyState};
use inboxd_core::rules::domains::rotation::{RETIREMENT, advance, next_record, with_next_key};
use inboxd_core::rules::domains::status::after_check;
use inboxd_core::rules::domains::verify::CheckedRecord;
use inboxd_core::testing::fixtures::{self, NOW};
use time::Duration;

fn key(state: KeyState) -> DkimKey {
    DkimKey {
        organization_id: Some(fixtures::domain().organization_id),
        name: fixtures::domain().name.to_string(),
        selector: "inboxd7".to_owned(),
        sealed: b"sealed".to_vec(),
        public_key: "BBBB".to_owned(),
        state,
        changed_at: NOW,
    }
}

/// The records of a domain after all were found, except that of the next key.
fn looked_up(domain: &Domain, next: RecordStatus) -> Vec<CheckedRecord> {
    let judged = domain.records.iter().cloned().map(|mut record| {
        record.status = if record.purpose == RecordPurpose::NextDkim { next } else { RecordStatus::Valid };
        CheckedRecord { record, answered: true }
    });
    judged.collect()
}

/// Returns the names of the key records by purpose.
fn keys(judged: &[CheckedRecord]) -> Vec<(RecordPurpose, String)> {
    let is_key =
        |purpose| matches!(purpose, RecordPurpose::Dkim | RecordPurpose::NextDkim | RecordPurpose::RetiredDkim);
    let records = judged.iter().map(|judged| &judged.record).filter(|record| is_key(record.purpose));
    records.map(|record| (record.purpose, record.name.split('.').next().unwrap().to_owned())).collect()
}

#[test]
fn domain_stays_verified_while_next_key_is_pending() {
    let begun = with_next_key(fixtures::domain(), &key(KeyState::Next));
    assert_eq!(next_record(&begun).map(|record| record.status), Some(RecordStatus::Missing));
    for status in [RecordStatus::Missing, RecordStatus::Invalid] {
        let waiting = looked_up(&begun, status);
        assert_eq!(after_check(begun.clone(), waiting.clone(), NOW).status, DomainStatus::Verified);
        let keys_now = [key(KeyState::Next)];
        let (after, promoted) = advance(waiting.clone(), &keys_now, NOW);
        assert_eq!((after, promoted), (waiting, None), "{status:?}");
    }
}

#[test]
fn next_key_replaces_earlier_one_which_stays_a_week() {
    let found = looked_up(&with_next_key(fixtures::domain(), &key(KeyState::Next)), RecordStatus::Valid);
    let another = [DkimKey { selector: "inboxd8".to_owned(), ..key(KeyState::Next) }];
    assert_eq!(advance(found.clone(), &another, NOW), (found.clone(), None), "the record belongs to another key");
    let waiting = [key(KeyState::Next)];
    let (switched, promoted) = advance(found, &waiting, NOW);
    assert_eq!(promoted, Some(&waiting[0]));
    let both = [(RecordPurpose::RetiredDkim, "inboxd".to_owned()), (RecordPurpose::Dkim, "inboxd7".to_owned())];
    assert_eq!(keys(&switched), both);
    let active = [key(KeyState::Active)];
    let (later, _) = advance(switched.clone(), &active, NOW + RETIREMENT - Duration::SECOND);
    assert_eq!(keys(&later), both, "mail is still in transit");
    let (over, promoted) = advance(switched, &active, NOW + RETIREMENT);
    assert_eq!((keys(&over), promoted), (vec![(RecordPurpose::Dkim, "inboxd7".to_owned())], None));
}

#[test]
fn retired_keys_each_stay_a_week() {
    let at = |days| NOW + Duration::days(days);
    let second = |state, changed_at| DkimKey { changed_at, ..key(state) };
    let third = |state, changed_at| DkimKey { selector: "inboxd8".to_owned(), ..second(state, changed_at) };
    let (domain, next) = (fixtures::domain(), [second(KeyState::Next, at(0))]);
    let (first_switch, _) =
        advance(looked_up(&with_next_key(domain.clone(), &next[0]), RecordStatus::Valid), &next, at(0));
    // A second rotation three days later retains the first key of the domain.
    let records = first_switch.into_iter().map(|judged| judged.record).collect();
    let both = [second(KeyState::Active, at(0)), third(KeyState::Next, at(3))];
    let again = with_next_key(Domain { records, ..domain }, &both[1]);
    let (second_switch, promoted) = advance(looked_up(&again, RecordStatus::Valid), &both, at(3));
    assert_eq!(promoted, Some(&both[1]));
    let (born, retired, signs) = (
        (RecordPurpose::RetiredDkim, "inboxd".to_owned()),
        (RecordPurpose::RetiredDkim, "inboxd7".to_owned()),
        (RecordPurpose::Dkim, "inboxd8".to_owned()),
    );
    assert_eq!(keys(&second_switch), [born.clone(), retired.clone(), signs.clone()]);
    let stored = [second(KeyState::Retired, at(3)), third(KeyState::Active, at(3))];
    let left = |days| keys(&advance(second_switch.clone(), &stored, at(days)).0);
    assert_eq!(left(9), [born, retired, signs.clone()]);
    assert_eq!(left(10), [signs], "the retirement time of the first is unknown, so it stays as long as the second");
    // A stale reader of the keys removes no key that the last rotation retired.
    assert_eq!(keys(&advance(second_switch.clone(), &both, at(5)).0).len(), 3);
}
