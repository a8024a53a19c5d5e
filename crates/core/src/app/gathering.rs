//! Doing at once what many ask for one by one.
//!
//! A commit costs the same for one mail as for thirty. So whoever asks first leads: its job is done at once, alone.
//! Those who come while it is done wait, and are the next batch, which the first of them leads. Nobody waits for a batch
//! to fill, unless they want to, and the more there is to do, the more is done at once.

use std::collections::VecDeque;
use std::future::ready;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;

/// How much is done at once. A job that is more than this by itself is done alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Most {
    /// Jobs.
    pub(crate) jobs: usize,
    /// What they weigh together, in the unit that whoever asks counts in.
    pub(crate) weight: usize,
}

/// Whoever led was cancelled or panicked in the middle: what became of the job is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Abandoned;

/// Gathers jobs in lanes. One batch of a lane is done at a time; lanes know nothing of one another.
pub(crate) struct Gathering<J, A> {
    lanes: Vec<Arc<Lane<J, A>>>,
    most: Most,
}

impl<J: Send, A: Send> Gathering<J, A> {
    /// With this many lanes.
    pub(crate) fn new(lanes: usize, most: Most) -> Self {
        Self { lanes: (0..lanes.max(1)).map(|_| Arc::default()).collect(), most }
    }

    /// Has a job done in the lane of a key, and hears what came of it. `work` is called by whoever leads, with its own
    /// job first and the others in the order in which they came. It answers each of them, in that order.
    ///
    /// Dropped while it waits, the job is not done; dropped while it leads, what is being done ends unanswered, for all.
    ///
    /// # Errors
    /// [`Abandoned`].
    pub(crate) fn ask<Work>(
        &self,
        key: &impl Hash,
        job: J,
        weight: usize,
        work: impl FnOnce(Vec<J>) -> Work + Send,
    ) -> impl Future<Output = Result<A, Abandoned>>
    where
        Work: Future<Output = Vec<A>> + Send,
    {
        self.ask_with_pause(key, job, weight, ready(()), work)
    }

    /// The same, but whoever comes to lead by having waited lets a pause pass before they take those who have come: for what
    /// nobody waits for, where fewer and larger batches cost less.
    ///
    /// # Errors
    /// [`Abandoned`].
    pub(crate) async fn ask_with_pause<Work>(
        &self,
        key: &impl Hash,
        job: J,
        weight: usize,
        pause: impl Future<Output = ()> + Send,
        work: impl FnOnce(Vec<J>) -> Work + Send,
    ) -> Result<A, Abandoned>
    where
        Work: Future<Output = Vec<A>> + Send,
    {
        let lane = self.lane(key).ok_or(Abandoned)?;
        lane.run((job, weight), self.most, pause, ready(()), |jobs, ()| work(jobs)).await
    }

    fn lane(&self, key: &impl Hash) -> Option<&Arc<Lane<J, A>>> {
        let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(key);
        let lanes = u64::try_from(self.lanes.len()).ok()?;
        self.lanes.get(usize::try_from(hash.checked_rem(lanes)?).ok()?)
    }
}

/// What somebody who waits is told.
enum Turn<J, A> {
    /// It is their turn; here is their job again.
    Lead(J, Lead<J, A>),
    /// Somebody else has done it.
    Done(A),
}

struct Waiting<J, A> {
    job: J,
    weight: usize,
    who: oneshot::Sender<Turn<J, A>>,
}

enum Entered<J, A> {
    First(J),
    Behind(oneshot::Receiver<Turn<J, A>>),
}

/// The queue of one key. One batch of it is done at a time.
pub(super) struct Lane<J, A>(Mutex<Queue<J, A>>);

struct Queue<J, A> {
    is_led: bool,
    waiting: VecDeque<Waiting<J, A>>,
}

impl<J, A> Default for Lane<J, A> {
    fn default() -> Self {
        Self(Mutex::new(Queue { is_led: false, waiting: VecDeque::new() }))
    }
}

impl<J: Send, A: Send> Lane<J, A> {
    /// Runs a job in this lane and returns its result. A leader waits for a permit before it takes the batch, and `work` owns
    /// the permit.
    pub(super) async fn run<Permit: Send, Work>(
        self: &Arc<Self>,
        (job, weight): (J, usize),
        most: Most,
        pause: impl Future<Output = ()> + Send,
        permit: impl Future<Output = Permit> + Send,
        work: impl FnOnce(Vec<J>, Permit) -> Work + Send,
    ) -> Result<A, Abandoned>
    where
        Work: Future<Output = Vec<A>> + Send,
    {
        let (job, lead) = match self.enter(job, weight) {
            Entered::First(job) => (job, Lead(Arc::clone(self))),
            Entered::Behind(turn) => {
                let turn = turn.await.map_err(|_| Abandoned)?;
                if matches!(turn, Turn::Lead(..)) && !self.is_full(most) {
                    pause.await;
                }
                match turn {
                    Turn::Lead(job, lead) => (job, lead),
                    Turn::Done(answer) => return Ok(answer),
                }
            }
        };
        let permit = permit.await;
        let (jobs, waiting) = self.batch(job, weight, most);
        let mut answers = work(jobs, permit).await.into_iter();
        // The next batch begins before this one is answered.
        drop(lead);
        let own = answers.next();
        for (who, answer) in waiting.into_iter().zip(answers) {
            // Whoever has gone wants no answer.
            let _gone = who.send(Turn::Done(answer));
        }
        own.ok_or(Abandoned)
    }
}

impl<J, A> Lane<J, A> {
    /// Nothing is done under this lock that could fail half way.
    fn queue(&self) -> MutexGuard<'_, Queue<J, A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, job: J, weight: usize) -> Entered<J, A> {
        let mut queue = self.queue();
        if !queue.is_led {
            queue.is_led = true;
            return Entered::First(job);
        }
        let (who, turn) = oneshot::channel();
        queue.waiting.push_back(Waiting { job, weight, who });
        Entered::Behind(turn)
    }

    /// The jobs of a batch, the leader's first, and who waits for the others.
    fn batch(&self, job: J, mut weight: usize, most: Most) -> (Vec<J>, Vec<oneshot::Sender<Turn<J, A>>>) {
        let (mut jobs, mut who) = (vec![job], Vec::new());
        let mut queue = self.queue();
        while let Some(next) = queue.waiting.pop_front() {
            if next.who.is_canceled() {
                continue;
            }
            weight = weight.saturating_add(next.weight);
            if jobs.len() >= most.jobs || weight > most.weight {
                queue.waiting.push_front(next);
                break;
            }
            jobs.push(next.job);
            who.push(next.who);
        }
        (jobs, who)
    }

    /// Whether so many wait that whoever leads could take no more.
    fn is_full(&self, most: Most) -> bool {
        self.queue().waiting.len() + 1 >= most.jobs
    }

    /// Who leads next; where nobody waits, whoever comes.
    fn next(&self) -> Option<Waiting<J, A>> {
        let mut queue = self.queue();
        while let Some(next) = queue.waiting.pop_front() {
            if !next.who.is_canceled() {
                return Some(next);
            }
        }
        queue.is_led = false;
        None
    }
}

/// The lead of a lane. Dropped, it is handed on, whatever became of its holder: also one who was told to lead and went
/// without having heard it.
struct Lead<J, A>(Arc<Lane<J, A>>);

impl<J, A> Drop for Lead<J, A> {
    fn drop(&mut self) {
        if let Some(Waiting { job, who, .. }) = self.0.next() {
            // Not heard, it comes back and is handed on from here.
            let _not_heard = who.send(Turn::Lead(job, Self(Arc::clone(&self.0))));
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

    use futures_util::FutureExt;
    use tokio::sync::Semaphore;
    use tokio::task::{JoinHandle, yield_now};

    use super::*;

    const MANY: Most = Most { jobs: 100, weight: 100 };

    /// A lane whose batches wait to be let go, one at a time, and are noted.
    struct World {
        gathering: Gathering<u32, (u32, usize)>,
        gate: Semaphore,
        batches: Mutex<Vec<Vec<u32>>>,
    }

    impl World {
        fn new(most: Most) -> Arc<Self> {
            Arc::new(Self { gathering: Gathering::new(1, most), gate: Semaphore::new(0), batches: Mutex::default() })
        }

        /// Asks for a job; the answer is the job and the size of its batch.
        async fn ask(&self, job: u32, weight: usize) -> Result<(u32, usize), Abandoned> {
            self.gathering.ask(&(), job, weight, |jobs| self.work(jobs)).await
        }

        async fn work(&self, jobs: Vec<u32>) -> Vec<(u32, usize)> {
            self.batches.lock().unwrap().push(jobs.clone());
            self.gate.acquire().await.unwrap().forget();
            jobs.iter().map(|job| (*job, jobs.len())).collect()
        }

        async fn spawn(self: &Arc<Self>, job: u32, weight: usize) -> JoinHandle<Result<(u32, usize), Abandoned>> {
            let world = Arc::clone(self);
            let asked = tokio::spawn(async move { world.ask(job, weight).await });
            yield_now().await;
            asked
        }

        fn batches(&self) -> Vec<Vec<u32>> {
            self.batches.lock().unwrap().clone()
        }
    }

    #[tokio::test]
    async fn those_who_come_meanwhile_are_the_next_batch() {
        let world = World::new(MANY);
        let mut asked = Vec::new();
        for job in 1..=4 {
            asked.push(world.spawn(job, 1).await);
        }
        world.gate.add_permits(2);
        for (job, asked) in (1..).zip(asked) {
            let size = if job == 1 { 1 } else { 3 };
            assert_eq!(asked.await.unwrap(), Ok((job, size)));
        }
        assert_eq!(world.batches(), [vec![1], vec![2, 3, 4]]);
        // Nobody leads any more: whoever comes does.
        world.gate.add_permits(1);
        assert_eq!(world.ask(5, 1).await, Ok((5, 1)));
    }

    #[tokio::test]
    async fn those_who_come_during_a_pause_are_in_the_batch() {
        let world = World::new(MANY);
        let paused = Arc::new(Semaphore::new(0));
        let mut asked = Vec::new();
        for job in 1..=2 {
            let (world, paused) = (Arc::clone(&world), Arc::clone(&paused));
            asked.push(tokio::spawn(async move {
                let pause = async { paused.acquire().await.unwrap().forget() };
                world.gathering.ask_with_pause(&(), job, 1, pause, |jobs| world.work(jobs)).await
            }));
            yield_now().await;
        }
        // The first begins at once; the second waits for it, and then for the pause.
        assert_eq!(world.batches(), [vec![1]]);
        world.gate.add_permits(2);
        let first = asked.remove(0);
        assert_eq!(first.await.unwrap(), Ok((1, 1)));
        yield_now().await;
        asked.push(world.spawn(3, 1).await);
        assert_eq!(world.batches(), [vec![1]]);
        paused.add_permits(1);
        for (job, asked) in (2..).zip(asked) {
            assert_eq!(asked.await.unwrap(), Ok((job, 2)));
        }
        assert_eq!(world.batches(), [vec![1], vec![2, 3]]);
    }

    #[tokio::test]
    async fn batches_are_bounded_in_number_and_weight() {
        let world = World::new(Most { jobs: 3, weight: 10 });
        let mut asked = Vec::new();
        for (job, weight) in [(1, 1), (2, 1), (3, 1), (4, 1), (5, 6), (6, 5), (7, 99), (8, 1)] {
            asked.push(world.spawn(job, weight).await);
        }
        world.gate.add_permits(10);
        for asked in asked {
            asked.await.unwrap().unwrap();
        }
        assert_eq!(world.batches(), [vec![1], vec![2, 3, 4], vec![5], vec![6], vec![7], vec![8]]);
    }

    #[tokio::test]
    async fn whoever_goes_while_waiting_is_left_out() {
        let world = World::new(MANY);
        let first = world.spawn(1, 1).await;
        let gone = world.spawn(2, 1).await;
        let third = world.spawn(3, 1).await;
        let gone_too = world.spawn(4, 1).await;
        for gone in [gone, gone_too] {
            gone.abort();
            assert!(gone.await.unwrap_err().is_cancelled());
        }
        world.gate.add_permits(2);
        assert_eq!(first.await.unwrap(), Ok((1, 1)));
        assert_eq!(third.await.unwrap(), Ok((3, 1)));
    }

    #[tokio::test]
    async fn a_leader_that_goes_leaves_its_batch_unanswered_and_the_lane_to_others() {
        let world = World::new(MANY);
        let first = world.spawn(1, 1).await;
        let leader = world.spawn(2, 1).await;
        let follower = world.spawn(3, 1).await;
        world.gate.add_permits(1);
        assert_eq!(first.await.unwrap(), Ok((1, 1)));
        yield_now().await;
        let behind = world.spawn(4, 1).await;
        leader.abort();
        assert!(leader.await.unwrap_err().is_cancelled());
        assert_eq!(follower.await.unwrap(), Err(Abandoned));
        world.gate.add_permits(1);
        assert_eq!(behind.await.unwrap(), Ok((4, 1)));
    }

    #[tokio::test]
    async fn whoever_was_told_to_lead_and_goes_unhearing_hands_the_lead_on() {
        let world = World::new(MANY);
        let first = world.spawn(1, 1).await;
        let mut told = Box::pin(world.ask(2, 1));
        assert_eq!((&mut told).now_or_never(), None);
        world.gate.add_permits(1);
        assert_eq!(first.await.unwrap(), Ok((1, 1)));
        drop(told);
        world.gate.add_permits(1);
        assert_eq!(world.ask(3, 1).await, Ok((3, 1)));
        assert_eq!(world.batches(), [vec![1], vec![3]]);
    }

    #[tokio::test]
    async fn lanes_do_not_wait_for_one_another() {
        let gathering = Gathering::<u32, u32>::new(64, MANY);
        let hang = |_| std::future::pending();
        let mut stuck = Box::pin(gathering.ask(&0, 1, 1, hang));
        assert_eq!((&mut stuck).now_or_never(), None);
        let mut others = 0;
        for key in 1..100 {
            let other = gathering.ask(&key, key, 1, |jobs| async move { jobs });
            others += usize::from(other.now_or_never() == Some(Ok(key)));
        }
        assert!(others > 80, "{others}");
    }
}
