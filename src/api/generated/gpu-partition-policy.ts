// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.

/**
 * GpuPartitionPolicy defines how the NVIDIA GPUs of the selected nodes are partitioned with MIG, and how the nodes advertise the slices.
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
  /**
   * What the GPUs of the selected nodes become, and how a change reaches them.
   */
  spec: {
    /**
     * Label selector of the nodes that this policy partitions, for example matchLabels: {pool: inference}. It must not be empty, and must not use labels that a layout changes (nvidia.com/gpu.product, nvidia.com/mig-*, nvidia.com/gpu.deploy.*, ...), because the node would leave its own policy. Select by pool or by nvidia.com/gpu.present, and choose GPUs with layouts[].gpus.models.
     */
    nodeSelector: {
      /**
       * Labels that a node must carry, all of them. Example: {pool: inference}.
       */
      matchLabels?: {
        [k: string]: string;
      };
      /**
       * Requirements on the labels of a node, all of them. Example: {key: pool, operator: In, values: [inference, batch]}.
       */
      matchExpressions?: {
        /**
         * Key of the label.
         */
        key: string;
        /**
         * How the label is compared with values.
         */
        operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
        /**
         * Values for In and NotIn; none for Exists and DoesNotExist.
         */
        values?: string[];
      }[];
    };
    /**
     * Decides which policy wins when two of mode Enforce select the same node: the higher priority, then the older policy, then the name. A policy that is outranked is Ready with reason Outranked. At equal priority it is Stalled with reason Conflicted. Both name the winner.
     */
    priority?: number;
    /**
     * Enforce partitions the nodes. Plan computes the plan, reports it in status and changes nothing. It takes no node from another policy. A policy that turns from Enforce to Plan keeps its nodes, and they stay as they are.
     */
    mode?: 'Enforce' | 'Plan';
    /**
     * How the device plugin advertises the GPUs. none: whole GPUs as nvidia.com/gpu, MIG is ignored. single: each slice as nvidia.com/gpu; all slices of a node have one profile. mixed: one resource per profile, for example nvidia.com/mig-1g.5gb. Must match the MIG strategy of the device plugin.
     */
    strategy: 'none' | 'single' | 'mixed';
    /**
     * The slices that the GPUs of all selected nodes offer together. The controller chooses the layouts, with the fewest changes, and keeps what is there: docs/demand.md. Instead of layouts.
     */
    demand?: {
      /**
       * The slices that are wanted, by kind, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them only.
       */
      slices: {
        /**
         * Name in status and messages, for example small. If it is absent, the first profile, the memory, or whole.
         */
        name?: string;
        /**
         * Profiles any of which serves, as nvidia-smi writes them or as globs, for example [1g.5gb, 1g.10gb] or ["1g.*"]. A glob without a + means plain profiles, without +me and the like. Of those that serve equally well, the smallest is made.
         */
        profiles?: string[];
        /**
         * Instead of profiles: every plain profile serves that has at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi, which a 1g.5gb of an A100 has, but not 5Gi: gpu-partition recommend --size.
         */
        memory?: string;
        /**
         * Instead of profiles: whole GPUs, with MIG mode off, which pods request as nvidia.com/gpu.
         */
        mig?: 'Disabled';
        /**
         * How many are wanted over all selected nodes, those in use included.
         */
        count?: number;
        /**
         * With from: Pods or Kueue. At least this many are wanted, whatever pods ask for. 0 if it is absent.
         */
        min?: number;
        /**
         * With from: Pods or Kueue. At most this many are wanted, whatever pods ask for. If it is absent, as many as pods ask for.
         */
        max?: number;
        /**
         * With from: Pods or Kueue. How many are kept free beyond what runs and waits: a number, or a percentage of these, rounded up. Example: 2.
         */
        spare?: number | string;
        /**
         * What one that cannot be offered costs: who goes short if not everything fits. If it is absent, the memory slices of its smallest profile.
         */
        weight?: number;
      }[];
      /**
       * Declared, or absent: each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests of nvidia.com/mig-PROFILE, and of nvidia.com/gpu for whole GPUs. Kueue: the same, and what Kueue holds back for a ResourceFlavor of the selected nodes: jobs that it has not admitted have no pods.
       */
      from?: 'Declared' | 'Pods' | 'Kueue';
      /**
       * Never (if it is absent too): only idle slices are given up, and no pod is evicted, whatever spec.drain says. IfNeeded: pods go where more of the demand is served by it, within spec.drain.
       */
      evict?: 'Never' | 'IfNeeded';
      /**
       * What becomes of idle GPUs that the demand does not need. Keep (if it is absent too): they stay as they are. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it, whatever evict says.
       */
      rest?: 'Keep' | 'Whole' | 'Balanced';
      /**
       * With from: Pods or Kueue. How long pods must ask for less before less is wanted, for example 1h. They must ask for more for 1m, or for this long if that is shorter. 10m if it is absent.
       */
      stabilization?: string;
      /**
       * How long a GPU that was given another layout is left alone, unless slices are wanted that no other GPU can offer, for example 1h. 30m if it is absent.
       */
      cooldown?: string;
    };
    /**
     * What hands the slices out. DevicePlugin: NVIDIA's device plugin, as resources such as nvidia.com/mig-1g.5gb. DRA: NVIDIA's DRA driver (gpu.nvidia.com, without its gate DynamicMIG), as devices of ResourceSlices; needs strategy mixed. Auto: found out for each node by what is there; also needs strategy mixed. A node on which both offer GPUs is left alone with reason BackendMismatch.
     */
    backend?: 'DevicePlugin' | 'DRA' | 'Auto';
    /**
     * Settings of backend DRA, and of Auto.
     */
    dra?: {
      /**
       * Managed: the controller keeps a DeviceClass for each profile of the policy, and one for each size, as gpu-partition export dra prints them; it deletes none. If it is absent, they are yours to apply.
       */
      deviceClasses?: 'Managed';
    };
    /**
     * The layout of each GPU. For each GPU the first matching entry applies; a GPU that matches no entry is left alone. Exactly one of layouts and demand is set.
     */
    layouts?: {
      /**
       * Selects the GPUs that this entry applies to. All fields that are set must match; absent or empty, it matches every GPU. Example: {models: ["A100-*-40GB"], indices: [0, 1]}.
       */
      gpus?: {
        /**
         * GPU models as globs, for example "A100-*-40GB". Matched case-insensitively against the model id (a100-40gb) and the product name as GPU Feature Discovery writes it, without the prefix NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).
         */
        models?: string[];
        /**
         * GPU indices as nvidia-smi -L prints them, for example [0, 1].
         */
        indices?: number[];
        /**
         * GPU UUIDs as nvidia-smi -L prints them, GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
         */
        uuids?: string[];
        /**
         * PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.
         */
        pciDeviceIds?: string[];
        /**
         * Takes exactly this many of the matching GPUs of a node. They are chosen once, so that the fewest instances are destroyed, and kept. A node with fewer matching GPUs is refused; on a node with none the entry is skipped.
         */
        count?: number;
      };
      /**
       * The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.
       */
      profiles?: {
        [k: string]: number;
      };
      /**
       * A layout that is derived from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off).
       */
      preset?: string;
      /**
       * Disabled makes the GPU whole, with MIG mode off. A GPU that does not support MIG already matches.
       */
      mig?: 'Disabled';
    }[];
    /**
     * Times with layouts or a demand of their own, for example a night shift. The first that is open applies; outside of all of them, the policy's own layouts or demand. A switch is a rollout: docs/rollout.md.
     */
    schedules?: {
      /**
       * Name in status and messages, for example night.
       */
      name: string;
      /**
       * When it begins, as a cron expression with five fields, for example 0 22 * * 1-5.
       */
      schedule: string;
      /**
       * How long it lasts, for example 8h.
       */
      duration: string;
      /**
       * IANA time zone of schedule, for example Europe/Berlin. If it is absent, UTC.
       */
      timeZone?: string;
      /**
       * The layout of each GPU. For each GPU the first matching entry applies; a GPU that matches no entry is left alone. Exactly one of layouts and demand is set.
       */
      layouts?: {
        /**
         * Selects the GPUs that this entry applies to. All fields that are set must match; absent or empty, it matches every GPU. Example: {models: ["A100-*-40GB"], indices: [0, 1]}.
         */
        gpus?: {
          /**
           * GPU models as globs, for example "A100-*-40GB". Matched case-insensitively against the model id (a100-40gb) and the product name as GPU Feature Discovery writes it, without the prefix NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).
           */
          models?: string[];
          /**
           * GPU indices as nvidia-smi -L prints them, for example [0, 1].
           */
          indices?: number[];
          /**
           * GPU UUIDs as nvidia-smi -L prints them, GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
           */
          uuids?: string[];
          /**
           * PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.
           */
          pciDeviceIds?: string[];
          /**
           * Takes exactly this many of the matching GPUs of a node. They are chosen once, so that the fewest instances are destroyed, and kept. A node with fewer matching GPUs is refused; on a node with none the entry is skipped.
           */
          count?: number;
        };
        /**
         * The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.
         */
        profiles?: {
          [k: string]: number;
        };
        /**
         * A layout that is derived from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off).
         */
        preset?: string;
        /**
         * Disabled makes the GPU whole, with MIG mode off. A GPU that does not support MIG already matches.
         */
        mig?: 'Disabled';
      }[];
      /**
       * The slices that the GPUs of all selected nodes offer together. The controller chooses the layouts, with the fewest changes, and keeps what is there: docs/demand.md. Instead of layouts.
       */
      demand?: {
        /**
         * The slices that are wanted, by kind, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them only.
         */
        slices: {
          /**
           * Name in status and messages, for example small. If it is absent, the first profile, the memory, or whole.
           */
          name?: string;
          /**
           * Profiles any of which serves, as nvidia-smi writes them or as globs, for example [1g.5gb, 1g.10gb] or ["1g.*"]. A glob without a + means plain profiles, without +me and the like. Of those that serve equally well, the smallest is made.
           */
          profiles?: string[];
          /**
           * Instead of profiles: every plain profile serves that has at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi, which a 1g.5gb of an A100 has, but not 5Gi: gpu-partition recommend --size.
           */
          memory?: string;
          /**
           * Instead of profiles: whole GPUs, with MIG mode off, which pods request as nvidia.com/gpu.
           */
          mig?: 'Disabled';
          /**
           * How many are wanted over all selected nodes, those in use included.
           */
          count?: number;
          /**
           * With from: Pods or Kueue. At least this many are wanted, whatever pods ask for. 0 if it is absent.
           */
          min?: number;
          /**
           * With from: Pods or Kueue. At most this many are wanted, whatever pods ask for. If it is absent, as many as pods ask for.
           */
          max?: number;
          /**
           * With from: Pods or Kueue. How many are kept free beyond what runs and waits: a number, or a percentage of these, rounded up. Example: 2.
           */
          spare?: number | string;
          /**
           * What one that cannot be offered costs: who goes short if not everything fits. If it is absent, the memory slices of its smallest profile.
           */
          weight?: number;
        }[];
        /**
         * Declared, or absent: each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests of nvidia.com/mig-PROFILE, and of nvidia.com/gpu for whole GPUs. Kueue: the same, and what Kueue holds back for a ResourceFlavor of the selected nodes: jobs that it has not admitted have no pods.
         */
        from?: 'Declared' | 'Pods' | 'Kueue';
        /**
         * Never (if it is absent too): only idle slices are given up, and no pod is evicted, whatever spec.drain says. IfNeeded: pods go where more of the demand is served by it, within spec.drain.
         */
        evict?: 'Never' | 'IfNeeded';
        /**
         * What becomes of idle GPUs that the demand does not need. Keep (if it is absent too): they stay as they are. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it, whatever evict says.
         */
        rest?: 'Keep' | 'Whole' | 'Balanced';
        /**
         * With from: Pods or Kueue. How long pods must ask for less before less is wanted, for example 1h. They must ask for more for 1m, or for this long if that is shorter. 10m if it is absent.
         */
        stabilization?: string;
        /**
         * How long a GPU that was given another layout is left alone, unless slices are wanted that no other GPU can offer, for example 1h. 30m if it is absent.
         */
        cooldown?: string;
      };
    }[];
    /**
     * Time-slicing on top of slices or whole GPUs. Needs the controller option --device-plugin-config-map.
     */
    sharing?: {
      /**
       * Not supported, always rejected: NVIDIA's device plugin does not support MPS on MIG devices. The field exists so that the rejection can explain this.
       */
      mps?: {
        [k: string]: unknown;
      };
      /**
       * One entry per shared resource. Example: [{resource: nvidia.com/mig-1g.5gb, replicas: 4}].
       */
      timeSlicing?: {
        /**
         * Resource name as the device plugin advertises it: nvidia.com/gpu, or nvidia.com/mig-1g.5gb under strategy mixed.
         */
        resource: string;
        /**
         * How many pods share one slice or GPU. They share its memory and its faults.
         */
        replicas: number;
      }[];
    };
    /**
     * How pods are evicted from slices that a change destroys.
     */
    drain?: {
      /**
       * Which pods are evicted. Affected: only pods on slices that the change destroys. Node: every GPU pod of the node. None: no pod; the node takes no new GPU pods until the pods on those slices have ended.
       */
      scope?: 'Affected' | 'Node' | 'None';
      /**
       * How long a node waits for its pods to terminate, for example 90s, 10m or 1h30m.
       */
      timeout?: string;
      /**
       * What happens after timeout. Skip: reopen the node, let another one change, and retry later. Wait: keep waiting. Force: delete the pods with their grace period, past their disruption budgets; needs the verb force on gpupartitionpolicies.
       */
      onTimeout?: 'Skip' | 'Wait' | 'Force';
      /**
       * Termination grace period of evicted pods, at least 1s, for example 30s. Absent: each pod's own.
       */
      gracePeriod?: string;
    };
    /**
     * How a change rolls through the nodes of this policy.
     */
    rollout?: {
      /**
       * How many nodes may be unavailable at a time: a number, or a percentage of the selected nodes, rounded down but at least 1. 0 holds the rollout. Nodes that are NotReady or Failed count. Example: 10%.
       */
      maxUnavailable?: number | string;
      /**
       * Nodes that change before all others. If one fails, the rollout halts. Absent: no canary. Example: {nodes: 1, soak: 10m}.
       */
      canary?: {
        /**
         * How many nodes change first.
         */
        nodes: number;
        /**
         * How long all canary nodes must be Ready before other nodes change, for example 10m. Absent: no wait.
         */
        soak?: string;
      };
      /**
       * How many failed nodes halt the rollout (reason Halted): a number, or a percentage of the selected nodes, rounded down but at least 1. No new node starts then; failed nodes are retried. Example: 3.
       */
      failureThreshold?: number | string;
      /**
       * Maintenance windows in which nodes may start to change. Absent: always. A node that has started finishes outside of the window.
       */
      windows?: {
        /**
         * Start of the window as a cron expression with five fields, for example 0 22 * * 1-5.
         */
        schedule: string;
        /**
         * Length of the window, for example 6h.
         */
        duration: string;
        /**
         * IANA time zone of schedule, for example Europe/Berlin. Absent: UTC.
         */
        timeZone?: string;
      }[];
      /**
       * True: no further node starts to change. Nodes that have started finish.
       */
      paused?: boolean;
      /**
       * OnFailure: a GPU whose change fails is restored to its previous layout, placements included. Never: it is left as it is.
       */
      rollback?: 'OnFailure' | 'Never';
    };
    /**
     * What the operator may do beyond creating slices and destroying idle ones.
     */
    allow?: {
      /**
       * Allows the reset of a single GPU where a MIG mode change requires it (A100, A30), or where its driver asks for it. The latter happens with the next change of its layout, after all its pods have ended.
       */
      gpuReset?: boolean;
      /**
       * Allows asking for a reboot where a MIG mode change requires one: the agent creates /run/reboot-required on the host, and kured reboots the node. The operator itself never reboots. Needs the verb reboot on gpupartitionpolicies. Absent: false.
       */
      reboot?: boolean;
      /**
       * Allows destroying idle GPU instances that this operator did not create. Absent: false.
       */
      replaceForeignInstances?: boolean;
      /**
       * Other owners of the GPUs that the operator may switch off on the selected nodes. Absent: none; a node with another owner is Failed with reason ForeignManager. Example: [mig-manager].
       */
      takeOver?: 'mig-manager'[];
    };
    /**
     * What happens to the GPUs when the policy is deleted. Keep: they keep their layouts. DisableMig: the policy stays, with a finalizer, until its GPUs are whole.
     */
    onDelete?: 'Keep' | 'DisableMig';
  };
  /**
   * Observed state. Written by the controller only.
   */
  status?: {
    /**
     * Generation of the spec that this status describes.
     */
    observedGeneration?: number;
    /**
     * Newest generation that every selected node that has reported its GPUs could take. Nothing of a newer generation starts.
     */
    acceptedGeneration?: number;
    /**
     * The generation that decides over nodes: the newest accepted one with mode Enforce, with its spec. It stays in force while a newer generation is not accepted, or only plans.
     */
    inForce?: {
      /**
       * Generation of the policy.
       */
      generation: number;
      /**
       * The spec of that generation, with defaults.
       */
      spec: {
        [k: string]: unknown;
      };
    };
    /**
     * The generation that was in force before that one, with its spec: `gpu-partition undo` goes back to it.
     */
    previous?: {
      /**
       * Generation of the policy.
       */
      generation: number;
      /**
       * The spec of that generation, with defaults.
       */
      spec: {
        [k: string]: unknown;
      };
    };
    /**
     * Summary for the printer column, for example "31/40 ready, 4 updating".
     */
    summary?: string;
    /**
     * Ready, Reconciling and Stalled (kstatus), Valid, and DemandMet for a policy with a demand.
     */
    conditions?: {
      /**
       * Type of the condition.
       */
      type: string;
      /**
       * Whether the condition holds.
       */
      status: 'True' | 'False' | 'Unknown';
      /**
       * Machine-readable reason: docs/errors.md.
       */
      reason: string;
      /**
       * Human-readable explanation.
       */
      message: string;
      /**
       * When status last changed.
       */
      lastTransitionTime: string;
      /**
       * Generation of the spec that the condition describes.
       */
      observedGeneration?: number;
    }[];
    /**
     * Number of selected nodes by state.
     */
    nodes?: {
      /**
       * Nodes that nodeSelector matches.
       */
      matched?: number;
      /**
       * Nodes whose device, labels and advertised resources match the policy.
       */
      ready?: number;
      /**
       * Nodes that change now.
       */
      updating?: number;
      /**
       * Nodes that have not started, or that cannot take the policy.
       */
      pending?: number;
      /**
       * Nodes whose last attempt failed.
       */
      failed?: number;
      /**
       * Nodes that a policy of higher priority decides over.
       */
      outranked?: number;
      /**
       * Nodes that another policy of the same priority won.
       */
      conflicted?: number;
      /**
       * Nodes to whose GPUs no layout of this policy applies.
       */
      skipped?: number;
    };
    /**
     * For a policy with spec.schedules: which of them is in force, and what follows.
     */
    schedule?: {
      /**
       * The schedule in force. If it is absent, the policy's own layouts or demand are.
       */
      name?: string;
      /**
       * When the controller switched to it.
       */
      since: string;
      /**
       * The next switch. If it is absent, none is known.
       */
      next?: {
        /**
         * The schedule that is then in force. If it is absent, the policy's own layouts or demand.
         */
        name?: string;
        /**
         * When the controller switches.
         */
        time: string;
      };
    };
    /**
     * What of spec.demand is offered, by slice.
     */
    demand?: {
      /**
       * Name of the slice.
       */
      name: string;
      /**
       * How many are wanted.
       */
      wanted: number;
      /**
       * How many of those wanted exist on the GPUs now.
       */
      offered: number;
      /**
       * How many instances that serve it are in use.
       */
      used: number;
      /**
       * With from: Pods or Kueue. How many are requested by pods that wait for a node and could run on those selected, and by what Kueue holds back for them.
       */
      waiting?: number;
      /**
       * How many the last plan could not provide; the others exist or are being made.
       */
      unmet: number;
      /**
       * Why some are unmet.
       */
      why?: string;
    }[];
    /**
     * What becomes of the request in the annotation gpupartition.dev/defrag (`gpu-partition defrag --apply`).
     */
    defrag?: {
      /**
       * The annotation. Another value is another request.
       */
      request: string;
      /**
       * Making: layouts are chosen so that the slices become idle. Done: they were idle together; it is not repeated. Refused: message says why, and nothing is done for it.
       */
      state: 'Making' | 'Done' | 'Refused';
      /**
       * What is done, or why not.
       */
      message: string;
    };
    /**
     * The remaining work on all selected nodes.
     */
    plan?: {
      /**
       * GPUs whose layout differs from what the policy asks for.
       */
      gpusChanging?: number;
      /**
       * GPU instances that are kept.
       */
      instancesKept?: number;
      /**
       * GPU instances to destroy.
       */
      instancesDestroyed?: number;
      /**
       * GPU instances to create.
       */
      instancesCreated?: number;
      /**
       * Pods on instances to destroy.
       */
      podsToEvict?: number;
    };
    /**
     * The ledger: nodes that were admitted to change, until they are verified or given up. Written only by compare-and-swap.
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
       * Epoch of the grant that the node was admitted for.
       */
      epoch: number;
      /**
       * Generation of the policy that the node was admitted for.
       */
      generation?: number;
      /**
       * When the node was admitted.
       */
      startTime?: string;
      /**
       * When its pods must have terminated, if they are evicted at once: spec.drain.timeout counts from the first eviction.
       */
      deadline?: string;
      /**
       * Why the node was admitted. Fresh: it is already tainted and does not count against maxUnavailable. Repair: something else changed its GPUs. Retry: it failed before. New: a new change. Found: a new leader found it changing.
       */
      kind?: 'Fresh' | 'Repair' | 'Retry' | 'New' | 'Found';
    }[];
    /**
     * The canary nodes of a generation.
     */
    canary?: {
      /**
       * Generation of the policy that they are the canary of.
       */
      generation: number;
      /**
       * The schedule that they are the canary of: each switch has its own.
       */
      schedule?: string;
      /**
       * Names of the canary nodes.
       */
      nodes: string[];
      /**
       * Since when all of them are Ready. The soak counts from here.
       */
      readySince?: string;
      /**
       * When all of them had been Ready for the soak. What happens to them later no longer matters to the rollout.
       */
      passedTime?: string;
    };
    /**
     * How long changes of this generation take: what is left of a rollout is estimated from it. Written with the ledger.
     */
    pace?: {
      /**
       * Generation of the policy.
       */
      generation: number;
      /**
       * Nodes that were admitted for it and have been verified since.
       */
      nodes: number;
      /**
       * How long that took, from admission until verified, all of them together.
       */
      seconds: number;
    };
    /**
     * What the rollout may do now, in numbers of nodes.
     */
    limits?: {
      /**
       * Nodes with GPUs over which the policy decides. Percentages in `spec.rollout` are of these.
       */
      nodes: number;
      /**
       * How many of them may be unavailable at a time.
       */
      maxUnavailable: number;
      /**
       * How many nodes of all policies may change at a time: the controller's `--max-concurrent-nodes`.
       */
      maxConcurrentNodes: number;
    };
    /**
     * Nodes whose last attempt failed, and why.
     */
    failures?: {
      /**
       * Name of the node.
       */
      node: string;
      /**
       * Machine-readable reason: docs/errors.md.
       */
      reason: string;
      /**
       * What failed, on which GPU and instance, and what to do.
       */
      message: string;
      /**
       * When the attempt failed.
       */
      time?: string;
    }[];
  };
}
