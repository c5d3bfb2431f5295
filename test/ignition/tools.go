//go:build tools

// Package tools pins the validator of Ignition, which judges what `gpu-partition export boot` writes (build/go-tools.mjs).
package tools

import (
	_ "github.com/coreos/ignition/v2/validate"
)
