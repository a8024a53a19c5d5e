//! Trust in a received message: a verdict with machine-readable reasons.
//!
//! ```text
//! evidence.rs     facts: sender, authentication, history, people, findings of the content
//! reason.rs       closed set of reasons
//! known.rs        people and domains that senders may imitate, prepared for comparisons
//! names.rs        display names that imitate a person or the service
//! domains.rs      domains that resemble another one
//! confusables.rs  letters that look alike
//! filter.rs       events by the verdict of their mail
//! judge.rs        from facts to reasons, from reasons to the verdict
//! ```
//!
//! Precision comes first: a verdict that is wrong every week is soon ignored. A signal that legitimate mail often shows
//! is a reason for the reader, and decides only together with another one.

mod confusables;
mod domains;
mod evidence;
mod filter;
mod judge;
mod known;
mod names;
mod reason;

pub(crate) use self::confusables::folded;
pub use self::domains::{base_domain, resembles};
pub use self::evidence::{
    ContactDecision, Evidence, History, KnownPerson, Relation, ScannerFinding, SenderAddress, ServiceIdentity,
    TextPlace,
};
pub use self::filter::passes;
pub use self::judge::{Checks, Judgement, judge};
pub use self::known::KnownIdentities;
pub use self::reason::{
    AttachmentRisk, HiddenTextKind, ImitatedIdentity, InstructionKind, MassMailKind, MessageField, Reason, Resemblance,
    Verdict,
};
