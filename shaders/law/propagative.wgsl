// Reflections of the momentum. Twin: reflect in src/law/finite/propagative/reflections.rs.

// Reverses the normal velocity of contact i; there is no residual.
// Twin: reflect.
// The kernel calls both twins strike.
fn strike(i: u32, s: ptr<function, Sample>) -> real {
    let u = (*s).x[i];
    let ln = -(u + u) / w_at(i * K + i);
    for (var j = 0u; j < M; j++) {
        (*s).x[j] += w_at(j * K + i) * ln;
    }
    (*s).x[i] = -u;
    (*s).total[i] += ln;
    return ZERO;
}
