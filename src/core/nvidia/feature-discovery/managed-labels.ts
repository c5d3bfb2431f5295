/** Lists the nvidia.com labels that we wrote on a node, without their prefix, so that we prune these and no others. */
export const managedLabelsAnnotation = 'gpupartition.dev/managed-labels';
