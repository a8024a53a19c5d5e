//! Affine transformation (ISO 32000, section 8.3.3).

use std::ops::Mul;

/// The numbers a, b, c, d, e and f of a matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Matrix(pub(crate) [f64; 6]);

impl Matrix {
    pub(crate) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(crate) const fn translation(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }
}

impl Mul for Matrix {
    type Output = Self;

    /// Returns the transformation that applies `inner` first.
    fn mul(self, inner: Self) -> Self {
        let (outer, inner) = (self.0, inner.0);
        Self([
            outer[0] * inner[0] + outer[2] * inner[1],
            outer[1] * inner[0] + outer[3] * inner[1],
            outer[0] * inner[2] + outer[2] * inner[3],
            outer[1] * inner[2] + outer[3] * inner[3],
            outer[0] * inner[4] + outer[2] * inner[5] + outer[4],
            outer[1] * inner[4] + outer[3] * inner[5] + outer[5],
        ])
    }
}
