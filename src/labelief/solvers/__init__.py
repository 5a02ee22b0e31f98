"""How the objective is driven: the loop, EM, accelerated EM, starts."""

from labelief.solvers.climb import Limits, climb
from labelief.solvers.em import em_step, squarem_step
from labelief.solvers.loop import Outcome, State, Status, run
from labelief.solvers.problem import Evaluation, Parameters, Problem
from labelief.solvers.starts import Start, given_start, make_start

__all__ = [
    "Evaluation",
    "Limits",
    "Outcome",
    "Parameters",
    "Problem",
    "Start",
    "State",
    "Status",
    "climb",
    "em_step",
    "given_start",
    "make_start",
    "run",
    "squarem_step",
]
