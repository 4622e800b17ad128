//! `carom replay`.

use super::*;

/// The sample is the one that a file has, and the last row ends in it.
#[test]
fn a_path_ends_in_the_sample_of_the_file() {
    let dir = directory();
    let how = "rocking-block --seed 4 --device cpu";
    assert!(run(&dir, &format!("sample -n 50 --out s.npz {how}")).status.success());
    let found = parsed(&dir, "query s.npz support --direction 0,0,1 --json");
    let number = found["sample"].as_u64().unwrap();
    let report = reported(&dir, &format!("replay --sample {number} -o p.svg {how}"));
    assert_eq!(report["velocity"], found["velocity"]);
    let path = report["path"].as_array().unwrap();
    assert_eq!(path.last().unwrap()["velocity"], found["velocity"]);
    assert_eq!(report["steps"], json!(path.len()));
    for key in words("rates caps contacts impulse velocity contact_velocity kinetic_energy") {
        assert!(path.iter().all(|row| !row[key].is_null()), "{key}");
    }
    assert!(read(&dir, "p.svg").contains("kinetic energy"));
}

/// Energy is quadratic along a step: in its middle it is that of the mean velocity, which is below
/// the mean of its ends.
#[test]
fn energy_is_drawn_as_a_parabola() {
    let dir = directory();
    let args = "replay rocking-block --sample 17";
    let more = "--panels energy --size 85mm --title 'A path' -o p.svg";
    let report = reported(&dir, &format!("{args} {more}"));
    let svg = read(&dir, "p.svg");
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
    let velocity = |at: &Value| serde_json::from_value::<Vec<f64>>(at["velocity"].clone()).unwrap();
    let mut bent = 0;
    for (k, b) in steps.iter().enumerate() {
        let a = if k == 0 { &report["before"] } else { &steps[k - 1] };
        // E((a + b) / 2) = (E(a) + E(b)) / 2 - E(a - b) / 4, with the mass of the scene.
        let problem = carom::scene::load("rocking-block").unwrap();
        let change: Vec<f64> = velocity(a).iter().zip(velocity(b)).map(|(a, b)| a - b).collect();
        let below = problem.kinetic_energy(&change) / 4.0;
        let middle = 0.5 * (energy(a) + energy(b)) - below;
        assert!((drawn(k * pieces + pieces / 2) - middle).abs() < 1e-3 * first, "step {k}");
        bent += usize::from(below > 0.02 * first);
    }
    assert!(bent > 0);
    let cases = "
        2 -o q.svg --panels energie => energie | normal, tangential, energy
        2 --panels energy => --panels | -o FILE";
    refusals(&dir, args, cases);
}

#[test]
fn a_path_can_be_read() {
    let dir = directory();
    for what in ["disk-stack", "cube-on-edge", "newtons-cradle"] {
        has(&done(&dir, &format!("replay {what} --sample 3")), "normal impulses|before");
    }
    refused(&dir, "replay rocking-block", 2, &["--sample"]);
    refused(&dir, "replay rocking-block --sample -1", 2, &["--sample"]);
}

/// Where sliding turns, the mean of its friction lies within the cone; a contact that slides is not
/// said to stick.
#[test]
fn what_slides_is_not_said_to_stick() {
    let dir = directory();
    let mut rows = [0; 2];
    for sample in 0..8 {
        let report = parsed(&dir, &format!("replay cube-on-edge --sample {sample} --json"));
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

/// Counts and numbers of samples are whole, with an exponent or a prefix.
#[test]
fn counts_are_whole_numbers() {
    let dir = Folder::new();
    for (text, number) in [
        ("0", 0_u64),
        ("65536", 65_536),
        ("1e6", 1_000_000),
        ("1M", 1_000_000),
        ("10k", 10_000),
        ("2.3M", 2_300_000),
        ("1.5k", 1500),
        ("3G", 3_000_000_000),
        ("1e18", 1_000_000_000_000_000_000),
        ("9223372036854775807", (1 << 63) - 1),
    ] {
        let report = reported(&dir, &format!("replay rocking-block --device cpu --sample {text}"));
        assert_eq!(report["sample"], number, "{text}");
    }
    let wrong = " 0 -1 1.5 1.0001k 1e-3 1e19 9223372036854775808 NaN inf 1kk k 1e3k";
    for text in wrong.split(' ') {
        refused(&dir, &format!("sample rocking-block --samples={text}"), 2, &["--samples"]);
    }
}
