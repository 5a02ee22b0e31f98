"""The source papers' experiments, run again with the public parts of labelief.

One module per paper: ``build(quick, n_jobs)`` runs its experiments (``experiment.run``), writes the
page ``docs/papers/NAME.md`` (``page.Page``) and returns the page's path.  ``python -m papers`` runs
them; see ``--help``.
"""
