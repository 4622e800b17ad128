// Philox4x32-10 [SMDS11]. Twin: src/core/rng/philox.rs.

fn philox4x32_10(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    var x = counter;
    var k = key;
    for (var round = 0u; round < 10u; round++) {
        let a_high = multiply_high(0xD2511F53u, x.x);
        let a_low = 0xD2511F53u * x.x;
        let b_high = multiply_high(0xCD9E8D57u, x.z);
        let b_low = 0xCD9E8D57u * x.z;
        x = vec4<u32>(b_high ^ x.y ^ k.x, b_low, a_high ^ x.w ^ k.y, a_low);
        k = k + vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    return x;
}
