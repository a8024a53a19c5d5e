use super::*;

#[tokio::test]
async fn claimed_delivery_is_complete_and_exclusive_until_expiry() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    queue(&world, webhook, [5]).await;
    let first = claim(&world, claim_of(100, 10)).await;
    let delivery = WebhookDelivery {
        organization_id: world.organization_id(),
        webhook_id: webhook,
        event_id: Uuid::from_u128(5).into(),
        event_type: EventType::MessageReceived,
        event_created_at: at(5),
        position: 5,
        failed: 0,
        claim_id: claim_of(100, 10).claim_id,
        is_failing: false,
    };
    assert_eq!(first, std::slice::from_ref(&delivery));
    assert_eq!(claim(&world, claim_of(1_099, 10)).await, []);
    let second = claim(&world, claim_of(1_100, 10)).await;
    assert_eq!(second, [WebhookDelivery { claim_id: claim_of(1_100, 10).claim_id, ..delivery }]);
    // The first claimant has lost it.
    settle(&world, &[settlement(&first[0], None)]).await;
    settle(&world, &[settlement(&first[0], Some(at(1_101)))]).await;
    assert_eq!(claim(&world, claim_of(1_200, 10)).await, []);
    settle(&world, &[settlement(&second[0], None)]).await;
    assert_eq!(claim(&world, claim_of(9_000, 10)).await, [], "it has left the queue");
}

#[tokio::test]
async fn new_deliveries_are_claimed_in_feed_order_eight_at_a_time() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    queue(&world, webhook, (1..=20).rev()).await;
    let first = claim(&world, claim_of(100, 100)).await;
    assert_eq!(positions(&first), (1..=8).collect::<Vec<_>>());
    assert_eq!(claim(&world, claim_of(101, 100)).await, [], "all eight are claimed");
    settle(&world, &[settlement(&first[4], None), settlement(&first[1], None)]).await;
    assert_eq!(positions(&claim(&world, claim_of(102, 100)).await), [9, 10]);
}

#[tokio::test]
async fn failed_delivery_returns_when_due_without_delay_of_new_events() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    queue(&world, webhook, 1..=8).await;
    let first = claim(&world, claim_of(100, 100)).await;
    let again: Vec<_> = first.iter().map(|delivery| settlement(delivery, Some(at(500 - delivery.position)))).collect();
    settle(&world, &again).await;
    assert_eq!(claim(&world, claim_of(491, 100)).await, [], "none is due");
    let due = claim(&world, claim_of(493, 100)).await;
    assert_eq!(positions(&due), [8, 7], "due deliveries are ordered by time");
    assert!(due.iter().all(|delivery| delivery.failed == 1));
    settle(&world, &due.iter().map(|delivery| settlement(delivery, None)).collect::<Vec<_>>()).await;

    queue(&world, webhook, 11..=30).await;
    let claimed = claim(&world, claim_of(600, 100)).await;
    let mut found = positions(&claimed);
    assert_eq!(found[..3], [11, 12, 13]);
    found.sort_unstable();
    assert_eq!(found, [6, 11, 12, 13, 14, 15, 16, 17], "one failed delivery accompanies every few new ones");
}

#[tokio::test]
async fn failing_webhook_has_one_delivery_at_a_time() {
    let world = world().await;
    let (dead, alive) = (add_webhook(&world, 1).await, add_webhook(&world, 2).await);
    let failing: Vec<WebhookId> = [add_webhook(&world, 3).await, add_webhook(&world, 4).await, dead].into();
    world
        .database
        .execute(&format!("UPDATE webhooks SET failing_since = '{}' WHERE webhook_id <> '{}'", at(1), alive.0))
        .await;
    for webhook in failing.iter().copied().chain([alive]) {
        queue(&world, webhook, 1..=20).await;
    }
    let claimed = claim(&world, DeliveryClaim { failing: 2, ..claim_of(100, 100) }).await;
    assert_eq!(of(&claimed, alive), (1..=8).collect::<Vec<_>>());
    let slow: Vec<_> = claimed.iter().filter(|delivery| delivery.is_failing).collect();
    assert_eq!(slow.len(), 2);
    assert!(slow.iter().all(|delivery| delivery.position == 1 && failing.contains(&delivery.webhook_id)));
    let claimed = claim(&world, claim_of(101, 100)).await;
    assert_eq!(positions(&claimed), [1], "the third one; the others have a claimed delivery");
}

#[tokio::test]
async fn failing_webhook_retries_between_new_events() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    queue(&world, webhook, 1..=100).await;
    world.database.execute(&format!("UPDATE webhooks SET failing_since = '{}'", at(1))).await;
    let first = claim(&world, claim_of(100, 10)).await;
    assert_eq!(positions(&first), [1]);
    settle(&world, &[settlement(&first[0], Some(at(200)))]).await;
    // The retry comes before the first new event that the hash chooses.
    for now in 300..360 {
        let claimed = claim(&world, claim_of(now, 10)).await;
        assert_eq!(claimed.len(), 1);
        settle(&world, &[settlement(&claimed[0], None)]).await;
        if claimed[0].position == 1 {
            assert_eq!(claimed[0].failed, 1);
            return;
        }
    }
    panic!("new events displaced the retry");
}

#[tokio::test]
async fn limited_claims_serve_webhooks_in_turn() {
    let world = world().await;
    let mut webhooks = Vec::new();
    for number in 1..=5 {
        webhooks.push(add_webhook(&world, number).await);
    }
    for webhook in &webhooks {
        queue(&world, *webhook, 1..=10).await;
    }
    // One webhook has only failed deliveries.
    let had = claim(&world, claim_of(100, 100)).await;
    let had: Vec<_> = had.iter().filter(|delivery| delivery.webhook_id == webhooks[0]).collect();
    world
        .database
        .execute(&format!("DELETE FROM webhook_deliveries WHERE webhook_id = '{}' AND claim_id IS NULL", webhooks[0].0))
        .await;
    settle(&world, &had.iter().map(|delivery| settlement(delivery, Some(at(200)))).collect::<Vec<_>>()).await;
    let claimed = claim(&world, claim_of(2_000, 7)).await;
    assert_eq!(claimed.len(), 7);
    for webhook in webhooks {
        assert!((1..=2).contains(&of(&claimed, webhook).len()), "{claimed:?}");
    }
}

#[tokio::test]
async fn deliveries_wait_for_disabled_webhook_and_end_with_deleted_one() {
    let world = world().await;
    let (disabled, gone) = (add_webhook(&world, 1).await, webhook_id(2));
    let alive = add_webhook(&world, 3).await;
    for webhook in [disabled, gone, alive] {
        queue(&world, webhook, 1..=3).await;
    }
    let enable = |enabled: bool| format!("UPDATE webhooks SET enabled = {enabled} WHERE webhook_id = '{}'", disabled.0);
    world.database.execute(&enable(false)).await;
    let claimed = claim(&world, claim_of(100, 100)).await;
    assert_eq!((of(&claimed, alive), claimed.len()), (vec![1, 2, 3], 3));

    let nothing_is_old = EventId::from(Uuid::nil());
    let mut tx = world.begin().await;
    assert_eq!(tx.deliveries().purge(nothing_is_old, 2).await, Ok(2));
    assert_eq!(tx.deliveries().purge(nothing_is_old, 2).await, Ok(1));
    assert_eq!(tx.deliveries().purge(nothing_is_old, 2).await, Ok(0), "deliveries of a disabled webhook stay");
    tx.commit().await.unwrap();
    world.database.execute(&enable(true)).await;
    assert_eq!(positions(&claim(&world, claim_of(101, 100)).await), [1, 2, 3]);
}

#[tokio::test]
async fn deliveries_beyond_event_retention_are_purged() {
    let world = world().await;
    let webhook = add_webhook(&world, 1).await;
    world.database.execute("UPDATE webhooks SET enabled = false").await;
    queue(&world, webhook, 1..=5).await;
    let mut tx = world.begin().await;
    assert_eq!(tx.deliveries().purge(Uuid::from_u128(4).into(), 100).await, Ok(3));
    tx.commit().await.unwrap();
    world.database.execute("UPDATE webhooks SET enabled = true").await;
    assert_eq!(positions(&claim(&world, claim_of(101, 100)).await), [4, 5]);
}

#[tokio::test]
async fn concurrent_claims_are_disjoint_and_ordered() {
    let world = world().await;
    let webhooks = [add_webhook(&world, 1).await, add_webhook(&world, 2).await];
    for webhook in webhooks {
        queue(&world, webhook, 1..=60).await;
    }
    let store = connect(&world.database.url(), 8).await.unwrap();
    let mut found: Vec<Vec<i64>> = vec![Vec::new(); 2];
    for round in 0_u32.. {
        let racing = (0..6).map(|racer| {
            let store: PgStore = store.clone();
            tokio::spawn(async move {
                let claim =
                    DeliveryClaim { claim_id: Uuid::from_u128(u128::from(round * 10 + racer)), ..claim_of(100, 100) };
                store.claim_deliveries(&claim).await.unwrap()
            })
        });
        let mut claimed = Vec::new();
        for racer in racing.collect::<Vec<_>>() {
            claimed.extend(racer.await.unwrap());
        }
        if claimed.is_empty() {
            break;
        }
        for (webhook, found) in webhooks.iter().zip(&mut found) {
            let mut positions = of(&claimed, *webhook);
            assert!(positions.len() <= 8, "{positions:?}");
            positions.sort_unstable();
            found.extend(positions);
        }
        settle(&world, &claimed.iter().map(|delivery| settlement(delivery, None)).collect::<Vec<_>>()).await;
    }
    assert_eq!(found, vec![(1..=60).collect::<Vec<i64>>(); 2]);
}

#[tokio::test]
async fn backlog_of_failing_webhook_costs_others_no_reads() {
    let world = world().await;
    let (dead, alive) = (add_webhook(&world, 1).await, add_webhook(&world, 2).await);
    let load = format!(
        "INSERT INTO webhook_deliveries
        SELECT '{0}', '{1}', md5(n::text)::uuid, 'message.received', '{2}', n, n % 3, '{2}', NULL
        FROM generate_series(1, 20000) n;
        INSERT INTO webhook_deliveries
        SELECT '{0}', '00000000-0000-0000-0000-{3:012}', md5(n::text)::uuid, 'message.received', '{2}', n, 1, '{4}', NULL
        FROM generate_series(1, 20000) n;
        UPDATE webhooks SET failing_since = '{2}' WHERE webhook_id = '{1}';
        ANALYZE;
        DO $$ BEGIN
            EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = force_generic_plan', current_database());
        END $$;",
        world.organization_id().0, dead.0, at(1), 2, at(1_000_000),
    );
    world.database.execute(&load).await;
    queue(&world, alive, 1..=2).await;
    let read = rows_read(&world, async |store| {
        let claimed = store.claim_deliveries(&claim_of(100, 100)).await.unwrap();
        assert_eq!((of(&claimed, alive), of(&claimed, dead).len()), (vec![1, 2], 1));
    });
    let read = read.await;
    assert!(read <= 80, "{read} rows were read to claim three");
}

#[tokio::test]
async fn organization_with_many_slow_webhooks_leaves_permits_to_others() {
    let world = world().await;
    let foreign = organization(77, "other@example.org");
    add_organization(&world.store, &foreign).await;
    let (greedy, other) = (world.organization_id(), foreign.organization_id);
    for number in 1..=20 {
        let webhook = add_webhook(&world, number).await;
        queue(&world, webhook, 1..=8).await;
    }
    store_webhook(&world, &webhook(other, 50)).await;
    queue(&world, webhook_id(50), 1..=3).await;
    let give = format!(
        "UPDATE webhook_deliveries SET organization_id = '{}' WHERE webhook_id = '{}'",
        other.0,
        webhook_id(50).0
    );
    world.database.execute(&give).await;
    let share = |held: &[(OrganizationId, u32)]| DeliveryClaim {
        share_divisor: 8,
        held: held.to_vec(),
        ..claim_of(100 + i64::try_from(held.len()).unwrap(), 64)
    };
    let count = |claimed: &[WebhookDelivery], organization_id| {
        claimed.iter().filter(|delivery| delivery.organization_id == organization_id).count()
    };
    let first = claim(&world, share(&[])).await;
    assert_eq!((count(&first, greedy), count(&first, other)), (6, 3));
    let second = claim(&world, share(&[(greedy, 8)])).await;
    assert_eq!(second, [], "a ninth permit would leave less than eight times as many free");
    let third = claim(&world, share(&[(other, 3), (greedy, 2)])).await;
    assert_eq!((count(&third, greedy), count(&third, other)), (5, 0));
}
