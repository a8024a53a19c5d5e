use super::*;

fn attempt(
    organization_id: OrganizationId,
    webhook_id: WebhookId,
    number: u128,
    status: Option<u16>,
) -> WebhookAttempt {
    WebhookAttempt {
        organization_id,
        attempt_id: Uuid::from_u128(number).into(),
        webhook_id,
        event_id: EventId::from(Uuid::from_u128(5)),
        event_type: EventType::MessageReceived,
        status_code: status,
        duration_ms: 12,
        response_body: Some("no\0thing".to_owned()),
        error: status.is_none().then(|| "unreachable".to_owned()),
        attempted_at: at(10),
        next_attempt_at: Some(at(20)),
    }
}

#[tokio::test]
async fn repeated_attempt_is_logged_once() {
    let world = world().await;
    let id = world.organization_id();
    let attempts = [attempt(id, webhook_id(1), 1, Some(500)), attempt(id, webhook_id(1), 2, None)];
    for _ in 0..2 {
        let mut tx = world.begin().await;
        tx.deliveries().log(&attempts).await.unwrap();
        tx.commit().await.unwrap();
    }
    // The query divides by zero unless both rows exist as written.
    let check = format!(
        "SELECT 1 / (count(*) = 2 AND bool_and(webhook_id = '{}' AND event_type = 'message.received' AND duration_ms = 12
            AND response_body = 'no\u{fffd}thing' AND attempted_at = '{}' AND next_attempt_at = '{}'
            AND (status_code = 500) IS DISTINCT FROM (error = 'unreachable')))::int
        FROM webhook_attempts WHERE organization_id = '{}'",
        webhook_id(1).0, at(10), at(20), id.0
    );
    world.database.execute(&check).await;
}

#[tokio::test]
async fn only_failing_webhooks_are_locked_with_their_streaks() {
    let world = world().await;
    let id = world.organization_id();
    let (healthy, failing, recovering) =
        (add_webhook(&world, 1).await, add_webhook(&world, 2).await, add_webhook(&world, 3).await);
    let run = |webhook_id, run, enabled| FailureRun { organization_id: id, webhook_id, run, enabled };
    let since = |since, last_at| Some(FailureStreak { since: at(since), last_at: at(last_at) });

    let mut tx = world.begin().await;
    let concerned = [(id, healthy, false), (id, failing, true), (id, recovering, false), (id, webhook_id(9), true)];
    let runs = tx.deliveries().lock_runs(&concerned).await.unwrap();
    assert_eq!(runs, [run(failing, None, true)]);
    let changed = [run(failing, since(10, 30), false), run(recovering, since(5, 6), true)];
    tx.deliveries().update_runs(&changed, at(40)).await.unwrap();
    tx.commit().await.unwrap();

    let mut tx = world.begin().await;
    assert_eq!(tx.deliveries().lock_runs(&concerned).await.unwrap(), changed);
    // A success ends a streak; the time of the last failure is retained.
    tx.deliveries().update_runs(&[run(recovering, None, true)], at(50)).await.unwrap();
    tx.commit().await.unwrap();
    let read = |webhook_id| world.store.webhook(id, webhook_id);
    let webhook = read(failing).await.unwrap().unwrap();
    assert_eq!((webhook.enabled, webhook.failing_since, webhook.updated_at), (false, Some(at(10)), at(40)));
    let webhook = read(recovering).await.unwrap().unwrap();
    assert_eq!((webhook.failing_since, webhook.last_failed_at, webhook.updated_at), (None, Some(at(6)), at(0)));
}

#[tokio::test]
async fn batch_of_outcomes_is_recorded_exactly() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    queue(&world, webhook, 1..=100).await;
    let mut claimed = Vec::new();
    while claimed.len() < 100 {
        let now = i64::try_from(claimed.len()).unwrap();
        claimed.extend(claim(&world, DeliveryClaim { per_webhook: 200, ..claim_of(200 + now, 30) }).await);
    }
    let even = |delivery: &WebhookDelivery| delivery.position % 2 == 0;
    let settlements: Vec<_> =
        claimed.iter().map(|delivery| settlement(delivery, even(delivery).then(|| at(5_000)))).collect();
    settle(&world, &settlements).await;
    let again = claim(&world, DeliveryClaim { per_webhook: 200, ..claim_of(5_000, 200) }).await;
    assert_eq!(positions(&again), (1..=50).map(|n| 2 * n).collect::<Vec<_>>());
    assert!(again.iter().all(|delivery| delivery.failed == 1 && delivery.event_created_at < at(0) + Duration::SECOND));
}
