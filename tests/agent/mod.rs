//! `/v0/agent`: signing up, signing in and confirming the owner address.

mod sign_in;
mod sign_up;
mod verify;
