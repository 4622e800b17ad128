//! `carom compare` and `carom plot`.

use super::*;

#[test]
fn laws_are_compared_and_drawn() {
    let dir = directory();
    let args = "compare block.json -n 2000 --device cpu";
    let plain = done(&dir, args);
    has(&plain, "anitescu-potra|cone-complementarity|convex-relaxation|sequential|propagative");
    has(&plain, "inside|seed 0");
    let json = parsed(&dir, &format!("{args} --json -o laws.svg"));
    assert_eq!(json["set"]["samples"], 2000);
    let outcomes = json["outcomes"].as_array().unwrap();
    assert!(outcomes.iter().all(|outcome| outcome["distance"].is_number()));
    done(&dir, "plot block.json -o set.svg -n 2000 --law propagative");
    assert_eq!(names_in(&dir), ["block.json", "laws.svg", "set.svg"]);
    for name in ["laws.svg", "set.svg"] {
        let svg = read(&dir, name);
        assert!(svg.starts_with("<svg") && svg.contains("normal ("), "{name}");
    }
}

#[test]
fn a_saved_set_is_drawn_as_it_was_sampled() {
    let dir = directory();
    let done = |args: &str| {
        done(&dir, args);
        read(&dir, "p.svg")
    };
    let sampled = done("sample block.json -n 500 --device cpu --out set.npz -o p.svg");
    let plot = "plot block.json -n 500 --device cpu -o p.svg";
    assert_eq!(done(plot), sampled);
    assert_eq!(done("plot set.npz -o p.svg"), done(&format!("{plot} --paths 0")));
    has(&sampled, "exact set|12 paths|SI units");
    let own = "--axes q0,left.normal --axes q2,right.tangent --size 85mm --title 'A <b>'";
    let svg = done(&format!("plot set.npz -o p.svg {own}"));
    has(&svg, "width=\"85.00mm\"|A &lt;b&gt;|right, tangential");
    let right = done("plot set.npz -o p.svg --panels right");
    assert!(right.contains("Contact right") && right.matches("<clipPath").count() == 1);
    let cases = "
        2 plot set.npz -o x.svg --seed 1 => --seed | samples already
        2 plot set.npz -o x.svg --axes q0,up => --axes | q0, q1, q2 | left.normal
        2 plot set.npz -o x.svg --panels scene => --panels | velocity, contacts, left, right
        2 plot set.npz -o x.svg --panels left --axes q0,q1 => --panels | --axes
        2 sample block.json --panels left => --panels | -o FILE
        2 plot set.npz -o x.svg --size 85 => --size | 85mm
        2 plot set.npz -o x.svg --size 40x35mm => --size | larger
        2 sample block.json --title x => --title | -o FILE
        2 plot set.npz -o x.jpg => x.jpg | .png or .pdf";
    refusals(&dir, "", cases);
}

#[test]
fn the_gallery_is_one_page() {
    let dir = directory();
    done(&dir, "gallery -o sets/of -n 200");
    let page = read(&dir, "sets/of/index.html");
    assert_eq!(page.matches("<img ").count(), 8);
    // Nothing is fetched: all pictures are in the page.
    assert_eq!(page.matches("src=\"data:image/svg+xml,").count(), 8);
    // The animation alone has no published numbers.
    assert_eq!(page.matches("<table>").count(), 7);
    // All but the two disk stacks have the outcomes of the text.
    assert_eq!(page.matches("The law has the outcomes of the text.").count(), 4);
    assert!(!page.contains("href") && !page.contains("src=\"h"));
    assert_eq!(names_in(&dir.join("sets/of")).len(), 9);
    refused(&dir, "gallery -o block.json", 2, &["block.json"]);
    // The commands below a picture draw it.
    let (_, figure) = page.split_once("sample rocking-block --process").unwrap();
    let (commands, _) = figure.split_once("</code>").unwrap();
    let commands = format!("carom sample rocking-block --process{commands}");
    for command in commands.split("<br>") {
        done(&dir, command.strip_prefix("carom ").unwrap());
    }
    let drawn = |name: &str| read(&dir, name);
    assert_eq!(drawn("rocking-block.svg"), drawn("sets/of/rocking-block.svg"));
}

#[test]
fn laws_and_another_set_are_chosen() {
    let dir = directory();
    let done = |args: &str| done(&dir, args);
    done("sample block.json --process steps -n 300 --out steps.npz");
    let compare = "compare block.json -n 300 -o laws.svg";
    let plain = done(&format!("{compare} --laws sequential,plus"));
    assert!(plain.contains("sequential") && !plain.contains("anitescu-potra"), "{plain}");
    assert!(!plain.contains("propagative"), "{plain}");
    let alone = read(&dir, "laws.svg");
    done(&format!("{compare} --beside steps.npz --paths 3"));
    let beside = read(&dir, "laws.svg");
    for (svg, sets, paths) in [(alone, 1, 0), (beside, 2, 1)] {
        let found = ["300 drawn", "3 paths"].map(|words| svg.matches(words).count());
        assert_eq!(found, [sets, paths]);
    }
    let cases = "
        2 --laws newton => --laws | newton | sequential
        2 --beside block.json => block.json | .npz or .parquet
        3 --beside nothing.npz => nothing.npz | does not exist";
    refusals(&dir, "compare block.json -n 300 -o laws.svg", cases);
    let cases = "
        2 compare block.json --beside a.npz => --out
        2 compare disk-stack -o x.svg --beside steps.npz => steps.npz | other coordinates";
    refusals(&dir, "", cases);
}

/// The exact set says what lies on the way; samples do where it is not known. Laws have a line for
/// each outcome.
#[test]
fn velocities_on_the_way_are_drawn() {
    let dir = directory();
    let drawn = |args: &str| {
        done(&dir, &format!("{args} -n 50 -o way.svg"));
        read(&dir, "way.svg")
    };
    let compare = "compare block.json --laws sequential";
    let [without, with] = ["", "--on-the-way"].map(|more| drawn(&format!("{compare} {more}")));
    assert!(with.contains("on the way, all of them") && !without.contains("on the way"));
    // Two outcomes, each with a line in each of three panels.
    let lines = |svg: &str| svg.matches("stroke-width=\"1.75\" stroke-linejoin").count();
    assert_eq!(lines(&with), lines(&without) + 6);
    assert!(drawn("plot block.json --on-the-way").contains("on the way, all of them"));
    for of_samples in ["plot block.json --process steps", "plot cube-on-edge"] {
        let svg = drawn(&format!("{of_samples} --on-the-way"));
        assert!(svg.contains("on the way of 50 samples"), "{of_samples:?}");
    }
    refused(&dir, "compare block.json --on-the-way", 2, &["--out"]);
}

/// Corners of different stiffness lead into the set; what a law says of its outcomes counts there
/// too.
#[test]
fn compliant_contact_is_compared_with_the_set() {
    let dir = directory();
    let args = "compare rocking-block -n 1000 --compliant-ratios 1e-5..1e5";
    let found = reported(&dir, &format!("{args} --compliant-angles=-0.01..0.01"));
    assert_eq!(found["set"]["verdict_from"], "exact");
    let outcomes = found["outcomes"].as_array().unwrap();
    let compliant: Vec<_> = outcomes.iter().filter(|one| one["law"] == "compliant").collect();
    assert_eq!(compliant.len(), 22);
    for outcome in &compliant[..11] {
        assert_eq!(outcome["verdict"], "inside", "{outcome}");
    }
    assert!(compliant[11..].iter().all(|outcome| outcome["distance"].as_f64().unwrap() < 0.02));
    let cases = "
        2 compare disk-stack --compliant-ratios 1..2 => --compliant-ratios | two contacts
        2 compare block.json --compliant-ratios 2..1 => A..B";
    refusals(&dir, "", cases);
}

/// Where there is no exact set, proofs say which outcomes are outside; no sample is as near as
/// they say.
#[test]
fn proofs_say_what_is_outside() {
    let dir = directory();
    // A point mass that bounces: friction takes half of what the wall gives, but for a law that
    // leaves friction out.
    let ball = r#"{"mass": [[1, 0], [0, 1]], "normal": [[0, 1]], "tangent": [[1, 0]],
        "friction": 0.5, "restitution": 0.5, "velocity": [2, -1]}"#;
    write(&dir, "ball.json", ball);
    let args = "compare ball.json -n 600 --laws propagative,sequential";
    let found = reported(&dir, args);
    assert_eq!(found["set"]["verdict_from"], "samples");
    let mut proved = 0;
    for outcome in found["outcomes"].as_array().unwrap() {
        let apart = &outcome["apart"];
        if apart.is_object() {
            proved += 1;
            assert_eq!(apart["kind"], "certified");
            assert_eq!(outcome["verdict"], "outside");
            let far = [&outcome["distance"], &apart["distance"]].map(|x| x.as_f64().unwrap());
            assert!(far[1] > 1e-6 && far[1] <= far[0] + 1e-9, "{outcome}");
        }
    }
    assert!(proved > 0, "{found}");
    let plain = text(&run(&dir, args).stdout);
    assert!(plain.contains("outside, proved") && plain.contains("a half-space"), "{plain}");
    let exact = run(&dir, "compare block.json -n 100 --json");
    let exact: Value = serde_json::from_slice(&exact.stdout).unwrap();
    assert!(exact["outcomes"].as_array().unwrap().iter().all(|outcome| outcome["apart"].is_null()));
}
