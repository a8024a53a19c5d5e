use inboxd_core::model::OutgoingId;
use inboxd_core::ports::Random as _;
use inboxd_core::rules::return_paths::{first_id_of, local_part, outgoing_of};
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::testing::SeededRandom;
use inboxd_core::testing::fixtures::{NOW, address, id};
use time::Duration;

const KEY: [u8; 32] = [7; 32];

#[test]
fn return_path_identifies_mail_in_any_letter_case() {
    let key = SigningKey::new(KEY);
    let local = local_part(&key, id(40));
    assert!(local.len() <= 64, "{local}");
    for text in [format!("{local}@inboxd.example"), format!("{local}@INBOXD.example").to_uppercase()] {
        assert_eq!(outgoing_of(&key, &address(&text)), Some(id(40)), "{text}");
    }
}

#[test]
fn return_path_cannot_be_forged() {
    let key = SigningKey::new(KEY);
    let genuine = local_part(&key, id(40));
    let (kept, signature) = genuine.split_at(genuine.len() - 16);
    let other = local_part(&key, id(41));
    let foreign = local_part(&SigningKey::new([8; 32]), id(40));
    let last = if genuine.ends_with('0') { "1" } else { "0" };
    for local in [
        format!("{kept}{}", &other[other.len() - 16..]),
        format!("{}{last}", &genuine[..genuine.len() - 1]),
        format!("{genuine}0"),
        format!("{genuine}+tag"),
        format!("x{genuine}"),
        kept.to_owned() + "x",
        kept.to_owned() + &signature[..15],
        foreign,
        "b-1-2".to_owned(),
        "b-".to_owned(),
        "scout".to_owned(),
    ] {
        assert_eq!(outgoing_of(&key, &address(&format!("{local}@inboxd.example"))), None, "{local}");
    }
}

#[test]
fn ids_differ_by_time() {
    let random = SeededRandom::default();
    let minted = |at| OutgoingId::from(random.uuid_at(at));
    let bound = first_id_of(NOW);
    assert!(minted(NOW - Duration::MILLISECOND).0 < bound.0);
    assert!(minted(NOW).0 >= bound.0 && minted(NOW + Duration::DAY).0 > bound.0);
}
