#!/usr/bin/env python3
"""Measures `plimsoll diff` of two releases with eleven targets against Python reading the same archive, in one run, round robin.

    python3 benches/comparison.py [--times N] [--targets N] [--seconds N] [--binary target/release/plimsoll]

Makes raw samples of each run from a seed (three endpoints, correlated latencies), ingests them, and loads the same archive with
`json.load`, which keeps everything and computes nothing. Prints medians, the ratio and the peak memory (GNU time).
"""
import argparse
import math
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from captures import measure

HEADER = "metric_name,timestamp,metric_value,error_code,expected_response,group,method,name,scenario,status"
BEGIN = 1772359200
ENDPOINTS = ("login", "session", "user")
PER_SECOND = 12
LOAD = "import json, pathlib, sys\nfor path in pathlib.Path(sys.argv[1]).rglob('*.json'): json.load(path.open())"


def samples(path: Path, seconds: int, level: float, chance: random.Random):
    """A request of each endpoint in turn; the level of the latency remembers 95% of the second before."""
    drift = 0.0
    with path.open("w") as out:
        print(HEADER, file=out)
        for second in range(BEGIN, BEGIN + seconds):
            drift = 0.95 * drift + chance.gauss(0, 0.05)
            for nth in range(PER_SECOND):
                taken = level * math.exp(drift + chance.gauss(0, 0.3))
                labels = f",,true,,GET,{ENDPOINTS[nth % len(ENDPOINTS)]},default,200"
                for name, value in ("http_reqs", 1), ("http_req_duration", taken), ("http_req_failed", 0):
                    print(f"{name},{second},{value:.6f}{labels}", file=out)
                if nth % len(ENDPOINTS) == 0:
                    for name, value in ("iterations", 1), ("iteration_duration", 3 * taken), ("data_received", 2100):
                        print(f"{name},{second},{value:.6f},,,,,,default,", file=out)


def archive(folder: Path, asked: argparse.Namespace) -> Path:
    chance, made, drawn = random.Random(7), folder / "data", folder / "samples.csv"
    for release, slower in ("v1", 1.0), ("v2", 1.1):
        for nth in range(asked.targets):
            samples(drawn, asked.seconds, 20 * slower, chance)
            command = [asked.binary, "-q", "--archive", made, "ingest", drawn, "--release", release, "--target", f"target_{nth}"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return made


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--times", type=int, default=5)
    asked.add_argument("--targets", type=int, default=11)
    asked.add_argument("--seconds", type=int, default=1800)
    asked.add_argument("--binary", type=Path, default=Path(__file__).parent.parent / "target/release/plimsoll")
    asked = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        made = archive(folder, asked)
        size = sum(path.stat().st_size for path in made.rglob("*.json")) / 1e6
        diff = [asked.binary, "-q", "--archive", made, "diff", "v1", "v2", "--format", "json", "--out", folder / "diff.json"]
        programs = {
            "`plimsoll schema record`": [asked.binary, "schema", "record"],
            "`plimsoll diff`": [*diff, "--fail-on", "none"],
            "Python's `json.load`": [sys.executable, "-c", LOAD, made],
        }
        rounds = {name: [] for name in programs}
        for _ in range(asked.times):
            for name, command in programs.items():
                rounds[name].append(measure(command, folder))
    medians = {name: statistics.median(seconds for seconds, _ in runs) for name, runs in rounds.items()}
    base = medians["Python's `json.load`"]
    print(f"{asked.targets} targets, {2 * asked.targets} runs of {asked.seconds} s, {size:.1f} MB of JSON\n")
    print("| program | median s | / Python | peak MB |\n| --- | ---: | ---: | ---: |")
    for name, runs in rounds.items():
        print(f"| {name} | {medians[name]:.3f} | {medians[name] / base:.2f} | {max(memory for _, memory in runs)} |")


if __name__ == "__main__":
    main()
