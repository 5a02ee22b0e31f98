"""Liu, Ren, Lu & Luo (2022): Gaussian mixture discriminant analysis with noisy labels.

Tables 2-5 and 7, Figures 1-11.  Chosen where the paper is silent: two components a class,
features standardised by the training half, scikit-learn's AdaBoost, this library's defaults.
"""

from __future__ import annotations

from pathlib import Path

from papers.liu2022_convergence import convergence
from papers.liu2022_factors import factors
from papers.liu2022_large import large
from papers.liu2022_tables import tables
from papers.page import Page


def build(quick: bool, n_jobs: int) -> Path:
    """Run everything and write the page."""
    page = Page("liu2022", "liu2022: Gaussian mixtures and flipped labels", quick=quick)
    page.text(
        "J. Liu, Z. Ren, R. Lu, X. Luo: *GMM discriminant analysis with noisy label for each "
        "class*. 2022 (arXiv)."
    )
    page.text(
        "GMDA is `MixtureDiscriminantAnalysis(2, channel=FlipNoise())`, rNDA "
        "`QuadraticDiscriminantAnalysis(channel=FlipNoise())`, rLR and rmLR "
        "`LogisticRegression(channel=FlipNoise())`, Ada scikit-learn's `AdaBoostClassifier()`. One "
        "half of the rows trains, with noisy labels; the other tests, with true ones. Features "
        "are standardised."
    )
    claims = convergence(page, quick, n_jobs)
    claims += tables(page, quick, n_jobs)
    claims += factors(page, quick, n_jobs)
    claims += large(page, quick, n_jobs)
    page.claims(claims)
    return page.write()
