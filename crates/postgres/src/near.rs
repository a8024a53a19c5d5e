//! What is asked most is asked where it is asked for.
//!
//! Each worker of the HTTP server has a runtime and a thread of its own. A connection whose task lives there answers
//! without waking another thread and being woken by it, which costs more than most questions. So each such runtime has a
//! few connections of its own, for short questions alone: everything else is done by those of the pool that all share.
//! Keys have connections of their own, so that no list and no other question is in the way of authentication.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use deadpool::managed::{PoolError, TimeoutType, Timeouts};
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Pool;
use inboxd_core::ports::StoreError;
use tokio::runtime::{Handle, Id, RuntimeFlavor};

use crate::api_keys::Keys;
use crate::connection::{self, Connection, Target};
use crate::error::no_connection;
use crate::messages::one::OneMessage;
use crate::shared::Shared;
use crate::versions::{OneVersions, PageVersions};

/// Connections that a runtime has for itself, of each kind.
#[derive(Debug, Clone, Copy)]
struct NearSizes {
    /// For keys: nothing else is in the way of authentication.
    keys: usize,
    /// For single messages and versions.
    short: usize,
    /// For lists.
    lists: usize,
}

/// The most connections that one runtime has for itself.
pub(crate) const MAX_NEAR: usize = 6;
/// Connections for keys in the runtime that all share.
pub(crate) const KEYS_AT_HOME: usize = 2;

impl NearSizes {
    /// Divides so many connections; `None` where they are too few.
    fn of(each: usize) -> Option<Self> {
        match each {
            0 | 1 => None,
            2 | 3 => Some(Self { keys: 1, short: each - 1, lists: 0 }),
            4 | 5 => Some(Self { keys: 1, short: each - 3, lists: 2 }),
            _ => Some(Self { keys: 1, short: 2, lists: 3 }),
        }
    }
}

/// Those who ask in one runtime.
pub(crate) struct Near {
    /// For lists, where there are any.
    lists: Option<Pool<AsyncPgConnection>>,
    /// The pool that all share.
    shared: Pool<AsyncPgConnection>,
    /// Those who ask for a key.
    pub(crate) keys: Shared<Keys>,
    /// Those who ask for a message.
    pub(crate) messages: Shared<OneMessage>,
    /// Those who ask whether a message is as it was.
    pub(crate) one_versions: Shared<OneVersions>,
    /// Those who ask whether a page is.
    pub(crate) page_versions: Shared<PageVersions>,
}

impl Near {
    /// Those who ask by the connections of these pools, with so many statements of a kind at a time.
    fn new(
        shared: &Pool<AsyncPgConnection>,
        keys: &Pool<AsyncPgConnection>,
        short: &Pool<AsyncPgConnection>,
        lists: Option<Pool<AsyncPgConnection>>,
        statements: usize,
        home: &Handle,
    ) -> Self {
        Self {
            keys: Shared::new(keys, statements, home),
            messages: Shared::new(short, statements, home),
            one_versions: Shared::new(short, statements, home),
            page_versions: Shared::new(short, statements, home),
            shared: shared.clone(),
            lists,
        }
    }

    /// Borrows a connection for a list: one of this runtime where one is free, else one of those that all share.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        if let Some(lists) = &self.lists {
            let timeouts = Timeouts { wait: Some(Duration::ZERO), ..lists.timeouts() };
            match lists.timeout_get(&timeouts).await {
                Err(PoolError::Timeout(TimeoutType::Wait)) => {}
                borrowed => return borrowed.map_err(no_connection),
            }
        }
        self.shared.get().await.map_err(no_connection)
    }
}

/// All of them, by their runtimes.
pub(crate) struct Everywhere {
    target: Target,
    /// How many connections each worker has for itself.
    each: usize,
    shared: Pool<AsyncPgConnection>,
    home: (Id, Arc<Near>),
    workers: Mutex<HashMap<Id, Arc<Near>>>,
}

impl Everywhere {
    /// With the pool that all share, which belongs to the runtime `home`, and so many connections more for each worker.
    pub(crate) fn new(
        target: Target,
        pool: &Pool<AsyncPgConnection>,
        each: usize,
        home: &Handle,
    ) -> Result<Self, StoreError> {
        // The database works beside who asks: half of the processors each.
        let statements = std::thread::available_parallelism().map_or(1, usize::from).div_ceil(2);
        let keys = connection::pool(&target, KEYS_AT_HOME, home)?;
        let near = Near::new(pool, &keys, pool, None, statements, home);
        Ok(Self { target, each, shared: pool.clone(), home: (home.id(), Arc::new(near)), workers: Mutex::default() })
    }

    /// Where the connections lead.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// Those who ask in the runtime that this is called in.
    pub(crate) fn here(&self) -> Result<Arc<Near>, StoreError> {
        let here = connection::home()?;
        let is_worker = here.runtime_flavor() == RuntimeFlavor::CurrentThread && here.id() != self.home.0;
        let Some(sizes) = NearSizes::of(self.each).filter(|_| is_worker) else {
            return Ok(Arc::clone(&self.home.1));
        };
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(near) = workers.get(&here.id()) {
            return Ok(Arc::clone(near));
        }
        let pool = |size| connection::pool(&self.target, size, &here);
        let lists = (sizes.lists > 0).then(|| pool(sizes.lists)).transpose()?;
        let near = Near::new(&self.shared, &pool(sizes.keys)?, &pool(sizes.short)?, lists, 1, &here);
        let near = Arc::new(near);
        workers.insert(here.id(), Arc::clone(&near));
        Ok(near)
    }
}
