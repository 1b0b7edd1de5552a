// The latencies of a run: a line for every series, drawn over the time, with the peaks of each beneath.
const WIDTH = 720;
const HEIGHT = 200;

/** The rows of `output.json` by the name of their metric, in the order of the file. */
function byMetric(rows) {
  const metrics = new Map();
  for (const row of rows) metrics.set(row.metric_name, [...(metrics.get(row.metric_name) ?? []), row]);
  return [...metrics];
}

/** The points of a percentile as an SVG path. */
function line(rows, percentile, highest) {
  return rows
    .map((row, at) => {
      const x = (at / Math.max(rows.length - 1, 1)) * WIDTH;
      const y = HEIGHT - (row[percentile] / highest) * HEIGHT;
      return `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}

export function BenchmarkChart({ testResults }) {
  return byMetric(testResults).map(([metric, rows]) => {
    const highest = rows.reduce((most, row) => Math.max(most, row.p99), 0);
    return (
      <figure key={metric} className="benchmark-chart">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Latencies of ${metric}`} style={{ width: "100%" }}>
          {["p50", "p95", "p99"].map((percentile) => (
            <path key={percentile} d={line(rows, percentile, highest || 1)} fill="none" stroke="currentColor" />
          ))}
        </svg>
        <figcaption>
          {metric}: {rows.length} seconds, p99 up to {highest} ms
        </figcaption>
      </figure>
    );
  });
}
