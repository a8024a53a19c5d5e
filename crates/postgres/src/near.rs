//! What is asked most is asked where it is asked for.
//!
//! Each worker of the HTTP server has a runtime and a thread of its own. A connection whose task lives there answers
//! without waking another thread and being woken by it, which costs more than most questions. So each such runtime has a
//! few connections of its own, for short questions alone: everything else is done by those of the pool that all share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

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

/// The most connections that one worker has for itself.
const MOST: usize = 4;

/// Those who ask in one runtime.
pub(crate) struct Near {
    pool: Pool<AsyncPgConnection>,
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
    /// Those who ask by the connections of a pool, with so many statements of a kind at a time.
    pub(crate) fn new(pool: Pool<AsyncPgConnection>, statements: usize, home: &Handle) -> Self {
        Self {
            keys: Shared::new(&pool, statements, home),
            messages: Shared::new(&pool, statements, home),
            one_versions: Shared::new(&pool, statements, home),
            page_versions: Shared::new(&pool, statements, home),
            pool,
        }
    }

    /// Borrows a connection for a short question.
    pub(crate) async fn connection(&self) -> Result<Connection, StoreError> {
        self.pool.get().await.map_err(no_connection)
    }
}

/// All of them, by their runtimes.
pub(crate) struct Everywhere {
    target: Target,
    /// How many connections each worker has for itself; together they are as many as those that all share.
    each: usize,
    home: (Id, Arc<Near>),
    workers: Mutex<HashMap<Id, Arc<Near>>>,
}

impl Everywhere {
    /// With the pool that all share, which belongs to the runtime `home`.
    pub(crate) fn new(target: Target, pool: &Pool<AsyncPgConnection>, home: &Handle) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        // The database works beside who asks: half of the processors each.
        let near = Near::new(pool.clone(), processors.div_ceil(2), home);
        Self {
            target,
            each: (pool.status().max_size / processors).min(MOST),
            home: (home.id(), Arc::new(near)),
            workers: Mutex::default(),
        }
    }

    /// Those who ask in the runtime that this is called in.
    pub(crate) fn here(&self) -> Result<Arc<Near>, StoreError> {
        let here = connection::home()?;
        let is_worker = here.runtime_flavor() == RuntimeFlavor::CurrentThread && here.id() != self.home.0;
        // With a single connection, whoever asks for a list would hold up all who ask for a key.
        if !is_worker || self.each < 2 {
            return Ok(Arc::clone(&self.home.1));
        }
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(near) = workers.get(&here.id()) {
            return Ok(Arc::clone(near));
        }
        let pool = connection::pool(&self.target, self.each, &here)?;
        let near = Arc::new(Near::new(pool, 1, &here));
        workers.insert(here.id(), Arc::clone(&near));
        Ok(near)
    }
}
