//! Every program that there is, for a browser's shader compiler.

use carom::internals::shading::kernels::copies::COPIES;
use carom::internals::shading::kernels::peak;
use carom::internals::shading::kernels::{
    ALL, CACHE, EVENTS, INCLUSION, LISTED, PIVOT, SHARED, STATISTICS, UNIQUE,
};
use carom::internals::shading::{KernelShape, Program, Variant};
use serde_json::{Value, json};

/// The programs for planar and spatial problems of one to three contacts, of one and of several
/// problems, in f32.
pub fn programs() -> Value {
    let planar: Vec<&Program> =
        ALL.iter().map(|kernel| &kernel.program).chain([&STATISTICS]).collect();
    let spatial = [&PIVOT.program, &SHARED.program, &INCLUSION.program, &STATISTICS];
    let single = [CACHE, UNIQUE, LISTED].map(|kernel| kernel.program.name);
    let mut programs = Vec::new();
    for (axes, of) in [(1, &planar[..]), (2, &spatial[..])] {
        for contacts in 1..=3 {
            for program in of {
                for many in [false, true] {
                    if many && (single.contains(&program.name) || !program.samples) {
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
    programs.extend([&COPIES, &peak::MULTIPLY_ADD, &peak::COPY].map(|program| (program, plain)));
    let one = |(program, shape): &(&Program, KernelShape)| {
        let name = format!(
            "{}, {} contacts, {} axes, many {}",
            program.name, shape.contacts, shape.axes, shape.many
        );
        json!({ "name": name, "entry": program.entry_point, "text": program.source(shape, &Variant::default()) })
    };
    json!({ "programs": programs.iter().map(one).collect::<Vec<_>>() })
}
