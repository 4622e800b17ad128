//! Poses that are drawn, against bodies that are built so.

use crate::prelude::*;
use carom::model::{Body, HalfPlane, Joint, Motion, Planar, Shape, TangentRule, Vector};
use carom_core::problem::{ContactPoint, Place, Points};

fn planar(places: &[[f64; 2]], slope: f64) -> ProblemSpec {
    leaning(places, slope, 0.2, [0.3, -1.0, 0.4])
}

/// The row of direction `d` of a point at `r` from the mass centre of a free body in space.
fn row(d: Vector3<f64>, r: Vector3<f64>) -> Vec<f64> {
    body_row(r.into(), d.into())
}

/// A body in space with contacts at `places`, all with the frame `(n, t1, t2)`.
fn spatial(places: &[Vector3<f64>], [n, s, t]: [Vector3<f64>; 3]) -> ProblemSpec {
    let normal = places.iter().map(|r| row(n, *r));
    let tangent = places.iter().flat_map(|r| [row(s, *r), row(t, *r)]);
    let (mass, velocity) = ([2.0, 2.0, 2.0, 0.01, 0.02, 0.03], [0.3, 0.1, -1.0, 0.4, 1.0, -0.7]);
    rough(&mass, normal, tangent, vec![0.3; places.len()], velocity)
}

const FLAT: [Vector3<f64>; 3] =
    [Vector3::new(0.0, 0.0, 1.0), Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 1.0, 0.0)];

fn with(spec: ProblemSpec, uncertainty: Uncertainty) -> ContactProblem {
    problem(ProblemSpec { uncertainty, ..spec })
}

/// The Jacobians of the first `count` samples.
fn jacobians(problem: &ContactProblem, count: u64) -> Vec<DMatrix<f64>> {
    (0..count).map(|i| problem.posed(5, i).unwrap().jacobian).collect()
}

fn none() -> Uncertainty {
    Uncertainty::default()
}

#[test]
fn inset_and_slope_are_those_of_bodies_that_are_built_so() {
    let mut rng = Draws::of(1, 0);
    for _ in 0..40 {
        let places: Vec<Vector3<f64>> = (0..3)
            .map(|_| Vector3::new(rng.uniform(-1.0, 1.0), rng.uniform(-1.0, 1.0), -0.4))
            .collect();
        let (length, a, b) =
            (rng.uniform(0.01, 0.3), rng.uniform(-0.4, 0.4), rng.uniform(-0.4, 0.4));
        // In space the frame turns about the axis n x (a t1 + b t2), by the length of (a, b).
        let axis = Vector3::z().cross(&Vector3::new(a, b, 0.0));
        let turn = nalgebra::Rotation3::from_scaled_axis(axis);
        let frame = FLAT.map(|d| turn * d);
        let moved = |r: &Vector3<f64>| {
            let across = r - frame[0] * frame[0].dot(r);
            r - across * (length.min(across.norm()) / across.norm())
        };
        let built: Vec<_> = places.iter().map(moved).collect();
        let uncertainty = Uncertainty { inset: [length; 2], slope: vec![[a; 2], [b; 2]], ..none() };
        let posed = with(spatial(&places, FLAT), uncertainty).posed(3, 7).unwrap();
        let expected = problem(spatial(&built, frame));
        assert!((&posed.jacobian - expected.jacobian()).amax() < 1e-14);
        assert_eq!(posed.first.jacobian(), &posed.jacobian);
        assert!(posed.all.is_none() && posed.order == [0, 1, 2]);
        // In the plane.
        let flat: Vec<[f64; 2]> = places.iter().map(|r| [r.x, r.y]).collect();
        let (sin, cos) = a.sin_cos();
        let moved = |r: &[f64; 2]| {
            let along = r[0] * cos - r[1] * sin;
            let by = along.signum() * length.min(along.abs());
            [r[0] - by * cos, r[1] + by * sin]
        };
        let built: Vec<_> = flat.iter().map(moved).collect();
        let uncertainty = Uncertainty { inset: [length; 2], slope: vec![[a; 2]], ..none() };
        let posed = with(planar(&flat, 0.0), uncertainty).posed(3, 7).unwrap();
        let expected = problem(planar(&built, a));
        assert!((posed.jacobian - expected.jacobian()).amax() < 1e-14);
    }
}

/// Mean and variance.
fn moments(values: &[f64]) -> [f64; 2] {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    [mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n]
}

const DRAWS: u64 = 10_000;

/// Five standard errors of the mean and of the variance of normal numbers, over `sigma`.
fn assert_normal(values: &[f64], sigma: f64, what: &str) {
    let [mean, variance] = moments(values);
    let n = values.len() as f64;
    assert!(mean.abs() < 5.0 * sigma / n.sqrt(), "{what}: mean {mean}");
    let off = variance / (sigma * sigma) - 1.0;
    assert!(off.abs() < 5.0 * (2.0 / n).sqrt(), "{what}: variance {off}");
    let beyond = values.iter().filter(|x| x.abs() > 2.0 * sigma).count() as f64 / n;
    assert!((beyond - 0.0455).abs() < 5.0 * (0.0455 / n).sqrt(), "{what}: tails {beyond}");
}

/// Two sets of draws are not correlated.
fn assert_apart(a: &[f64], b: &[f64], what: &str) {
    let ([ma, va], [mb, vb]) = (moments(a), moments(b));
    let both: f64 = a.iter().zip(b).map(|(a, b)| (a - ma) * (b - mb)).sum();
    let correlation = both / a.len() as f64 / (va * vb).sqrt();
    assert!(correlation.abs() < 5.0 / (a.len() as f64).sqrt(), "{what}: {correlation}");
}

#[test]
fn shifts_are_normal_and_each_contact_has_its_own() {
    let places = [Vector3::new(0.5, 0.2, -0.4), Vector3::new(-0.3, 0.6, -0.4)];
    let problem = with(spatial(&places, FLAT), Uncertainty { shift: 0.01, ..none() });
    let all = jacobians(&problem, DRAWS);
    // The normal's moments are (y, -x, 0).
    let of = |i: usize, k: usize, sign: f64, at: f64| -> Vec<f64> {
        all.iter().map(|j| sign * j[(i, 3 + k)] - at).collect()
    };
    let shifts =
        [of(0, 1, -1.0, 0.5), of(0, 0, 1.0, 0.2), of(1, 1, -1.0, -0.3), of(1, 0, 1.0, 0.6)];
    for (i, a) in shifts.iter().enumerate() {
        assert_normal(a, 0.01, "shift");
        shifts[..i].iter().for_each(|b| assert_apart(a, b, "shifts"));
    }
    // What moves is the point: the other rows have it too, and height and directions stay.
    for j in &all[..50] {
        let r = Vector3::new(-j[(0, 4)], j[(0, 3)], -0.4);
        for (at, d) in [(0, 0), (2, 1), (3, 2)] {
            let expected = row(FLAT[d], r);
            assert!((0..6).all(|k| (j[(at, k)] - expected[k]).abs() < 1e-14));
        }
    }
}

#[test]
fn attitudes_are_normal_and_turn_a_body_as_a_whole() {
    let sigma = 1e-3;
    let places = [Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 1.0, 0.0)];
    let mut spec = spatial(&places, FLAT);
    spec.gap = Some(vec![0.0, 0.0]);
    let uncertainty = Uncertainty { attitude: sigma, gap: Some(0.0), ..none() };
    let problem = with(spec, uncertainty);
    let mut angles = [const { Vec::new() }; 3];
    for i in 0..DRAWS {
        let posed = problem.posed(9, i).unwrap();
        let j = &posed.jacobian;
        // The normal's moments are (y, -x, 0), those of the first tangent (0, z, -y).
        let arm = |c: usize| Vector3::new(-j[(c, 4)], j[(c, 3)], j[(2 + 2 * c, 4)]);
        let [a, b] = [arm(0), arm(1)];
        assert!((a.norm() - 1.0).abs() < 1e-14 && (b.norm() - 1.0).abs() < 1e-14);
        assert!(a.dot(&b).abs() < 1e-14);
        angles[0].push(b.z);
        angles[1].push(-a.z);
        angles[2].push(a.y);
        // Without room, only the lower one takes part.
        let lower = usize::from(b.z < a.z);
        assert_eq!(posed.order, [lower]);
        assert_eq!(posed.first.contact_count(), 1);
        assert_eq!(posed.first.jacobian().row(0), j.row(lower));
    }
    for (i, a) in angles.iter().enumerate() {
        assert_normal(a, sigma, "attitude");
        angles[..i].iter().for_each(|b| assert_apart(a, b, "angles"));
    }
    // In the plane.
    let problem =
        with(planar(&[[0.5, -0.3], [-0.5, -0.3]], 0.0), Uncertainty { attitude: 0.02, ..none() });
    let angles: Vec<f64> = jacobians(&problem, DRAWS)
        .iter()
        .map(|j| {
            let angle = |c: usize, x: f64| {
                let turn = (-j[(2 + c, 2)]).atan2(j[(c, 2)]) - (-0.3_f64).atan2(x);
                turn - std::f64::consts::TAU * (turn / std::f64::consts::TAU).round()
            };
            assert!((angle(0, 0.5) - angle(1, -0.5)).abs() < 1e-14);
            angle(0, 0.5)
        })
        .collect();
    assert_normal(&angles, 0.02, "attitude in the plane");
}

#[test]
fn all_contacts_of_a_sample_share_inset_and_slope() {
    let uncertainty = Uncertainty { inset: [0.1, 0.3], slope: vec![[-0.2, 0.1]], ..none() };
    let problem = with(planar(&[[0.5, -0.3], [-0.5, -0.3]], 0.0), uncertainty);
    let (mut insets, mut slopes) = (Vec::new(), Vec::new());
    for j in jacobians(&problem, DRAWS) {
        let slope = j[(0, 0)].atan2(j[(0, 1)]);
        assert!((j[(1, 0)].atan2(j[(1, 1)]) - slope).abs() < 1e-14);
        let (sin, cos) = slope.sin_cos();
        // The moment of the normal is the place along the tangent.
        insets.push(0.5 * cos + 0.3 * sin - j[(0, 2)]);
        assert!((-0.5 * cos + 0.3 * sin - j[(1, 2)] + insets[insets.len() - 1]).abs() < 1e-14);
        slopes.push(slope);
    }
    for (values, [low, high]) in [(&insets, [0.1, 0.3]), (&slopes, [-0.2, 0.1])] {
        let ([mean, variance], width) = (moments(values), high - low);
        let n = DRAWS as f64;
        assert!((mean - 0.5 * (low + high)).abs() < 5.0 * width / (12.0 * n).sqrt());
        assert!((variance * 12.0 / (width * width) - 1.0).abs() < 5.0 * (0.8 / n).sqrt());
        assert!(values.iter().all(|x| (low - 1e-12..=high + 1e-12).contains(x)));
    }
    assert_apart(&insets, &slopes, "inset and slope");
}

/// Where two points of a body strike a floor together they lie inside by the length of `edge`, as
/// in a body that is built so; a point that strikes alone stays.
#[test]
fn an_edge_lies_inside_and_a_corner_stays() {
    let posed = |spec: ProblemSpec, uncertainty: Uncertainty| {
        with(spec, Uncertainty { edge: [0.1; 2], ..uncertainty }).posed(3, 7).unwrap()
    };
    let rows = |places: &[[f64; 2]]| problem(planar(places, 0.0));
    let corners = [[0.5, -0.3], [-0.4, -0.3]];
    let inside = rows(&[[0.4, -0.3], [-0.3, -0.3]]);
    let both = posed(planar(&corners, 0.0), none());
    assert!((both.first.jacobian() - inside.jacobian()).amax() < 1e-14);
    for corner in corners {
        let alone = posed(planar(&[corner], 0.0), none());
        assert_eq!(alone.first.jacobian(), rows(&[corner]).jacobian());
    }
    // The second corner closes late: the first impact is that of a corner, the second of an edge.
    let gap = ProblemSpec { gap: Some(vec![0.0, 0.02]), ..planar(&corners, 0.0) };
    let late = posed(gap, Uncertainty { gap: Some(0.01), late: Some(0.03), ..none() });
    assert_eq!(late.first.jacobian(), rows(&corners[..1]).jacobian());
    assert!((late.all.unwrap().jacobian() - inside.jacobian()).amax() < 1e-14);
    // On top of the inset of all points, and no farther than below the mass centre.
    let more = posed(planar(&corners, 0.0), Uncertainty { inset: [0.35; 2], ..none() });
    let expected = rows(&[[0.05, -0.3], [0.0, -0.3]]);
    assert!((more.first.jacobian() - expected.jacobian()).amax() < 1e-14);
    // One point twice is no edge; neither are a floor and a wall, with a corner at each.
    let twice = [corners[0], corners[0]];
    let posed_twice = posed(planar(&twice, 0.0), none());
    assert_eq!(posed_twice.first.jacobian(), rows(&twice).jacobian());
    let mut nook = planar(&corners, 0.0);
    nook.normal[1] = vec![1.0, 0.0, 0.3];
    nook.tangent[1] = vec![0.0, -1.0, 0.4];
    let plain = problem(nook.clone());
    assert_eq!(posed(nook, none()).first.jacobian(), plain.jacobian());
    // In space.
    let face = [Vector3::new(0.4, 0.3, -0.2), Vector3::new(-0.4, 0.3, -0.2)];
    let uncertainty = Uncertainty { edge: [0.1; 2], ..none() };
    let inside = face.map(|r| r - Vector3::new(r.x, r.y, 0.0) * 0.2);
    let spatially = with(spatial(&face, FLAT), uncertainty).posed(3, 7).unwrap();
    let expected = problem(spatial(&inside, FLAT));
    assert!((spatially.first.jacobian() - expected.jacobian()).amax() < 1e-14);
}

/// Two hinged rods above a floor, and a box that lies against one of them.
fn mechanism() -> (Planar, Motion) {
    let rod = |name: &str| {
        let shape = Shape::polygon(vec![
            Vector::new(0.0, -0.05),
            Vector::new(1.0, -0.05),
            Vector::new(1.0, 0.05),
            Vector::new(0.0, 0.05),
        ]);
        Body::uniform(name, 1.0, shape.unwrap())
    };
    let hinge = Joint::Revolute { absolute: false };
    let upper = rod("upper").on(None, Vector::new(0.0, 1.2), hinge);
    let lower = rod("lower").on(Some(0), Vector::new(1.0, 0.0), hinge);
    let ball = Body::uniform("ball", 0.5, Shape::disk(Vector::zeros(), 0.2).unwrap());
    let floor = HalfPlane { name: "floor".into(), point: Vector::zeros(), normal: Vector::y() };
    let model = Planar::new(vec![upper, lower, ball], vec![floor]).unwrap();
    let motion = Motion {
        position: vec![-0.3, -0.8, 1.3, 0.2, 0.1],
        velocity: vec![0.1, -0.4, 0.2, -0.3, 0.5],
    };
    (model, motion)
}

#[test]
fn contact_points_of_mechanisms_move_on_both_bodies() {
    let (model, motion) = mechanism();
    let poses = model.poses(&motion.position);
    let contacts = model.contacts(&poses, 0.3).unwrap();
    assert!(contacts.iter().any(|c| matches!(c.first, carom::model::Surface::Body(_))));
    let rule = TangentRule::Perpendicular;
    let mut spec = model.impact(&motion, &contacts, vec![0.3; contacts.len()], rule);
    let gaps: Vec<f64> = contacts.iter().map(|contact| contact.touch.gap).collect();
    assert_eq!(spec.gap, Some(gaps));
    // One inset for all: the same contacts, each a little towards the mass centre.
    spec.uncertainty.inset = [0.03; 2];
    let mut moved = contacts.clone();
    for contact in &mut moved {
        let body = &model.bodies()[contact.second];
        let along = Vector::new(contact.touch.normal.y, -contact.touch.normal.x);
        let arm = contact.touch.point - poses[contact.second].point(body.center_of_mass);
        let away = arm.dot(&along);
        contact.touch.point -= along * (away.signum() * away.abs().min(0.03));
    }
    let posed = problem(spec.clone()).posed(0, 0).unwrap();
    let m = contacts.len();
    let expected = [model.normal_rows(&poses, &moved), model.tangent_rows(&poses, &moved, rule)];
    assert!((posed.jacobian.rows(0, m) - &expected[0]).amax() < 1e-14);
    assert!((posed.jacobian.rows(m, m) - &expected[1]).amax() < 1e-14);
    assert!((posed.jacobian - problem(spec).jacobian()).amax() > 1e-3);
}

#[test]
fn attitudes_turn_both_bodies_about_their_mass_centres() {
    let (model, motion) = mechanism();
    let poses = model.poses(&motion.position);
    let contacts = model.contacts(&poses, 0.3).unwrap();
    let rule = TangentRule::Perpendicular;
    let mut spec = model.impact(&motion, &contacts, vec![0.3; contacts.len()], rule);
    let pair = contacts.iter().position(|c| matches!(c.first, carom::model::Surface::Body(_)));
    let pair = pair.unwrap();
    spec.uncertainty.attitude = 0.05;
    let posed = problem(spec.clone()).posed(0, 0).unwrap();
    // The ball turns by itself: its part of the row tells the angle, and how its arm turned.
    let points = spec.points.clone().unwrap();
    let contact = &points.contacts[pair];
    let ball = &contact.second;
    let theta = 4;
    let arm = Vector::new(ball.arm[0], ball.arm[1]);
    let (n, t) = (
        Vector::new(contact.normal[0], contact.normal[1]),
        Vector::new(contact.tangent[0][0], contact.tangent[0][1]),
    );
    let moments = [posed.jacobian[(pair, theta)], posed.jacobian[(contacts.len() + pair, theta)]];
    // c = r x d: with d = n and t = (n_y, -n_x) these are the place along t and minus that along n.
    let turned = t * moments[0] - n * moments[1];
    assert!((turned.norm() - arm.norm()).abs() < 1e-14);
    assert!((turned - arm).norm() > 1e-4);
    // Position columns stay; hinge columns change by a displacement times the rod's spin.
    let before = problem(spec);
    let change = posed.jacobian.row(pair) - before.jacobian().row(pair);
    assert!(change[2].abs() < 1e-15 && change[3].abs() < 1e-15);
    let rod = contact.first.as_ref().unwrap().body;
    let spins = &points.turn[rod][0];
    let ratio = change[0] / spins[0];
    assert!(ratio.abs() > 1e-6);
    assert!((0..2).all(|k| (change[k] - ratio * spins[k]).abs() < 1e-14), "{change}");
}

#[test]
fn points_of_a_file_are_those_of_a_free_body() {
    let places = [[0.5, -0.3], [-0.4, -0.2]];
    let place = |r: &[f64; 2]| ContactPoint {
        normal: vec![0.0, 1.0],
        tangent: vec![vec![1.0, 0.0]],
        first: None,
        second: Place { body: 0, arm: r.to_vec() },
    };
    let points = Points {
        turn: vec![vec![vec![0.0, 0.0, 1.0]]],
        contacts: places.iter().map(place).collect(),
    };
    let uncertainty = "inset=0..0.1,shift=0.01,attitude=0.02,slope=-0.1..0.1".parse().unwrap();
    let known = with(planar(&places, 0.0), uncertainty);
    let spec = ProblemSpec { points: Some(points), ..known.spec().clone() };
    let text = serde_json::to_string(&spec).unwrap();
    let given = scene::parse("p.json", &text, Format::Json).unwrap();
    assert_eq!(given.spec(), &spec);
    for i in 0..20 {
        let [a, b] = [&known, &given].map(|problem| problem.posed(4, i).unwrap().jacobian);
        assert!((a - b).amax() < 1e-15);
    }
}

#[test]
fn gaps_decide_which_contacts_take_part() {
    let places = [[-0.5, -0.3], [0.0, -0.3], [0.5, -0.3], [0.7, -0.3]];
    let mut spec = planar(&places, 0.0);
    spec.gap = Some(vec![0.004, -0.001, 0.0005, 0.01]);
    spec.contacts = Some(["a", "b", "c", "d"].map(String::from).to_vec());
    spec.friction = Some(vec![0.1, 0.2, 0.3, 0.4]);
    let parts = |gap: f64, late: Option<f64>| {
        let uncertainty = Uncertainty {
            gap: Some(gap),
            late,
            restitution: vec![[0.0, 0.1], [0.0, 0.2], [0.0, 0.3], [0.0, 0.4]],
            noise: 0.01,
            ..none()
        };
        with(spec.clone(), uncertainty).posed(0, 0).unwrap()
    };
    let near = parts(0.0, None);
    assert_eq!((near.order.clone(), near.first.contacts()), (vec![1], &["b".to_string()][..]));
    assert!(near.all.is_none());
    assert_eq!(near.first.friction(), [0.2]);
    assert_eq!(near.first.uncertainty().restitution, [[0.0, 0.2]]);
    assert!(!near.first.uncertainty().poses() && near.first.uncertainty().noise == 0.01);
    assert_eq!(near.jacobian.nrows(), 8);
    let late = parts(0.002, Some(0.0051));
    assert_eq!(late.order, [1, 2, 0]);
    assert_eq!(late.first.contacts(), ["b", "c"]);
    let all = late.all.unwrap();
    assert_eq!(all.contacts(), &["b", "c", "a"].map(String::from)[..]);
    assert_eq!(all.friction(), &[0.2, 0.3, 0.1][..]);
    assert_eq!(all.uncertainty().noise, 0.0);
    assert_eq!(all.uncertainty().restitution, [[0.0, 0.2], [0.0, 0.3], [0.0, 0.1]]);
    assert_eq!(parts(0.011, Some(1.0)).order, [0, 1, 2, 3]);
}

#[test]
fn the_words_are_read_and_a_table_as_well() {
    let words = "mu=0.1..0.2,gap=1e-3,late=2e-3,inset=0..0.005,edge=0.01..0.02,shift=1e-3,attitude=0.01,slope=-0.02..0.03";
    let read: Uncertainty = words.parse().unwrap();
    let expected = Uncertainty {
        friction: vec![[0.1, 0.2]],
        gap: Some(1e-3),
        late: Some(2e-3),
        inset: [0.0, 0.005],
        edge: [0.01, 0.02],
        shift: 1e-3,
        attitude: 0.01,
        slope: vec![[-0.02, 0.03]],
        ..none()
    };
    assert_eq!(read, expected);
    assert!(read.poses() && read.draws_numbers() && !read.has_one_pose());
    assert!(!read.of_numbers().poses());
    let one: Uncertainty = "inset=0.01,slope=-0.1".parse().unwrap();
    assert!(one.poses() && one.has_one_pose() && !one.draws_numbers() && !one.is_none());
    let text = "[uncertainty]\nfriction = [0.1, 0.2]\ngap = 1e-3\nlate = 2e-3\ninset = [0, 0.005]\nedge = [0.01, 0.02]\nshift = 1e-3\n\
                attitude = 0.01\nslope = [[-0.02, 0.03], [0.0, 0.01]]\n";
    let edge = load("cube-on-edge");
    let file = serde_json::json!({ "mass": edge.spec().mass, "normal": edge.spec().normal, "tangent": edge.spec().tangent,
        "velocity": edge.spec().velocity, "gap": [0, 0], "friction": 0.3 });
    let text = format!("{}\n{text}", toml::to_string(&file).unwrap());
    let problem = scene::parse("p.toml", &text, Format::Toml).unwrap();
    let slope = vec![[-0.02, 0.03], [0.0, 0.01]];
    assert_eq!(problem.uncertainty(), &Uncertainty { slope, ..expected });
    let all = "gap=-1 inset=0.2..0.1 inset=-0.1..0.1 edge=0.2..0.1 slope=0.2..0.1 shift=nan turn=1 gap=0..1";
    for wrong in all.split(' ') {
        let error = wrong.parse::<Uncertainty>().unwrap_err();
        assert!(error.kind == ErrorKind::Usage, "{wrong}: {error}");
        assert!(error.what.contains("expected"), "{wrong}: {error}");
    }
}

#[test]
fn poses_that_cannot_be_are_refused() {
    type Change = fn(&mut ProblemSpec);
    let smooth: Change = |s| {
        (s.tangent, s.friction) = (Vec::new(), None);
        s.uncertainty.slope = vec![[0.0, 0.1]];
    };
    let coupled_inset: Change = |s| {
        (s.mass[0][2], s.mass[2][0]) = (0.1, 0.1);
        s.uncertainty.inset = [0.0, 0.1];
    };
    let coupled_edge: Change = |s| {
        (s.mass[0][2], s.mass[2][0]) = (0.1, 0.1);
        s.uncertainty.edge = [0.0, 0.1];
    };
    let cases: &[(Change, &str, &str)] = &[
        (|s| s.uncertainty.gap = Some(0.1), "uncertainty.gap", "not known"),
        (|s| s.gap = Some(vec![0.0]), "gap", "1 entries for 2"),
        (|s| s.gap = Some(vec![0.0, f64::NAN]), "gap[1]", "finite"),
        (|s| s.uncertainty.gap = Some(-0.1), "uncertainty.gap", ">= 0"),
        (|s| s.uncertainty.late = Some(0.1), "uncertainty.late", "without"),
        (|s| s.uncertainty.shift = f64::INFINITY, "uncertainty.shift", "finite"),
        (|s| s.uncertainty.attitude = -0.1, "uncertainty.attitude", ">= 0"),
        (|s| s.uncertainty.inset = [0.2, 0.1], "uncertainty.inset[0]", "A <= B"),
        (|s| s.uncertainty.edge = [-0.2, 0.1], "uncertainty.edge[0]", "A <= B"),
        (|s| s.uncertainty.slope = vec![[0.0, 1.6]], "uncertainty.slope[0]", "1.5"),
        (|s| s.uncertainty.slope = vec![[0.0, 0.1]; 2], "uncertainty.slope", "2 ranges"),
        (smooth, "uncertainty.slope", "0 tangents"),
        (coupled_inset, "uncertainty.inset", "contact points are not known"),
        (coupled_edge, "uncertainty.edge", "contact points are not known"),
    ];
    for (change, at, what) in cases {
        let mut spec = planar(&[[0.5, -0.3], [-0.5, -0.3]], 0.0);
        change(&mut spec);
        let error = ContactProblem::new(spec).unwrap_err();
        assert_eq!(error.at.as_deref(), Some(*at), "{error}");
        assert!(error.what.contains(what), "{error}");
    }
    let published = load("disk-stack-as-published");
    let uncertainty = Uncertainty { slope: vec![[0.0, 0.1]], ..none() };
    let error = published.with_numbers(None, uncertainty).unwrap_err();
    assert!(error.what.contains("not perpendicular"), "{error}");
}
