//! What the program says, whole: reports and errors, which `snapshots/` has as a user reads them.
//!
//! `INSTA_UPDATE=always cargo test --test cli said` writes them anew; look at the difference.

use super::modelled::{MODEL, folder};
use super::*;

/// Commands that are refused, each with its exit code.
#[rustfmt::skip]
const REFUSED: &[(i32, &str)] = &[
    (2, "integrate block.json"),
    (2, "sample"),
    (2, "sample block.json more"),
    (2, "sample block.json --sample 3"),
    (2, "sample block.json --samples"),
    (2, "sample block.json --samples 0"),
    (2, "sample block.json --samples -5"),
    (2, "sample block.json --samples 1.5"),
    (2, "sample block.json --samples 1e19"),
    (2, "sample block.json --samples many"),
    (2, "sample block.json --seed -1"),
    (2, "sample block.json --seed x"),
    (2, "sample block.json --law newton"),
    (2, "sample block.json --law compliant"),
    (2, "sample block.json --law sequential --step 0.1"),
    (2, "sample block.json --law sequential --solution lemke"),
    (2, "sample block.json --law sequential --solver table"),
    (2, "sample block.json --law sequential --restitution 0.5"),
    (2, "sample block.json --law sequential --persist 2"),
    (2, "sample block.json --persist 0"),
    (2, "sample cube-on-edge --persist 2"),
    (2, "sample cube-on-edge --restitution 0.5 --uncertainty e=0..0.5"),
    (2, "sample block.json --facets 8"),
    (2, "sample block.json --law sequential --facets 8"),
    (2, "plot block.json -o x.svg --law propagative --facets 8"),
    (2, "compare block.json -o picture.jpg"),
    (2, "compare block.json -o nowhere/picture.svg"),
    (2, "plot block.json -o picture"),
    (3, "plot nothing -o picture.svg"),
    (2, "sample block.json --sampler dice"),
    (2, "sample block.json --sampler sobl"),
    (2, "sample block.json --sampler uniform:x,sobol:1"),
    (2, "sample block.json --sampler uniform:0,sobol:1"),
    (2, "sample block.json --sampler sobol:1,sobol:1"),
    (2, "sample block.json --solution best"),
    (2, "sample block.json --precision f16"),
    (2, "sample block.json --device ''"),
    (2, "sample block.json --step 0"),
    (2, "sample block.json --step -1"),
    (2, "sample block.json --step nan"),
    (2, "sample block.json --max-steps 0"),
    (2, "sample block.json --max-rejected 2"),
    (2, "sample block.json --max-rejected nan"),
    (2, "sample block.json --restitution 1.5"),
    (2, "sample block.json --restitution 0.5 --hypothesis newton"),
    (2, "sample block.json --uncertainty mu=0.3..0.1"),
    (2, "sample block.json --uncertainty e=0.5..1.5"),
    (2, "sample block.json --uncertainty mass=1..2"),
    (2, "sample block.json --uncertainty mu=0.1,mu=0.2"),
    (2, "sample block.json --uncertainty mu=-0.1..0.2"),
    (2, "sample block.json --uncertainty e=nan..1"),
    (2, "sample block.json --uncertainty noise=-1"),
    (2, "sample block.json --uncertainty inertia=0..2"),
    (2, "sample block.json --law sequential --sampler coverage"),
    (3, "sample block.json --law sequential --uncertainty noise=0.1"),
    (2, "sample block.json --law-only"),
    (2, "sample block.json --step 0.1 --block 0.5"),
    (2, "sample block.json --model model.toml --law routh"),
    (2, "sample block.json --model model.toml --restitution 0.5"),
    (2, "sample block.json --model posed.toml"),
    (2, "sample block.json --model model.toml --explore 0.5"),
    (3, "sample block.json --model none.toml"),
    (3, "sample block.json --model wrong.toml"),
    (2, "reality events.json --model model.toml --law plus"),
    (2, "reality events.json --model model.toml --law-only"),
    (2, "sample block.json --threads 0"),
    (2, "sample block.json --out x.csv"),
    (2, "sample block.json --out x"),
    (2, "sample block.json --out d.npz"),
    (2, "sample block.json --out none/x.npz"),
    (2, "resolve block.json"),
    (2, "sample block.json --law anitescu-potra"),
    (2, "sample block.json --out a.svg -o b.svg"),
    (2, "bound block.json"),
    (3, "sample robot.urdf"),
    (3, "import block.json"),
    (3, "scenes rocking-blok"),
    (3, "scenes rocking-blok --json"),
    (2, "scenes rocking-block --json --set theta=1"),
    (2, "sample block.json --velocity 1,2"),
    (2, "sample block.json --velocity q3=1"),
    (2, "sample block.json --velocity -1,nan,0"),
    (2, "sample block.json --velocity q0=1,q0=2"),
    (2, "resolve block.json --law sequential --velocity 1e200,1,1"),
    (2, "doctor who"),
    (3, "bench rocking-blok"),
    (2, "bench --seconds 0"),
    (2, "bench --seconds -1"),
    (2, "bench --seconds long"),
    (2, "bench --precision f16"),
    (2, "bench --device ''"),
    (2, "bench --quik"),
];

/// Commands whose reports are shown.
const REPORTED: &[&str] = &[
    "sample rocking-block -n 500 --device cpu",
    "sample cube-on-edge -n 64 --device cpu --process steps",
    "sample block.json -n 64 --law sequential --device cpu",
    "resolve box-and-wall --law plus",
    "compare rocking-block -n 500",
    "set box-and-wall",
    "query box-and-wall contains --velocity theta=0.3 -n 500",
    "query box-and-wall distance --velocity box.x=0.5 -n 500",
    "bound rocking-block --direction 0,0,1",
    "query rocking-block support --direction 0,0,1 -n 500",
    "query rocking-block contains --velocity 0,0,0 -n 500",
    "guarantee rocking-block",
    "replay rocking-block --sample 3",
    "sample rocking-block -n 500 --device cpu --model model.toml",
    "sample rocking-block -n 500 --device cpu --model model.toml --law-only",
    "scenes",
];

/// A report without what differs from run to run or from machine to machine.
fn lasting(report: &str) -> String {
    let differs = ["computed", "device", "residual", "sample ", "samples"];
    let lasts = |line: &&str| !differs.iter().any(|word| line.starts_with(word));
    report.lines().filter(lasts).map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn refusals() {
    let dir = directory();
    std::fs::create_dir(dir.join("d.npz")).unwrap();
    write(&dir, "robot.urdf", "<robot name=\"none\"/>");
    write(&dir, "model.toml", MODEL);
    write(&dir, "posed.toml", "gap = 0.01\n");
    write(&dir, "wrong.toml", "friction = [0.4, 0.2]\n");
    let before = names_in(&dir);
    let mut said = String::new();
    for (code, command) in REFUSED {
        let output = run(&dir, command);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(*code), "{command}\n{message}");
        assert_eq!(text(&output.stdout), "", "{command}");
        assert_eq!(message.matches("error:").count(), 1, "{command}\n{message}");
        assert_eq!(names_in(&dir), before, "{command}");
        said += &format!("$ carom {command}\n{}\n", message.trim_end());
    }
    insta::assert_snapshot!(said);
}

#[test]
fn no_such_adapter() {
    for command in ["sample rocking-block", "bench"] {
        let line = format!("{command} --device 'no such adapter'");
        refused(Path::new("."), &line, 4, &["no such adapter"]);
    }
}

#[test]
fn reports() {
    let dir = folder();
    let mut said = String::new();
    for command in REPORTED {
        said += &format!("$ carom {command}\n{}\n", lasting(&done(&dir, command)));
    }
    insta::assert_snapshot!(said);
}

/// What stands under "Examples" in the help of a command, run as it stands.
#[test]
fn examples_of_help_run() {
    let dir = directory();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = |from: &str, to: &str| {
        std::fs::copy(golden.join(from), dir.join(to)).unwrap();
    };
    copy("tests/golden/models/quadruped.urdf", "robot.urdf");
    std::fs::create_dir(dir.join("examples")).unwrap();
    copy("examples/impacts.json", "examples/impacts.json");
    std::fs::rename(dir.join("block.json"), dir.join("problem.json")).unwrap();
    let mut tried = 0;
    let commands = "import sample set bound query replay compare plot resolve simulate guarantee \
        reality bench scenes";
    for command in words(commands) {
        let help = text(&run(&dir, &format!("{command} --help")).stdout);
        for example in help.lines().filter_map(|line| line.strip_prefix("  carom ")) {
            tried += 1;
            let script = format!("exec \"$0\" {example}");
            let mut shell = Command::new("sh");
            shell.args(["-c", &script, env!("CARGO_BIN_EXE_carom")]).current_dir(&*dir);
            let output = shell.env("XDG_RUNTIME_DIR", &*dir).output().unwrap();
            let expected = Some(if example == "resolve box-and-wall" { 2 } else { 0 });
            assert_eq!(output.status.code(), expected, "{example}\n{}", text(&output.stderr));
        }
    }
    assert!(tried > 20, "{tried}");
}
