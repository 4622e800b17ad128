//! What a loop calls does not allocate, from its first turn on.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::null;

use carom_c::*;

use crate::problem::{Impact, Rows};

/// The system's allocator, counting what each thread asks it for.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// Unsafe because the trait is: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One turn of a loop.
fn turn(impact: &Impact, velocity: &[f64], rows: &mut Rows, seed: u64) {
    impact.succeeds(unsafe { carom_set_velocity(impact.0, velocity.as_ptr()) });
    impact.succeeds(unsafe { carom_set_seed(impact.0, seed) });
    rows.sample(impact, 0);
    let (mut value, outcomes) = (0.0, &raw const rows.outcomes);
    let (v, handle) = (velocity.as_ptr(), impact.0);
    impact.succeeds(unsafe {
        carom_support(handle, outcomes, v, &mut value, null::<f64>() as *mut _)
    });
}

#[test]
fn a_loop_allocates_nothing() {
    for (name, options) in [
        ("rocking-block", "{}"),
        ("rocking-block", r#"{"precision": "f32"}"#),
        ("rocking-block", r#"{"process": "steps"}"#),
        ("rocking-block", r#"{"restitution": 0.4}"#),
        ("compass-gait", r#"{"sampler": "uniform"}"#),
        ("disk-stack", r#"{"precision": "f32"}"#),
        ("cube-on-edge", "{}"),
        ("cube-on-edge", r#"{"precision": "f32", "facets": 8}"#),
        ("cube-on-edge", r#"{"uncertainty": {"friction": [[0.1, 0.2]], "inertia": [[0.9, 1.1]]}}"#),
        ("quadruped-trot", r#"{"precision": "f32"}"#),
        ("rocking-block", r#"{"law": "sequential"}"#),
        ("rocking-block", r#"{"law": "propagative"}"#),
    ] {
        let (impact, problem) = Impact::scene(name, options);
        let mut velocity = problem.velocity().as_slice().to_vec();
        let mut rows = Rows::new(300, &problem);
        let before = COUNT.get();
        for seed in 0..3 {
            velocity.iter_mut().for_each(|v| *v *= 1.05);
            turn(&impact, &velocity, &mut rows, seed);
        }
        assert_eq!(COUNT.get() - before, 0, "{name} {options}");
    }
}
