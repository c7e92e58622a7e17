"""Writes agreement.json: what published libraries say of agreement, for the tests of
`src/statistics`. Versions that it was written with: numpy 2.4.6, scipy 1.17.1,
scikit-learn 1.9.1, statsmodels 0.15.0.

    python3 -m venv venv && venv/bin/pip install scikit-learn statsmodels scipy
    venv/bin/python agreement.py > agreement.json
"""

import itertools
import json
import math
import random
import warnings

import numpy
import scipy
import sklearn
import statsmodels
from scipy.stats import norm
from sklearn.metrics import accuracy_score, cohen_kappa_score, precision_score, recall_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa
from statsmodels.stats.proportion import proportion_confint

warnings.filterwarnings("ignore")


def known(number):
    number = float(number)
    return number if math.isfinite(number) else None


def interval(count, of, confidence, method):
    if of == 0:
        return None
    low, high = proportion_confint(count, of, alpha=1 - confidence, method=method)
    return [known(low), known(high)]


def shares():
    counts = [(0, 1), (1, 1), (0, 5), (5, 5), (1, 2), (3, 7), (29, 30), (46, 50), (50, 50),
              (87, 100), (1, 1000), (731, 1000), (99_990, 100_000)]
    for (count, of), confidence in itertools.product(counts, (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)):
        yield {
            "count": count,
            "of": of,
            "confidence": confidence,
            "wilson": interval(count, of, confidence, "wilson"),
            "clopper_pearson": interval(count, of, confidence, "beta"),
        }


def tables():
    # true pass, false fail, false pass, true fail
    fixed = [(1, 0, 0, 0), (0, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0), (10, 0, 0, 0), (0, 0, 0, 10),
             (10, 0, 0, 10), (0, 10, 10, 0), (0, 10, 0, 0), (0, 3, 7, 0), (5, 5, 5, 5),
             (20, 5, 10, 15), (45, 15, 25, 15), (25, 35, 5, 35), (40, 1, 3, 6), (30, 0, 4, 16),
             (30, 4, 0, 16), (0, 0, 4, 16), (12, 8, 0, 0), (1, 0, 0, 1), (118, 5, 2, 875)]
    draw = random.Random(20250101)
    drawn = [tuple(draw.randrange(0, 60) for _ in range(4)) for _ in range(30)]
    for table in fixed + drawn:
        both_pass, only_people, only_judge, both_fail = table
        people = [1] * (both_pass + only_people) + [0] * (only_judge + both_fail)
        judge = ([1] * both_pass + [0] * only_people) + ([1] * only_judge + [0] * both_fail)
        square = numpy.array([[both_pass, only_people], [only_judge, both_fail]])
        cohen = cohens_kappa(square)
        same = len(set(people)) == 1 and people == judge
        kappa = None if same else known(cohen.kappa)
        if kappa is not None:
            # Two libraries must agree before anybody is compared with them.
            assert abs(kappa - cohen_kappa_score(people, judge)) < 1e-12, table
        variance = None if same else max(0.0, float(cohen.var_kappa))
        error = None if variance is None else math.sqrt(variance if variance >= 1e-15 else 0.0)
        reach = norm.ppf(0.975)
        rate = lambda score, label: known(score(people, judge, pos_label=label, zero_division=numpy.nan))
        yield {
            "table": table,
            "accuracy": accuracy_score(people, judge),
            "true_positive_rate": rate(recall_score, 1),
            "true_negative_rate": rate(recall_score, 0),
            "positive_predictive_value": rate(precision_score, 1),
            "negative_predictive_value": rate(precision_score, 0),
            "kappa": kappa,
            "kappa_standard_error": error,
            "kappa_interval": [max(-1.0, kappa - reach * error), min(1.0, kappa + reach * error)]
            if error
            else None,
            "mcnemar_p": float(mcnemar(square, exact=True).pvalue),
        }


def repeats():
    fixed = [([0], 2), ([1], 2), ([2], 2), ([3, 3, 3], 3), ([0, 0], 3), ([0, 3], 3), ([1, 2], 3),
             ([3, 2, 0, 1, 3, 3], 3), ([1, 1, 1, 1], 2), ([5, 0, 4, 1, 5, 5, 2], 5)]
    draw = random.Random(20250102)
    drawn = []
    for _ in range(20):
        times = draw.randrange(2, 9)
        drawn.append(([draw.randrange(0, times + 1) for _ in range(draw.randrange(1, 40))], times))
    for passes, times in fixed + drawn:
        table = numpy.array([[passed, times - passed] for passed in passes])
        yield {
            "passes": passes,
            "repeats": times,
            "unanimous": sum(passed in (0, times) for passed in passes),
            "pairwise": sum(
                (p * (p - 1) + (times - p) * (times - p - 1)) / (times * (times - 1)) for p in passes
            )
            / len(passes),
            "fleiss_kappa": None
            if len({bool(row[0]) for row in table}) == 1 and (table[:, 1].sum() in (0, table.sum()))
            else known(fleiss_kappa(table, method="fleiss")),
        }


def lines(rows):
    return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n ]"


versions = {
    "numpy": numpy.__version__,
    "scipy": scipy.__version__,
    "scikit-learn": sklearn.__version__,
    "statsmodels": statsmodels.__version__,
}
print("{")
print(f' "written_with": {json.dumps(versions)},')
print(f' "shares": {lines(shares())},')
print(f' "tables": {lines(tables())},')
print(f' "repeats": {lines(repeats())}')
print("}")
