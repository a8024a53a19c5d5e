#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::fs::{OpenOptions, read_to_string};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use inboxd_core::model::{Claim, ClaimedDraft, ClaimedMail, DeliveryOutcome, OpenWork};
use inboxd_core::ports::WorkJournal;
use tempfile::TempDir;
use uuid::Uuid;

use super::{FOLDER, FileJournal, REWRITE_BYTES, line};

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn begin(folder: &TempDir, number: u128) -> FileJournal {
    FileJournal::begin(folder.path(), Uuid::from_u128(number)).unwrap()
}

/// Frees the lock of a journal with open claims, as the death of its process does.
fn die(journal: FileJournal) -> PathBuf {
    let path = journal.path.clone();
    drop(journal);
    assert!(path.exists());
    path
}

fn mail(number: u128) -> ClaimedMail {
    ClaimedMail {
        organization_id: Uuid::from_u128(1).into(),
        outgoing_id: Uuid::from_u128(number).into(),
        claim_id: Uuid::from_u128(1000 + number),
    }
}

fn draft(number: u128) -> Claim {
    Claim::Draft(ClaimedDraft {
        organization_id: Uuid::from_u128(1).into(),
        draft_id: Uuid::from_u128(number).into(),
        revision: 7,
    })
}

fn refused(status: &str) -> DeliveryOutcome {
    DeliveryOutcome::Refused { status: status.to_owned(), reply: String::new() }
}

fn later() -> DeliveryOutcome {
    DeliveryOutcome::Deferred { reason: String::new() }
}

/// Sorts work by the lines of its claims.
fn sorted(work: Vec<OpenWork>) -> Vec<OpenWork> {
    let by_name: BTreeMap<String, OpenWork> = work.into_iter().map(|work| (line::begun(&work.claim), work)).collect();
    by_name.into_values().collect()
}

fn begun(claim: Claim) -> OpenWork {
    OpenWork { claim, outcomes: None }
}

#[test]
fn open_claims_of_dead_process_are_taken_over_with_known_outcomes() {
    let folder = folder();
    let (killed, living) = (begin(&folder, 1), begin(&folder, 2));
    killed.begun(&[Claim::Mail(mail(10)), Claim::Mail(mail(11)), Claim::Mail(mail(12)), draft(13)]);
    let outcomes = vec![DeliveryOutcome::Delivered, later(), refused("5.1.1")];
    killed.answered(mail(11), &outcomes);
    killed.answered(mail(12), &[DeliveryOutcome::Delivered]);
    killed.settled(Claim::Mail(mail(12)));
    assert_eq!(living.take_over(), [], "its process is alive");
    let path = die(killed);
    let expected = [
        begun(draft(13)),
        begun(Claim::Mail(mail(10))),
        OpenWork { claim: Claim::Mail(mail(11)), outcomes: Some(outcomes) },
    ];
    assert_eq!(sorted(living.take_over()), expected);
    assert!(!path.exists());
    assert_eq!(living.take_over(), [], "it is taken over once");
    // The process that took it over may die as well.
    die(living);
    assert_eq!(sorted(begin(&folder, 3).take_over()), expected);
}

#[test]
fn journal_is_taken_over_by_one_of_two_processes() {
    let folder = folder();
    let (killed, first, second) = (begin(&folder, 1), begin(&folder, 2), begin(&folder, 3));
    killed.begun(&(10..30).map(|number| Claim::Mail(mail(number))).collect::<Vec<_>>());
    die(killed);
    let (one, two) = std::thread::scope(|scope| {
        let (one, two) = (scope.spawn(|| first.take_over()), scope.spawn(|| second.take_over()));
        (one.join().unwrap(), two.join().unwrap())
    });
    assert_eq!((one.len() + two.len(), one.len().min(two.len())), (20, 0));
}

#[test]
fn half_and_foreign_lines_are_skipped() {
    let folder = folder();
    let killed = begin(&folder, 1);
    killed.begun(&[Claim::Mail(mail(10)), Claim::Mail(mail(11))]);
    let path = die(killed);
    let whole = read_to_string(&path).unwrap();
    let answer = line::answered(&Claim::Mail(mail(10)), &[DeliveryOutcome::Delivered, refused("5.1.1")]);
    let strange: &[&[u8]] = &[
        b"\n",
        b"\xff\xfe\n",
        b"begun\n",
        b"begun mail\n",
        b"begun pigeon a b 1\n",
        b"settled mail x y z\n",
        b"answered mail 00000000-0000-0000-0000-000000000001 00000000-0000-0000-0000-00000000000b \
            00000000-0000-0000-0000-0000000003f3 maybe\n",
        b"answered mail 00000000-0000-0000-0000-000000000001 00000000-0000-0000-0000-00000000000b \
            00000000-0000-0000-0000-0000000003f3\n",
        b"settled mail 00000000-0000-0000-0000-000000000001 00000000-0000-0000-0000-00000000000b \
            00000000-0000-0000-0000-0000000003f3 twice\n",
        // A line of an earlier version, with the number of the attempt.
        b"settled mail 00000000-0000-0000-0000-000000000001 00000000-0000-0000-0000-00000000000b 11\n",
        b"begun mail 00000000-0000-0000-0000-000000000001 00000000-0000-0000-0000-00000000000c 1\n",
    ];
    let both = [begun(Claim::Mail(mail(10))), begun(Claim::Mail(mail(11)))];
    // A line that is not whole does not count.
    for end in 0..answer.len() {
        let bytes = [whole.as_bytes(), &strange.concat(), &answer.as_bytes()[..end]].concat();
        assert_eq!(sorted(line::read(&bytes)), both, "{end} bytes");
    }
    OpenOptions::new().append(true).open(&path).unwrap().write_all(answer.as_bytes()).unwrap();
    let known = OpenWork { outcomes: Some(vec![DeliveryOutcome::Delivered, refused("5.1.1")]), ..both[0].clone() };
    assert_eq!(sorted(begin(&folder, 2).take_over()), [known, both[1].clone()]);
}

#[test]
fn refusal_without_code_stays_a_refusal_on_one_line() {
    for status in ["", "no", "5.1.1 delivered\nsettled", "5.1", "5.1.1.1", "5..1", "5.1.1234"] {
        let text = line::answered(&Claim::Mail(mail(10)), &[refused(status)]);
        let expected = OpenWork { claim: Claim::Mail(mail(10)), outcomes: Some(vec![refused("5.0.0")]) };
        assert_eq!(line::read(text.as_bytes()), [expected], "{status:?}");
    }
}

#[test]
fn journal_without_open_claims_is_empty_and_deleted_at_the_end() {
    let folder = folder();
    let journal = begin(&folder, 1);
    journal.begun(&[Claim::Mail(mail(10)), draft(11)]);
    journal.settled(draft(11));
    assert!(std::fs::metadata(&journal.path).unwrap().len() > 0);
    journal.settled(Claim::Mail(mail(10)));
    assert_eq!(std::fs::metadata(&journal.path).unwrap().len(), 0);
    // It can be used again.
    journal.begun(&[draft(12)]);
    assert_eq!(line::read(&std::fs::read(&journal.path).unwrap()), [begun(draft(12))]);
    journal.settled(draft(12));
    let path = journal.path.clone();
    drop(journal);
    assert!(!path.exists());
}

#[test]
fn journal_with_long_open_claims_stays_small() {
    let folder = folder();
    let (journal, living) = (begin(&folder, 1), begin(&folder, 2));
    journal.begun(&[draft(1)]);
    journal.begun(&[Claim::Mail(mail(2))]);
    journal.answered(mail(2), &[DeliveryOutcome::Delivered, later()]);
    let mut largest = 0;
    for _ in 0..5_000 {
        journal.begun(&[Claim::Mail(mail(3))]);
        journal.answered(mail(3), &[DeliveryOutcome::Delivered]);
        journal.settled(Claim::Mail(mail(3)));
        largest = largest.max(std::fs::metadata(&journal.path).unwrap().len());
    }
    assert!((REWRITE_BYTES / 2..REWRITE_BYTES + 1_000).contains(&largest), "{largest}");
    // It was rewritten under its lock, with every open claim.
    assert_eq!(living.take_over(), []);
    die(journal);
    let answered = OpenWork { claim: Claim::Mail(mail(2)), outcomes: Some(vec![DeliveryOutcome::Delivered, later()]) };
    assert_eq!(sorted(living.take_over()), [begun(draft(1)), answered]);
}

#[test]
fn journal_is_private_and_contains_no_address() {
    let folder = folder();
    let journal = begin(&folder, 1);
    journal.begun(&[Claim::Mail(mail(10))]);
    let reply = "550 5.1.1 <anna@example.org> is nobody here".to_owned();
    journal.answered(mail(10), &[DeliveryOutcome::Refused { status: "5.1.1".to_owned(), reply }]);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&journal.path), mode(&folder.path().join(FOLDER))), (0o600, 0o700));
    let text = read_to_string(&journal.path).unwrap();
    assert!(text.ends_with("03f2 5.1.1\n") && !text.contains('@'), "{text}");
}

#[test]
fn file_that_is_no_journal_stays() {
    let folder = folder();
    let journal = begin(&folder, 1);
    let others =
        ["notes.txt", "00000000-0000-0000-0000-000000000009.new"].map(|name| folder.path().join(FOLDER).join(name));
    for other in &others {
        std::fs::write(other, line::begun(&draft(1))).unwrap();
    }
    assert_eq!(journal.take_over(), []);
    assert!(others.iter().all(|other| other.exists()));
}

#[test]
fn folder_that_cannot_be_created_is_an_error() {
    let folder = folder();
    std::fs::write(folder.path().join(FOLDER), "a file").unwrap();
    assert!(FileJournal::begin(folder.path(), Uuid::from_u128(1)).is_err());
}

#[test]
fn journal_on_full_disk_claims_nothing_until_it_can_be_written() {
    let folder = folder();
    let journal = begin(&folder, 1);
    let full = OpenOptions::new().append(true).open("/dev/full").unwrap();
    let file = std::mem::replace(&mut journal.state().file, full);
    assert!(!journal.begun(&[draft(1)]));
    journal.settled(draft(1));
    assert!(!journal.is_writable());
    journal.state().file = file;
    assert!(journal.begun(&[draft(2)]) && journal.is_writable());
}
