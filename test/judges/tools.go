//go:build tools

// Package tools pins the programs by which other projects judge what we publish (build/go-tools.mjs, test/build/judges.spec.ts).
package tools

import (
	_ "github.com/operator-framework/api/cmd/operator-verify"
	_ "github.com/yannh/kubeconform/cmd/kubeconform"
	_ "sigs.k8s.io/krew/cmd/krew"
	_ "sigs.k8s.io/krew/cmd/validate-krew-manifest"
)
