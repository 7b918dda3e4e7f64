//! Each test is named after the ordering rule that it fails without, and asserts what the race must conserve.
#![cfg(all(tollgate_loom, not(tollgate_shuttle)))]

use loom::sync::Arc;
use tollgate::model::{Model, PERIOD, WINDOW};
use tollgate::Decision::{self, Admitted, Known, Stale};
use tollgate::{Limiter, Touch};
use tollgate_loom_tests::{explore, race};

/// Past the window and the ghosts of all that was recorded at time 0.
const LATE: u64 = WINDOW + PERIOD;

fn model(tokens: Option<u32>, pids: std::ops::Range<u64>) -> Arc<Model> {
    let model = Arc::new(Model::new(tokens, Limiter::TokenBucket));
    pids.for_each(|pid| assert_eq!(model.track(pid, 0), Admitted));
    model
}

fn admitted(decisions: &[Decision]) -> usize {
    decisions.iter().filter(|&&decision| decision == Admitted).count()
}

/// Calls for one new id at `latest` or before: one Admitted, the rest Known, one token.
fn one_of<const N: usize>(
    preemptions: usize,
    pids: std::ops::Range<u64>,
    latest: u64,
    racers: [fn(&Model) -> Decision; N],
) {
    explore(preemptions, move || {
        let model = model(Some(8), pids.clone());
        let before = model.tokens(latest);
        let decisions = race(&model, racers);
        assert_eq!(admitted(&decisions), 1, "{decisions:?}");
        assert_eq!(decisions.iter().filter(|&&decision| decision == Known).count(), N - 1, "{decisions:?}");
        assert!((before - model.tokens(latest) - 1.0).abs() < 1e-6);
        assert!(model.contains(7, latest));
    });
}

#[test]
fn o1_racers_on_one_new_id_one_admitted() {
    one_of(2, 0..0, 0, [|model| model.track(7, 0), |model| model.track(7, 0)]);
}

#[test]
fn o1_racers_on_one_new_id_while_the_small_set_grows() {
    one_of(2, 1..3, 0, [|model| model.track(7, 0), |model| model.track(7, 0)]);
}

#[test]
#[ignore = "takes minutes; make loom runs it"]
fn o1_three_racers_on_one_new_id() {
    one_of(1, 0..0, 0, [|model| model.track(7, 0), |model| model.track(7, 0), |model| model.track(7, 0)]);
}

/// One racer still stands in the old layer period, the other opens the next.
#[test]
fn o2_racers_on_one_new_id_across_a_rotation() {
    one_of(2, 1..4, PERIOD, [|model| model.track(7, PERIOD - 1), |model| model.track(7, PERIOD)]);
}

#[test]
fn o1_the_last_token_goes_to_one_of_two_ids_and_none_is_lost() {
    explore(2, || {
        let model = model(Some(1), 0..0);
        let decisions = race(&model, [|model| model.track(7, 0), |model| model.track(8, 0)]);
        assert_eq!(admitted(&decisions), 1, "{decisions:?}");
        assert_eq!(model.tokens(0), 0.0);
        assert_eq!(model.contains(7, 0), decisions[0] == Admitted);
        assert_eq!(model.contains(8, 0), decisions[1] == Admitted);
    });
}

/// An insert on its way into the open small set, while another thread freezes the set and drops it as spent.
#[test]
fn o3_insert_against_growth_and_pruning() {
    explore(2, || {
        let model = model(None, 1..3);
        let decisions = race(
            &model,
            [
                |model| model.track(7, LATE),
                |model| {
                    let decision = model.track(4, 0);
                    model.prune(LATE);
                    decision
                },
            ],
        );
        assert_eq!(admitted(&decisions), 2);
        assert!(model.contains(7, LATE), "admitted and forgotten at once");
    });
}

/// The same with the pruning in a third thread, which has no fence of its own from growing the set.
#[test]
fn o3_insert_against_growth_and_pruning_elsewhere() {
    explore(1, || {
        let model = model(None, 1..3);
        let decisions = race(
            &model,
            [
                |model| model.track(7, LATE),
                |model| model.track(4, 0),
                |model| {
                    model.prune(LATE);
                    Known
                },
            ],
        );
        assert_eq!(admitted(&decisions), 2);
        assert!(model.contains(7, LATE), "admitted and forgotten at once");
    });
}

#[test]
fn o3_insert_against_expiry_of_layers() {
    explore(2, || {
        let model = model(None, 0..3);
        race(&model, [|model| assert_eq!(model.track(7, LATE), Admitted), |model| model.prune(LATE)]);
        assert!(model.contains(7, LATE));
        assert!((0..3).all(|pid| !model.contains(pid, LATE)));
    });
}

/// An id due for its next record, against the call that opens the next layer period.
#[test]
fn o2_re_record_against_rotation() {
    explore(1, || {
        let model = model(Some(8), 0..3);
        let decisions = race(&model, [|model| model.track(1, PERIOD), |model| model.track(9, PERIOD)]);
        assert_eq!(decisions, [Known, Admitted]);
        // Known at PERIOD, so Known until three periods later (S2).
        assert!(model.contains(1, 4 * PERIOD));
        assert_eq!(model.admitted(PERIOD), 4);
    });
}

/// An id of the open set that is stamped anew, while another thread freezes the set and drops it as spent.
#[test]
fn o3_refresh_against_growth_and_pruning() {
    explore(2, || {
        let model = model(None, 1..3);
        let [touch, _] = race(
            &model,
            [
                |model| model.touch(1, WINDOW - 1),
                |model| {
                    assert_eq!(model.track(9, WINDOW - 1), Admitted);
                    model.prune(LATE);
                    Touch::Known
                },
            ],
        );
        // Known at W - 1 holds to 2W - 1 - W/L, which is not before LATE.
        assert!(touch != Touch::Known || model.contains(1, LATE), "renewed and forgotten at once");
    });
}

/// An id of a frozen set that is recorded again in a layer must be seen on the way.
#[test]
fn s2_reader_against_re_record_out_of_the_frozen_set() {
    explore(2, || {
        let model = model(None, 1..4);
        let seen =
            race(&model, [|model| model.touch(1, PERIOD) == Touch::Known, |model| model.contains(1, PERIOD)]);
        assert_eq!(seen, [true, true]);
    });
}

#[test]
fn s3_track_against_re_record_out_of_the_frozen_set() {
    explore(2, || {
        let model = model(Some(8), 1..4);
        let before = model.tokens(PERIOD);
        let decisions = race(&model, [|model| model.track(1, PERIOD), |model| model.track(1, PERIOD)]);
        assert_eq!(decisions, [Known, Known]);
        assert_eq!(model.tokens(PERIOD), before);
    });
}

/// An entry taken over by another id: a reader must not see the old id under the new stamp.
#[test]
fn o4_small_entry_is_read_whole() {
    explore(3, || {
        let model = model(None, 1..3);
        let [old_is_live, new_is_admitted] =
            race(&model, [|model| model.contains(1, LATE), |model| model.track(7, LATE) == Admitted]);
        assert!(!old_is_live, "expired long ago");
        assert!(new_is_admitted);
    });
}

#[test]
fn o5_charge_against_quota_change() {
    explore(3, || {
        let model = model(Some(2), 0..0);
        race(&model, [|model| assert_eq!(model.track(7, 0), Admitted), |model| model.set_quota(Some(4), 0)]);
        assert!((model.tokens(0) - 1.0).abs() < 1e-6, "{} tokens", model.tokens(0));
    });
}

#[test]
fn o5_two_quota_changes_against_a_charge() {
    explore(2, || {
        let model = model(Some(2), 0..0);
        race(
            &model,
            [
                |model| assert_eq!(model.track(7, 0), Admitted),
                |model| {
                    model.set_quota(Some(4), 0);
                    model.set_quota(Some(8), 0);
                },
            ],
        );
        assert!((model.tokens(0) - 1.0).abs() < 1e-6, "{} tokens", model.tokens(0));
    });
}

enum Idle {
    Called(Decision),
    Touched(Touch),
    Retired(bool),
}

#[test]
fn o6_admission_against_retirement() {
    explore(3, || {
        let model = model(Some(4), 0..0);
        match race(
            &model,
            [|model| Idle::Called(model.track(7, WINDOW)), |model| Idle::Retired(model.retire(WINDOW))],
        ) {
            // Admitted into a principal that is gone would be forgotten at once; gone without need would refuse.
            [Idle::Called(Admitted), Idle::Retired(false)] => assert_eq!(model.admitted(WINDOW), 1),
            // Nothing was decided, so nothing is counted or charged.
            [Idle::Called(Stale), Idle::Retired(true)] => {
                assert_eq!((model.admitted(WINDOW), model.tokens(WINDOW)), (0, 4.0));
            }
            [Idle::Called(decision), Idle::Retired(retired)] => panic!("{decision:?}, retired {retired}"),
            _ => unreachable!(),
        }
    });
}

/// What one call wrote into a principal that goes down must not make another call answer Known.
#[test]
fn o6_known_against_retirement() {
    explore(2, || {
        let model = model(Some(4), 0..0);
        match race(
            &model,
            [
                |model| Idle::Called(model.track(7, WINDOW)),
                |model| Idle::Called(model.track(7, WINDOW)),
                |model| Idle::Retired(model.retire(WINDOW)),
            ],
        ) {
            [Idle::Called(one), Idle::Called(other), Idle::Retired(true)] => {
                assert_eq!([one, other], [Stale, Stale])
            }
            [Idle::Called(one), Idle::Called(other), Idle::Retired(false)] => {
                assert!(
                    [one, other] == [Admitted, Known] || [one, other] == [Known, Admitted],
                    "{one:?}, {other:?}"
                );
            }
            _ => unreachable!(),
        }
    });
}

/// Of two sweeps the slower must not finish what a call has taken back since.
#[test]
fn o6_two_sweeps_against_an_admission() {
    explore(2, || {
        let model = model(Some(4), 0..0);
        match race(
            &model,
            [
                |model| Idle::Called(model.track(7, WINDOW)),
                |model| Idle::Retired(model.retire(WINDOW)),
                |model| Idle::Retired(model.retire(WINDOW)),
            ],
        ) {
            [Idle::Called(decision), Idle::Retired(one), Idle::Retired(other)] => {
                assert!(!(one && other), "retired twice");
                assert_eq!(decision, if one || other { Stale } else { Admitted });
            }
            _ => unreachable!(),
        }
    });
}

#[test]
fn o6_re_record_against_retirement() {
    explore(2, || {
        let model = model(None, 7..8);
        // Still live at the caller's time, due to be recorded again.
        match race(
            &model,
            [|model| Idle::Touched(model.touch(7, WINDOW - 1)), |model| Idle::Retired(model.retire(WINDOW))],
        ) {
            [Idle::Touched(Touch::Known), Idle::Retired(false)]
            | [Idle::Touched(Touch::Stale), Idle::Retired(true)] => {}
            [Idle::Touched(touch), Idle::Retired(retired)] => panic!("{touch:?}, retired {retired}"),
            _ => unreachable!(),
        }
    });
}

#[test]
fn s8_eviction_against_an_admission_loses_memory_but_no_charge() {
    explore(2, || {
        let model = model(Some(8), 0..3);
        race(
            &model,
            [
                |model| assert_eq!(model.track(7, 0), Admitted),
                |model| assert!(model.evict() || model.contains(7, 0)),
            ],
        );
        assert_eq!(model.tokens(0), 4.0);
        assert_eq!(model.admitted(0), 4);
    });
}
