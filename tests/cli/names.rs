//! Names that are shorter than those of the file, and files that are told apart by their names.

use super::*;

fn json(args: &str) -> Value {
    reported(Path::new("."), args)
}

#[test]
fn the_last_part_of_a_name_is_enough() {
    let sample = |velocity: &str| {
        json(&format!("sample box-and-wall --velocity {velocity} -n 64 --device cpu"))
    };
    assert_eq!(sample("theta=0.1,y=-1")["velocity"], sample("box.theta=0.1,box.y=-1")["velocity"]);
    let bound = |args: &str| {
        let found = json(&format!("bound rocking-block -n 64 {args}"));
        found["bounds"][0]["value"].as_f64().unwrap()
    };
    let whole = bound("--direction block.theta=1");
    assert_eq!(bound("--direction theta=1"), whole);
    // Two disks have an x each.
    ended(Path::new("."), "sample disk-stack --velocity theta=1 -n 8 --device cpu", 2);
}

/// The set of box and wall is a triangle; its projections onto coordinates are intervals.
#[test]
fn coordinates_that_are_not_given_may_be_anything() {
    let ends = json("query box-and-wall extents -n 64");
    let names = ["box.x", "box.y", "box.theta"];
    for (i, name) in names.into_iter().enumerate() {
        let [least, most] = ["min", "max"].map(|end| ends["exact"][end][i].as_f64().unwrap());
        let middle = 0.5 * (least + most);
        let within = [least, middle, most].map(|x| (x, true));
        let outside = [least - 0.05, most + 0.05].map(|x| (x, false));
        for (x, inside) in within.into_iter().chain(outside) {
            let velocity = format!("{name}={x}");
            let args = format!("query box-and-wall contains --velocity {velocity}");
            let answer = json(&format!("{args} --eps 1e-6 -n 64"));
            assert_eq!(answer["contains"], inside, "{velocity}: {answer}");
        }
    }
}

#[test]
fn names_of_files_say_what_they_are() {
    let dir = directory();
    for args in [
        "sample block.json --out a.svg -o a.npz",
        "sample block.json -o b.parquet",
        "set block.json --out c.svg",
        "set block.json -o c.json",
    ] {
        let few = if args.starts_with("sample") { "-n 64 --device cpu" } else { "" };
        done(&dir, &format!("{args} {few}"));
    }
    let made = ["a.npz", "a.svg", "b.parquet", "block.json", "c.json", "c.svg"];
    assert_eq!(names_in(&dir), made);
    let begins = |name: &str| std::fs::read(dir.join(name)).unwrap()[..4].to_vec();
    assert_eq!([begins("a.svg"), begins("a.npz")], [b"<svg".to_vec(), b"PK\x03\x04".to_vec()]);
}

#[test]
fn joints_are_named_by_patterns_and_move() {
    let robot = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/models/quadruped.urdf");
    let scene = |args: &str| {
        let line = format!("import '{robot}' --floating --ground --set-down {args}");
        done(Path::new("."), &line)
    };
    let bent = scene("--joint shank_*=-0.75");
    assert_eq!(bent.matches("angle = -0.75").count(), 4, "{bent}");
    let moving = scene("--velocity z=-1.25,shank_*=0.5");
    assert!(moving.contains("velocity = [0.0, 0.0, -1.25]"), "{moving}");
    assert_eq!(moving.matches("angular_velocity = 0.5").count(), 4, "{moving}");
    for (option, name) in [("--joint", "*elbow*=1"), ("--velocity", "elbow=1")] {
        let [_, said] = ended(Path::new("."), &format!("import '{robot}' {option} {name}"), 2);
        assert!(said.contains("no movable joint is called"));
    }
}

#[test]
fn states_that_do_not_approach_are_counted() {
    let dir = directory();
    let plan = "problem = \"rocking-block\"\nsamples = 8\nstates = 6\n[velocity]\n\"block.y\" = ";
    for (range, still) in [("[1.0, 2.0]", 6), ("[-2.0, -1.0]", 0)] {
        write(&dir, "plan.toml", format!("{plan}{range}\n"));
        let out = format!("set{still}");
        let report = reported(&dir, &format!("dataset plan.toml -o {out}"));
        assert_eq!(report["still_states"], still, "{report}");
        let dry = run(&dir, "dataset plan.toml --dry-run");
        assert_eq!(text(&dry.stdout).contains("no contact approaches"), still > 0);
    }
}
