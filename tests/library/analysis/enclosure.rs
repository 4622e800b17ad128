//! Sets that are not tight are enclosures; which laws bounds hold for.

use super::*;
use crate::support::planar::Planar;
use carom::output::pictures::Wanted;
use carom::output::query::{Beside, Question, reply};
use carom::output::{RunRecord, bounds, exact_set, pictures};
use carom::study::{Farthest, Proofs, SampledSet};
use carom_analysis::bounds::{Aim, covers, uncovered};
use carom_core::Limits;
use std::sync::OnceLock;
use std::time::Duration;

/// Two disks on three contacts, whose list ends only where pieces are enlarged wherever motions
/// end. The search takes all of its time, of which there is enough on a busy machine; tests share
/// what it finds.
pub fn enclosed() -> (ContactProblem, Reach, ExactSet) {
    static FOUND: OnceLock<(ContactProblem, Reach, ExactSet)> = OnceLock::new();
    let find = || {
        let problem = problem(Planar::Disks.problem(3, 0));
        let reach = Reach { seconds: 15.0, ..Reach::fast() };
        let set = reach.set(&problem).unwrap();
        assert!(!set.is_tight() && !set.is_complete() && !set.is_known());
        (problem, Reach { seconds: 0.5, ..reach }, set)
    };
    FOUND.get_or_init(find).clone()
}

fn sampled(problem: &ContactProblem) -> SampledSet {
    let engine = cpu();
    let plan = planned(Law::default(), 400, 3, F64);
    let (run, samples) = engine.collect(problem, &plan).unwrap();
    let mut set = SampledSet::new::<f64>(problem).unwrap();
    set.add(&samples, run.summary.tolerance().residual);
    assert!(set.len() > 300);
    set
}

#[test]
fn an_enclosure_is_cut_by_what_is_proved() {
    let (problem, reach, set) = enclosed();
    let (samples, n) = (sampled(&problem), problem.coordinate_count());
    let unit = |i: usize, sign: f64| -> Vec<f64> {
        (0..n).map(|j| if i == j { sign } else { 0.0 }).collect()
    };
    let conic = |c: &[f64]| bound(&problem, c, BoundKind::Conic).unwrap();
    let [least, most] = exact_set::extents(&problem, &reach, &set).unwrap();
    let [low, high] = set.extents();
    let mut cuts = 0;
    for i in 0..n {
        let along = |v: &[f64]| v[i];
        let reached = (0..samples.len()).map(|at| along(samples.velocity(at)));
        let [from, to] =
            reached.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
        assert!(least[i] <= from + 1e-9 && to <= most[i] + 1e-9, "{i}: samples are outside");
        assert!(least[i] >= low[i] && most[i] <= high[i]);
        assert!(most[i] <= conic(&unit(i, 1.0)).value && -least[i] <= conic(&unit(i, -1.0)).value);
        cuts += usize::from(most[i] < high[i]) + usize::from(least[i] > low[i]);
        let found = Aim::Direction(unit(i, 1.0)).bound_on(&problem, &set);
        assert!(found.kind == BoundKind::Enclosure && !found.certified && !found.attained);
        assert_eq!(found.cut(most[i]).value, most[i].min(found.value));
    }
    assert!(cuts > 0, "it is to be a set that goes beyond what is proved");
    let record = RunRecord::exact(&problem, &reach);
    let report = exact_set::json(&problem, &record, &set, &[least.clone(), most.clone()]);
    assert_eq!((&report["kind"], &report["velocity"]["max"]), (&json!("enclosure"), &json!(most)));
    let text = exact_set::text(&problem, &record, &set, &[least, most.clone()]);
    assert!(text.contains("enclosure   ") && !text.contains("\nset ") && !text.contains("least"));
    let proofs = Some(BoundKind::Conic);
    let beside = Beside { set: Some(set.clone()), proofs, ..Beside::default() };
    let ask = |question| reply(&samples, &beside, &question, &Limits::default()).unwrap();
    for question in
        [Question::Support(unit(0, 1.0)), Question::Extents, Question::Distance(unit(0, 9.0))]
    {
        let answer = ask(question.clone());
        assert!(answer.json["exact"].is_null());
        assert!(answer.json["enclosure"]["tight"] == json!(false));
        assert!(answer.text.contains("enclosure"), "{}", answer.text);
        assert!(!answer.text.contains("exact"), "{}", answer.text);
        if let Question::Support(c) = &question {
            let value = number(&answer.json["enclosure"]["value"]);
            assert!(value <= conic(c).value && value >= samples.support(c).unwrap().value);
            assert!(answer.text.find("proved").unwrap() < answer.text.find("enclosure").unwrap());
        }
        if let Question::Extents = question {
            let most = number(&answer.json["enclosure"]["max"][0]);
            assert!(most <= conic(&unit(0, 1.0)).value);
        }
    }
    // Inside of it, and far from all samples: nothing is known.
    let corner = set.vertices().next().unwrap().to_vec();
    let open = ask(Question::Contains(corner, 1e-3)).json;
    assert!(open["from"] == json!("enclosure"), "{open}");
    assert!(open["proved"] == json!(!open["apart"].is_null()), "{open}");
    let drawn = pictures::exact_set(&problem, &record, &set, &Wanted::default()).unwrap();
    assert!(drawn.title.contains("an enclosure, not proved"), "{}", drawn.title);
    assert!(drawn.note.contains("an enclosure") && !drawn.note.contains("exact"), "{}", drawn.note);
    let drawn = pictures::set(&samples, Some(&set), &Value::Null, &Wanted::default()).unwrap();
    let labels: Vec<&str> = drawn.series.iter().map(|series| &series.label[..]).collect();
    assert!(labels.iter().any(|label| label.contains("enclosure")), "{labels:?}");
    assert!(!labels.iter().any(|label| label.contains("exact set")), "{labels:?}");
}

/// The proved bounds come first, and an enclosure is no larger than these.
#[test]
fn what_is_not_proved_is_never_first() {
    let (problem, _, set) = enclosed();
    let law = Law::default();
    for sign in [1.0, -1.0] {
        let c: Vec<f64> =
            (0..problem.coordinate_count()).map(|i| sign * (1.0 + i as f64)).collect();
        let aim = Aim::Direction(c.clone());
        // The exact kind alone is asked for, and not found or not proved in so little time.
        let within = Some(Duration::from_secs(4));
        for kinds in [&[][..], &[BoundKind::Exact]] {
            let Ok(proofs) = Proofs::new(&problem, &law, &aim, kinds, within, &Limits::default())
            else {
                continue;
            };
            let smallest = proofs.strongest().unwrap().value;
            assert!(proofs.bounds[0].certified, "{:?}", proofs.bounds);
            assert!(proofs.bounds.is_sorted_by_key(|bound| !bound.certified));
            for bound in proofs.bounds.iter().filter(|bound| !bound.certified) {
                assert!(bound.value <= smallest && bound.kind != BoundKind::Certified, "{bound:?}");
            }
        }
        let found: Bound = aim.bound_on(&problem, &set);
        assert_eq!(found.value.max(1e9), found.cut(1e9).value.max(1e9));
    }
}

/// Whatever asks for a bound asks this first. Samples of laws that are refused do go beyond
/// bounds: those with Poisson's restitution gain energy, and facets leave round cones.
#[test]
fn bounds_say_which_laws_they_hold_for() {
    let [gait, block, cube] = ["compass-gait", "rocking-block", "cube-on-edge"].map(load);
    let bouncing = gait.clone().with_numbers(Some(vec![1.0; 2]), Uncertainty::default()).unwrap();
    let poisson = Routh { hypothesis: Some(Hypothesis::Poisson), ..Routh::default() }.into();
    let steps = Routh { process: Some(RouthProcess::Steps), ..Routh::default() }.into();
    let faceted = Routh { facets: Some(8), ..Routh::default() }.into();
    let named = |name| Law::named(name).unwrap();
    let noise = Uncertainty { noise: 0.1, ..Uncertainty::default() };
    let noisy = block.clone().with_numbers(None, noise).unwrap();
    let all = BoundKind::ALL;
    for (problem, law, holding, words) in [
        (&block, &Law::default(), &all[..], ""),
        (
            &bouncing,
            &poisson,
            &all[..1],
            "proofs of the kind `conic` hold for laws that add no energy",
        ),
        (&block, &steps, &all[2..], "proofs of the kind `certified` hold for the law of Routh"),
        (&block, &named("sequential"), &all[2..], "proofs of the kind `exact`"),
        (&block, &named("propagative"), &[], "proofs hold for laws that push within"),
        (&block, &named("plus"), &[], "proofs hold for laws that add no energy"),
        (&cube, &faceted, &[], "proofs hold for circular friction cones"),
        (&noisy, &Law::default(), &[], "and `noise` is uncertain"),
    ] {
        let said: Vec<String> = all
            .iter()
            .filter_map(|kind| uncovered(*kind, problem, law))
            .map(|why| why.to_string())
            .collect();
        let held: Vec<BoundKind> =
            all.into_iter().filter(|kind| covers(*kind, problem, law)).collect();
        assert_eq!(held, holding, "{words}");
        assert!(held.len() == 3 || said.iter().any(|text| text.contains(words)), "{said:?}");
        let c = vec![1.0; problem.coordinate_count()];
        let none = Proofs::new(
            problem,
            law,
            &Aim::Direction(c),
            &[],
            Some(Duration::from_millis(50)),
            &Limits::default(),
        );
        assert_eq!(none.is_err(), held.is_empty(), "{words}");
    }
}

/// A sample beyond a bound leaves a gap below 0.
#[test]
fn a_gap_shows_what_exceeds_a_bound() {
    let problem = load("rocking-block");
    let aim = Aim::Direction(vec![0.0, 0.0, 1.0]);
    let mut proofs =
        Proofs::new(&problem, &Law::default(), &aim, &[], None, &Limits::default()).unwrap();
    let most = proofs.strongest().unwrap().value;
    proofs.withdraw(&problem, Some(most + 1e-8), Some(0.0));
    let beyond = Farthest { value: most + 1e-8, sample: 7 };
    let report = json!(bounds::BoundsReport::of(&proofs, Some(0.0), Some(&beyond)));
    assert!((number(&report["gap"]) + 1e-8).abs() < 1e-12, "{report}");
    // By more than samples are inaccurate: then no bound is left that is passed.
    proofs.withdraw(&problem, Some(most + 1e-3), Some(0.0));
    assert!(proofs.strongest().unwrap().value > most + 1e-3);
}

/// No sample ends, and the proofs are there.
#[test]
fn bounds_need_no_sample() {
    let problem = load("rocking-block");
    let law = Routh { step: Some(1e-4), max_steps: Some(1), ..Routh::default() }.into();
    let plan = Plan { law, samples: 1, ..Plan::default() };
    let engine = cpu();
    let aim = Aim::Direction(vec![0.0, 0.0, 1.0]);
    let found =
        carom_analysis::judged::bounds(&engine, &problem, &plan, &aim, &[], None, None).unwrap();
    assert_eq!((found.run.summary.accepted, found.farthest, found.gap()), (0, None, None));
    let alone = Proofs::new(&problem, &plan.law, &aim, &[], None, &Limits::default()).unwrap();
    assert_eq!(found.proofs.bounds, alone.bounds);
    assert!(alone.bounds.iter().all(|bound| bound.certified));
}
