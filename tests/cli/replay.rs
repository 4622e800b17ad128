//! `carom replay`.

use serde_json::{Value, json};

use super::{directory, refused, run, text};

/// The sample is the one that a file has, and the last row ends in it.
#[test]
fn a_path_ends_in_the_sample_of_the_file() {
    let dir = directory();
    let how = ["rocking-block", "--seed", "4", "--device", "cpu"];
    assert!(
        run(dir.path(), &[&["sample", "-n", "50", "--out", "s.npz"], &how[..]].concat())
            .status
            .success()
    );
    let find = ["query", "s.npz", "support", "--direction", "0,0,1", "--json"];
    let found: Value = serde_json::from_slice(&run(dir.path(), &find).stdout).unwrap();
    let number = found["sample"].as_u64().unwrap().to_string();
    let output = run(
        dir.path(),
        &[&["replay", "--sample", &number, "--json", "-o", "p.svg"], &how[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["velocity"], found["velocity"]);
    let path = report["path"].as_array().unwrap();
    assert_eq!(path.last().unwrap()["velocity"], found["velocity"]);
    assert_eq!(report["steps"], json!(path.len()));
    for key in
        ["rates", "caps", "contacts", "impulse", "velocity", "contact_velocity", "kinetic_energy"]
    {
        assert!(path.iter().all(|row| !row[key].is_null()), "{key}");
    }
    assert!(std::fs::read_to_string(dir.path().join("p.svg")).unwrap().contains("kinetic energy"));
}

/// Energy is quadratic along a step: in its middle it is that of the mean velocity, which is below
/// the mean of its ends.
#[test]
fn energy_is_drawn_as_a_parabola() {
    let dir = directory();
    let path = dir.path();
    let args = ["replay", "rocking-block", "--sample", "17", "--json"];
    let more = ["--panels", "energy", "--size", "85mm", "--title", "A path", "-o", "p.svg"];
    let output = run(path, &[&args[..], &more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let svg = std::fs::read_to_string(path.join("p.svg")).unwrap();
    assert!(svg.contains("A path") && !svg.contains("normal velocity"));
    assert_eq!(svg.matches("<clipPath").count(), 1);
    // The line of the energy, in pixels; its ends have known energies, which give the scale.
    let group = svg.split("<g clip-path").nth(1).unwrap();
    let line = group.split("d=\"M").nth(1).unwrap().split('"').next().unwrap();
    let heights: Vec<f64> =
        (line.split('L')).map(|point| point.split(' ').nth(1).unwrap().parse().unwrap()).collect();
    let steps = report["path"].as_array().unwrap();
    let pieces = (heights.len() - 1) / steps.len();
    assert!(pieces >= 8 && pieces.is_multiple_of(2), "{pieces}");
    let energy = |place: &Value| place["kinetic_energy"].as_f64().unwrap();
    let (first, last) = (energy(&report["before"]), energy(steps.last().unwrap()));
    let scale = (first - last) / (heights[0] - heights[heights.len() - 1]);
    let drawn = |i: usize| first + (heights[i] - heights[0]) * scale;
    let velocity =
        |place: &Value| -> Vec<f64> { serde_json::from_value(place["velocity"].clone()).unwrap() };
    let mut bent = 0;
    for (k, pair) in
        std::iter::once(&report["before"]).chain(steps).collect::<Vec<_>>().windows(2).enumerate()
    {
        let [a, b] = [pair[0], pair[1]];
        // E((a + b) / 2) = (E(a) + E(b)) / 2 - E(a - b) / 4, with the mass of the scene.
        let problem = carom::scene::load("rocking-block").unwrap();
        let change: Vec<f64> = velocity(a).iter().zip(velocity(b)).map(|(a, b)| a - b).collect();
        let below = problem.kinetic_energy(&change) / 4.0;
        let middle = 0.5 * (energy(a) + energy(b)) - below;
        assert!((drawn(k * pieces + pieces / 2) - middle).abs() < 1e-3 * first, "step {k}");
        bent += usize::from(below > 0.02 * first);
    }
    assert!(bent > 0);
    refused(
        path,
        &[&args[..], &["-o", "q.svg", "--panels", "energie"]].concat(),
        2,
        &["energie", "normal, tangential, energy"],
    );
    refused(path, &[&args[..], &["--panels", "energy"]].concat(), 2, &["--panels", "-o FILE"]);
}

#[test]
fn a_path_can_be_read() {
    let dir = directory();
    for what in ["disk-stack", "cube-on-edge", "newtons-cradle"] {
        let output = run(dir.path(), &["replay", what, "--sample", "3"]);
        let report = text(&output.stdout);
        assert!(
            output.status.success()
                && report.contains("normal impulses")
                && report.contains("before"),
            "{report}"
        );
    }
    refused(dir.path(), &["replay", "rocking-block"], 2, &["--sample"]);
    refused(dir.path(), &["replay", "rocking-block", "--sample", "-1"], 2, &["--sample"]);
}

/// Where sliding turns, the mean of its friction lies within the cone; a contact that slides is not
/// said to stick.
#[test]
fn what_slides_is_not_said_to_stick() {
    let dir = directory();
    let mut rows = [0; 2];
    for sample in 0..8 {
        let run =
            run(dir.path(), &["replay", "cube-on-edge", "--sample", &sample.to_string(), "--json"]);
        let report: Value = serde_json::from_slice(&run.stdout).unwrap();
        let mut before = &report["before"]["contact_velocity"];
        for step in report["path"].as_array().unwrap() {
            let after = &step["contact_velocity"];
            for (i, state) in step["contacts"].as_array().unwrap().iter().enumerate() {
                let speed = |u: &Value| {
                    u[2 + 2 * i].as_f64().unwrap().hypot(u[3 + 2 * i].as_f64().unwrap())
                };
                let fastest = speed(before).max(speed(after));
                assert!(state != "stick" || fastest < 1e-3, "sample {sample}: {fastest}");
                assert!(state != "slide" || fastest > 1e-6, "sample {sample}: {fastest}");
                rows[usize::from(state == "slide")] += 1;
            }
            before = after;
        }
    }
    assert!(rows[1] > 20, "{rows:?}");
}
