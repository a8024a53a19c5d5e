//! The content of a message as it grows: in memory at first, then in a spool file.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use super::budget::{ByteBudget, ByteLease};
use super::options::ServerOptions;
use super::reply::Reply;
use super::spool::SpoolFile;
use super::storing::{StoringMemory, StoringPermit};

/// The largest content that stays in memory.
const MAX_MEMORY_BYTES: usize = 256 * 1024;

/// What each content may have in memory without a lease, and the size of blocks that are written to the spool.
const BLOCK_BYTES: usize = 32 * 1024;

/// The memory and disk space that all messages on their way share.
#[derive(Debug, Clone)]
pub(super) struct ContentBudget {
    memory: ByteBudget,
    spool: ByteBudget,
    storing: Arc<StoringMemory>,
    folder: Option<Arc<Path>>,
}

impl ContentBudget {
    pub(super) fn new(options: &ServerOptions) -> Self {
        // One message of the largest size always fits.
        Self {
            memory: ByteBudget::new(options.max_memory_bytes, MAX_MEMORY_BYTES),
            spool: ByteBudget::new(options.max_spool_bytes, options.max_message_bytes),
            storing: Arc::new(StoringMemory::new(options.max_storing_bytes, options.max_message_bytes)),
            folder: options.spool_folder.as_deref().map(Arc::from),
        }
    }

    /// Whether more than half of the disk space is used.
    pub(super) fn is_scarce(&self) -> bool {
        self.spool.is_scarce()
    }
}

/// Why a content cannot be taken. The first cause counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It has a CR or LF of its own.
    BareLineEnd,
    /// It is larger than allowed.
    TooLarge,
    /// The shared memory and disk space are used up.
    NoRoom,
}

impl Fault {
    /// How it is said.
    pub(super) fn reply(self, limit: usize) -> Reply {
        match self {
            Self::BareLineEnd => Reply::BareLineEndInContent,
            Self::TooLarge => Reply::TooLarge { limit },
            Self::NoRoom => Reply::NoRoom,
        }
    }
}

/// What has arrived of a mail.
#[derive(Debug)]
pub(super) struct Content {
    /// What is not in the spool.
    block: Vec<u8>,
    spool: Option<SpoolFile>,
    length: usize,
    limit: usize,
    after_cr: bool,
    fault: Option<Fault>,
    budget: ContentBudget,
    network: IpAddr,
    memory: ByteLease,
    disk: ByteLease,
}

/// A whole content in memory.
#[derive(Debug)]
pub(super) struct LoadedContent {
    pub(super) raw: Vec<u8>,
    /// Its share of the memory, to be held as long as the content is.
    pub(super) held: (ByteLease, Option<StoringPermit>),
}

impl Content {
    pub(super) fn new(limit: usize, budget: &ContentBudget, network: IpAddr) -> Self {
        Self {
            block: Vec::new(),
            spool: None,
            length: 0,
            limit,
            after_cr: false,
            fault: None,
            budget: budget.clone(),
            network,
            memory: budget.memory.lease(network),
            disk: budget.spool.lease(network),
        }
    }

    /// Appends octets. Once there is a fault they are let go, and so is what came before.
    pub(super) fn push(&mut self, octets: &[u8]) {
        if self.fault.is_some() {
            return;
        }
        if self.has_bare_line_end(octets) {
            return self.fail(Fault::BareLineEnd);
        }
        let length = self.length + octets.len();
        if length > self.limit {
            return self.fail(Fault::TooLarge);
        }
        self.length = length;
        self.block.extend_from_slice(octets);
    }

    /// Leases memory for what was pushed, or moves it to the spool. Called after each block that came over the wire.
    pub(super) async fn settle(&mut self) {
        let length = self.block.len();
        if length <= BLOCK_BYTES {
            return;
        }
        if self.spool.is_none() && length <= MAX_MEMORY_BYTES && self.memory.extend_to(length) {
            return;
        }
        if !self.disk.extend_to(self.length) {
            return self.fail(Fault::NoRoom);
        }
        let written = match self.spool.take() {
            Some(spool) => spool.append(&mut self.block).await,
            None => SpoolFile::create(self.budget.folder.as_deref(), &mut self.block).await,
        };
        self.memory.release();
        match written {
            Ok(spool) => self.spool = Some(spool),
            Err(error) => {
                tracing::error!(%error, "spool file could not be written");
                self.fail(Fault::NoRoom);
            }
        }
    }

    /// What is wrong with it so far.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Returns the number of bytes so far.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Ends the content and loads it into memory, for as many copies as there are recipients. It may have to wait.
    pub(super) async fn finish(mut self, copies: usize) -> Result<LoadedContent, Fault> {
        if self.after_cr && self.fault.is_none() {
            self.fail(Fault::BareLineEnd);
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let Some(spool) = self.spool else {
            return Ok(LoadedContent { raw: self.block, held: (self.memory, None) });
        };
        let storing = self.budget.storing.acquire(self.network, self.length.saturating_mul(copies.max(1))).await;
        let storing = Some(storing.map_err(|_| Fault::NoRoom)?);
        match spool.read(self.block).await {
            Ok(raw) => Ok(LoadedContent { raw, held: (self.memory, storing) }),
            Err(error) => {
                tracing::error!(%error, "spool file could not be read");
                Err(Fault::NoRoom)
            }
        }
    }

    fn fail(&mut self, fault: Fault) {
        self.fault = Some(fault);
        self.block = Vec::new();
        self.spool = None;
        self.memory.release();
        self.disk.release();
    }

    /// Whether a CR comes without its LF or an LF without its CR, also over the border between two pieces.
    fn has_bare_line_end(&mut self, octets: &[u8]) -> bool {
        let mut rest = octets;
        while let Some(&first) = rest.first() {
            if self.after_cr != (first == b'\n') {
                return true;
            }
            self.after_cr = false;
            let skip = usize::from(first == b'\n');
            match memchr::memchr2(b'\r', b'\n', &rest[skip..]) {
                None => return false,
                Some(place) if rest[skip + place] == b'\r' => {
                    self.after_cr = true;
                    rest = &rest[skip + place + 1..];
                }
                Some(_) => return true,
            }
        }
        false
    }
}
