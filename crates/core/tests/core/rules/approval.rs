use inboxd_core::model::{Actor, Caller, ConnectionBounds, Member};
use inboxd_core::rules::approval::{require_approver, require_person};
use inboxd_core::testing::fixtures::{self, id};
use inboxd_core::{Error, PolicyError};

/// Returns a member in person, and through a connection.
fn members() -> (Caller, Caller) {
    let person = fixtures::calling(&fixtures::member());
    let connection = fixtures::connection();
    let bounds = ConnectionBounds { connection_id: connection.connection_id, granted: connection.permissions };
    let actor = person.actor.clone().through(Some(connection.connection_id));
    let client = Caller { actor, connection: Some(bounds), ..person.clone() };
    (person, client)
}

#[test]
fn keys_and_clients_are_no_persons() {
    let (person, client) = members();
    assert_eq!(require_person(&person).unwrap(), fixtures::member().member_id);
    for caller in [fixtures::caller(), fixtures::inbox_caller(), client] {
        let refused = require_person(&caller);
        assert!(matches!(refused, Err(Error::Policy(PolicyError::PersonRequired))), "{refused:?}");
    }
}

#[test]
fn author_in_person_never_approves_and_their_client_may_be_approved() {
    let (person, client) = members();
    let other = fixtures::calling(&Member { member_id: id(77), ..fixtures::member() });
    let key: Actor = fixtures::caller().actor;
    for (approver, author, is_allowed) in [
        (&person, &key, true),
        (&person, &client.actor, true),
        (&person, &other.actor, true),
        (&person, &person.actor, false),
        (&client, &key, false),
        (&client, &person.actor, false),
    ] {
        for authors in [[author, author], [author, &key], [&key, author]] {
            let decided = require_approver(approver, authors);
            assert_eq!(decided.is_ok(), is_allowed, "{decided:?} {authors:?}");
        }
    }
    let refused = require_approver(&person, [&key, &person.actor]);
    assert!(matches!(refused, Err(Error::Policy(PolicyError::OwnApproval))));
}
