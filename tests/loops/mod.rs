//! Mail loops between programs, and their limits.

mod automatic;
mod budget;
mod people;
