//! Limits of the operator that may change while the service runs.

use std::sync::{Arc, PoisonError, RwLock};

use crate::model::{MailLimits, SignUpMode};
use crate::rules::row_limits::RowLimits;

/// Limits of the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Row limits for resources without a plan limit.
    pub rows: RowLimits,
    /// Messages per hour that API keys may send from one inbox to one address; `None` means no limit.
    pub loop_budget: Option<u32>,
    /// Limits on sign-up and invitation mail to one mailbox, from all organizations together.
    pub mailbox_mails: MailLimits,
    /// Limits on the invitations of one organization.
    pub invitations: MailLimits,
    /// Condition under which new organizations are accepted.
    pub sign_up: SignUpMode,
    /// Whether the sending of an organization is slowed and held by its rates of bounces and complaints.
    pub brakes_sending: bool,
}

/// Current limits, which clones share.
#[derive(Debug, Clone)]
pub struct CurrentLimits(Arc<RwLock<Limits>>);

impl CurrentLimits {
    /// Begins with these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self(Arc::new(RwLock::new(limits)))
    }

    /// Returns the current limits.
    #[must_use]
    pub fn get(&self) -> Limits {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the limits in all clones.
    pub fn replace(&self, limits: Limits) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = limits;
    }
}
