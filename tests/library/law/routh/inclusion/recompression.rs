//! Contacts that are driven into approach again while they give back.

use super::*;
use crate::law::routh::events::compressed_again;

/// Two frictionless contacts, sample by sample against an oracle that goes from event to event.
#[test]
fn compressed_again_a_contact_stores_e_squared_of_the_work() {
    let (repeated, worst) = compressed_again(2000, |problem, h| {
        let process = Some(RouthProcess::Inclusion);
        let law = Routh { process, step: Some(h), accuracy: Some(1e-8), ..uniform() };
        let process = Law::Routh(law).prepare::<f64>(problem).unwrap();
        let mut work = process.workspace();
        Box::new(move |stream| {
            assert_eq!(process.sample(stream, &mut work).status, Status::Terminated);
            [0, 1].map(|i| process.space().scaling.impulse_along(work.total(), i))
        })
    });
    assert!(repeated > 100 && worst <= 1e-8, "{repeated} {worst:e}");
}
