//! Custom domains: valid names, required DNS records and their evaluation.

mod dkim;
pub mod dmarc;
pub mod inbox_domain_policy;
pub mod mta_sts;
mod mx;
pub mod name;
mod record_verdict;
pub mod records;
pub mod report_addresses;
pub mod rotation;
pub mod signing_domain;
mod spf;
pub mod status;
mod tags;
pub mod verify;
pub mod zone;
