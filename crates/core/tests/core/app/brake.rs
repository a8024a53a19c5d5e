//! Brake on the sending of organizations with many bounces or complaints.

use inboxd_core::app::account::{lift_brake, review_sending};
use inboxd_core::model::{BrakeLevel, Event, EventType, Organization, SendingBrake, SendingCounts};
use inboxd_core::testing::fixtures::{self, NOW, id};
use inboxd_core::testing::{Captured, World};

use super::locks;

const FEW: SendingCounts = SendingCounts { sent: 100, bounced: 1, complained: 0 };
const SOME: SendingCounts = SendingCounts { sent: 190, bounced: 12, complained: 0 };

fn braked(level: Option<BrakeLevel>) -> Organization {
    let brake = level.map(|level| SendingBrake { level, since: NOW, reason: "6 of 100 bounced".to_owned() });
    Organization { brake, ..fixtures::organization() }
}

#[tokio::test]
async fn review_changes_nothing_while_the_brake_is_the_demanded_one_or_holds() {
    use BrakeLevel::{Held, Slowed};
    for (present, counts) in [(None, FEW), (Some(Slowed), SOME), (Some(Held), SOME), (Some(Held), FEW)] {
        let mut world = World::default();
        world.store.expect_sending_counts().once().returning(move |_, _, _, _| Ok(vec![(id(1), counts)]));
        locks(world.unit_of_work(), braked(present));
        let journal = world.journal.clone();
        let reviewed = review_sending(&world.app()).await.unwrap();
        assert!(matches!(&reviewed[..], [(_, Ok(None))]), "{present:?} {counts:?}");
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn slowing_ends_when_the_rates_fall() {
    let mut world = World::default();
    world.store.expect_sending_counts().once().returning(|_, _, _, _| Ok(vec![(id(1), FEW)]));
    world.clock.advance(time::Duration::DAY);
    let tx = world.unit_of_work();
    locks(tx, braked(Some(BrakeLevel::Slowed)));
    let events = Captured::<Event>::default();
    let seen = events.clone();
    tx.accounts.expect_update().once().returning(|organization| {
        assert_eq!(organization.brake, None);
        Ok(())
    });
    tx.events.expect_append().once().returning(move |appended| {
        for event in appended {
            seen.push(event.clone());
        }
        Ok(())
    });
    let journal = world.journal.clone();
    let reviewed = review_sending(&world.app()).await.unwrap();
    assert!(matches!(&reviewed[..], [(_, Ok(Some(_)))]));
    assert_eq!((events.only().event_type, journal.commits()), (EventType::SendingResumed, 1));
}

#[tokio::test]
async fn lifted_brake_counts_from_the_next_day() {
    let mut world = World::default();
    let tx = world.unit_of_work();
    locks(tx, braked(Some(BrakeLevel::Slowed)));
    tx.accounts.expect_update().once().returning(|organization| {
        let next_day = NOW.replace_time(time::Time::MIDNIGHT) + time::Duration::DAY;
        assert_eq!((&organization.brake, organization.brake_counts_from), (&None, Some(next_day)));
        Ok(())
    });
    tx.events.expect_append().once().returning(|_| Ok(()));
    let resumption = world.unit_of_work();
    locks(resumption, braked(None));
    resumption.outgoing.expect_resume().once().returning(|_| Ok(None));
    assert_eq!(lift_brake(&world.app(), id(1)).await.unwrap().brake, None);
}
