use carom_core::Number;

/// The passage of a contact over a substep.
pub(super) struct Passage<X> {
    /// Normal velocity before and after, its mean, and the threshold below which it counts as zero.
    pub u: X,
    pub next: X,
    pub travel: X,
    pub landing: X,
    /// Normal impulse.
    pub impulse: X,
    /// Stored work or impulse, and the threshold below which it counts as zero.
    pub stored: X,
    pub empty: X,
    /// Coefficient of restitution.
    pub e: X,
    /// Whether the contact stores impulse (Poisson) instead of work (Stronge).
    pub poisson: bool,
}

impl<X: Number> Passage<X> {
    /// Stored work (Poisson: impulse) after a restitution substep, before the threshold is applied.
    #[inline(always)]
    pub(super) fn left(&self) -> X {
        let given = if self.poisson { self.impulse } else { self.impulse * self.travel };
        self.stored - given
    }

    /// Stored work (Poisson: impulse) after a restitution substep.
    #[inline(always)]
    pub(super) fn returned(&self) -> X {
        let (left, e) = (self.left(), self.e);
        // Work of compression during the substep is stored.
        let stored = self.stored + e * e * (left - self.stored);
        let stored = X::pick(self.stored.below(left), stored, left);
        X::pick(left.up_to(self.empty), left.number(0.0), stored)
    }

    /// Whether a contact at rest is pressed into approach. With Poisson's hypothesis, rest up to
    /// rounding does not count: its work is 0, but its impulse, which Poisson's hypothesis counts,
    /// is not.
    #[inline(always)]
    pub(super) fn driven(&self) -> X::Mask {
        let zero = self.u.number(0.0);
        self.u.up_to(self.landing) & self.next.below(zero - self.still())
    }

    /// The threshold of normal velocities without compression.
    #[inline(always)]
    pub(super) fn still(&self) -> X {
        if self.poisson { self.landing } else { self.u.number(0.0) }
    }

    /// Stored work (Poisson: impulse) after a compression substep.
    #[inline(always)]
    pub(super) fn compressed(&self) -> X {
        let (e, zero) = (self.e, self.u.number(0.0));
        let gained =
            if self.poisson { e * self.impulse } else { zero - e * e * self.impulse * self.travel };
        (self.stored + gained).larger(zero)
    }

    /// The normal velocity after the substep: a velocity that has reached zero stays zero.
    #[inline(always)]
    pub(super) fn landed(&self) -> X {
        let Passage { u, next, landing, .. } = *self;
        let zero = u.number(0.0);
        let comes = ((next - u) * u).below(zero);
        let lands = landing.below(u.magnitude()) & next.magnitude().up_to(landing);
        X::pick(lands & comes, zero, next)
    }
}
