//! Impacts found in recordings of motions whose impacts are known.

use super::*;
use carom::motion::midpoint::{Midpoint, Stepping};
use carom::motion::{Course, Simulation};
use carom::study::recording::{Extraction, Frame, Layout, Recording};
use rand_core::Rng;

/// A thrown brick, each third state of its motion, and the motion.
fn thrown() -> (Midpoint, Recording, Course) {
    let Simulation::Midpoint(motion) = Document::open("tossed-brick").unwrap().motion().unwrap()
    else {
        unreachable!()
    };
    let mut frames = Vec::new();
    let course = motion
        .run(400, None, |moment| {
            if moment.step % 3 == 0 {
                let position = moment.position.clone().into();
                frames.push(Frame { time: moment.time, position, toss: 7.0 });
            }
            Ok(())
        })
        .unwrap();
    (*motion, Recording { frames }, course)
}

/// The first two impacts, far from the others, have the velocities of the motion; where positions
/// are disturbed, within the noise that is estimated.
#[test]
fn impacts_of_a_thrown_brick_are_found() {
    let (motion, exact, course) = thrown();
    let mut random = Stream::new(1, 0).rng();
    let mut unit = || f64::from(random.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0;
    for size in [0.0, 2e-4] {
        let mut recording = exact.clone();
        for frame in &mut recording.frames {
            frame.position.rows_mut(0, 3).iter_mut().for_each(|x| *x += size * unit());
        }
        let (mechanism, how) = (motion.mechanism(), Extraction::default());
        let found = recording.impacts(mechanism, motion.coefficients(), &how).unwrap();
        assert!(found.len() >= 3, "{}", found.len());
        for (event, impact) in found.iter().zip(&course.impacts[..2]) {
            let q = vector(&impact.position);
            let velocity = |p: &[f64]| mechanism.velocity(&q, &vector(p)).unwrap();
            let (before, after) = (velocity(&impact.before), velocity(&impact.after));
            let mass = mechanism.mass(&q);
            let norm = |v: &DVector<f64>| v.dot(&(&mass * v)).sqrt();
            let most = 0.01 + 4.0 * event.noise.unwrap();
            let off = |found: &[f64], v: &DVector<f64>| norm(&(vector(found) - v)) / norm(&before);
            let off =
                [off(event.problem.velocity().as_slice(), &before), off(&event.measured, &after)];
            assert!(off.iter().all(|off| *off < most), "{size}: {off:?} {most}");
            assert_eq!(event.problem.contact_count(), impact.contacts.len());
            assert_eq!((event.toss, event.clean), (Some(7.0), Some(true)));
            assert!(event.noise.unwrap() < 0.05);
        }
    }
}

/// A brick that rests or flies strikes nothing.
#[test]
fn rest_and_flight_have_no_impact() {
    let (motion, recording, _) = thrown();
    let (mechanism, how) = (motion.mechanism(), Extraction::default());
    let count = recording.frames.len();
    for frames in [0..count / 4, count * 9 / 10..count] {
        let part = Recording { frames: recording.frames[frames].to_vec() };
        assert!(part.impacts(mechanism, motion.coefficients(), &how).unwrap().is_empty());
    }
}

/// A bad file is refused with the line that is wrong.
#[test]
fn bad_recordings_are_refused() {
    let names = ["a.x".to_string(), "a.y".to_string()];
    let good = "toss, time,a.y,other,a.x\n0,0,1,?,2\n0,0.1,3,?,4\n1,0,5,?,6\n";
    let read = Recording::read(good, &names, &Layout::default()).unwrap();
    assert_eq!(read.frames[1].position.as_slice(), [4.0, 3.0]);
    assert_eq!((read.frames[2].time, read.frames[2].toss), (0.0, 1.0));
    for (text, at) in [
        ("time,a.x\n", "line 1"),
        ("time,a.x,a.y\n0,1\n", "line 2"),
        ("time,a.x,a.y\n0,1,2\n0,1,2\n", "line 3"),
        ("time,a.x,a.y\n0,1,nan\n", "line 2"),
    ] {
        let error = Recording::read(text, &names, &Layout::default()).unwrap_err();
        assert_eq!(error.at.as_deref(), Some(at), "{text}");
    }
    assert!(Recording::read("", &names, &Layout::default()).is_err());
}

/// A table without a heading, a time or tosses: names, rate and toss come from its layout.
#[test]
fn tables_of_others_are_read() {
    let names = ["x", "y", "z", "qw", "qx", "qy", "qz"].map(|of| format!("cube.{of}"));
    let columns = ["cube.x", "cube.y", "cube.z", "cube.qw", "cube.qx", "cube.qy", "cube.qz", "w"];
    let columns = Some(columns.map(str::to_string).to_vec());
    let layout = Layout { columns, rate: Some(100.0), toss: 3.0 };
    let rows = "0,0,1,1,0,0,0,?\n0,0,2,-1,0,0,0,?\n";
    let read = Recording::read(rows, &names, &layout).unwrap();
    assert_eq!((read.frames[1].time, read.frames[1].toss), (0.01, 3.0));
    assert_eq!(read.frames[1].position.as_slice()[2..4], [2.0, -1.0]);
    let error = Recording::read("0,0,1,0.5,0,0,0,?\n", &names, &layout).unwrap_err();
    assert!(error.what.contains("quaternion of length 0.5"), "{error}");
    assert_eq!(error.at.as_deref(), Some("line 1"));
    assert!(Recording::read(" \n", &names, &layout).unwrap_err().what.contains("no frames"));
}
