"""Commands that attack what is published take a policy; and a model that nobody stated is not assumed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]


def policy() -> dict[str, Any]:
    return dict(json.loads(Path("dalenius-report/findings.json").read_text())["policy"])


def rules() -> dict[str, str]:
    (verdict,) = json.loads(Path("dalenius-report/findings.json").read_text())["verdicts"]
    return {each["rule"]: each["verdict"] for each in verdict["rules"]}


def test_limits_decide(folder: Path, attack: Run) -> None:
    """150 exact answers about 64 people give everybody away: what is tolerated makes the difference."""
    truth = ("--truth", "truth.csv", "--noise", "exact")
    assert attack(*truth).exit_code == 1
    assert rules()["max_certain"] == "stop"
    assert attack(*truth, "--max-certain", "64", "--max-known", "64").exit_code == 1
    assert (rules()["max_certain"], rules()["max_known"], rules()["max_advantage"]) == (
        "pass",
        "pass",
        "stop",
    )
    Path("rules.toml").write_text("max_certain = 64\nmax_advantage = 1.0\n")
    attack(*truth, "--policy", "rules.toml")
    assert (policy()["max_certain"], rules()["max_certain"]) == (64, "pass")
    attack(*truth, "--policy", "rules.toml", "--max-certain", "3")
    assert (policy()["max_certain"], rules()["max_certain"]) == (3, "stop")


def test_a_purpose_and_the_policy_of_a_plan(folder: Path, attack: Run) -> None:
    words = ("--truth", "truth.csv", "--noise", "exact")
    assert attack(*words, "--rules", "open-data", "--sensitive", "1").exit_code == 1
    assert (policy()["max_advantage"], policy()["known_at"], policy()["sensitive"]) == (0.02, 0.95, ["1"])
    text = Path("audit.toml").read_text()
    Path("audit.toml").write_text(text + '[policy]\nrules = "gwas"\n')
    assert attack(*words, "--policy", "audit.toml").exit_code == 1
    assert policy()["confidence"] == 0.99


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rules", "press"), "policy.rules"),
        (("--max-advantage", "5"), "0.05 is 5 points; got 5"),
        (("--known-at", "0.2"), "policy.known_at"),
        (("--known-at", "0.9999"), "policy.known_at"),  # under noise nobody would ever be known
        (("--policy", "unsure.toml"), "confidence"),  # an interval that never holds shows nothing
        (("--policy", "nothing.toml"), "nothing.toml"),
        (("--policy", "list.toml"), "must have a table [policy]"),
        (("--policy", "typo.toml"), "Did you mean 'max_certain'?"),
        (("--sensitive", "maybe"), "policy.sensitive must be values of the secret"),
    ],
)
def test_bad_policies(folder: Path, attack: Run, words: tuple[str, str], said: str) -> None:
    Path("list.toml").write_text("policy = 3\n")
    Path("typo.toml").write_text("max_certan = 3\n")
    Path("unsure.toml").write_text("confidence = 0.0001\n")
    done = attack("--noise", "exact", *words)
    assert done.exit_code == 2, done.output
    assert said in done.output
    assert not Path("dalenius-report").exists()


class Fits:
    """Sixteen people of two numbers, and what a fit of their secret on these gives."""

    def __init__(self) -> None:
        rng = np.random.default_rng(2)
        self.x = rng.normal(size=(16, 2)).round(2)
        self.ill = (rng.random(16) < 1 / (1 + np.exp(-2 * self.x[:, 0]))).astype(float)
        rows = [f"p{i},{a},{b}" for i, (a, b) in enumerate(self.x)]
        Path("list.csv").write_text("\n".join(["id,a,b", *rows]) + "\n")

    def linear(self) -> None:
        design = np.column_stack([np.ones(16), self.x])
        self.write(np.linalg.lstsq(design, self.ill, rcond=None)[0])

    def logistic(self) -> None:
        design, theta = np.column_stack([np.ones(16), self.x]), np.zeros(3)
        for _ in range(30):
            p = 1 / (1 + np.exp(-design @ theta))
            theta += np.linalg.solve(design.T * (p * (1 - p)) @ design, design.T @ (self.ill - p))
        self.write(theta)

    def write(self, theta: np.ndarray, *more: str) -> None:
        named = zip(("Intercept", "a", "b"), theta, strict=True)
        lines = ["term,estimate", *(f"{name},{x:.4f}" for name, x in named), *more]
        Path("coef.csv").write_text("\n".join(lines) + "\n")


@pytest.fixture
def fits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fits:
    monkeypatch.chdir(tmp_path)
    return Fits()


WORDS = ("reconstruct", "regression", "--people", "list.csv", "--id", "id", "--coefficients", "coef.csv")


def test_a_linear_model_is_asked_about(fits: Fits, run: Run) -> None:
    fits.linear()
    done = run(*WORDS)
    assert done.exit_code == 2, done.output
    assert "--model must say what was fitted" in done.output
    assert "--model linear" in done.output
    assert run(*WORDS, "--model", "linear").exit_code in (0, 1)


def test_a_logistic_one_is_assumed_and_said(fits: Fits, run: Run) -> None:
    fits.logistic()
    done = run(*WORDS)
    assert done.exit_code in (0, 1), done.output
    assert "logistic model (nobody said which: --model)" in " ".join(done.output.split())
    done = run(*WORDS, "--model", "logistic")
    assert "nobody said which" not in done.output


def test_goodness_says_that_it_was_linear(fits: Fits, run: Run) -> None:
    design = np.column_stack([np.ones(16), fits.x])
    theta = np.linalg.lstsq(design, fits.ill, rcond=None)[0]
    fits.write(theta, f"RSS,{((fits.ill - design @ theta) ** 2).sum():.6f}")
    done = run(*WORDS)
    assert done.exit_code in (0, 1), done.output
    assert "linear model (nobody said which: --model)" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("infer joint", "--max-related-rho"),
        ("infer degree", "--max-related-rho"),
        ("infer series", "--max-related-rho"),
        ("trace beacon", "--id"),
    ],
)
def test_an_option_that_would_do_nothing_is_not_offered(run: Run, command: str, option: str) -> None:
    """No Gaussian noise there, and no tables; a network and means have both."""
    assert option not in run(*command.split(), "--help").output
    assert "--max-related-rho" in run("infer", "network", "--help").output
    assert "--id" in run("trace", "members", "--help").output


def test_a_joint_distribution_is_not_asked_for_an_epsilon_it_has(run: Run) -> None:
    said = " ".join(run("infer", "joint", "--help").output.split())
    assert "Largest nu tolerated: decides. --show-people" in said
