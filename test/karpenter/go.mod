module gpupartition.dev/test/karpenter

go 1.26

require sigs.k8s.io/karpenter v1.14.0
