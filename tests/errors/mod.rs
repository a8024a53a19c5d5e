//! Every refusal, whatever was wrong, has one shape.

mod bodies;
mod envelope;
mod reference;
mod routes;
