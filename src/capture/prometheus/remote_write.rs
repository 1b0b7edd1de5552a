//! k6's own figures in Prometheus.
