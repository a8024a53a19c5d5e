//! Error responses, which all have one shape.

mod bodies;
mod envelope;
mod order;
mod reference;
mod routes;
