"""The printed numbers of liu2022: Tables 3, 4, 5 and 7.

In the text at hand, Tables 3 and 4 print rows of rmLR and rLR below Synth1, Wine and Heart.  They
belong to the set that *follows* (Synth2, Heart, Boston: the sets of two classes): only so do they
give the wins, draws and losses of Table 5 (see :func:`wins`), and so they stand here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["METHODS", "RATES", "TABLES", "TABLE_5", "TABLE_7", "misplaced", "wins"]

Row = Sequence[float | None]
Table = Mapping[str, Mapping[str, Row]]

RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
METHODS = ("Ada", "rNDA", "GMDA", "rmLR", "rLR")
_BELOW = {"Synth1": "Synth2", "Wine": "Heart", "Heart": "Boston"}


def _table(text: str) -> Table:
    """Read lines of a set, a method and six numbers ("/": not given)."""
    rows: dict[str, dict[str, Row]] = {}
    for line in text.strip().splitlines():
        name, method, *numbers = (word.strip() for word in line.split("|"))
        values = [None if number == "/" else float(number) for number in numbers[0].split()]
        rows.setdefault(name, {})[method] = values
    return rows


TABLES: Mapping[str, Table] = {
    "symmetric": _table(
        """
        Synth1 | Ada | 0.03 0.056 0.061 0.078 0.116 0.224
        Synth1 | rNDA | 0.035 0.064 0.064 0.065 0.065 0.065
        Synth1 | GMDA | 0.005 0.003 0.003 0.003 0.030 0.003
        Synth2 | rmLR | 0.142 0.138 0.138 0.184 0.504 0.504
        Synth2 | rLR | 0.147 0.138 0.138 0.17 0.186 0.504
        Synth2 | Ada | 0.142 0.14 0.142 0.184 0.226 0.318
        Synth2 | rNDA | 0.138 0.138 0.138 0.266 0.524 0.532
        Synth2 | GMDA | 0.128 0.120 0.126 0.166 0.19 0.182
        Breast Issue | Ada | 0.396 0.333 0.381 0.523 0.571 0.619
        Breast Issue | rNDA | 0.305 0.404 0.357 0.5 0.504 0.542
        Breast Issue | GMDA | 0.377 0.238 0.357 0.357 0.500 0.504
        Iris | Ada | 0.026 0.05 0.183 0.200 0.333 0.233
        Iris | rNDA | 0.026 0.033 0.033 0.05 0.100 0.08
        Iris | GMDA | 0.013 0.016 0.033 0.05 0.083 0.08
        Wine | Ada | 0.078 0.123 0.112 0.157 0.236 0.606
        Wine | rNDA | 0.044 0.011 0.044 0.044 0.044 0.078
        Wine | GMDA | 0.033 0.022 0.044 0.033 0.045 0.076
        Heart | rmLR | 0.548 0.654 0.691 0.737 0.6 0.5
        Heart | rLR | 0.533 0.635 0.672 0.7 0.65 0.6
        Heart | Ada | 0.270 0.261 0.299 0.537 0.32 0.537
        Heart | rNDA | 0.609 0.626 0.607 0.637 0.39 0.7
        Heart | GMDA | 0.248 0.261 0.261 0.289 0.287 0.271
        Boston | rmLR | 0.130 0.138 0.128 0.193 0.336 0.514
        Boston | rLR | 0.130 0.183 0.113 0.188 0.316 0.638
        Boston | Ada | 0.17 0.158 0.163 0.183 0.292 0.549
        Boston | rNDA | 0.233 0.198 0.198 0.198 0.445 0.717
        Boston | GMDA | 0.205 0.183 0.188 0.183 0.188 0.185
        Wave form | Ada | 0.188 0.201 0.223 0.223 0.290 0.312
        Wave form | rNDA | 0.293 0.248 0.249 0.251 0.252 0.253
        Wave form | GMDA | 0.222 0.228 0.231 0.232 0.244 0.244
        """
    ),
    "asymmetric": _table(
        """
        Synth1 | Ada | 0.03 0.073 0.085 0.138 0.211 0.221
        Synth1 | rNDA | 0.035 0.035 0.067 0.067 0.065 0.79
        Synth1 | GMDA | 0.005 0.005 0.005 0.005 0.026 0.191
        Synth2 | rmLR | 0.142 0.138 0.148 0.138 0.192 /
        Synth2 | rLR | 0.147 0.138 0.142 0.134 0.23 /
        Synth2 | Ada | 0.142 0.142 0.296 0.468 0.494 /
        Synth2 | rNDA | 0.138 0.128 0.144 0.144 0.148 0.504
        Synth2 | GMDA | 0.128 0.128 0.132 0.13 0.144 0.52
        Breast Issue | Ada | 0.396 0.333 0.357 0.343 0.452 0.509
        Breast Issue | rNDA | 0.305 0.238 0.285 0.437 0.523 0.5
        Breast Issue | GMDA | 0.377 0.261 0.214 0.25 0.404 0.415
        Iris | Ada | 0.026 0.016 0.183 0.177 0.433 /
        Iris | rNDA | 0.026 0.016 0.016 0.022 0.033 /
        Iris | GMDA | 0.013 0.016 0.016 0.022 0.033 /
        Wine | Ada | 0.078 0.140 0.112 0.197 0.408 /
        Wine | rNDA | 0.044 0.056 0.056 0.042 0.056 /
        Wine | GMDA | 0.033 0.042 0.042 0.042 0.056 /
        Heart | rmLR | 0.548 0.448 0.336 0.355 0.700 /
        Heart | rLR | 0.533 0.420 0.411 0.336 0.672 /
        Heart | Ada | 0.270 0.299 0.307 0.392 0.719 /
        Heart | rNDA | 0.609 0.364 0.271 0.364 0.729 /
        Heart | GMDA | 0.248 0.261 0.261 0.261 0.327 /
        Boston | rmLR | 0.130 0.163 0.173 0.178 0.198 0.336
        Boston | rLR | 0.130 0.163 0.183 0.173 0.193 0.347
        Boston | Ada | 0.17 0.178 0.262 0.415 0.485 0.442
        Boston | rNDA | 0.233 0.198 0.198 0.198 0.445 0.233
        Boston | GMDA | 0.205 0.168 0.183 0.183 0.163 0.221
        Wave form | Ada | 0.188 0.196 0.286 0.339 0.390 /
        Wave form | rNDA | 0.293 0.23 0.231 0.493 0.500 /
        Wave form | GMDA | 0.222 0.227 0.226 0.280 0.296 /
        """
    ),
}

# Win/draw/lose, symmetric then asymmetric; rows of rmLR and rLR moved as in Tables 3 and 4.
TABLE_5: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Synth1": {
        "Ada": ("0/0/6", "0/0/6"),
        "rNDA": ("0/0/6", "0/0/6"),
        "GMDA": ("6/0/0", "6/0/0"),
    },
    "Synth2": {
        "rmLR": ("0/0/6", "0/0/6"),
        "rLR": ("1/0/5", "0/0/6"),
        "Ada": ("0/0/6", "0/0/6"),
        "rNDA": ("0/0/6", "1/1/4"),
        "GMDA": ("5/0/1", "4/1/1"),
    },
    "Breast Issue": {
        "Ada": ("0/0/6", "0/0/6"),
        "rNDA": ("1/1/4", "2/0/4"),
        "GMDA": ("4/1/1", "4/0/2"),
    },
    "Iris": {
        "Ada": ("0/0/6", "0/0/5"),
        "rNDA": ("0/3/3", "0/4/1"),
        "GMDA": ("3/3/0", "1/4/0"),
    },
    "Wine": {
        "Ada": ("0/0/6", "0/0/5"),
        "rNDA": ("1/2/3", "0/2/3"),
        "GMDA": ("3/2/1", "3/2/0"),
    },
    "Heart": {
        "rmLR": ("0/0/6", "0/0/5"),
        "rLR": ("0/0/6", "0/0/5"),
        "Ada": ("0/1/5", "0/0/5"),
        "rNDA": ("0/0/6", "0/0/5"),
        "GMDA": ("5/1/0", "5/0/0"),
    },
    "Boston": {
        "rmLR": ("1/1/4", "1/2/3"),
        "rLR": ("1/1/4", "1/2/3"),
        "Ada": ("0/1/5", "0/0/6"),
        "rNDA": ("0/0/6", "0/0/6"),
        "GMDA": ("2/1/3", "2/0/4"),
    },
    "Wave form": {
        "Ada": ("4/0/2", "2/0/3"),
        "rNDA": ("0/0/6", "0/0/5"),
        "GMDA": ("2/0/4", "3/0/2"),
    },
}

# Table 7 by set: rows in the two classes, folds, whether the classes are correlated, then errors.
TABLE_7: Mapping[str, tuple[tuple[int, int], int, bool, Mapping[str, Row]]] = {
    "Synth1": (
        (7592, 7408),
        5,
        True,
        {
            "GMDA": (0.5023, 0.5023, 0.5023, 0.5023, 0.5023, 0.4977),
            "rNDA": (0.5063, 0.5063, 0.5063, 0.5063, 0.5063, 0.4937),
            "Ada": (0.4953, 0.4853, 0.4997, 0.5007, 0.5090, 0.5047),
            "rLR": (0.4927, 0.4907, 0.5057, 0.5017, 0.5110, 0.5087),
            "rmLR": (0.4890, 0.4877, 0.4953, 0.5080, 0.5080, 0.5090),
        },
    ),
    "Synth3": (
        (8434, 6566),
        10,
        True,
        {
            "GMDA": (0.5073, 0.5073, 0.4927, 0.4927, 0.4927, 0.4927),
            "rNDA": (0.5067, 0.5067, 0.4933, 0.4933, 0.4933, 0.4933),
            "Ada": (0.4520, 0.4520, 0.4520, 0.4520, 0.5480, 0.5480),
            "rLR": (0.5033, 0.5087, 0.4973, 0.4807, 0.4867, 0.4947),
            "rmLR": (0.5120, 0.4987, 0.4973, 0.4740, 0.4827, 0.4967),
        },
    ),
    "Synth5": (
        (7707, 7293),
        3,
        True,
        {
            "GMDA": (0.5060, 0.5060, 0.5060, 0.5060, 0.5060, 0.4938),
            "rNDA": (0.4944, 0.5056, 0.5056, 0.5056, 0.5056, 0.5056),
            "Ada": (0.4812, 0.4812, 0.4812, 0.4812, 0.5188, 0.5188),
            "rLR": (0.4838, 0.4956, 0.4884, 0.4818, 0.4934, 0.5144),
            "rmLR": (0.4846, 0.4908, 0.4904, 0.4950, 0.4904, 0.5152),
        },
    ),
    "Synth2": (
        (6619, 8381),
        5,
        False,
        {
            "GMDA": (0.5570, 0.5570, 0.5570, 0.5577, 0.9640, 0.5570),
            "rNDA": (0.4427, 0.4427, 0.4427, 0.4427, 0.4427, 0.4427),
            "Ada": (0.4427, 0.4427, 0.4427, 0.5573, 0.5573, 0.4427),
            "rLR": (0.1653, 0.1103, 0.3853, 0.5573, 0.9483, 0.1653),
            "rmLR": (0.2730, 0.2730, 0.4303, 0.5477, 0.7920, 0.2730),
        },
    ),
    "Synth4": (
        (6619, 8381),
        10,
        False,
        {
            "GMDA": (0.0420, 0.5440, 0.5453, 0.5440, 0.5473, 0.9613),
            "rNDA": (0.4560, 0.4560, 0.4560, 0.4560, 0.4560, 0.4560),
            "Ada": (0.4560, 0.4560, 0.4560, 0.4560, 0.5440, 0.5440),
            "rLR": (0.0647, 0.2313, 0.2320, 0.2133, 0.4267, 0.9353),
            "rmLR": (0.0600, 0.2313, 0.3453, 0.3733, 0.4473, 0.9400),
        },
    ),
    "Synth6": (
        (7796, 7204),
        3,
        False,
        {
            "GMDA": (0.0424, 0.5572, 0.5572, 0.5570, 0.5673, 0.9628),
            "rNDA": (0.4422, 0.4422, 0.4422, 0.4422, 0.4422, 0.4422),
            "Ada": (0.4422, 0.4422, 0.4422, 0.4422, 0.5578, 0.5578),
            "rLR": (0.0754, 0.1754, 0.1562, 0.1902, 0.4370, 0.9264),
            "rmLR": (0.0708, 0.2686, 0.2376, 0.3258, 0.4577, 0.9112),
        },
    ),
}


def misplaced(table: Mapping[str, Mapping[str, Row]]) -> dict[str, dict[str, Row]]:
    """Return the table with rmLR and rLR below the set under whose name they are printed."""
    rows = {
        name: {m: row for m, row in methods.items() if "LR" not in m}
        for name, methods in table.items()
    }
    for above, below in _BELOW.items():
        rows[above] |= {m: row for m, row in table[below].items() if "LR" in m}
    return rows


def wins(rows: Mapping[str, Row]) -> dict[str, str]:
    """Win/draw/lose of each method: least error alone, least with others, or not least.

    Rates at which no method has a number are left out.
    """
    tally = {method: [0, 0, 0] for method in rows}
    for column in zip(*rows.values(), strict=True):
        given = [value for value in column if value is not None]
        if not given:
            continue
        least = min(given)
        shared = given.count(least) > 1
        for method, value in zip(rows, column, strict=True):
            tally[method][2 if value != least else int(shared)] += 1
    return {method: "/".join(map(str, counts)) for method, counts in tally.items()}
