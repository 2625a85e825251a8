"""Which behaviour rules the tests cite. A rule that no test of the simulator cites needs a reason in ``tests/data/rules.json``.

``pytest -m conformance`` runs the tests of files that cite rules and ends with the table that `coverage` gives.
"""

from __future__ import annotations

import ast
import json
import re
import tokenize
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RULES: dict[str, Any] = json.loads((HERE.parent / "data" / "rules.json").read_text(encoding="utf-8"))
CITATION = re.compile(r"\b([A-Z]{2,4}-|K)(\d+)(?:(?: to | \.\. )(?:[A-Z]{2,4}-|K)?(\d+))?")


def numbers(spans: dict[str, str]) -> set[str]:
    """Rules of spans such as {"RT-": "1-52"}."""
    found = set()
    for prefix, span in spans.items():
        first, _, last = span.partition("-")
        found |= {f"{prefix}{number}" for number in range(int(first), int(last) + 1)}
    return found


@lru_cache
def cited(path: Path) -> set[str]:
    """Rules named in the comments and strings of a file, without the summary at its head."""
    found: set[str] = set()
    with tokenize.open(path) as file:
        source = file.read()
    module = ast.parse(source)
    head = module.body[0].end_lineno or 0 if ast.get_docstring(module) is not None else 0
    for line in source.splitlines()[head:]:
        for prefix, first, last in CITATION.findall(line):
            found |= {f"{prefix}{number}" for number in range(int(first), int(last or first) + 1)}
    return found


def files() -> list[Path]:
    """The test files of the simulator."""
    return sorted(path for path in HERE.rglob("test_*.py") if path != Path(__file__))


@lru_cache
def all_cited() -> set[str]:
    return set().union(*map(cited, files()))


def coverage() -> list[str]:
    """A table: for each chapter its rules, how many of them tests cite and in how many places; then the reasons for the others."""
    places: Counter[str] = Counter()
    for path in files():
        places.update(cited(path))
    reasons = RULES["without_test"]
    lines = [f"{'chapter':10}{'rules':>7}{'cited':>7}{'reason':>8}{'files':>7}"]
    total = [0, 0, 0]
    for prefix, span in RULES["rules"].items():
        rules = numbers({prefix: span})
        row = [len(rules), sum(1 for rule in rules if places[rule]), sum(1 for rule in rules if rule in reasons)]
        total = [a + b for a, b in zip(total, row, strict=True)]
        lines.append(f"{prefix.rstrip('-'):10}{row[0]:7}{row[1]:7}{row[2]:8}{sum(places[rule] for rule in rules):7}")
    lines.append(f"{'in all':10}{total[0]:7}{total[1]:7}{total[2]:8}")
    lines += ["", "Not cited:", *(f"{rule:8} {reason}" for rule, reason in {**reasons, **RULES["later"]}.items())]
    return lines


def test_the_table_counts_every_rule_once() -> None:
    *_, total = coverage()[: len(RULES["rules"]) + 2]
    rules, done, excused = (int(word) for word in total.split()[2:])
    assert rules == len(numbers(RULES["rules"])) == done + excused


def test_every_rule_is_cited_or_has_a_reason() -> None:
    missing = numbers(RULES["rules"]) - all_cited() - set(RULES["without_test"])
    assert sorted(missing) == []


def test_reasons_are_of_rules_that_no_test_cites() -> None:
    reasons = RULES["without_test"]
    assert set(reasons) <= numbers(RULES["rules"])
    assert sorted(set(reasons) & all_cited()) == []
    assert all(len(reason) > 10 for reason in (*reasons.values(), *RULES["later"].values()))


def test_no_rule_is_invented() -> None:
    later = set()
    for name in RULES["later"]:
        prefix, first, last = next(iter(CITATION.findall(name)))
        later |= numbers({prefix: f"{first}-{last or first}"})
    assert sorted(all_cited() - numbers(RULES["rules"]) - later) == []


def test_ranges_are_read_as_their_members() -> None:
    assert [match[:2] + match[2:] for match in CITATION.findall("# RT-1 to RT-3, K4 .. K6, OM-7")] == [
        ("RT-", "1", "3"),
        ("K", "4", "6"),
        ("OM-", "7", ""),
    ]
