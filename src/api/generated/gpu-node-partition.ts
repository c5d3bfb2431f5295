// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.

/**
 * GpuNodePartition is one node's GPUs: what they shall become (spec, written by the controller) and what they are (status.device, written by the node's agent). It is named after its Node, is owned by it, and is made by the controller; users read it.
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
   * Written by the controller alone.
   */
  spec: {
    /**
     * UID of the Node. An agent of another node uid may not write here.
     */
    nodeUID: string;
    /**
     * The policy that decides over this node; absent where none does.
     */
    policy?: {
      /**
       * Name of the GpuPartitionPolicy.
       */
      name: string;
      /**
       * Its UID.
       */
      uid?: string;
      /**
       * Its generation when the wish was made.
       */
      generation: number;
    };
    /**
     * Strategy of the policy.
     */
    strategy?: 'none' | 'single' | 'mixed';
    /**
     * What each GPU shall become. Plans are made on it; nothing is changed because of it.
     */
    wish?: {
      /**
       * One entry per GPU that the policy decides over; other GPUs are left alone.
       */
      gpus: {
        /**
         * UUID of the GPU.
         */
        uuid: string;
        /**
         * Profile to count; empty means MIG mode on without instances.
         */
        profiles?: {
          [k: string]: number;
        };
        /**
         * MIG mode off.
         */
        mig?: 'Disabled';
        /**
         * Which entry with a count chose the GPU, as a hash of its selector: an edit of its layout keeps the GPUs that it has. Absent where the entry has no count.
         */
        entry?: string;
      }[];
      /**
       * Plans may destroy GPU instances that this operator did not make.
       */
      replaceForeignInstances?: boolean;
      /**
       * False: plans may not reset a GPU that asks for it. Absent: they may.
       */
      allowGpuReset?: boolean;
    };
    /**
     * The wish that the agent may act on. It makes the device equal to this, never to wish.
     */
    granted?: {
      /**
       * As wish.gpus.
       */
      gpus: {
        /**
         * UUID of the GPU.
         */
        uuid: string;
        /**
         * Profile to count; empty means MIG mode on without instances.
         */
        profiles?: {
          [k: string]: number;
        };
        /**
         * MIG mode off.
         */
        mig?: 'Disabled';
        /**
         * Which entry with a count chose the GPU, as a hash of its selector: an edit of its layout keeps the GPUs that it has. Absent where the entry has no count.
         */
        entry?: string;
      }[];
      /**
       * Counts the grants of this object. An agent never acts on a lower one than it has seen.
       */
      epoch: number;
      /**
       * Hash of the plan that was looked at. The agent destroys only what that plan names.
       */
      planHash: string;
      /**
       * When the controller gives the grant up, by its own clock.
       */
      deadline: string;
      /**
       * The agent starts nothing when so many seconds have passed since it saw the grant. Without it the deadline counts, by the clock of the node.
       */
      seconds?: number;
      /**
       * May reset a single GPU where a MIG mode change needs it, or its driver asks for it.
       */
      allowGpuReset?: boolean;
      /**
       * May ask for a reboot (kured's sentinel file) where a MIG mode change needs one.
       */
      allowReboot?: boolean;
      /**
       * May destroy GPU instances that this operator did not make.
       */
      replaceForeignInstances?: boolean;
      /**
       * UIDs of the device plugin's pods that the agent signals (SIGHUP) when the device is done, so that they look at it again. Absent where they are replaced instead.
       */
      signalPods?: string[];
      /**
       * OnFailure: a GPU that fails returns to what it was, placements included.
       */
      rollback?: 'OnFailure' | 'Never';
    };
    /**
     * The plan whose pods are being evicted. The agent plans as if what they hold was still in use, so that exactly this plan is what is granted when they are gone.
     */
    drain?: {
      /**
       * Hash of that plan.
       */
      planHash: string;
      /**
       * As status.device.plan.drains of that plan.
       */
      places?: string[];
      /**
       * The pods that are told to go.
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
     * When the layout was granted again because something else had changed the device; the newest last.
     */
    repairs?: string[];
  };
  status?: {
    /**
     * Where the node is. Written by the controller.
     */
    phase?: 'Unmanaged' | 'Pending' | 'Waiting' | 'Updating' | 'Ready' | 'Failed' | 'Invalid';
    /**
     * Short text of the layout that is on the device.
     */
    layout?: string;
    /**
     * Who writes the nvidia.com labels: Patch (the controller) or Verify (GPU Feature Discovery; the controller compares).
     */
    writerMode?: 'Patch' | 'Verify';
    /**
     * What is waited for, each since when, so that a new leader resets no clock. Written by the controller.
     */
    waits?: {
      /**
       * What is waited for.
       */
      name: string;
      /**
       * When the wait began.
       */
      since: string;
      /**
       * The change of the device that it is about.
       */
      of?: string;
      /**
       * How often it has begun.
       */
      count?: number;
    }[];
    /**
     * Ready, Waiting and others. Written by the controller.
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
     * What the device really is. Written by the node's agent alone.
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
       * Tells one load of the driver's kernel module from the next, within a boot; absent where the kernel does not tell.
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
       * Last grant that the agent has finished with, well or not.
       */
      observedEpoch?: number;
      /**
       * What the agent is at.
       */
      step?: 'Idle' | 'Applying' | 'Failed' | 'Unknown';
      /**
       * Which pods of the device plugin were signalled to look at the devices again, after the last grant of which some were.
       */
      signalled?: {
        /**
         * The grant.
         */
        epoch: number;
        /**
         * UIDs of the pods.
         */
        uids: string[];
      };
      /**
       * When it tries again by itself.
       */
      nextRetryTime?: string;
      /**
       * Why the last grant or reading failed; absent when it did not.
       */
      error?: {
        /**
         * Code from docs/errors.md.
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
       * What it takes to make the device equal to wish.
       */
      plan?: {
        /**
         * Hash of every step and every affected pod.
         */
        hash: string;
        /**
         * Hash of the wish that it is for.
         */
        wishHash: string;
        /**
         * GPU instances that stay.
         */
        keep: number;
        /**
         * GPU instances that go.
         */
        destroy: number;
        /**
         * GPU instances that are made.
         */
        create: number;
        /**
         * GPUs that differ.
         */
        gpusChanging?: number;
        /**
         * GPUs whose MIG mode changes, or that are reset: nobody may have them open.
         */
        modeChanges?: number;
        /**
         * NAMESPACE/NAME of pods that hold what the plan destroys.
         */
        affectedPods?: string[];
        /**
         * So many more pods hold what the plan destroys than affectedPods can name.
         */
        morePods?: number;
        /**
         * What the plan destroys although it is in use: the UUID of a GPU, and PROFILE@START behind it for one instance.
         */
        drains?: string[];
        /**
         * Why not: InUse (somebody uses what the plan must destroy), Foreign (it would destroy instances that this operator did not make), Impossible (the live device cannot take it), Lost (a GPU does not answer), Unhealthy (a GPU waits for a reset, a reboot or its replacement).
         */
        refusalCode?: 'InUse' | 'Foreign' | 'Impossible' | 'Lost' | 'Unhealthy';
        /**
         * Why the wish cannot be met on the live device.
         */
        refusal?: string;
      };
      /**
       * What the kubelet offers on the device plugin's word (PodResources); absent where the kubelet was not asked or did not answer.
       */
      advertised?: {
        /**
         * Resource name to count; absent where nothing is offered (server-side apply would make null of an empty map).
         */
        resources?: {
          [k: string]: number;
        };
        /**
         * Device ids among them that the node does not have: the plugin has not looked since the devices changed.
         */
        stale: number;
      };
      /**
       * Profile tables of the driver, once for each model.
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
         * Placement units of the GPU.
         */
        memorySlices: number;
        /**
         * In the order of nvidia-smi mig -lgip.
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
           * Compute slices.
           */
          computeSlices: number;
          /**
           * Placement size.
           */
          memorySlices: number;
          /**
           * Possible starts.
           */
          starts: number[];
          /**
           * Most instances on a GPU.
           */
          maxInstances: number;
          /**
           * Memory of an instance.
           */
          memoryMiB?: number;
          /**
           * Streaming multiprocessors of an instance.
           */
          multiprocessors?: number;
          /**
           * Engines: copy, decoder, encoder, jpeg, ofa.
           */
          engines?: number[];
        }[];
      }[];
      /**
       * The GPUs in the order of nvidia-smi.
       */
      gpus?: {
        /**
         * UUID of the GPU.
         */
        uuid: string;
        /**
         * Index of the GPU.
         */
        index: number;
        /**
         * PCI bus id.
         */
        pciBusId: string;
        /**
         * PCI device id: 0x20B010DE.
         */
        pciDeviceId?: string;
        /**
         * PCI class: 0x030200.
         */
        pciClass?: string;
        /**
         * Product name as nvidia-smi prints it.
         */
        product: string;
        /**
         * Memory of the GPU.
         */
        memoryMiB?: number;
        /**
         * CUDA compute capability: 8.0.
         */
        computeCapability?: string;
        /**
         * Whether the GPU knows MIG.
         */
        migCapable?: boolean;
        /**
         * MIG mode now; absent where the GPU has none.
         */
        mig?: 'Enabled' | 'Disabled';
        /**
         * MIG mode after a reset.
         */
        migPending?: 'Enabled' | 'Disabled';
        /**
         * True if a process runs on the GPU outside of its instances; absent otherwise.
         */
        busy?: boolean;
        /**
         * NAMESPACE/NAME of pods that hold the whole GPU, as the kubelet says.
         */
        pods?: string[];
        /**
         * Why the GPU cannot be used, such as GpuLost.
         */
        error?: string;
        /**
         * Set where the GPU serves virtual machines (vGPU host), in the driver's words. Such a GPU is left alone.
         */
        vgpuHost?: string;
        /**
         * What the driver says is wrong with the GPU; absent where nothing is. Such a GPU is not repartitioned.
         */
        health?: {
          /**
           * What helps. Unknown for a word of the driver that this version does not know.
           */
          action: 'Drain' | 'Reset' | 'Reboot' | 'Replace' | 'Unknown';
          /**
           * What was found, in the driver's words.
           */
          message: string;
        };
        /**
         * GPU instances by start.
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
           * First placement unit.
           */
          start: number;
          /**
           * True if a process runs on it or a pod holds it; absent otherwise.
           */
          busy?: boolean;
          /**
           * NAMESPACE/NAME of pods that hold it, as the kubelet says.
           */
          pods?: string[];
          /**
           * Compute instances on it.
           */
          computeInstances: {
            /**
             * Profile as nvidia-smi -L prints it: 1g.5gb or 1c.3g.20gb.
             */
            profile: string;
            /**
             * UUID of the MIG device.
             */
            uuid?: string;
            /**
             * Memory of the MIG device.
             */
            memoryMiB?: number;
            /**
             * Streaming multiprocessors.
             */
            multiprocessors?: number;
            /**
             * Engines: copy, decoder, encoder, jpeg, ofa.
             */
            engines?: number[];
          }[];
        }[];
      }[];
      /**
       * The layout that the agent verified last, placements included.
       */
      lastGood?: {
        /**
         * Boot id at that time, and behind a + the load of the driver where it was known: no instance survives either.
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
           * PROFILE@START of each GPU instance.
           */
          placements?: string[];
          /**
           * What a change may have made that ended while the GPU did not answer; so many of each profile are this operator's. Absent when the GPU has answered since.
           */
          unsettled?: {
            [k: string]: number;
          };
        }[];
      };
    };
  };
}
