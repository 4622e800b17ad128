/// A scene that comes with the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The name of the scene, such as `rocking-block`.
    pub name: &'static str,
    /// A description of the scene in one line.
    pub description: &'static str,
    /// The scene file.
    pub text: &'static str,
}

macro_rules! builtin {
    ($name:literal, $description:literal) => {
        builtin!("", $name, $description)
    };
    ($folder:literal, $name:literal, $description:literal) => {
        Builtin {
            name: $name,
            description: $description,
            text: include_str!(concat!("scenes/", $folder, $name, ".toml")),
        }
    };
}

/// The scenes that come with the library.
pub const BUILTIN: &[Builtin] = &[
    builtin!("rocking-block", "a slender block falls flat onto the floor"),
    builtin!("compass-gait", "a walker without knees sets down its leading foot"),
    builtin!("box-and-wall", "a box slides on one corner into a wall"),
    builtin!("ramone", "a robot with knees lands on its leading foot, without sliding friction"),
    builtin!("disk-stack", "a disk falls onto two others that lie on the floor"),
    builtin!("disk-stack-as-published", "the disk stack with the two slips of the published code"),
    builtin!("newtons-cradle", "a ball strikes two others that touch, all in a row"),
    builtin!("billiard-break", "a disk runs into two others at once"),
    builtin!("tailed-runner", "a robot with two legs and a tail lands on both feet"),
    builtin!("cube-on-edge", "a cube tossed onto a table lands on an edge"),
    builtin!("cube-on-face", "a cube tossed onto a table lands flat on a face"),
    builtin!(
        "icosahedron-tetrahedron",
        "the corner of a tetrahedron strikes the face of a truncated icosahedron"
    ),
    builtin!("pin-ball", "a bowling ball strikes a pin"),
    builtin!("quadruped-trot", "a four-legged robot sets down two feet across from each other"),
    builtin!("humanoid", "a humanoid lands on both feet, flat on eight corners"),
    builtin!("hand-on-box", "a hand with three fingers closes on a box that stands on a table"),
    builtin!("box-pile", "a box falls on two others that lie across two more: a pile of five"),
    builtin!("brick-on-vertex", "a brick strikes the ground with one corner"),
    builtin!("brick-flat", "a brick strikes the ground with four corners at once"),
    builtin!("ball-row", "a ball strikes four others that touch, all in a row"),
    builtin!(
        "triple-pendulum",
        "a pendulum of three rods with a sphere at its end strikes the ground"
    ),
];

/// The motions that come with the library: files for `carom simulate`, no contact problems.
pub const MOTIONS: &[Builtin] = &[
    builtin!("motions/", "ellipsoid", "an ellipsoid bounces on the ground"),
    builtin!("motions/", "ellipsoid-tilted", "an ellipsoid bounces down a slope of two degrees"),
    builtin!("motions/", "ellipsoid-union", "a body of two ellipsoids bounces on the ground"),
    builtin!("motions/", "cube", "a cube bounces on the ground"),
    builtin!(
        "motions/",
        "falling-block",
        "a block falls flat; its corners strike in an order that nobody knows"
    ),
    builtin!("motions/", "bouncing-rod", "a rod falls flat on the ground"),
    builtin!(
        "motions/",
        "cradle-pendulums",
        "three pendulums side by side, of which one strikes the others"
    ),
    builtin!(
        "motions/",
        "rocking-zeno",
        "a block rocks from corner to corner, infinitely often, and rests"
    ),
    builtin!(
        "motions/",
        "painleve-rod",
        "a sliding rod that no force keeps on the ground: an impact without collision"
    ),
    builtin!(
        "motions/",
        "swerving-ball",
        "a billiard ball with side spin slides along a curve, then rolls, and strikes a box"
    ),
    builtin!("motions/", "tossed-brick", "a brick is thrown on the ground and comes to rest"),
    builtin!(
        "motions/",
        "runner-lands",
        "a robot lands on both feet, in a stance where the order of impacts does not matter"
    ),
    builtin!(
        "motions/",
        "quadruped-lands",
        "a quadruped lands on two feet, then on four, and stands"
    ),
];

/// The scene or the motion of this name that comes with the library.
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().chain(MOTIONS).find(|scene| scene.name == name)
}
