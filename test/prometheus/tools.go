//go:build tools

// Package tools pins promtool, with which the alerts and recording rules are tested (build/promtool.mjs).
package tools

import _ "github.com/prometheus/prometheus/cmd/promtool"
