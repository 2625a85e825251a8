"""Whole-model inference: load an `.om`, call it with tensors.

    m = at.models.load("resnet50.om")
    y = m(x)

A model runs in the device's stream like any operator: `m(x)` queues it and gives tensors at once, errors of the run show at the next
synchronising call, and a tensor that is on the device already is used in place.
"""

from .loading import load
from .model import Model, Outputs
from .pending import Map, Pending
from .tensors import Gears, ModelTensor, ModelTensors

__all__ = ["Gears", "Map", "Model", "ModelTensor", "ModelTensors", "Outputs", "Pending", "load"]
__dir__ = __all__.copy
