//! Accounts: signing up, confirming the owner address, and what there is.

mod code;
mod overview;
mod plan;
mod sign_up;
mod verify;

pub use overview::overview;
pub use plan::change_plan;
pub use sign_up::{SignUp, SignedUp, problems_of_sign_up, sign_up};
pub use verify::{Verified, verify};
