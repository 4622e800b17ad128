use super::links::Robot;
use carom_mechanics::model::spatial::{Matrix, inertia_fault};

/// Whether the moments of inertia are those of no body, and yet none is negative.
pub(super) fn is_unbalanced(inertia: &Matrix) -> bool {
    inertia.iter().all(|x| x.is_finite())
        && inertia_fault(inertia).is_some()
        && inertia.symmetric_eigenvalues().min() >= 0.0
}

/// Replaces such principal moments by their mean, as MuJoCo's `balanceinertia` does.
pub(super) fn balance(robot: &mut Robot) {
    for link in robot.links.iter_mut().filter(|link| is_unbalanced(&link.inertial.inertia)) {
        let mean = link.inertial.inertia.trace() / 3.0;
        link.inertial.inertia = Matrix::identity() * mean;
        robot.notes.say(format!(
            "`balanceinertia`: the principal moments of inertia of `{}` became their mean",
            link.name
        ));
    }
}
