"""Writes paired.json: what published libraries say of paired differences, for the tests of
`src/statistics/paired`. Versions that it was written with: see the key `versions` in it.

    python3 -m venv venv && venv/bin/pip install scipy statsmodels
    venv/bin/python paired.py > paired.json
"""

import itertools
import json
import random
import sys
from math import sqrt

import numpy
import scipy
import statsmodels
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestPower

draw = random.Random(20250131)


def mean(values, axis=-1):
    return numpy.mean(values, axis=axis)


def permutations():
    """All sign flips of few differences; ties by rounding are the library's own affair, so sums are
    made of numbers that are exact in binary, or of ones that cannot tie."""
    samples = [
        [0.5], [0.0], [0.0, 0.0, 0.0], [0.25, 0.25], [-0.125] * 6, [1, -1], [1, 1, 1, 1, 1, -1],
        [0.5, 0.25, 0.125, 0, 0, -0.25], [1, 0.5, 0.25, 0.125, 0.0625, 0.03125],
        [-1, -1, -1, -0.5, -0.5, 0.25, 0, 0, 0],
    ]
    samples += [[draw.randrange(-8, 9) / 8 for _ in range(n)] for n in (3, 5, 8, 10, 12)]
    samples += [[draw.uniform(-1, 1) for _ in range(n)] for n in (2, 4, 7, 11, 13)]
    samples += [[draw.uniform(-0.3, 0.9) for _ in range(n)] for n in (9, 14)]
    for values in samples:
        values = numpy.array(values, dtype=float)
        if len(values) > 1:
            found = stats.permutation_test(
                (values, numpy.zeros_like(values)), lambda x, y, axis: mean(x - y, axis),
                permutation_type="samples", vectorized=True, n_resamples=numpy.inf,
                alternative="two-sided")
            p = float(found.pvalue)
            # Its two-sided p is twice the smaller side, which for flips is that of |T|.
            flips = itertools.product([1, -1], repeat=len(values))
            own = sum(abs(numpy.dot(values, f)) >= abs(values.sum()) - 1e-12 for f in flips)
            assert abs(min(1.0, p) - own / 2 ** len(values)) < 1e-9, (values, p)
        else:
            p = 1.0
        yield {"values": values.tolist(), "p": min(1.0, p)}


def large_permutations():
    """Passes and failures of many cases: the sign-flip test is the binomial one."""
    for better, worse, ties in ((40, 60, 1000), (0, 8, 999_992), (300, 200, 0), (5_000, 5_200, 10),
                                (499_000, 501_000, 0), (12, 3, 0), (1, 0, 0), (0, 0, 7)):
        n = better + worse
        yield {"better": better, "worse": worse, "ties": ties,
               "p": float(stats.binomtest(better, n).pvalue) if n else 1.0}


def convolved():
    """Hundredths, whose totals are counted by a convolution of whole numbers here as well."""
    for n, low, high in ((40, -20, 30), (80, -50, 50), (150, -10, 12)):
        values = [draw.randrange(low, high) for _ in range(n)]
        ways = {0: 1}
        for value in values:
            after = {}
            for total, count in ways.items():
                for sign in (1, -1):
                    after[total + sign * value] = after.get(total + sign * value, 0) + count
            ways = after
        total = abs(sum(values))
        as_far = sum(count for at, count in ways.items() if abs(at) >= total)
        yield {"values": [value / 100 for value in values], "p": as_far / 2 ** n}


def mcnemars():
    for better, worse in ((0, 0), (1, 0), (0, 1), (1, 1), (5, 1), (1, 9), (10, 10), (3, 14), (120, 80),
                          (0, 30), (2_000, 2_150)):
        found = mcnemar([[7, better], [worse, 11]], exact=True)
        binomial = stats.binomtest(better, better + worse).pvalue if better + worse else 1.0
        assert abs(found.pvalue - binomial) < 1e-9
        yield {"better": better, "worse": worse, "p": float(found.pvalue)}


def holms():
    families = [[0.01], [0.04, 0.01, 0.03], [0.05, 0.05], [1.0, 0.2, 0.0], [0.6, 0.7, 0.8],
                [draw.random() ** 4 for _ in range(12)], [0.001] * 5, [0.0, 0.0]]
    for family in families:
        yield {"p": family, "corrected": multipletests(family, method="holm")[1].tolist()}


def powers():
    for n in (2, 3, 4, 5, 8, 10, 20, 50, 100, 500, 1_000, 10_000, 1_000_000):
        size = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8, alternative="two-sided")
        size = float(numpy.ravel(size)[0])
        # The solver stops early; the equation itself is solved here to the last digit.
        crit = stats.t.isf(0.025, n - 1)

        def power(d):
            nc = d * sqrt(n)
            # The library does not know tails that are smaller than a number can be.
            below = numpy.nan_to_num(stats.nct.cdf(-crit, n - 1, nc))
            return stats.nct.sf(crit, n - 1, nc) + below - 0.8

        exact = float(scipy.optimize.brentq(power, size * 0.9, size * 1.1, xtol=1e-14, rtol=4 * numpy.finfo(float).eps))
        assert abs(exact - size) < 1e-4 * size, (n, exact, size)
        yield {"clusters": n, "size": exact}


def noncentral():
    for freedom in (1, 2, 3, 7, 30, 400, 99_999):
        for noncentrality in (0.0, 0.5, 2.8, 6.0):
            for t in (-1.0, 0.0, 1.5, 2.2, 4.0):
                above = float(stats.nct.sf(t, freedom, noncentrality)) if noncentrality \
                    else float(stats.t.sf(t, freedom))
                yield {"t": t, "freedom": freedom, "noncentrality": noncentrality, "above": above}


def samples():
    """Clusters of one pair: Student's interval, d_z and the smallest effect; and the expanded
    percentile bootstrap, with which ours can agree as far as draws do."""
    drawn = [[round(draw.betavariate(2, 5) - 0.2, 6) for _ in range(n)] for n in (2, 3, 5, 10, 40, 200)]
    drawn += [[draw.choice([-1, 0, 0, 0, 0, 1]) for _ in range(n)] for n in (12, 60, 400)]
    drawn += [[draw.choice([0, 0, 0.1, -0.2, 0.05]) for _ in range(30)]]
    for values in drawn:
        array = numpy.array(values, dtype=float)
        n, deviation = len(array), array.std(ddof=1)
        error = deviation / sqrt(n)
        student = numpy.clip(stats.t.interval(0.95, n - 1, array.mean(), error), -1, 1)
        outside = stats.norm.sf(stats.t.isf(0.025, n - 1) * sqrt(n / (n - 1)))
        found = stats.bootstrap((array,), mean, n_resamples=200_000, batch=2_000, method="percentile",
                                confidence_level=max(1e-9, 1 - 2 * outside), vectorized=True,
                                rng=numpy.random.default_rng(7))
        interval = found.confidence_interval
        ends = [float(interval.low), float(interval.high)]
        # What 10,000 draws may be off: five standard errors of a quantile, by its density.
        spread = sqrt(outside * (1 - outside) / 10_000)
        tolerance = []
        ordered = numpy.sort(found.bootstrap_distribution)
        for at in (outside, 1 - outside):
            low, high = (min(1.0, max(0.0, at + side * 5 * spread)) for side in (-1, 1))
            tolerance.append([float(numpy.quantile(ordered, low)), float(numpy.quantile(ordered, high))])
        yield {
            "values": values,
            "mean": float(array.mean()),
            "student": student.tolist(),
            "effect_size": float(array.mean() / deviation),
            "bootstrap": ends,
            "bootstrap_between": tolerance,
        }


def ratios():
    """Clusters of several sizes: the linearised standard error of a ratio, by regression through
    the origin with weights, as survey libraries define it."""
    for clusters in (2, 5, 30):
        rows = [(draw.uniform(-1, 1), draw.randrange(1, 6)) for _ in range(clusters)]
        sums = numpy.array([delta * pairs for delta, pairs in rows])
        pairs = numpy.array([pairs for _, pairs in rows], dtype=float)
        ratio = sums.sum() / pairs.sum()
        left = sums - ratio * pairs
        error = sqrt(clusters / (clusters - 1) * (left ** 2).sum()) / pairs.sum()
        reach = stats.t.isf(0.025, clusters - 1) * error
        yield {"sums": sums.tolist(), "pairs": [int(it) for it in pairs], "mean": float(ratio),
               "student": numpy.clip([ratio - reach, ratio + reach], -1, 1).tolist()}


def slopes():
    series = [[0.5, 0.6, 0.8], [0.9, 0.7, 0.8, 0.6, 0.65], [draw.random() for _ in range(30)],
              [0.8 + 0.001 * i + draw.gauss(0, 0.01) for i in range(100)]]
    for values in series:
        steps = numpy.arange(len(values))
        line = stats.linregress(steps, values)
        reach = stats.t.isf(0.025, len(values) - 2) * line.stderr
        yield {"values": values, "slope": float(line.slope),
               "interval": [float(line.slope - reach), float(line.slope + reach)]}


def regressions():
    """P(X >= failed2) for the flake rate that is known."""
    for graded1, failed1, graded2, failed2 in (
            (1, 0, 1, 1), (1, 0, 1, 0), (1, 1, 1, 1), (2, 1, 2, 2), (3, 1, 3, 3), (3, 1, 3, 2),
            (10, 1, 10, 3), (10, 1, 10, 4), (10, 4, 10, 7), (10, 4, 10, 8), (10, 5, 10, 10),
            (10, 0, 10, 1), (20, 2, 5, 2), (20, 2, 5, 3), (100, 1, 100, 4), (100, 1, 1, 1),
            (5, 2, 5, 4), (5, 2, 5, 5), (0, 0, 3, 3), (3, 0, 0, 0)):
        passed = failed1 * 2 < graded1
        p = float(stats.binom.sf(failed2 - 1, graded2, failed1 / graded1)) if graded1 else None
        yield {"counts": [graded1, failed1, graded2, failed2], "p": p,
               "regressed": bool(passed and failed2 > 0 and p <= 0.05)}


json.dump({
    "versions": {"python": sys.version.split()[0], "numpy": numpy.__version__,
                 "scipy": scipy.__version__, "statsmodels": statsmodels.__version__},
    "permutations": list(permutations()),
    "large_permutations": list(large_permutations()),
    "convolved": list(convolved()),
    "mcnemar": list(mcnemars()),
    "holm": list(holms()),
    "powers": list(powers()),
    "noncentral": list(noncentral()),
    "samples": list(samples()),
    "ratios": list(ratios()),
    "slopes": list(slopes()),
    "regressions": list(regressions()),
}, sys.stdout, indent=1)
print()
