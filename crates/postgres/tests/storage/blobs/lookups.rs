//! Objects of contents: found for downloads, and replaced in drafts.

use super::*;

#[tokio::test]
async fn contents_are_found_in_their_organization_alone_and_objects_are_not_read() {
    let (world, blobs) = world_with_blobs().await;
    let app = world.app(at(0));
    let large = deliver_text(&app, &world, 1, 100_000).await.unwrap();
    let small = deliver_text(&app, &world, 2, 1_000).await.unwrap();
    add_draft(&world, &filled(1, 70_000)).await;
    let (organization_id, foreign) = (world.organization_id(), Uuid::from_u128(99).into());
    let (large_bytes, small_bytes) = (raw(&world, &large).await.unwrap(), raw(&world, &small).await.unwrap());
    blobs.set_away(true);
    let of_mail = async |organization_id, id: &MessageId, readable| {
        world.store.raw_content(organization_id, world.inbox_id(), id, readable, ContentFilter::All).await.unwrap()
    };
    let (item, content) = of_mail(organization_id, &large, HidingLabels::ALL).await.unwrap();
    assert_eq!((&item.message_id, content.size()), (&large, large_bytes.len() as u64));
    assert!(matches!(content, Content::Object(_)), "{content:?}");
    let (item, content) = of_mail(organization_id, &small, HidingLabels::ALL).await.unwrap();
    assert_eq!((item.message_id, content), (small, Content::Bytes(small_bytes)));
    assert_eq!(of_mail(foreign, &large, HidingLabels::ALL).await, None);
    world.database.execute("UPDATE messages SET hidden = 1").await;
    assert_eq!(of_mail(organization_id, &large, HidingLabels::NONE).await, None);
    let of_draft = async |organization_id, attachment: u128| {
        let attachment_id = Uuid::from_u128(attachment).into();
        let found = world.store.draft_content(organization_id, draft_id(1), attachment_id, ContentFilter::All).await;
        found.unwrap()
    };
    let content = of_draft(organization_id, 5).await;
    assert!(matches!(&content, Some(Content::Object(blob)) if blob.bytes == 70_000), "{content:?}");
    assert_eq!(of_draft(organization_id, 6).await, None);
    assert_eq!(of_draft(foreign, 5).await, None);
}

#[tokio::test]
async fn contents_in_rows_are_not_among_objects() {
    let (world, _blobs) = world_with_blobs().await;
    let app = world.app(at(0));
    let large = deliver_text(&app, &world, 1, 100_000).await.unwrap();
    let small = deliver_text(&app, &world, 2, 1_000).await.unwrap();
    add_draft(&world, &filled(1, 70_000)).await;
    let (organization_id, objects) = (world.organization_id(), ContentFilter::Objects);
    let is_object = async |id: &MessageId| {
        let found = world.store.raw_content(organization_id, world.inbox_id(), id, HidingLabels::ALL, objects).await;
        found.unwrap().is_some_and(|(_, content)| matches!(content, Content::Object(_)))
    };
    assert!(is_object(&large).await && !is_object(&small).await);
    let of_draft = async |filter| {
        let attachment_id = Uuid::from_u128(5).into();
        world.store.draft_content(organization_id, draft_id(1), attachment_id, filter).await.unwrap()
    };
    assert!(matches!(of_draft(objects).await, Some(Content::Object(_))));
    world.database.execute("UPDATE draft_attachments SET blob_id = NULL, content = 'x'").await;
    assert_eq!(of_draft(objects).await, None);
    assert_eq!(of_draft(ContentFilter::All).await, Some(Content::Bytes(b"x".to_vec())));
    add_file(&world, &filled(7, 70_000)).await;
    let of_file = async |filter| {
        let file_id = Uuid::from_u128(6).into();
        world.store.file_content(organization_id, file_id, filter).await.unwrap()
    };
    assert!(matches!(of_file(objects).await, Some(Content::Object(_))));
    world.database.execute("UPDATE file_contents SET blob_id = NULL, content = 'x'").await;
    assert_eq!(of_file(objects).await, None);
    assert_eq!(of_file(ContentFilter::All).await, Some(Content::Bytes(b"x".to_vec())));
}

#[tokio::test]
async fn object_of_held_mail_is_replaced_and_released() {
    let (world, _blobs) = world_with_blobs().await;
    let organization_id = world.organization_id();
    let keep = async |content: &[u8], blob: Option<StoredBlob>| {
        let mut tx = world.begin().await;
        tx.drafts().keep_held_mail(organization_id, draft_id(1), content, blob).await.unwrap();
        tx.commit().await.unwrap();
        assert!(world.store.held_mail(organization_id, draft_id(1)).await.unwrap().as_deref() == Some(content));
    };
    let mut tx = world.begin().await;
    tx.drafts().insert(&draft(&world, 1), &[]).await.unwrap();
    tx.commit().await.unwrap();
    for (number, removals) in [(1_u8, 0), (2, 1)] {
        let content = filled(number, 70_000);
        let blob = upload(&world, number.into(), &content).await;
        keep(&content, Some(blob)).await;
        assert_eq!(totals(&world).await, (1, removals));
    }
    keep(b"small", None).await;
    assert_eq!(totals(&world).await, (0, 2));
}
