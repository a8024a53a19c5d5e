//! The content of a mail as it grows, within its limits.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::reply::Reply;

/// In how large steps memory is asked for, in KiB.
const STEP_KIB: u32 = 256;

/// The memory that all mails which are arriving share.
#[derive(Debug, Clone)]
pub(super) struct Memory(Arc<Semaphore>);

impl Memory {
    pub(super) fn new(octets: usize) -> Self {
        Self(Arc::new(Semaphore::new(octets.div_ceil(1024).min(Semaphore::MAX_PERMITS))))
    }
}

/// Why a content cannot be taken. The first cause counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// It has a CR or LF of its own.
    BareLineEnd,
    /// It is larger than allowed.
    TooLarge,
    /// The shared memory is used up.
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
    octets: Vec<u8>,
    limit: usize,
    after_cr: bool,
    fault: Option<Fault>,
    memory: Memory,
    share: Option<OwnedSemaphorePermit>,
}

impl Content {
    pub(super) fn new(limit: usize, memory: &Memory) -> Self {
        Self { octets: Vec::new(), limit, after_cr: false, fault: None, memory: memory.clone(), share: None }
    }

    /// Appends octets. Once there is a fault they are let go, and so is what came before.
    pub(super) fn push(&mut self, octets: &[u8]) {
        if self.fault.is_some() {
            return;
        }
        if self.has_bare_line_end(octets) {
            return self.fail(Fault::BareLineEnd);
        }
        let length = self.octets.len() + octets.len();
        if length > self.limit {
            return self.fail(Fault::TooLarge);
        }
        if !self.find_room(length) {
            return self.fail(Fault::NoRoom);
        }
        self.octets.extend_from_slice(octets);
    }

    /// What is wrong with it so far.
    pub(super) fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// The whole content, and its share of the memory, to be held as long as the content is.
    pub(super) fn finish(mut self) -> Result<(Vec<u8>, Option<OwnedSemaphorePermit>), Fault> {
        if self.after_cr && self.fault.is_none() {
            self.fail(Fault::BareLineEnd);
        }
        match self.fault {
            Some(fault) => Err(fault),
            None => Ok((self.octets, self.share)),
        }
    }

    fn fail(&mut self, fault: Fault) {
        self.fault = Some(fault);
        self.octets = Vec::new();
        self.share = None;
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

    fn find_room(&mut self, length: usize) -> bool {
        let held = self.share.as_ref().map_or(0, OwnedSemaphorePermit::num_permits) * 1024;
        if length <= held {
            return true;
        }
        let missing = u32::try_from((length - held).div_ceil(1024)).unwrap_or(u32::MAX);
        let acquire = |kib| Arc::clone(&self.memory.0).try_acquire_many_owned(kib);
        let Ok(more) = acquire(missing.max(STEP_KIB)).or_else(|_| acquire(missing)) else {
            return false;
        };
        match &mut self.share {
            Some(share) => share.merge(more),
            None => self.share = Some(more),
        }
        true
    }
}
