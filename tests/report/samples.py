"""A report of everything, for the tests of the page and of what browsers make of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from labelief.report import Channel, Content, Leader, Matrix

EVIL = '<script>alert("x")</script>&\'"'
N, K = 40, 3
RNG = np.random.default_rng(0)


def content(**changes):
    """A report of everything, with names that would do harm if they were not escaped."""
    classes = [EVIL, "hawk", "jay"]
    pignistic = RNG.dirichlet(np.ones(K), N)
    made = Content(
        title=EVIL,
        command=f"labelief train {EVIL}",
        facts=[("Table", EVIL), ("Rows", str(N))],
        classes=classes,
        columns=[{"name": EVIL, "kind": "numeric", "reason": EVIL, "missing": 2}],
        leaders=[
            Leader("lda+flips", "one Gaussian", 0.1, 0.2, 0.15, 0.05, 0.3, 0.4),
            Leader(EVIL, EVIL, 0.3, 0.3, 0.3, 0.2, 0.4, np.nan, ("lda+flips",)),
        ],
        class_shares=np.array([0.5, 0.3, 0.2]),
        nonspecificity=RNG.random(N),
        votes_per_row=np.full(N, 3),
        disagreement=RNG.random(N),
        channel=Channel(
            "how labels are flipped is learned", [Matrix(EVIL, np.eye(K), classes, classes)]
        ),
        doubtful=[
            {
                "row": i,
                "label": EVIL,
                "doubt": 0.9 - i / 100,
                "believed": "hawk",
                "probability": 0.8,
                "suggested": EVIL,
                "posterior": 0.7,
                "conflict": 0.6,
            }
            for i in range(5)
        ],
        coordinates=RNG.normal(size=(N, 2)),
        axes=("first", "second"),
        pignistic=pignistic,
        proba=pignistic,
        history=[-3.0, -2.0, -1.9],
        scores=[(EVIL, 0.1), ("b", 0.2), ("c", np.inf)],
        rows=np.arange(N),
        warnings=[EVIL],
    )
    return replace(made, **changes)
