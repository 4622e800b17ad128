//! What is wrong is a code and a message; what was there before stays.

use std::ffi::CStr;
use std::ptr::{null, null_mut};

use carom_c::*;

use crate::problem::{Arrays, Impact, Rows};

#[test]
fn without_a_handle_or_a_problem_nothing_happens() {
    let mut value = 0.0;
    unsafe {
        assert_eq!(carom_set_seed(null_mut(), 1), Code::CaromUsage);
        assert_eq!(CStr::from_ptr(carom_last_error(null())).to_str(), Ok("the handle is NULL"));
        carom_free(null_mut());
        let impact = Impact::new("{}");
        assert_eq!(impact.message(), "");
        assert_eq!(carom_set_velocity(impact.0, [0.0].as_ptr()), Code::CaromUsage);
        assert_eq!(impact.message(), "no problem was prepared; call carom_prepare first");
        assert_eq!(
            carom_support(impact.0, null(), null(), &mut value, null_mut()),
            Code::CaromUsage
        );
        assert_eq!(impact.prepare(&std::mem::zeroed()), Code::CaromInput);
        assert_eq!(carom_prepare(impact.0, null()), Code::CaromUsage);
        assert_eq!(impact.message(), "problem: the pointer is NULL");
    }
    let version = unsafe { CStr::from_ptr(carom_version()) }.to_str();
    assert_eq!(version, Ok(env!("CARGO_PKG_VERSION")));
}

#[test]
fn options_that_do_nothing_are_refused() {
    let impact = Impact::new("{}");
    for (options, message) in [
        (c"seed", "expected value"),
        (c"{\"sed\": 1}", "sed: no such option"),
        (c"{\"samples\": 5}", "samples: a prepared problem has no such option; leave it out"),
        (c"{\"device\": \"gpu\"}", "device: a prepared problem has no such option; leave it out"),
        (c"{\"max_steps\": 0}", "max_steps: expected a whole number"),
        (c"{\"law\": \"newton\"}", "law: no law `newton`"),
        (c"\xff", "options: expected UTF-8"),
    ] {
        assert_eq!(unsafe { carom_set_options(impact.0, options.as_ptr()) }, Code::CaromUsage);
        assert!(impact.message().starts_with(message), "{}", impact.message());
    }
    assert_eq!(unsafe { carom_set_options(impact.0, null()) }, Code::CaromOk);
    // What does nothing on this problem.
    let problem = carom_scene::load("rocking-block").unwrap();
    let arrays = Arrays::of(&problem, ROW_MAJOR);
    impact.succeeds(unsafe { carom_set_options(impact.0, c"{\"facets\": 8}".as_ptr()) });
    assert_eq!(impact.prepare(&arrays.problem()), Code::CaromUsage);
    assert!(impact.message().starts_with("facets: "), "{}", impact.message());
}

#[test]
fn after_an_error_the_last_problem_stays() {
    let (impact, problem) = Impact::scene("rocking-block", "{}");
    let (mut first, mut then) = (Rows::new(20, &problem), Rows::new(20, &problem));
    first.sample(&impact, 0);
    let arrays = Arrays::of(&problem, ROW_MAJOR);
    let good = arrays.problem();
    let singular = [0.0; 9];
    for (wrong, code, message) in [
        (Problem { mass: null(), ..good }, Code::CaromUsage, "mass: the pointer is NULL"),
        (Problem { mass: singular.as_ptr(), ..good }, Code::CaromInput, "mass"),
        (Problem { order: 2, ..good }, Code::CaromUsage, "order: expected CAROM_ROW_MAJOR"),
        (
            Problem { tangents: 3, ..good },
            Code::CaromUsage,
            "tangents: expected 0, 1 or 2, found 3",
        ),
        (Problem { contacts: usize::MAX, ..good }, Code::CaromUsage, "contacts: "),
        (Problem { contacts: 0, ..good }, Code::CaromInput, "normal: there is no contact"),
        (Problem { friction: null(), ..good }, Code::CaromInput, "friction: "),
    ] {
        assert_eq!(impact.prepare(&wrong), code, "{}", impact.message());
        assert!(impact.message().starts_with(message), "{}", impact.message());
    }
    let velocity = [f64::NAN, 0.0, 0.0];
    assert_eq!(unsafe { carom_set_velocity(impact.0, velocity.as_ptr()) }, Code::CaromInput);
    then.sample(&impact, 0);
    assert_eq!(first.velocity, then.velocity);
}

#[test]
fn questions_without_an_answer_are_errors() {
    let (impact, problem) = Impact::scene("rocking-block", "{}");
    let mut rows = Rows::new(20, &problem);
    rows.sample(&impact, 0);
    let (c, concave, mut value) = ([1.0; 3], [-1.0; 9], 0.0);
    unsafe {
        let of: *const Outcomes = &rows.outcomes;
        assert_eq!(
            carom_support(impact.0, null(), c.as_ptr(), &mut value, null_mut()),
            Code::CaromUsage
        );
        assert!(impact.message().ends_with("call carom_exact_set first"), "{}", impact.message());
        impact.succeeds(carom_exact_set(impact.0, 0.0, null_mut()));
        let worst = |of| carom_worst(impact.0, of, concave.as_ptr(), null(), &mut 0.0, null_mut());
        assert_eq!(worst(null()), Code::CaromUsage);
        assert!(
            impact.message().starts_with("quadratic: the matrix is not symmetric and positive")
        );
        impact.succeeds(worst(of));
        // A new velocity has another set.
        impact.succeeds(carom_set_velocity(impact.0, problem.velocity().as_slice().as_ptr()));
        assert_eq!(
            carom_support(impact.0, null(), c.as_ptr(), &mut value, null_mut()),
            Code::CaromUsage
        );
        for seconds in [-1.0, f64::NAN] {
            assert_eq!(carom_sample(impact.0, 0, seconds, &mut rows.outcomes), Code::CaromUsage);
            assert_eq!(carom_exact_set(impact.0, seconds, null_mut()), Code::CaromUsage);
        }
        assert_eq!(carom_sample(impact.0, u64::MAX, 0.0, &mut rows.outcomes), Code::CaromUsage);
        assert_eq!(carom_bound(impact.0, 3, c.as_ptr(), &mut value, null_mut()), Code::CaromUsage);
        rows.accepted.fill(0);
        let of: *const Outcomes = &rows.outcomes;
        rows.outcomes.count = 20;
        assert_eq!(
            carom_support(impact.0, of, c.as_ptr(), &mut value, null_mut()),
            Code::CaromEmpty
        );
        assert_eq!(impact.message(), "none of 20 outcomes is accepted");
    }
    let (impact, _) = Impact::scene("cube-on-edge", "{}");
    assert_eq!(unsafe { carom_exact_set(impact.0, 0.0, null_mut()) }, Code::CaromInput);
    assert!(impact.message().contains("these are circular"), "{}", impact.message());
}

#[test]
fn a_panic_is_a_code() {
    let (impact, problem) = Impact::scene("rocking-block", "{}");
    let mut rows = Rows::new(1, &problem);
    let code = unsafe { call(impact.0, |_| panic!("on purpose")) };
    assert_eq!((code, &*impact.message()), (Code::CaromDefect, "a defect of carom: on purpose"));
    let code = unsafe { carom_sample(impact.0, 0, 0.0, &mut rows.outcomes) };
    assert_eq!(code, Code::CaromUsage);
    impact.succeeds(impact.prepare(&Arrays::of(&problem, ROW_MAJOR).problem()));
    rows.sample(&impact, 0);
}
