//! `/v0/agent`: signing up and confirming the owner address.

mod sign_up;
mod verify;
