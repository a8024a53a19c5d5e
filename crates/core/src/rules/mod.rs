//! Business rules: pure functions over values, tested by tables.

pub mod access;
pub mod approval;
pub mod authentication;
pub mod authorization;
pub mod billing;
pub mod bounces;
pub mod codes;
pub mod destinations;
pub mod domains;
pub mod labels;
pub mod limits;
pub mod lists;
pub mod loops;
pub mod metrics;
pub mod names;
pub mod networks;
pub mod oauth;
pub mod response_limits;

pub mod deduplication;
pub mod pod_names;
pub mod recipients;
pub mod reports;
pub mod retry;
pub mod return_paths;
pub mod roles;
pub mod row_limits;
pub mod sending_policy;
pub mod sign_in;
pub mod signing;
pub mod spam;
pub mod suspension;
pub mod threading;
pub mod trust;
pub mod verdict;
pub mod webhooks;
