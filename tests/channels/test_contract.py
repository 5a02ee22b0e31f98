"""Every exported channel keeps the promises that the engine relies on."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from sklearn.base import clone

from labelief import channels
from labelief.blocks import Symbols
from labelief.channels.contract import BoundChannel, Channel

LABEL_CHANNELS = {
    "trusted": channels.Trusted(),
    "full": channels.FlipNoise(),
    "symmetric": channels.FlipNoise("symmetric"),
    "fixed": channels.FlipNoise(matrix=[[0.9, 0.1], [0.2, 0.8]]),
}
EVIDENCE = Symbols(np.array([0, 1, 1]), 2)


def promised(protocol):
    return set(protocol.__annotations__) | {
        name
        for name, value in vars(protocol).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }


@pytest.mark.parametrize(
    "name",
    [
        n
        for n in channels.__all__
        if isinstance(getattr(channels, n), type) and not n.endswith("Channel")
    ],
)
def test_exported_channels(name):
    channel = getattr(channels, name)()
    for attribute in promised(Channel):
        assert hasattr(channel, attribute), attribute
    assert channel.form in ("labels", "votes")
    assert type(clone(channel)) is type(channel)


@pytest.mark.parametrize("channel", LABEL_CHANNELS.values(), ids=LABEL_CHANNELS)
def test_bound_channels(channel):
    bound = channel.bind(2, EVIDENCE)
    for attribute in promised(BoundChannel):
        assert hasattr(bound, attribute), attribute
    parameters = bound.start()
    vector = bound.to_vector(parameters)
    again = bound.from_vector(vector)
    np.testing.assert_allclose(bound.to_vector(again), vector, atol=1e-12)
    counts = np.array([[5.0, 1.0], [2.0, 6.0]])
    assert bound.gradient(counts, parameters).shape == vector.shape
    assert np.isfinite(bound.log_prior(bound.maximise(counts, parameters)))
    assert bound.aligned(EVIDENCE) is EVIDENCE
    likelihoods = bound.likelihoods(parameters)
    assert EVIDENCE.log_weights(likelihoods).shape == (3, 2)
    assert bound.learned == (len(vector) > 0)
