//! The process that runs is named, and options that would do nothing are refused.

use serde_json::json;

use super::{run, text};

/// A block that falls on two corners, and the same as an event.
fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut block = json!({
        "name": "block", "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]], "normal": [[0, 1, -0.5], [0, 1, 0.5]],
        "tangent": [[1, 0, 0.5], [1, 0, 0.5]], "friction": [0.5, 0.5], "velocity": [0.3, -1, 0.4]
    });
    std::fs::write(dir.path().join("block.json"), block.to_string()).unwrap();
    block["measured"] = json!([0, 0, 0]);
    std::fs::write(dir.path().join("events.json"), json!({ "events": [block] }).to_string())
        .unwrap();
    dir
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let dir = directory();
    let cases: &[(&[&str], &str, &[&str])] = &[
        (&["sample", "block.json", "--hypothesis", "poisson"], "--hypothesis", &["restitution"]),
        (
            &["sample", "block.json", "--hypothesis", "stronge"],
            "--hypothesis",
            &["--restitution E"],
        ),
        (
            &["sample", "block.json", "--restitution", "0", "--hypothesis", "poisson"],
            "--hypothesis",
            &[],
        ),
        (
            &["sample", "block.json", "--uncertainty", "mu=0..1", "--hypothesis", "poisson"],
            "--hypothesis",
            &[],
        ),
        (&["reality", "events.json", "--hypothesis", "poisson"], "--hypothesis", &["restitution"]),
        (
            &[
                "sample",
                "block.json",
                "--law",
                "propagative",
                "--restitution",
                "0.5",
                "--hypothesis",
                "poisson",
            ],
            "--hypothesis",
            &["belongs to routh"],
        ),
        (
            &[
                "resolve",
                "icosahedron-tetrahedron",
                "--law",
                "darboux-keller",
                "--restitution",
                "0",
                "--hypothesis",
                "newton",
            ],
            "--hypothesis",
            &["restitution"],
        ),
        (
            &["sample", "cube-on-edge", "--solution", "lemke"],
            "--solution",
            &["`inclusion`", "--facets K"],
        ),
        (
            &["sample", "block.json", "--process", "exact", "--solution", "lemke"],
            "--solution",
            &["`events`", "leave it out"],
        ),
        (
            &["reality", "events.json", "--process", "exact", "--solution", "lemke"],
            "--solution",
            &[],
        ),
        (
            &["sample", "block.json", "--restitution", "0.5", "--persist", "2"],
            "persist",
            &["leave --persist out"],
        ),
        (
            &["sample", "block.json", "--process", "events", "--last-step", "0.1"],
            "--last-step",
            &["`events`", "--process steps"],
        ),
        (
            &["sample", "block.json", "--theta-max", "0.1"],
            "--theta-max",
            &["the law routh has no such option", "plus"],
        ),
        (
            &["sample", "block.json", "--law", "plus", "--max-steps", "5"],
            "--max-steps",
            &["belongs to routh, sequential, propagative"],
        ),
        (
            &["sample", "block.json", "--law", "plus", "--hypothesis", "stronge"],
            "--hypothesis",
            &["belongs to routh"],
        ),
        (
            &[
                "plot",
                "icosahedron-tetrahedron",
                "--law",
                "darboux-keller",
                "-o",
                "x.svg",
                "-n",
                "10",
            ],
            "--samples",
            &["one outcome", "leave it out"],
        ),
        (
            &[
                "plot",
                "icosahedron-tetrahedron",
                "--law",
                "darboux-keller",
                "-o",
                "x.svg",
                "--seed",
                "1",
            ],
            "--seed",
            &["one outcome"],
        ),
        (
            &["plot", "billiard-break", "--sweep", "theta=60..90", "-o", "x.svg", "-n", "10"],
            "--samples",
            &["--sweep"],
        ),
        (
            &["plot", "billiard-break", "--sweep", "theta=60..90", "-o", "x.svg", "--law", "routh"],
            "--law",
            &["propagative"],
        ),
        (
            &[
                "plot",
                "billiard-break",
                "--sweep",
                "theta=60..90",
                "-o",
                "x.svg",
                "--restitution",
                "0.5",
            ],
            "--restitution",
            &["--sweep"],
        ),
    ];
    for (args, option, words) in cases {
        let output = run(dir.path(), args);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}\n{message}");
        assert_eq!(message.matches("error:").count(), 1, "{args:?}\n{message}");
        assert!(output.stdout.is_empty() && !dir.path().join("x.svg").exists(), "{args:?}");
        for word in [*option].iter().chain(*words) {
            assert!(message.contains(*word), "{args:?}: {word}\n{message}");
        }
    }
}

#[test]
fn what_is_the_default_may_be_said() {
    let dir = directory();
    for args in [
        &[
            "sample",
            "cube-on-edge",
            "--solution",
            "random",
            "--persist",
            "1",
            "--sampler",
            "coverage",
        ][..],
        &[
            "sample",
            "block.json",
            "--law",
            "sequential",
            "--solution",
            "random",
            "--sampler",
            "uniform",
        ],
        &["sample", "block.json", "--restitution", "0", "--solution", "lemke"],
        &["sample", "cube-on-edge", "--law", "sequential", "--restitution", "0.5"],
        &["sample", "block.json", "--uncertainty", "e=0..0.5", "--hypothesis", "stronge"],
        &["plot", "block.json", "--law", "routh", "--seed", "0", "-o", "set.svg"],
        &[
            "plot",
            "block.json",
            "--law",
            "plus",
            "--uncertainty",
            "mu=0.1..1",
            "-n",
            "50",
            "-o",
            "set.svg",
        ],
        &[
            "plot",
            "billiard-break",
            "--sweep",
            "theta=60..90",
            "-o",
            "swept.svg",
            "--law",
            "propagative",
        ],
    ] {
        let few = if args[0] == "sample" { &["-n", "20"][..] } else { &[] };
        let output = run(dir.path(), &[args, few].concat());
        assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", text(&output.stderr));
    }
}

#[test]
fn the_law_is_named_with_the_process_that_ran() {
    let dir = directory();
    let cases: &[(&[&str], &str, &str)] = &[
        (
            &["sample", "block.json"],
            "routh: from event to event in blocks of constant rates\n",
            "--process steps",
        ),
        (
            &["sample", "block.json", "--process", "steps"],
            "routh: steps by complementarity\n",
            "--law sequential",
        ),
        (&["sample", "block.json", "--persist", "2"], "routh: steps by complementarity\n", ""),
        (
            &["sample", "cube-on-edge"],
            "routh: inclusion integrated, circular friction cones\n",
            "--facets K",
        ),
        (
            &["sample", "cube-on-edge", "--facets", "8"],
            "routh: steps by complementarity, friction cones of 8 facets\n",
            "without --facets",
        ),
        (
            &["sample", "block.json", "--restitution", "0.5"],
            "routh: from event to event in blocks of constant rates\n",
            "--process steps",
        ),
        (
            &["sample", "block.json", "--process", "exact"],
            "routh: from event to event in blocks of constant rates\n",
            "--process steps",
        ),
        (
            &["sample", "block.json", "--restitution", "0.5", "--process", "inclusion"],
            "routh: inclusion integrated\n",
            "",
        ),
        (
            &["sample", "block.json", "--restitution", "0.5", "--process", "steps"],
            "routh: steps by complementarity\n",
            "",
        ),
        (
            &["sample", "block.json", "--law", "sequential"],
            "sequential: single impacts in random order\n",
            "--law routh",
        ),
        (
            &["sample", "block.json", "--law", "plus", "--uncertainty", "mu=0.1..1"],
            "plus: rounds of compression and expansion, one outcome a draw\n",
            "--law routh",
        ),
        (
            &["compare", "cube-on-edge"],
            "routh: inclusion integrated, circular friction cones\n",
            "--facets K",
        ),
        (
            &["reality", "events.json"],
            "routh: from event to event in blocks of constant rates\n",
            "other shares",
        ),
    ];
    for (args, law, other) in cases {
        let report =
            text(&run(dir.path(), &[args, &["-n", "20", "--device", "cpu"][..]].concat()).stdout);
        assert!(report.contains(&format!("\nlaw         {law}")), "{args:?}\n{report}");
        assert!(report.contains(other), "{args:?}\n{report}");
    }
}
