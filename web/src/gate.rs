//! All shader programs, for the shader compiler of a browser.

use carom_shaders::kernels::peak;
use carom_shaders::kernels::{ALL, EVENTS, INCLUSION, PIVOT, SHARED, STATISTICS};
use carom_shaders::{KernelShape, Program, Variant};
use serde_json::{Value, json};

/// The programs in f32 for planar and spatial problems of one to three contacts, for one problem
/// and for several. Sampling programs come in two variants: [`Variant::default`], and the variant
/// of hardware without 64-bit integers and f64.
pub fn programs() -> Value {
    let planar: Vec<&Program> =
        ALL.iter().map(|kernel| &kernel.program).chain([&STATISTICS]).collect();
    let spatial = [&PIVOT.program, &SHARED.program, &INCLUSION.program, &STATISTICS];
    let mut programs = Vec::new();
    for (axes, of) in [(1, &planar[..]), (2, &spatial[..])] {
        for contacts in 1..=3 {
            for program in of {
                for many in [false, true] {
                    if many && !program.samples {
                        continue;
                    }
                    let noise = (program.name == INCLUSION.program.name).then_some(3);
                    let restitution = program.name == EVENTS.program.name;
                    let shape = KernelShape {
                        contacts,
                        axes,
                        double: false,
                        many,
                        listed: false,
                        restitution,
                        noise,
                    };
                    programs.push((*program, shape));
                }
            }
        }
    }
    let plain = peak::shape(false);
    programs.extend([&peak::MULTIPLY_ADD, &peak::COPY].map(|program| (program, plain)));
    let variants =
        [("plain", Variant::default()), ("hardware", Variant::usual(true, false, false))];
    let all = programs.iter().flat_map(|one| variants.map(|variant| (one, variant)));
    let one = |((program, shape), (device, variant)): (
        &(&Program, KernelShape),
        (&str, Variant),
    )| {
        let name = format!(
            "{}, {} contacts, {} axes, many {}, {device}",
            program.name, shape.contacts, shape.axes, shape.many
        );
        json!({ "name": name, "entry": program.entry_point, "text": program.source(shape, &variant) })
    };
    // Only sampling programs depend on the variant.
    let all = all.filter(|((program, _), (device, _))| program.samples || *device == "plain");
    json!({ "programs": all.map(one).collect::<Vec<_>>() })
}
