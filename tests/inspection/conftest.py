"""What is looked at here is how launches come about, so no test finds the plans and models of another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import session


@pytest.fixture(autouse=True)
def fresh_registry(new_process: None) -> Iterator[None]:
    session.forget()
    yield
    session.forget()
