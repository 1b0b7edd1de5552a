#!/usr/bin/env python3
"""Measures `plimsoll ingest` on large captures against Python's own readers of the same files, in one run, round robin.

    python3 benches/captures.py [--times N] [--megabytes N] [--binary target/release/plimsoll]

Makes an answer of Cloud Monitoring (distributions) and two states of pg_stat_statements of that size from a seed, ingests each with a
small k6 log, and loads the same files with `json.load` and `csv.reader`, which keep everything and compute nothing. Prints medians, the
ratio and the peak memory (GNU time).
"""
import argparse
import csv
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

START = datetime(2026, 3, 1, 10, 0, 0)
SUMMARY = Path(__file__).parent.parent / "data/v4.19.2/user_info/k6.txt"
STAMPS = ("start_utc=2026-03-01T10:00:00Z target=checkout vus=10 duration=30m\n", "\nend_utc=2026-03-01T10:30:00Z\n")
LOAD = {
    "json": "import json, sys\nfor path in sys.argv[1:]: json.load(open(path))",
    "csv": "import csv, sys\nfor path in sys.argv[1:]: list(csv.reader(open(path, newline='')))",
}


def monitoring(folder: Path, size: int, chance: random.Random) -> list[Path]:
    path = folder / "request_latencies.json"
    options = {"exponentialBuckets": {"numFiniteBuckets": 66, "growthFactor": 1.4, "scale": 1}}
    with path.open("w") as out:
        out.write('{"unit":"ms","timeSeries":[')
        at = 0
        while out.tell() < size:
            points = []
            for minute in range(29, -1, -1):
                counts = [chance.randint(0, 99) for _ in range(40)]
                period = {"startTime": stamp(minute), "endTime": stamp(minute + 1)}
                value = {"count": str(sum(counts)), "mean": 12.5, "bucketOptions": options, "bucketCounts": [str(n) for n in counts]}
                points.append({"interval": period, "value": {"distributionValue": value}})
            labels = {"response_code": str(200 + at % 300), "revision": str(at)}
            metric = {"type": "run.googleapis.com/request_latencies", "labels": labels}
            series = {"metric": metric, "metricKind": "DELTA", "valueType": "DISTRIBUTION", "points": points}
            out.write(("," if at else "") + json.dumps(series))
            at += 1
        out.write("]}")
    return [path]


def stamp(minute: int) -> str:
    return (START + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")


def statements(folder: Path, size: int, chance: random.Random) -> list[Path]:
    paths = [folder / "before.pg_stat_statements.csv", folder / "after.pg_stat_statements.csv"]
    rows, written = [], 0
    while written < size // 2:
        text = f"SELECT a, b FROM orders_{len(rows)} WHERE id = $1 AND " + " AND ".join(f"c{n} = ${n}" for n in range(2, 12))
        rows.append((len(rows) - 2**40, text, chance.randint(1, 999), chance.uniform(1, 99)))
        written += len(text) + 60
    for path, moment, factor in zip(paths, ("09:59:59", "10:30:01"), (1, 3)):
        with path.open("w", newline="") as out:
            table = csv.writer(out)
            table.writerow(["captured_at", "userid", "dbid", "toplevel", "queryid", "query", "calls", "total_exec_time"])
            for queryid, text, calls, spent in rows:
                table.writerow([f"2026-03-01 {moment}+00", 10, 16384, "t", queryid, text, calls * factor, spent * factor])
    return paths


def measure(command: list, folder: Path) -> tuple[float, int]:
    used = folder / "used"
    begin = time.perf_counter()
    done = subprocess.run(["time", "--format=%M", f"--output={used}", "--", *map(str, command)], capture_output=True, text=True)
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        sys.exit(f"{command[0]}: {done.stderr[-800:]}")
    return seconds, int(used.read_text()) // 1024


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--times", type=int, default=5)
    asked.add_argument("--megabytes", type=int, default=100)
    asked.add_argument("--binary", type=Path, default=Path(__file__).parent.parent / "target/release/plimsoll")
    asked = asked.parse_args()
    chance, size = random.Random(7), asked.megabytes * 1_000_000
    print("| file | program | median s | / Python | peak MB |\n| --- | --- | ---: | ---: | ---: |")
    for kind, what, make in [("json", "Cloud Monitoring", monitoring), ("csv", "two pg_stat_statements", statements)]:
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "run").mkdir()
            paths = make(folder / "run", size, chance)
            (folder / "run/k6.log").write_text(STAMPS[0] + SUMMARY.read_text() + STAMPS[1])
            ingest = [asked.binary, "-q", "--archive", folder / "data", "ingest", folder / "run", "--release", "v1"]
            programs = {"plimsoll ingest": ingest, f"Python's {kind}": [sys.executable, "-c", LOAD[kind], *paths]}
            rounds = {name: [] for name in programs}
            for _ in range(asked.times):
                for name, command in programs.items():
                    rounds[name].append(measure(command, folder))
            medians = {name: statistics.median(seconds for seconds, _ in runs) for name, runs in rounds.items()}
            base = medians[f"Python's {kind}"]
            for name, runs in rounds.items():
                peak = max(memory for _, memory in runs)
                print(f"| {what}, {asked.megabytes} MB | {name} | {medians[name]:.2f} | {medians[name] / base:.2f} | {peak} |")


if __name__ == "__main__":
    main()
