//! Signing in and out, and the profiles that remember it.

mod commands;
mod login;
mod logout;
mod profile;
mod prompt;
mod resolve;
mod sign_up;
mod whoami;

pub(crate) use commands::commands;
pub(crate) use login::login;
pub(crate) use logout::logout;
pub(crate) use profile::{Profile, ProfileFile};
pub(crate) use prompt::say;
pub(crate) use resolve::{Session, SessionFlags};
pub(crate) use sign_up::sign_up;
pub(crate) use whoami::whoami;
