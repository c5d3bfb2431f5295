// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.

/**
 * GpuPartitionPolicy says how the NVIDIA GPUs of the selected nodes are partitioned with MIG, and how the nodes advertise the result.
 */
export interface GpuPartitionPolicy {
  apiVersion: 'gpupartition.dev/v1alpha1';
  kind: 'GpuPartitionPolicy';
  metadata: {
    name: string;
    uid?: string;
    generation?: number;
    resourceVersion?: string;
    creationTimestamp?: string;
    deletionTimestamp?: string;
    labels?: {
      [k: string]: string;
    };
    annotations?: {
      [k: string]: string;
    };
    finalizers?: string[];
    [k: string]: unknown;
  };
  spec: {
    /**
     * Label selector of the nodes that this policy partitions. Required and not empty. It may not use label keys that this operator changes (nvidia.com/gpu.product, nvidia.com/mig-*, nvidia.com/gpu.deploy.*, ...), because the node would leave its own policy: select by pool or by nvidia.com/gpu.present, and choose GPUs with layouts[].gpus.models.
     */
    nodeSelector: {
      /**
       * Labels that a node must carry, all of them.
       */
      matchLabels?: {
        [k: string]: string;
      };
      /**
       * Requirements on a node's labels, all of them.
       */
      matchExpressions?: {
        /**
         * Label key.
         */
        key: string;
        /**
         * How the values are compared.
         */
        operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
        /**
         * Values for In and NotIn.
         */
        values?: string[];
      }[];
    };
    /**
     * Which policy wins where two select the same node: the higher priority, then the older one, then the name. The loser has condition Stalled with reason Conflicted and names the winner.
     */
    priority?: number;
    /**
     * Enforce partitions the nodes. Plan computes and reports everything in status and changes nothing.
     */
    mode?: 'Enforce' | 'Plan';
    /**
     * How the device plugin advertises the slices: none as whole nvidia.com/gpu (MIG is ignored), single as nvidia.com/gpu where every slice of the node has the same profile, mixed as one resource per profile (nvidia.com/mig-1g.5gb). Must equal the strategy of the device plugin.
     */
    strategy: 'none' | 'single' | 'mixed';
    /**
     * What becomes of each GPU of a selected node: the first entry that matches a GPU decides; a GPU that matches none is left alone.
     */
    layouts: {
      /**
       * Which GPUs of a node this entry is for. All that is given must match; nothing given matches every GPU.
       */
      gpus?: {
        /**
         * Globs, matched without regard to case on the model's id (a100-40gb) and on the product name as GPU Feature Discovery writes it, without NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).
         */
        models?: string[];
        /**
         * Indices of GPUs as nvidia-smi counts them.
         */
        indices?: number[];
        /**
         * UUIDs of GPUs, GPU-xxxxxxxx-....
         */
        uuids?: string[];
        /**
         * PCI device ids as nvidia-smi prints them, device and vendor: 0x20B010DE.
         */
        pciDeviceIds?: string[];
        /**
         * Exactly so many of the GPUs of a node that match. Which ones is decided once, so that the least is destroyed, and kept from then on. A node with fewer of them is refused; one with none is none of this entry's business.
         */
        count?: number;
      };
      /**
       * Slices of each GPU: profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}.
       */
      profiles?: {
        [k: string]: number;
      };
      /**
       * A layout by rule from the model's geometry: all-balanced, all-PROFILE (as many as fit), all-enabled (MIG on, no slices) or all-disabled (MIG off).
       */
      preset?: string;
      /**
       * Disabled leaves whole GPUs, with MIG mode off.
       */
      mig?: 'Disabled';
    }[];
    /**
     * Time-slicing on top of slices or of whole GPUs.
     */
    sharing?: {
      /**
       * Always refused: NVIDIA's device plugin does not support MPS on MIG devices. It is here so that the refusal can say so.
       */
      mps?: {};
      /**
       * One entry for each resource that is shared.
       */
      timeSlicing?: {
        /**
         * Resource as the device plugin names it: nvidia.com/gpu or nvidia.com/mig-1g.5gb.
         */
        resource: string;
        /**
         * How many pods share one slice.
         */
        replicas: number;
      }[];
    };
    /**
     * How pods leave the slices that must go.
     */
    drain?: {
      /**
       * Affected evicts only pods on slices that go, Node every GPU pod of the node. None evicts nobody: the node is closed for new GPU pods until those on slices that go have ended.
       */
      scope?: 'Affected' | 'Node' | 'None';
      /**
       * How long a node may wait for its pods to go, such as 90s, 10m or 1h30m.
       */
      timeout?: string;
      /**
       * What happens when the time is over. Skip opens the node, gives its turn to another, and tries again later. Wait goes on waiting. Force deletes the pods, with their grace period.
       */
      onTimeout?: 'Skip' | 'Wait' | 'Force';
      /**
       * Grace period of evicted pods, at least 1s; absent: the pods' own.
       */
      gracePeriod?: string;
    };
    /**
     * How the change moves through the fleet.
     */
    rollout?: {
      /**
       * Nodes that may change at a time: a number or a percentage, rounded down but at least 1; 0 holds. Nodes that are NotReady or have failed count.
       */
      maxUnavailable?: number | string;
      /**
       * Nodes that change first, and how long they are watched before the rest follows. One that fails halts the rollout.
       */
      canary?: {
        /**
         * Number of nodes that change first.
         */
        nodes: number;
        /**
         * How long all of them must be ready before the rest follows; absent: not at all.
         */
        soak?: string;
      };
      /**
       * Failed nodes, a number or a percentage (rounded down, at least 1), at which no new node starts: reason Halted. Nodes that have failed are tried again.
       */
      failureThreshold?: number | string;
      /**
       * Times at which nodes may start to change; absent means always. A node that has started finishes.
       */
      windows?: {
        /**
         * Cron expression of the start.
         */
        schedule: string;
        /**
         * Length of the window.
         */
        duration: string;
        /**
         * IANA time zone, such as Europe/Berlin; UTC when absent.
         */
        timeZone?: string;
      }[];
      /**
       * While true no further node starts to change.
       */
      paused?: boolean;
      /**
       * OnFailure: a node that fails returns to its last good layout, placements included.
       */
      rollback?: 'OnFailure' | 'Never';
    };
    /**
     * What the operator may do beyond creating and destroying idle slices.
     */
    allow?: {
      /**
       * May reset a single GPU where a MIG mode change needs it (A100, A30), or where its driver asks for a reset: then with the next change of its layout, after all pods of it have gone.
       */
      gpuReset?: boolean;
      /**
       * May ask for a reboot of the node where a MIG mode change needs it.
       */
      reboot?: boolean;
      /**
       * May destroy GPU instances that the operator did not make.
       */
      replaceForeignInstances?: boolean;
      /**
       * Other owners of the GPUs that may be switched off on the selected nodes.
       */
      takeOver?: 'mig-manager'[];
    };
    /**
     * What happens to the nodes when the policy is deleted.
     */
    onDelete?: 'Keep' | 'DisableMig';
  };
  /**
   * What the controller found and did. Written by the controller alone.
   */
  status?: {
    /**
     * Generation of the spec that this status is about.
     */
    observedGeneration?: number;
    /**
     * Newest generation that every selected node could take that had reported its GPUs; nothing of a newer one starts.
     */
    acceptedGeneration?: number;
    /**
     * Short text for the printer column, such as "31/40 ready, 4 updating".
     */
    summary?: string;
    /**
     * Ready, Reconciling, Stalled (kstatus) and Valid.
     */
    conditions?: {
      /**
       * Name of the condition.
       */
      type: string;
      /**
       * Whether it holds.
       */
      status: 'True' | 'False' | 'Unknown';
      /**
       * One word for programs.
       */
      reason: string;
      /**
       * A sentence for people.
       */
      message: string;
      /**
       * When the status changed last.
       */
      lastTransitionTime: string;
      /**
       * Generation of the spec that it is about.
       */
      observedGeneration?: number;
    }[];
    /**
     * Selected nodes by state.
     */
    nodes?: {
      /**
       * Selected by nodeSelector.
       */
      matched?: number;
      /**
       * Device and labels equal the policy.
       */
      ready?: number;
      /**
       * Changing now.
       */
      updating?: number;
      /**
       * Not started yet.
       */
      pending?: number;
      /**
       * The last try failed.
       */
      failed?: number;
      /**
       * Won by another policy.
       */
      conflicted?: number;
      /**
       * Nothing of this policy applies to their GPUs.
       */
      skipped?: number;
    };
    /**
     * What is left to do on all selected nodes.
     */
    plan?: {
      /**
       * GPUs whose layout differs from the wish.
       */
      gpusChanging?: number;
      /**
       * GPU instances that stay.
       */
      instancesKept?: number;
      /**
       * GPU instances that go.
       */
      instancesDestroyed?: number;
      /**
       * GPU instances that are made.
       */
      instancesCreated?: number;
      /**
       * Pods on instances that go.
       */
      podsToEvict?: number;
    };
    /**
     * The ledger: nodes that have been admitted to change, until they are verified or given up. Changed only by compare-and-swap.
     */
    inFlight?: {
      /**
       * Name of the node.
       */
      node: string;
      /**
       * UID of the node.
       */
      nodeUID: string;
      /**
       * Epoch of the grant that it was admitted for.
       */
      epoch: number;
      /**
       * Generation of the policy that it was admitted for.
       */
      generation?: number;
      /**
       * When it was admitted; the drain counts from here.
       */
      startTime?: string;
      /**
       * When its pods must be gone.
       */
      deadline?: string;
      /**
       * Why it was admitted. Fresh: it is closed anyway, and takes no place of maxUnavailable. Repair: something else has changed its GPUs. Retry: it failed before. New: the change is new to it. Found: it was found changing.
       */
      kind?: 'Fresh' | 'Repair' | 'Retry' | 'New' | 'Found';
    }[];
    /**
     * The nodes that changed first at this generation.
     */
    canary?: {
      /**
       * Generation of the policy.
       */
      generation: number;
      /**
       * Names of the nodes.
       */
      nodes: string[];
      /**
       * Since when all of them are ready; the soak counts from here.
       */
      readySince?: string;
    };
    /**
     * Nodes whose last try failed, and why.
     */
    failures?: {
      /**
       * Name of the node.
       */
      node: string;
      /**
       * One word for programs.
       */
      reason: string;
      /**
       * The GPU, the instance, the holder, and what to do.
       */
      message: string;
      /**
       * When it failed.
       */
      time?: string;
    }[];
  };
}
