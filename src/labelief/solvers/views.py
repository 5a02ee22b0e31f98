"""Kernels that read a fitted model row by row: probabilities, densities, likelihoods of labels."""

from __future__ import annotations

from typing import Any

from labelief._typing import Array
from labelief.blocks.source import Block
from labelief.kernels.namespace import namespace
from labelief.kernels.posterior import class_sums, posterior, spread
from labelief.models.contract import Model

__all__ = ["log_density", "log_evidence", "log_probabilities", "posteriors", "probabilities"]


def probabilities(model: Model, block: Block, parameters: Any) -> Array:
    """Return ``Pr(k | x)``, (b, K), rows contiguous."""
    factors, _, _, membership = parameters
    log_joint = model.log_joint(model.features(block.X, factors), factors)
    return _rows(class_sums(posterior(log_joint)[1], membership))


def log_probabilities(model: Model, block: Block, parameters: Any) -> Array:
    """Return ``log Pr(k | x)``, (b, K), exact where probabilities underflow."""
    factors, _, component_class, membership = parameters
    log_joint = model.log_joint(model.features(block.X, factors), factors)
    evidence = posterior(log_joint)[0]
    if membership is None:
        return _rows(log_joint - evidence[:, None])
    xp = namespace(log_joint)
    classes = []
    for k in range(membership.shape[1]):
        outside = (component_class != k)[None, :]
        only = xp.where(outside, xp.full_like(log_joint, -xp.inf), log_joint)
        classes.append(posterior(only)[0] - evidence)
    return xp.stack(classes, axis=1)


def log_density(model: Model, block: Block, parameters: Any) -> Array:
    """Return ``log Σ_k p_k(x)``, (b,)."""
    factors = parameters[0]
    features = model.features(block.X, factors)
    return posterior(model.log_joint(features, factors))[0] + model.row_term(features, factors)


def log_evidence(model: Model, block: Block, parameters: Any) -> Array:
    """Return ``log Σ_k pl_i(k) p_k(x_i)`` and the entropy of the responsibilities, (b, 2)."""
    features, log_joint = _with_labels(model, block, parameters)
    evidence, responsibilities = posterior(log_joint)
    xp = namespace(evidence)
    positive = xp.where(responsibilities > 0, responsibilities, xp.ones_like(responsibilities))
    entropy = -xp.sum(responsibilities * xp.log(positive), axis=1)
    return xp.stack([evidence + model.row_term(features, parameters[0]), entropy], axis=1)


def posteriors(model: Model, block: Block, parameters: Any) -> Array:
    """Return class probabilities given features and label, (b, K).

    Where the label allows only classes that the model gives probability 0, the label decides.
    """
    membership = parameters[3]
    _, log_joint = _with_labels(model, block, parameters)
    evidence, responsibilities = posterior(log_joint)
    classes = class_sums(responsibilities, membership)
    assert block.evidence is not None
    alone = posterior(block.evidence.log_weights(parameters[1]))[1]
    xp = namespace(classes)
    return _rows(xp.where((evidence > -xp.inf)[:, None], classes, alone))


def _with_labels(model: Model, block: Block, parameters: Any) -> tuple[Array, Array]:
    factors, likelihoods, component_class, _ = parameters
    assert block.evidence is not None
    features = model.features(block.X, factors)
    weights = spread(block.evidence.log_weights(likelihoods), component_class)
    return features, model.log_joint(features, factors) + weights


def _rows(x: Array) -> Array:
    """Return an array whose rows are contiguous, as users expect."""
    return x.copy(order="C") if hasattr(x, "ctypes") else x
