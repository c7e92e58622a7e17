//! The noncentral t distribution, of which the power of a t test is made.

use statrs::function::erf::erfc;

/// Nodes and weights of Gauss and Legendre for eight points, of which these are the positive ones.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_27),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

/// Pieces that the range is cut into; with eight points each the result is right to 1e-12.
const PIECES: u32 = 48;

/// What is farther out weighs less than `exp(−40)`.
const FAR: f64 = 40.0;

type Curve = Box<dyn Fn(f64) -> f64>;

/// P(T > t) for noncentral T.
pub(super) fn above(t: f64, freedom: f64, noncentrality: f64) -> f64 {
    // T = (Z + δ) / S, with Z normal and S the standard deviation of a normal sample. Given S, it is
    // above t with the probability of a normal distribution; what is left is the mean over S.
    mean_over_deviation(freedom, |s| 0.5 * erfc((t * s - noncentrality) / std::f64::consts::SQRT_2))
}

/// The mean of a function of S, where `freedom · S²` has a χ² distribution.
fn mean_over_deviation(freedom: f64, of: impl Fn(f64) -> f64) -> f64 {
    let (low, high, at, weight): (f64, f64, Curve, Curve) = if freedom <= 1.0 {
        let end = (2.0 * FAR).sqrt();
        (0.0, end, Box::new(|s| s), Box::new(|s: f64| (-s * s / 2.0).exp()))
    } else {
        // As a distance `u` from the most likely value, in which the density is a power that
        // does not lose its digits, however large the freedom.
        let (degrees, most_likely) = (freedom - 1.0, ((freedom - 1.0) / freedom).sqrt());
        let low = (-(FAR / degrees).sqrt()).max(-1.0);
        let high = (2.0 * FAR / degrees).sqrt();
        let weight = move |u: f64| (degrees * (u.ln_1p() - u - u * u / 2.0)).exp();
        (low, high, Box::new(move |u| most_likely * (1.0 + u)), Box::new(weight))
    };
    let width = (high - low) / f64::from(PIECES);
    let (mut sum, mut weights) = (0.0, 0.0);
    for piece in 0..PIECES {
        let middle = low + width * (f64::from(piece) + 0.5);
        for (node, share) in GAUSS {
            for place in [middle - node * width / 2.0, middle + node * width / 2.0] {
                let weight = share * weight(place);
                weights += weight;
                sum += weight * of(at(place));
            }
        }
    }
    sum / weights
}
