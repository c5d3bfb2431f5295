//go:build tools

// Package tools pins Kueue, with which a demand from its queues is tested (start-kueue.ts builds it).
package tools

import (
	_ "sigs.k8s.io/kueue/cmd/kueue"
)
