//! `/v0/agent`: sign-up, sign-in and verification of the owner address.

mod attach_human;
mod sign_in;
mod sign_up;
mod verify;
