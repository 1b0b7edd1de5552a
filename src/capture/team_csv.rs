//! The team's metrics CSV: `target,metric,timestamp,value`, a whole sweep in one file, 16 metric names.
