mod access;
mod domains;
mod labels;
mod limits;
mod recipients;
mod repeats;
mod retry;
mod signing;
