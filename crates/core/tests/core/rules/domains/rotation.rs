use inboxd_core::model::domain::{DomainStatus, Purpose, RecordStatus};
use inboxd_core::model::{DkimKey, Domain, KeyState};
use inboxd_core::rules::domains::rotation::{RETIREMENT, advanced, begun, next};
use inboxd_core::rules::domains::status::after_check;
use inboxd_core::rules::domains::verify::Judged;
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

/// The records of a domain after every one was found, but for that of the next key.
fn looked_up(domain: &Domain, next: RecordStatus) -> Vec<Judged> {
    let judged = domain.records.iter().cloned().map(|mut record| {
        record.status = if record.purpose == Purpose::NextDkim { next } else { RecordStatus::Valid };
        Judged { record, answered: true }
    });
    judged.collect()
}

/// The names of the records that keys have, by what they are for.
fn keys(judged: &[Judged]) -> Vec<(Purpose, String)> {
    let is_key = |purpose| matches!(purpose, Purpose::Dkim | Purpose::NextDkim | Purpose::RetiredDkim);
    let records = judged.iter().map(|judged| &judged.record).filter(|record| is_key(record.purpose));
    records.map(|record| (record.purpose, record.name.split('.').next().unwrap().to_owned())).collect()
}

#[test]
fn a_domain_stays_verified_while_its_next_key_waits() {
    let begun = begun(fixtures::domain(), &key(KeyState::Next));
    assert_eq!(next(&begun).map(|record| record.status), Some(RecordStatus::Missing));
    for status in [RecordStatus::Missing, RecordStatus::Invalid] {
        let waiting = looked_up(&begun, status);
        assert_eq!(after_check(begun.clone(), waiting.clone(), NOW).status, DomainStatus::Verified);
        let keys_now = [key(KeyState::Next)];
        let (after, promoted) = advanced(waiting.clone(), &keys_now, NOW);
        assert_eq!((after, promoted), (waiting, None), "{status:?}");
    }
}

#[test]
fn the_next_key_takes_the_place_of_the_one_before_which_stays_a_week() {
    let found = looked_up(&begun(fixtures::domain(), &key(KeyState::Next)), RecordStatus::Valid);
    let another = [DkimKey { selector: "inboxd8".to_owned(), ..key(KeyState::Next) }];
    assert_eq!(advanced(found.clone(), &another, NOW), (found.clone(), None), "the record is of another key");
    let waiting = [key(KeyState::Next)];
    let (switched, promoted) = advanced(found, &waiting, NOW);
    assert_eq!(promoted, Some(&waiting[0]));
    let both = [(Purpose::RetiredDkim, "inboxd".to_owned()), (Purpose::Dkim, "inboxd7".to_owned())];
    assert_eq!(keys(&switched), both);
    let active = [key(KeyState::Active)];
    let (later, _) = advanced(switched.clone(), &active, NOW + RETIREMENT - Duration::SECOND);
    assert_eq!(keys(&later), both, "mail is still on its way");
    let (over, promoted) = advanced(switched, &active, NOW + RETIREMENT);
    assert_eq!((keys(&over), promoted), (vec![(Purpose::Dkim, "inboxd7".to_owned())], None));
}
