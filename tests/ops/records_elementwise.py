"""Records of element-wise functions."""

from __future__ import annotations

import numpy as np
from harness import COMPLEX, FLOATS, INTS, SAME, Record, binary_samples, d

from ascendtensor.ops import elementwise
from ascendtensor.ops.table import elementwise as table

RECORDS = [
    Record("add", elementwise.add, np.add, binary_samples(), (table.ADD,), (*FLOATS, *INTS, d.bool_, *COMPLEX), SAME),
]
