//! Units of recordings that do not fit their motion.

use super::*;
use carom::motion::Simulation;
use carom::motion::midpoint::{Midpoint, Stepping};
use carom::study::recording::{Extraction, Frame, Recording};
use rand_core::Rng;

/// A square that is thrown on the floor, in the plane; gravity is the one of the text.
const SQUARE: &str = "
integrator = \"midpoint\"
gravity = 9.81
time_step = 0.002
steps = 400
law = \"routh\"
friction = 0.2
restitution = 0.5
walls = [{ name = \"floor\", normal = [0, 1] }]
bodies = [{ name = \"square\", mass = 0.1, shapes = [{ box = [0.06, 0.06] }], position = [0, 0.5],
            angle = 0.75, velocity = [0.6, 0], angular_velocity = 12 }]
";
/// Errors of a camera, m.
const NOISE: f64 = 3e-4;

fn motion(text: &str) -> Midpoint {
    let document = Document::new("motion", text.to_string(), Format::Toml).unwrap();
    let Simulation::Midpoint(motion) = document.motion().unwrap() else { unreachable!() };
    *motion
}

fn brick() -> Midpoint {
    let Simulation::Midpoint(motion) = Document::open("tossed-brick").unwrap().motion().unwrap()
    else {
        unreachable!()
    };
    *motion
}

/// Each `every`-th state of a motion, with positions that are off by at most `noise`.
fn recorded(motion: &Midpoint, every: u64, noise: f64) -> Recording {
    let mut random = Stream::new(3, 0).rng();
    let mut unit = || f64::from(random.next_u32()) / f64::from(u32::MAX) * 2.0 - 1.0;
    let mut frames = Vec::new();
    motion
        .run(400, None, |moment| {
            if moment.step % every == 0 {
                let position = moment.position.clone().into();
                frames.push(Frame { time: moment.time, position, toss: 0.0 });
            }
            Ok(())
        })
        .unwrap();
    let lengths = motion.mechanism().position_units();
    for frame in &mut frames {
        for (x, _) in frame.position.iter_mut().zip(&lengths).filter(|(_, unit)| *unit == "m") {
            *x += noise * unit();
        }
    }
    Recording { frames }
}

/// The recording with times and entries of one unit multiplied.
fn scaled(motion: &Midpoint, of: &Recording, time: f64, unit: &str, factor: f64) -> Recording {
    let units = motion.mechanism().position_units();
    let mut recording = of.clone();
    for frame in &mut recording.frames {
        frame.time *= time;
        for (x, _) in frame.position.iter_mut().zip(&units).filter(|(_, own)| *own == unit) {
            *x *= factor;
        }
    }
    recording
}

/// What the check says: its error with the hint, or its warnings.
fn said(motion: &Midpoint, recording: &Recording, rate: Option<f64>) -> String {
    match recording.check(motion.mechanism(), &Extraction::default(), rate) {
        Ok(warnings) => warnings.join("\n"),
        Err(error) => format!("error: {} ({})", error.what, error.hint.unwrap_or_default()),
    }
}

/// Times in ms have accelerations a million times too small, a rate that is ten times too high has
/// them a hundred times too large, and so on.
#[test]
fn wrong_units_are_named() {
    for motion in [brick(), motion(SQUARE)] {
        for (every, noise) in [(1, 0.0), (4, NOISE), (8, NOISE)] {
            let exact = recorded(&motion, every, noise);
            assert_eq!(said(&motion, &exact, None), "", "every {every}, noise {noise}");
            let rate = Some(100.0);
            for (time, unit, factor, rate, words) in [
                (1e3, "", 1.0, None, "times seem to be in ms"),
                (1e6, "", 1.0, None, "times seem to be in us"),
                (10.0, "", 1.0, None, "times too long"),
                (0.1, "", 1.0, None, "too short"),
                (500.0 / every as f64, "", 1.0, None, "times seem to"),
                (10.0, "", 1.0, rate, "times too low"),
                (0.1, "", 1.0, rate, "times too high"),
                (1.0, "m", 1e3, None, "positions seem to be in mm"),
                (1.0, "m", 100.0, None, "positions seem to be in cm"),
            ] {
                let wrong = scaled(&motion, &exact, time, unit, factor);
                let found = said(&motion, &wrong, rate);
                let right = found.starts_with("error") && found.contains(words);
                assert!(right, "{words}, every {every}, noise {noise}: {found}");
            }
        }
    }
}

#[test]
fn the_rate_that_fits_is_told() {
    let motion = motion(SQUARE);
    let recording = scaled(&motion, &recorded(&motion, 1, 0.0), 10.0, "", 1.0);
    // Frames every 2 ms that are read at 50 a second.
    let found = said(&motion, &recording, Some(50.0));
    let hint = found.split("--rate ").nth(1).unwrap();
    let rate: f64 = hint.split(' ').next().unwrap().parse().unwrap();
    assert!((rate / 500.0 - 1.0).abs() < 0.05, "{found}");
}

#[test]
fn angles_in_degrees_are_named() {
    let motion = motion(SQUARE);
    for (every, noise) in [(1, 0.0), (4, NOISE), (8, NOISE)] {
        let exact = recorded(&motion, every, noise);
        let degrees = scaled(&motion, &exact, 1.0, "rad", 1f64.to_degrees());
        let found = said(&motion, &degrees, None);
        assert!(found.contains("angles seem to be in degrees"), "{every}: {found}");
    }
}

/// Without gravity in the motion nothing is known; without it in the recording a warning.
#[test]
fn recordings_without_gravity_are_no_errors() {
    let level =
        motion(&SQUARE.replace("gravity = 9.81", "gravity = 0").replace("[0.6, 0]", "[0.6, -0.4]"));
    let default = motion(&SQUARE.replace("gravity = 9.81\n", ""));
    for noise in [0.0, NOISE] {
        let recording = recorded(&level, 4, noise);
        assert_eq!(said(&level, &recording, None), "");
        assert_eq!(said(&level, &scaled(&level, &recording, 1e3, "", 1.0), None), "");
        let found = said(&default, &recording, None);
        assert!(found.starts_with("free motion does not accelerate"), "{found}");
    }
}

/// Gravity of the moon in the file, of the earth in the recording: no unit has this factor.
#[test]
fn a_gravity_that_differs_is_told() {
    let (earth, most) = (motion(SQUARE), motion(&SQUARE.replace("9.81", "6")));
    let found = said(&most, &recorded(&earth, 4, NOISE), None);
    // 9.81 / 6, and the errors of the frames.
    let scale: f64 = found.split(' ').nth(4).unwrap().parse().unwrap();
    assert!((scale / 1.635 - 1.0).abs() < 0.05, "{found}");
    let near = motion(&SQUARE.replace("9.81", "9.5"));
    assert_eq!(said(&near, &recorded(&earth, 4, NOISE), None), "");
}

/// Few frames say nothing.
#[test]
fn short_recordings_are_taken_as_they_are() {
    let motion = motion(SQUARE);
    let mut recording = scaled(&motion, &recorded(&motion, 4, NOISE), 1e3, "", 1.0);
    recording.frames.truncate(8);
    assert_eq!(said(&motion, &recording, None), "");
}
