//! Check of the standbys that serve reads: reachable, of the same cluster, at the schema, and recent.

use std::time::Duration;

use inboxd_postgres::{StandbyDiagnosis, StandbyState, diagnose_standbys};

use super::Finding;
use crate::config::Config;

const CHECK: &str = "standby";

/// Checks each host of `INBOXD_DATABASE_READ_URL`.
pub(crate) async fn examine(config: &Config) -> Vec<Finding> {
    let (Some(standbys), Some(primary)) = (&config.standbys, &config.database_url) else { return Vec::new() };
    match diagnose_standbys(primary.reveal(), standbys.url.reveal()).await {
        Ok(diagnoses) => diagnoses.iter().map(|diagnosis| judged(diagnosis, standbys.max_lag)).collect(),
        Err(error) => {
            let mend = "set a URL such as postgres://user:password@standby/database";
            vec![Finding::fail(CHECK, format!("INBOXD_DATABASE_READ_URL cannot be used: {error}"), mend)]
        }
    }
}

/// Judges a standby. The primary serves the reads of an unusable one, so no state of it is a failure.
fn judged(diagnosis: &StandbyDiagnosis, max_lag: Duration) -> Finding {
    let StandbyDiagnosis { host, state } = diagnosis;
    let warn = |found: String, mend: &str| Finding::warn(CHECK, format!("{host} {found}"), mend);
    let StandbyState { version, is_standby, is_same_cluster, has_schema, lag } = match state {
        Ok(state) => state,
        Err(error) => {
            let mend =
                "start it, permit connections of this machine and user, or remove it from INBOXD_DATABASE_READ_URL";
            return warn(format!("cannot be compared with the primary: {error}"), mend);
        }
    };
    if !is_same_cluster {
        return warn(
            "belongs to another cluster than INBOXD_DATABASE_URL".to_owned(),
            "name standbys of that database in INBOXD_DATABASE_READ_URL",
        );
    }
    if !is_standby {
        // All processes may have one list of hosts, which stays valid after a failover.
        return Finding::ok(CHECK, format!("{host} is the primary, and serves no stale reads"));
    }
    if !has_schema {
        return warn("has another schema than this version".to_owned(), "wait for its replication, and repeat");
    }
    match lag {
        Some(lag) if *lag <= max_lag => {
            let seconds = lag.as_secs_f64();
            Finding::ok(CHECK, format!("{host} is a standby, PostgreSQL {version}, {seconds:.1} s behind"))
        }
        _ => warn(
            "is further behind the primary than INBOXD_DATABASE_READ_MAX_LAG or 5 s".to_owned(),
            "check its replication and its load",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;

    #[test]
    fn standby_is_judged_by_cluster_role_schema_and_lag() {
        let good = StandbyState {
            version: "16.4".to_owned(),
            is_standby: true,
            is_same_cluster: true,
            has_schema: true,
            lag: Some(Duration::from_millis(300)),
        };
        for (state, level, words) in [
            (good.clone(), Level::Ok, "b:5432 is a standby, PostgreSQL 16.4, 0.3 s behind"),
            (StandbyState { is_same_cluster: false, ..good.clone() }, Level::Warn, "another cluster"),
            (StandbyState { is_standby: false, ..good.clone() }, Level::Ok, "is the primary"),
            (StandbyState { has_schema: false, ..good.clone() }, Level::Warn, "another schema"),
            (StandbyState { lag: None, ..good.clone() }, Level::Warn, "further behind"),
            (StandbyState { lag: Some(Duration::from_secs(3)), ..good }, Level::Warn, "further behind"),
        ] {
            let diagnosis = StandbyDiagnosis { host: "b:5432".to_owned(), state: Ok(state) };
            let finding = judged(&diagnosis, Duration::from_secs(2));
            assert_eq!(finding.level, level, "{finding}");
            assert!(finding.to_string().contains(words), "{finding}");
        }
    }
}
