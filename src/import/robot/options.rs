/// Options of the caller for the import of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Positions of joints with one coordinate, by name, in rad or m; `*` in a name stands for any
    /// text.
    pub joints: Vec<(String, f64)>,
    /// Rates of joints by name, in rad/s or m/s, with `*` as above. For the first floating body:
    /// `x`, `y`, `z`, the velocity of its frame's origin in the world, and `roll`, `pitch`, `yaw`,
    /// the angular velocity along its axes.
    pub velocity: Vec<(String, f64)>,
    /// The pose of the first floating body by name: `x`, `y`, `z` of its frame's origin in m,
    /// `roll`, `pitch`, `yaw` in rad about the fixed axes x, y, z in this order. Missing numbers
    /// keep their values from the file; the attitude is replaced as a whole.
    pub pose: Vec<(String, f64)>,
    /// MJCF: the keyframe that sets the state.
    pub keyframe: Option<String>,
    /// URDF: the root link floats; otherwise it is fixed to the world.
    pub floating: bool,
    /// Adds a wall `ground`: the plane z = 0.
    pub ground: bool,
    /// The coefficient of friction of URDF shapes and of the added ground, in place of the file's
    /// coefficient. `None`: the file's coefficient, or 1.
    pub friction: Option<f64>,
    /// Moves the first floating body along the normal of the first wall until the nearest shape of
    /// its tree touches it.
    pub set_down: bool,
}
