// A rigid body over a plane. Twin: src/mechanics/motion/lgvci/body.rs. The kernel provides mass, offset,
// gravity and normal.

struct BodyState {
    position: vec3<real>,
    attitude: Mat3,
    momentum: vec3<real>,
    angular_momentum: vec3<real>,
}

fn flight(state: BodyState, tau: real, after: ptr<function, BodyState>) -> bool {
    var f: vec3<real>;
    if (!rotation(state.angular_momentum * tau, &f)) {
        return false;
    }
    *after = flown(state, tau, f);
    return true;
}

fn flown(state: BodyState, tau: real, f: vec3<real>) -> BodyState {
    let turn = matrix(f);
    let fallen = gravity() * (tau * tau * HALF);
    return BodyState(
        (state.position + state.momentum * (tau / mass())) + fallen,
        product(state.attitude, turn),
        state.momentum + gravity() * (mass() * tau),
        apply_transposed(turn, state.angular_momentum),
    );
}

fn gap(state: BodyState) -> Support {
    let first = support(apply_transposed(state.attitude, normal()));
    return Support(vec3_dot(normal(), state.position) + offset() + first.value, first.point);
}

fn approach(state: BodyState, rho: vec3<real>) -> vec2<real> {
    let chi = lever(state, rho);
    let turned = apply(inverse(), chi);
    return vec2<real>(
        vec3_dot(normal(), state.momentum) / mass() + vec3_dot(state.angular_momentum, turned),
        ONE / mass() + vec3_dot(chi, turned),
    );
}

fn lever(state: BodyState, rho: vec3<real>) -> vec3<real> {
    return vec3_cross(rho, apply_transposed(state.attitude, normal()));
}

fn jump(state: BodyState, rho: vec3<real>, lambda: real) -> BodyState {
    return BodyState(
        state.position,
        state.attitude,
        state.momentum + normal() * lambda,
        state.angular_momentum + lever(state, rho) * lambda,
    );
}

fn total_energy(state: BodyState) -> real {
    let spin = apply(inverse(), state.angular_momentum);
    let translational = HALF * (vec3_dot(state.momentum, state.momentum) / mass());
    let rotational = HALF * vec3_dot(state.angular_momentum, spin);
    return translational + rotational - mass() * vec3_dot(gravity(), state.position);
}
