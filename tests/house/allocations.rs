//! A prepared sampler does not allocate.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use carom::scene;
use carom_core::problem::ContactProblem;
use carom_engine::{Plan, Prepared};
use carom_law::{Law, Routh};

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

#[test]
fn a_prepared_sampler_does_not_allocate() {
    let faceted =
        Plan { law: Law::Routh(Routh { facets: Some(8), ..Routh::default() }), ..Plan::default() };
    for (name, plan, uncertain) in [
        ("rocking-block", Plan::default(), false),
        ("compass-gait", Plan::default(), false),
        ("disk-stack", Plan::default(), false),
        ("cube-on-edge", Plan::default(), true),
        ("cube-on-edge", faceted, false),
    ] {
        let mut spec = scene::load(name).unwrap().spec().clone();
        if uncertain {
            (spec.uncertainty.friction, spec.uncertainty.inertia) =
                (vec![[0.1, 0.2]], vec![[0.9, 1.1]]);
        }
        let problem = ContactProblem::new(spec).unwrap();
        let faster: Vec<f64> = problem.velocity().iter().map(|v| 1.1 * v).collect();
        let mut sampler = Prepared::<f32>::new(&problem, &plan).unwrap();
        sampler.sample(0, 1000);
        let before = COUNT.get();
        sampler.velocity(&faster).unwrap();
        sampler.sample(1000, 1000);
        sampler.sample(2000, 500);
        assert_eq!(COUNT.get() - before, 0, "{name}");
    }
}
