"""The page: both tables, and what to make of each row."""

from __future__ import annotations

from dataclasses import dataclass

from examples.worth.crowds import WAYS

INTRODUCTION = """\
# What half-believed labels are worth

People labelled real pictures, songs, faces and bird calls, often wrongly. How often does a
classifier that learned from them miss the true class of data it has not seen? Written by
`python -m examples.worth` ([the code](../examples/worth/)).

## One recipe against the best of today

"Best of today" is, for each data set, the best of what users do now: majority or single labels,
probabilities as weights, cleanlab, each with logistic regression or shrunk linear discriminant
analysis. It was picked with the truth in hand. "Again" are such ways run in the same folds as ours.
Ours is one recipe for all sets, and its choice among candidates saw uncertain labels only.

- Folds: five, repeated five times, features standardised, equal rows in one fold. ± is half a 95 %
  interval over repetitions; these share their rows, so it speaks of the folds, not of new data.
  Music: trained on the 700 annotated songs, tested once on the other 300; there ± is binomial.
- Candidates: LDA with shrinkage 0.1 or 0.3, shrunk QDA, logistic regression with C
  0.1 or 1, above 750 rows logistic regression on 300 kernel features (Nyström), evidential
  neighbours. All learn from soft labels as they are: beliefs, candidate sets, or votes through a
  confusion matrix per annotator (`AnnotatorNoise`).
- Credal sets have two labels a row: people's mass functions, discounted by 0.2 (Bird-10: several
  per picture, by Dempster's rule), and a single class from a later campaign. The second is heard
  through a flipping matrix, learned in one of two ways: in turn with the classifier ("in turn"), or
  counted against what the first label and the features tell about rows held out ("held out").
- The choice: expected error, the measure that `rank_models` orders by, against all that was said
  about rows held out, every observation counted alike; the lowest is taken. It is made once for a
  data set, from the uncertain labels of the rows that are trained on in some fold, in folds of its
  own; the truth of no row is used.
- Class shares are held equal where the classes were collected in equal numbers.

What this does not show: the list of candidates, the discount and the criterion were
settled while working on these very data sets. A new one may do worse.
"""

ANNOTATORS = """\
## Several real annotators

Votes, including sets of classes and certainties where people gave them; in the credal sets the
second campaign's single label is the vote of one more annotator. Same folds, same classifier, four
ways to use the votes. The lowest error is bold.
"""

# What the result of each data set comes from.
MEANING = {
    "credal_dog2": "",
    "credal_dog4": "",
    "credal_bird2": "",
    "credal_bird10": "",
    "music_genre": "",
    "partial_lost": "",
    "partial_birdsong": "",
}


@dataclass(frozen=True)
class Row:
    """What was found on one data set.

    Attributes
    ----------
    published : float
        Error of the best of today.
    way : str
        Which way that is.
    again : dict
        Errors of rivals in our folds.
    error, margin : float
        Ours, with half a 95 % interval.
    chosen : str
    score : float
        Its expected error against what was said.
    """

    name: str
    published: float
    way: str
    again: dict[str, float]
    error: float
    margin: float
    chosen: str
    score: float

    @property
    def verdict(self) -> str:
        """Ours against the better of the best of today and the same way run again."""
        rival = min([self.published, *self.again.values()])
        if self.error <= rival:
            return "better" if self.error + self.margin < rival else "as good or better"
        return "a tie" if self.error - self.margin <= rival else "not reached"


def text(rows: list[Row], annotators: list[list[str]]) -> str:
    """Return the page in Markdown."""
    head = [
        "data",
        "best of today",
        "again, in our folds",
        "ours",
        "chosen, its expected error",
    ]
    worth = [
        [
            row.name,
            f"{row.published:.1%}, {row.way}",
            "; ".join(f"{error:.1%} {way}" for way, error in row.again.items()),
            f"**{row.error:.1%}** ± {row.margin:.1%}",
            f"{row.chosen}; {row.score:.3f}",
        ]
        for row in rows
    ]
    meanings = [f"- **{row.name}**: {row.verdict}. {MEANING[row.name]}".rstrip() for row in rows]
    return "\n".join(
        [
            INTRODUCTION,
            *_table(head, worth),
            "",
            *meanings,
            "",
            ANNOTATORS,
            *_table(["data", "classifier", *WAYS], annotators),
            "",
            READING,
        ]
    )


READING = ""


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]
