"""Edges at which a result is not the reference's, with the reason: records of operators and of moving, sorting and counting.

A name and a kind of edge (`edge_samples.KINDS`) stand here as long as there is a disagreement: `test_edge_values.py` fails for one that is
not needed any more. What is declared still has to give a result of the right shape and dtype, or a builtin error.
"""

from __future__ import annotations

from collections.abc import Mapping

DECLARED: Mapping[str, Mapping[str, str]] = {}

FOR_OTHER_DTYPES: Mapping[str, Mapping[str, str]] = {}
"""Disagreements that halves, float64 or complex numbers have and the first floating dtype has not."""
