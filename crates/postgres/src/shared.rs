//! Questions that many ask at the same moment, asked once for all of them.
//!
//! A statement costs nearly the same for one key as for eight. Whoever asks while nobody else does is asked for at once.
//! Those who ask while that goes on wait until it has ended, and are asked for together: so no answer is older than its
//! question, and nobody waits for others to come. The more is asked, the less each question costs.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use inboxd_core::ports::StoreError;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::yield_now;

use crate::error::no_connection;

/// How many questions wait at most; whoever comes then waits before they ask.
const MOST_WAITING: usize = 1024;
/// How many questions one statement answers.
const MOST_AT_ONCE: usize = 32;

/// How questions of one kind are answered together.
pub(crate) trait Together: 'static {
    /// What is asked.
    type Question: Send + Sync;
    /// What is answered.
    type Answer: Send;

    /// Answers questions in their order, all of them.
    fn answer(
        connection: &mut AsyncPgConnection,
        questions: &[Self::Question],
    ) -> impl Future<Output = Result<Vec<Self::Answer>, StoreError>> + Send;
}

/// Answers in the order of so many questions, where each was found with the number of its question, the first of which is 1;
/// nothing for those that were not.
pub(crate) fn in_order<A>(questions: usize, found: impl IntoIterator<Item = (i64, A)>) -> Vec<Option<A>> {
    let mut answers: Vec<Option<A>> = (0..questions).map(|_| None).collect();
    for (number, found) in found {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        if let Some(answer) = place.and_then(|place| answers.get_mut(place)) {
            *answer = Some(found);
        }
    }
    answers
}

/// Those who ask questions of one kind. Copies share what waits; when the last is dropped, nobody answers any longer.
pub(crate) struct Shared<T: Together>(mpsc::Sender<Asked<T>>);

/// A question, and who waits for the answer.
struct Asked<T: Together> {
    question: T::Question,
    who: oneshot::Sender<Result<T::Answer, StoreError>>,
}

impl<T: Together> Shared<T> {
    /// Has questions answered on connections of a pool, by so many statements at a time, in tasks of a runtime: who asks
    /// may go away, and the others have their answers all the same.
    pub(crate) fn new(pool: &Pool<AsyncPgConnection>, statements: usize, home: &Handle) -> Self {
        let (ask, asked) = mpsc::channel(MOST_WAITING);
        let asked = Arc::new(Mutex::new(asked));
        for _ in 0..statements {
            home.spawn(answer_all::<T>(Arc::clone(&asked), pool.clone()));
        }
        Self(ask)
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// What storage says.
    pub(crate) async fn ask(&self, question: T::Question) -> Result<T::Answer, StoreError> {
        let nobody = || StoreError::Unavailable("nobody answers any longer".to_owned());
        let (who, answer) = oneshot::channel();
        self.0.send(Asked { question, who }).await.map_err(|_| nobody())?;
        answer.await.map_err(|_| nobody())?
    }
}

impl<T: Together> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Together> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").finish_non_exhaustive()
    }
}

/// Answers until nobody is left who could ask.
async fn answer_all<T: Together>(asked: Arc<Mutex<mpsc::Receiver<Asked<T>>>>, pool: Pool<AsyncPgConnection>) {
    loop {
        let mut batch = Vec::new();
        // Whoever was answered goes first, and so does what has come in meanwhile: they may ask again, and are asked for with
        // those who wait already.
        yield_now().await;
        if asked.lock().await.recv_many(&mut batch, MOST_AT_ONCE).await == 0 {
            return;
        }
        // Who has gone wants no answer.
        batch.retain(|asked| !asked.who.is_closed());
        let (questions, waiting): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|Asked { question, who }| (question, who)).unzip();
        if questions.is_empty() {
            continue;
        }
        // Whatever happens to these, the next are answered.
        let answered = AssertUnwindSafe(answer_some::<T>(&pool, &questions)).catch_unwind().await;
        match answered.unwrap_or_else(|_| Err(StoreError::Failed("a question could not be asked".to_owned()))) {
            Ok(answers) => waiting.into_iter().zip(answers).for_each(|(who, answer)| drop(who.send(answer))),
            Err(error) => waiting.into_iter().for_each(|who| drop(who.send(Err(error.clone())))),
        }
    }
}

async fn answer_some<T: Together>(
    pool: &Pool<AsyncPgConnection>,
    questions: &[T::Question],
) -> Result<Vec<Result<T::Answer, StoreError>>, StoreError> {
    let mut connection = pool.get().await.map_err(no_connection)?;
    Ok(answer_each::<T>(&mut connection, questions).await)
}

/// Answers questions, each with its own error. A row that cannot be read fails all questions of a statement: these are asked
/// again in halves, so that the error reaches the caller of that row alone.
fn answer_each<'a, T: Together>(
    connection: &'a mut AsyncPgConnection,
    questions: &'a [T::Question],
) -> BoxFuture<'a, Vec<Result<T::Answer, StoreError>>> {
    async move {
        match T::answer(connection, questions).await {
            Ok(answers) => answers.into_iter().map(Ok).collect(),
            Err(StoreError::Failed(_)) if questions.len() > 1 => {
                let (first, rest) = questions.split_at(questions.len() / 2);
                let mut answers = answer_each::<T>(connection, first).await;
                answers.append(&mut answer_each::<T>(connection, rest).await);
                answers
            }
            Err(error) => questions.iter().map(|_| Err(error.clone())).collect(),
        }
    }
    .boxed()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use std::time::Duration;

    use diesel_async::{AsyncConnection, SimpleAsyncConnection};
    use futures_util::future::join_all;
    use inboxd_testkit::database::{TestDatabase, database};

    use super::*;
    use crate::connection::{Target, home, pool};
    use crate::sql::Sql;
    use crate::usage::CountRow;

    /// Divides 100 by what is asked, after a look at how often somebody has `changed` something. It waits while somebody
    /// holds the lock 7, but what it looks at is as it was when it began.
    enum Divided {}

    impl Together for Divided {
        type Question = i64;
        type Answer = (i64, i64);

        async fn answer(connection: &mut AsyncPgConnection, divisors: &[i64]) -> Result<Vec<(i64, i64)>, StoreError> {
            let text = "SELECT 100 / divisor * 1000 + changed.times AS count
                FROM pg_advisory_xact_lock_shared(7), changed, unnest($1) WITH ORDINALITY AS w(divisor, place) ORDER BY place";
            let rows = Sql::new(text).bigs(divisors.iter().copied()).rows::<CountRow>(connection).await?;
            Ok(rows.into_iter().map(|row| (row.count / 1000, row.count % 1000)).collect())
        }
    }

    struct World {
        observer: AsyncPgConnection,
        shared: Shared<Divided>,
        _database: TestDatabase,
    }

    async fn world() -> World {
        let database = database().await;
        let mut observer = AsyncPgConnection::establish(&database.url()).await.unwrap();
        observer.batch_execute("CREATE TABLE changed AS SELECT 0::bigint AS times").await.unwrap();
        let home = home().unwrap();
        let target = Target::new(&database.url(), Duration::from_secs(30)).unwrap();
        let shared = Shared::new(&pool(&target, 2, &home).unwrap(), 1, &home);
        World { observer, shared, _database: database }
    }

    impl World {
        async fn run(&mut self, sql: &str) {
            self.observer.batch_execute(sql).await.unwrap();
        }

        /// Waits until a statement waits at the gate.
        async fn somebody_waits(&mut self) {
            let text = "SELECT count(*) AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
            while Sql::new(text).row::<CountRow>(&mut self.observer).await.unwrap().unwrap().count == 0 {
                tokio::task::yield_now().await;
            }
        }

        fn ask(&self, divisor: i64) -> tokio::task::JoinHandle<Result<(i64, i64), StoreError>> {
            let shared = self.shared.clone();
            tokio::spawn(async move { shared.ask(divisor).await })
        }
    }

    #[tokio::test]
    async fn no_answer_is_older_than_its_question() {
        let mut world = world().await;
        world.run("SELECT pg_advisory_lock(7)").await;
        let early = world.ask(1);
        world.somebody_waits().await;
        world.run("UPDATE changed SET times = 1").await;
        let late: Vec<_> = (1..=50).map(|divisor| world.ask(divisor)).collect();
        world.run("SELECT pg_advisory_unlock(7)").await;
        assert_eq!(early.await.unwrap().unwrap(), (100, 0));
        for (divisor, answer) in (1..).zip(join_all(late).await) {
            assert_eq!(answer.unwrap().unwrap(), (100 / divisor, 1));
        }
    }

    #[tokio::test]
    async fn whoever_goes_away_takes_no_answer_from_others() {
        let mut world = world().await;
        world.run("SELECT pg_advisory_lock(7)").await;
        let first = world.ask(1);
        world.somebody_waits().await;
        let [second, third] = [2, 4].map(|divisor| world.ask(divisor));
        first.abort();
        second.abort();
        world.run("SELECT pg_advisory_unlock(7)").await;
        assert_eq!(third.await.unwrap().unwrap(), (25, 0));
    }

    #[tokio::test]
    async fn failing_question_fails_no_other_in_its_batch() {
        let mut world = world().await;
        world.run("SELECT pg_advisory_lock(7)").await;
        let first = world.ask(1);
        world.somebody_waits().await;
        // The channel is in order: these are asked together behind the first.
        let together: Vec<_> = [2, 0, 4, 5, 0].into_iter().map(|divisor| world.ask(divisor)).collect();
        world.run("SELECT pg_advisory_unlock(7)").await;
        assert_eq!(first.await.unwrap().unwrap(), (100, 0));
        let answers: Vec<_> = join_all(together).await.into_iter().map(|answer| answer.unwrap().ok()).collect();
        assert_eq!(answers, [Some((50, 0)), None, Some((25, 0)), Some((20, 0)), None]);
    }

    #[tokio::test]
    async fn a_refusal_is_told_and_ends_nothing() {
        let world = world().await;
        let refused = world.shared.ask(0).await;
        assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
        assert_eq!(world.shared.ask(5).await.unwrap(), (20, 0));
    }
}
