//go:build tools

// Package tools pins Prometheus and promtool, with which alerts, recording rules and the dashboard are tested (build/go-tools.mjs).
package tools

import (
	_ "github.com/prometheus/prometheus/cmd/prometheus"
	_ "github.com/prometheus/prometheus/cmd/promtool"
)
