"""Data that ships with the library, of its own making."""

from labelief.datasets.owls import Owls, load_owls, save_owls

__all__ = ["Owls", "load_owls", "save_owls"]
