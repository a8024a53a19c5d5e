//! Buffer of message content, in memory first and then in a spool file.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use super::budget::{MessageShare, NetworkBudget};
use super::options::ServerOptions;
use super::reply::Reply;
use super::spool::SpoolFile;
use super::storing::{StoringMemory, StoringPermit};

/// Size of the largest content in memory.
const MAX_MEMORY_BYTES: usize = 256 * 1024;

/// Memory of each content without a share, and size of the blocks written to the spool.
const BLOCK_BYTES: usize = 32 * 1024;

/// Memory and disk budgets of all messages in transfer.
#[derive(Debug, Clone)]
pub(super) struct ContentBudget {
    memory: NetworkBudget,
    spool: NetworkBudget,
    storing: Arc<StoringMemory>,
    folder: Option<Arc<Path>>,
}

impl ContentBudget {
    pub(super) fn new(options: &ServerOptions) -> Self {
        // One message of maximum size always fits.
        Self {
            memory: NetworkBudget::new(options.max_memory_bytes, MAX_MEMORY_BYTES),
            spool: NetworkBudget::new(options.max_spool_bytes, options.max_message_bytes),
            storing: Arc::new(StoringMemory::new(options.max_storing_bytes, options.max_message_bytes)),
            folder: options.spool_folder.as_deref().map(Arc::from),
        }
    }

    /// Returns the bytes in use, by place.
    pub(super) fn used(&self) -> [(&'static str, usize); 2] {
        [("memory", self.memory.used()), ("spool", self.spool.used())]
    }

    /// Returns whether more than half of the disk budget is in use.
    pub(super) fn is_scarce(&self) -> bool {
        self.spool.is_scarce()
    }
}

/// Reason for which a content is refused. The first one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentFault {
    /// A CR or LF occurs on its own.
    BareLineEnd,
    /// The content exceeds the size limit.
    TooLarge,
    /// The memory and disk budgets are exhausted.
    NoCapacity,
}

impl ContentFault {
    /// Returns the reply for this fault.
    pub(super) fn reply(self, limit: usize) -> Reply {
        match self {
            Self::BareLineEnd => Reply::BareLineEndInContent,
            Self::TooLarge => Reply::TooLarge { limit },
            Self::NoCapacity => Reply::NoCapacity,
        }
    }
}

/// Received part of a message content.
#[derive(Debug)]
pub(super) struct ContentBuffer {
    /// Bytes that are not in the spool.
    block: Vec<u8>,
    spool: Option<SpoolFile>,
    length: usize,
    limit: usize,
    after_cr: bool,
    fault: Option<ContentFault>,
    budget: ContentBudget,
    network: IpAddr,
    memory: MessageShare,
    disk: MessageShare,
}

/// Complete content in memory.
#[derive(Debug)]
pub(super) struct LoadedContent {
    pub(super) raw: Vec<u8>,
    /// Budget of the content, which must be held as long as the content.
    pub(super) held: (MessageShare, Option<StoringPermit>),
}

impl ContentBuffer {
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
            memory: budget.memory.share(network),
            disk: budget.spool.share(network),
        }
    }

    /// Appends bytes. After a fault they are discarded, as are all earlier ones.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.fault.is_some() {
            return;
        }
        if self.has_bare_line_end(bytes) {
            return self.fail(ContentFault::BareLineEnd);
        }
        let length = self.length + bytes.len();
        if length > self.limit {
            return self.fail(ContentFault::TooLarge);
        }
        self.length = length;
        self.block.extend_from_slice(bytes);
    }

    /// Reserves memory for the appended bytes, or moves them to the spool. It is called after each received block.
    pub(super) async fn settle(&mut self) {
        let length = self.block.len();
        if length <= BLOCK_BYTES {
            return;
        }
        if self.spool.is_none() && length <= MAX_MEMORY_BYTES && self.memory.grow_to(length) {
            return;
        }
        if !self.disk.grow_to(self.length) {
            return self.fail(ContentFault::NoCapacity);
        }
        let written = match self.spool.take() {
            Some(spool) => spool.append(&mut self.block).await,
            None => SpoolFile::create(self.budget.folder.as_deref(), &mut self.block).await,
        };
        self.memory.release();
        match written {
            Ok(spool) => self.spool = Some(spool),
            Err(error) => {
                tracing::error!(%error, "spool file not written");
                self.fail(ContentFault::NoCapacity);
            }
        }
    }

    /// Returns the first fault so far.
    pub(super) fn fault(&self) -> Option<ContentFault> {
        self.fault
    }

    /// Returns the number of bytes so far.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Ends the content and loads it into memory, accounting for this number of copies. It may wait for memory.
    pub(super) async fn finish(mut self, copies: usize) -> Result<LoadedContent, ContentFault> {
        if self.after_cr && self.fault.is_none() {
            self.fail(ContentFault::BareLineEnd);
        }
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let Some(spool) = self.spool else {
            return Ok(LoadedContent { raw: self.block, held: (self.memory, None) });
        };
        let storing = self.budget.storing.acquire(self.network, self.length.saturating_mul(copies.max(1))).await;
        let storing = Some(storing.map_err(|_| ContentFault::NoCapacity)?);
        match spool.read(self.block).await {
            Ok(raw) => Ok(LoadedContent { raw, held: (self.memory, storing) }),
            Err(error) => {
                tracing::error!(%error, "spool file not read");
                Err(ContentFault::NoCapacity)
            }
        }
    }

    fn fail(&mut self, fault: ContentFault) {
        self.fault = Some(fault);
        self.block = Vec::new();
        self.spool = None;
        self.memory.release();
        self.disk.release();
    }

    /// Returns whether a CR or LF occurs on its own, also across two appended pieces.
    fn has_bare_line_end(&mut self, bytes: &[u8]) -> bool {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if self.after_cr != (first == b'\n') {
                return true;
            }
            self.after_cr = false;
            let skip = usize::from(first == b'\n');
            match memchr::memchr2(b'\r', b'\n', &rest[skip..]) {
                None => return false,
                Some(position) if rest[skip + position] == b'\r' => {
                    self.after_cr = true;
                    rest = &rest[skip + position + 1..];
                }
                Some(_) => return true,
            }
        }
        false
    }
}
