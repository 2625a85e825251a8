"""From a prepared plan to a queued operator: the handle registry, static plans and dynamic plans."""
