//! Robot files that are refused, each with one error that says where.

use super::*;
use proptest::prelude::*;
use std::path::PathBuf;

fn parse(name: &str, text: &str) -> Result<robot::ImportedRobot, Error> {
    robot::parse(Path::new(name), text.to_string(), &Options::default())
}

/// A URDF robot of a fixed base and what `more` adds.
fn urdf(more: &str) -> String {
    format!("<robot name=\"r\">\n<link name=\"base\"/>\n{more}\n</robot>")
}

/// A URDF link with mass that hangs on the base by a joint with more in it.
fn hung(kind: &str, more: &str) -> String {
    urdf(&format!(
        "<link name=\"arm\">{INERTIAL}</link>\n<joint name=\"j\" type=\"{kind}\"><parent link=\"base\"/>\
         <child link=\"arm\"/>{more}</joint>"
    ))
}

const INERTIAL: &str = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>";

/// An MJCF model with this in its root and this in a body with a hinge.
fn mjcf(root: &str, body: &str) -> String {
    format!(
        "<mujoco>\n{root}\n<worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\"0.1\"/>\n{body}</body></worldbody></mujoco>"
    )
}

/// The shape of a URDF link that hangs on the base.
fn shape(text: &str) -> String {
    let collision = format!("<collision><geometry>{text}</geometry></collision></link>\n<joint");
    hung("revolute", "").replace("</link>\n<joint", &collision)
}

#[test]
fn what_a_scene_cannot_say_is_refused_by_name() {
    let one = |text: &str| text.to_string();
    let cases = [
        ("a.urdf", one("<robot"), "a.urdf: this is no XML"),
        ("a.urdf", one("<sdf/>"), "a.urdf: <sdf>: the root element is <sdf>"),
        ("a.urdf", one("<robot name='r'/>"), "robot `r`: there is no <link>"),
        ("a.urdf", urdf("<link name=\"base\"/>"), "link `base`: a second link of this name"),
        ("a.urdf", urdf("<link name=\"other\"/>"), "link `other`: no joint joins this link to the others"),
        ("a.urdf", urdf("<joint name=\"j\" type=\"fixed\"><parent link=\"bse\"/><child link=\"base\"/></joint>"), "no link `bse`"),
        ("a.urdf", hung("planar", ""), "joint `j`: `type`: the joint type `planar` is not supported"),
        ("a.urdf", hung("revolute", "<mimic joint=\"k\"/>"), "joint `j` mimics another"),
        ("a.urdf", hung("revolute", "<axis xyz=\"0 0 0\"/>"), "<axis>: `xyz`: a direction has a length > 0"),
        ("a.urdf", hung("revolute", "<axis xyz=\"0 0\"/>"), "`xyz`: expected 3 numbers, found 2"),
        ("a.urdf", hung("revolute", "<origin rpy=\"0 0 nan\"/>"), "`rpy`: expected a finite number, found `nan`"),
        ("a.urdf", hung("revolute", "").replace(INERTIAL, ""), "joint `j`: it moves `arm`, which has no mass"),
        ("a.urdf", hung("revolute", "").replace("value=\"1\"", "value=\"-1\""), "link `arm`: a mass is >= 0, found -1"),
        ("a.urdf", hung("revolute", "").replace("izz=\"1\"", "izz=\"3\""), "link `arm`: no body has the principal moments"),
        ("a.urdf", shape("<sphere radius=\"0\"/>"), "<sphere>: `radius`: expected a number > 0, found 0"),
        ("a.urdf", shape("<cone/>"), "<cone>: the shape <cone> is not supported"),
        ("a.urdf", shape("<mesh filename=\"package://p/no.stl\"/>"), "there is no mesh `package://p/no.stl`"),
        ("a.urdf", urdf("<loop_joint/>"), "<loop_joint>: closed loops are not supported"),
        (
            "a.urdf",
            urdf(&format!(
                "<link name=\"arm\">{INERTIAL}</link>{}",
                ["j", "k"].map(|j| format!("<joint name=\"{j}\" type=\"fixed\"><parent link=\"base\"/><child link=\"arm\"/></joint>")).concat()
            )),
            "joint `k`: the link `arm` is the child of joint `j` too",
        ),
        ("m.xml", mjcf("<equality><joint joint1=\"j\"/></equality>", ""), "<joint>: equality constraints"),
        ("m.xml", mjcf("<compiler alignfree=\"true\"/>", ""), "<compiler>: `alignfree`: this changes masses"),
        ("m.xml", mjcf("<compiler angel=\"radian\"/>", ""), "<compiler> with the attribute `angel` is not supported"),
        ("m.xml", mjcf("<actuator><motor joint=\"j\" armature=\"1\"/></actuator>", ""), "the armature of <motor>"),
        ("m.xml", mjcf("<option><flag filterparent=\"disable\"/></option>", ""), "`filterparent`: this changes contacts"),
        ("m.xml", mjcf("<include file=\"no.xml\"/>", ""), "<include>: no.xml: cannot be read"),
        ("m.xml", mjcf("", "<geom type=\"ellipsoid\" size=\"1 2 3\"/>"), "<geom>: ellipsoids that collide"),
        ("m.xml", mjcf("", "<geom type=\"box\" size=\"1 2\"/>"), "`size`: a box has 3 sizes > 0"),
        ("m.xml", mjcf("", "<geom type=\"plane\" size=\"1 1 1\"/>"), "body `b`: a plane belongs to a body that moves"),
        ("m.xml", mjcf("", "<geom class=\"nix\"/>"), "<geom>: `class`: no default class is called `nix`"),
        ("m.xml", mjcf("", "<geom name=\"g\" size=\".1\" quat=\"1 0 0 0\" euler=\"0 0 0\"/>"), "geom `g`: `quat`: the orientation is given by `euler` too"),
        ("m.xml", mjcf("", "<geom type=\"mesh\" mesh=\"nix\"/>"), "`mesh`: no mesh is called `nix`"),
        ("m.xml", mjcf("", "<freejoint/>"), "<freejoint>: a free joint is the only one of a body"),
        ("m.xml", mjcf("", "<body><freejoint/></body>"), "only bodies of the world have a free joint"),
        ("m.xml", mjcf("", "<inertial pos=\"0 0 0\" mass=\"1\"/>"), "either `diaginertia` or `fullinertia`"),
        ("m.xml", mjcf("", "<composite/>"), "<composite> is not supported here"),
        ("m.xml", mjcf("<contact><exclude body1=\"b\" body2=\"c\"/></contact>", ""), "no body is called `c`"),
        ("m.xml", mjcf("", &"<body>".repeat(300)), "nested deeper than 200 levels"),
    ];
    for (name, text, message) in cases {
        let error = parse(name, &text).expect_err(message);
        let found = error.to_string();
        assert!(found.contains(message), "{found}\n{message}");
        let excerpt = error.excerpt.unwrap();
        assert!(!text[excerpt.span].is_empty(), "{found}");
    }
}

#[test]
fn options_that_fit_no_file_are_refused() {
    let text = hung("revolute", "");
    let with =
        |options: Options| robot::parse(Path::new("a.urdf"), text.clone(), &options).unwrap_err();
    let joint = |name: &str| Options { joints: vec![(name.into(), 1.0)], ..Options::default() };
    assert_eq!(with(joint("k")).to_string(), "joint: no movable joint is called `k`");
    let pose = Options { pose: vec![("x".into(), 1.0)], ..Options::default() };
    assert_eq!(with(pose).to_string(), "pose: no body floats");
    let key = Options { keyframe: Some("home".into()), ..Options::default() };
    assert_eq!(with(key).to_string(), "keyframe: URDF has no keyframes");
    let down = Options { set_down: true, floating: true, ..Options::default() };
    assert_eq!(with(down).to_string(), "set_down: there is no plane to set the robot down on");
}

#[test]
fn what_does_not_matter_is_left_out_with_a_note() {
    let imported = parse(
        "m.xml",
        &mjcf("<sensor><gyro/></sensor>", "<site/><site/><geom type=\"cylinder\" size=\"1 2\"/>"),
    );
    let notes = imported.unwrap().notes.join("\n");
    for words in [
        "sensors, sites (2 times)",
        "became a prism of 16 sides",
        "up to 1.9 % of its radius inside",
        "--ground",
    ] {
        assert!(notes.contains(words), "{words}\n{notes}");
    }
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/models")
}

fn model(name: &str) -> (String, String) {
    let path = models().join(name);
    (path.to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap())
}

proptest! {
    #![proptest_config(random_cases(cases(200, 5000)))]

    #[test]
    fn text_that_is_cut_or_changed_never_panics(
        which in prop::sample::select(vec!["classes.xml", "arm.xml", "arm.urdf", "biped.xml"]),
        cut in 0.0..1.2f64,
        places in prop::collection::vec((0.0..1.0f64, "[ -~]{0,3}"), 0..6),
    ) {
        let (path, mut text) = model(which);
        for (place, new) in places {
            let at = (place * text.len() as f64) as usize;
            text.replace_range(at..(at + 1).min(text.len()), &new);
        }
        text.truncate((cut * text.len() as f64) as usize);
        if let Err(error) = robot::parse(Path::new(&path), text, &Options::default()) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn random_text_and_random_meshes_never_panic(text in "\\PC{0,60}", bytes in prop::collection::vec(any::<u8>(), 0..400), cut in 0usize..800) {
        prop_assert!(parse("a.urdf", &text).is_err());
        let folder = tempfile::tempdir().unwrap();
        let brick = std::fs::read(models().join("meshes/brick.stl")).unwrap();
        let cut = cut.min(brick.len());
        for (name, content, whole) in
            [("a.stl", &bytes[..], false), ("b.stl", &brick[..cut], cut == brick.len()), ("c.obj", &bytes[..], false)]
        {
            std::fs::write(folder.path().join(name), content).unwrap();
            let text = shape(&format!("<mesh filename=\"{name}\"/>"));
            let read = robot::parse(&folder.path().join("a.urdf"), text, &Options::default());
            prop_assert_eq!(read.is_ok(), whole, "{}", name);
        }
    }
}
