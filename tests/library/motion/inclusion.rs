//! The time-augmented inclusion against an independent computation, closed forms and balances.

use super::*;
use crate::support::compare::apart;

const GROUND: &str = "[[walls]]\nname = \"ground\"\nnormal = [0, 1]\n";

/// A motion under gravity 9.81 with the time step `h`.
fn motion(h: f64, rest: &str) -> InclusionMotion {
    let head = format!("integrator = \"inclusion\"\ngravity = 9.81\ntime_step = {h}\n");
    inclusion_motion(head + rest)
}

fn builtin(name: &str) -> InclusionMotion {
    inclusion_motion(scene::builtin(name).unwrap().text)
}

#[test]
fn the_rocking_block_comes_to_rest_when_the_reference_says() {
    let file = golden("zeno");
    let motion = builtin("rocking-zeno");
    let (found, seen) = included(&motion, 300);
    let cycles = file["half_cycles"].as_array().unwrap();
    for (k, (impact, cycle)) in found.impacts.iter().zip(cycles).enumerate() {
        let [time, arc] = ["cum_t", "cum_s"].map(|key| numbers(&file[key])[k]);
        assert!((impact.time - time).abs() < 1e-8, "{k}: {}", impact.time - time);
        assert!((impact.arc.unwrap() - arc).abs() < 1e-7, "{k}: {}", impact.arc.unwrap() - arc);
        // The reference has cycles about the left corner; the others are mirror images.
        let mirror = if k % 2 == 0 { [1.0, 1.0, 1.0] } else { [-1.0, 1.0, -1.0] };
        let q = vector(&impact.position);
        for (p, key) in [(&impact.before, "v_pre"), (&impact.after, "v_post")] {
            let p = vector(p);
            let v = motion.given().mechanism().velocity(&q, &p).unwrap();
            let expected = numbers(&cycle[key]);
            let expected: Vec<f64> =
                expected.iter().zip(mirror).map(|(x, sign)| x * sign).collect();
            assert!(apart(v.as_slice(), &expected) < 1e-7, "{k}, {key}: {v}");
        }
        let normal: f64 = impact.impulse[..impact.contacts.len()].iter().sum();
        assert!((normal - number(&cycle["impact_n"])).abs() < 1e-7, "{k}");
    }
    let [t_end, s_end, reduction] = ["t_end", "s_end", "reduction"].map(|key| number(&file[key]));
    let [limit] = found.augmented.as_ref().unwrap().accumulations[..] else {
        panic!("{:?}", found.augmented.as_ref().unwrap().accumulations)
    };
    assert!((limit.time - t_end).abs() < 1e-6 && (limit.arc - s_end).abs() < 1e-6, "{limit:?}");
    assert!((limit.ratio - reduction).abs() < 1e-3, "{limit:?}");
    // Stepped through: at rest both corners carry the weight, and s goes on as 1 + m g.
    let after: Vec<&Seen> = seen.iter().filter(|seen| seen.time > t_end + 0.01).collect();
    assert!(after.len() > 30);
    for state in after {
        let arc = s_end + (1.0 + 9.81) * (state.time - t_end);
        assert!((state.arc - arc).abs() < 1e-6, "{}: {:e}", state.time, state.arc - arc);
        assert!(apart(&state.v, &[0.0; 3]) < 1e-12 && state.q[2].abs() < 1e-9, "{:?}", state.v);
        assert!((state.q[1] - 1.0).abs() < 1e-9);
    }
}

/// \[HP23\] Sec. 4.3: between impacts the corner about which the block turns takes all of s that is
/// not time, and the corners take turns; at rest each carries half the weight. Throughout, the
/// impulses are what changes the vertical momentum against gravity.
#[test]
fn corners_share_s_with_time() {
    let motion = builtin("rocking-zeno");
    let (found, seen) = included(&motion, 300);
    let times: Vec<f64> = found.impacts.iter().map(|impact| impact.time).collect();
    let limit = found.augmented.as_ref().unwrap().accumulations[0].time;
    let mut pivots = Vec::new();
    for pair in seen.windows(2) {
        let [from, to] = [&pair[0], &pair[1]];
        let gained: Vec<f64> = to.normal.iter().zip(&from.normal).map(|(a, b)| a - b).collect();
        let lasts = to.time - from.time;
        assert!(gained.iter().all(|impulse| *impulse >= -1e-9), "{}: {gained:?}", to.time);
        let sum: f64 = gained.iter().sum();
        assert!((to.arc - from.arc - lasts - sum).abs() < 1e-9, "{}", to.time);
        // The mass is 1 kg.
        let lift = to.v[1] - from.v[1] + 9.81 * lasts;
        assert!((sum - lift).abs() < 1e-6, "{}: {sum} N s, {lift}", to.time);
        let cycle = times.iter().filter(|time| **time <= from.time).count();
        let pushed: Vec<usize> = (0..4).filter(|i| gained[*i] > 1e-9).collect();
        if from.time > limit {
            let halves = pushed.iter().all(|i| (gained[*i] - 0.5 * 9.81 * lasts).abs() < 1e-6);
            assert!(pushed.len() == 2 && halves, "{}: {gained:?}", to.time);
        } else if times.iter().filter(|time| **time <= to.time).count() == cycle {
            assert_eq!(pushed.len(), 1, "{}: {gained:?}", to.time);
            pivots.push((cycle, pushed[0]));
        }
    }
    pivots.dedup();
    assert!(pivots.len() > 6, "{pivots:?}");
    for pair in pivots.windows(2).filter(|pair| pair[1].0 == pair[0].0 + 1) {
        assert_ne!(pair[0].1, pair[1].1, "{pivots:?}");
    }
    assert!(pivots.iter().all(|(cycle, pivot)| cycle % 2 == 1 || *pivot == pivots[0].1));
}

#[test]
fn a_rod_that_no_force_can_keep_on_the_ground_stops_without_a_collision() {
    let motion = builtin("painleve-rod");
    let (found, seen) = included(&motion, 200);
    let first = &found.impacts[0];
    assert!(!first.collision && first.time == 0.0, "{first:?}");
    // One contact: friction slows it while the normal velocity falls; then it sticks.
    let (c, s, mu) = (0.5, 0.75_f64.sqrt(), 2.0);
    let [nn, nt, tt] = [1.0 + 3.0 * c * c, -3.0 * c * s, 1.0 + 3.0 * s * s];
    assert!(nn + mu * nt < 0.0, "the paradox");
    let sliding = 3.0 / (nt + mu * tt);
    let sinks = (nn + mu * nt) * sliding;
    let sticking = -sinks / (nn - nt * nt / tt);
    let normal = sliding + sticking;
    assert!((first.impulse[0] - normal).abs() < 1e-5 * normal, "{} {normal}", first.impulse[0]);
    assert!(found.impacts[1].collision && found.impacts.len() == 2);
    // Energy falls, and never rises but by what an approach of 2e-6 of the speed adds.
    for pair in seen.windows(2) {
        assert!(pair[1].energy <= pair[0].energy + 1e-5, "{}", pair[1].time);
    }
    let last = seen.last().unwrap();
    assert!(last.energy.abs() < 1e-6 && seen[0].energy - seen[1].energy > 1.0);
}

#[test]
fn with_little_friction_the_same_rod_slides_on() {
    let text = carom::scene::builtin("painleve-rod")
        .unwrap()
        .text
        .replace("friction = 2", "friction = 0.5");
    let (found, seen) = included(&inclusion_motion(text), 20);
    assert!(found.impacts.is_empty(), "{:?}", found.impacts);
    assert!(seen.iter().all(|seen| seen.v[0] < -1.0));
}

#[test]
fn a_ball_with_restitution_bounces_infinitely_often_and_slides_on() {
    let ball = "friction = 0\nrestitution = 0.5\n[[bodies]]\nname = \"ball\"\nmass = 2\nshapes = [{ disk = 0.1 }]\n\
        position = [0, 1.1]\nvelocity = [3, 0]\n";
    let (found, seen) = included(&motion(0.01, &format!("{ball}{GROUND}")), 200);
    let fall = (2.0 / 9.81_f64).sqrt();
    // The first fall, then flights of 2 e^k falls each: 1 + 2 (e + e^2 + ...) = 3.
    let [limit] = found.augmented.as_ref().unwrap().accumulations[..] else {
        panic!("{:?}", found.augmented.as_ref().unwrap().accumulations)
    };
    assert!((limit.time - 3.0 * fall).abs() < 1e-8, "{:e}", limit.time - 3.0 * fall);
    assert!((limit.ratio - 0.5).abs() < 1e-4);
    // s: the momentum balance, m g t + m (v_y+ - v_y-) with both velocities 0.
    let arc = (1.0 + 2.0 * 9.81) * limit.time;
    assert!((limit.arc - arc).abs() < 1e-6, "{:e}", limit.arc - arc);
    let last = seen.last().unwrap();
    assert!((last.q[0] - 6.0).abs() < 1e-12);
    assert!((last.q[1] - 0.1).abs() < 1e-9 && last.v[1].abs() < 1e-12);
}

/// A box on an incline of `angle`, with the velocity `speed` down the slope.
fn incline(angle: f64, mu: f64, speed: f64, h: f64) -> InclusionMotion {
    let (s, c) = angle.sin_cos();
    let along = [c, -s].map(|x| x * speed);
    motion(
        h,
        &format!(
            "friction = {mu}\n[[walls]]\nname = \"slope\"\nnormal = [{s}, {c}]\n[[bodies]]\nname = \"box\"\nmass = 3\n\
             shapes = [{{ box = [2, 1] }}]\nposition = [{}, {}]\nangle = {}\nvelocity = [{}, {}]\n",
            0.5 * s,
            0.5 * c,
            -angle,
            along[0],
            along[1]
        ),
    )
}

#[test]
fn a_box_on_a_slope_slides_stops_and_stays() {
    let (angle, g) = (0.2_f64, 9.81);
    let (s, c) = angle.sin_cos();
    let down = |seen: &Seen| seen.q[0] * c - seen.q[1] * s;
    // Friction below tan(angle): it speeds up.
    let (found, seen) = included(&incline(angle, 0.1, 0.0, 0.01), 100);
    assert!(found.impacts.is_empty());
    let gone = 0.5 * g * (s - 0.1 * c);
    assert!((down(&seen[100]) - gone).abs() < 1e-9, "{:e}", down(&seen[100]) - gone);
    // Above it: it stops, and stays.
    let (found, seen) = included(&incline(angle, 0.5, 1.0, 0.01), 100);
    assert!(found.impacts.is_empty());
    let slows = g * (0.5 * c - s);
    assert!((down(&seen[100]) - 0.5 / slows).abs() < 1e-9, "{:e}", down(&seen[100]) - 0.5 / slows);
    assert!(apart(&seen[100].v, &[0.0; 3]) < 1e-12);
    // All normal impulses hold its weight across the slope.
    let arc = 1.0 + 3.0 * g * c;
    assert!((seen[100].arc - arc).abs() < 1e-8, "{:e}", seen[100].arc - arc);
}

#[test]
fn a_disk_rolls_or_slips_down_a_slope() {
    let (angle, g) = (0.5_f64, 9.81);
    let (s, c) = angle.sin_cos();
    for (mu, acceleration) in [(0.5, g * s / 1.5), (0.1, g * (s - 0.1 * c))] {
        let text = format!(
            "friction = {mu}\n[[walls]]\nname = \"slope\"\nnormal = [{s}, {c}]\n[[bodies]]\nname = \"disk\"\nmass = 2\n\
             shapes = [{{ disk = 0.3 }}]\nposition = [{}, {}]\n",
            0.3 * s,
            0.3 * c
        );
        let (found, seen) = included(&motion(0.01, &text), 100);
        assert!(found.impacts.is_empty());
        let gone = (seen[100].q[0] - seen[0].q[0]) * c - (seen[100].q[1] - seen[0].q[1]) * s;
        assert!((gone - 0.5 * acceleration).abs() < 1e-9, "{mu}: {:e}", gone - 0.5 * acceleration);
    }
}

#[test]
fn a_box_on_a_sliding_plank_is_carried_along() {
    // Plank 4 kg on smooth ground at 2 m/s, box 1 kg on it at rest, friction 0.3 between them.
    let text = format!(
        "friction = 0\n[[pairs]]\nbetween = [\"plank\", \"box\"]\nfriction = 0.3\n{GROUND}\
         [[bodies]]\nname = \"plank\"\nmass = 4\nshapes = [{{ box = [10, 0.2] }}]\nposition = [0, 0.1]\nvelocity = [2, 0]\n\
         [[bodies]]\nname = \"box\"\nmass = 1\nshapes = [{{ box = [1, 1] }}]\nposition = [0, 0.7]\n"
    );
    let (found, seen) = included(&motion(0.01, &text), 100);
    assert!(found.impacts.is_empty(), "{:?}", found.impacts.first());
    let last = &seen[100];
    assert!((last.v[0] - 1.6).abs() < 1e-9 && (last.v[3] - 1.6).abs() < 1e-9, "{:?}", last.v);
    // Relative sliding 2 m/s ends after 2 / (mu g (1 + 1/4)).
    let ends = 2.0 / (0.3 * 9.81 * 1.25);
    let slipped = (last.q[0] - seen[0].q[0]) - (last.q[3] - seen[0].q[3]);
    assert!((slipped - ends).abs() < 1e-9, "{:e}", slipped - ends);
}

#[test]
fn sticking_contact_is_of_fourth_order_and_keeps_the_energy() {
    let end = |h: f64| {
        let text = carom::scene::builtin("rocking-zeno")
            .unwrap()
            .text
            .replace("time_step = 0.01", &format!("time_step = {h}"));
        let (found, seen) = included(&inclusion_motion(text), (0.8 / h).round() as u64);
        assert!(found.impacts.is_empty());
        let last = seen.into_iter().next_back().unwrap();
        (last.q, last.energy)
    };
    let (best, _) = end(0.8 / 512.0);
    let first = 9.81 + 0.5 * (1.25 + 0.4166666666666667);
    let errors = [16.0, 32.0].map(|n| {
        let (q, energy) = end(0.8 / n);
        println!("h = {}: position {:e}, energy {:e}", 0.8 / n, apart(&q, &best), energy - first);
        apart(&q, &best)
    });
    let order = (errors[0] / errors[1]).log2();
    assert!((3.7..4.5).contains(&order), "{order}");
    assert!((end(0.01).1 - first).abs() < 1e-8);
}

/// A box, a disk or a triangle that is thrown above the ground, near `x`.
fn thrown(draws: &mut Draws, name: &str, x: f64) -> String {
    let shape = match (draws.number() * 1.5 + 1.5) as u32 {
        0 => "box = [0.6, 0.4]",
        1 => "disk = 0.3",
        _ => "polygon = [[-0.3, -0.2], [0.4, -0.2], [0, 0.35]]",
    };
    let [y, angle, vx, vy, spin] = [0.5, 3.0, 1.0, 1.0, 4.0].map(|size| draws.number() * size);
    format!(
        "[[bodies]]\nname = \"{name}\"\nmass = {}\nshapes = [{{ {shape} }}]\nposition = [{x}, {}]\nangle = {angle}\n\
         velocity = [{vx}, {vy}]\nangular_velocity = {spin}\n",
        1.5 + draws.number(),
        1.2 + y
    )
}

#[test]
fn thrown_bodies_come_to_rest_without_overlap_or_new_energy() {
    for case in 0..cases(12, 200) {
        let mut draws = Draws::new(case);
        let mu = [0.0, 0.2, 0.7, 2.0][case as usize % 4];
        let bodies = thrown(&mut draws, "one", -0.5)
            + &if case % 3 == 2 { thrown(&mut draws, "two", 0.5) } else { String::new() };
        let text = format!(
            "friction = {mu}\n{GROUND}[[walls]]\nname = \"left\"\npoint = [-2, 0]\nnormal = [1, 0]\n{bodies}"
        );
        let motion = motion(0.01, &text);
        let mechanism = motion.given().mechanism();
        let started = std::time::Instant::now();
        let (found, seen) = included(&motion, 300);
        println!(
            "{case}: mu {mu}, {} impacts, {} accumulations, {:?}, {:?}",
            found.impacts.len(),
            found.augmented.as_ref().unwrap().accumulations.len(),
            found.ending,
            started.elapsed()
        );
        assert_eq!(found.ending.name(), "done", "{case}");
        let mut energy = f64::INFINITY;
        for state in &seen {
            let deepest = mechanism
                .gaps(&vector(&state.q), f64::INFINITY)
                .into_iter()
                .map(|(_, gap)| gap)
                .fold(f64::INFINITY, f64::min);
            assert!(deepest > -1e-9, "{case}, {} s: {deepest:e}", state.time);
            let rise = state.energy - energy;
            assert!(state.energy <= energy + 1e-5, "{case}, {} s: {rise:e}", state.time);
            energy = state.energy;
        }
    }
}

#[test]
fn a_stiff_spring_keeps_its_energy_and_period() {
    let (k, m) = (1e4_f64, 2.0);
    let text = format!(
        "friction = 0\n[[drives]]\ncoordinate = \"b.x\"\nstiffness = {k}\n{GROUND}[[bodies]]\nname = \"b\"\nmass = {m}\n\
         shapes = [{{ disk = 0.5 }}]\nposition = [1, 0.5]\n"
    );
    let (_, seen) = included(&motion(0.01, &text), 100);
    for state in &seen {
        let expected = ((k / m).sqrt() * state.time).cos();
        assert!((state.q[0] - expected).abs() < 1e-4, "{}: {} {expected}", state.time, state.q[0]);
        assert!((state.energy / seen[0].energy - 1.0).abs() < 1e-4, "{}", state.time);
    }
    let stiffer = text.replace("stiffness = 10000", "stiffness = 1e30");
    let error = motion(0.01, &stiffer).run(1, None, |_| Ok(())).unwrap_err();
    assert!(error.to_string().contains("too fast"), "{error}");
}

#[test]
fn a_tolerance_as_large_as_the_bodies_is_refused() {
    let text = "integrator = \"inclusion\"\ntime_step = 0.01\nfriction = 0\n[[bodies]]\nname = \"b\"\nmass = 1\n\
                shapes = [{ disk = 1e-7 }]\nposition = [0, 1e-6]\n";
    let document = Document::new("m.toml", text.to_string(), Format::Toml).unwrap();
    let error = document.motion().unwrap_err();
    assert!(error.to_string().contains("not small beside the bodies"), "{error}");
}

/// A disk slides over the edge of a box that slides on the ground, until the force between them is
/// 0: rounding of the gap is no reason to hold it. It was: ten thousand times at one moment.
#[test]
fn a_contact_whose_force_ends_is_let_go() {
    let motion = motion(
        0.01,
        "law = \"compliant\"\nfriction = 0.169375\n[[walls]]\nname = \"ground\"\nnormal = [0, 1]\n\
         [[walls]]\nname = \"side\"\nnormal = [-1, 0]\npoint = [2, 0]\n\
         [[bodies]]\nname = \"b\"\nmass = 1\nshapes = [{ box = [0.9206671399023727, 0.75032078766318389] }]\nposition = [0, 1.5]\n\
         velocity = [-0.84171400509774241, -0.45707073495631617]\nangle = 1.7105117555817539\nangular_velocity = 1.2754462059957268\n\
         [[bodies]]\nname = \"c\"\nmass = 0.5\nshapes = [{ disk = 0.3 }]\nposition = [-0.20000000000000001, 3.2000000000000002]\n\
         velocity = [0, -1]\n",
    );
    let (course, seen) = included(&motion, 150);
    assert_eq!((course.ending, course.steps), (MotionEnding::Done, 150));
    // Impacts and friction take energy, nothing gives it back.
    for pair in seen.windows(2) {
        let [before, after] = [pair[0].energy, pair[1].energy];
        assert!(after <= before + 1e-6, "{}: {before} {after}", pair[1].time);
    }
}

/// An end as `zeno` says where impacts accumulate; other events have another name.
#[test]
fn no_accumulation_is_claimed_without_its_limit() {
    let ball = "law = \"sequential\"\nfriction = 0\nrestitution = 0.9\nmax_impacts = 30\n\
        [[walls]]\nname = \"ground\"\nnormal = [0, 1]\n\
        [[bodies]]\nname = \"ball\"\nmass = 1\nshapes = [{ disk = 0.5 }]\nposition = [0, 1.5]\n";
    // The fall takes t = sqrt(2 h / g); the limit of impacts is at t (1 + e) / (1 - e).
    let (course, _) = included(&motion(10.0, ball), 1);
    assert_eq!(course.ending, MotionEnding::Zeno);
    let [limit] = course.augmented.unwrap().accumulations[..] else { panic!("no limit, or many") };
    assert!((limit.time - 19.0 * (2.0_f64 / 9.81).sqrt()).abs() < 1e-6, "{limit:?}");
    assert!((limit.ratio - 0.9).abs() < 1e-6, "{limit:?}");
    // Between two walls an elastic ball keeps its speed: no limit.
    let hit = "law = \"sequential\"\nfriction = 0\nrestitution = 1\nmax_impacts = 20\ngravity = 0\n\
        [[walls]]\nname = \"left\"\nnormal = [1, 0]\n[[walls]]\nname = \"right\"\nnormal = [-1, 0]\npoint = [2, 0]\n\
        [[bodies]]\nname = \"ball\"\nmass = 1\nshapes = [{ disk = 0.5 }]\nposition = [1, 0]\nvelocity = [100, 0]\n";
    let text = format!("integrator = \"inclusion\"\ntime_step = 1\n{hit}");
    let (course, _) = included(&inclusion_motion(text), 1);
    assert!(course.ending == MotionEnding::EventLimit, "{:?}", course.ending);
    assert!(course.impacts.len() >= 10, "{:?}", course.ending);
    assert!(course.augmented.unwrap().accumulations.is_empty());
}

/// A step that takes more work than allowed ends the motion as stalled, at the same place each
/// time; the motion until then is kept.
#[test]
fn much_work_in_a_step_stalls() {
    let whole = included(&builtin("rocking-zeno"), 300).0;
    let stalled = || {
        let motion = builtin("rocking-zeno").with_work(20_000_000);
        included(&motion, 300).0
    };
    let found = stalled();
    assert_eq!((found.ending, found.ending.name()), (MotionEnding::Stalled, "stalled"));
    let standing = found.standing.clone().unwrap();
    assert_eq!((standing.step, standing.impacts), (found.steps, found.impacts.len() as u64));
    assert!(found.steps > 0 && found.steps < 300, "{}", found.steps);
    assert!(standing.time >= found.time);
    let count = found.impacts.len();
    assert!(count > 0 && count < whole.impacts.len());
    assert!(found.impacts == whole.impacts[..count]);
    let again = stalled();
    assert_eq!((again.standing, again.state), (found.standing, found.state));
}
