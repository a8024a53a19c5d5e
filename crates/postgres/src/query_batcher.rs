//! Query batcher: concurrent reads of one kind share a statement.
//!
//! A statement costs nearly the same for one key as for eight. The first read of an idle batcher waits only for tasks
//! that are ready. Reads that arrive while all statements run form the next statement. It begins after their arrival,
//! so no result is older than its read.

use std::fmt;
use std::future::ready;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use inboxd_batcher::{BatchLimits, Batcher, LeaderWaits};
use inboxd_core::ports::StoreError;
use tokio::task::yield_now;

use crate::error::no_connection;

/// Reads of one statement.
const BATCH_LIMITS: BatchLimits = BatchLimits { jobs: 32, weight: usize::MAX };

/// A read whose inputs share a statement.
pub(crate) trait BatchedQuery: 'static {
    /// The key of a read.
    type Input: Clone + Send + Sync;
    /// The result of a read.
    type Output: Send;

    /// Reads all inputs in one statement and returns an output for each, in their order.
    fn run(
        connection: &mut AsyncPgConnection,
        inputs: &[Self::Input],
    ) -> impl Future<Output = Result<Vec<Self::Output>, StoreError>> + Send;
}

/// Returns outputs in the order of so many inputs. Each found row carries the number of its input, beginning with 1;
/// the others have none.
pub(crate) fn in_order<O>(inputs: usize, found: impl IntoIterator<Item = (i64, O)>) -> Vec<Option<O>> {
    let mut outputs: Vec<Option<O>> = (0..inputs).map(|_| None).collect();
    for (number, found) in found {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        if let Some(output) = index.and_then(|index| outputs.get_mut(index)) {
            *output = Some(found);
        }
    }
    outputs
}

type QueryResult<T> = Result<<T as BatchedQuery>::Output, StoreError>;

/// Batches reads of one kind. Clones share the queue.
pub(crate) struct QueryBatcher<T: BatchedQuery> {
    batcher: Arc<Batcher<(), T::Input, QueryResult<T>>>,
    pool: Pool<AsyncPgConnection>,
}

impl<T: BatchedQuery> QueryBatcher<T> {
    /// Creates a batcher that runs so many statements at a time on connections of a pool.
    pub(crate) fn new(pool: &Pool<AsyncPgConnection>, statements: usize) -> Self {
        Self { batcher: Arc::new(Batcher::with_leaders(BATCH_LIMITS, statements)), pool: pool.clone() }
    }

    /// Reads one input.
    ///
    /// # Errors
    /// The failure of the statement, or of the row of this input.
    pub(crate) async fn query(&self, input: T::Input) -> QueryResult<T> {
        // Each leader yields first, also one of an idle batcher: other tasks that are ready may read as well and join
        // its statement.
        let waits = LeaderWaits { linger: ready(()), permit: yield_now() };
        let work = |inputs, ()| run_batch::<T>(&self.pool, inputs);
        let output = self.batcher.execute_after((), (input.clone(), 1), waits, work).await;
        if let Ok(output) = output {
            return output;
        }
        // The leader was cancelled. A read has no effect, so it runs again, alone.
        let output = run_batch::<T>(&self.pool, vec![input]).await.pop();
        output.unwrap_or_else(|| Err(StoreError::Failed("batched query returned no result".to_owned())))
    }
}

impl<T: BatchedQuery> Clone for QueryBatcher<T> {
    fn clone(&self) -> Self {
        Self { batcher: Arc::clone(&self.batcher), pool: self.pool.clone() }
    }
}

impl<T: BatchedQuery> fmt::Debug for QueryBatcher<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryBatcher").finish_non_exhaustive()
    }
}

/// Reads inputs in one statement. A failure, also a panic, reaches each input as an error.
async fn run_batch<T: BatchedQuery>(pool: &Pool<AsyncPgConnection>, inputs: Vec<T::Input>) -> Vec<QueryResult<T>> {
    let outputs = async {
        let mut connection = pool.get().await.map_err(no_connection)?;
        Ok(run_each::<T>(&mut connection, &inputs).await)
    };
    let outputs = AssertUnwindSafe(outputs).catch_unwind().await;
    match outputs.unwrap_or_else(|_| Err(StoreError::Failed("batched query panicked".to_owned()))) {
        Ok(outputs) => outputs,
        Err(error) => inputs.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// Reads inputs, each with its own error. An unreadable row fails all inputs of its statement: these are read again in
/// halves, so that the error reaches the caller of that row alone.
fn run_each<'a, T: BatchedQuery>(
    connection: &'a mut AsyncPgConnection,
    inputs: &'a [T::Input],
) -> BoxFuture<'a, Vec<QueryResult<T>>> {
    async move {
        match T::run(connection, inputs).await {
            Ok(outputs) => outputs.into_iter().map(Ok).collect(),
            Err(StoreError::Failed(_)) if inputs.len() > 1 => {
                let (first, rest) = inputs.split_at(inputs.len() / 2);
                let mut outputs = run_each::<T>(connection, first).await;
                outputs.append(&mut run_each::<T>(connection, rest).await);
                outputs
            }
            Err(error) => inputs.iter().map(|_| Err(error.clone())).collect(),
        }
    }
    .boxed()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

    use std::time::Duration;

    use diesel_async::{AsyncConnection, SimpleAsyncConnection};
    use futures_util::future::join_all;
    use inboxd_testkit::database::{TestDatabase, database};

    use super::*;
    use crate::connection::{ConnectionTarget, pool, runtime};
    use crate::scalar_rows::CountRow;
    use crate::sql::Sql;

    /// Divides 100 by each input and reads the number of changes in `changed`. The statement waits for the advisory
    /// lock 7, but reads the table as it was when the statement began.
    enum Divided {}

    impl BatchedQuery for Divided {
        type Input = i64;
        type Output = (i64, i64);

        async fn run(connection: &mut AsyncPgConnection, divisors: &[i64]) -> Result<Vec<(i64, i64)>, StoreError> {
            let text = "SELECT 100 / divisor * 1000 + changed.times AS count
                FROM pg_advisory_xact_lock_shared(7), changed, unnest($1) WITH ORDINALITY AS w(divisor, place) ORDER BY place";
            let rows = Sql::new(text).bigs(divisors.iter().copied()).rows::<CountRow>(connection).await?;
            Ok(rows.into_iter().map(|row| (row.count / 1000, row.count % 1000)).collect())
        }
    }

    struct World {
        observer: AsyncPgConnection,
        queries: QueryBatcher<Divided>,
        _database: TestDatabase,
    }

    async fn world() -> World {
        let database = database().await;
        let mut observer = AsyncPgConnection::establish(&database.url()).await.unwrap();
        observer.batch_execute("CREATE TABLE changed AS SELECT 0::bigint AS times").await.unwrap();
        let home = runtime().unwrap();
        let target = ConnectionTarget::new(&database.url(), Duration::from_secs(30)).unwrap();
        let queries = QueryBatcher::new(&pool(&target, 2, &home).unwrap(), 1);
        World { observer, queries, _database: database }
    }

    impl World {
        async fn run(&mut self, sql: &str) {
            self.observer.batch_execute(sql).await.unwrap();
        }

        /// Waits until a statement waits for the lock.
        async fn statement_waits(&mut self) {
            let text = "SELECT count(*) AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
            while Sql::new(text).row::<CountRow>(&mut self.observer).await.unwrap().unwrap().count == 0 {
                tokio::task::yield_now().await;
            }
        }

        fn spawn(&self, divisor: i64) -> tokio::task::JoinHandle<Result<(i64, i64), StoreError>> {
            let queries = self.queries.clone();
            tokio::spawn(async move { queries.query(divisor).await })
        }
    }

    #[tokio::test]
    async fn result_is_never_older_than_its_read() {
        let mut world = world().await;
        world.run("SELECT pg_advisory_lock(7)").await;
        let early = world.spawn(1);
        world.statement_waits().await;
        world.run("UPDATE changed SET times = 1").await;
        let late: Vec<_> = (1..=50).map(|divisor| world.spawn(divisor)).collect();
        world.run("SELECT pg_advisory_unlock(7)").await;
        assert_eq!(early.await.unwrap().unwrap(), (100, 0));
        for (divisor, answer) in (1..).zip(join_all(late).await) {
            assert_eq!(answer.unwrap().unwrap(), (100 / divisor, 1));
        }
    }

    #[tokio::test]
    async fn cancelled_callers_fail_no_other_read() {
        let mut world = world().await;
        world.run("SELECT pg_advisory_lock(7)").await;
        let first = world.spawn(1);
        world.statement_waits().await;
        let [second, third] = [2, 4].map(|divisor| world.spawn(divisor));
        first.abort();
        second.abort();
        world.run("SELECT pg_advisory_unlock(7)").await;
        assert_eq!(third.await.unwrap().unwrap(), (25, 0));
    }

    #[tokio::test]
    async fn failing_read_fails_no_other_in_its_batch() {
        let mut world = world().await;
        world.run("SELECT pg_advisory_lock(7)").await;
        let first = world.spawn(1);
        world.statement_waits().await;
        // The queue is in order: these form the batch behind the first.
        let batch: Vec<_> = [2, 0, 4, 5, 0].into_iter().map(|divisor| world.spawn(divisor)).collect();
        world.run("SELECT pg_advisory_unlock(7)").await;
        assert_eq!(first.await.unwrap().unwrap(), (100, 0));
        let answers: Vec<_> = join_all(batch).await.into_iter().map(|answer| answer.unwrap().ok()).collect();
        assert_eq!(answers, [Some((50, 0)), None, Some((25, 0)), Some((20, 0)), None]);
    }

    #[tokio::test]
    async fn failed_read_leaves_the_batcher_usable() {
        let world = world().await;
        let refused = world.queries.query(0).await;
        assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
        assert_eq!(world.queries.query(5).await.unwrap(), (20, 0));
    }

    #[tokio::test]
    async fn cancelled_leader_fails_no_read_of_its_batch() {
        let mut world = world().await;
        world.run("SELECT pg_advisory_lock(7)").await;
        let first = world.spawn(1);
        world.statement_waits().await;
        let [leader, follower] = [2, 4].map(|divisor| world.spawn(divisor));
        world.run("SELECT pg_advisory_unlock(7); SELECT pg_advisory_lock(7)").await;
        assert_eq!(first.await.unwrap().unwrap(), (100, 0));
        world.statement_waits().await;
        leader.abort();
        assert!(leader.await.unwrap_err().is_cancelled());
        world.run("SELECT pg_advisory_unlock(7)").await;
        assert_eq!(follower.await.unwrap().unwrap(), (25, 0));
    }
}
