#!/usr/bin/env python3
"""Percentiles of every second by DuckDB and by polars: the rivals of `plimsoll series`.

    rivals.py duckdb|polars FILE --trends A,B --out OUT

OUT gets the rows of `plimsoll series FILE --out OUT`: a JSON array, an object a second and trend, by second then name. Both get what helps
them: two threads, declared columns, the names of the trends, and a clock (`seconds=` on standard error) that leaves out the start of Python
and the imports, which are a tenth of a second and more. The forms are the fastest of those that were tried: for DuckDB names in a list
instead of a rule, no insertion order, and of NDJSON a declared struct instead of JSON functions; for polars the engine is not what matters.
"""
import argparse
import json
import os
import sys
import time
from datetime import datetime, timezone

os.environ["POLARS_MAX_THREADS"] = "2"
SHARES = [0.5, 0.95, 0.99]


def by_duckdb(path, trends):
    import duckdb

    start = time.perf_counter()
    connection = duckdb.connect()
    connection.execute("set threads = 2")
    connection.execute("set preserve_insertion_order = false")
    source = duckdb_ndjson(path) if is_ndjson(path) else duckdb_csv(path)
    found = connection.execute(
        f"""
        select name, second, quantile_cont(value, {SHARES})
        from ({source})
        where name in ({', '.join(f"'{trend}'" for trend in trends)})
          and coalesce(phase, '') not in ('::setup', '::teardown')
          and coalesce(phase, '') not like '::setup::%' and coalesce(phase, '') not like '::teardown::%'
        group by name, second
        order by second, name
        """
    ).fetchall()
    return start, [(name, second, *shares) for name, second, shares in found]


def duckdb_csv(path):
    columns = {name: "VARCHAR" for name in header(path)} | {"timestamp": "BIGINT", "metric_value": "DOUBLE"}
    return f"""
        select metric_name as name, timestamp as second, metric_value as value, "group" as phase
        from read_csv('{path}', header = true, delim = ',', quote = '"', escape = '"', auto_detect = false, columns = {columns})
    """


def duckdb_ndjson(path):
    """The time as text up to its second: to parse it would cost DuckDB a third more."""
    return f"""
        select metric as name, substr(data.time, 1, 19) as second, data.value as value, data.tags."group" as phase
        from read_json('{path}', format = 'newline_delimited', columns = {{
            metric: 'VARCHAR', type: 'VARCHAR',
            data: 'STRUCT(time VARCHAR, value DOUBLE, tags STRUCT("group" VARCHAR))'
        }})
        where type = 'Point'
    """


def by_polars(path, trends):
    import polars

    start = time.perf_counter()
    types = {"timestamp": polars.Int64, "metric_value": polars.Float64}
    value, phase = polars.col("metric_value"), polars.col("group").fill_null("")
    found = (
        polars.scan_csv(path, infer_schema=False, schema_overrides=types)
        .filter(
            polars.col("metric_name").is_in(trends)
            & ~phase.is_in(["::setup", "::teardown"])
            & ~phase.str.starts_with("::setup::")
            & ~phase.str.starts_with("::teardown::")
        )
        .group_by("metric_name", "timestamp")
        .agg(value.quantile(share, interpolation="linear").alias(str(share)) for share in SHARES)
        .sort("timestamp", "metric_name")
        .collect(engine="in-memory")
    )
    return start, found.rows()


def header(path):
    with open(path, encoding="utf-8") as file:
        return file.readline().rstrip("\n").split(",")


def is_ndjson(path):
    with open(path, "rb") as file:
        return file.read(1) == b"{"


def shown(second):
    """`2026-08-27 16:03:44+00`"""
    if isinstance(second, str):
        return second.replace("T", " ") + "+00"
    return datetime.fromtimestamp(second, timezone.utc).strftime("%Y-%m-%d %H:%M:%S+00")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("engine", choices=["duckdb", "polars"])
    options.add_argument("file")
    options.add_argument("--trends", required=True)
    options.add_argument("--out", required=True)
    options = options.parse_args()
    engine = by_duckdb if options.engine == "duckdb" else by_polars
    start, rows = engine(options.file, options.trends.split(","))
    with open(options.out, "w", encoding="utf-8") as out:
        keys = ["metric_name", "timestamp", "p50", "p95", "p99"]
        json.dump([dict(zip(keys, (name, shown(second), *shares))) for name, second, *shares in rows], out)
    print(f"seconds={time.perf_counter() - start:.4f}", file=sys.stderr)


main()
