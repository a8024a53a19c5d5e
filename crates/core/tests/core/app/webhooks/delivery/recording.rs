//! Recorded outcomes of attempts.

use super::*;

fn outcome(webhook: u128, ended_at: OffsetDateTime, status: Option<u16>) -> Outcome {
    let delivery = WebhookDelivery { webhook_id: id(webhook), ..delivery() };
    let attempt = WebhookAttempt {
        organization_id: id(1),
        attempt_id: id(100),
        webhook_id: id(webhook),
        event_id: id(70),
        event_type: EventType::MessageReceived,
        status_code: status,
        duration_ms: 1_000,
        response_body: None,
        error: None,
        attempted_at: ended_at - Duration::SECOND,
        next_attempt_at: (status != Some(200)).then_some(ended_at + Duration::HOUR),
    };
    Outcome { delivery, attempt: Some(attempt) }
}

fn run(webhook: u128, run: Option<(OffsetDateTime, OffsetDateTime)>, enabled: bool) -> FailureRun {
    let run = run.map(|(since, last_at)| FailureStreak { since, last_at });
    FailureRun { organization_id: id(1), webhook_id: id(webhook), run, enabled }
}

/// Records outcomes and returns the stored failure states and disabled webhooks.
async fn runs_after(before: Vec<FailureRun>, outcomes: &[Outcome]) -> (Vec<FailureRun>, Vec<GivenUp>) {
    let mut world = World::default();
    let stored = Captured::default();
    let seen = stored.clone();
    let tx = world.unit_of_work();
    let recorded = records_audit(tx);
    let deliveries = &mut tx.deliveries;
    deliveries.expect_lock_runs().return_once(move |_| Ok(before));
    deliveries.expect_update_runs().times(..=1).returning(move |runs, at| {
        assert_eq!(at, NOW);
        for run in runs {
            seen.push(run.clone());
        }
        Ok(())
    });
    deliveries.expect_log().times(..=1).returning(|_| Ok(()));
    deliveries.expect_settle().times(1).returning(|_| Ok(()));
    let given_up = record(&world.app(), outcomes).await.unwrap();
    let audited: Vec<_> = recorded.all().into_iter().map(|entry| (entry.resource_id, entry.after)).collect();
    let disabled = |webhook_id: &WebhookId| (webhook_id.to_string(), json!({"enabled": false}).as_object().cloned());
    assert_eq!(audited, given_up.iter().map(|one| disabled(&one.webhook_id)).collect::<Vec<_>>());
    (stored.all(), given_up)
}

#[tokio::test]
async fn five_days_of_failures_disable_webhook_unless_success_intervenes() {
    let day = Duration::DAY;
    let at = NOW + day * 5;
    let failing = || run(50, Some((NOW, at - Duration::HOUR)), true);
    let given_up = GivenUp { organization_id: id(1), webhook_id: id(50) };
    for (before, outcomes, after, expected) in [
        (run(50, None, true), vec![outcome(50, at, None)], vec![run(50, Some((at, at)), true)], vec![]),
        (failing(), vec![outcome(50, at, Some(500))], vec![run(50, Some((NOW, at)), false)], vec![given_up]),
        (
            failing(),
            vec![outcome(50, at - Duration::SECOND, None)],
            vec![run(50, Some((NOW, at - Duration::SECOND)), true)],
            vec![],
        ),
        (failing(), vec![outcome(50, at, Some(200))], vec![run(50, None, true)], vec![]),
        // They ended in this order.
        (
            failing(),
            vec![outcome(50, at, Some(200)), outcome(50, at, None)],
            vec![run(50, Some((at, at)), true)],
            vec![],
        ),
        // An old and a new failure alone do not span five days of failures.
        (run(50, Some((NOW, NOW)), true), vec![outcome(50, at, None)], vec![run(50, Some((at, at)), true)], vec![]),
        // A concurrently disabled webhook is not disabled again.
        (
            run(50, Some((NOW, at - day)), false),
            vec![outcome(50, at, None)],
            vec![run(50, Some((NOW, at)), false)],
            vec![],
        ),
        // Outcomes of other webhooks do not count.
        (failing(), vec![outcome(51, at, None)], vec![], vec![]),
    ] {
        assert_eq!(runs_after(vec![before.clone()], &outcomes).await, (after, expected), "{before:?}, {outcomes:?}");
    }
}

#[tokio::test]
async fn outcomes_of_many_deliveries_share_unit_of_work() {
    let forgotten = Outcome { attempt: None, ..outcome(53, NOW, None) };
    let outcomes = [outcome(52, NOW, Some(200)), outcome(51, NOW, None), outcome(52, NOW, Some(500)), forgotten];
    let mut world = World::default();
    let journal = world.journal.clone();
    let (logged, settled) = (Captured::default(), Captured::default());
    let (log, settle) = (logged.clone(), settled.clone());
    let deliveries = &mut world.unit_of_work().deliveries;
    deliveries.expect_lock_runs().times(1).returning(|concerned| {
        assert_eq!(concerned, [(id(1), id(51), true), (id(1), id(52), true)], "in order of their ids");
        Ok(Vec::new())
    });
    deliveries.expect_log().times(1).returning(move |attempts| {
        for attempt in attempts {
            log.push(attempt.clone());
        }
        Ok(())
    });
    deliveries.expect_settle().times(1).returning(move |settlements: &[Settlement]| {
        for settlement in settlements {
            settle.push(settlement.next_attempt_at);
        }
        Ok(())
    });
    assert_eq!(record(&world.app(), &outcomes).await.unwrap(), []);
    assert_eq!(journal.commits(), 1);
    let attempts: Vec<_> = outcomes.iter().filter_map(|outcome| outcome.attempt.clone()).collect();
    assert_eq!(logged.all(), attempts);
    let again = Some(NOW + Duration::HOUR);
    assert_eq!(settled.all(), [None, again, again, None]);
}

#[tokio::test]
async fn contended_recording_is_retried() {
    let mut world = World::default();
    for fails in [true, false] {
        let tx = world.unit_of_work();
        tx.commit_fails = fails.then_some(StoreError::Contention);
        tx.deliveries.expect_lock_runs().returning(|_| Ok(Vec::new()));
        tx.deliveries.expect_log().times(1).returning(|_| Ok(()));
        tx.deliveries.expect_settle().times(1).returning(|_| Ok(()));
    }
    assert_eq!(record(&world.app(), &[outcome(50, NOW, Some(200))]).await.unwrap(), []);
}
