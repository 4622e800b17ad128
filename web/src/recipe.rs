//! Recipe for sampling a problem with WebGPU: text of the kernel, buffers, budget of one dispatch.

use carom_core::error::{Error, Result};
use carom_core::rng::sobol;
use carom_shaders::kernels::{INCLUSION, PIVOT, SHARED, TABLE};
use carom_shaders::spec::{DIRECTIONS, ENDINGS, IMPULSES, PROBLEM, REMAINING, RUN};
use carom_shaders::uniform::RunUniform;
use carom_shaders::{Binding, Inputs, Limits, SamplingKernel, Variant};
use serde_json::{Value, json};

use crate::opened::Opened;

/// The arrays of the last recipe.
pub struct Arrays {
    _inputs: Inputs<f32>,
    _uniform: Box<RunUniform>,
}

/// Address of an array, and its size in bytes.
pub fn place<T>(array: &[T]) -> Value {
    json!([array.as_ptr() as usize, size_of_val(array)])
}

/// Kernels that a request can name.
const NAMED: [&SamplingKernel; 4] = [&TABLE, &PIVOT, &SHARED, &INCLUSION];

/// Recipe of the named kernel, or of the kernel that [`Inputs::new`] chooses.
///
/// # Errors
/// Errors of [`Inputs::new`]; an unknown kernel.
pub fn recipe(
    opened: &Opened,
    limits: &Limits<'_>,
    kernel: Option<&str>,
) -> Result<(Value, Arrays)> {
    let (process, seed) = (&opened.single, opened.plan.seed);
    let inputs = match kernel {
        None => Inputs::new(process, seed, limits)?,
        Some(name) => {
            let named = NAMED.into_iter().find(|kernel| kernel.program.name == name);
            let kernel =
                named.ok_or_else(|| Error::usage(format!("there is no kernel `{name}`")))?;
            Inputs::with_kernel(process, seed, kernel, limits)?
        }
    };
    // Browsers have no 64-bit integers and no f64.
    let hardware = Variant::usual(true, false, false);
    let variant = if limits.hardware { hardware } else { Variant::default() };
    let Inputs { kernel, shape, chunk, numbers, tables, .. } = &inputs;
    let uniform = Box::new(inputs.uniform);
    let storage = |at: u32, array: Value| json!({ "binding": at, "storage": true, "array": array });
    let constant =
        |at: u32, array: Value| json!({ "binding": at, "storage": false, "array": array });
    let kept = |at: u32, bytes: usize| json!({ "binding": at, "bytes_of_sample": bytes });
    let problem = if shape.stored() { storage } else { constant };
    let mut buffers = vec![problem(PROBLEM, place(numbers))];
    if kernel.draws {
        buffers.push(constant(DIRECTIONS, place(&sobol::DIRECTIONS)));
    }
    for &(at, ref binding) in kernel.bindings {
        buffers.push(match binding {
            Binding::Spans => storage(at, place(&tables.spans)),
            Binding::Maps | Binding::Forces => storage(at, place(&tables.maps)),
            Binding::Matrices => storage(at, place(&inputs.matrices)),
            Binding::Numbers(count) => kept(at, count(shape) * size_of::<f32>()),
            Binding::Words(count) => kept(at, count(shape) * size_of::<u32>()),
        });
    }
    let state = shape.rows() * size_of::<f32>();
    buffers.extend([kept(IMPULSES, 2 * state), kept(ENDINGS, 8)]);
    let field = |offset: usize| offset / size_of::<u32>();
    let answer = json!({
        "kernel": kernel.program.name,
        "solver": kernel.solver,
        "key": format!("{} {shape:?}", kernel.program.name),
        "text": kernel.program.source(shape, &variant),
        "entry": kernel.program.entry_point,
        "chunk": chunk,
        "group": kernel.group(),
        "share": variant.share,
        "fewest": limits.fewest_threads(),
        "buffers": buffers,
        "run": RUN, "remaining": REMAINING, "endings": ENDINGS, "impulses": IMPULSES,
        "state": state,
        // The uniform, and the word indices of its fields that change from dispatch to dispatch.
        "uniform": place(std::slice::from_ref(&*uniform)),
        "words": {
            "first": field(std::mem::offset_of!(RunUniform, first)),
            "count": field(std::mem::offset_of!(RunUniform, count)),
            "fresh": field(std::mem::offset_of!(RunUniform, fresh)),
            "threads": field(std::mem::offset_of!(RunUniform, threads)),
            "stride": field(std::mem::offset_of!(RunUniform, stride)),
        },
    });
    Ok((answer, Arrays { _inputs: inputs, _uniform: uniform }))
}
