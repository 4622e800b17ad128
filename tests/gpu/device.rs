//! Adapters by name, the budget of dispatches, and devices that are lost or stopped.

use super::*;
use carom_engine::gpu::AdapterReport;
use carom_engine::gpu::pace::{GOAL, LEAST, Pace};

#[test]
fn equal_adapters_are_told_apart_by_number() {
    let report = |name: &str, backend: &str, kind: &str| {
        let [name, backend, kind] = [name, backend, kind].map(str::to_string);
        AdapterReport { name, backend, kind, f64: true, ..AdapterReport::default() }
    };
    let card = "NVIDIA H100 80GB HBM3";
    let all = [
        report(card, "vulkan", "discrete"),
        report(card, "vulkan", "discrete"),
        report(card, "dx12", "discrete"),
        report("AMD Instinct MI300X", "vulkan", "discrete"),
        report("llvmpipe", "vulkan", "cpu"),
    ];
    for (names, expected) in [
        (["h100", "H100#0", "H100#1", "H100#2"], [Some(0), Some(0), Some(1), None]),
        (["gpu#0", "gpu#2", "gpu#3", "gpu#4"], [Some(0), Some(3), Some(4), None]),
        (["mi300#0", "pipe#0", "pipe#x", "a100#0"], [Some(3), Some(4), None, None]),
    ] {
        assert_eq!(names.map(|name| AdapterReport::named(&all, name)), expected);
    }
}

/// Dispatches of a device that does `rate` units a second.
fn settled(rate: f64, most: u32) -> Vec<f64> {
    let mut pace = Pace::new(most);
    let dispatch = |_| {
        let seconds = f64::from(pace.budget) / rate;
        pace.took(seconds, true);
        seconds
    };
    (0..20).map(dispatch).collect()
}

#[test]
fn dispatches_soon_take_as_long_as_they_should() {
    for rate in [1e4, 1e5, 1e6, 1e7] {
        let times = settled(rate, u32::MAX);
        assert!(times.iter().all(|t| *t <= 0.41), "{rate}: {times:?}");
        assert!(times[10..].iter().all(|t| (t - GOAL).abs() < 0.01), "{rate}: {times:?}");
    }
}

#[test]
fn budgets_stay_within_their_limits() {
    assert_eq!(Pace::new(10).budget, 10);
    assert!(settled(1e9, 6000).iter().all(|t| *t <= 6e-6));
    let mut pace = Pace::new(1_000_000);
    (0..20).for_each(|_| pace.took(10.0, true));
    assert_eq!(pace.budget, LEAST);
    // Samples that ended early say nothing of a longer dispatch.
    (0..20).for_each(|_| pace.took(1e-6, false));
    assert_eq!(pace.budget, LEAST);
}

#[test]
fn a_lost_device_is_an_error() {
    let gpu = open();
    let bound = Law::default().prepare::<f32>(&problem(smooth(&[1.0], [[1.0]], [-1.0]))).unwrap();
    let mut kernel = Kernel::new(&gpu, &bound, 0).unwrap();
    assert_eq!(kernel.dispatch::<f32>(0, 8, || false).unwrap().endings.len(), 8);
    gpu.device.destroy();
    let error = kernel.dispatch::<f32>(0, 8, || false).map(|_| ()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Device, "{error}");
    assert!(Kernel::new(&gpu, &bound, 0).is_err());
}

/// Nothing ends the impact of opposite contacts: many dispatches, unless stopped.
#[test]
fn a_stopped_dispatch_says_so() {
    let law = Law::Routh(Routh { step: Some(1e-6), ..Routh::default() });
    let bound = law.prepare::<f32>(&problem(smooth(&[1.0], [[1.0], [-1.0]], [-1.0]))).unwrap();
    let mut kernel = Kernel::new(gpu(), &bound, 0).unwrap();
    let error = kernel.dispatch::<f32>(0, 8, || true).map(|_| ()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
}
