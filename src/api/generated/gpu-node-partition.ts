// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
/**
 * GpuNodePartition describes the GPUs of one node: what they should become (spec, written by the controller) and what they are (status.device, written by the node's agent). It has the name of its Node, which owns it. The controller creates it; users only read it.
 */
export interface GpuNodePartition {
  apiVersion: 'gpupartition.dev/v1alpha1';
  kind: 'GpuNodePartition';
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
   * Desired state. Written by the controller only.
   */
  spec: {
    /**
     * UID of the Node. An agent with the token of another Node UID cannot write status.device.
     */
    nodeUID: string;
    /**
     * The policy that applies to this node. Absent if none does.
     */
    policy?: {
      /**
       * Name of the GpuPartitionPolicy.
       */
      name: string;
      /**
       * UID of the policy.
       */
      uid?: string;
      /**
       * Generation of the policy that the wish was made from.
       */
      generation: number;
      /**
       * Schedule of the policy whose demand the wish was chosen for: under another one nothing has been chosen yet. Absent for the policy's own demand, and for layouts.
       */
      schedule?: string;
    };
    /**
     * MIG strategy of the policy.
     */
    strategy?: 'none' | 'single' | 'mixed';
    /**
     * What hands the slices out. Absent: the device plugin, or with backend Auto of the policy not known yet.
     */
    backend?: 'DevicePlugin' | 'DRA';
    /**
     * What each GPU should become. The agent plans for it and changes nothing because of it.
     */
    wish?: {
      /**
       * One entry per GPU that the policy applies to. Other GPUs are left alone.
       */
      gpus: {
        /**
         * UUID of the GPU.
         */
        uuid: string;
        /**
         * Profile to count, for example {1g.5gb: 2}. Empty: MIG mode on, no instances.
         */
        profiles?: {
          [k: string]: number;
        };
        /**
         * Disabled: MIG mode off.
         */
        mig?: 'Disabled';
        /**
         * Hash of the selector of the layouts entry that chose this GPU by count, so that an edit of the entry keeps its GPUs; demand, if the layout was chosen for the demand of the policy; rest, if that does not need the GPU. Absent for entries without count.
         */
        entry?: string;
      }[];
      /**
       * True: plans may destroy GPU instances that this operator did not create.
       */
      replaceForeignInstances?: boolean;
      /**
       * False: plans may not reset a GPU that asks for it. Absent: they may.
       */
      allowGpuReset?: boolean;
    };
    /**
     * The grant, the only thing that the agent acts on. It makes the device equal to this, never to wish.
     */
    granted?: {
      /**
       * What each GPU may become now, as in wish.gpus.
       */
      gpus: {
        /**
         * UUID of the GPU.
         */
        uuid: string;
        /**
         * Profile to count, for example {1g.5gb: 2}. Empty: MIG mode on, no instances.
         */
        profiles?: {
          [k: string]: number;
        };
        /**
         * Disabled: MIG mode off.
         */
        mig?: 'Disabled';
        /**
         * Hash of the selector of the layouts entry that chose this GPU by count, so that an edit of the entry keeps its GPUs; demand, if the layout was chosen for the demand of the policy; rest, if that does not need the GPU. Absent for entries without count.
         */
        entry?: string;
      }[];
      /**
       * Number of the grant, counted within this object. An agent never acts on a lower epoch than it has seen.
       */
      epoch: number;
      /**
       * The policy that the grant was written for. A failure of the grant counts against no other policy and generation.
       */
      policy?: {
        /**
         * UID of the policy.
         */
        uid?: string;
        /**
         * Generation of the policy.
         */
        generation?: number;
      };
      /**
       * Hash of the plan that was granted. The agent destroys only what that plan names. Empty: takes back the grant before this one, which was not answered in time, and allows nothing.
       */
      planHash: string;
      /**
       * When the controller takes the grant back if it is not answered, by the API server's clock.
       */
      deadline: string;
      /**
       * Seconds from when the agent saw the grant, after which it starts no further operation. Nor does it once deadline has passed by as many, by the API server's clock. Absent: deadline applies.
       */
      seconds?: number;
      /**
       * Allows the reset of a single GPU where a MIG mode change requires it, or its driver asks for it.
       */
      allowGpuReset?: boolean;
      /**
       * Allows asking for a reboot (kured's sentinel file) where a MIG mode change requires one.
       */
      allowReboot?: boolean;
      /**
       * Allows destroying GPU instances that this operator did not create.
       */
      replaceForeignInstances?: boolean;
      /**
       * UIDs of the device plugin pods that the agent signals (SIGHUP) after the change, so that they read the devices again. Absent where the pods are replaced instead.
       */
      signalPods?: string[];
      /**
       * OnFailure: a GPU whose change fails is restored, placements included. Never: it is left as it is.
       */
      rollback?: 'OnFailure' | 'Never';
    };
    /**
     * The plan whose pods are being evicted. The agent plans as if their instances were still in use, so that exactly this plan is granted when they are gone.
     */
    drain?: {
      /**
       * Hash of the plan.
       */
      planHash: string;
      /**
       * A reading that began at this time or later is awaited: pods that were created since the last one may bear the names of pods that it shows.
       */
      readAfter?: string;
      /**
       * What the pods hold: status.device.plan.drains of the plan.
       */
      places?: string[];
      /**
       * The pods that are evicted. None yet: the controller waits for a reading that shows which GPUs some pods use, and the agent reads at once.
       */
      pods: {
        /**
         * Namespace of the pod.
         */
        namespace: string;
        /**
         * Name of the pod.
         */
        name: string;
        /**
         * UID of the pod.
         */
        uid: string;
      }[];
    };
    /**
     * ResourceClaims, as NAMESPACE/NAME, that have GPUs of this node with admin access only. They look on: the agent does not count their pods as users.
     */
    monitors?: string[];
    /**
     * Resources that the kubelet still offers although no device plugin serves them. The agent ends their registrations.
     */
    unregister?: {
      /**
       * The grant after which this was seen. After another one the agent leaves the kubelet alone.
       */
      epoch: number;
      /**
       * Names of the resources.
       */
      resources: string[];
      /**
       * The plugin that registered them has left the node, and our taint keeps it away: they end even if their devices exist.
       */
      leftBehind?: boolean;
    };
    /**
     * Times at which the layout was granted again because something else had changed the device, newest last.
     */
    repairs?: string[];
  };
  /**
   * Observed state. device is written by the agent, everything else by the controller.
   */
  status?: {
    /**
     * State of the node towards its policy. Written by the controller.
     */
    phase?: 'Unmanaged' | 'Pending' | 'Waiting' | 'Updating' | 'Ready' | 'Failed' | 'Invalid';
    /**
     * Layout of the device for the printer column, for example "8 GPUs: 2×1g.5gb + 1×3g.20gb".
     */
    layout?: string;
    /**
     * Who writes the nvidia.com labels. Patch: the controller. Verify: GPU Feature Discovery, and the controller compares.
     */
    writerMode?: 'Patch' | 'Verify';
    /**
     * How long the node takes no new GPU pods because its GPUs change. Written by the controller.
     */
    closed?: {
      /**
       * Since when it is closed. Absent: it is not.
       */
      since?: string;
      /**
       * Seconds for which it was closed the last time.
       */
      lastSeconds?: number;
      /**
       * When the device had its new layout, the last time. Absent: it did not change, or its slices were offered at once.
       */
      deviceDoneTime?: string;
      /**
       * When it was opened again, the last time: its slices are offered to pods since then.
       */
      offeredTime?: string;
    };
    /**
     * What the node waits for and since when, so that a new leader does not restart a deadline. Written by the controller.
     */
    waits?: {
      /**
       * Name of the wait.
       */
      name: string;
      /**
       * When the wait began.
       */
      since: string;
      /**
       * What the wait is about: the change that it belongs to, or who is in the way.
       */
      of?: string;
      /**
       * How often the wait has begun.
       */
      count?: number;
    }[];
    /**
     * Ready, Waiting and Degraded. Written by the controller.
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
     * What the device is. Written by the node's agent only.
     */
    device?: {
      /**
       * Version of the agent.
       */
      agentVersion?: string;
      /**
       * Boot id of the node when the device was read.
       */
      bootID?: string;
      /**
       * Identifies one load of the driver's kernel module within a boot. Absent where the kernel does not provide it.
       */
      driverLoad?: string;
      /**
       * Version of NVIDIA's driver.
       */
      driverVersion?: string;
      /**
       * CUDA version of the driver.
       */
      cudaVersion?: string;
      /**
       * Product name of the machine (DMI).
       */
      machine?: string;
      /**
       * How far the clock of the node is ahead of the API server's, in seconds; negative: behind. Absent below 10 s. Nothing depends on it: durations are counted, and deadlines compared by the API server's clock.
       */
      clockSkewSeconds?: number;
      /**
       * When the GPUs, and the pods that hold them, were read, by the API server's clock. Written together with other changes, or when spec.drain.readAfter asks for it.
       */
      readTime?: string;
      /**
       * Epoch of the last grant that the agent finished, successfully or not.
       */
      observedEpoch?: number;
      /**
       * What the agent does now.
       */
      step?: 'Idle' | 'Applying' | 'Failed' | 'Unknown';
      /**
       * The device plugin pods that were signalled to read the devices again, after the last grant that named any.
       */
      signalled?: {
        /**
         * Epoch of that grant.
         */
        epoch: number;
        /**
         * UIDs of the pods.
         */
        uids: string[];
      };
      /**
       * What the agent changed on the host for a reset and could not restore so far, a sentence each. It is tried again. Absent if there is nothing.
       */
      hostProblems?: string[];
      /**
       * No longer written or read: the controller counts the rest after a failure by its own clock.
       */
      nextRetryTime?: string;
      /**
       * Why the last grant or reading failed. Absent if it succeeded.
       */
      error?: {
        /**
         * Error code: docs/errors.md.
         */
        code: string;
        /**
         * What was tried, what was found, what to do.
         */
        message: string;
        /**
         * UUID of the GPU.
         */
        gpu?: string;
      };
      /**
       * What it takes to make the device match wish.
       */
      plan?: {
        /**
         * Hash over every step and every affected pod.
         */
        hash: string;
        /**
         * Hash of the wish that the plan is for.
         */
        wishHash: string;
        /**
         * GPU instances that are kept.
         */
        keep: number;
        /**
         * GPU instances to destroy.
         */
        destroy: number;
        /**
         * GPU instances to create.
         */
        create: number;
        /**
         * GPUs that change.
         */
        gpusChanging?: number;
        /**
         * GPUs whose MIG mode changes or that are reset. No program may have them open meanwhile.
         */
        modeChanges?: number;
        /**
         * Pods on instances that the plan destroys, as NAMESPACE/NAME.
         */
        affectedPods?: string[];
        /**
         * How many affected pods do not fit into affectedPods.
         */
        morePods?: number;
        /**
         * What the plan destroys although it is in use: the UUID of a GPU, followed by PROFILE@START for one instance.
         */
        drains?: string[];
        /**
         * Why there is no plan. InUse: a process uses what the plan must destroy. Foreign: it would destroy instances that this operator did not create. Impossible: the live device cannot take the layout. Lost: a GPU does not respond. Unhealthy: a GPU needs a reset, a reboot or replacement.
         */
        refusalCode?: 'InUse' | 'Foreign' | 'Impossible' | 'Lost' | 'Unhealthy';
        /**
         * Why the wish cannot be met on the live device.
         */
        refusal?: string;
        /**
         * With refusalCode InUse: pods that look on at what is in the way by claims with admin access, as NAMESPACE/POD (claim NAMESPACE/NAME). Its processes may be theirs.
         */
        monitors?: string[];
      };
      /**
       * What the kubelet offers (PodResources). Absent where the kubelet was not asked or did not answer.
       */
      advertised?: {
        /**
         * Resource name to count, for example {nvidia.com/mig-1g.5gb: 2}. Absent where nothing is offered.
         */
        resources?: {
          [k: string]: number;
        };
        /**
         * Offered device ids that the node does not have: the device plugin has not read the devices since they changed.
         */
        stale: number;
      };
      /**
       * MIG devices that pods hold, by the kubelet, and that do not exist any more. Such pods cannot work.
       */
      lostDevices?: {
        /**
         * The device, as the kubelet names it.
         */
        id: string;
        /**
         * The pods that hold it, as NAMESPACE/NAME.
         */
        pods: string[];
      }[];
      /**
       * Profile tables of the driver, one per GPU model.
       */
      models?: {
        /**
         * Product name as nvidia-smi prints it.
         */
        product: string;
        /**
         * Compute slices of the GPU.
         */
        computeSlices: number;
        /**
         * Memory slices of the GPU.
         */
        memorySlices: number;
        /**
         * The profiles, in the order of nvidia-smi mig -lgip.
         */
        profiles: {
          /**
           * Profile name.
           */
          name: string;
          /**
           * GPU instance profile id.
           */
          id?: number;
          /**
           * Compute slices of an instance.
           */
          computeSlices: number;
          /**
           * Memory slices of an instance: the size of its placement.
           */
          memorySlices: number;
          /**
           * Memory slices at which an instance may start.
           */
          starts: number[];
          /**
           * Maximum number of instances on one GPU.
           */
          maxInstances: number;
          /**
           * Memory of an instance, in MiB.
           */
          memoryMiB?: number;
          /**
           * Streaming multiprocessors of an instance.
           */
          multiprocessors?: number;
          /**
           * Number of engines: copy, decoder, encoder, jpeg, ofa.
           */
          engines?: number[];
        }[];
      }[];
      /**
       * The GPUs in the order of nvidia-smi.
       */
      gpus?: {
        /**
         * UUID of the GPU; of one that was lost before any agent has seen it, its PCI bus id.
         */
        uuid: string;
        /**
         * Index of the GPU.
         */
        index: number;
        /**
         * Number of the GPU's device file, /dev/nvidiaN, after which the DRA driver names its devices. Absent where it is the index.
         */
        minor?: number;
        /**
         * PCI bus id.
         */
        pciBusId: string;
        /**
         * PCI device id, for example 0x20B010DE.
         */
        pciDeviceId?: string;
        /**
         * PCI class, for example 0x030200.
         */
        pciClass?: string;
        /**
         * Product name as nvidia-smi prints it.
         */
        product: string;
        /**
         * Memory of the GPU, in MiB.
         */
        memoryMiB?: number;
        /**
         * CUDA compute capability, for example 8.0.
         */
        computeCapability?: string;
        /**
         * Whether the GPU supports MIG.
         */
        migCapable?: boolean;
        /**
         * Current MIG mode. Absent where the GPU does not support MIG.
         */
        mig?: 'Enabled' | 'Disabled';
        /**
         * Pending MIG mode, in effect after a reset.
         */
        migPending?: 'Enabled' | 'Disabled';
        /**
         * True if a process uses the GPU outside of its instances. Absent otherwise.
         */
        busy?: boolean;
        /**
         * Pods that hold the whole GPU, as NAMESPACE/NAME, from the kubelet.
         */
        pods?: string[];
        /**
         * ResourceClaims by which these pods have it, as NAMESPACE/NAME. Absent where the device plugin hands it out.
         */
        claims?: string[];
        /**
         * Why the GPU cannot be used, for example GpuLost.
         */
        error?: string;
        /**
         * Set where the GPU serves virtual machines (vGPU host), or is a virtual GPU itself (VGPU), in the driver's words. Such a GPU is left alone.
         */
        vgpuHost?: string;
        /**
         * What the driver reports to be wrong with the GPU. Absent for a healthy GPU. An unhealthy GPU is not repartitioned.
         */
        health?: {
          /**
           * What remedies it. Unknown: the driver recommends something that this version does not know.
           */
          action: 'Drain' | 'Reset' | 'Reboot' | 'Replace' | 'Unknown';
          /**
           * What the driver reports.
           */
          message: string;
        };
        /**
         * GPU instances, ordered by start.
         */
        instances: {
          /**
           * Profile of the GPU instance.
           */
          profile: string;
          /**
           * GPU instance id.
           */
          gi: number;
          /**
           * First memory slice of its placement.
           */
          start: number;
          /**
           * UUID of the MIG device that takes all of the instance. Absent where computeInstances is there.
           */
          uuid?: string;
          /**
           * True if a process uses the instance or a pod holds it. Absent otherwise.
           */
          busy?: boolean;
          /**
           * Pods that hold the instance, as NAMESPACE/NAME, from the kubelet.
           */
          pods?: string[];
          /**
           * ResourceClaims by which these pods have it, as NAMESPACE/NAME. Absent where the device plugin hands it out.
           */
          claims?: string[];
          /**
           * Compute instances of the GPU instance. Absent: a single one takes all of it, and has what the profile in models says.
           */
          computeInstances?: {
            /**
             * Profile as nvidia-smi -L prints it: 1g.5gb or 1c.3g.20gb.
             */
            profile: string;
            /**
             * UUID of the MIG device.
             */
            uuid?: string;
            /**
             * Memory of the MIG device, in MiB.
             */
            memoryMiB?: number;
            /**
             * Streaming multiprocessors.
             */
            multiprocessors?: number;
            /**
             * Number of engines: copy, decoder, encoder, jpeg, ofa.
             */
            engines?: number[];
          }[];
        }[];
      }[];
      /**
       * The last layout that the agent verified, placements included.
       */
      lastGood?: {
        /**
         * Boot id at that time, followed by + and driverLoad where it was known. No instance survives a change of either.
         */
        bootID?: string;
        /**
         * One entry per GPU.
         */
        gpus?: {
          /**
           * UUID of the GPU.
           */
          uuid: string;
          /**
           * MIG mode.
           */
          mig?: 'Enabled' | 'Disabled';
          /**
           * Each GPU instance as PROFILE@START.
           */
          placements?: string[];
          /**
           * Instances that a change may have created when the GPU stopped responding, profile to count. They belong to this operator. Absent once the GPU has responded again.
           */
          unsettled?: {
            [k: string]: number;
          };
        }[];
      };
    };
  };
}
