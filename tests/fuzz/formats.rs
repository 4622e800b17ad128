//! Every file format, the command line and expressions: changed inputs are refused with a clear
//! error, or used.

use std::fs;

use carom::ErrorKind;
use carom::cli::embedded;
use carom_core::expression::{Expression, ExpressionShape, Interval};
use serde_json::Value;

use crate::files::{self, any};
use crate::harness::{Case, Ended, Target, Verdict};
use crate::mutate;
use crate::support::draws::Draws;

pub const TARGETS: [Target; 14] = [
    Target { name: "problem-json", case: problem_json },
    Target { name: "problem-toml", case: problem_toml },
    Target { name: "scene", case: scene },
    Target { name: "motion", case: motion },
    Target { name: "plan", case: plan },
    Target { name: "events", case: events },
    Target { name: "siconos", case: siconos },
    Target { name: "fclib", case: fclib },
    Target { name: "urdf", case: urdf },
    Target { name: "mjcf", case: mjcf },
    Target { name: "set-npz", case: set_npz },
    Target { name: "set-parquet", case: set_parquet },
    Target { name: "arguments", case: arguments },
    Target { name: "expression", case: expression },
];

/// Runs a command in the folder of the case, and judges what it says.
pub fn command(case: &mut Case, arguments: &[&str]) -> Verdict {
    let in_folder = |argument: &&str| argument.replace("DIR", &case.dir.to_string_lossy());
    let arguments: Vec<String> = arguments.iter().map(in_folder).collect();
    case.told += &format!("carom {}\n", arguments.join(" "));
    match embedded::call(&arguments, "", case.stop.clone()) {
        Ok(embedded::Output { printed, .. }) => {
            let json = arguments.iter().any(|argument| argument == "--json");
            if json && serde_json::from_str::<Value>(&printed).is_err() {
                return Err(format!("its report is no JSON: {printed:.200}"));
            }
            Ok(case.ended())
        }
        Err(error) if error.kind == ErrorKind::Interrupted && !case.stopped() => {
            Err("it says that it was interrupted".to_string())
        }
        Err(error) => {
            let said = error.to_string();
            case.said.clone_from(&said);
            if error.what.trim().is_empty() || said.len() > 20_000 {
                return Err(format!("an error of {} bytes: {said:.300}", said.len()));
            }
            Ok(if case.stopped() { Ended::Stopped } else { Ended::Refused })
        }
    }
}

/// Runs a command whose words stand apart.
pub fn line(case: &mut Case, line: &str) -> Verdict {
    command(case, &line.split(' ').collect::<Vec<_>>())
}

/// A command that reads a problem.
fn use_problem(case: &mut Case, file: &str) -> Verdict {
    let more = [
        "",
        " --process steps",
        " --process inclusion",
        " --law sequential",
        " --law propagative",
        " --law plus",
        " --precision f32",
        " --out DIR/set.npz",
        " --out DIR/set.parquet --jacobian",
        " -o DIR/picture.svg",
        " --explore 0.5",
        " --facets 4 --restitution 0.5",
    ];
    let others = [
        "scenes FILE --json",
        "resolve FILE --law anitescu-potra --json",
        "resolve FILE --law cone-complementarity --json",
        "resolve FILE --law convex-relaxation --json",
        "resolve FILE --law sequential --json",
        "resolve FILE --law darboux-keller --json",
        "set FILE --json --seconds 1",
        "guarantee FILE --json",
        "query FILE -n 20 --device cpu extents --json",
        "bound FILE --direction 1 --kind conic --json --device cpu -n 20",
        "replay FILE --sample 3 --json",
        "plot FILE -n 50 --device cpu -o DIR/plot.svg",
    ];
    if case.draws.below(2) == 0 {
        let more = case.any(&more);
        line(case, &format!("sample {file} -n 8 --device cpu --json{more}"))
    } else {
        let other = case.any(&others).replace("FILE", file);
        line(case, &other)
    }
}

fn problem_json(case: &mut Case) -> Verdict {
    let mut problem = files::problem(&mut case.draws);
    let bytes = if case.draws.below(4) == 0 {
        let other = files::problem(&mut case.draws).to_string();
        mutate::text(&mut case.draws, &problem.to_string(), &other)
    } else {
        (0..case.draws.below(3)).for_each(|_| mutate::json(&mut case.draws, &mut problem));
        problem.to_string().into_bytes()
    };
    case.write("problem.json", &bytes);
    use_problem(case, "DIR/problem.json")
}

fn problem_toml(case: &mut Case) -> Verdict {
    let (given, other) = (files::spec(&mut case.draws), files::spec(&mut case.draws));
    let [given, other] =
        [given, other].map(|spec| toml::to_string(&spec).expect("a problem in TOML"));
    let bytes = mutate::text(&mut case.draws, &given, &other);
    case.write("problem.toml", &bytes);
    use_problem(case, "DIR/problem.toml")
}

fn scene(case: &mut Case) -> Verdict {
    let all = || files::files("scenes", ".toml");
    let [given, other] = [(), ()].map(|()| files::text(&any(&mut case.draws, all())));
    let given = if case.draws.below(8) == 0 { files::SCENE.to_string() } else { given };
    let bytes = mutate::text(&mut case.draws, &given, &other);
    case.write("scene.toml", &bytes);
    use_problem(case, "DIR/scene.toml")
}

fn motion(case: &mut Case) -> Verdict {
    let all = || files::files("scenes/motions", ".toml");
    let [given, other] = [(), ()].map(|()| files::text(&any(&mut case.draws, all())));
    let bytes = mutate::text(&mut case.draws, &given, &other);
    case.write("motion.toml", &bytes);
    let more = case.any(&[
        "--json",
        "--json",
        "-o DIR/motion.svg",
        "--out DIR/states.csv",
        "--out DIR/states.parquet",
        "--branch 2 --json",
        "--animate DIR/film.svg",
    ]);
    line(case, &format!("simulate DIR/motion.toml --steps 20 {more}"))
}

fn plan(case: &mut Case) -> Verdict {
    let table = case.draws.below(4) == 0;
    let mut plan = files::PLAN.to_string();
    if table {
        plan = plan.replace("states = 3", "table = \"states.csv\"");
        plan = plan.replace("width = [0.5, 2.0]", "").replace("block.y = [-1.0, -0.1]", "");
    }
    let bytes = mutate::text(&mut case.draws, &plan, files::SCENE);
    let rows = mutate::text(&mut case.draws, files::TABLE, &plan);
    case.write("plan.toml", &bytes);
    let table = case.any(&[files::TABLE.as_bytes(), &rows]);
    case.write("states.csv", table);
    case.write("block.toml", files::SCENE.as_bytes());
    let more = if case.draws.below(2) == 0 { " --dry-run" } else { "" };
    line(case, &format!("dataset DIR/plan.toml -o DIR/data --json{more}"))
}

fn events(case: &mut Case) -> Verdict {
    let mut events = files::events(&mut case.draws);
    (0..case.draws.below(3)).for_each(|_| mutate::json(&mut case.draws, &mut events));
    let text = events.to_string();
    let bytes = if case.draws.below(8) == 0 {
        mutate::bytes(&mut case.draws, text.as_bytes())
    } else {
        text.into_bytes()
    };
    case.write("events.json", &bytes);
    let laws = ["-n 16 --device cpu", "--law sequential -n 8", "--law anitescu-potra"];
    let law = case.any(&laws);
    line(case, &format!("reality DIR/events.json --json {law}"))
}

fn siconos(case: &mut Case) -> Verdict {
    let [a, b] = files::SICONOS;
    let (given, other) = if case.draws.below(2) == 0 { (a, b) } else { (b, a) };
    let bytes = mutate::text(&mut case.draws, given, other);
    case.write("problem.dat", &bytes);
    line(case, "import DIR/problem.dat -o DIR/problem.json")
}

fn fclib(case: &mut Case) -> Verdict {
    let file = any(&mut case.draws, files::files("tests/golden/fclib", ".hdf5"));
    let given = fs::read(file).expect("a file of the repository");
    let bytes = mutate::bytes(&mut case.draws, &given);
    case.write("problem.hdf5", &bytes);
    line(case, "import DIR/problem.hdf5 -o DIR/problem.json")
}

/// A robot with its meshes.
fn robot(case: &mut Case, end: &str, more: &[&str]) -> Verdict {
    let all = || files::files("tests/golden/models", end);
    let [given, other] = [(), ()].map(|()| files::text(&any(&mut case.draws, all())));
    let bytes = mutate::text(&mut case.draws, &given, &other);
    fs::create_dir_all(case.dir.join("models/meshes")).expect("a folder");
    case.write(&format!("models/robot{end}"), &bytes);
    for mesh in ["wedge.obj", "meshes/brick.stl"] {
        let given = fs::read(files::place("tests/golden/models").join(mesh)).expect("a mesh");
        let bytes =
            if case.draws.below(4) == 0 { mutate::bytes(&mut case.draws, &given) } else { given };
        case.write(&format!("models/{mesh}"), &bytes);
    }
    let more = case.any(more);
    let ended = line(case, &format!("import DIR/models/robot{end} -o DIR/robot.toml{more}"))?;
    if ended == Ended::Judged {
        // Whether something touches is another matter.
        line(case, "scenes DIR/robot.toml --json")?;
    }
    Ok(ended)
}

fn urdf(case: &mut Case) -> Verdict {
    let placed = " --floating --ground --friction 0.5";
    let set_down = " --floating --set-down --ground --friction 1";
    robot(case, ".urdf", &["", placed, set_down])
}

fn mjcf(case: &mut Case) -> Verdict {
    robot(case, ".xml", &["", " --set-down", " --friction 0.5"])
}

/// Makes a file of samples one without a checksum, which would give away every change.
pub fn unseal(bytes: &mut [u8]) {
    let mark = b"fnv1a128:";
    let at = bytes.windows(mark.len()).rposition(|window| window == mark);
    bytes[at.expect("a checksum")..][0] = b'x';
}

/// A file of samples, changed, and a question.
fn set(case: &mut Case, file: &str) -> Verdict {
    let seed = case.draws.below(4);
    let scene = case.any(&["rocking-block", "disk-stack", "cube-on-edge"]);
    let precision = case.any(&["f32", "f64"]);
    let how = format!("-n 40 --seed {seed} --device cpu --precision {precision} --out {file}");
    line(case, &format!("sample {scene} {how}"))?;
    let path = case.dir.join(&file["DIR/".len()..]);
    let mut given = fs::read(&path).expect("a file of samples");
    if case.draws.below(4) > 0 {
        unseal(&mut given);
    }
    let bytes = mutate::bytes(&mut case.draws, &given);
    fs::write(&path, bytes).expect("the folder of the case can be written");
    let questions =
        ["query FILE extents --json", "query FILE modes --json", "plot FILE -o DIR/plot.svg"];
    let question = case.any(&questions).replace("FILE", file);
    line(case, &question)
}

fn set_npz(case: &mut Case) -> Verdict {
    set(case, "DIR/set.npz")
}

fn set_parquet(case: &mut Case) -> Verdict {
    set(case, "DIR/set.parquet")
}

/// Command lines whose values and words are changed. None of them asks for a GPU or for a long run.
fn arguments(case: &mut Case) -> Verdict {
    let lines = [
        "sample rocking-block -n 16 --device cpu --seed 3 --precision f32 --process steps --step 0.1 --max-steps 20 --max-rejected 0.5 --json",
        "sample cube-on-edge -n 8 --device cpu --accuracy 1e-3 --restitution 0.5 --uncertainty mu=0.1..0.5,e=0..1,noise=0.01 --json",
        "sample disk-stack -n 8 --device cpu --sampler uniform:0.2,coverage:0.8 --velocity 1,2,3 --json",
        "sample newtons-cradle -n 8 --device cpu --law propagative --restitution 1 --first 100 --shard 1/3 --json",
        "resolve rocking-block --law plus --theta-max 0.1 --v-transition 0.1 --v-plastic 0.1 --v-capture 0.01 --json",
        "resolve newtons-cradle --law propagative --sequences minimal --max-length 5 --json",
        "resolve disk-stack --law sequential --start 1 --json",
        "resolve rocking-block --law compliant --stiffness 1e6 --damping 0.5 --json",
        "bound rocking-block --direction 1,0,0 --kind conic --device cpu -n 16 --json",
        "bound rocking-block --cost x^2+theta --kind exact --device cpu -n 16 --json",
        "query rocking-block -n 64 --device cpu worst --cost y+theta*2 --json",
        "query rocking-block -n 64 --device cpu contains --velocity 0,0,0 --eps 0.1 --json",
        "query rocking-block -n 64 --device cpu representatives --count 3 --json",
        "replay rocking-block --sample 3 --seed 1 --json",
        "set rocking-block --arithmetic doubles --json",
        "guarantee rocking-block --json",
        "scenes disk-stack --json",
        "simulate ellipsoid --steps 5 --json",
        "simulate rocking-zeno --steps 5 --branch 2 --json",
        "plot rocking-block -n 32 --device cpu --axes x,theta -o DIR/plot.svg",
    ];
    let mut words: Vec<String> =
        lines[case.draws.below(lines.len())].split(' ').map(str::to_string).collect();
    let other: Vec<&str> = lines[case.draws.below(lines.len())].split(' ').collect();
    for _ in 0..case.any(&[0, 1, 1, 1, 2]) {
        let at = 1 + case.draws.below(words.len() - 1);
        // What is kept: the number of samples, the device, the length of a run.
        if ["-n", "--device", "--steps"].contains(&words[at - 1].as_str())
            || words[at].starts_with("--d")
            || words[at] == "-n"
        {
            continue;
        }
        let text = if words[at].starts_with("--") && case.draws.below(2) == 0 {
            other[1 + case.draws.below(other.len() - 1)].to_string()
        } else {
            let other = "1e5 nan -1 inf .. 0..1 x theta 1,2 = max( ^";
            let text = mutate::text(&mut case.draws, &words[at], other);
            String::from_utf8_lossy(&text).into_owned()
        };
        words[at] = text.replace('\0', "0").replace('/', ".");
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    command(case, &words)
}

/// A random expression of `x` and `y`.
fn grown(draws: &mut Draws, depth: usize) -> String {
    let part = |draws: &mut Draws| grown(draws, depth - 1);
    match if depth == 0 { draws.below(3) } else { draws.below(10) } {
        0 => "x".to_string(),
        1 => "y".to_string(),
        2 => mutate::number(draws).to_string(),
        3..=6 => {
            let sign = ["+", "-", "*", "/", "^"][draws.below(5)];
            format!("({} {sign} {})", part(draws), part(draws))
        }
        7 => {
            format!("{}({}, {})", ["min", "max", "atan2"][draws.below(3)], part(draws), part(draws))
        }
        8 => format!("-{}", part(draws)),
        _ => {
            let name = ["sqrt", "abs", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log"]
                [draws.below(10)];
            format!("{name}({})", part(draws))
        }
    }
}

/// Values at points lie within the values on the intervals that hold them.
fn expression(case: &mut Case) -> Verdict {
    let draws = &mut case.draws;
    let depth = draws.below(6);
    let mut text = grown(draws, depth);
    if draws.below(2) == 0 {
        let other = grown(draws, 3);
        text = String::from_utf8_lossy(&mutate::text(draws, &text, &other)).into_owned();
    }
    case.told = text.clone();
    let Ok(expression) =
        Expression::read(&text, &|name| ["x", "y"].iter().position(|known| *known == name))
    else {
        return Ok(Ended::Refused);
    };
    let size = 10f64.powf(draws.uniform(-6.0, 6.0));
    let ranges = [(); 2].map(|()| {
        let (a, b) = (draws.uniform(-size, size), draws.uniform(-size, size));
        Interval { low: a.min(b), high: a.max(b) }
    });
    let range = expression.value(&ranges);
    let _ = expression.value(&ranges.map(ExpressionShape::name));
    for _ in 0..20 {
        let point =
            ranges.map(|range| draws.uniform(range.low, range.high).clamp(range.low, range.high));
        match (expression.value(&point), &range) {
            (Ok(value), Ok(range)) if !(range.low <= value && value <= range.high) => {
                return Err(format!("{value:e} at {point:?} is not in {range:?} over {ranges:?}"));
            }
            (Ok(value), _) if !value.is_finite() => {
                return Err(format!("the value at {point:?} is {value}"));
            }
            _ => {}
        }
    }
    Ok(Ended::Judged)
}
