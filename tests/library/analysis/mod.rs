//! What is proved, against samples, walks in fractions and closed forms.

mod bounds;
mod certified;
mod chatter;
mod guarantee;
mod judged;
mod near;
mod reach;

use crate::law::ends;
