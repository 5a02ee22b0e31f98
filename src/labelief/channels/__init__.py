"""What observed labels say about the true class."""

from labelief.channels.annotators import AnnotatorNoise
from labelief.channels.contract import BoundChannel, Channel
from labelief.channels.flip_noise import FlipNoise
from labelief.channels.trusted import Trusted

__all__ = ["AnnotatorNoise", "BoundChannel", "Channel", "FlipNoise", "Trusted"]
