//! Machines that answer machines, and what stops them.

mod automatic;
mod budget;
mod people;
