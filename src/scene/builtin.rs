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

macro_rules! builtins {
    ($folder:literal $($name:literal: $description:literal,)*) => {
        &[$(Builtin {
            name: $name,
            description: $description,
            text: include_str!(concat!("scenes/", $folder, $name, ".toml")),
        }),*]
    };
}

/// The scenes that come with the library.
pub const BUILTIN: &[Builtin] = builtins! { ""
    "rocking-block": "a slender block falls flat onto the floor",
    "compass-gait": "a walker without knees sets down its leading foot",
    "box-and-wall": "a box slides on one corner into a wall",
    "ramone": "a robot with knees lands on its leading foot, without sliding friction",
    "disk-stack": "a disk falls onto two others that lie on the floor",
    "disk-stack-as-published": "the disk stack with the two slips of the published code",
    "newtons-cradle": "a ball strikes two others that touch, all in a row",
    "billiard-break": "a disk runs into two others at once",
    "tailed-runner": "a robot with two legs and a tail lands on both feet",
    "cube-on-edge": "a cube tossed onto a table lands on an edge",
    "cube-on-face": "a cube tossed onto a table lands flat on a face",
    "icosahedron-tetrahedron":
        "the corner of a tetrahedron strikes the face of a truncated icosahedron",
    "pin-ball": "a bowling ball strikes a pin",
    "quadruped-trot": "a four-legged robot sets down two feet across from each other",
    "humanoid": "a humanoid lands on both feet, flat on eight corners",
    "hand-on-box": "a hand with three fingers closes on a box that stands on a table",
    "box-pile": "a box falls on two others that lie across two more: a pile of five",
    "brick-on-vertex": "a brick strikes the ground with one corner",
    "brick-flat": "a brick strikes the ground with four corners at once",
    "ball-row": "a ball strikes four others that touch, all in a row",
    "triple-pendulum": "a pendulum of three rods with a sphere at its end strikes the ground",
};

/// The motions that come with the library: files for `carom simulate`, no contact problems.
pub const MOTIONS: &[Builtin] = builtins! { "motions/"
    "ellipsoid": "an ellipsoid bounces on the ground",
    "ellipsoid-tilted": "an ellipsoid bounces down a slope of two degrees",
    "ellipsoid-union": "a body of two ellipsoids bounces on the ground",
    "cube": "a cube bounces on the ground",
    "falling-block": "a block falls flat; its corners strike in an order that nobody knows",
    "bouncing-rod": "a rod falls flat on the ground",
    "cradle-pendulums": "three pendulums side by side, of which one strikes the others",
    "rocking-zeno": "a block rocks from corner to corner, infinitely often, and rests",
    "painleve-rod": "a sliding rod that no force keeps on the ground: an impact without collision",
    "swerving-ball":
        "a billiard ball with side spin slides along a curve, then rolls, and strikes a box",
    "tossed-brick": "a brick is thrown on the ground and comes to rest",
    "runner-lands":
        "a robot lands on both feet, in a stance where the order of impacts does not matter",
    "quadruped-lands": "a quadruped lands on two feet, then on four, and stands",
};

/// The scene or the motion of this name that comes with the library.
pub fn builtin(name: &str) -> Option<&'static Builtin> {
    BUILTIN.iter().chain(MOTIONS).find(|scene| scene.name == name)
}
