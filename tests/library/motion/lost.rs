//! No impact of `midpoint` is lost: elastic bodies whose velocities after impacts are known, while
//! others rest. The judges are closed forms, energy and momentum.

use super::*;
use std::fmt::Write;

/// Radius of balls and disks, m.
const RADIUS: f64 = 0.03;

/// The setting of a motion: what must not matter.
#[derive(Clone, Copy, Debug)]
struct Setting {
    dimensions: usize,
    time_step: f64,
    tolerance: f64,
    /// Pairs of balls that rest on each other and on the floor, far away.
    resting: usize,
}

impl Setting {
    /// A vector with its first and its last entry.
    fn vector(self, along: f64, up: f64) -> String {
        if self.dimensions == 2 {
            format!("[{along}, {up}]")
        } else {
            format!("[{along}, 0, {up}]")
        }
    }

    fn ball(self, name: &str, position: [f64; 2], velocity: [f64; 2]) -> String {
        let shape = if self.dimensions == 2 { "disk" } else { "sphere" };
        format!(
            "[[bodies]]\nname = \"{name}\"\nmass = 1\nshapes = [{{ {shape} = {RADIUS} }}]\nposition = {}\nvelocity = {}\n",
            self.vector(position[0], position[1]),
            self.vector(velocity[0], velocity[1])
        )
    }

    fn wall(self, name: &str, normal: [f64; 2], at: f64) -> String {
        let [x, y] = normal;
        format!(
            "[[walls]]\nname = \"{name}\"\nnormal = {}\npoint = {}\n",
            self.vector(x, y),
            self.vector(-at * x, -at * y)
        )
    }

    /// The course of a motion without friction, elastic, on a floor, with balls that rest far away,
    /// two on each other; and how far the energy is from that at the start, J.
    fn run(self, gravity: f64, steps: u64, bodies: &str) -> (Course, f64) {
        let Setting { dimensions, time_step, tolerance, resting } = self;
        let mut text = format!(
            "integrator = \"midpoint\"\ndimensions = {dimensions}\nlaw = \"sequential\"\nfriction = 0\nrestitution = 1\n\
             gravity = {gravity}\ntime_step = {time_step}\ncontact = {{ tolerance = {tolerance} }}\n{}",
            self.wall("floor", [0.0, 1.0], 0.0)
        );
        for k in 0..resting {
            let x = -10.0 - k as f64;
            for (name, height) in [("low", RADIUS), ("high", 3.0 * RADIUS)] {
                text += &self.ball(&format!("{name}{k}"), [x, height], [0.0, 0.0]);
            }
        }
        let _ = write!(text, "{bodies}");
        let course = midpoint_motion(text).run(steps, None, |_| Ok(())).unwrap();
        assert_eq!((course.ending.name(), course.last.step), ("done", steps), "{self:?}");
        let energy = (course.last.energy - course.initial).abs();
        (course, energy)
    }

    /// The momentum of body `k` after those that rest, along and up.
    fn momentum(self, course: &Course, k: usize) -> [f64; 2] {
        let size = if self.dimensions == 2 { 3 } else { 6 };
        let at = size * (2 * self.resting + k);
        [course.last.momentum[at], course.last.momentum[at + self.dimensions - 1]]
    }
}

/// The time steps, tolerances and numbers of resting pairs that must not matter.
fn settings() -> Vec<Setting> {
    let mut all = Vec::new();
    for (time_step, tolerance) in
        [(1e-2, 1e-6), (1e-3, 1e-6), (1e-4, 1e-6), (1e-3, 1e-4), (1e-4, 1e-4), (1e-3, 1e-9)]
    {
        for (dimensions, resting) in [(2, 0), (2, 1), (2, 3), (3, 0), (3, 2)] {
            all.push(Setting { dimensions, time_step, tolerance, resting });
        }
    }
    all
}

/// Distances in steps: an impact at the end of a step, at dyadic parts of it, and at random.
fn distances(draws: &mut Draws, random: usize) -> Vec<f64> {
    let round = [3.0, 10.0, 5.5, 7.25, 4.125];
    let drawn: Vec<f64> = (0..random).map(|_| 7.0 + 4.0 * draws.number()).collect();
    round.into_iter().chain(drawn).collect()
}

/// Speeds in m/s, some slower than gravity's in two steps; others by setting.
fn speeds(setting: usize) -> impl Iterator<Item = f64> {
    [1.0, 0.01, 3.0, 0.2].into_iter().cycle().skip(setting).take(cases(2, 4))
}

/// Counts motions, their impacts, and those that their judge refuses.
#[derive(Default)]
struct Count {
    motions: usize,
    impacts: usize,
    lost: Vec<String>,
}

impl Count {
    fn judge(&mut self, course: &Course, right: bool, what: impl FnOnce() -> String) {
        self.motions += 1;
        self.impacts += course.impacts.len();
        if !right {
            self.lost.push(what());
        }
    }

    fn none_is_lost(self) {
        let Count { motions, lost, .. } = self;
        assert!(lost.is_empty(), "{} of {motions} lost, such as {}", lost.len(), lost[0]);
    }
}

/// A ball that rolls into a wall comes back as fast; two that roll into each other exchange their
/// velocities, and a row of three hands the velocity on.
#[test]
fn rolling_balls_bounce_and_exchange_velocities() {
    let (mut draws, mut count) = (Draws::new(60), Count::default());
    for (number, setting) in settings().into_iter().enumerate() {
        for speed in speeds(number) {
            for distance in distances(&mut draws, cases(2, 40)) {
                let way = distance * speed * setting.time_step;
                let steps = 16;
                let ball =
                    |name: &str, x: f64, speed: f64| setting.ball(name, [x, RADIUS], [speed, 0.0]);
                let wall = setting.wall("wall", [-1.0, 0.0], way + RADIUS);
                let (course, energy) =
                    setting.run(9.81, steps, &(wall + &ball("ball", 0.0, speed)));
                let [along, up] = setting.momentum(&course, 0);
                let right = |along: f64, up: f64, energy: f64| {
                    along.abs().max(up.abs()) < 1e-6 * speed && energy < 1e-6 * speed * speed
                };
                let what = || format!("wall: {setting:?}, {speed} m/s, {distance} steps: {along}");
                count.judge(&course, right(along + speed, up, energy), what);
                let other = 2.0 * RADIUS + way;
                let row = ball("a", 0.0, speed) + &ball("b", other, 0.0);
                let (course, energy) = setting.run(9.81, steps, &row);
                let [[a, up], [b, _]] = [0, 1].map(|k| setting.momentum(&course, k));
                let what = || format!("pair: {setting:?}, {speed} m/s, {distance} steps: {a}, {b}");
                count.judge(&course, right(a.abs().max((b - speed).abs()), up, energy), what);
                // The second and the third touch.
                let row = row + &ball("c", other + 2.0 * RADIUS, 0.0);
                let (course, energy) = setting.run(9.81, steps, &row);
                let [a, b, c] = [0, 1, 2].map(|k| setting.momentum(&course, k)[0]);
                let off = a.abs().max(b.abs()).max((c - speed).abs());
                let what =
                    || format!("row: {setting:?}, {speed} m/s, {distance} steps: {a}, {b}, {c}");
                count.judge(&course, right(off, 0.0, energy), what);
            }
        }
    }
    assert!(count.impacts >= 1000, "{}", count.impacts);
    count.none_is_lost();
}

/// A ball that drops onto a resting one of the same mass goes up again as fast: at any time after
/// the impact it is where a ball is that bounces off the lower one at rest.
#[test]
fn a_ball_bounces_off_a_resting_one() {
    let (mut draws, mut count) = (Draws::new(61), Count::default());
    for setting in settings() {
        for distance in distances(&mut draws, cases(3, 60)) {
            let steps = 24;
            let fall = distance * setting.time_step;
            let height = 0.5 * 9.81 * fall * fall;
            // A fall within the tolerance of contacts is none.
            if height < 100.0 * setting.tolerance {
                continue;
            }
            let bodies = setting.ball("low", [0.0, RADIUS], [0.0, 0.0])
                + &setting.ball("high", [0.0, 3.0 * RADIUS + height], [0.0, 0.0]);
            let (course, energy) = setting.run(9.81, steps, &bodies);
            let time = steps as f64 * setting.time_step;
            // The ball starts to fall again after every second fall.
            let phase = (time + fall).rem_euclid(2.0 * fall) - fall;
            let [low, high] = [0, 1].map(|k| setting.momentum(&course, k)[1]);
            let fast = 9.81 * fall;
            let early = (2.0 * 9.81 * setting.tolerance).sqrt();
            let turns = (phase.abs() - fall).abs() < 2.0 * early / 9.81 + 1e-9;
            let right = energy < 9.81 * 2e-6_f64.max(2.0 * setting.tolerance)
                && (turns
                    || (high + 9.81 * phase).abs().max(low.abs()) < 1e-6 * fast + 2.0 * early);
            let what =
                || format!("{setting:?}, {distance} steps: {low}, {high} for {}", -9.81 * phase);
            count.judge(&course, right, what);
        }
    }
    assert!(count.motions >= 100 && count.impacts >= 200, "{} {}", count.motions, count.impacts);
    count.none_is_lost();
}

/// A ball in a box of planes, without gravity, where another one rests against a plane: it keeps
/// its speed along each axis, also in corners, which it meets at the ends of steps.
#[test]
fn a_ball_in_a_box_keeps_its_speeds() {
    let (mut draws, mut count) = (Draws::new(62), Count::default());
    for (number, setting) in settings().into_iter().enumerate() {
        for speed in speeds(number) {
            for distance in distances(&mut draws, cases(2, 40)) {
                let free = distance * speed * setting.time_step;
                // Planes within the tolerance of a ball on both sides are one contact more.
                if free < 4.0 * setting.tolerance {
                    continue;
                }
                let side = 2.0 * RADIUS + free;
                let planes = setting.wall("left", [1.0, 0.0], 0.0)
                    + &setting.wall("right", [-1.0, 0.0], side)
                    + &setting.wall("top", [0.0, -1.0], side);
                // The resting balls lie outside.
                let outside = (0..setting.resting).flat_map(|k| {
                    let pair = move |plane: &str, ball: &str| {
                        format!(
                            "[[pairs]]\nbetween = [\"{plane}\", \"{ball}{k}\"]\ncollide = false\n"
                        )
                    };
                    ["left", "top"]
                        .into_iter()
                        .flat_map(move |plane| ["low", "high"].map(|ball| pair(plane, ball)))
                });
                let across = if distance < 5.0 { -speed } else { 0.5 * speed };
                let middle = RADIUS + 0.5 * free;
                let ball = setting.ball("ball", [middle, middle], [speed, across]);
                let bodies = planes + &outside.collect::<String>() + &ball;
                let (course, energy) = setting.run(0.0, 40, &bodies);
                let [along, up] = setting.momentum(&course, 0);
                let off = (along.abs() - speed).abs().max((up.abs() - across.abs()).abs());
                let right = off < 1e-9 * speed && energy < 1e-9 * speed * speed;
                let what = || format!("{setting:?}, {speed} m/s, {distance} steps: {along}, {up}");
                count.judge(&course, right, what);
            }
        }
    }
    assert!(count.impacts >= 1000, "{}", count.impacts);
    count.none_is_lost();
}
