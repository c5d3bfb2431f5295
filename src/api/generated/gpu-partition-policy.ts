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
     * Nodes that this policy partitions, for example matchLabels: {pool: inference}. It must not be empty, or use labels that a layout changes (nvidia.com/gpu.product, nvidia.com/mig-*, nvidia.com/gpu.deploy.*, ...): select by pool, and choose GPUs with layouts[].gpus.models.
     */
    nodeSelector: {
      /**
       * Labels that a node must carry. Example: {pool: inference}.
       */
      matchLabels?: {
        [k: string]: string;
      };
      /**
       * Requirements on the labels of a node. Example: {key: pool, operator: In, values: [inference, batch]}.
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
     * Which policy wins a node that several policies of mode Enforce select: the higher priority, then the older policy, then the name. The loser is Ready with reason Outranked, or at equal priority Stalled with reason Conflicted.
     */
    priority?: number;
    /**
     * Enforce partitions the nodes. Plan reports in status what would change, and changes nothing. It takes no node from another policy; a policy that turns from Enforce to Plan keeps its nodes.
     */
    mode?: 'Enforce' | 'Plan';
    /**
     * How the device plugin advertises the GPUs; must be its own MIG strategy. none: whole GPUs as nvidia.com/gpu, without MIG. single: each slice as nvidia.com/gpu; all slices of a node have one profile. mixed: one resource per profile, for example nvidia.com/mig-1g.5gb.
     */
    strategy: 'none' | 'single' | 'mixed';
    /**
     * Instead of layouts: the slices that all selected nodes offer together. The controller chooses the layouts with the fewest changes: docs/demand.md.
     */
    demand?: {
      /**
       * The wanted slices, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them.
       */
      slices: {
        /**
         * Name in status and messages, for example small. Absent: the first profile, the memory, or whole.
         */
        name?: string;
        /**
         * Profiles or globs, any of which serves, for example [1g.5gb, 1g.10gb] or ["1g.*"]. A glob without a + matches only plain profiles, without +me and the like. The smallest that serves is made.
         */
        profiles?: string[];
        /**
         * Instead of profiles: any plain profile with at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi. A 1g.5gb of an A100 has less than 5Gi: gpu-partition recommend --size.
         */
        memory?: string;
        /**
         * Instead of profiles: whole GPUs (MIG mode off), which pods request as nvidia.com/gpu.
         */
        mig?: 'Disabled';
        /**
         * Slices over all selected nodes, those in use included.
         */
        count?: number;
        /**
         * With from: Pods or Kueue. Minimum, whatever pods ask for. Absent: 0.
         */
        min?: number;
        /**
         * With from: Pods or Kueue. Maximum, whatever pods ask for. Absent: no limit.
         */
        max?: number;
        /**
         * With from: Pods or Kueue. Slices kept free beyond those in use and waited for: a number, or a percentage of these, rounded up. Example: 2.
         */
        spare?: number | string;
        /**
         * Decides what goes short if not everything fits: the cost of each slice that cannot be offered; spare ones go short first. Absent: the memory slices of its smallest profile.
         */
        weight?: number;
      }[];
      /**
       * Declared (or absent): each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests for nvidia.com/mig-PROFILE, or nvidia.com/gpu for whole GPUs. Kueue: Pods, and jobs that Kueue has not admitted.
       */
      from?: 'Declared' | 'Pods' | 'Kueue';
      /**
       * With from: Pods or Kueue. Only pods in these namespaces count. Example: matchLabels: {team: vision}. Absent, or empty: those in all namespaces.
       */
      namespaceSelector?: {
        /**
         * Labels that a namespace must carry. Example: {kubernetes.io/metadata.name: vision}.
         */
        matchLabels?: {
          [k: string]: string;
        };
        /**
         * Requirements on the labels of a namespace. Example: {key: team, operator: In, values: [vision, speech]}.
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
       * Never (or absent): only idle slices are given up; no pod is evicted, whatever spec.drain says. IfNeeded: pods also go, within spec.drain, for waiting pods of higher priority, and pods of priority 0 or less for a count.
       */
      evict?: 'Never' | 'IfNeeded';
      /**
       * Idle GPUs that the demand does not need. Keep (or absent): they stay. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it.
       */
      rest?: 'Keep' | 'Whole' | 'Balanced';
      /**
       * With from: Pods or Kueue. How long pods must ask for less before the demand falls, for example 1h. It rises after 1m, or after this long if that is shorter. Absent: 10m.
       */
      stabilization?: string;
      /**
       * How long a GPU is left alone after its layout has changed, unless only it can offer a wanted slice: then it changes once more at most. For example 1h. Absent: 30m.
       */
      cooldown?: string;
    };
    /**
     * What offers the slices. DevicePlugin: NVIDIA's device plugin, as resources such as nvidia.com/mig-1g.5gb. DRA: NVIDIA's DRA driver (gpu.nvidia.com, without its gate DynamicMIG), as devices of ResourceSlices; needs strategy mixed. Auto: found out for each node by what is there; also needs strategy mixed. A node on which both offer GPUs is left alone with reason BackendMismatch.
     */
    backend?: 'DevicePlugin' | 'DRA' | 'Auto';
    /**
     * Settings of backend DRA, and of Auto.
     */
    dra?: {
      /**
       * Managed: the controller keeps the DeviceClasses that gpu-partition export dra prints; it deletes none. Absent: they are yours to apply.
       */
      deviceClasses?: 'Managed';
    };
    /**
     * The quotas of a ClusterQueue of Kueue follow what the nodes of this policy offer: lowered before a node changes, raised once it is verified. Needs the rights of config/kueue.
     */
    kueue?: {
      /**
       * Name of the ClusterQueue, and of its ResourceFlavor. The controller creates both, and writes all of the queue's resourceGroups; other queues borrow from its cohort. One that somebody else has set is left alone. Example: inference.
       */
      clusterQueue: string;
      /**
       * Name of the cohort in which it lends its quotas. Absent: yours to set on the queue. Example: gpus.
       */
      cohort?: string;
    };
    /**
     * The first entry that matches a GPU applies; a GPU that matches none is left alone. Set exactly one of layouts and demand.
     */
    layouts?: {
      /**
       * Selects the GPUs of this entry: all fields that are set must match. Absent or empty: every GPU. Example: {models: ["A100-*-40GB"], indices: [0, 1]}.
       */
      gpus?: {
        /**
         * GPU models as globs, for example "A100-*-40GB". Compared, ignoring case, with the model id (a100-40gb) and with the product name of GPU Feature Discovery without NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).
         */
        models?: string[];
        /**
         * GPU indices as nvidia-smi -L prints them, for example [0, 1].
         */
        indices?: number[];
        /**
         * GPU UUIDs, as nvidia-smi -L prints them: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
         */
        uuids?: string[];
        /**
         * PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.
         */
        pciDeviceIds?: string[];
        /**
         * Takes exactly this many of a node's matching GPUs, so that the fewest instances are destroyed, and keeps this choice. A node with fewer is refused; on a node with none the entry is skipped.
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
       * A layout made from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off).
       */
      preset?: string;
      /**
       * Disabled: the GPU is whole, with MIG mode off. A GPU without MIG already matches.
       */
      mig?: 'Disabled';
    }[];
    /**
     * Times with their own layouts or demand, for example a night shift. The first that is open applies; outside of all of them, the policy's own. A switch is a rollout: docs/rollout.md.
     */
    schedules?: {
      /**
       * Name in status and messages, for example night.
       */
      name: string;
      /**
       * Start, as a cron expression with five fields, for example 0 22 * * 1-5.
       */
      schedule: string;
      /**
       * How long it lasts, for example 8h.
       */
      duration: string;
      /**
       * IANA time zone of schedule, for example Europe/Berlin. Absent: UTC.
       */
      timeZone?: string;
      /**
       * The first entry that matches a GPU applies; a GPU that matches none is left alone. Set exactly one of layouts and demand.
       */
      layouts?: {
        /**
         * Selects the GPUs of this entry: all fields that are set must match. Absent or empty: every GPU. Example: {models: ["A100-*-40GB"], indices: [0, 1]}.
         */
        gpus?: {
          /**
           * GPU models as globs, for example "A100-*-40GB". Compared, ignoring case, with the model id (a100-40gb) and with the product name of GPU Feature Discovery without NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).
           */
          models?: string[];
          /**
           * GPU indices as nvidia-smi -L prints them, for example [0, 1].
           */
          indices?: number[];
          /**
           * GPU UUIDs, as nvidia-smi -L prints them: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.
           */
          uuids?: string[];
          /**
           * PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.
           */
          pciDeviceIds?: string[];
          /**
           * Takes exactly this many of a node's matching GPUs, so that the fewest instances are destroyed, and keeps this choice. A node with fewer is refused; on a node with none the entry is skipped.
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
         * A layout made from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off).
         */
        preset?: string;
        /**
         * Disabled: the GPU is whole, with MIG mode off. A GPU without MIG already matches.
         */
        mig?: 'Disabled';
      }[];
      /**
       * Instead of layouts: the slices that all selected nodes offer together. The controller chooses the layouts with the fewest changes: docs/demand.md.
       */
      demand?: {
        /**
         * The wanted slices, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them.
         */
        slices: {
          /**
           * Name in status and messages, for example small. Absent: the first profile, the memory, or whole.
           */
          name?: string;
          /**
           * Profiles or globs, any of which serves, for example [1g.5gb, 1g.10gb] or ["1g.*"]. A glob without a + matches only plain profiles, without +me and the like. The smallest that serves is made.
           */
          profiles?: string[];
          /**
           * Instead of profiles: any plain profile with at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi. A 1g.5gb of an A100 has less than 5Gi: gpu-partition recommend --size.
           */
          memory?: string;
          /**
           * Instead of profiles: whole GPUs (MIG mode off), which pods request as nvidia.com/gpu.
           */
          mig?: 'Disabled';
          /**
           * Slices over all selected nodes, those in use included.
           */
          count?: number;
          /**
           * With from: Pods or Kueue. Minimum, whatever pods ask for. Absent: 0.
           */
          min?: number;
          /**
           * With from: Pods or Kueue. Maximum, whatever pods ask for. Absent: no limit.
           */
          max?: number;
          /**
           * With from: Pods or Kueue. Slices kept free beyond those in use and waited for: a number, or a percentage of these, rounded up. Example: 2.
           */
          spare?: number | string;
          /**
           * Decides what goes short if not everything fits: the cost of each slice that cannot be offered; spare ones go short first. Absent: the memory slices of its smallest profile.
           */
          weight?: number;
        }[];
        /**
         * Declared (or absent): each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests for nvidia.com/mig-PROFILE, or nvidia.com/gpu for whole GPUs. Kueue: Pods, and jobs that Kueue has not admitted.
         */
        from?: 'Declared' | 'Pods' | 'Kueue';
        /**
         * With from: Pods or Kueue. Only pods in these namespaces count. Example: matchLabels: {team: vision}. Absent, or empty: those in all namespaces.
         */
        namespaceSelector?: {
          /**
           * Labels that a namespace must carry. Example: {kubernetes.io/metadata.name: vision}.
           */
          matchLabels?: {
            [k: string]: string;
          };
          /**
           * Requirements on the labels of a namespace. Example: {key: team, operator: In, values: [vision, speech]}.
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
         * Never (or absent): only idle slices are given up; no pod is evicted, whatever spec.drain says. IfNeeded: pods also go, within spec.drain, for waiting pods of higher priority, and pods of priority 0 or less for a count.
         */
        evict?: 'Never' | 'IfNeeded';
        /**
         * Idle GPUs that the demand does not need. Keep (or absent): they stay. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it.
         */
        rest?: 'Keep' | 'Whole' | 'Balanced';
        /**
         * With from: Pods or Kueue. How long pods must ask for less before the demand falls, for example 1h. It rises after 1m, or after this long if that is shorter. Absent: 10m.
         */
        stabilization?: string;
        /**
         * How long a GPU is left alone after its layout has changed, unless only it can offer a wanted slice: then it changes once more at most. For example 1h. Absent: 30m.
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
       * Which of several shared slices a pod of the node gets. Distributed: one that the fewest pods share, as by default. Packed: one that the most share, so that others stay idle and can go without evicting pods; needs NVIDIA's device plugin 0.20 or newer. Only with timeSlicing: a slice that is not shared is not chosen by it.
       */
      allocation?: 'Distributed' | 'Packed';
      /**
       * One entry per shared resource. Example: [{resource: nvidia.com/mig-1g.5gb, replicas: 4}].
       */
      timeSlicing?: {
        /**
         * Resource that the device plugin advertises: nvidia.com/gpu, or nvidia.com/mig-1g.5gb under strategy mixed.
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
       * Pods to evict. Affected: those on slices that the change destroys. Node: every GPU pod of the node. None: no pod; the node is closed until those on these slices have ended.
       */
      scope?: 'Affected' | 'Node' | 'None';
      /**
       * How long a node waits for its pods to terminate, for example 90s, 10m or 1h30m.
       */
      timeout?: string;
      /**
       * After timeout. Skip: reopen the node, let another one change, and retry later. Wait: keep waiting. Force: delete the pods with their grace period, past their disruption budgets; needs the verb force on gpupartitionpolicies.
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
       * Nodes that may be unavailable at a time, NotReady and Failed ones included: a number, or a percentage of the policy's nodes with GPUs, rounded down but at least 1. 0 holds the rollout. Example: 10%.
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
       * Failed nodes that halt the rollout (reason Halted): a number, or a percentage as in maxUnavailable. No new node starts then; failed nodes are retried. Example: 3.
       */
      failureThreshold?: number | string;
      /**
       * Maintenance windows in which nodes may start to change; a node that has started finishes. Absent: always.
       */
      windows?: {
        /**
         * Start, as a cron expression with five fields, for example 0 22 * * 1-5.
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
       * OnFailure: a GPU whose change fails gets its previous layout back, placements included. Never: it stays as it is.
       */
      rollback?: 'OnFailure' | 'Never';
    };
    /**
     * What the operator may do beyond creating slices and destroying idle ones.
     */
    allow?: {
      /**
       * Allows the reset of a GPU where a MIG mode change requires it (A100, A30), and with the next change of its layout where its driver asks for it, once all its pods have ended.
       */
      gpuReset?: boolean;
      /**
       * Allows asking for a reboot where a MIG mode change requires one: the agent creates /run/reboot-required, and kured reboots the node. Needs the verb reboot on gpupartitionpolicies. Absent: false.
       */
      reboot?: boolean;
      /**
       * Allows destroying idle GPU instances that this operator did not create. Absent: false.
       */
      replaceForeignInstances?: boolean;
      /**
       * Other owners of the GPUs that the operator may switch off on the selected nodes. Absent: none; such a node is Failed with reason ForeignManager. A pause or a state that mig-manager left on the node is ended, too. Example: [mig-manager].
       */
      takeOver?: 'mig-manager'[];
    };
    /**
     * The GPUs of a deleted policy. Keep: they keep their layouts. DisableMig: they become whole; a finalizer keeps the policy until then.
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
     * The generations that came in force, newest first, each with its spec: `gpu-partition undo` goes back to one of them. At most 256 kB together: the oldest are dropped.
     */
    history?: {
      /**
       * Generation of the policy.
       */
      generation: number;
      /**
       * When it was written.
       */
      time: string;
      /**
       * Field manager that wrote it, as managedFields had it then.
       */
      manager?: string;
      /**
       * The spec of that generation, with defaults.
       */
      spec: {
        [k: string]: unknown;
      };
    }[];
    /**
     * Summary for the printer column, for example "31/40 ready, 4 updating".
     */
    summary?: string;
    /**
     * Ready, Reconciling and Stalled (kstatus), Valid, DemandMet for a policy with a demand, and KueueQuota for one with kueue.
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
       * The schedule in force. Absent: the policy's own layouts or demand.
       */
      name?: string;
      /**
       * When the controller switched to it.
       */
      since: string;
      /**
       * The next switch. Absent: none is known.
       */
      next?: {
        /**
         * The schedule that is then in force. Absent: the policy's own layouts or demand.
         */
        name?: string;
        /**
         * When the controller switches.
         */
        time: string;
      };
    };
    /**
     * The slices of spec.demand: what is wanted, and what exists.
     */
    demand?: {
      /**
       * Name of the slice.
       */
      name: string;
      /**
       * Slices wanted.
       */
      wanted: number;
      /**
       * Of these, slices that exist on the GPUs now.
       */
      offered: number;
      /**
       * Instances in use that serve it.
       */
      used: number;
      /**
       * With from: Pods or Kueue. Slices requested by pods that wait and could run on the selected nodes, and by jobs that Kueue holds back.
       */
      waiting?: number;
      /**
       * Slices that the last plan could not provide; the others exist or are being made.
       */
      unmet: number;
      /**
       * Why some are unmet.
       */
      why?: string;
    }[];
    /**
     * With from: Pods or Kueue, by name of the slice: how many pods have asked for long enough, so that a new leader continues with it.
     */
    steady?: {
      [k: string]: number;
    };
    /**
     * State of the request in the annotation gpupartition.dev/defrag (`gpu-partition defrag --apply`).
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
     * The ledger: nodes with a slot, from their admission until they are verified or given up.
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
       * No longer written or read: startTime tells one slot of a node from the next.
       */
      epoch?: number;
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
       * Why the node was admitted. Fresh: already tainted, so not counted against maxUnavailable. Repair: something else changed its GPUs. Retry: it failed before. New: a new change. Found: a new leader found it changing.
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
