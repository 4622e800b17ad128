//! The numbers of the header are those of the library; the problems of the examples are scenes.

use std::path::Path;

use carom_c::*;
use carom_core::outcome::Mode;
use carom_core::status::Status;

use crate::problem::Arrays;

#[test]
fn codes_are_those_of_the_library() {
    let statuses = [TERMINATED, STEP_LIMIT, UNSOLVED, NOT_FINITE, BUDGET];
    assert_eq!(statuses, Status::ALL.map(Status::code));
    let modes = [Mode::Lift, Mode::Stick, Mode::Slide, Mode::SlideBack].map(|mode| mode as u8);
    assert_eq!([LIFT, STICK, SLIDE, SLIDE_BACK], modes);
}

#[test]
fn a_handle_may_move_to_another_thread() {
    fn moves<T: Send>() {}
    moves::<Handle>();
}

/// `CAROM_WRITE_HEADER=1` writes them anew.
#[test]
fn the_files_of_the_examples_are_scenes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for name in ["quadruped-trot", "rocking-block"] {
        let problem = carom_scene::load(name).unwrap();
        let text = Arrays::of(&problem, ROW_MAJOR).text(name);
        let path = folder.join(name).with_extension("txt");
        if std::env::var("CAROM_WRITE_HEADER").is_ok_and(|value| value == "1") {
            std::fs::write(&path, &text).unwrap();
        }
        assert!(std::fs::read_to_string(&path).unwrap() == text, "{name}");
    }
}
