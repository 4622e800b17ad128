use carom_core::Number;

/// A contact over a substep.
pub(super) struct Passage<X> {
    /// Normal velocity before and after, its mean, and the size below which it counts as zero.
    pub u: X,
    pub next: X,
    pub travel: X,
    pub landing: X,
    /// Normal impulse.
    pub impulse: X,
    /// Content of the reservoir, and the content below which it counts as empty.
    pub stored: X,
    pub empty: X,
    /// Coefficient of restitution.
    pub e: X,
    /// Whether the reservoir holds impulse (Poisson) instead of work (Stronge).
    pub poisson: bool,
}

impl<X: Number> Passage<X> {
    /// What the reservoir holds after a substep in which it is returned, before it counts as empty.
    #[inline(always)]
    pub(super) fn left(&self) -> X {
        let given = if self.poisson { self.impulse } else { self.impulse * self.travel };
        self.stored - given
    }

    /// What the reservoir holds after a substep in which it is returned.
    #[inline(always)]
    pub(super) fn returned(&self) -> X {
        let (left, e) = (self.left(), self.e);
        // What is compressed meanwhile is stored.
        let stored = self.stored + e * e * (left - self.stored);
        let stored = X::pick(self.stored.below(left), stored, left);
        X::pick(left.up_to(self.empty), left.number(0.0), stored)
    }

    /// Whether a contact at rest is pushed on. One that rests up to rounding is not with Poisson's
    /// hypothesis: its work is 0, but its impulse, which counts then, is not.
    #[inline(always)]
    pub(super) fn driven(&self) -> X::Mask {
        let zero = self.u.number(0.0);
        self.u.up_to(self.landing) & self.next.below(zero - self.still())
    }

    /// The size of a normal velocity up to which nothing is compressed.
    #[inline(always)]
    pub(super) fn still(&self) -> X {
        if self.poisson { self.landing } else { self.u.number(0.0) }
    }

    /// What the reservoir holds after a substep of compression.
    #[inline(always)]
    pub(super) fn compressed(&self) -> X {
        let (e, zero) = (self.e, self.u.number(0.0));
        let gained =
            if self.poisson { e * self.impulse } else { zero - e * e * self.impulse * self.travel };
        (self.stored + gained).larger(zero)
    }

    /// The normal velocity after the substep: one that has come to zero from one side stays there.
    #[inline(always)]
    pub(super) fn landed(&self) -> X {
        let Passage { u, next, landing, .. } = *self;
        let zero = u.number(0.0);
        let comes = ((next - u) * u).below(zero);
        let lands = landing.below(u.magnitude()) & next.magnitude().up_to(landing);
        X::pick(lands & comes, zero, next)
    }
}
