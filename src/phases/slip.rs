//! The motion in a phase: conversion between the whole problem and its sliding contacts.

use carom_core::Real;

use crate::array::{add, dot};
use crate::contacts::{Contacts, Friction, Normal};
use crate::event::ROUNDING;
use crate::range::Problem;
use crate::rest::Rest;
use crate::slide::{Pull, Slide, stride};

/// A force or impulse in the range of `W` without the rows at rest; components along these rows.
pub type Push<R, const P: usize> = ([R; P], [R; P]);

/// The motion of a phase.
#[derive(Clone, Debug)]
pub struct Slip<R, const P: usize> {
    pub slide: Slide<R>,
    /// Rows orthogonal to the rows at rest, and components along these: tangents of sliding
    /// contacts, normals of held contacts, and `columns`: normal plus proportional friction of held
    /// contacts.
    tangents: Vec<[R; P]>,
    tangents_along: Vec<[R; P]>,
    normals: Vec<[R; P]>,
    columns: Vec<[R; P]>,
    columns_along: Vec<[R; P]>,
    /// The constant forces.
    push: Push<R, P>,
    /// Work arrays of `stop`: friction and normal impulses.
    stops: [Vec<R>; 2],
}

impl<R: Real, const P: usize> Slip<R, P> {
    pub fn new(m: usize) -> Self {
        let t = 2 * stride(m);
        let zeros = |n: usize| vec![[R::ZERO; P]; n];
        Slip {
            slide: Slide::new(m),
            tangents: zeros(t),
            tangents_along: zeros(t),
            normals: zeros(m),
            columns: zeros(m),
            columns_along: zeros(m),
            push: ([R::ZERO; P], [R::ZERO; P]),
            stops: [vec![R::ZERO; t], vec![R::ZERO; m]],
        }
    }

    /// Assembles the equations of the present modes, once the rows at rest are projected.
    pub fn assemble(&mut self, problem: &Problem<'_, R, P>, rest: &Rest<R, P>, of: &Contacts<R>) {
        self.collect(problem.m, of);
        let Slip { slide, tangents, tangents_along, normals, columns, columns_along, .. } = self;
        let (m, s) = (problem.m, slide.stride);
        let mut push = [R::ZERO; P];
        let (mut q, mut e) = (0, 0);
        for i in 0..m {
            if of.caps[i] <= R::ZERO || of.normal[i] == Normal::Off {
                continue;
            }
            let t = m + 2 * i;
            let normal = if of.normal[i] == Normal::Full { of.caps[i] } else { of.l[i] };
            add(&mut push, normal, &problem.rows[i]);
            let most = problem.mu[i] * normal;
            let constant = match of.friction[i] {
                Friction::Stick => [of.l[t], of.l[t + 1]],
                Friction::Straight | Friction::Tied => of.way[i].map(|x| x * most),
                _ => [R::ZERO; 2],
            };
            add(&mut push, constant[0], &problem.rows[t]);
            add(&mut push, constant[1], &problem.rows[t + 1]);
            let slides = slide.sliding.get(q) == Some(&i);
            if slides {
                slide.most[q] = most;
                slide.slides[q] = of.friction[i] == Friction::Slide;
                for axis in 0..2 {
                    let a = axis * s + q;
                    (tangents[a], tangents_along[a]) = rest.split(problem.rows[t + axis]);
                    slide.bound[a] = of.way[i][axis];
                }
            }
            if slide.held.get(e) == Some(&i) {
                slide.place[e] = slides.then_some(q);
                slide.held_mu[e] = problem.mu[i];
                let mut column = problem.rows[i];
                (normals[e], columns_along[e]) = rest.split(column);
                columns[e] = normals[e];
                if matches!(of.friction[i], Friction::Straight | Friction::Tied) {
                    add(&mut column, problem.mu[i] * of.way[i][0], &problem.rows[t]);
                    add(&mut column, problem.mu[i] * of.way[i][1], &problem.rows[t + 1]);
                    (columns[e], columns_along[e]) = rest.split(column);
                }
                e += 1;
            }
            q += usize::from(slides);
        }
        self.push = rest.split(push);
        self.weigh();
    }

    /// Lists the sliding contacts and the contacts held with friction at its bound.
    fn collect(&mut self, m: usize, of: &Contacts<R>) {
        let Slide { sliding, held, .. } = &mut self.slide;
        sliding.clear();
        held.clear();
        for i in (0..m).filter(|i| of.caps[*i] > R::ZERO && of.normal[*i] != Normal::Off) {
            if matches!(of.friction[i], Friction::Slide | Friction::Bound) {
                sliding.push(i);
            }
            if of.is_held_at_bound(i) {
                held.push(i);
            }
        }
        let slide = &mut self.slide;
        slide.stride = stride(slide.sliding.len());
        let (s, t) = (slide.stride, 2 * slide.stride);
        slide.slides[..s].fill(false);
        slide.most[..s].fill(R::ZERO);
        slide.bound[..t].fill(R::ZERO);
        slide.x0[..t].fill(R::ZERO);
    }

    /// Computes the Delassus blocks of the collected contacts.
    fn weigh(&mut self) {
        let Slip { slide, tangents, normals, columns, push: (push, _), .. } = self;
        let (s, ns, nh) = (slide.stride, slide.sliding.len(), slide.held.len());
        let t = 2 * s;
        let entries = (0..ns).chain(s..s + ns);
        for a in entries.clone() {
            slide.xx[a * t..(a + 1) * t].fill(R::ZERO);
        }
        for a in entries.clone() {
            for b in entries.clone().take_while(|b| *b <= a) {
                let w = dot(&tangents[a], &tangents[b]);
                (slide.xx[a * t + b], slide.xx[b * t + a]) = (w, w);
            }
            slide.x0[a] = dot(&tangents[a], push);
        }
        for f in 0..nh {
            slide.xh[f * t..(f + 1) * t].fill(R::ZERO);
            slide.hx[f * t..(f + 1) * t].fill(R::ZERO);
            for a in entries.clone() {
                slide.xh[f * t + a] = dot(&tangents[a], &columns[f]);
                slide.hx[f * t + a] = dot(&tangents[a], &normals[f]);
            }
            for e in 0..nh {
                slide.hh[e * nh + f] = dot(&normals[e], &columns[f]);
            }
            slide.h0[f] = dot(&normals[f], push);
        }
    }

    /// The total force in the range of `W`, and its components along the rows at rest.
    pub fn push(&self, pull: &Pull<R>) -> Push<R, P> {
        self.sum(R::ONE, &pull.friction, &pull.change)
    }

    /// The impulse of the last step, of length `h`, as in [`Slip::push`].
    pub fn pushed(&self, h: R) -> Push<R, P> {
        self.sum(h, &self.slide.impulse, &self.slide.held_impulse)
    }

    fn sum(&self, h: R, friction: &[R], change: &[R]) -> Push<R, P> {
        let (mut push, mut along) = self.push;
        push.iter_mut().chain(&mut along).for_each(|x| *x = *x * h);
        let (ns, s) = (self.slide.sliding.len(), self.slide.stride);
        for a in (0..ns).chain(s..s + ns) {
            add(&mut push, friction[a], &self.tangents[a]);
            add(&mut along, friction[a], &self.tangents_along[a]);
        }
        for e in 0..self.slide.held.len() {
            add(&mut push, change[e], &self.columns[e]);
            add(&mut along, change[e], &self.columns_along[e]);
        }
        (push, along)
    }

    /// Adds to `l` (K) the impulse that stops the normals of held contacts at velocity `y`; returns
    /// this impulse in the range of `W`. `None` where it would exceed `most`.
    pub fn stop(
        &mut self,
        of: &Contacts<R>,
        y: &[R; P],
        most: R,
        l: &mut [R],
    ) -> Option<Push<R, P>> {
        let Slip { slide, normals, stops: [friction, h], .. } = self;
        let nh = slide.held.len();
        for e in 0..nh {
            // Redundant contacts would share rounding errors by large impulses.
            let velocity = dot(&normals[e], y);
            h[e] = if velocity.abs() > R::from_f64(ROUNDING) { velocity } else { R::ZERO };
        }
        friction.fill(R::ZERO);
        let fine = slide.stop(&mut h[..nh], friction);
        if !fine || h[..nh].iter().any(|x| !x.is_finite() || x.abs() > most) {
            return None;
        }
        let Slip { slide, stops: [friction, h], .. } = &*self;
        slide.give(of, friction, h, l);
        Some(self.sum(R::ZERO, friction, h))
    }
}
