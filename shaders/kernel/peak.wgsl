// Peak performance of a GPU: multiply-adds and copies. The header defines real.

const ROUNDS = 1024u;

@group(0) @binding(0) var<storage, read> source: array<vec4<real>>;
@group(0) @binding(1) var<storage, read_write> target_: array<vec4<real>>;

// Eight chains of ROUNDS multiply-adds in four lanes each.
@compute @workgroup_size(64)
fn multiply_add(@builtin(global_invocation_id) id: vec3<u32>) {
    // Read from memory, so that the compiler cannot know the numbers.
    let a = source[0];
    let b = source[1];
    var x0 = a + b;
    var x1 = x0 + b;
    var x2 = x1 + b;
    var x3 = x2 + b;
    var x4 = x3 + b;
    var x5 = x4 + b;
    var x6 = x5 + b;
    var x7 = x6 + b;
    for (var i = 0u; i < ROUNDS; i++) {
        x0 = x0 * a + b;
        x1 = x1 * a + b;
        x2 = x2 * a + b;
        x3 = x3 * a + b;
        x4 = x4 * a + b;
        x5 = x5 * a + b;
        x6 = x6 * a + b;
        x7 = x7 * a + b;
    }
    target_[id.x % arrayLength(&target_)] = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;
}

@compute @workgroup_size(64)
fn copy(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var i = id.x; i < arrayLength(&source); i += 64u * groups.x) {
        target_[i] = source[i];
    }
}
