use inboxd_core::model::{OperatorMail, OperatorMailItem};
use inboxd_core::ports::{OperatorMailReads as _, Store};
use uuid::Uuid;

use crate::support::*;

fn mail(number: u32, network: &str, bytes: usize) -> OperatorMail {
    let mut digest = [0; 32];
    digest[..4].copy_from_slice(&number.to_be_bytes());
    OperatorMail {
        item: OperatorMailItem {
            mail_id: Uuid::from_u128(number.into()),
            received_at: at(number.into()),
            envelope_from: None,
            recipient: address("postmaster@agents.example"),
            subject: None,
            size: bytes as u64,
        },
        digest,
        network: network.to_owned(),
        content: vec![b'x'; bytes],
    }
}

async fn hold(world: &World, mail: &OperatorMail) -> bool {
    let mut tx = world.store.begin().await.unwrap();
    let is_new = tx.operator_mails().hold(mail).await.unwrap();
    tx.commit().await.unwrap();
    is_new
}

#[tokio::test]
async fn operator_mail_survives_round_trip_and_is_stored_once() {
    let world = world().await;
    let held = mail(1, "192.0.2.0/24", 3);
    assert!(hold(&world, &held).await);
    let again =
        OperatorMail { item: OperatorMailItem { mail_id: Uuid::from_u128(2), ..held.item.clone() }, ..held.clone() };
    assert!(!hold(&world, &again).await);
    assert_eq!(world.store.operator_mails(10).await.unwrap(), std::slice::from_ref(&held.item));
    let found = world.store.operator_mail(Uuid::from_u128(1)).await.unwrap();
    assert_eq!(found, Some((held.item, b"xxx".to_vec())));
    assert_eq!(world.store.operator_mail(Uuid::from_u128(2)).await.unwrap(), None);
}

#[tokio::test]
async fn network_that_floods_evicts_its_own_mail() {
    let world = world().await;
    hold(&world, &mail(0, "192.0.2.0/24", 3)).await;
    for number in 1..=102 {
        hold(&world, &mail(number, "198.51.100.0/24", 3)).await;
    }
    let numbers = async || {
        let held = world.store.operator_mails(u32::MAX).await.unwrap();
        held.into_iter().map(|item| item.mail_id.as_u128()).collect::<Vec<_>>()
    };
    assert_eq!(numbers().await, (3..=102).rev().chain([0]).collect::<Vec<_>>());
    for number in 200..210 {
        hold(&world, &mail(number, "198.51.100.0/24", 1024 * 1024)).await;
    }
    assert_eq!(numbers().await, (202..210).rev().chain([0]).collect::<Vec<_>>());
}

#[tokio::test]
async fn oldest_mail_of_all_networks_is_evicted() {
    let world = world().await;
    let flood = "INSERT INTO operator_mail (mail_id, digest, received_at, network, recipient, size, content)
        SELECT gen_random_uuid(), int4send(n), '2020-01-01', n::text, 'a@example.org', 1, 'x'
        FROM generate_series(1, 1000) n";
    world.database.execute(flood).await;
    hold(&world, &mail(1, "192.0.2.0/24", 1)).await;
    let held = world.store.operator_mails(u32::MAX).await.unwrap();
    assert_eq!((held.len(), held.iter().any(|item| item.mail_id == Uuid::from_u128(1))), (1000, true));
}
