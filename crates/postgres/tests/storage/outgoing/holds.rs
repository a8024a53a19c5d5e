use super::*;

async fn suspend(world: &World, reason: Option<&str>) {
    let mut tx = world.begin().await;
    let organization = tx.accounts().lock(world.organization_id()).await.unwrap().unwrap();
    let suspension = reason.map(|reason| Suspension { at: at(0), reason: reason.to_owned() });
    tx.accounts().update(&Organization { suspension, ..organization }).await.unwrap();
    tx.commit().await.unwrap();
}

async fn pause(world: &World, paused_at: Option<OffsetDateTime>) {
    let mut tx = world.begin().await;
    let inbox = tx.inboxes().lock(world.organization_id(), world.inbox_id()).await.unwrap().unwrap();
    tx.inboxes().update(&Inbox { paused_at, ..inbox }).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn mail_of_a_suspended_organization_is_not_claimed_before_it_is_held() {
    let world = world().await;
    enqueue(&world, &[of_message(&world, 1), of_message(&world, 2)]).await;
    suspend(&world, Some("spam")).await;
    assert_eq!(claim(&world, 50, 10).await, []);
    suspend(&world, None).await;
    pause(&world, Some(at(1))).await;
    assert_eq!(claim(&world, 50, 10).await, []);
    pause(&world, None).await;
    assert_eq!(world.store.resume_unheld(10).await.unwrap(), 2, "the claim held them");
    assert_eq!(claim(&world, 50, 10).await.len(), 2);
}

#[tokio::test]
async fn due_mail_of_a_paused_inbox_gives_way_to_that_of_others() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    let mut mails: Vec<QueuedMail> = (1..=12).map(|number| of_message(&world, number)).collect();
    let mut other = of_message(&world, 20);
    other.message.as_mut().unwrap().inbox_id = second.inbox_id;
    mails.push(other);
    enqueue(&world, &mails).await;
    // The request that paused the inbox was interrupted before it held the queue.
    pause(&world, Some(at(1))).await;
    assert_eq!(claim(&world, 50, 10).await, [], "all permits of the organization are for the longest due");
    let claimed = claim(&world, 51, 10).await;
    assert_eq!(claimed.iter().map(|mail| mail.outgoing_id).collect::<Vec<_>>(), [outgoing_id(20)]);
    pause(&world, None).await;
    assert_eq!(world.store.resume_unheld(20).await.unwrap(), 12);
}

#[tokio::test]
async fn queue_of_a_paused_inbox_goes_with_it_also_before_it_is_held() {
    let world = world().await;
    let second = inbox(&world.organization, "second@agents.example");
    add_inbox(&world.store, &second).await;
    let mut other = of_message(&world, 3);
    other.message.as_mut().unwrap().inbox_id = second.inbox_id.clone();
    enqueue(&world, &[of_message(&world, 1), of_message(&world, 2), other]).await;
    pause(&world, Some(at(1))).await;
    delete_inbox(&world.store, &world.inbox).await;
    // Mail that an active inbox has sent still leaves.
    delete_inbox(&world.store, &second).await;
    let (depth, _) = world.store.queue_depth(10).await.unwrap();
    assert_eq!(depth.messages, 1);
    let claimed = claim(&world, 50, 10).await;
    assert_eq!(claimed.iter().map(|mail| mail.outgoing_id).collect::<Vec<_>>(), [outgoing_id(3)]);
}

#[tokio::test]
async fn long_queue_is_held_and_resumed_in_slices() {
    let world = world().await;
    let mails: Vec<QueuedMail> = (1..=5).map(|number| of_message(&world, number)).collect();
    enqueue(&world, &mails).await;
    let everything = QueueSlice { organization_id: world.organization_id(), inbox_id: None, after: None, limit: 2 };
    let of_inbox = QueueSlice { inbox_id: Some(world.inbox_id().clone()), ..everything.clone() };
    for slice in [everything, of_inbox] {
        for is_held in [true, false] {
            let mut slice = slice.clone();
            let mut ends = Vec::new();
            loop {
                let mut tx = world.begin().await;
                let queue = tx.outgoing();
                let next = if is_held { queue.suspend(&slice).await } else { queue.resume(&slice).await };
                tx.commit().await.unwrap();
                slice.after = next.unwrap();
                ends.push(slice.after);
                if slice.after.is_none() {
                    break;
                }
            }
            assert_eq!(ends, [Some(outgoing_id(2)), Some(outgoing_id(4)), None]);
            if is_held {
                assert_eq!(claim(&world, 50, 10).await, []);
            }
        }
    }
    assert_eq!(claim(&world, 50, 10).await.len(), 5);
}

#[tokio::test]
async fn interrupted_resumption_of_a_queue_is_completed() {
    let world = world().await;
    let mails: Vec<QueuedMail> = (1..=5).map(|number| of_message(&world, number)).collect();
    enqueue(&world, &mails).await;
    pause(&world, Some(at(1))).await;
    let queue = QueueSlice { organization_id: world.organization_id(), inbox_id: None, after: None, limit: 10 };
    let mut tx = world.begin().await;
    assert_eq!(tx.outgoing().suspend(&queue).await.unwrap(), None);
    tx.commit().await.unwrap();
    assert_eq!(world.store.resume_unheld(2).await.unwrap(), 0, "the inbox is paused");
    pause(&world, None).await;
    for resumed in [2, 2, 1, 0] {
        assert_eq!(world.store.resume_unheld(2).await.unwrap(), resumed);
    }
    assert_eq!(claim(&world, 50, 10).await.len(), 5);
}
