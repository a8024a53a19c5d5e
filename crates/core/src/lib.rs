//! The rules of inboxd: model, rules, ports and use cases, with no I/O of its own.
//!
//! ```text
//! model/  entities and values: what there is
//! rules/  pure functions over them: what is allowed, and what follows
//! ports/  traits that storage, clock, randomness and delivery implement
//! app/    use cases, one verb a file: load, decide, store, commit
//! ```
//!
//! Nothing in here knows a database, a socket, a clock or a source of randomness: all of them come through [`ports`].
//!
//! # Rules are plain functions
//!
//! ```
//! use inboxd_core::model::{EventType, HidingLabels};
//! use inboxd_core::rules::{labels::LabelChange, verdict::HidingVerdict};
//!
//! // A message that fails authentication arrives: that decides its labels and its one event.
//! let verdict = HidingVerdict { unauthenticated: true, ..HidingVerdict::default() };
//! assert_eq!(verdict.event_type(), EventType::MessageReceivedUnauthenticated);
//! let labels = verdict.labels();
//! assert_eq!(labels.to_vec(), ["received", "unauthenticated", "unread"]);
//!
//! // Lists leave it out, unless the reader includes such mail.
//! assert!(!HidingLabels::of(&labels).shown_to(HidingLabels::NONE));
//! assert!(HidingLabels::of(&labels).shown_to(HidingLabels::ALL));
//!
//! // A caller may say that it was read, and may not take the verdict back.
//! let change = LabelChange::checked(&["Done".to_owned()], &["unread".to_owned()])?;
//! assert_eq!(change.apply(&labels)?.to_vec(), ["done", "received", "unauthenticated"]);
//! assert!(LabelChange::checked(&[], &["unauthenticated".to_owned()]).is_err());
//! # Ok::<(), inboxd_core::Error>(())
//! ```
//!
//! # Use cases are functions over an app
//!
//! An [`App`](app::App) holds one implementation of each port. Every use case takes it, and whoever calls:
//! `receive(&app, mail)`, `messages::list(&app, &caller, &inbox_id, filter)`. `examples/embedded` receives and reads mail
//! on ports of its own, in memory. With the feature `testing` there are mocks of all ports.

pub mod app;
mod error;
pub mod model;
pub mod ports;
pub mod rules;
#[cfg(feature = "testing")]
pub mod testing;

pub use error::{
    AbsentFeature, AttachmentTextRefusal, BillingError, BrakeRefusal, CalendarRefusal, CodeRefusal, Error, FieldError,
    FieldErrorKind, LimitReached, LimitedRows, LoopRefusal, PolicyError, QuarantineRefusal, RedactionRefusal, Resource,
    SignUpRefusal,
};
