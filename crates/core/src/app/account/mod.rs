//! Use cases of accounts: sign-up, sign-in, confirmation, overview, plan, suspension and removal.

mod allowance;
mod code;
mod identity;
mod mail;
mod new_account;
mod overview;
mod plan;
mod remove;
mod sign_in;
mod sign_in_key;
mod sign_in_mail;
mod sign_in_verify;
mod sign_up;
mod suspend;
mod switch;
mod verify;

pub use allowance::{SendAllowance, send_allowance};
pub use identity::identity;
pub(in crate::app) use mail::SERVICE_NAME;
pub(crate) use mail::system_mail;
pub(in crate::app) use new_account::NewAccount;
pub use overview::overview;
pub(in crate::app) use overview::visible_overview;
pub use plan::change_plan;
pub use remove::remove;
pub(in crate::app) use sign_in::request_browser_code;
pub use sign_in::sign_in;
pub use sign_in_key::SignedIn;
pub use sign_in_mail::mail_sign_in_codes;
pub use sign_in_verify::{SignInProof, problems_of_proof, verify_sign_in};
pub(in crate::app) use sign_in_verify::{TriedCode, checked_proof, try_code};
pub use sign_up::{SignUp, SignedUp, problems_of_sign_up, sign_up};
pub use suspend::{resume, suspend};
pub use switch::switch;
pub use verify::{Confirmation, Existing, Verified, verify};
