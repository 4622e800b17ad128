//! Friction, restitution and moments of inertia in the dialects of URDF.

use super::*;
use carom_import::robot::ImportedRobot;

const INERTIAL: &str = "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
const BALL: &str = "<geometry><sphere radius='0.1'/></geometry>";

fn read(name: &str, text: &str, options: &Options) -> Result<ImportedRobot, Error> {
    robot::parse(Path::new(name), text.to_string(), options)
}

fn notes(name: &str, text: &str) -> String {
    read(name, text, &Options::default()).unwrap().notes.join("\n")
}

/// A link with more in its shape and in it, and more in the robot.
fn link(name: &str, shape: &str, more: &str) -> String {
    format!("<link name='{name}'>{INERTIAL}<collision>{BALL}{shape}</collision>{more}</link>")
}

fn robot_of(parts: &str) -> String {
    format!("<robot name='r' xmlns:drake='http://drake.mit.edu'>{parts}</robot>")
}

/// The file on a ground that is added.
fn set_down(text: &str, friction: Option<f64>) -> ImportedRobot {
    let (floating, ground, set_down) = (true, true, true);
    read("r.urdf", text, &Options { floating, ground, set_down, friction, ..Options::default() })
        .unwrap()
}

/// The coefficients that a dialect states, in the shape, in the link, and in the robot.
fn dialects(mu: f64, e: f64) -> [[String; 3]; 6] {
    let none = String::new;
    let drake = |inner: String| {
        [
            format!("<drake:proximity_properties>{inner}</drake:proximity_properties>"),
            none(),
            none(),
        ]
    };
    let gazebo =
        |inner: String| [none(), none(), format!("<gazebo reference='a'>{inner}</gazebo>")];
    [
        drake(format!("<drake:mu_dynamic value='{mu}'/><drake:mu_static value='{mu}'/>")),
        drake(format!("<drake:mu_static value='{mu}'/>")),
        [
            none(),
            format!(
                "<contact><lateral_friction value='{mu}'/><restitution value='{e}'/></contact>"
            ),
            none(),
        ],
        gazebo(format!("<mu1>{mu}</mu1><mu2> {mu} </mu2>")),
        gazebo(format!("<mu1 value='{mu}'/>")),
        gazebo(format!(
            "<collision><surface><friction><ode><mu>{mu}</mu><mu2>{mu}</mu2></ode></friction><bounce>\
             <restitution_coefficient>{e}</restitution_coefficient></bounce></surface></collision>"
        )),
    ]
}

#[test]
fn friction_and_restitution_of_every_dialect_are_those_of_the_scene() {
    for [shape, inside, beside] in dialects(0.3, 0.5) {
        let text = robot_of(&(link("a", &shape, &inside) + &beside));
        let bounces = text.contains("restitution");
        let ImportedRobot { scene, notes } = set_down(&text, None);
        let notes = notes.join("\n");
        assert!(scene.contains("\nfriction = 0.3\n"), "{scene}");
        assert_eq!(scene.contains("\nrestitution = 0.5\n"), bounces, "{scene}");
        assert!(notes.contains("friction is that of"), "{notes}");
        assert!(!notes.contains("no effect"), "{notes}");
        // The caller's friction stands in place of the file's; restitution stays.
        let ImportedRobot { scene, notes } = set_down(&text, Some(0.7));
        assert!(scene.contains("\nfriction = 0.7\n"), "{scene}");
        assert_eq!(scene.contains("\nrestitution = 0.5\n"), bounces, "{scene}");
        assert!(notes.join("\n").contains("friction is 0.7, not that of"), "{notes:?}");
    }
    let plain = set_down(&robot_of(&link("a", "", "")), None);
    assert!(plain.scene.contains("\nfriction = 1.0\n") && !plain.scene.contains("restitution"));
    assert!(plain.notes.iter().any(|note| note.contains("the coefficient is 1")));
}

/// Bullet multiplies (`btManifoldResult`), ODE in Gazebo takes the smaller one (`ODEPhysics`),
/// Drake the harmonic mean (`CalcContactFrictionFromSurfaceProperties`).
#[test]
fn two_links_have_the_coefficients_of_their_program() {
    let of = |friction: &str, restitution: Option<&str>, kind: usize| {
        let joint = |child: &str, x: i32| {
            format!(
                "<joint name='j{child}' type='prismatic'><origin xyz='{x} 0 0'/><parent link='base'/>\
                 <child link='{child}'/><axis xyz='1 0 0'/></joint>"
            )
        };
        let [a, b, c] =
            [(0.3, 0.5), (0.5, 0.8), (0.5, 0.8)].map(|(mu, e)| dialects(mu, e)[kind].clone());
        let place = |text: &str, name: &str| text.replace("'a'", &format!("'{name}'"));
        let links = [("a", a), ("b", b), ("c", c)].map(|(name, [shape, inside, beside])| {
            link(name, &shape, &inside)
                + &place(&beside, name)
                + &joint(name, i32::from(name.as_bytes()[0]))
        });
        let text = robot_of(&format!("<link name='base'/>{}", links.concat()));
        let scene = read("r.urdf", &text, &Options::default()).unwrap().scene;
        let restitution = restitution.map_or(String::new(), |e| format!(", restitution = {e}"));
        let pair = format!("between = [\"b\", \"c\"], friction = {friction}{restitution}");
        assert!(scene.contains(&pair), "{pair}\n{scene}");
    };
    // 2 * 0.5 * 0.5 / (0.5 + 0.5), 0.5 * 0.5, min(0.5, 0.5); 0.8 * 0.8 and min(0.8, 0.8).
    of("0.5", None, 0);
    of("0.25", Some("0.6400000000000001"), 2);
    of("0.5", None, 3);
    of("0.5", Some("0.8"), 5);
    // Most pairs are those of `a`: 2 * 0.3 * 0.5 / 0.8, 0.3 * 0.5, min(0.3, 0.5).
    let listed = [(0, 0.375, None), (2, 0.15, Some(0.4)), (4, 0.3, None), (5, 0.3, Some(0.5))];
    for (kind, friction, restitution) in listed {
        let links = ["a", "b"].map(|name| {
            let (mu, e) = if name == "a" { (0.3, 0.5) } else { (0.5, 0.8) };
            let [shape, inside, beside] = dialects(mu, e)[kind].clone();
            let joint = format!(
                "<joint name='j{name}' type='prismatic'><origin xyz='{} 0 0'/><parent link='base'/>\
                 <child link='{name}'/></joint>",
                i32::from(name.as_bytes()[0])
            );
            link(name, &shape, &inside) + &beside.replace("'a'", &format!("'{name}'")) + &joint
        });
        let text = robot_of(&format!("<link name='base'/>{}", links.concat()));
        let scene = read("r.urdf", &text, &Options::default()).unwrap().scene;
        let number = |key: &str| -> Option<f64> {
            let line = scene.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")))?;
            Some(line.parse().unwrap())
        };
        assert!((number("friction").unwrap() - friction).abs() < 1e-15, "{scene}");
        assert_eq!(number("restitution"), restitution, "{scene}");
    }
}

#[test]
fn dialects_that_differ_are_named() {
    let bullet = "<contact><lateral_friction value='0.4'/><rolling_friction value='0.1'/><inertia_scaling value='3'/></contact>";
    let drake = "<drake:proximity_properties><drake:mu_dynamic value='0.3'/><drake:mu_static value='0.5'/>\
                 <drake:hunt_crossley_dissipation value='1'/></drake:proximity_properties>";
    let gazebo = "<gazebo reference='a'><mu1>0.6</mu1><mu2>0.7</mu2><kp>1e6</kp><selfCollide>true</selfCollide>\
                  <material>Gazebo/Red</material></gazebo>";
    let imported = set_down(&robot_of(&(link("a", drake, bullet) + gazebo)), None);
    assert!(imported.scene.contains("\nfriction = 0.3\n"), "{}", imported.scene);
    let notes = imported.notes.join("\n");
    for words in [
        "0.3 of Drake counts, not 0.4 of Bullet",
        "0.3 of Drake counts, not 0.6 of Gazebo",
        "although it may change an impact: <hunt_crossley_dissipation> of <proximity_properties>, \
         <inertia_scaling> of <contact>, <kp> of <gazebo>, <mu2> that differs from <mu1>, \
         <mu_static> that differs from <mu_dynamic>, <rolling_friction> of <contact>, <selfCollide> of <gazebo>",
        "no effect on an impact: <material> of <gazebo>",
    ] {
        assert!(notes.contains(words), "{words}\n{notes}");
    }
}

#[test]
fn only_what_has_no_effect_is_said_to_have_none() {
    let hung = |shape: &str, inside: &str, more: &str| {
        let joint = format!(
            "<joint name='j' type='revolute'><parent link='base'/><child link='a'/>{more}</joint>"
        );
        robot_of(&format!("<link name='base'/>{}{joint}", link("a", shape, inside)))
    };
    // Where a text stands, or geom, joint and root of an MJCF file; what is said of it.
    let cases = r#"
joint <limit lower='-1' upper='1'/> | no effect on | limits of joints that are not reached
joint <limit lower='0' upper='1'/> | may change | limits of joints that are reached: `j`
joint <limit lower='-1'/> | may change | limits of joints that are reached: `j`
joint <dynamics damping='1'/> | no effect on | <dynamics> of joints
joint <joint_properties damping='1'/> | no effect on | <joint_properties> of joints
beside <transmission/> | no effect on | <transmission>
beside <transmission><actuator><drake:rotor_inertia value='1'/></actuator></transmission>
    | may change | rotors
beside <drake:collision_filter_group/> | may change | <collision_filter_group>
beside <gazebo><static>true</static></gazebo> | may change | <static> of <gazebo>
beside <gazebo><plugin/></gazebo> | no effect on | <plugin> of <gazebo>
beside <mujoco><compiler boundmass='1' strippath='false'/></mujoco> | may change
    | `boundmass` of <mujoco>
shape <contact_coefficients mu='0.5'/> | may change | <contact_coefficients> of <collision>
link <visual/> | no effect on | <visual> of links
link <self_collision_checking/> | may change | <self_collision_checking> of links
mjcf margin='0.01' gap='0.01' solref='0.01 1' condim='4'; <joint/>; | may change
    | `gap` of geoms, `margin` of geoms, `solref` of geoms, friction against turning
mjcf ; <joint name='h' damping='1' range='-10 10'/>; | no effect on
    | `damping` of joints, limits of joints that are not reached
mjcf ; <joint name='h' range='0 10'/>; | may change | reached: `h`
mjcf ; <joint name='h' range='0 10' limited='false'/>; <extension/> | may change | plugins
mjcf ; <joint type='ball' range='0 10'/>; | may change | limits of ball joints
mjcf ; <joint/>; <option impratio='10'/> | may change | `impratio`
mjcf name='g'; <joint/>; <contact><pair geom1='g' geom2='f' solimp='0 0 0'/></contact>
    | may change | `solimp` of pairs
"#;
    for [more, why, what] in table(cases) {
        let (place, more) = more.split_once(' ').unwrap();
        let (name, text) = match (place, &more.split(';').map(str::trim).collect::<Vec<_>>()[..]) {
            ("joint", _) => ("r.urdf", hung("", "", more)),
            ("shape", _) => ("r.urdf", hung(more, "", "")),
            ("link", _) => ("r.urdf", hung("", more, "")),
            ("mjcf", [geom, joint, root]) => ("m.xml", mjcf(geom, joint, root)),
            _ => ("r.urdf", hung("", "", "").replace("</joint>", &format!("</joint>{more}"))),
        };
        let why = format!("{why} an impact: ");
        let notes = notes(name, &text);
        let line = notes.lines().find(|line| line.contains(&why)).unwrap_or_default();
        assert!(line.contains(&what), "{what}\n{text}\n{notes}");
    }
}

/// An MJCF body with these attributes of its geom and this joint, beside another geom.
fn mjcf(geom: &str, joint: &str, root: &str) -> String {
    format!(
        "<mujoco>{root}<worldbody><geom name='f' size='1' pos='0 0 -9'/><body>{joint}<geom size='1' {geom}/></body></worldbody></mujoco>"
    )
}

/// The mean, as in MuJoCo 4.0.0 (`body_inertia` of both files).
#[test]
fn unbalanced_moments_become_their_mean_where_the_file_asks_for_it() {
    let inertial = |ixx: &str| {
        format!(
            "<inertial><mass value='1'/><inertia ixx='{ixx}' iyy='1.79e-3' izz='2.295e-3' ixy='0' ixz='0' iyz='0'/></inertial>"
        )
    };
    let urdf = |flag: &str, ixx: &str| {
        robot_of(&format!(
            "<mujoco><compiler balanceinertia='{flag}'/></mujoco><link name='b'>{}</link>",
            inertial(ixx)
        ))
    };
    let floating = Options { floating: true, ..Options::default() };
    let mean = (4.08e-4 + 1.79e-3 + 2.295e-3) / 3.0;
    let balanced = read("r.urdf", &urdf("true", "4.08e-4"), &floating).unwrap();
    assert!(balanced.notes.iter().any(|n| n.contains("`balanceinertia`") && n.contains("`b`")));
    let model = "<mujoco><compiler balanceinertia='true'/><worldbody><body name='b'><freejoint/>\
                 <inertial pos='0 0 0' mass='1' diaginertia='4.08e-4 1.79e-3 2.295e-3'/></body></worldbody></mujoco>";
    let compiled = read("m.xml", model, &Options::default()).unwrap();
    for scene in [balanced.scene, compiled.scene] {
        let line = scene.lines().find_map(|line| line.strip_prefix("inertia = ")).unwrap();
        let moments: Vec<f64> =
            line.trim_matches(['[', ']']).split(", ").map(|x| x.parse().unwrap()).collect();
        assert!(moments.len() == 3 && moments.iter().all(|x| (x - mean).abs() < 1e-15), "{line}");
    }
    let error = read("r.urdf", &urdf("false", "4.08e-4"), &floating).unwrap_err();
    assert!(error.what.contains("exceeds the sum"));
    assert!(error.hint.unwrap().contains("balanceinertia"));
    // Moments that a body has stay as they are.
    let plain = read("r.urdf", &urdf("true", "6e-4"), &floating).unwrap();
    assert!(plain.scene.contains("inertia = [0.0006, 0.00179, 0.002295]"), "{}", plain.scene);
}

#[test]
fn coefficients_out_of_range_are_refused_in_their_place() {
    let cases = "
<contact><lateral_friction value='-1'/></contact> | 
    | <lateral_friction>: `value`: expected a number >= 0
<contact><restitution value='1.5'/></contact> | 
    | <restitution>: `value`: expected a number from 0 to 1
<contact><restitution/></contact> |  | <restitution>: `restitution`: expected 1 number
 | <gazebo reference='a'><mu1>much</mu1></gazebo>
    | <mu1>: `mu1`: expected a finite number, found `much`
";
    for [inside, beside, message] in table(cases) {
        let text = robot_of(&(link("a", "", &inside) + &beside));
        let error = read("r.urdf", &text, &Options::default()).unwrap_err().to_string();
        assert!(error.contains(&message), "{error}");
    }
}
