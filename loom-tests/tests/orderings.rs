//! Each test is named after the ordering rule that it fails without, and asserts what the race must conserve.
#![cfg(tollgate_loom)]

use loom::sync::Arc;
use loom::thread;
use tollgate::model::{Model, PERIOD, WINDOW};
use tollgate::{Decision, Touch};
use tollgate_loom_tests::explore;

fn admitted(decisions: &[Decision]) -> usize {
    decisions.iter().filter(|&&decision| decision == Decision::Admitted).count()
}

/// Two calls for one new id: one Admitted, one Known, one token.
fn race_for_one_id(times: [u64; 2], prepare: fn(&Model)) {
    explore(2, move || {
        let model = Arc::new(Model::new(Some(4)));
        prepare(&model);
        let before = model.tokens(times[0].max(times[1]));
        let racer = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.track(7, times[1]))
        };
        let decisions = [model.track(7, times[0]), racer.join().unwrap()];
        assert_eq!(admitted(&decisions), 1, "{decisions:?}");
        assert!(decisions.contains(&Decision::Known), "{decisions:?}");
        let latest = times[0].max(times[1]);
        assert!((before - model.tokens(latest) - 1.0).abs() < 1e-6);
        assert!(model.contains(7, latest));
    });
}

#[test]
fn o1_racers_on_one_new_id_one_admitted() {
    race_for_one_id([0, 0], |_| {});
}

#[test]
fn o1_racers_on_one_new_id_while_the_small_set_grows() {
    race_for_one_id([0, 0], |model| {
        assert_eq!(admitted(&[model.track(1, 0), model.track(2, 0)]), 2);
    });
}

#[test]
fn o2_racers_on_one_new_id_across_a_rotation() {
    // One racer still stands in the old layer period, the other opens the next.
    race_for_one_id([PERIOD - 1, PERIOD], |model| {
        assert_eq!(admitted(&[model.track(1, 0), model.track(2, 0), model.track(3, 0)]), 3);
    });
}

#[test]
fn o1_three_racers_on_one_new_id() {
    explore(1, || {
        let model = Arc::new(Model::new(Some(4)));
        let racers: Vec<_> = (0..2)
            .map(|_| {
                let model = Arc::clone(&model);
                thread::spawn(move || model.track(7, 0))
            })
            .collect();
        let mut decisions = vec![model.track(7, 0)];
        decisions.extend(racers.into_iter().map(|racer| racer.join().unwrap()));
        assert_eq!(admitted(&decisions), 1, "{decisions:?}");
        assert_eq!(model.tokens(0), 3.0);
    });
}

#[test]
fn o1_the_last_token_goes_to_one_of_two_ids_and_none_is_lost() {
    explore(2, || {
        let model = Arc::new(Model::new(Some(1)));
        let other = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.track(8, 0))
        };
        let decisions = [model.track(7, 0), other.join().unwrap()];
        assert_eq!(admitted(&decisions), 1, "{decisions:?}");
        assert_eq!(model.tokens(0), 0.0);
        assert_eq!(model.contains(7, 0), decisions[0] == Decision::Admitted);
        assert_eq!(model.contains(8, 0), decisions[1] == Decision::Admitted);
    });
}

/// An insert that is still on its way into the open small set, while another thread freezes the set and drops it as spent.
#[test]
fn o3_insert_against_growth_and_pruning() {
    explore(3, || {
        let model = Arc::new(Model::new(None));
        assert_eq!(admitted(&[model.track(1, 0), model.track(2, 0)]), 2);
        let late = WINDOW + PERIOD;
        let grower = {
            let model = Arc::clone(&model);
            thread::spawn(move || {
                let _ = model.track(4, 0);
                model.prune(late);
            })
        };
        assert_eq!(model.track(3, late), Decision::Admitted);
        grower.join().unwrap();
        assert!(model.contains(3, late), "admitted and forgotten at once");
    });
}

#[test]
fn o3_insert_against_expiry_of_layers() {
    explore(2, || {
        let model = Arc::new(Model::new(None));
        for pid in 0..3 {
            assert_eq!(model.track(pid, 0), Decision::Admitted);
        }
        let late = WINDOW + PERIOD;
        let sweeper = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.prune(late))
        };
        assert_eq!(model.track(7, late), Decision::Admitted);
        sweeper.join().unwrap();
        assert!(model.contains(7, late));
        assert!((0..3).all(|pid| !model.contains(pid, late)));
    });
}

/// An id due for its next record, against the call that opens the next layer period.
#[test]
fn o3_re_record_against_rotation() {
    explore(2, || {
        let model = Arc::new(Model::new(Some(8)));
        for pid in 0..3 {
            assert_eq!(model.track(pid, 0), Decision::Admitted);
        }
        let other = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.track(9, PERIOD))
        };
        assert_eq!(model.track(1, PERIOD), Decision::Known);
        assert_eq!(other.join().unwrap(), Decision::Admitted);
        // Known at PERIOD, so Known until three periods later (S2).
        assert!(model.contains(1, 4 * PERIOD));
        assert_eq!(model.admitted(PERIOD), 4);
    });
}

/// An entry taken over by another id: a reader must not see the old id under the new stamp.
#[test]
fn o4_small_entry_is_read_whole() {
    explore(3, || {
        let model = Arc::new(Model::new(None));
        assert_eq!(admitted(&[model.track(1, 0), model.track(2, 0)]), 2);
        let late = WINDOW + PERIOD;
        let writer = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.track(3, late))
        };
        assert!(!model.contains(1, late), "expired long ago");
        assert_eq!(writer.join().unwrap(), Decision::Admitted);
    });
}

#[test]
fn o5_charge_against_quota_change() {
    explore(3, || {
        let model = Arc::new(Model::new(Some(2)));
        let changer = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.set_quota(Some(4), 0))
        };
        let first = model.track(7, 0);
        changer.join().unwrap();
        assert_eq!(first, Decision::Admitted);
        assert!((model.tokens(0) - 1.0).abs() < 1e-6, "{} tokens", model.tokens(0));
    });
}

#[test]
fn o5_two_quota_changes_against_a_charge() {
    explore(2, || {
        let model = Arc::new(Model::new(Some(2)));
        let changer = {
            let model = Arc::clone(&model);
            thread::spawn(move || {
                model.set_quota(Some(4), 0);
                model.set_quota(Some(8), 0);
            })
        };
        assert_eq!(model.track(7, 0), Decision::Admitted);
        changer.join().unwrap();
        assert!((model.tokens(0) - 1.0).abs() < 1e-6, "{} tokens", model.tokens(0));
    });
}

#[test]
fn o6_admission_against_retirement() {
    explore(3, || {
        let model = Arc::new(Model::new(Some(4)));
        let sweeper = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.retire(WINDOW))
        };
        let decision = model.track(7, WINDOW);
        let retired = sweeper.join().unwrap();
        match decision {
            Decision::Admitted => assert!(!retired, "admitted into a principal that is gone"),
            Decision::Stale => assert!(retired),
            other => panic!("{other:?}"),
        }
    });
}

#[test]
fn o6_re_record_against_retirement() {
    explore(2, || {
        let model = Arc::new(Model::new(None));
        assert_eq!(model.track(7, 0), Decision::Admitted);
        let sweeper = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.retire(WINDOW))
        };
        // Still live at the caller's time, due to be recorded again.
        let touch = model.touch(7, WINDOW - 1);
        let retired = sweeper.join().unwrap();
        assert_eq!(touch == Touch::Stale, retired);
    });
}

#[test]
fn s8_eviction_against_an_admission_loses_memory_but_no_charge() {
    explore(2, || {
        let model = Arc::new(Model::new(Some(8)));
        for pid in 0..3 {
            assert_eq!(model.track(pid, 0), Decision::Admitted);
        }
        let evictor = {
            let model = Arc::clone(&model);
            thread::spawn(move || model.evict())
        };
        assert_eq!(model.track(7, 0), Decision::Admitted);
        evictor.join().unwrap();
        assert_eq!(model.tokens(0), 4.0);
        assert_eq!(model.admitted(0), 4);
    });
}
