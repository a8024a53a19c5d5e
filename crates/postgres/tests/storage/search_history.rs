//! Random histories of an inbox and its index: a search always finds the matches of the texts.

use std::collections::BTreeMap;
use std::time::Duration;

use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{HidingLabels, Labels, MessageId, NewMail, NewMessage};
use inboxd_core::ports::{AttachmentIndex, IndexedInbox, MessageQuery, MessageReads, SearchIndex};
use inboxd_core::testing::fixtures::attachment;
use inboxd_postgres::{PgStore, connect};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{TestCaseError, TestRunner};
use tokio::time::timeout;
use uuid::Uuid;

use crate::support::*;

mod threads;
mod words;

const WORDS: [&str; 16] = [
    "invoice",
    "invoices",
    "november",
    "nov",
    "paid",
    "überweisung",
    "понедельник",
    "понеже",
    "会議は月曜日",
    "月曜",
    "q",
    "jx",
    "50%",
    "a_b\\c",
    "<anna@example.org>",
    "marzipan",
];
const LABELS: [&str; 5] = ["spam", "trash", "received", "unread", "rare"];

/// A mail of words, by their numbers.
#[derive(Debug, Clone)]
struct Text {
    from: usize,
    to: usize,
    subject: usize,
    words: Vec<usize>,
    labels: Vec<usize>,
    /// Timestamps in another order than the inserts, often equal.
    time: i64,
}

/// Operations of a history.
#[derive(Debug, Clone)]
enum Step {
    Deliver(Vec<Text>),
    Label(Vec<(Index, Vec<usize>)>),
    Delete(Vec<Index>),
    /// The attachments of some mails are read; they have these words.
    Read(Vec<Vec<usize>>),
    Flush,
    Merge,
    /// Two concurrent operations in two processes.
    Race,
    /// Two concurrent operations, cancelled after that many microseconds.
    BreakOff(u64),
}

/// A search.
#[derive(Debug, Clone)]
struct Question {
    /// A part of a text from one of its characters on.
    text: Option<(Index, Index, usize)>,
    from: Option<usize>,
    to: Option<usize>,
    subject: Option<usize>,
    labels: Vec<usize>,
    included: Vec<usize>,
    before: Option<i64>,
    after: Option<i64>,
    limit: u32,
    ascending: bool,
    /// Whether threads are searched too.
    threads: bool,
    words: Vec<words::Word>,
}

fn text() -> impl Strategy<Value = Text> {
    let word = || 0..WORDS.len();
    let labels = prop_oneof![
        6 => Just(vec![2, 3]),
        1 => Just(vec![0, 2]),
        1 => Just(vec![1, 2]),
        1 => Just(vec![2, 4]),
    ];
    (word(), word(), word(), prop::collection::vec(word(), 0..6), labels, 0..2_000_i64).prop_map(
        |(from, to, subject, words, labels, time)| Text { from, to, subject, words, labels, time: time * 9_973 },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let labelled = (any::<Index>(), prop::sample::subsequence((0..LABELS.len()).collect::<Vec<_>>(), 0..4));
    prop_oneof![
        8 => prop::collection::vec(text(), 60..90).prop_map(Step::Deliver),
        2 => prop::collection::vec(labelled, 1..40).prop_map(Step::Label),
        1 => prop::collection::vec(any::<Index>(), 1..40).prop_map(Step::Delete),
        3 => prop::collection::vec(prop::collection::vec(0..WORDS.len(), 0..4), 1..30).prop_map(Step::Read),
        6 => Just(Step::Flush),
        4 => Just(Step::Merge),
        2 => Just(Step::Race),
        2 => (0..4_000_u64).prop_map(Step::BreakOff),
    ]
}

fn question() -> impl Strategy<Value = Question> {
    let word = || prop::option::weighted(0.15, 0..WORDS.len());
    let time = || prop::option::weighted(0.2, (0..2_000_i64).prop_map(|time| time * 9_973));
    let labels = prop::option::weighted(0.3, 0..LABELS.len());
    let limit = prop_oneof![1 => 1..8_u32, 6 => 8..60_u32];
    (
        (prop::option::weighted(0.85, (any::<Index>(), any::<Index>(), 1..12_usize)), word(), word(), word()),
        (labels, prop::sample::subsequence(vec![0, 1], 0..3), time(), time(), limit, any::<bool>()),
        (prop::bool::weighted(0.2), prop::collection::vec(words::term(), 0..3)),
    )
        .prop_map(
            |((text, from, to, subject), (labels, included, before, after, limit, ascending), (threads, words))| {
                Question {
                    text,
                    from,
                    to,
                    subject,
                    labels: labels.into_iter().collect(),
                    included,
                    before,
                    after,
                    limit,
                    ascending,
                    threads,
                    words,
                }
            },
        )
}

fn labels(numbers: &[usize]) -> Labels {
    numbers.iter().map(|&number| LABELS[number]).collect()
}

fn lower(number: usize) -> String {
    WORDS[number].to_lowercase()
}

/// An inbox with its expected content.
struct History {
    world: World,
    /// A second process.
    other: PgStore,
    inbox: IndexedInbox,
    live: Vec<NewMessage>,
    /// Texts of attachments that were read.
    attachments: BTreeMap<MessageId, Vec<String>>,
    delivered: i64,
    segments: u128,
}

impl History {
    async fn begin() -> Self {
        let world = world().await;
        let other = connect(&world.database.url(), 4).await.unwrap();
        let inbox = IndexedInbox { organization_id: world.organization_id(), inbox_id: world.inbox_id().clone() };
        Self { world, other, inbox, live: Vec::new(), attachments: BTreeMap::new(), delivered: 0, segments: 0 }
    }

    fn segment_id(&mut self) -> Uuid {
        self.segments += 1;
        Uuid::from_u128(self.segments)
    }

    async fn take(&mut self, step: &Step) {
        match step {
            Step::Deliver(texts) => self.deliver(texts).await,
            Step::Label(changes) => self.label(changes).await,
            Step::Delete(doomed) => self.delete(doomed).await,
            Step::Read(texts) => self.read_attachments(texts).await,
            Step::Flush => {
                let segment_id = self.segment_id();
                self.world.store.index_some(&self.inbox, segment_id).await.unwrap();
            }
            Step::Merge => {
                let segment_id = self.segment_id();
                self.other.merge_some(&self.inbox, segment_id, 0).await.unwrap();
            }
            Step::Race => self.race().await,
            Step::BreakOff(micros) => {
                let (one, two) = (self.segment_id(), self.segment_id());
                let patience = Duration::from_micros(*micros);
                let _ = timeout(patience, self.world.store.index_some(&self.inbox, one)).await;
                let _ = timeout(patience, self.world.store.merge_some(&self.inbox, two, 0)).await;
                // Other processes continue after the lease of the segment has expired.
                self.world.database.execute("UPDATE search_unlisted SET until = now()").await;
            }
        }
    }

    async fn race(&mut self) {
        let ids: Vec<Uuid> = (0..4).map(|_| self.segment_id()).collect();
        let (here, there, inbox) = (&self.world.store, &self.other, &self.inbox);
        let (one, two, three, four) = tokio::join!(
            here.index_some(inbox, ids[0]),
            there.index_some(inbox, ids[1]),
            here.merge_some(inbox, ids[2], 0),
            there.merge_some(inbox, ids[3], 0),
        );
        for done in [one, two, three, four] {
            done.unwrap();
        }
    }

    async fn deliver(&mut self, texts: &[Text]) {
        let mut mails = Vec::new();
        for text in texts {
            self.delivered += 1;
            let mut mail = self.world.labelled(self.delivered, &[]);
            let words: Vec<String> = text.words.iter().map(|&word| lower(word)).collect();
            let item = &mut mail.message.item;
            item.labels = labels(&text.labels);
            item.timestamp = at(text.time);
            WORDS[text.from].clone_into(&mut item.from);
            item.thread_id = thread_id(self.delivered / 3);
            item.attachments = if self.delivered % 3 == 0 { vec![attachment(1)] } else { Vec::new() };
            item.to = Vec::new();
            item.bcc = vec![WORDS[text.to].to_owned()];
            item.subject = Some(WORDS[text.subject].to_owned());
            mail.message.body.text = Some(words.join(" "));
            mail.search_text = format!("{}\n{}\n{}", lower(text.from), lower(text.subject), words.join(" "));
            mails.push(mail);
        }
        self.live.extend(mails.clone());
        let mail = NewMail { messages: mails, ..NewMail::default() };
        self.world.begin().await.commit_with(&mail).await.unwrap();
    }

    async fn label(&mut self, changes: &[(Index, Vec<usize>)]) {
        if self.live.is_empty() {
            return;
        }
        let mut tx = self.world.begin().await;
        for (which, numbers) in changes {
            let place = which.index(self.live.len());
            let mail = &mut self.live[place];
            mail.message.item.labels = labels(numbers);
            tx.messages().update_labels(std::slice::from_ref(&mail.message.item)).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    async fn delete(&mut self, doomed: &[Index]) {
        for which in doomed {
            if self.live.is_empty() {
                return;
            }
            let gone = self.live.swap_remove(which.index(self.live.len()));
            let mut tx = self.world.begin().await;
            let ids = [gone.message.item.message_id];
            tx.messages().delete(self.world.organization_id(), self.world.inbox_id(), &ids).await.unwrap();
            tx.commit().await.unwrap();
        }
    }

    async fn read_attachments(&mut self, texts: &[Vec<usize>]) {
        let organization_id = self.world.organization_id();
        for words in texts {
            let claim = self.other.claim_attachments(organization_id, at(100_000_000), at(200_000_000)).await.unwrap();
            let Some(claim) = claim else { return };
            let texts: Vec<String> = words.iter().map(|&word| WORDS[word].to_owned()).collect();
            assert!(self.world.store.store_attachment_texts(&claim, &texts, 0).await.unwrap());
            assert!(!self.world.store.store_attachment_texts(&claim, &texts, 0).await.unwrap(), "the claim has ended");
            let message_id = claim.message.message_id;
            let mail = self.live.iter_mut().find(|mail| mail.message.item.message_id == message_id).unwrap();
            for &word in words {
                mail.search_text.push('\n');
                mail.search_text.push_str(&lower(word));
            }
            self.attachments.insert(message_id, texts);
        }
    }

    fn query(&self, question: &Question) -> MessageQuery {
        let piece = question.text.as_ref().filter(|_| !self.live.is_empty()).map(|(which, from, length)| {
            let text: Vec<char> = self.live[which.index(self.live.len())].search_text.chars().collect();
            text[from.index(text.len())..].iter().take(*length).collect::<String>()
        });
        let wanted = |word: Option<usize>| word.into_iter().map(lower).collect::<Vec<_>>();
        MessageQuery {
            labels: labels(&question.labels).to_vec(),
            before: question.before.map(at),
            after: question.after.map(at),
            included: HidingLabels::of(&labels(&question.included)),
            from: wanted(question.from),
            to: wanted(question.to),
            subject: wanted(question.subject),
            search: piece,
            page: PageRequest {
                limit: question.limit,
                after: None,
                direction: if question.ascending { Direction::Ascending } else { Direction::Descending },
            },
            ..self.world.messages()
        }
    }

    /// Returns the expected matches by the texts.
    fn expected(&self, query: &MessageQuery) -> Vec<MessageId> {
        let lower = |text: &String| text.to_lowercase();
        let mut found: Vec<&NewMessage> = self
            .live
            .iter()
            .filter(|mail| {
                let item = &mail.message.item;
                let recipients: Vec<String> = item.to.iter().chain(&item.bcc).map(lower).collect();
                HidingLabels::of(&item.labels).shown_to(query.included)
                    && HidingLabels::of(&query.labels.iter().cloned().collect()).shown_to(query.included)
                    && query.labels.iter().all(|label| item.labels.contains(label))
                    && query.before.is_none_or(|before| item.timestamp < before)
                    && query.after.is_none_or(|after| item.timestamp > after)
                    && query.from.iter().all(|text| lower(&item.from).contains(text))
                    && query.to.iter().all(|text| recipients.iter().any(|one| one.contains(text)))
                    && query
                        .subject
                        .iter()
                        .all(|text| item.subject.as_ref().is_some_and(|one| lower(one).contains(text)))
                    && query.search.as_ref().is_none_or(|text| mail.search_text.contains(text))
            })
            .collect();
        found.sort_by_key(|mail| (mail.message.item.timestamp, mail.message.item.message_id.as_str()));
        if query.page.direction == Direction::Descending {
            found.reverse();
        }
        found.into_iter().map(|mail| mail.message.item.message_id.clone()).collect()
    }

    /// Returns the fault of the responses to a search, if any.
    async fn check(&self, question: &Question) -> Result<(), String> {
        let query = self.query(question);
        let (found, expected) = (self.found(query.clone()).await, self.expected(&query));
        if found != expected {
            return Err(format!("{query:?}\nfound {found:?}\nwanted {expected:?}"));
        }
        if question.threads {
            self.world.database.execute(threads::THREADS).await;
            self.check_threads(query).await?;
        }
        self.check_words(question).await
    }

    /// Reads all pages.
    async fn found(&self, mut query: MessageQuery) -> Vec<MessageId> {
        let mut found = Vec::new();
        loop {
            let page = self.other.list_messages(&query).await.unwrap();
            found.extend(page.items.into_iter().map(|item| item.message_id));
            let Some(next) = page.next else { return found };
            query.page.after = Some(next);
        }
    }
}

#[test]
fn search_matches_texts_after_any_history() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut runner = TestRunner::new(ProptestConfig { cases: 5, max_shrink_iters: 40, ..ProptestConfig::default() });
    let steps = prop::collection::vec((step(), prop::collection::vec(question(), 1..6)), 30..45);
    let outcome = runner.run(&steps, |steps| {
        runtime.block_on(async {
            let mut history = History::begin().await;
            for (place, (step, questions)) in steps.iter().enumerate() {
                history.take(step).await;
                for question in questions {
                    if let Err(wrong) = history.check(question).await {
                        let taken =
                            steps[..=place].iter().map(|(step, _)| format!("{step:?}").chars().take(20).collect());
                        let taken: Vec<String> = taken.collect();
                        return Err(TestCaseError::fail(format!("after {taken:?}\n{wrong}")));
                    }
                }
            }
            Ok(())
        })
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
