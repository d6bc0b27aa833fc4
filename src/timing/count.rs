//! Products of counts. Order never matters: what is kept while multiplying forms a commutative monoid.

use crate::chains::Count;

/// A product under way. Kept apart from [`Count`], because "bounded by time, no number" would forget the
/// numbers beside it and make the result depend on the order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    /// Product of all numbers; a lower bound where something is unknown.
    number: u64,
    /// A factor is bounded by time.
    timed: bool,
    /// A factor is bounded by time and has no number.
    numberless: bool,
    /// A factor is not known.
    unknown: bool,
    /// A factor has no bound.
    unbounded: bool,
}

impl Product {
    /// Nothing multiplied yet.
    pub const ONE: Product = Product { number: 1, timed: false, numberless: false, unknown: false, unbounded: false };

    /// Both multiplied.
    pub fn times(self, other: Product) -> Product {
        Product {
            number: self.number.saturating_mul(other.number),
            timed: self.timed || other.timed,
            numberless: self.numberless || other.numberless,
            unknown: self.unknown || other.unknown,
            unbounded: self.unbounded || other.unbounded,
        }
    }

    /// What the product is: no bound wins, then not known (which never becomes a number), then bounded by time.
    pub fn count(self) -> Count {
        if self.unbounded {
            Count::Unbounded
        } else if self.unknown {
            Count::Unknown(self.number)
        } else if self.timed {
            Count::Time((!self.numberless).then_some(self.number))
        } else {
            Count::Exact(self.number)
        }
    }
}

impl From<Count> for Product {
    fn from(count: Count) -> Product {
        let one = Product::ONE;
        match count {
            Count::Exact(number) => Product { number, ..one },
            Count::Time(Some(number)) => Product { number, timed: true, ..one },
            Count::Time(None) => Product { timed: true, numberless: true, ..one },
            Count::Unknown(number) => Product { number, unknown: true, ..one },
            Count::Unbounded => Product { unbounded: true, ..one },
        }
    }
}

impl Count {
    /// All multiplied.
    pub fn product(counts: impl IntoIterator<Item = Count>) -> Count {
        counts.into_iter().map(Product::from).fold(Product::ONE, Product::times).count()
    }

    /// Both multiplied. For more than two use [`Count::product`], which forgets nothing on the way.
    pub fn times(self, other: Count) -> Count {
        Product::from(self).times(other.into()).count()
    }

    /// The larger of two alternatives. What is not known could be more than any number, so it wins over numbers; what has
    /// a bound and no number wins over both.
    pub fn larger(self, other: Count) -> Count {
        use Count::*;
        match (self, other) {
            (Unbounded, _) | (_, Unbounded) => Unbounded,
            (Time(None), _) | (_, Time(None)) => Time(None),
            (Unknown(a), b) | (b, Unknown(a)) => Unknown(a.max(b.at_least())),
            (Time(Some(a)), b) | (b, Time(Some(a))) if a >= b.at_least() => Time(Some(a)),
            (a, b) => Exact(a.at_least().max(b.at_least())),
        }
    }

    /// Whether it is, or may be, more than one execution.
    pub fn repeats(self) -> bool {
        match self {
            Count::Exact(n) | Count::Time(Some(n)) => n > 1,
            Count::Time(None) | Count::Unbounded | Count::Unknown(_) => true,
        }
    }

    /// The number, if there is one (with a bound in time: what fits).
    pub fn number(self) -> Option<u64> {
        match self {
            Count::Exact(n) | Count::Time(Some(n)) => Some(n),
            _ => None,
        }
    }

    /// A lower bound; 1 where nothing is known.
    pub fn at_least(self) -> u64 {
        match self {
            Count::Exact(n) | Count::Time(Some(n)) | Count::Unknown(n) => n,
            Count::Time(None) | Count::Unbounded => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Count::*;

    #[test]
    fn three_by_four_by_three_is_thirty_six() {
        assert_eq!(Count::product([Exact(3), Exact(4), Exact(3)]), Exact(36));
        assert_eq!(Count::product([]), Count::ONE);
    }

    #[test]
    fn kinds_of_counts_absorb_each_other() {
        assert_eq!(Exact(3).times(Time(Some(4))), Time(Some(12)));
        assert_eq!(Exact(3).times(Time(None)), Time(None));
        assert_eq!(Exact(3).times(Unknown(4)), Unknown(12));
        assert_eq!(Unknown(3).times(Unbounded), Unbounded);
        assert_eq!(Exact(u64::MAX).times(Exact(2)), Exact(u64::MAX));
    }

    #[test]
    fn a_number_forgotten_by_one_factor_is_not_lost_for_the_bound() {
        assert_eq!(Count::product([Exact(2), Time(None), Unknown(3)]), Unknown(6));
        assert_eq!(Count::product([Unknown(3), Exact(2), Time(None)]), Unknown(6));
    }

    #[test]
    fn the_larger_alternative() {
        assert_eq!(Exact(3).larger(Exact(4)), Exact(4));
        assert_eq!(Exact(12).larger(Unknown(3)), Unknown(12));
        assert_eq!(Exact(12).larger(Unbounded), Unbounded);
        assert_eq!(Exact(12).larger(Time(Some(3))), Exact(12));
        assert_eq!(Exact(12).larger(Time(None)), Time(None));
    }
}
