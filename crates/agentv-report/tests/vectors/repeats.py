"""Writes repeats.json: estimators of repeats as exact fractions, and intervals of means as published
libraries have them, for the tests of `src/statistics`. Versions that it was written with: numpy 2.4.6,
scipy 1.17.1.

    python3 -m venv venv && venv/bin/pip install scipy
    venv/bin/python repeats.py > repeats.json
"""

import json
import random
from fractions import Fraction
from math import comb, log

import numpy
import scipy
from scipy.optimize import brentq
from scipy.special import kl_div
from scipy.stats import beta, t


def estimators():
    fixed = [(1, 0, 1), (1, 1, 1), (2, 1, 1), (2, 1, 2), (5, 3, 2), (5, 3, 3), (5, 3, 4), (10, 1, 5),
             (10, 9, 5), (200, 1, 100), (200, 13, 10), (1000, 999, 1000), (10_000, 1, 5000),
             (10_000, 9_999, 5000), (10_000, 5_000, 10), (10_000, 9_990, 100), (10_000, 10, 100),
             (10_000, 7_000, 10_000), (10_000, 10_000, 10_000), (10_000, 0, 10_000)]
    draw = random.Random(20250103)
    drawn = []
    for _ in range(40):
        graded = draw.randrange(1, 10_001)
        drawn.append((graded, draw.randrange(0, graded + 1), draw.randrange(1, min(graded, 50) + 1)))
    for graded, passed, k in fixed + drawn:
        all_choices = comb(graded, k)
        at = 1 - Fraction(comb(graded - passed, k), all_choices)
        if graded - passed >= k:
            # The product that is published with the estimator.
            failing = numpy.prod(1.0 - k / numpy.arange(graded - passed + 1, graded + 1))
            assert abs(float(at) - (1.0 - failing)) < 1e-9
        yield {
            "graded": graded,
            "passed": passed,
            "k": k,
            "pass_at_k": float(at),
            "pass_hat_k": float(Fraction(comb(passed, k), all_choices)),
            "flake_rate": None
            if graded < 2
            else float(Fraction(passed * (graded - passed), comb(graded, 2))),
        }


def student(values, confidence):
    values = numpy.array(values)
    error = values.std(ddof=1) / numpy.sqrt(len(values))
    low, high = t.interval(confidence, df=len(values) - 1, loc=values.mean(), scale=error)
    return [float(numpy.clip(low, 0, 1)), float(numpy.clip(high, 0, 1))]


def means():
    draw = random.Random(20250104)
    fixed = [[0.0, 1.0], [0.7, 0.8], [0.5, 0.5, 0.51], [1.0, 1.0, 0.0], [0.9, 0.95, 1.0, 0.85, 0.9]]
    drawn = [[draw.random() for _ in range(draw.choice([2, 3, 10, 40]))] for _ in range(12)]
    for values in fixed + drawn:
        for confidence in (0.8, 0.95, 0.99):
            yield {
                "values": values,
                "confidence": confidence,
                "mean": float(numpy.mean(values)),
                "interval": student(values, confidence),
            }


def quantiles():
    for freedom in (1, 2, 3, 4, 5, 9, 30, 99, 1000, 100_000):
        for confidence in (0.5, 0.8, 0.9, 0.95, 0.99, 0.999):
            yield {
                "freedom": freedom,
                "confidence": confidence,
                "reach": float(t.ppf((1 + confidence) / 2, freedom)),
            }


def equal():
    def divergence(one, other):
        return kl_div(one, other) + kl_div(1 - one, 1 - other)

    for value in (0.0, 0.1, 0.5, 0.7, 0.95, 1.0):
        for count in (2, 3, 5, 16, 100, 10_000):
            for confidence in (0.8, 0.95, 0.99):
                outside = 1 - confidence
                beyond = lambda mean: count * divergence(value, mean) - log(2 / outside)
                low = 0.0 if value == 0 else brentq(beyond, 1e-300, value, xtol=1e-15)
                # The last number below 1 may still be inside.
                last = numpy.nextafter(1.0, 0.0)
                at_end = value == 1 or beyond(last) <= 0
                high = 1.0 if at_end else brentq(beyond, value, last, xtol=1e-15)
                if value == 1:
                    assert abs(low - beta.ppf(outside / 2, count, 1)) < 1e-12
                if value == 0:
                    assert abs(high - beta.ppf(1 - outside / 2, 1, count)) < 1e-12
                yield {
                    "value": value,
                    "count": count,
                    "confidence": confidence,
                    "interval": [float(low), float(high)],
                }


def lines(rows):
    return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n ]"


print("{")
print(f' "written_with": {json.dumps({"numpy": numpy.__version__, "scipy": scipy.__version__})},')
print(f' "estimators": {lines(estimators())},')
print(f' "means": {lines(means())},')
print(f' "quantiles": {lines(quantiles())},')
print(f' "equal": {lines(equal())}')
print("}")
