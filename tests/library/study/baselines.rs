//! Baselines that are fitted, the frame in which they compare impacts, and the simultaneous law.

use super::*;
use crate::support::events::{problem, rod};
use carom::study::Forecast;
use carom::study::baselines::Known;
use carom::study::features::features;
use carom::study::frame::Frame;
use carom::study::normal::deviates;
use carom::study::residual::Residual;
use carom::study::selected::sequential;
use carom::study::simultaneous::{Impacts, Simultaneous};
use carom_core::event::Event;

fn events(of: &[Value]) -> Vec<Event> {
    Document::new("events.json", file(of), Format::Json).unwrap().events().unwrap()
}

/// A ball between two walls and a floor, in space.
fn corner(velocity: [f64; 3], sign: f64) -> Value {
    json!({
        "mass": [[2, 0, 0], [0, 1, 0], [0, 0, 1]], "normal": [[1, 0.2 * sign, 0.1], [0.1, 0.3 * sign, 1]],
        "tangent": [[0, sign, 0], [0, 0, 1], [1, 0, 0], [0, sign, 0]], "friction": [0.2, 0.3],
        "velocity": [velocity[0], sign * velocity[1], velocity[2]]
    })
}

#[test]
fn frames_are_orthonormal_and_do_not_see_mirrors() {
    let (v, after) = ([-1.0, 0.4, -0.7], [0.5, 0.2, 0.1]);
    let both = [1.0, -1.0].map(|sign| {
        let measured = [after[0], sign * after[1], after[2]];
        let more = json!({ "gap": [0.001, 0.003] });
        let event = events(&[event(corner(v, sign), &measured, more)]).remove(0);
        let frame = Frame::of(&event.problem).unwrap();
        let error = frame.axes().tr_mul(frame.axes()) - DMatrix::identity(3, 3);
        assert!(error.norm() < 1e-12);
        let point = frame.point(&event.measured);
        let components = frame.components(&point);
        assert!((frame.difference(&components) - point).norm() < 1e-12);
        (components, DVector::from_vec(features(&event, &frame)))
    });
    assert!((&both[0].0 - &both[1].0).norm() < 1e-12);
    assert!((&both[0].1 - &both[1].1).norm() < 1e-12);
}

#[test]
fn a_single_contact_follows_coulomb_and_poisson() {
    let rod = problem(&rod());
    let (w, u) = (rod.delassus(), rod.contact_velocity());
    for (friction, restitution) in [(0.0, 0.5), (0.05, 0.3), (5.0, 0.0), (5.0, 0.6)] {
        let law = Simultaneous { friction, restitution };
        let after = law.velocity(&rod, rod.velocity().as_slice());
        let after = rod.jacobian() * DVector::from_vec(after);
        // Compression: sticking, or sliding on the cone against the slip.
        let stick = -w.clone().lu().solve(u).unwrap();
        let slides = stick[1].abs() > friction * stick[0];
        let side = -friction * u[1].signum();
        let normal = if slides { -u[0] / (w[(0, 0)] + w[(0, 1)] * side) } else { stick[0] };
        let rows = if slides { [normal, side * normal] } else { [stick[0], stick[1]] };
        let compressed = u + w * DVector::from_vec(rows.to_vec());
        assert!(compressed[0].abs() < 1e-12);
        // Expansion: e times the normal impulse; what friction does then keeps a stick.
        let more = restitution * normal;
        let grip = -(compressed[1] + w[(1, 0)] * more) / w[(1, 1)];
        let along =
            if slides { side * more } else { grip.clamp(-friction * more, friction * more) };
        let expected = compressed + w * DVector::from_vec(vec![more, along]);
        assert!((after - expected).norm() < 1e-7, "{friction} {restitution}");
    }
}

/// The law has the contacts of a model: where they lie, how they lean, which are early and late.
#[test]
fn the_simultaneous_law_takes_contacts_of_a_model() {
    let block = problem(&block());
    let law = Simultaneous { friction: 0.2, restitution: 0.4 };
    let event = &events(&[event(self::block(), &[0.0; 3], json!({ "gap": [0.0, 0.002] }))])[0];
    let after = |model: Model| {
        let Placed { first, all } = Placed::new(&model, event).unwrap();
        law.of_impacts(&Impacts { first, all })
    };
    assert_eq!(after(Model::default()), law.of_event(event));
    // One corner alone, and the same with the other one following.
    let early = after(Model { gap: Some(0.001), ..Model::default() });
    let mut one = self::block();
    for key in ["normal", "tangent"] {
        one[key] = json!([one[key][0]]);
    }
    one.as_object_mut().unwrap().remove("friction");
    one["friction"] = json!([1.0]);
    let one = law.of_event(&events(&[self::event(one, &[0.0; 3], json!({}))])[0]);
    assert!(early.iter().zip(&one).all(|(a, b)| (a - b).abs() < 1e-12), "{early:?} {one:?}");
    let late = after(Model { gap: Some(0.001), late: Some(0.003), ..Model::default() });
    assert!((block.jacobian() * DVector::from_vec(late)).rows(0, 2).min() > -1e-9);
    // Normal impulses below the mass centre do not change how a block turns.
    let smooth = Simultaneous { friction: 0.0, restitution: 0.4 };
    let below = Placed::new(&Model { inset: 10.0, ..Model::default() }, event).unwrap();
    let below = smooth.of_impacts(&Impacts { first: below.first, all: below.all });
    assert!((below[2] - 0.4).abs() < 1e-9 && (below[1] - 0.4).abs() < 1e-6, "{below:?}");
    let leaning = after(Model { slope: [0.1, 0.0], ..Model::default() });
    assert!((leaning[0] - law.of_event(event)[0]).abs() > 1e-3, "{leaning:?}");
}

/// Impacts of the rod and the block with other velocities, measured as the law with these numbers
/// says, and a shift that depends on the velocity.
fn impacts(count: usize, bend: f64) -> Vec<Event> {
    let law = Simultaneous { friction: 0.2, restitution: 0.3 };
    let of = |i: usize| {
        let z = deviates(3, 8, i);
        let mut what = if i.is_multiple_of(2) { block() } else { rod() };
        what["velocity"] = json!([0.4 * z[0], -1.0 - 0.2 * z[1].abs(), 0.5 * z[2]]);
        let of = problem(&what);
        let mut after = law.velocity(&of, of.velocity().as_slice());
        after[0] += bend * z[0].sin();
        event(what, &after, json!({ "toss": i / 3 }))
    };
    events(&(0..count).map(of).collect::<Vec<_>>())
}

fn mean(prediction: &Prediction) -> DVector<f64> {
    match prediction {
        Prediction::Normal(normal) => normal.mean.clone(),
        Prediction::Mixture(_) => panic!("expected a normal distribution"),
    }
}

fn rms(events: &[Event], predictions: &[Prediction]) -> f64 {
    let away = |(event, prediction): (&Event, &Prediction)| {
        let y = Frame::of(&event.problem).unwrap().point(&event.measured);
        (y - mean(prediction)).norm_squared()
    };
    (events.iter().zip(predictions).map(away).sum::<f64>() / events.len() as f64).sqrt()
}

#[test]
fn fitted_baselines_learn_from_other_tosses() {
    let impacts = impacts(120, 0.0);
    let known = Known::new(&impacts, None).unwrap();
    // The true numbers are among those that are tried.
    let law = known.simultaneous(&[]).unwrap();
    assert!(rms(&impacts, &law) < 1e-6);
    let regression = known.regression().unwrap();
    assert!(rms(&impacts, &regression) < 0.1, "{}", rms(&impacts, &regression));
    let (few, training) = impacts.split_at(20);
    let trained = Known::new(few, Some(training)).unwrap().regression().unwrap();
    assert!(trained.len() == 20 && rms(few, &trained) < 0.15);
    let alone = Known::new(&impacts[..1], None).unwrap();
    assert!(alone.regression().unwrap_err().what.contains("no other toss"));
}

#[test]
fn a_residual_learns_what_forecasts_miss() {
    let impacts = impacts(120, 0.2);
    let law = Simultaneous { friction: 0.2, restitution: 0.3 };
    let forecasts: Vec<Forecast> = impacts
        .iter()
        .map(|event| {
            let after = law.of_event(event);
            let mean = Frame::of(&event.problem).unwrap().point(&after);
            let points = (0..40).flat_map(|i| {
                deviates(3, 1, i)
                    .into_iter()
                    .zip(mean.iter())
                    .map(|(z, x)| x + 0.01 * z)
                    .collect::<Vec<_>>()
            });
            Forecast { n: 3, points: points.collect(), block: 1, noise: 0.02, freedom: None }
        })
        .collect();
    let energy = |forecasts: &[Forecast]| -> f64 {
        let of = |(event, forecast): (&Event, &Forecast)| {
            let y = Frame::of(&event.problem).unwrap().point(&event.measured);
            Prediction::Mixture(forecast.clone()).odds(y.as_slice(), 0.0, 0).energy
        };
        impacts.iter().zip(forecasts).map(of).sum::<f64>() / impacts.len() as f64
    };
    let (residual, shifted) = Residual::fit(&impacts, &forecasts).unwrap();
    let (before, after) = (energy(&forecasts), energy(&shifted));
    assert!(after < 0.5 * before, "{before} {after}");
    let one = residual.shifted(&forecasts[5], &impacts[5]).unwrap();
    assert!(one.points != forecasts[5].points && residual.spreads.len() == 3);
    let text = serde_json::to_string(&residual).unwrap();
    let read: Residual = serde_json::from_str(&text).unwrap();
    assert_eq!(read.shifted(&forecasts[5], &impacts[5]).unwrap(), one);
    let empty = Forecast { points: Vec::new(), ..forecasts[5].clone() };
    assert!(residual.shifted(&empty, &impacts[5]).is_err());
}

/// Every order of four contacts has its outcome.
#[test]
fn single_impacts_are_tried_in_every_order() {
    let row = load("ball-row");
    let orders = (0..256).map(|k| [k / 64, k / 16 % 4, k / 4 % 4, k % 4]);
    let orders = orders.filter(|order| (0..4).all(|i| order.contains(&i)));
    let in_order = |order: [usize; 4]| {
        let law = Sequential { order: Some(order.to_vec()), ..Sequential::default() };
        let resolved = FiniteLaw::Sequential(law).resolve(&row).unwrap();
        resolved.outcomes.into_iter().map(|outcome| outcome.velocity)
    };
    let mut expected: Vec<Vec<f64>> = orders.flat_map(in_order).collect();
    let all = sequential(&row).unwrap();
    let mut found: Vec<Vec<f64>> =
        all.chunks(row.coordinate_count()).map(<[f64]>::to_vec).collect();
    for outcomes in [&mut expected, &mut found] {
        outcomes.sort_by(|a, b| a.partial_cmp(b).unwrap());
    }
    assert!(found == expected && found.len() == 24, "{found:?}");
}
