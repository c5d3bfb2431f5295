// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"type":"object","description":"GpuPartitionPolicy defines how the NVIDIA GPUs of the selected nodes are partitioned with MIG, and how the nodes advertise the slices.","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"type":"string","const":"gpupartition.dev/v1alpha1"},"kind":{"type":"string","const":"GpuPartitionPolicy"},"metadata":{"type":"object","additionalProperties":true,"required":["name"],"properties":{"name":{"type":"string"},"uid":{"type":"string"},"generation":{"type":"integer"},"resourceVersion":{"type":"string"},"creationTimestamp":{"type":"string"},"deletionTimestamp":{"type":"string"},"labels":{"type":"object","additionalProperties":{"type":"string"}},"annotations":{"type":"object","additionalProperties":{"type":"string"}},"finalizers":{"type":"array","items":{"type":"string"}}}},"spec":{"type":"object","description":"What the GPUs of the selected nodes become, and how a change reaches them.","required":["nodeSelector","strategy"],"properties":{"nodeSelector":{"type":"object","description":"Nodes that this policy partitions, for example matchLabels: {pool: inference}. It must not be empty, or use labels that a layout changes (nvidia.com/gpu.product, nvidia.com/mig-*, nvidia.com/gpu.deploy.*, ...): select by pool, and choose GPUs with layouts[].gpus.models.","properties":{"matchLabels":{"type":"object","description":"Labels that a node must carry. Example: {pool: inference}.","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","description":"Requirements on the labels of a node. Example: {key: pool, operator: In, values: [inference, batch]}.","maxItems":16,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","minLength":1,"maxLength":317,"description":"Key of the label."},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"],"description":"How the label is compared with values."},"values":{"type":"array","description":"Values for In and NotIn; none for Exists and DoesNotExist.","maxItems":64,"items":{"type":"string","maxLength":63}}},"additionalProperties":false}}},"additionalProperties":false},"priority":{"type":"integer","default":0,"minimum":-1000000000,"maximum":1000000000,"description":"Which policy wins a node that several policies of mode Enforce select: the higher priority, then the older policy, then the name. The loser is Ready with reason Outranked, or at equal priority Stalled with reason Conflicted."},"mode":{"type":"string","enum":["Enforce","Plan"],"default":"Enforce","description":"Enforce partitions the nodes. Plan reports in status what would change, and changes nothing. It takes no node from another policy; a policy that turns from Enforce to Plan keeps its nodes."},"strategy":{"type":"string","enum":["none","single","mixed"],"description":"How the device plugin advertises the GPUs; must be its own MIG strategy. none: whole GPUs as nvidia.com/gpu, without MIG. single: each slice as nvidia.com/gpu; all slices of a node have one profile. mixed: one resource per profile, for example nvidia.com/mig-1g.5gb."},"demand":{"type":"object","description":"Instead of layouts: the slices that all selected nodes offer together. The controller chooses the layouts with the fewest changes: docs/demand.md.","required":["slices"],"properties":{"slices":{"type":"array","description":"The wanted slices, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them.","minItems":1,"maxItems":16,"items":{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example small. Absent: the first profile, the memory, or whole."},"profiles":{"type":"array","description":"Profiles or globs, any of which serves, for example [1g.5gb, 1g.10gb] or [\"1g.*\"]. A glob without a + matches only plain profiles, without +me and the like. The smallest that serves is made.","minItems":1,"maxItems":16,"items":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[1-9*?][0-9abefglmx.+*?-]*$"}},"memory":{"type":"string","maxLength":12,"pattern":"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$","description":"Instead of profiles: any plain profile with at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi. A 1g.5gb of an A100 has less than 5Gi: gpu-partition recommend --size."},"mig":{"type":"string","enum":["Disabled"],"description":"Instead of profiles: whole GPUs (MIG mode off), which pods request as nvidia.com/gpu."},"count":{"type":"integer","minimum":0,"maximum":100000,"description":"Slices over all selected nodes, those in use included."},"min":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Minimum, whatever pods ask for. Absent: 0."},"max":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Maximum, whatever pods ask for. Absent: no limit."},"spare":{"description":"With from: Pods or Kueue. Slices kept free beyond those in use and waited for: a number, or a percentage of these, rounded up. Example: 2.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":100000,"pattern":"^(100|[1-9]?[0-9])%$"},"weight":{"type":"integer","minimum":1,"maximum":1000000,"description":"Decides what goes short if not everything fits: the cost of each slice that cannot be offered; spare ones go short first. Absent: the memory slices of its smallest profile."}},"additionalProperties":false}},"from":{"type":"string","enum":["Declared","Pods","Kueue"],"description":"Declared (or absent): each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests for nvidia.com/mig-PROFILE, or nvidia.com/gpu for whole GPUs. Kueue: Pods, and jobs that Kueue has not admitted."},"evict":{"type":"string","enum":["Never","IfNeeded"],"description":"Never (or absent): only idle slices are given up; no pod is evicted, whatever spec.drain says. IfNeeded: pods are evicted where that serves more of the demand, within spec.drain."},"rest":{"type":"string","enum":["Keep","Whole","Balanced"],"description":"Idle GPUs that the demand does not need. Keep (or absent): they stay. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it."},"stabilization":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"With from: Pods or Kueue. How long pods must ask for less before the demand falls, for example 1h. It rises after 1m, or after this long if that is shorter. Absent: 10m."},"cooldown":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long a GPU is left alone after its layout has changed, unless only it can offer a wanted slice: then it changes once more at most. For example 1h. Absent: 30m."}},"additionalProperties":false},"backend":{"type":"string","enum":["DevicePlugin","DRA","Auto"],"default":"DevicePlugin","description":"What offers the slices. DevicePlugin: NVIDIA's device plugin, as resources such as nvidia.com/mig-1g.5gb. DRA: NVIDIA's DRA driver (gpu.nvidia.com, without its gate DynamicMIG), as devices of ResourceSlices; needs strategy mixed. Auto: found out for each node by what is there; also needs strategy mixed. A node on which both offer GPUs is left alone with reason BackendMismatch."},"dra":{"type":"object","description":"Settings of backend DRA, and of Auto.","properties":{"deviceClasses":{"type":"string","enum":["Managed"],"description":"Managed: the controller keeps the DeviceClasses that gpu-partition export dra prints; it deletes none. Absent: they are yours to apply."}},"additionalProperties":false},"layouts":{"type":"array","description":"The first entry that matches a GPU applies; a GPU that matches none is left alone. Set exactly one of layouts and demand.","minItems":1,"maxItems":64,"items":{"type":"object","properties":{"gpus":{"type":"object","description":"Selects the GPUs of this entry: all fields that are set must match. Absent or empty: every GPU. Example: {models: [\"A100-*-40GB\"], indices: [0, 1]}.","properties":{"models":{"type":"array","description":"GPU models as globs, for example \"A100-*-40GB\". Compared, ignoring case, with the model id (a100-40gb) and with the product name of GPU Feature Discovery without NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).","minItems":1,"maxItems":32,"items":{"type":"string","minLength":1,"maxLength":63,"pattern":"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"}},"indices":{"type":"array","description":"GPU indices as nvidia-smi -L prints them, for example [0, 1].","minItems":1,"maxItems":32,"items":{"type":"integer","minimum":0,"maximum":63}},"uuids":{"type":"array","description":"GPU UUIDs, as nvidia-smi -L prints them: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.","minItems":1,"maxItems":64,"items":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}},"pciDeviceIds":{"type":"array","description":"PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.","minItems":1,"maxItems":32,"items":{"type":"string","maxLength":10,"pattern":"^0x[0-9a-fA-F]{4}10[dD][eE]$"}},"count":{"type":"integer","minimum":1,"maximum":64,"description":"Takes exactly this many of a node's matching GPUs, so that the fewest instances are destroyed, and keeps this choice. A node with fewer is refused; on a node with none the entry is skipped."}},"additionalProperties":false},"profiles":{"type":"object","description":"The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.","minProperties":1,"maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"preset":{"type":"string","maxLength":32,"pattern":"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$","description":"A layout made from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off)."},"mig":{"type":"string","enum":["Disabled"],"description":"Disabled: the GPU is whole, with MIG mode off. A GPU without MIG already matches."}},"additionalProperties":false}},"schedules":{"type":"array","description":"Times with their own layouts or demand, for example a night shift. The first that is open applies; outside of all of them, the policy's own. A switch is a rollout: docs/rollout.md.","minItems":1,"maxItems":8,"items":{"type":"object","required":["name","schedule","duration"],"properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example night."},"schedule":{"type":"string","maxLength":64,"pattern":"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$","description":"Start, as a cron expression with five fields, for example 0 22 * * 1-5."},"duration":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long it lasts, for example 8h."},"timeZone":{"type":"string","maxLength":64,"description":"IANA time zone of schedule, for example Europe/Berlin. Absent: UTC."},"layouts":{"type":"array","description":"The first entry that matches a GPU applies; a GPU that matches none is left alone. Set exactly one of layouts and demand.","minItems":1,"maxItems":64,"items":{"type":"object","properties":{"gpus":{"type":"object","description":"Selects the GPUs of this entry: all fields that are set must match. Absent or empty: every GPU. Example: {models: [\"A100-*-40GB\"], indices: [0, 1]}.","properties":{"models":{"type":"array","description":"GPU models as globs, for example \"A100-*-40GB\". Compared, ignoring case, with the model id (a100-40gb) and with the product name of GPU Feature Discovery without NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).","minItems":1,"maxItems":32,"items":{"type":"string","minLength":1,"maxLength":63,"pattern":"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"}},"indices":{"type":"array","description":"GPU indices as nvidia-smi -L prints them, for example [0, 1].","minItems":1,"maxItems":32,"items":{"type":"integer","minimum":0,"maximum":63}},"uuids":{"type":"array","description":"GPU UUIDs, as nvidia-smi -L prints them: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.","minItems":1,"maxItems":64,"items":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}},"pciDeviceIds":{"type":"array","description":"PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.","minItems":1,"maxItems":32,"items":{"type":"string","maxLength":10,"pattern":"^0x[0-9a-fA-F]{4}10[dD][eE]$"}},"count":{"type":"integer","minimum":1,"maximum":64,"description":"Takes exactly this many of a node's matching GPUs, so that the fewest instances are destroyed, and keeps this choice. A node with fewer is refused; on a node with none the entry is skipped."}},"additionalProperties":false},"profiles":{"type":"object","description":"The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.","minProperties":1,"maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"preset":{"type":"string","maxLength":32,"pattern":"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$","description":"A layout made from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off)."},"mig":{"type":"string","enum":["Disabled"],"description":"Disabled: the GPU is whole, with MIG mode off. A GPU without MIG already matches."}},"additionalProperties":false}},"demand":{"type":"object","description":"Instead of layouts: the slices that all selected nodes offer together. The controller chooses the layouts with the fewest changes: docs/demand.md.","required":["slices"],"properties":{"slices":{"type":"array","description":"The wanted slices, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them.","minItems":1,"maxItems":16,"items":{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example small. Absent: the first profile, the memory, or whole."},"profiles":{"type":"array","description":"Profiles or globs, any of which serves, for example [1g.5gb, 1g.10gb] or [\"1g.*\"]. A glob without a + matches only plain profiles, without +me and the like. The smallest that serves is made.","minItems":1,"maxItems":16,"items":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[1-9*?][0-9abefglmx.+*?-]*$"}},"memory":{"type":"string","maxLength":12,"pattern":"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$","description":"Instead of profiles: any plain profile with at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi. A 1g.5gb of an A100 has less than 5Gi: gpu-partition recommend --size."},"mig":{"type":"string","enum":["Disabled"],"description":"Instead of profiles: whole GPUs (MIG mode off), which pods request as nvidia.com/gpu."},"count":{"type":"integer","minimum":0,"maximum":100000,"description":"Slices over all selected nodes, those in use included."},"min":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Minimum, whatever pods ask for. Absent: 0."},"max":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Maximum, whatever pods ask for. Absent: no limit."},"spare":{"description":"With from: Pods or Kueue. Slices kept free beyond those in use and waited for: a number, or a percentage of these, rounded up. Example: 2.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":100000,"pattern":"^(100|[1-9]?[0-9])%$"},"weight":{"type":"integer","minimum":1,"maximum":1000000,"description":"Decides what goes short if not everything fits: the cost of each slice that cannot be offered; spare ones go short first. Absent: the memory slices of its smallest profile."}},"additionalProperties":false}},"from":{"type":"string","enum":["Declared","Pods","Kueue"],"description":"Declared (or absent): each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests for nvidia.com/mig-PROFILE, or nvidia.com/gpu for whole GPUs. Kueue: Pods, and jobs that Kueue has not admitted."},"evict":{"type":"string","enum":["Never","IfNeeded"],"description":"Never (or absent): only idle slices are given up; no pod is evicted, whatever spec.drain says. IfNeeded: pods are evicted where that serves more of the demand, within spec.drain."},"rest":{"type":"string","enum":["Keep","Whole","Balanced"],"description":"Idle GPUs that the demand does not need. Keep (or absent): they stay. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it."},"stabilization":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"With from: Pods or Kueue. How long pods must ask for less before the demand falls, for example 1h. It rises after 1m, or after this long if that is shorter. Absent: 10m."},"cooldown":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long a GPU is left alone after its layout has changed, unless only it can offer a wanted slice: then it changes once more at most. For example 1h. Absent: 30m."}},"additionalProperties":false}},"additionalProperties":false}},"sharing":{"type":"object","description":"Time-slicing on top of slices or whole GPUs. Needs the controller option --device-plugin-config-map.","properties":{"mps":{"type":"object","description":"Not supported, always rejected: NVIDIA's device plugin does not support MPS on MIG devices. The field exists so that the rejection can explain this.","additionalProperties":true},"timeSlicing":{"type":"array","description":"One entry per shared resource. Example: [{resource: nvidia.com/mig-1g.5gb, replicas: 4}].","minItems":1,"maxItems":32,"items":{"type":"object","required":["resource","replicas"],"properties":{"resource":{"type":"string","maxLength":63,"pattern":"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$","description":"Resource that the device plugin advertises: nvidia.com/gpu, or nvidia.com/mig-1g.5gb under strategy mixed."},"replicas":{"type":"integer","minimum":2,"maximum":128,"description":"How many pods share one slice or GPU. They share its memory and its faults."}},"additionalProperties":false}}},"additionalProperties":false},"drain":{"type":"object","default":{},"description":"How pods are evicted from slices that a change destroys.","properties":{"scope":{"type":"string","enum":["Affected","Node","None"],"default":"Affected","description":"Pods to evict. Affected: those on slices that the change destroys. Node: every GPU pod of the node. None: no pod; the node is closed until those on these slices have ended."},"timeout":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","default":"10m","description":"How long a node waits for its pods to terminate, for example 90s, 10m or 1h30m."},"onTimeout":{"type":"string","enum":["Skip","Wait","Force"],"default":"Skip","description":"After timeout. Skip: reopen the node, let another one change, and retry later. Wait: keep waiting. Force: delete the pods with their grace period, past their disruption budgets; needs the verb force on gpupartitionpolicies."},"gracePeriod":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Termination grace period of evicted pods, at least 1s, for example 30s. Absent: each pod's own."}},"additionalProperties":false},"rollout":{"type":"object","default":{},"description":"How a change rolls through the nodes of this policy.","properties":{"maxUnavailable":{"description":"Nodes that may be unavailable at a time, NotReady and Failed ones included: a number, or a percentage of the policy's nodes with GPUs, rounded down but at least 1. 0 holds the rollout. Example: 10%.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"canary":{"type":"object","description":"Nodes that change before all others. If one fails, the rollout halts. Absent: no canary. Example: {nodes: 1, soak: 10m}.","required":["nodes"],"properties":{"nodes":{"type":"integer","minimum":1,"maximum":1000,"description":"How many nodes change first."},"soak":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long all canary nodes must be Ready before other nodes change, for example 10m. Absent: no wait."}},"additionalProperties":false},"failureThreshold":{"description":"Failed nodes that halt the rollout (reason Halted): a number, or a percentage as in maxUnavailable. No new node starts then; failed nodes are retried. Example: 3.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":1,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"windows":{"type":"array","description":"Maintenance windows in which nodes may start to change; a node that has started finishes. Absent: always.","minItems":1,"maxItems":16,"items":{"type":"object","required":["schedule","duration"],"properties":{"schedule":{"type":"string","maxLength":64,"pattern":"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$","description":"Start, as a cron expression with five fields, for example 0 22 * * 1-5."},"duration":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Length of the window, for example 6h."},"timeZone":{"type":"string","maxLength":64,"description":"IANA time zone of schedule, for example Europe/Berlin. Absent: UTC."}},"additionalProperties":false}},"paused":{"type":"boolean","default":false,"description":"True: no further node starts to change. Nodes that have started finish."},"rollback":{"type":"string","enum":["OnFailure","Never"],"default":"OnFailure","description":"OnFailure: a GPU whose change fails gets its previous layout back, placements included. Never: it stays as it is."}},"additionalProperties":false},"allow":{"type":"object","default":{},"description":"What the operator may do beyond creating slices and destroying idle ones.","properties":{"gpuReset":{"type":"boolean","default":true,"description":"Allows the reset of a GPU where a MIG mode change requires it (A100, A30), and with the next change of its layout where its driver asks for it, once all its pods have ended."},"reboot":{"type":"boolean","description":"Allows asking for a reboot where a MIG mode change requires one: the agent creates /run/reboot-required, and kured reboots the node. Needs the verb reboot on gpupartitionpolicies. Absent: false."},"replaceForeignInstances":{"type":"boolean","description":"Allows destroying idle GPU instances that this operator did not create. Absent: false."},"takeOver":{"type":"array","description":"Other owners of the GPUs that the operator may switch off on the selected nodes. Absent: none; such a node is Failed with reason ForeignManager. Example: [mig-manager].","minItems":1,"maxItems":4,"items":{"type":"string","enum":["mig-manager"]}}},"additionalProperties":false},"onDelete":{"type":"string","enum":["Keep","DisableMig"],"default":"Keep","description":"The GPUs of a deleted policy. Keep: they keep their layouts. DisableMig: they become whole; a finalizer keeps the policy until then."}},"additionalProperties":false},"status":{"type":"object","description":"Observed state. Written by the controller only.","properties":{"observedGeneration":{"type":"integer","description":"Generation of the spec that this status describes."},"acceptedGeneration":{"type":"integer","description":"Newest generation that every selected node that has reported its GPUs could take. Nothing of a newer generation starts."},"inForce":{"type":"object","description":"The generation that decides over nodes: the newest accepted one with mode Enforce, with its spec. It stays in force while a newer generation is not accepted, or only plans.","required":["generation","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false},"previous":{"type":"object","description":"No longer written or read: history.","required":["generation","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false},"history":{"type":"array","description":"The generations that came in force, newest first, each with its spec: `gpu-partition undo` goes back to one of them. At most 256 kB together: the oldest are dropped.","maxItems":20,"items":{"type":"object","required":["generation","time","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"time":{"type":"string","description":"When it was written."},"manager":{"type":"string","maxLength":128,"description":"Field manager that wrote it, as managedFields had it then."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false}},"summary":{"type":"string","maxLength":256,"description":"Summary for the printer column, for example \"31/40 ready, 4 updating\"."},"conditions":{"type":"array","description":"Ready, Reconciling and Stalled (kstatus), Valid, and DemandMet for a policy with a demand.","maxItems":16,"items":{"type":"object","required":["type","status","reason","message","lastTransitionTime"],"properties":{"type":{"type":"string","maxLength":316,"description":"Type of the condition."},"status":{"type":"string","enum":["True","False","Unknown"],"description":"Whether the condition holds."},"reason":{"type":"string","maxLength":1024,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":8192,"description":"Human-readable explanation."},"lastTransitionTime":{"type":"string","description":"When status last changed."},"observedGeneration":{"type":"integer","description":"Generation of the spec that the condition describes."}},"additionalProperties":false}},"nodes":{"type":"object","description":"Number of selected nodes by state.","properties":{"matched":{"type":"integer","description":"Nodes that nodeSelector matches."},"ready":{"type":"integer","description":"Nodes whose device, labels and advertised resources match the policy."},"updating":{"type":"integer","description":"Nodes that change now."},"pending":{"type":"integer","description":"Nodes that have not started, or that cannot take the policy."},"failed":{"type":"integer","description":"Nodes whose last attempt failed."},"outranked":{"type":"integer","description":"Nodes that a policy of higher priority decides over."},"conflicted":{"type":"integer","description":"Nodes that another policy of the same priority won."},"skipped":{"type":"integer","description":"Nodes to whose GPUs no layout of this policy applies."}},"additionalProperties":false},"schedule":{"type":"object","description":"For a policy with spec.schedules: which of them is in force, and what follows.","required":["since"],"properties":{"name":{"type":"string","maxLength":32,"description":"The schedule in force. Absent: the policy's own layouts or demand."},"since":{"type":"string","description":"When the controller switched to it."},"next":{"type":"object","description":"The next switch. Absent: none is known.","required":["time"],"properties":{"name":{"type":"string","maxLength":32,"description":"The schedule that is then in force. Absent: the policy's own layouts or demand."},"time":{"type":"string","description":"When the controller switches."}},"additionalProperties":false}},"additionalProperties":false},"demand":{"type":"array","description":"The slices of spec.demand: what is wanted, and what exists.","maxItems":16,"items":{"type":"object","required":["name","wanted","offered","used","unmet"],"properties":{"name":{"type":"string","maxLength":32,"description":"Name of the slice."},"wanted":{"type":"integer","description":"Slices wanted."},"offered":{"type":"integer","description":"Of these, slices that exist on the GPUs now."},"used":{"type":"integer","description":"Instances in use that serve it."},"waiting":{"type":"integer","description":"With from: Pods or Kueue. Slices requested by pods that wait and could run on the selected nodes, and by jobs that Kueue holds back."},"unmet":{"type":"integer","description":"Slices that the last plan could not provide; the others exist or are being made."},"why":{"type":"string","maxLength":1024,"description":"Why some are unmet."}},"additionalProperties":false}},"steady":{"type":"object","description":"With from: Pods or Kueue, by name of the slice: how many pods have asked for long enough, so that a new leader continues with it.","maxProperties":16,"additionalProperties":{"type":"integer","minimum":0}},"defrag":{"type":"object","description":"State of the request in the annotation gpupartition.dev/defrag (`gpu-partition defrag --apply`).","required":["request","state","message"],"properties":{"request":{"type":"string","maxLength":1024,"description":"The annotation. Another value is another request."},"state":{"type":"string","enum":["Making","Done","Refused"],"description":"Making: layouts are chosen so that the slices become idle. Done: they were idle together; it is not repeated. Refused: message says why, and nothing is done for it."},"message":{"type":"string","maxLength":1024,"description":"What is done, or why not."}},"additionalProperties":false},"plan":{"type":"object","description":"The remaining work on all selected nodes.","properties":{"gpusChanging":{"type":"integer","description":"GPUs whose layout differs from what the policy asks for."},"instancesKept":{"type":"integer","description":"GPU instances that are kept."},"instancesDestroyed":{"type":"integer","description":"GPU instances to destroy."},"instancesCreated":{"type":"integer","description":"GPU instances to create."},"podsToEvict":{"type":"integer","description":"Pods on instances to destroy."}},"additionalProperties":false},"inFlight":{"type":"array","description":"The ledger: nodes with a slot, from their admission until they are verified or given up.","maxItems":500,"items":{"type":"object","required":["node","nodeUID"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"nodeUID":{"type":"string","maxLength":64,"description":"UID of the node."},"epoch":{"type":"integer","description":"No longer written or read: startTime tells one slot of a node from the next."},"generation":{"type":"integer","description":"Generation of the policy that the node was admitted for."},"startTime":{"type":"string","description":"When the node was admitted."},"deadline":{"type":"string","description":"When its pods must have terminated, if they are evicted at once: spec.drain.timeout counts from the first eviction."},"kind":{"type":"string","enum":["Fresh","Repair","Retry","New","Found"],"description":"Why the node was admitted. Fresh: already tainted, so not counted against maxUnavailable. Repair: something else changed its GPUs. Retry: it failed before. New: a new change. Found: a new leader found it changing."}},"additionalProperties":false}},"canary":{"type":"object","required":["generation","nodes"],"description":"The canary nodes of a generation.","properties":{"generation":{"type":"integer","description":"Generation of the policy that they are the canary of."},"schedule":{"type":"string","maxLength":32,"description":"The schedule that they are the canary of: each switch has its own."},"nodes":{"type":"array","maxItems":1000,"items":{"type":"string","maxLength":253},"description":"Names of the canary nodes."},"readySince":{"type":"string","description":"Since when all of them are Ready. The soak counts from here."},"passedTime":{"type":"string","description":"When all of them had been Ready for the soak. What happens to them later no longer matters to the rollout."}},"additionalProperties":false},"pace":{"type":"object","required":["generation","nodes","seconds"],"description":"How long changes of this generation take: what is left of a rollout is estimated from it. Written with the ledger.","properties":{"generation":{"type":"integer","description":"Generation of the policy."},"nodes":{"type":"integer","minimum":1,"description":"Nodes that were admitted for it and have been verified since."},"seconds":{"type":"integer","minimum":0,"description":"How long that took, from admission until verified, all of them together."}},"additionalProperties":false},"limits":{"type":"object","required":["nodes","maxUnavailable","maxConcurrentNodes"],"description":"What the rollout may do now, in numbers of nodes.","properties":{"nodes":{"type":"integer","minimum":0,"description":"Nodes with GPUs over which the policy decides. Percentages in `spec.rollout` are of these."},"maxUnavailable":{"type":"integer","minimum":0,"description":"How many of them may be unavailable at a time."},"maxConcurrentNodes":{"type":"integer","minimum":0,"description":"How many nodes of all policies may change at a time: the controller's `--max-concurrent-nodes`."}},"additionalProperties":false},"failures":{"type":"array","description":"Nodes whose last attempt failed, and why.","maxItems":50,"items":{"type":"object","required":["node","reason","message"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"reason":{"type":"string","maxLength":64,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":1024,"description":"What failed, on which GPU and instance, and what to do."},"time":{"type":"string","description":"When the attempt failed."}},"additionalProperties":false}}},"additionalProperties":false}},"additionalProperties":false,"title":"GpuPartitionPolicy"};
const func2 = Object.prototype.hasOwnProperty;
import func3Module from "ajv/dist/runtime/ucs2length.js";
const func3 = func3Module.default;
const pattern0 = new RegExp("^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$", "u");
const pattern1 = new RegExp("^[1-9*?][0-9abefglmx.+*?-]*$", "u");
const pattern2 = new RegExp("^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$", "u");
const pattern3 = new RegExp("^(100|[1-9]?[0-9])%$", "u");
const pattern4 = new RegExp("^([0-9]{1,6}(s|m|h))+$", "u");
const pattern6 = new RegExp("^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$", "u");
const pattern7 = new RegExp("^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", "u");
const pattern8 = new RegExp("^0x[0-9a-fA-F]{4}10[dD][eE]$", "u");
const pattern9 = new RegExp("^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$", "u");
const pattern11 = new RegExp("^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$", "u");
const pattern23 = new RegExp("^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$", "u");

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.apiVersion === undefined){
const err0 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "apiVersion"},message:"must have required property '"+"apiVersion"+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
if (vErrors.length < 1000) vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
if (vErrors.length < 1000) vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
if (vErrors.length < 1000) vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
if (vErrors.length < 1000) vErrors.push(err3);
}
errors++;
}
for(const key0 in data){
if(!(((((key0 === "apiVersion") || (key0 === "kind")) || (key0 === "metadata")) || (key0 === "spec")) || (key0 === "status"))){
const err4 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err4];
}
else {
if (vErrors.length < 1000) vErrors.push(err4);
}
errors++;
}
}
if(data.apiVersion !== undefined){
let data0 = data.apiVersion;
if(typeof data0 !== "string"){
const err5 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err5];
}
else {
if (vErrors.length < 1000) vErrors.push(err5);
}
errors++;
}
if("gpupartition.dev/v1alpha1" !== data0){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/const",keyword:"const",params:{allowedValue: "gpupartition.dev/v1alpha1"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err6];
}
else {
if (vErrors.length < 1000) vErrors.push(err6);
}
errors++;
}
}
if(data.kind !== undefined){
let data1 = data.kind;
if(typeof data1 !== "string"){
const err7 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err7];
}
else {
if (vErrors.length < 1000) vErrors.push(err7);
}
errors++;
}
if("GpuPartitionPolicy" !== data1){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "GpuPartitionPolicy"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err8];
}
else {
if (vErrors.length < 1000) vErrors.push(err8);
}
errors++;
}
}
if(data.metadata !== undefined){
let data2 = data.metadata;
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
if(data2.name === undefined){
const err9 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err9];
}
else {
if (vErrors.length < 1000) vErrors.push(err9);
}
errors++;
}
if(data2.name !== undefined){
if(typeof data2.name !== "string"){
const err10 = {instancePath:instancePath+"/metadata/name",schemaPath:"#/properties/metadata/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err10];
}
else {
if (vErrors.length < 1000) vErrors.push(err10);
}
errors++;
}
}
if(data2.uid !== undefined){
if(typeof data2.uid !== "string"){
const err11 = {instancePath:instancePath+"/metadata/uid",schemaPath:"#/properties/metadata/properties/uid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err11];
}
else {
if (vErrors.length < 1000) vErrors.push(err11);
}
errors++;
}
}
if(data2.generation !== undefined){
let data5 = data2.generation;
if(!((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5)))){
const err12 = {instancePath:instancePath+"/metadata/generation",schemaPath:"#/properties/metadata/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err12];
}
else {
if (vErrors.length < 1000) vErrors.push(err12);
}
errors++;
}
}
if(data2.resourceVersion !== undefined){
if(typeof data2.resourceVersion !== "string"){
const err13 = {instancePath:instancePath+"/metadata/resourceVersion",schemaPath:"#/properties/metadata/properties/resourceVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err13];
}
else {
if (vErrors.length < 1000) vErrors.push(err13);
}
errors++;
}
}
if(data2.creationTimestamp !== undefined){
if(typeof data2.creationTimestamp !== "string"){
const err14 = {instancePath:instancePath+"/metadata/creationTimestamp",schemaPath:"#/properties/metadata/properties/creationTimestamp/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err14];
}
else {
if (vErrors.length < 1000) vErrors.push(err14);
}
errors++;
}
}
if(data2.deletionTimestamp !== undefined){
if(typeof data2.deletionTimestamp !== "string"){
const err15 = {instancePath:instancePath+"/metadata/deletionTimestamp",schemaPath:"#/properties/metadata/properties/deletionTimestamp/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err15];
}
else {
if (vErrors.length < 1000) vErrors.push(err15);
}
errors++;
}
}
if(data2.labels !== undefined){
let data9 = data2.labels;
if(data9 && typeof data9 == "object" && !Array.isArray(data9)){
for(const key1 in data9){
if(typeof data9[key1] !== "string"){
const err16 = {instancePath:instancePath+"/metadata/labels/" + key1.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/metadata/properties/labels/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err16];
}
else {
if (vErrors.length < 1000) vErrors.push(err16);
}
errors++;
}
}
}
else {
const err17 = {instancePath:instancePath+"/metadata/labels",schemaPath:"#/properties/metadata/properties/labels/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err17];
}
else {
if (vErrors.length < 1000) vErrors.push(err17);
}
errors++;
}
}
if(data2.annotations !== undefined){
let data11 = data2.annotations;
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
for(const key2 in data11){
if(typeof data11[key2] !== "string"){
const err18 = {instancePath:instancePath+"/metadata/annotations/" + key2.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/metadata/properties/annotations/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err18];
}
else {
if (vErrors.length < 1000) vErrors.push(err18);
}
errors++;
}
}
}
else {
const err19 = {instancePath:instancePath+"/metadata/annotations",schemaPath:"#/properties/metadata/properties/annotations/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err19];
}
else {
if (vErrors.length < 1000) vErrors.push(err19);
}
errors++;
}
}
if(data2.finalizers !== undefined){
let data13 = data2.finalizers;
if(Array.isArray(data13)){
const len0 = data13.length;
for(let i0=0; i0<len0; i0++){
if(typeof data13[i0] !== "string"){
const err20 = {instancePath:instancePath+"/metadata/finalizers/" + i0,schemaPath:"#/properties/metadata/properties/finalizers/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err20];
}
else {
if (vErrors.length < 1000) vErrors.push(err20);
}
errors++;
}
}
}
else {
const err21 = {instancePath:instancePath+"/metadata/finalizers",schemaPath:"#/properties/metadata/properties/finalizers/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err21];
}
else {
if (vErrors.length < 1000) vErrors.push(err21);
}
errors++;
}
}
}
else {
const err22 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err22];
}
else {
if (vErrors.length < 1000) vErrors.push(err22);
}
errors++;
}
}
if(data.spec !== undefined){
let data15 = data.spec;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(data15.nodeSelector === undefined){
const err23 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "nodeSelector"},message:"must have required property '"+"nodeSelector"+"'"};
if(vErrors === null){
vErrors = [err23];
}
else {
if (vErrors.length < 1000) vErrors.push(err23);
}
errors++;
}
if(data15.strategy === undefined){
const err24 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "strategy"},message:"must have required property '"+"strategy"+"'"};
if(vErrors === null){
vErrors = [err24];
}
else {
if (vErrors.length < 1000) vErrors.push(err24);
}
errors++;
}
for(const key3 in data15){
if(!(func2.call(schema11.properties.spec.properties, key3))){
const err25 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err25];
}
else {
if (vErrors.length < 1000) vErrors.push(err25);
}
errors++;
}
}
if(data15.nodeSelector !== undefined){
let data16 = data15.nodeSelector;
if(data16 && typeof data16 == "object" && !Array.isArray(data16)){
for(const key4 in data16){
if(!((key4 === "matchLabels") || (key4 === "matchExpressions"))){
const err26 = {instancePath:instancePath+"/spec/nodeSelector",schemaPath:"#/properties/spec/properties/nodeSelector/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err26];
}
else {
if (vErrors.length < 1000) vErrors.push(err26);
}
errors++;
}
}
if(data16.matchLabels !== undefined){
let data17 = data16.matchLabels;
if(data17 && typeof data17 == "object" && !Array.isArray(data17)){
if(Object.keys(data17).length > 16){
const err27 = {instancePath:instancePath+"/spec/nodeSelector/matchLabels",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchLabels/maxProperties",keyword:"maxProperties",params:{limit: 16},message:"must NOT have more than 16 properties"};
if(vErrors === null){
vErrors = [err27];
}
else {
if (vErrors.length < 1000) vErrors.push(err27);
}
errors++;
}
for(const key5 in data17){
let data18 = data17[key5];
if(typeof data18 === "string"){
if(func3(data18) > 63){
const err28 = {instancePath:instancePath+"/spec/nodeSelector/matchLabels/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchLabels/additionalProperties/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err28];
}
else {
if (vErrors.length < 1000) vErrors.push(err28);
}
errors++;
}
}
else {
const err29 = {instancePath:instancePath+"/spec/nodeSelector/matchLabels/" + key5.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchLabels/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err29];
}
else {
if (vErrors.length < 1000) vErrors.push(err29);
}
errors++;
}
}
}
else {
const err30 = {instancePath:instancePath+"/spec/nodeSelector/matchLabels",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchLabels/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err30];
}
else {
if (vErrors.length < 1000) vErrors.push(err30);
}
errors++;
}
}
if(data16.matchExpressions !== undefined){
let data19 = data16.matchExpressions;
if(Array.isArray(data19)){
if(data19.length > 16){
const err31 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err31];
}
else {
if (vErrors.length < 1000) vErrors.push(err31);
}
errors++;
}
const len1 = data19.length;
for(let i1=0; i1<len1; i1++){
let data20 = data19[i1];
if(data20 && typeof data20 == "object" && !Array.isArray(data20)){
if(data20.key === undefined){
const err32 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1,schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err32];
}
else {
if (vErrors.length < 1000) vErrors.push(err32);
}
errors++;
}
if(data20.operator === undefined){
const err33 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1,schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err33];
}
else {
if (vErrors.length < 1000) vErrors.push(err33);
}
errors++;
}
for(const key6 in data20){
if(!(((key6 === "key") || (key6 === "operator")) || (key6 === "values"))){
const err34 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1,schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err34];
}
else {
if (vErrors.length < 1000) vErrors.push(err34);
}
errors++;
}
}
if(data20.key !== undefined){
let data21 = data20.key;
if(typeof data21 === "string"){
if(func3(data21) > 317){
const err35 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1+"/key",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/properties/key/maxLength",keyword:"maxLength",params:{limit: 317},message:"must NOT have more than 317 characters"};
if(vErrors === null){
vErrors = [err35];
}
else {
if (vErrors.length < 1000) vErrors.push(err35);
}
errors++;
}
if(func3(data21) < 1){
const err36 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1+"/key",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err36];
}
else {
if (vErrors.length < 1000) vErrors.push(err36);
}
errors++;
}
}
else {
const err37 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1+"/key",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err37];
}
else {
if (vErrors.length < 1000) vErrors.push(err37);
}
errors++;
}
}
if(data20.operator !== undefined){
let data22 = data20.operator;
if(typeof data22 !== "string"){
const err38 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1+"/operator",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err38];
}
else {
if (vErrors.length < 1000) vErrors.push(err38);
}
errors++;
}
if(!((((data22 === "In") || (data22 === "NotIn")) || (data22 === "Exists")) || (data22 === "DoesNotExist"))){
const err39 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1+"/operator",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.nodeSelector.properties.matchExpressions.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err39];
}
else {
if (vErrors.length < 1000) vErrors.push(err39);
}
errors++;
}
}
if(data20.values !== undefined){
let data23 = data20.values;
if(Array.isArray(data23)){
if(data23.length > 64){
const err40 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1+"/values",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/properties/values/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err40];
}
else {
if (vErrors.length < 1000) vErrors.push(err40);
}
errors++;
}
const len2 = data23.length;
for(let i2=0; i2<len2; i2++){
let data24 = data23[i2];
if(typeof data24 === "string"){
if(func3(data24) > 63){
const err41 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1+"/values/" + i2,schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/properties/values/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err41];
}
else {
if (vErrors.length < 1000) vErrors.push(err41);
}
errors++;
}
}
else {
const err42 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1+"/values/" + i2,schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err42];
}
else {
if (vErrors.length < 1000) vErrors.push(err42);
}
errors++;
}
}
}
else {
const err43 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1+"/values",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err43];
}
else {
if (vErrors.length < 1000) vErrors.push(err43);
}
errors++;
}
}
}
else {
const err44 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions/" + i1,schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err44];
}
else {
if (vErrors.length < 1000) vErrors.push(err44);
}
errors++;
}
}
}
else {
const err45 = {instancePath:instancePath+"/spec/nodeSelector/matchExpressions",schemaPath:"#/properties/spec/properties/nodeSelector/properties/matchExpressions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err45];
}
else {
if (vErrors.length < 1000) vErrors.push(err45);
}
errors++;
}
}
}
else {
const err46 = {instancePath:instancePath+"/spec/nodeSelector",schemaPath:"#/properties/spec/properties/nodeSelector/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err46];
}
else {
if (vErrors.length < 1000) vErrors.push(err46);
}
errors++;
}
}
if(data15.priority !== undefined){
let data25 = data15.priority;
if(!((typeof data25 == "number") && (!(data25 % 1) && !isNaN(data25)))){
const err47 = {instancePath:instancePath+"/spec/priority",schemaPath:"#/properties/spec/properties/priority/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err47];
}
else {
if (vErrors.length < 1000) vErrors.push(err47);
}
errors++;
}
if(typeof data25 == "number"){
if(data25 > 1000000000 || isNaN(data25)){
const err48 = {instancePath:instancePath+"/spec/priority",schemaPath:"#/properties/spec/properties/priority/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000000},message:"must be <= 1000000000"};
if(vErrors === null){
vErrors = [err48];
}
else {
if (vErrors.length < 1000) vErrors.push(err48);
}
errors++;
}
if(data25 < -1000000000 || isNaN(data25)){
const err49 = {instancePath:instancePath+"/spec/priority",schemaPath:"#/properties/spec/properties/priority/minimum",keyword:"minimum",params:{comparison: ">=", limit: -1000000000},message:"must be >= -1000000000"};
if(vErrors === null){
vErrors = [err49];
}
else {
if (vErrors.length < 1000) vErrors.push(err49);
}
errors++;
}
}
}
if(data15.mode !== undefined){
let data26 = data15.mode;
if(typeof data26 !== "string"){
const err50 = {instancePath:instancePath+"/spec/mode",schemaPath:"#/properties/spec/properties/mode/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err50];
}
else {
if (vErrors.length < 1000) vErrors.push(err50);
}
errors++;
}
if(!((data26 === "Enforce") || (data26 === "Plan"))){
const err51 = {instancePath:instancePath+"/spec/mode",schemaPath:"#/properties/spec/properties/mode/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.mode.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err51];
}
else {
if (vErrors.length < 1000) vErrors.push(err51);
}
errors++;
}
}
if(data15.strategy !== undefined){
let data27 = data15.strategy;
if(typeof data27 !== "string"){
const err52 = {instancePath:instancePath+"/spec/strategy",schemaPath:"#/properties/spec/properties/strategy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err52];
}
else {
if (vErrors.length < 1000) vErrors.push(err52);
}
errors++;
}
if(!(((data27 === "none") || (data27 === "single")) || (data27 === "mixed"))){
const err53 = {instancePath:instancePath+"/spec/strategy",schemaPath:"#/properties/spec/properties/strategy/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.strategy.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err53];
}
else {
if (vErrors.length < 1000) vErrors.push(err53);
}
errors++;
}
}
if(data15.demand !== undefined){
let data28 = data15.demand;
if(data28 && typeof data28 == "object" && !Array.isArray(data28)){
if(data28.slices === undefined){
const err54 = {instancePath:instancePath+"/spec/demand",schemaPath:"#/properties/spec/properties/demand/required",keyword:"required",params:{missingProperty: "slices"},message:"must have required property '"+"slices"+"'"};
if(vErrors === null){
vErrors = [err54];
}
else {
if (vErrors.length < 1000) vErrors.push(err54);
}
errors++;
}
for(const key7 in data28){
if(!((((((key7 === "slices") || (key7 === "from")) || (key7 === "evict")) || (key7 === "rest")) || (key7 === "stabilization")) || (key7 === "cooldown"))){
const err55 = {instancePath:instancePath+"/spec/demand",schemaPath:"#/properties/spec/properties/demand/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key7},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err55];
}
else {
if (vErrors.length < 1000) vErrors.push(err55);
}
errors++;
}
}
if(data28.slices !== undefined){
let data29 = data28.slices;
if(Array.isArray(data29)){
if(data29.length > 16){
const err56 = {instancePath:instancePath+"/spec/demand/slices",schemaPath:"#/properties/spec/properties/demand/properties/slices/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err56];
}
else {
if (vErrors.length < 1000) vErrors.push(err56);
}
errors++;
}
if(data29.length < 1){
const err57 = {instancePath:instancePath+"/spec/demand/slices",schemaPath:"#/properties/spec/properties/demand/properties/slices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err57];
}
else {
if (vErrors.length < 1000) vErrors.push(err57);
}
errors++;
}
const len3 = data29.length;
for(let i3=0; i3<len3; i3++){
let data30 = data29[i3];
if(data30 && typeof data30 == "object" && !Array.isArray(data30)){
for(const key8 in data30){
if(!(func2.call(schema11.properties.spec.properties.demand.properties.slices.items.properties, key8))){
const err58 = {instancePath:instancePath+"/spec/demand/slices/" + i3,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key8},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err58];
}
else {
if (vErrors.length < 1000) vErrors.push(err58);
}
errors++;
}
}
if(data30.name !== undefined){
let data31 = data30.name;
if(typeof data31 === "string"){
if(func3(data31) > 32){
const err59 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/name",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err59];
}
else {
if (vErrors.length < 1000) vErrors.push(err59);
}
errors++;
}
if(func3(data31) < 1){
const err60 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/name",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err60];
}
else {
if (vErrors.length < 1000) vErrors.push(err60);
}
errors++;
}
if(!pattern0.test(data31)){
const err61 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/name",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"},message:"must match pattern \""+"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err61];
}
else {
if (vErrors.length < 1000) vErrors.push(err61);
}
errors++;
}
}
else {
const err62 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/name",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err62];
}
else {
if (vErrors.length < 1000) vErrors.push(err62);
}
errors++;
}
}
if(data30.profiles !== undefined){
let data32 = data30.profiles;
if(Array.isArray(data32)){
if(data32.length > 16){
const err63 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err63];
}
else {
if (vErrors.length < 1000) vErrors.push(err63);
}
errors++;
}
if(data32.length < 1){
const err64 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err64];
}
else {
if (vErrors.length < 1000) vErrors.push(err64);
}
errors++;
}
const len4 = data32.length;
for(let i4=0; i4<len4; i4++){
let data33 = data32[i4];
if(typeof data33 === "string"){
if(func3(data33) > 32){
const err65 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles/" + i4,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/items/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err65];
}
else {
if (vErrors.length < 1000) vErrors.push(err65);
}
errors++;
}
if(func3(data33) < 1){
const err66 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles/" + i4,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err66];
}
else {
if (vErrors.length < 1000) vErrors.push(err66);
}
errors++;
}
if(!pattern1.test(data33)){
const err67 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles/" + i4,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/items/pattern",keyword:"pattern",params:{pattern: "^[1-9*?][0-9abefglmx.+*?-]*$"},message:"must match pattern \""+"^[1-9*?][0-9abefglmx.+*?-]*$"+"\""};
if(vErrors === null){
vErrors = [err67];
}
else {
if (vErrors.length < 1000) vErrors.push(err67);
}
errors++;
}
}
else {
const err68 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles/" + i4,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err68];
}
else {
if (vErrors.length < 1000) vErrors.push(err68);
}
errors++;
}
}
}
else {
const err69 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err69];
}
else {
if (vErrors.length < 1000) vErrors.push(err69);
}
errors++;
}
}
if(data30.memory !== undefined){
let data34 = data30.memory;
if(typeof data34 === "string"){
if(func3(data34) > 12){
const err70 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/memory",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/memory/maxLength",keyword:"maxLength",params:{limit: 12},message:"must NOT have more than 12 characters"};
if(vErrors === null){
vErrors = [err70];
}
else {
if (vErrors.length < 1000) vErrors.push(err70);
}
errors++;
}
if(!pattern2.test(data34)){
const err71 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/memory",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/memory/pattern",keyword:"pattern",params:{pattern: "^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$"},message:"must match pattern \""+"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$"+"\""};
if(vErrors === null){
vErrors = [err71];
}
else {
if (vErrors.length < 1000) vErrors.push(err71);
}
errors++;
}
}
else {
const err72 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/memory",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/memory/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err72];
}
else {
if (vErrors.length < 1000) vErrors.push(err72);
}
errors++;
}
}
if(data30.mig !== undefined){
let data35 = data30.mig;
if(typeof data35 !== "string"){
const err73 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/mig",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err73];
}
else {
if (vErrors.length < 1000) vErrors.push(err73);
}
errors++;
}
if(!(data35 === "Disabled")){
const err74 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/mig",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.demand.properties.slices.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err74];
}
else {
if (vErrors.length < 1000) vErrors.push(err74);
}
errors++;
}
}
if(data30.count !== undefined){
let data36 = data30.count;
if(!((typeof data36 == "number") && (!(data36 % 1) && !isNaN(data36)))){
const err75 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/count",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err75];
}
else {
if (vErrors.length < 1000) vErrors.push(err75);
}
errors++;
}
if(typeof data36 == "number"){
if(data36 > 100000 || isNaN(data36)){
const err76 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/count",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err76];
}
else {
if (vErrors.length < 1000) vErrors.push(err76);
}
errors++;
}
if(data36 < 0 || isNaN(data36)){
const err77 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/count",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err77];
}
else {
if (vErrors.length < 1000) vErrors.push(err77);
}
errors++;
}
}
}
if(data30.min !== undefined){
let data37 = data30.min;
if(!((typeof data37 == "number") && (!(data37 % 1) && !isNaN(data37)))){
const err78 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/min",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/min/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err78];
}
else {
if (vErrors.length < 1000) vErrors.push(err78);
}
errors++;
}
if(typeof data37 == "number"){
if(data37 > 100000 || isNaN(data37)){
const err79 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/min",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/min/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err79];
}
else {
if (vErrors.length < 1000) vErrors.push(err79);
}
errors++;
}
if(data37 < 0 || isNaN(data37)){
const err80 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/min",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/min/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err80];
}
else {
if (vErrors.length < 1000) vErrors.push(err80);
}
errors++;
}
}
}
if(data30.max !== undefined){
let data38 = data30.max;
if(!((typeof data38 == "number") && (!(data38 % 1) && !isNaN(data38)))){
const err81 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/max",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/max/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err81];
}
else {
if (vErrors.length < 1000) vErrors.push(err81);
}
errors++;
}
if(typeof data38 == "number"){
if(data38 > 100000 || isNaN(data38)){
const err82 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/max",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/max/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err82];
}
else {
if (vErrors.length < 1000) vErrors.push(err82);
}
errors++;
}
if(data38 < 0 || isNaN(data38)){
const err83 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/max",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/max/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err83];
}
else {
if (vErrors.length < 1000) vErrors.push(err83);
}
errors++;
}
}
}
if(data30.spare !== undefined){
let data39 = data30.spare;
const _errs90 = errors;
let valid20 = false;
const _errs91 = errors;
if(!((typeof data39 == "number") && (!(data39 % 1) && !isNaN(data39)))){
const err84 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err84];
}
else {
if (vErrors.length < 1000) vErrors.push(err84);
}
errors++;
}
var _valid0 = _errs91 === errors;
valid20 = valid20 || _valid0;
if(!valid20){
const _errs93 = errors;
if(typeof data39 !== "string"){
const err85 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err85];
}
else {
if (vErrors.length < 1000) vErrors.push(err85);
}
errors++;
}
var _valid0 = _errs93 === errors;
valid20 = valid20 || _valid0;
}
if(!valid20){
const err86 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err86];
}
else {
if (vErrors.length < 1000) vErrors.push(err86);
}
errors++;
}
else {
errors = _errs90;
if(vErrors !== null){
if(_errs90){
vErrors.length = Math.min(vErrors.length, _errs90);
}
else {
vErrors = null;
}
}
}
if(typeof data39 == "number"){
if(data39 > 100000 || isNaN(data39)){
const err87 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err87];
}
else {
if (vErrors.length < 1000) vErrors.push(err87);
}
errors++;
}
if(data39 < 0 || isNaN(data39)){
const err88 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err88];
}
else {
if (vErrors.length < 1000) vErrors.push(err88);
}
errors++;
}
}
if(typeof data39 === "string"){
if(!pattern3.test(data39)){
const err89 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err89];
}
else {
if (vErrors.length < 1000) vErrors.push(err89);
}
errors++;
}
}
}
if(data30.weight !== undefined){
let data40 = data30.weight;
if(!((typeof data40 == "number") && (!(data40 % 1) && !isNaN(data40)))){
const err90 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/weight",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/weight/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err90];
}
else {
if (vErrors.length < 1000) vErrors.push(err90);
}
errors++;
}
if(typeof data40 == "number"){
if(data40 > 1000000 || isNaN(data40)){
const err91 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/weight",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/weight/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err91];
}
else {
if (vErrors.length < 1000) vErrors.push(err91);
}
errors++;
}
if(data40 < 1 || isNaN(data40)){
const err92 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/weight",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/weight/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err92];
}
else {
if (vErrors.length < 1000) vErrors.push(err92);
}
errors++;
}
}
}
}
else {
const err93 = {instancePath:instancePath+"/spec/demand/slices/" + i3,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err93];
}
else {
if (vErrors.length < 1000) vErrors.push(err93);
}
errors++;
}
}
}
else {
const err94 = {instancePath:instancePath+"/spec/demand/slices",schemaPath:"#/properties/spec/properties/demand/properties/slices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err94];
}
else {
if (vErrors.length < 1000) vErrors.push(err94);
}
errors++;
}
}
if(data28.from !== undefined){
let data41 = data28.from;
if(typeof data41 !== "string"){
const err95 = {instancePath:instancePath+"/spec/demand/from",schemaPath:"#/properties/spec/properties/demand/properties/from/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err95];
}
else {
if (vErrors.length < 1000) vErrors.push(err95);
}
errors++;
}
if(!(((data41 === "Declared") || (data41 === "Pods")) || (data41 === "Kueue"))){
const err96 = {instancePath:instancePath+"/spec/demand/from",schemaPath:"#/properties/spec/properties/demand/properties/from/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.demand.properties.from.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err96];
}
else {
if (vErrors.length < 1000) vErrors.push(err96);
}
errors++;
}
}
if(data28.evict !== undefined){
let data42 = data28.evict;
if(typeof data42 !== "string"){
const err97 = {instancePath:instancePath+"/spec/demand/evict",schemaPath:"#/properties/spec/properties/demand/properties/evict/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err97];
}
else {
if (vErrors.length < 1000) vErrors.push(err97);
}
errors++;
}
if(!((data42 === "Never") || (data42 === "IfNeeded"))){
const err98 = {instancePath:instancePath+"/spec/demand/evict",schemaPath:"#/properties/spec/properties/demand/properties/evict/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.demand.properties.evict.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err98];
}
else {
if (vErrors.length < 1000) vErrors.push(err98);
}
errors++;
}
}
if(data28.rest !== undefined){
let data43 = data28.rest;
if(typeof data43 !== "string"){
const err99 = {instancePath:instancePath+"/spec/demand/rest",schemaPath:"#/properties/spec/properties/demand/properties/rest/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err99];
}
else {
if (vErrors.length < 1000) vErrors.push(err99);
}
errors++;
}
if(!(((data43 === "Keep") || (data43 === "Whole")) || (data43 === "Balanced"))){
const err100 = {instancePath:instancePath+"/spec/demand/rest",schemaPath:"#/properties/spec/properties/demand/properties/rest/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.demand.properties.rest.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err100];
}
else {
if (vErrors.length < 1000) vErrors.push(err100);
}
errors++;
}
}
if(data28.stabilization !== undefined){
let data44 = data28.stabilization;
if(typeof data44 === "string"){
if(func3(data44) > 16){
const err101 = {instancePath:instancePath+"/spec/demand/stabilization",schemaPath:"#/properties/spec/properties/demand/properties/stabilization/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err101];
}
else {
if (vErrors.length < 1000) vErrors.push(err101);
}
errors++;
}
if(!pattern4.test(data44)){
const err102 = {instancePath:instancePath+"/spec/demand/stabilization",schemaPath:"#/properties/spec/properties/demand/properties/stabilization/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err102];
}
else {
if (vErrors.length < 1000) vErrors.push(err102);
}
errors++;
}
}
else {
const err103 = {instancePath:instancePath+"/spec/demand/stabilization",schemaPath:"#/properties/spec/properties/demand/properties/stabilization/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err103];
}
else {
if (vErrors.length < 1000) vErrors.push(err103);
}
errors++;
}
}
if(data28.cooldown !== undefined){
let data45 = data28.cooldown;
if(typeof data45 === "string"){
if(func3(data45) > 16){
const err104 = {instancePath:instancePath+"/spec/demand/cooldown",schemaPath:"#/properties/spec/properties/demand/properties/cooldown/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err104];
}
else {
if (vErrors.length < 1000) vErrors.push(err104);
}
errors++;
}
if(!pattern4.test(data45)){
const err105 = {instancePath:instancePath+"/spec/demand/cooldown",schemaPath:"#/properties/spec/properties/demand/properties/cooldown/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err105];
}
else {
if (vErrors.length < 1000) vErrors.push(err105);
}
errors++;
}
}
else {
const err106 = {instancePath:instancePath+"/spec/demand/cooldown",schemaPath:"#/properties/spec/properties/demand/properties/cooldown/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err106];
}
else {
if (vErrors.length < 1000) vErrors.push(err106);
}
errors++;
}
}
}
else {
const err107 = {instancePath:instancePath+"/spec/demand",schemaPath:"#/properties/spec/properties/demand/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err107];
}
else {
if (vErrors.length < 1000) vErrors.push(err107);
}
errors++;
}
}
if(data15.backend !== undefined){
let data46 = data15.backend;
if(typeof data46 !== "string"){
const err108 = {instancePath:instancePath+"/spec/backend",schemaPath:"#/properties/spec/properties/backend/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err108];
}
else {
if (vErrors.length < 1000) vErrors.push(err108);
}
errors++;
}
if(!(((data46 === "DevicePlugin") || (data46 === "DRA")) || (data46 === "Auto"))){
const err109 = {instancePath:instancePath+"/spec/backend",schemaPath:"#/properties/spec/properties/backend/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.backend.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err109];
}
else {
if (vErrors.length < 1000) vErrors.push(err109);
}
errors++;
}
}
if(data15.dra !== undefined){
let data47 = data15.dra;
if(data47 && typeof data47 == "object" && !Array.isArray(data47)){
for(const key9 in data47){
if(!(key9 === "deviceClasses")){
const err110 = {instancePath:instancePath+"/spec/dra",schemaPath:"#/properties/spec/properties/dra/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key9},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err110];
}
else {
if (vErrors.length < 1000) vErrors.push(err110);
}
errors++;
}
}
if(data47.deviceClasses !== undefined){
let data48 = data47.deviceClasses;
if(typeof data48 !== "string"){
const err111 = {instancePath:instancePath+"/spec/dra/deviceClasses",schemaPath:"#/properties/spec/properties/dra/properties/deviceClasses/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err111];
}
else {
if (vErrors.length < 1000) vErrors.push(err111);
}
errors++;
}
if(!(data48 === "Managed")){
const err112 = {instancePath:instancePath+"/spec/dra/deviceClasses",schemaPath:"#/properties/spec/properties/dra/properties/deviceClasses/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.dra.properties.deviceClasses.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err112];
}
else {
if (vErrors.length < 1000) vErrors.push(err112);
}
errors++;
}
}
}
else {
const err113 = {instancePath:instancePath+"/spec/dra",schemaPath:"#/properties/spec/properties/dra/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err113];
}
else {
if (vErrors.length < 1000) vErrors.push(err113);
}
errors++;
}
}
if(data15.layouts !== undefined){
let data49 = data15.layouts;
if(Array.isArray(data49)){
if(data49.length > 64){
const err114 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err114];
}
else {
if (vErrors.length < 1000) vErrors.push(err114);
}
errors++;
}
if(data49.length < 1){
const err115 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err115];
}
else {
if (vErrors.length < 1000) vErrors.push(err115);
}
errors++;
}
const len5 = data49.length;
for(let i5=0; i5<len5; i5++){
let data50 = data49[i5];
if(data50 && typeof data50 == "object" && !Array.isArray(data50)){
for(const key10 in data50){
if(!((((key10 === "gpus") || (key10 === "profiles")) || (key10 === "preset")) || (key10 === "mig"))){
const err116 = {instancePath:instancePath+"/spec/layouts/" + i5,schemaPath:"#/properties/spec/properties/layouts/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key10},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err116];
}
else {
if (vErrors.length < 1000) vErrors.push(err116);
}
errors++;
}
}
if(data50.gpus !== undefined){
let data51 = data50.gpus;
if(data51 && typeof data51 == "object" && !Array.isArray(data51)){
for(const key11 in data51){
if(!(((((key11 === "models") || (key11 === "indices")) || (key11 === "uuids")) || (key11 === "pciDeviceIds")) || (key11 === "count"))){
const err117 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key11},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err117];
}
else {
if (vErrors.length < 1000) vErrors.push(err117);
}
errors++;
}
}
if(data51.models !== undefined){
let data52 = data51.models;
if(Array.isArray(data52)){
if(data52.length > 32){
const err118 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err118];
}
else {
if (vErrors.length < 1000) vErrors.push(err118);
}
errors++;
}
if(data52.length < 1){
const err119 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err119];
}
else {
if (vErrors.length < 1000) vErrors.push(err119);
}
errors++;
}
const len6 = data52.length;
for(let i6=0; i6<len6; i6++){
let data53 = data52[i6];
if(typeof data53 === "string"){
if(func3(data53) > 63){
const err120 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models/" + i6,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err120];
}
else {
if (vErrors.length < 1000) vErrors.push(err120);
}
errors++;
}
if(func3(data53) < 1){
const err121 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models/" + i6,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err121];
}
else {
if (vErrors.length < 1000) vErrors.push(err121);
}
errors++;
}
if(!pattern6.test(data53)){
const err122 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models/" + i6,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"},message:"must match pattern \""+"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"+"\""};
if(vErrors === null){
vErrors = [err122];
}
else {
if (vErrors.length < 1000) vErrors.push(err122);
}
errors++;
}
}
else {
const err123 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models/" + i6,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err123];
}
else {
if (vErrors.length < 1000) vErrors.push(err123);
}
errors++;
}
}
}
else {
const err124 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err124];
}
else {
if (vErrors.length < 1000) vErrors.push(err124);
}
errors++;
}
}
if(data51.indices !== undefined){
let data54 = data51.indices;
if(Array.isArray(data54)){
if(data54.length > 32){
const err125 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err125];
}
else {
if (vErrors.length < 1000) vErrors.push(err125);
}
errors++;
}
if(data54.length < 1){
const err126 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err126];
}
else {
if (vErrors.length < 1000) vErrors.push(err126);
}
errors++;
}
const len7 = data54.length;
for(let i7=0; i7<len7; i7++){
let data55 = data54[i7];
if(!((typeof data55 == "number") && (!(data55 % 1) && !isNaN(data55)))){
const err127 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err127];
}
else {
if (vErrors.length < 1000) vErrors.push(err127);
}
errors++;
}
if(typeof data55 == "number"){
if(data55 > 63 || isNaN(data55)){
const err128 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 63},message:"must be <= 63"};
if(vErrors === null){
vErrors = [err128];
}
else {
if (vErrors.length < 1000) vErrors.push(err128);
}
errors++;
}
if(data55 < 0 || isNaN(data55)){
const err129 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err129];
}
else {
if (vErrors.length < 1000) vErrors.push(err129);
}
errors++;
}
}
}
}
else {
const err130 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err130];
}
else {
if (vErrors.length < 1000) vErrors.push(err130);
}
errors++;
}
}
if(data51.uuids !== undefined){
let data56 = data51.uuids;
if(Array.isArray(data56)){
if(data56.length > 64){
const err131 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err131];
}
else {
if (vErrors.length < 1000) vErrors.push(err131);
}
errors++;
}
if(data56.length < 1){
const err132 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err132];
}
else {
if (vErrors.length < 1000) vErrors.push(err132);
}
errors++;
}
const len8 = data56.length;
for(let i8=0; i8<len8; i8++){
let data57 = data56[i8];
if(typeof data57 === "string"){
if(func3(data57) > 64){
const err133 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err133];
}
else {
if (vErrors.length < 1000) vErrors.push(err133);
}
errors++;
}
if(!pattern7.test(data57)){
const err134 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"+"\""};
if(vErrors === null){
vErrors = [err134];
}
else {
if (vErrors.length < 1000) vErrors.push(err134);
}
errors++;
}
}
else {
const err135 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err135];
}
else {
if (vErrors.length < 1000) vErrors.push(err135);
}
errors++;
}
}
}
else {
const err136 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err136];
}
else {
if (vErrors.length < 1000) vErrors.push(err136);
}
errors++;
}
}
if(data51.pciDeviceIds !== undefined){
let data58 = data51.pciDeviceIds;
if(Array.isArray(data58)){
if(data58.length > 32){
const err137 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err137];
}
else {
if (vErrors.length < 1000) vErrors.push(err137);
}
errors++;
}
if(data58.length < 1){
const err138 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err138];
}
else {
if (vErrors.length < 1000) vErrors.push(err138);
}
errors++;
}
const len9 = data58.length;
for(let i9=0; i9<len9; i9++){
let data59 = data58[i9];
if(typeof data59 === "string"){
if(func3(data59) > 10){
const err139 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err139];
}
else {
if (vErrors.length < 1000) vErrors.push(err139);
}
errors++;
}
if(!pattern8.test(data59)){
const err140 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/pattern",keyword:"pattern",params:{pattern: "^0x[0-9a-fA-F]{4}10[dD][eE]$"},message:"must match pattern \""+"^0x[0-9a-fA-F]{4}10[dD][eE]$"+"\""};
if(vErrors === null){
vErrors = [err140];
}
else {
if (vErrors.length < 1000) vErrors.push(err140);
}
errors++;
}
}
else {
const err141 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err141];
}
else {
if (vErrors.length < 1000) vErrors.push(err141);
}
errors++;
}
}
}
else {
const err142 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err142];
}
else {
if (vErrors.length < 1000) vErrors.push(err142);
}
errors++;
}
}
if(data51.count !== undefined){
let data60 = data51.count;
if(!((typeof data60 == "number") && (!(data60 % 1) && !isNaN(data60)))){
const err143 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err143];
}
else {
if (vErrors.length < 1000) vErrors.push(err143);
}
errors++;
}
if(typeof data60 == "number"){
if(data60 > 64 || isNaN(data60)){
const err144 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err144];
}
else {
if (vErrors.length < 1000) vErrors.push(err144);
}
errors++;
}
if(data60 < 1 || isNaN(data60)){
const err145 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err145];
}
else {
if (vErrors.length < 1000) vErrors.push(err145);
}
errors++;
}
}
}
}
else {
const err146 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err146];
}
else {
if (vErrors.length < 1000) vErrors.push(err146);
}
errors++;
}
}
if(data50.profiles !== undefined){
let data61 = data50.profiles;
if(data61 && typeof data61 == "object" && !Array.isArray(data61)){
if(Object.keys(data61).length > 32){
const err147 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err147];
}
else {
if (vErrors.length < 1000) vErrors.push(err147);
}
errors++;
}
if(Object.keys(data61).length < 1){
const err148 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"};
if(vErrors === null){
vErrors = [err148];
}
else {
if (vErrors.length < 1000) vErrors.push(err148);
}
errors++;
}
for(const key12 in data61){
let data62 = data61[key12];
if(!((typeof data62 == "number") && (!(data62 % 1) && !isNaN(data62)))){
const err149 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles/" + key12.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err149];
}
else {
if (vErrors.length < 1000) vErrors.push(err149);
}
errors++;
}
if(typeof data62 == "number"){
if(data62 > 16 || isNaN(data62)){
const err150 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles/" + key12.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err150];
}
else {
if (vErrors.length < 1000) vErrors.push(err150);
}
errors++;
}
if(data62 < 1 || isNaN(data62)){
const err151 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles/" + key12.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err151];
}
else {
if (vErrors.length < 1000) vErrors.push(err151);
}
errors++;
}
}
}
}
else {
const err152 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err152];
}
else {
if (vErrors.length < 1000) vErrors.push(err152);
}
errors++;
}
}
if(data50.preset !== undefined){
let data63 = data50.preset;
if(typeof data63 === "string"){
if(func3(data63) > 32){
const err153 = {instancePath:instancePath+"/spec/layouts/" + i5+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err153];
}
else {
if (vErrors.length < 1000) vErrors.push(err153);
}
errors++;
}
if(!pattern9.test(data63)){
const err154 = {instancePath:instancePath+"/spec/layouts/" + i5+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/pattern",keyword:"pattern",params:{pattern: "^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"},message:"must match pattern \""+"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"+"\""};
if(vErrors === null){
vErrors = [err154];
}
else {
if (vErrors.length < 1000) vErrors.push(err154);
}
errors++;
}
}
else {
const err155 = {instancePath:instancePath+"/spec/layouts/" + i5+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err155];
}
else {
if (vErrors.length < 1000) vErrors.push(err155);
}
errors++;
}
}
if(data50.mig !== undefined){
let data64 = data50.mig;
if(typeof data64 !== "string"){
const err156 = {instancePath:instancePath+"/spec/layouts/" + i5+"/mig",schemaPath:"#/properties/spec/properties/layouts/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err156];
}
else {
if (vErrors.length < 1000) vErrors.push(err156);
}
errors++;
}
if(!(data64 === "Disabled")){
const err157 = {instancePath:instancePath+"/spec/layouts/" + i5+"/mig",schemaPath:"#/properties/spec/properties/layouts/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.layouts.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err157];
}
else {
if (vErrors.length < 1000) vErrors.push(err157);
}
errors++;
}
}
}
else {
const err158 = {instancePath:instancePath+"/spec/layouts/" + i5,schemaPath:"#/properties/spec/properties/layouts/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err158];
}
else {
if (vErrors.length < 1000) vErrors.push(err158);
}
errors++;
}
}
}
else {
const err159 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err159];
}
else {
if (vErrors.length < 1000) vErrors.push(err159);
}
errors++;
}
}
if(data15.schedules !== undefined){
let data65 = data15.schedules;
if(Array.isArray(data65)){
if(data65.length > 8){
const err160 = {instancePath:instancePath+"/spec/schedules",schemaPath:"#/properties/spec/properties/schedules/maxItems",keyword:"maxItems",params:{limit: 8},message:"must NOT have more than 8 items"};
if(vErrors === null){
vErrors = [err160];
}
else {
if (vErrors.length < 1000) vErrors.push(err160);
}
errors++;
}
if(data65.length < 1){
const err161 = {instancePath:instancePath+"/spec/schedules",schemaPath:"#/properties/spec/properties/schedules/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err161];
}
else {
if (vErrors.length < 1000) vErrors.push(err161);
}
errors++;
}
const len10 = data65.length;
for(let i10=0; i10<len10; i10++){
let data66 = data65[i10];
if(data66 && typeof data66 == "object" && !Array.isArray(data66)){
if(data66.name === undefined){
const err162 = {instancePath:instancePath+"/spec/schedules/" + i10,schemaPath:"#/properties/spec/properties/schedules/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err162];
}
else {
if (vErrors.length < 1000) vErrors.push(err162);
}
errors++;
}
if(data66.schedule === undefined){
const err163 = {instancePath:instancePath+"/spec/schedules/" + i10,schemaPath:"#/properties/spec/properties/schedules/items/required",keyword:"required",params:{missingProperty: "schedule"},message:"must have required property '"+"schedule"+"'"};
if(vErrors === null){
vErrors = [err163];
}
else {
if (vErrors.length < 1000) vErrors.push(err163);
}
errors++;
}
if(data66.duration === undefined){
const err164 = {instancePath:instancePath+"/spec/schedules/" + i10,schemaPath:"#/properties/spec/properties/schedules/items/required",keyword:"required",params:{missingProperty: "duration"},message:"must have required property '"+"duration"+"'"};
if(vErrors === null){
vErrors = [err164];
}
else {
if (vErrors.length < 1000) vErrors.push(err164);
}
errors++;
}
for(const key13 in data66){
if(!((((((key13 === "name") || (key13 === "schedule")) || (key13 === "duration")) || (key13 === "timeZone")) || (key13 === "layouts")) || (key13 === "demand"))){
const err165 = {instancePath:instancePath+"/spec/schedules/" + i10,schemaPath:"#/properties/spec/properties/schedules/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err165];
}
else {
if (vErrors.length < 1000) vErrors.push(err165);
}
errors++;
}
}
if(data66.name !== undefined){
let data67 = data66.name;
if(typeof data67 === "string"){
if(func3(data67) > 32){
const err166 = {instancePath:instancePath+"/spec/schedules/" + i10+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err166];
}
else {
if (vErrors.length < 1000) vErrors.push(err166);
}
errors++;
}
if(func3(data67) < 1){
const err167 = {instancePath:instancePath+"/spec/schedules/" + i10+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err167];
}
else {
if (vErrors.length < 1000) vErrors.push(err167);
}
errors++;
}
if(!pattern0.test(data67)){
const err168 = {instancePath:instancePath+"/spec/schedules/" + i10+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"},message:"must match pattern \""+"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err168];
}
else {
if (vErrors.length < 1000) vErrors.push(err168);
}
errors++;
}
}
else {
const err169 = {instancePath:instancePath+"/spec/schedules/" + i10+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err169];
}
else {
if (vErrors.length < 1000) vErrors.push(err169);
}
errors++;
}
}
if(data66.schedule !== undefined){
let data68 = data66.schedule;
if(typeof data68 === "string"){
if(func3(data68) > 64){
const err170 = {instancePath:instancePath+"/spec/schedules/" + i10+"/schedule",schemaPath:"#/properties/spec/properties/schedules/items/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err170];
}
else {
if (vErrors.length < 1000) vErrors.push(err170);
}
errors++;
}
if(!pattern11.test(data68)){
const err171 = {instancePath:instancePath+"/spec/schedules/" + i10+"/schedule",schemaPath:"#/properties/spec/properties/schedules/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"},message:"must match pattern \""+"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"+"\""};
if(vErrors === null){
vErrors = [err171];
}
else {
if (vErrors.length < 1000) vErrors.push(err171);
}
errors++;
}
}
else {
const err172 = {instancePath:instancePath+"/spec/schedules/" + i10+"/schedule",schemaPath:"#/properties/spec/properties/schedules/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err172];
}
else {
if (vErrors.length < 1000) vErrors.push(err172);
}
errors++;
}
}
if(data66.duration !== undefined){
let data69 = data66.duration;
if(typeof data69 === "string"){
if(func3(data69) > 16){
const err173 = {instancePath:instancePath+"/spec/schedules/" + i10+"/duration",schemaPath:"#/properties/spec/properties/schedules/items/properties/duration/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err173];
}
else {
if (vErrors.length < 1000) vErrors.push(err173);
}
errors++;
}
if(!pattern4.test(data69)){
const err174 = {instancePath:instancePath+"/spec/schedules/" + i10+"/duration",schemaPath:"#/properties/spec/properties/schedules/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err174];
}
else {
if (vErrors.length < 1000) vErrors.push(err174);
}
errors++;
}
}
else {
const err175 = {instancePath:instancePath+"/spec/schedules/" + i10+"/duration",schemaPath:"#/properties/spec/properties/schedules/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err175];
}
else {
if (vErrors.length < 1000) vErrors.push(err175);
}
errors++;
}
}
if(data66.timeZone !== undefined){
let data70 = data66.timeZone;
if(typeof data70 === "string"){
if(func3(data70) > 64){
const err176 = {instancePath:instancePath+"/spec/schedules/" + i10+"/timeZone",schemaPath:"#/properties/spec/properties/schedules/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err176];
}
else {
if (vErrors.length < 1000) vErrors.push(err176);
}
errors++;
}
}
else {
const err177 = {instancePath:instancePath+"/spec/schedules/" + i10+"/timeZone",schemaPath:"#/properties/spec/properties/schedules/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err177];
}
else {
if (vErrors.length < 1000) vErrors.push(err177);
}
errors++;
}
}
if(data66.layouts !== undefined){
let data71 = data66.layouts;
if(Array.isArray(data71)){
if(data71.length > 64){
const err178 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err178];
}
else {
if (vErrors.length < 1000) vErrors.push(err178);
}
errors++;
}
if(data71.length < 1){
const err179 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err179];
}
else {
if (vErrors.length < 1000) vErrors.push(err179);
}
errors++;
}
const len11 = data71.length;
for(let i11=0; i11<len11; i11++){
let data72 = data71[i11];
if(data72 && typeof data72 == "object" && !Array.isArray(data72)){
for(const key14 in data72){
if(!((((key14 === "gpus") || (key14 === "profiles")) || (key14 === "preset")) || (key14 === "mig"))){
const err180 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key14},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err180];
}
else {
if (vErrors.length < 1000) vErrors.push(err180);
}
errors++;
}
}
if(data72.gpus !== undefined){
let data73 = data72.gpus;
if(data73 && typeof data73 == "object" && !Array.isArray(data73)){
for(const key15 in data73){
if(!(((((key15 === "models") || (key15 === "indices")) || (key15 === "uuids")) || (key15 === "pciDeviceIds")) || (key15 === "count"))){
const err181 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key15},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err181];
}
else {
if (vErrors.length < 1000) vErrors.push(err181);
}
errors++;
}
}
if(data73.models !== undefined){
let data74 = data73.models;
if(Array.isArray(data74)){
if(data74.length > 32){
const err182 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/models",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err182];
}
else {
if (vErrors.length < 1000) vErrors.push(err182);
}
errors++;
}
if(data74.length < 1){
const err183 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/models",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err183];
}
else {
if (vErrors.length < 1000) vErrors.push(err183);
}
errors++;
}
const len12 = data74.length;
for(let i12=0; i12<len12; i12++){
let data75 = data74[i12];
if(typeof data75 === "string"){
if(func3(data75) > 63){
const err184 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/models/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err184];
}
else {
if (vErrors.length < 1000) vErrors.push(err184);
}
errors++;
}
if(func3(data75) < 1){
const err185 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/models/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err185];
}
else {
if (vErrors.length < 1000) vErrors.push(err185);
}
errors++;
}
if(!pattern6.test(data75)){
const err186 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/models/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"},message:"must match pattern \""+"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"+"\""};
if(vErrors === null){
vErrors = [err186];
}
else {
if (vErrors.length < 1000) vErrors.push(err186);
}
errors++;
}
}
else {
const err187 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/models/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err187];
}
else {
if (vErrors.length < 1000) vErrors.push(err187);
}
errors++;
}
}
}
else {
const err188 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/models",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err188];
}
else {
if (vErrors.length < 1000) vErrors.push(err188);
}
errors++;
}
}
if(data73.indices !== undefined){
let data76 = data73.indices;
if(Array.isArray(data76)){
if(data76.length > 32){
const err189 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/indices",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err189];
}
else {
if (vErrors.length < 1000) vErrors.push(err189);
}
errors++;
}
if(data76.length < 1){
const err190 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/indices",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err190];
}
else {
if (vErrors.length < 1000) vErrors.push(err190);
}
errors++;
}
const len13 = data76.length;
for(let i13=0; i13<len13; i13++){
let data77 = data76[i13];
if(!((typeof data77 == "number") && (!(data77 % 1) && !isNaN(data77)))){
const err191 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/indices/" + i13,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err191];
}
else {
if (vErrors.length < 1000) vErrors.push(err191);
}
errors++;
}
if(typeof data77 == "number"){
if(data77 > 63 || isNaN(data77)){
const err192 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/indices/" + i13,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 63},message:"must be <= 63"};
if(vErrors === null){
vErrors = [err192];
}
else {
if (vErrors.length < 1000) vErrors.push(err192);
}
errors++;
}
if(data77 < 0 || isNaN(data77)){
const err193 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/indices/" + i13,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err193];
}
else {
if (vErrors.length < 1000) vErrors.push(err193);
}
errors++;
}
}
}
}
else {
const err194 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/indices",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err194];
}
else {
if (vErrors.length < 1000) vErrors.push(err194);
}
errors++;
}
}
if(data73.uuids !== undefined){
let data78 = data73.uuids;
if(Array.isArray(data78)){
if(data78.length > 64){
const err195 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/uuids",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err195];
}
else {
if (vErrors.length < 1000) vErrors.push(err195);
}
errors++;
}
if(data78.length < 1){
const err196 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/uuids",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err196];
}
else {
if (vErrors.length < 1000) vErrors.push(err196);
}
errors++;
}
const len14 = data78.length;
for(let i14=0; i14<len14; i14++){
let data79 = data78[i14];
if(typeof data79 === "string"){
if(func3(data79) > 64){
const err197 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/uuids/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/items/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err197];
}
else {
if (vErrors.length < 1000) vErrors.push(err197);
}
errors++;
}
if(!pattern7.test(data79)){
const err198 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/uuids/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/items/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"+"\""};
if(vErrors === null){
vErrors = [err198];
}
else {
if (vErrors.length < 1000) vErrors.push(err198);
}
errors++;
}
}
else {
const err199 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/uuids/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err199];
}
else {
if (vErrors.length < 1000) vErrors.push(err199);
}
errors++;
}
}
}
else {
const err200 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/uuids",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err200];
}
else {
if (vErrors.length < 1000) vErrors.push(err200);
}
errors++;
}
}
if(data73.pciDeviceIds !== undefined){
let data80 = data73.pciDeviceIds;
if(Array.isArray(data80)){
if(data80.length > 32){
const err201 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err201];
}
else {
if (vErrors.length < 1000) vErrors.push(err201);
}
errors++;
}
if(data80.length < 1){
const err202 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err202];
}
else {
if (vErrors.length < 1000) vErrors.push(err202);
}
errors++;
}
const len15 = data80.length;
for(let i15=0; i15<len15; i15++){
let data81 = data80[i15];
if(typeof data81 === "string"){
if(func3(data81) > 10){
const err203 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/pciDeviceIds/" + i15,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err203];
}
else {
if (vErrors.length < 1000) vErrors.push(err203);
}
errors++;
}
if(!pattern8.test(data81)){
const err204 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/pciDeviceIds/" + i15,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/pattern",keyword:"pattern",params:{pattern: "^0x[0-9a-fA-F]{4}10[dD][eE]$"},message:"must match pattern \""+"^0x[0-9a-fA-F]{4}10[dD][eE]$"+"\""};
if(vErrors === null){
vErrors = [err204];
}
else {
if (vErrors.length < 1000) vErrors.push(err204);
}
errors++;
}
}
else {
const err205 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/pciDeviceIds/" + i15,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err205];
}
else {
if (vErrors.length < 1000) vErrors.push(err205);
}
errors++;
}
}
}
else {
const err206 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err206];
}
else {
if (vErrors.length < 1000) vErrors.push(err206);
}
errors++;
}
}
if(data73.count !== undefined){
let data82 = data73.count;
if(!((typeof data82 == "number") && (!(data82 % 1) && !isNaN(data82)))){
const err207 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err207];
}
else {
if (vErrors.length < 1000) vErrors.push(err207);
}
errors++;
}
if(typeof data82 == "number"){
if(data82 > 64 || isNaN(data82)){
const err208 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err208];
}
else {
if (vErrors.length < 1000) vErrors.push(err208);
}
errors++;
}
if(data82 < 1 || isNaN(data82)){
const err209 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err209];
}
else {
if (vErrors.length < 1000) vErrors.push(err209);
}
errors++;
}
}
}
}
else {
const err210 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/gpus",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err210];
}
else {
if (vErrors.length < 1000) vErrors.push(err210);
}
errors++;
}
}
if(data72.profiles !== undefined){
let data83 = data72.profiles;
if(data83 && typeof data83 == "object" && !Array.isArray(data83)){
if(Object.keys(data83).length > 32){
const err211 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err211];
}
else {
if (vErrors.length < 1000) vErrors.push(err211);
}
errors++;
}
if(Object.keys(data83).length < 1){
const err212 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"};
if(vErrors === null){
vErrors = [err212];
}
else {
if (vErrors.length < 1000) vErrors.push(err212);
}
errors++;
}
for(const key16 in data83){
let data84 = data83[key16];
if(!((typeof data84 == "number") && (!(data84 % 1) && !isNaN(data84)))){
const err213 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/profiles/" + key16.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err213];
}
else {
if (vErrors.length < 1000) vErrors.push(err213);
}
errors++;
}
if(typeof data84 == "number"){
if(data84 > 16 || isNaN(data84)){
const err214 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/profiles/" + key16.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err214];
}
else {
if (vErrors.length < 1000) vErrors.push(err214);
}
errors++;
}
if(data84 < 1 || isNaN(data84)){
const err215 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/profiles/" + key16.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err215];
}
else {
if (vErrors.length < 1000) vErrors.push(err215);
}
errors++;
}
}
}
}
else {
const err216 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err216];
}
else {
if (vErrors.length < 1000) vErrors.push(err216);
}
errors++;
}
}
if(data72.preset !== undefined){
let data85 = data72.preset;
if(typeof data85 === "string"){
if(func3(data85) > 32){
const err217 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/preset",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/preset/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err217];
}
else {
if (vErrors.length < 1000) vErrors.push(err217);
}
errors++;
}
if(!pattern9.test(data85)){
const err218 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/preset",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/preset/pattern",keyword:"pattern",params:{pattern: "^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"},message:"must match pattern \""+"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"+"\""};
if(vErrors === null){
vErrors = [err218];
}
else {
if (vErrors.length < 1000) vErrors.push(err218);
}
errors++;
}
}
else {
const err219 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/preset",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/preset/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err219];
}
else {
if (vErrors.length < 1000) vErrors.push(err219);
}
errors++;
}
}
if(data72.mig !== undefined){
let data86 = data72.mig;
if(typeof data86 !== "string"){
const err220 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err220];
}
else {
if (vErrors.length < 1000) vErrors.push(err220);
}
errors++;
}
if(!(data86 === "Disabled")){
const err221 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.layouts.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err221];
}
else {
if (vErrors.length < 1000) vErrors.push(err221);
}
errors++;
}
}
}
else {
const err222 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts/" + i11,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err222];
}
else {
if (vErrors.length < 1000) vErrors.push(err222);
}
errors++;
}
}
}
else {
const err223 = {instancePath:instancePath+"/spec/schedules/" + i10+"/layouts",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err223];
}
else {
if (vErrors.length < 1000) vErrors.push(err223);
}
errors++;
}
}
if(data66.demand !== undefined){
let data87 = data66.demand;
if(data87 && typeof data87 == "object" && !Array.isArray(data87)){
if(data87.slices === undefined){
const err224 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/required",keyword:"required",params:{missingProperty: "slices"},message:"must have required property '"+"slices"+"'"};
if(vErrors === null){
vErrors = [err224];
}
else {
if (vErrors.length < 1000) vErrors.push(err224);
}
errors++;
}
for(const key17 in data87){
if(!((((((key17 === "slices") || (key17 === "from")) || (key17 === "evict")) || (key17 === "rest")) || (key17 === "stabilization")) || (key17 === "cooldown"))){
const err225 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key17},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err225];
}
else {
if (vErrors.length < 1000) vErrors.push(err225);
}
errors++;
}
}
if(data87.slices !== undefined){
let data88 = data87.slices;
if(Array.isArray(data88)){
if(data88.length > 16){
const err226 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err226];
}
else {
if (vErrors.length < 1000) vErrors.push(err226);
}
errors++;
}
if(data88.length < 1){
const err227 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err227];
}
else {
if (vErrors.length < 1000) vErrors.push(err227);
}
errors++;
}
const len16 = data88.length;
for(let i16=0; i16<len16; i16++){
let data89 = data88[i16];
if(data89 && typeof data89 == "object" && !Array.isArray(data89)){
for(const key18 in data89){
if(!(func2.call(schema11.properties.spec.properties.schedules.items.properties.demand.properties.slices.items.properties, key18))){
const err228 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key18},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err228];
}
else {
if (vErrors.length < 1000) vErrors.push(err228);
}
errors++;
}
}
if(data89.name !== undefined){
let data90 = data89.name;
if(typeof data90 === "string"){
if(func3(data90) > 32){
const err229 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err229];
}
else {
if (vErrors.length < 1000) vErrors.push(err229);
}
errors++;
}
if(func3(data90) < 1){
const err230 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err230];
}
else {
if (vErrors.length < 1000) vErrors.push(err230);
}
errors++;
}
if(!pattern0.test(data90)){
const err231 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"},message:"must match pattern \""+"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err231];
}
else {
if (vErrors.length < 1000) vErrors.push(err231);
}
errors++;
}
}
else {
const err232 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err232];
}
else {
if (vErrors.length < 1000) vErrors.push(err232);
}
errors++;
}
}
if(data89.profiles !== undefined){
let data91 = data89.profiles;
if(Array.isArray(data91)){
if(data91.length > 16){
const err233 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err233];
}
else {
if (vErrors.length < 1000) vErrors.push(err233);
}
errors++;
}
if(data91.length < 1){
const err234 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err234];
}
else {
if (vErrors.length < 1000) vErrors.push(err234);
}
errors++;
}
const len17 = data91.length;
for(let i17=0; i17<len17; i17++){
let data92 = data91[i17];
if(typeof data92 === "string"){
if(func3(data92) > 32){
const err235 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/profiles/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err235];
}
else {
if (vErrors.length < 1000) vErrors.push(err235);
}
errors++;
}
if(func3(data92) < 1){
const err236 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/profiles/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err236];
}
else {
if (vErrors.length < 1000) vErrors.push(err236);
}
errors++;
}
if(!pattern1.test(data92)){
const err237 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/profiles/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/pattern",keyword:"pattern",params:{pattern: "^[1-9*?][0-9abefglmx.+*?-]*$"},message:"must match pattern \""+"^[1-9*?][0-9abefglmx.+*?-]*$"+"\""};
if(vErrors === null){
vErrors = [err237];
}
else {
if (vErrors.length < 1000) vErrors.push(err237);
}
errors++;
}
}
else {
const err238 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/profiles/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err238];
}
else {
if (vErrors.length < 1000) vErrors.push(err238);
}
errors++;
}
}
}
else {
const err239 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err239];
}
else {
if (vErrors.length < 1000) vErrors.push(err239);
}
errors++;
}
}
if(data89.memory !== undefined){
let data93 = data89.memory;
if(typeof data93 === "string"){
if(func3(data93) > 12){
const err240 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/memory",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/memory/maxLength",keyword:"maxLength",params:{limit: 12},message:"must NOT have more than 12 characters"};
if(vErrors === null){
vErrors = [err240];
}
else {
if (vErrors.length < 1000) vErrors.push(err240);
}
errors++;
}
if(!pattern2.test(data93)){
const err241 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/memory",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/memory/pattern",keyword:"pattern",params:{pattern: "^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$"},message:"must match pattern \""+"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$"+"\""};
if(vErrors === null){
vErrors = [err241];
}
else {
if (vErrors.length < 1000) vErrors.push(err241);
}
errors++;
}
}
else {
const err242 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/memory",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/memory/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err242];
}
else {
if (vErrors.length < 1000) vErrors.push(err242);
}
errors++;
}
}
if(data89.mig !== undefined){
let data94 = data89.mig;
if(typeof data94 !== "string"){
const err243 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err243];
}
else {
if (vErrors.length < 1000) vErrors.push(err243);
}
errors++;
}
if(!(data94 === "Disabled")){
const err244 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.slices.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err244];
}
else {
if (vErrors.length < 1000) vErrors.push(err244);
}
errors++;
}
}
if(data89.count !== undefined){
let data95 = data89.count;
if(!((typeof data95 == "number") && (!(data95 % 1) && !isNaN(data95)))){
const err245 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err245];
}
else {
if (vErrors.length < 1000) vErrors.push(err245);
}
errors++;
}
if(typeof data95 == "number"){
if(data95 > 100000 || isNaN(data95)){
const err246 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err246];
}
else {
if (vErrors.length < 1000) vErrors.push(err246);
}
errors++;
}
if(data95 < 0 || isNaN(data95)){
const err247 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err247];
}
else {
if (vErrors.length < 1000) vErrors.push(err247);
}
errors++;
}
}
}
if(data89.min !== undefined){
let data96 = data89.min;
if(!((typeof data96 == "number") && (!(data96 % 1) && !isNaN(data96)))){
const err248 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/min",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/min/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err248];
}
else {
if (vErrors.length < 1000) vErrors.push(err248);
}
errors++;
}
if(typeof data96 == "number"){
if(data96 > 100000 || isNaN(data96)){
const err249 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/min",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/min/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err249];
}
else {
if (vErrors.length < 1000) vErrors.push(err249);
}
errors++;
}
if(data96 < 0 || isNaN(data96)){
const err250 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/min",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/min/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err250];
}
else {
if (vErrors.length < 1000) vErrors.push(err250);
}
errors++;
}
}
}
if(data89.max !== undefined){
let data97 = data89.max;
if(!((typeof data97 == "number") && (!(data97 % 1) && !isNaN(data97)))){
const err251 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/max",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/max/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err251];
}
else {
if (vErrors.length < 1000) vErrors.push(err251);
}
errors++;
}
if(typeof data97 == "number"){
if(data97 > 100000 || isNaN(data97)){
const err252 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/max",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/max/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err252];
}
else {
if (vErrors.length < 1000) vErrors.push(err252);
}
errors++;
}
if(data97 < 0 || isNaN(data97)){
const err253 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/max",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/max/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err253];
}
else {
if (vErrors.length < 1000) vErrors.push(err253);
}
errors++;
}
}
}
if(data89.spare !== undefined){
let data98 = data89.spare;
const _errs222 = errors;
let valid57 = false;
const _errs223 = errors;
if(!((typeof data98 == "number") && (!(data98 % 1) && !isNaN(data98)))){
const err254 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err254];
}
else {
if (vErrors.length < 1000) vErrors.push(err254);
}
errors++;
}
var _valid1 = _errs223 === errors;
valid57 = valid57 || _valid1;
if(!valid57){
const _errs225 = errors;
if(typeof data98 !== "string"){
const err255 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err255];
}
else {
if (vErrors.length < 1000) vErrors.push(err255);
}
errors++;
}
var _valid1 = _errs225 === errors;
valid57 = valid57 || _valid1;
}
if(!valid57){
const err256 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err256];
}
else {
if (vErrors.length < 1000) vErrors.push(err256);
}
errors++;
}
else {
errors = _errs222;
if(vErrors !== null){
if(_errs222){
vErrors.length = Math.min(vErrors.length, _errs222);
}
else {
vErrors = null;
}
}
}
if(typeof data98 == "number"){
if(data98 > 100000 || isNaN(data98)){
const err257 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err257];
}
else {
if (vErrors.length < 1000) vErrors.push(err257);
}
errors++;
}
if(data98 < 0 || isNaN(data98)){
const err258 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err258];
}
else {
if (vErrors.length < 1000) vErrors.push(err258);
}
errors++;
}
}
if(typeof data98 === "string"){
if(!pattern3.test(data98)){
const err259 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err259];
}
else {
if (vErrors.length < 1000) vErrors.push(err259);
}
errors++;
}
}
}
if(data89.weight !== undefined){
let data99 = data89.weight;
if(!((typeof data99 == "number") && (!(data99 % 1) && !isNaN(data99)))){
const err260 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/weight",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/weight/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err260];
}
else {
if (vErrors.length < 1000) vErrors.push(err260);
}
errors++;
}
if(typeof data99 == "number"){
if(data99 > 1000000 || isNaN(data99)){
const err261 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/weight",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/weight/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err261];
}
else {
if (vErrors.length < 1000) vErrors.push(err261);
}
errors++;
}
if(data99 < 1 || isNaN(data99)){
const err262 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16+"/weight",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/weight/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err262];
}
else {
if (vErrors.length < 1000) vErrors.push(err262);
}
errors++;
}
}
}
}
else {
const err263 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices/" + i16,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err263];
}
else {
if (vErrors.length < 1000) vErrors.push(err263);
}
errors++;
}
}
}
else {
const err264 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/slices",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err264];
}
else {
if (vErrors.length < 1000) vErrors.push(err264);
}
errors++;
}
}
if(data87.from !== undefined){
let data100 = data87.from;
if(typeof data100 !== "string"){
const err265 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/from",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/from/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err265];
}
else {
if (vErrors.length < 1000) vErrors.push(err265);
}
errors++;
}
if(!(((data100 === "Declared") || (data100 === "Pods")) || (data100 === "Kueue"))){
const err266 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/from",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/from/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.from.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err266];
}
else {
if (vErrors.length < 1000) vErrors.push(err266);
}
errors++;
}
}
if(data87.evict !== undefined){
let data101 = data87.evict;
if(typeof data101 !== "string"){
const err267 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/evict",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/evict/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err267];
}
else {
if (vErrors.length < 1000) vErrors.push(err267);
}
errors++;
}
if(!((data101 === "Never") || (data101 === "IfNeeded"))){
const err268 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/evict",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/evict/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.evict.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err268];
}
else {
if (vErrors.length < 1000) vErrors.push(err268);
}
errors++;
}
}
if(data87.rest !== undefined){
let data102 = data87.rest;
if(typeof data102 !== "string"){
const err269 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/rest",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/rest/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err269];
}
else {
if (vErrors.length < 1000) vErrors.push(err269);
}
errors++;
}
if(!(((data102 === "Keep") || (data102 === "Whole")) || (data102 === "Balanced"))){
const err270 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/rest",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/rest/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.rest.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err270];
}
else {
if (vErrors.length < 1000) vErrors.push(err270);
}
errors++;
}
}
if(data87.stabilization !== undefined){
let data103 = data87.stabilization;
if(typeof data103 === "string"){
if(func3(data103) > 16){
const err271 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/stabilization",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/stabilization/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err271];
}
else {
if (vErrors.length < 1000) vErrors.push(err271);
}
errors++;
}
if(!pattern4.test(data103)){
const err272 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/stabilization",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/stabilization/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err272];
}
else {
if (vErrors.length < 1000) vErrors.push(err272);
}
errors++;
}
}
else {
const err273 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/stabilization",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/stabilization/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err273];
}
else {
if (vErrors.length < 1000) vErrors.push(err273);
}
errors++;
}
}
if(data87.cooldown !== undefined){
let data104 = data87.cooldown;
if(typeof data104 === "string"){
if(func3(data104) > 16){
const err274 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/cooldown",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/cooldown/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err274];
}
else {
if (vErrors.length < 1000) vErrors.push(err274);
}
errors++;
}
if(!pattern4.test(data104)){
const err275 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/cooldown",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/cooldown/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err275];
}
else {
if (vErrors.length < 1000) vErrors.push(err275);
}
errors++;
}
}
else {
const err276 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand/cooldown",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/cooldown/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err276];
}
else {
if (vErrors.length < 1000) vErrors.push(err276);
}
errors++;
}
}
}
else {
const err277 = {instancePath:instancePath+"/spec/schedules/" + i10+"/demand",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err277];
}
else {
if (vErrors.length < 1000) vErrors.push(err277);
}
errors++;
}
}
}
else {
const err278 = {instancePath:instancePath+"/spec/schedules/" + i10,schemaPath:"#/properties/spec/properties/schedules/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err278];
}
else {
if (vErrors.length < 1000) vErrors.push(err278);
}
errors++;
}
}
}
else {
const err279 = {instancePath:instancePath+"/spec/schedules",schemaPath:"#/properties/spec/properties/schedules/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err279];
}
else {
if (vErrors.length < 1000) vErrors.push(err279);
}
errors++;
}
}
if(data15.sharing !== undefined){
let data105 = data15.sharing;
if(data105 && typeof data105 == "object" && !Array.isArray(data105)){
for(const key19 in data105){
if(!((key19 === "mps") || (key19 === "timeSlicing"))){
const err280 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key19},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err280];
}
else {
if (vErrors.length < 1000) vErrors.push(err280);
}
errors++;
}
}
if(data105.mps !== undefined){
let data106 = data105.mps;
if(data106 && typeof data106 == "object" && !Array.isArray(data106)){
}
else {
const err281 = {instancePath:instancePath+"/spec/sharing/mps",schemaPath:"#/properties/spec/properties/sharing/properties/mps/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err281];
}
else {
if (vErrors.length < 1000) vErrors.push(err281);
}
errors++;
}
}
if(data105.timeSlicing !== undefined){
let data107 = data105.timeSlicing;
if(Array.isArray(data107)){
if(data107.length > 32){
const err282 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err282];
}
else {
if (vErrors.length < 1000) vErrors.push(err282);
}
errors++;
}
if(data107.length < 1){
const err283 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err283];
}
else {
if (vErrors.length < 1000) vErrors.push(err283);
}
errors++;
}
const len18 = data107.length;
for(let i18=0; i18<len18; i18++){
let data108 = data107[i18];
if(data108 && typeof data108 == "object" && !Array.isArray(data108)){
if(data108.resource === undefined){
const err284 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "resource"},message:"must have required property '"+"resource"+"'"};
if(vErrors === null){
vErrors = [err284];
}
else {
if (vErrors.length < 1000) vErrors.push(err284);
}
errors++;
}
if(data108.replicas === undefined){
const err285 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "replicas"},message:"must have required property '"+"replicas"+"'"};
if(vErrors === null){
vErrors = [err285];
}
else {
if (vErrors.length < 1000) vErrors.push(err285);
}
errors++;
}
for(const key20 in data108){
if(!((key20 === "resource") || (key20 === "replicas"))){
const err286 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key20},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err286];
}
else {
if (vErrors.length < 1000) vErrors.push(err286);
}
errors++;
}
}
if(data108.resource !== undefined){
let data109 = data108.resource;
if(typeof data109 === "string"){
if(func3(data109) > 63){
const err287 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err287];
}
else {
if (vErrors.length < 1000) vErrors.push(err287);
}
errors++;
}
if(!pattern23.test(data109)){
const err288 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/pattern",keyword:"pattern",params:{pattern: "^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"},message:"must match pattern \""+"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"+"\""};
if(vErrors === null){
vErrors = [err288];
}
else {
if (vErrors.length < 1000) vErrors.push(err288);
}
errors++;
}
}
else {
const err289 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err289];
}
else {
if (vErrors.length < 1000) vErrors.push(err289);
}
errors++;
}
}
if(data108.replicas !== undefined){
let data110 = data108.replicas;
if(!((typeof data110 == "number") && (!(data110 % 1) && !isNaN(data110)))){
const err290 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err290];
}
else {
if (vErrors.length < 1000) vErrors.push(err290);
}
errors++;
}
if(typeof data110 == "number"){
if(data110 > 128 || isNaN(data110)){
const err291 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/maximum",keyword:"maximum",params:{comparison: "<=", limit: 128},message:"must be <= 128"};
if(vErrors === null){
vErrors = [err291];
}
else {
if (vErrors.length < 1000) vErrors.push(err291);
}
errors++;
}
if(data110 < 2 || isNaN(data110)){
const err292 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/minimum",keyword:"minimum",params:{comparison: ">=", limit: 2},message:"must be >= 2"};
if(vErrors === null){
vErrors = [err292];
}
else {
if (vErrors.length < 1000) vErrors.push(err292);
}
errors++;
}
}
}
}
else {
const err293 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i18,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err293];
}
else {
if (vErrors.length < 1000) vErrors.push(err293);
}
errors++;
}
}
}
else {
const err294 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err294];
}
else {
if (vErrors.length < 1000) vErrors.push(err294);
}
errors++;
}
}
}
else {
const err295 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err295];
}
else {
if (vErrors.length < 1000) vErrors.push(err295);
}
errors++;
}
}
if(data15.drain !== undefined){
let data111 = data15.drain;
if(data111 && typeof data111 == "object" && !Array.isArray(data111)){
for(const key21 in data111){
if(!((((key21 === "scope") || (key21 === "timeout")) || (key21 === "onTimeout")) || (key21 === "gracePeriod"))){
const err296 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key21},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err296];
}
else {
if (vErrors.length < 1000) vErrors.push(err296);
}
errors++;
}
}
if(data111.scope !== undefined){
let data112 = data111.scope;
if(typeof data112 !== "string"){
const err297 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err297];
}
else {
if (vErrors.length < 1000) vErrors.push(err297);
}
errors++;
}
if(!(((data112 === "Affected") || (data112 === "Node")) || (data112 === "None"))){
const err298 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.scope.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err298];
}
else {
if (vErrors.length < 1000) vErrors.push(err298);
}
errors++;
}
}
if(data111.timeout !== undefined){
let data113 = data111.timeout;
if(typeof data113 === "string"){
if(func3(data113) > 16){
const err299 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err299];
}
else {
if (vErrors.length < 1000) vErrors.push(err299);
}
errors++;
}
if(!pattern4.test(data113)){
const err300 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err300];
}
else {
if (vErrors.length < 1000) vErrors.push(err300);
}
errors++;
}
}
else {
const err301 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err301];
}
else {
if (vErrors.length < 1000) vErrors.push(err301);
}
errors++;
}
}
if(data111.onTimeout !== undefined){
let data114 = data111.onTimeout;
if(typeof data114 !== "string"){
const err302 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err302];
}
else {
if (vErrors.length < 1000) vErrors.push(err302);
}
errors++;
}
if(!(((data114 === "Skip") || (data114 === "Wait")) || (data114 === "Force"))){
const err303 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.onTimeout.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err303];
}
else {
if (vErrors.length < 1000) vErrors.push(err303);
}
errors++;
}
}
if(data111.gracePeriod !== undefined){
let data115 = data111.gracePeriod;
if(typeof data115 === "string"){
if(func3(data115) > 16){
const err304 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err304];
}
else {
if (vErrors.length < 1000) vErrors.push(err304);
}
errors++;
}
if(!pattern4.test(data115)){
const err305 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err305];
}
else {
if (vErrors.length < 1000) vErrors.push(err305);
}
errors++;
}
}
else {
const err306 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err306];
}
else {
if (vErrors.length < 1000) vErrors.push(err306);
}
errors++;
}
}
}
else {
const err307 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err307];
}
else {
if (vErrors.length < 1000) vErrors.push(err307);
}
errors++;
}
}
if(data15.rollout !== undefined){
let data116 = data15.rollout;
if(data116 && typeof data116 == "object" && !Array.isArray(data116)){
for(const key22 in data116){
if(!((((((key22 === "maxUnavailable") || (key22 === "canary")) || (key22 === "failureThreshold")) || (key22 === "windows")) || (key22 === "paused")) || (key22 === "rollback"))){
const err308 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key22},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err308];
}
else {
if (vErrors.length < 1000) vErrors.push(err308);
}
errors++;
}
}
if(data116.maxUnavailable !== undefined){
let data117 = data116.maxUnavailable;
const _errs269 = errors;
let valid64 = false;
const _errs270 = errors;
if(!((typeof data117 == "number") && (!(data117 % 1) && !isNaN(data117)))){
const err309 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err309];
}
else {
if (vErrors.length < 1000) vErrors.push(err309);
}
errors++;
}
var _valid2 = _errs270 === errors;
valid64 = valid64 || _valid2;
if(!valid64){
const _errs272 = errors;
if(typeof data117 !== "string"){
const err310 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err310];
}
else {
if (vErrors.length < 1000) vErrors.push(err310);
}
errors++;
}
var _valid2 = _errs272 === errors;
valid64 = valid64 || _valid2;
}
if(!valid64){
const err311 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err311];
}
else {
if (vErrors.length < 1000) vErrors.push(err311);
}
errors++;
}
else {
errors = _errs269;
if(vErrors !== null){
if(_errs269){
vErrors.length = Math.min(vErrors.length, _errs269);
}
else {
vErrors = null;
}
}
}
if(typeof data117 == "number"){
if(data117 > 10000 || isNaN(data117)){
const err312 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err312];
}
else {
if (vErrors.length < 1000) vErrors.push(err312);
}
errors++;
}
if(data117 < 0 || isNaN(data117)){
const err313 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err313];
}
else {
if (vErrors.length < 1000) vErrors.push(err313);
}
errors++;
}
}
if(typeof data117 === "string"){
if(!pattern3.test(data117)){
const err314 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err314];
}
else {
if (vErrors.length < 1000) vErrors.push(err314);
}
errors++;
}
}
}
if(data116.canary !== undefined){
let data118 = data116.canary;
if(data118 && typeof data118 == "object" && !Array.isArray(data118)){
if(data118.nodes === undefined){
const err315 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err315];
}
else {
if (vErrors.length < 1000) vErrors.push(err315);
}
errors++;
}
for(const key23 in data118){
if(!((key23 === "nodes") || (key23 === "soak"))){
const err316 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key23},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err316];
}
else {
if (vErrors.length < 1000) vErrors.push(err316);
}
errors++;
}
}
if(data118.nodes !== undefined){
let data119 = data118.nodes;
if(!((typeof data119 == "number") && (!(data119 % 1) && !isNaN(data119)))){
const err317 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err317];
}
else {
if (vErrors.length < 1000) vErrors.push(err317);
}
errors++;
}
if(typeof data119 == "number"){
if(data119 > 1000 || isNaN(data119)){
const err318 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000},message:"must be <= 1000"};
if(vErrors === null){
vErrors = [err318];
}
else {
if (vErrors.length < 1000) vErrors.push(err318);
}
errors++;
}
if(data119 < 1 || isNaN(data119)){
const err319 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err319];
}
else {
if (vErrors.length < 1000) vErrors.push(err319);
}
errors++;
}
}
}
if(data118.soak !== undefined){
let data120 = data118.soak;
if(typeof data120 === "string"){
if(func3(data120) > 16){
const err320 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err320];
}
else {
if (vErrors.length < 1000) vErrors.push(err320);
}
errors++;
}
if(!pattern4.test(data120)){
const err321 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err321];
}
else {
if (vErrors.length < 1000) vErrors.push(err321);
}
errors++;
}
}
else {
const err322 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err322];
}
else {
if (vErrors.length < 1000) vErrors.push(err322);
}
errors++;
}
}
}
else {
const err323 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err323];
}
else {
if (vErrors.length < 1000) vErrors.push(err323);
}
errors++;
}
}
if(data116.failureThreshold !== undefined){
let data121 = data116.failureThreshold;
const _errs282 = errors;
let valid66 = false;
const _errs283 = errors;
if(!((typeof data121 == "number") && (!(data121 % 1) && !isNaN(data121)))){
const err324 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err324];
}
else {
if (vErrors.length < 1000) vErrors.push(err324);
}
errors++;
}
var _valid3 = _errs283 === errors;
valid66 = valid66 || _valid3;
if(!valid66){
const _errs285 = errors;
if(typeof data121 !== "string"){
const err325 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err325];
}
else {
if (vErrors.length < 1000) vErrors.push(err325);
}
errors++;
}
var _valid3 = _errs285 === errors;
valid66 = valid66 || _valid3;
}
if(!valid66){
const err326 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err326];
}
else {
if (vErrors.length < 1000) vErrors.push(err326);
}
errors++;
}
else {
errors = _errs282;
if(vErrors !== null){
if(_errs282){
vErrors.length = Math.min(vErrors.length, _errs282);
}
else {
vErrors = null;
}
}
}
if(typeof data121 == "number"){
if(data121 > 10000 || isNaN(data121)){
const err327 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err327];
}
else {
if (vErrors.length < 1000) vErrors.push(err327);
}
errors++;
}
if(data121 < 1 || isNaN(data121)){
const err328 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err328];
}
else {
if (vErrors.length < 1000) vErrors.push(err328);
}
errors++;
}
}
if(typeof data121 === "string"){
if(!pattern3.test(data121)){
const err329 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err329];
}
else {
if (vErrors.length < 1000) vErrors.push(err329);
}
errors++;
}
}
}
if(data116.windows !== undefined){
let data122 = data116.windows;
if(Array.isArray(data122)){
if(data122.length > 16){
const err330 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err330];
}
else {
if (vErrors.length < 1000) vErrors.push(err330);
}
errors++;
}
if(data122.length < 1){
const err331 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err331];
}
else {
if (vErrors.length < 1000) vErrors.push(err331);
}
errors++;
}
const len19 = data122.length;
for(let i19=0; i19<len19; i19++){
let data123 = data122[i19];
if(data123 && typeof data123 == "object" && !Array.isArray(data123)){
if(data123.schedule === undefined){
const err332 = {instancePath:instancePath+"/spec/rollout/windows/" + i19,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "schedule"},message:"must have required property '"+"schedule"+"'"};
if(vErrors === null){
vErrors = [err332];
}
else {
if (vErrors.length < 1000) vErrors.push(err332);
}
errors++;
}
if(data123.duration === undefined){
const err333 = {instancePath:instancePath+"/spec/rollout/windows/" + i19,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "duration"},message:"must have required property '"+"duration"+"'"};
if(vErrors === null){
vErrors = [err333];
}
else {
if (vErrors.length < 1000) vErrors.push(err333);
}
errors++;
}
for(const key24 in data123){
if(!(((key24 === "schedule") || (key24 === "duration")) || (key24 === "timeZone"))){
const err334 = {instancePath:instancePath+"/spec/rollout/windows/" + i19,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key24},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err334];
}
else {
if (vErrors.length < 1000) vErrors.push(err334);
}
errors++;
}
}
if(data123.schedule !== undefined){
let data124 = data123.schedule;
if(typeof data124 === "string"){
if(func3(data124) > 64){
const err335 = {instancePath:instancePath+"/spec/rollout/windows/" + i19+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err335];
}
else {
if (vErrors.length < 1000) vErrors.push(err335);
}
errors++;
}
if(!pattern11.test(data124)){
const err336 = {instancePath:instancePath+"/spec/rollout/windows/" + i19+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"},message:"must match pattern \""+"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"+"\""};
if(vErrors === null){
vErrors = [err336];
}
else {
if (vErrors.length < 1000) vErrors.push(err336);
}
errors++;
}
}
else {
const err337 = {instancePath:instancePath+"/spec/rollout/windows/" + i19+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err337];
}
else {
if (vErrors.length < 1000) vErrors.push(err337);
}
errors++;
}
}
if(data123.duration !== undefined){
let data125 = data123.duration;
if(typeof data125 === "string"){
if(func3(data125) > 16){
const err338 = {instancePath:instancePath+"/spec/rollout/windows/" + i19+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err338];
}
else {
if (vErrors.length < 1000) vErrors.push(err338);
}
errors++;
}
if(!pattern4.test(data125)){
const err339 = {instancePath:instancePath+"/spec/rollout/windows/" + i19+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err339];
}
else {
if (vErrors.length < 1000) vErrors.push(err339);
}
errors++;
}
}
else {
const err340 = {instancePath:instancePath+"/spec/rollout/windows/" + i19+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err340];
}
else {
if (vErrors.length < 1000) vErrors.push(err340);
}
errors++;
}
}
if(data123.timeZone !== undefined){
let data126 = data123.timeZone;
if(typeof data126 === "string"){
if(func3(data126) > 64){
const err341 = {instancePath:instancePath+"/spec/rollout/windows/" + i19+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err341];
}
else {
if (vErrors.length < 1000) vErrors.push(err341);
}
errors++;
}
}
else {
const err342 = {instancePath:instancePath+"/spec/rollout/windows/" + i19+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err342];
}
else {
if (vErrors.length < 1000) vErrors.push(err342);
}
errors++;
}
}
}
else {
const err343 = {instancePath:instancePath+"/spec/rollout/windows/" + i19,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err343];
}
else {
if (vErrors.length < 1000) vErrors.push(err343);
}
errors++;
}
}
}
else {
const err344 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err344];
}
else {
if (vErrors.length < 1000) vErrors.push(err344);
}
errors++;
}
}
if(data116.paused !== undefined){
if(typeof data116.paused !== "boolean"){
const err345 = {instancePath:instancePath+"/spec/rollout/paused",schemaPath:"#/properties/spec/properties/rollout/properties/paused/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err345];
}
else {
if (vErrors.length < 1000) vErrors.push(err345);
}
errors++;
}
}
if(data116.rollback !== undefined){
let data128 = data116.rollback;
if(typeof data128 !== "string"){
const err346 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err346];
}
else {
if (vErrors.length < 1000) vErrors.push(err346);
}
errors++;
}
if(!((data128 === "OnFailure") || (data128 === "Never"))){
const err347 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.rollout.properties.rollback.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err347];
}
else {
if (vErrors.length < 1000) vErrors.push(err347);
}
errors++;
}
}
}
else {
const err348 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err348];
}
else {
if (vErrors.length < 1000) vErrors.push(err348);
}
errors++;
}
}
if(data15.allow !== undefined){
let data129 = data15.allow;
if(data129 && typeof data129 == "object" && !Array.isArray(data129)){
for(const key25 in data129){
if(!((((key25 === "gpuReset") || (key25 === "reboot")) || (key25 === "replaceForeignInstances")) || (key25 === "takeOver"))){
const err349 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key25},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err349];
}
else {
if (vErrors.length < 1000) vErrors.push(err349);
}
errors++;
}
}
if(data129.gpuReset !== undefined){
if(typeof data129.gpuReset !== "boolean"){
const err350 = {instancePath:instancePath+"/spec/allow/gpuReset",schemaPath:"#/properties/spec/properties/allow/properties/gpuReset/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err350];
}
else {
if (vErrors.length < 1000) vErrors.push(err350);
}
errors++;
}
}
if(data129.reboot !== undefined){
if(typeof data129.reboot !== "boolean"){
const err351 = {instancePath:instancePath+"/spec/allow/reboot",schemaPath:"#/properties/spec/properties/allow/properties/reboot/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err351];
}
else {
if (vErrors.length < 1000) vErrors.push(err351);
}
errors++;
}
}
if(data129.replaceForeignInstances !== undefined){
if(typeof data129.replaceForeignInstances !== "boolean"){
const err352 = {instancePath:instancePath+"/spec/allow/replaceForeignInstances",schemaPath:"#/properties/spec/properties/allow/properties/replaceForeignInstances/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err352];
}
else {
if (vErrors.length < 1000) vErrors.push(err352);
}
errors++;
}
}
if(data129.takeOver !== undefined){
let data133 = data129.takeOver;
if(Array.isArray(data133)){
if(data133.length > 4){
const err353 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/maxItems",keyword:"maxItems",params:{limit: 4},message:"must NOT have more than 4 items"};
if(vErrors === null){
vErrors = [err353];
}
else {
if (vErrors.length < 1000) vErrors.push(err353);
}
errors++;
}
if(data133.length < 1){
const err354 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err354];
}
else {
if (vErrors.length < 1000) vErrors.push(err354);
}
errors++;
}
const len20 = data133.length;
for(let i20=0; i20<len20; i20++){
let data134 = data133[i20];
if(typeof data134 !== "string"){
const err355 = {instancePath:instancePath+"/spec/allow/takeOver/" + i20,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err355];
}
else {
if (vErrors.length < 1000) vErrors.push(err355);
}
errors++;
}
if(!(data134 === "mig-manager")){
const err356 = {instancePath:instancePath+"/spec/allow/takeOver/" + i20,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.allow.properties.takeOver.items.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err356];
}
else {
if (vErrors.length < 1000) vErrors.push(err356);
}
errors++;
}
}
}
else {
const err357 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err357];
}
else {
if (vErrors.length < 1000) vErrors.push(err357);
}
errors++;
}
}
}
else {
const err358 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err358];
}
else {
if (vErrors.length < 1000) vErrors.push(err358);
}
errors++;
}
}
if(data15.onDelete !== undefined){
let data135 = data15.onDelete;
if(typeof data135 !== "string"){
const err359 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err359];
}
else {
if (vErrors.length < 1000) vErrors.push(err359);
}
errors++;
}
if(!((data135 === "Keep") || (data135 === "DisableMig"))){
const err360 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.onDelete.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err360];
}
else {
if (vErrors.length < 1000) vErrors.push(err360);
}
errors++;
}
}
}
else {
const err361 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err361];
}
else {
if (vErrors.length < 1000) vErrors.push(err361);
}
errors++;
}
}
if(data.status !== undefined){
let data136 = data.status;
if(data136 && typeof data136 == "object" && !Array.isArray(data136)){
for(const key26 in data136){
if(!(func2.call(schema11.properties.status.properties, key26))){
const err362 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key26},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err362];
}
else {
if (vErrors.length < 1000) vErrors.push(err362);
}
errors++;
}
}
if(data136.observedGeneration !== undefined){
let data137 = data136.observedGeneration;
if(!((typeof data137 == "number") && (!(data137 % 1) && !isNaN(data137)))){
const err363 = {instancePath:instancePath+"/status/observedGeneration",schemaPath:"#/properties/status/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err363];
}
else {
if (vErrors.length < 1000) vErrors.push(err363);
}
errors++;
}
}
if(data136.acceptedGeneration !== undefined){
let data138 = data136.acceptedGeneration;
if(!((typeof data138 == "number") && (!(data138 % 1) && !isNaN(data138)))){
const err364 = {instancePath:instancePath+"/status/acceptedGeneration",schemaPath:"#/properties/status/properties/acceptedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err364];
}
else {
if (vErrors.length < 1000) vErrors.push(err364);
}
errors++;
}
}
if(data136.inForce !== undefined){
let data139 = data136.inForce;
if(data139 && typeof data139 == "object" && !Array.isArray(data139)){
if(data139.generation === undefined){
const err365 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err365];
}
else {
if (vErrors.length < 1000) vErrors.push(err365);
}
errors++;
}
if(data139.spec === undefined){
const err366 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err366];
}
else {
if (vErrors.length < 1000) vErrors.push(err366);
}
errors++;
}
for(const key27 in data139){
if(!((key27 === "generation") || (key27 === "spec"))){
const err367 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key27},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err367];
}
else {
if (vErrors.length < 1000) vErrors.push(err367);
}
errors++;
}
}
if(data139.generation !== undefined){
let data140 = data139.generation;
if(!((typeof data140 == "number") && (!(data140 % 1) && !isNaN(data140)))){
const err368 = {instancePath:instancePath+"/status/inForce/generation",schemaPath:"#/properties/status/properties/inForce/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err368];
}
else {
if (vErrors.length < 1000) vErrors.push(err368);
}
errors++;
}
}
if(data139.spec !== undefined){
let data141 = data139.spec;
if(data141 && typeof data141 == "object" && !Array.isArray(data141)){
}
else {
const err369 = {instancePath:instancePath+"/status/inForce/spec",schemaPath:"#/properties/status/properties/inForce/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err369];
}
else {
if (vErrors.length < 1000) vErrors.push(err369);
}
errors++;
}
}
}
else {
const err370 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err370];
}
else {
if (vErrors.length < 1000) vErrors.push(err370);
}
errors++;
}
}
if(data136.previous !== undefined){
let data142 = data136.previous;
if(data142 && typeof data142 == "object" && !Array.isArray(data142)){
if(data142.generation === undefined){
const err371 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err371];
}
else {
if (vErrors.length < 1000) vErrors.push(err371);
}
errors++;
}
if(data142.spec === undefined){
const err372 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err372];
}
else {
if (vErrors.length < 1000) vErrors.push(err372);
}
errors++;
}
for(const key28 in data142){
if(!((key28 === "generation") || (key28 === "spec"))){
const err373 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key28},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err373];
}
else {
if (vErrors.length < 1000) vErrors.push(err373);
}
errors++;
}
}
if(data142.generation !== undefined){
let data143 = data142.generation;
if(!((typeof data143 == "number") && (!(data143 % 1) && !isNaN(data143)))){
const err374 = {instancePath:instancePath+"/status/previous/generation",schemaPath:"#/properties/status/properties/previous/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err374];
}
else {
if (vErrors.length < 1000) vErrors.push(err374);
}
errors++;
}
}
if(data142.spec !== undefined){
let data144 = data142.spec;
if(data144 && typeof data144 == "object" && !Array.isArray(data144)){
}
else {
const err375 = {instancePath:instancePath+"/status/previous/spec",schemaPath:"#/properties/status/properties/previous/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err375];
}
else {
if (vErrors.length < 1000) vErrors.push(err375);
}
errors++;
}
}
}
else {
const err376 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err376];
}
else {
if (vErrors.length < 1000) vErrors.push(err376);
}
errors++;
}
}
if(data136.history !== undefined){
let data145 = data136.history;
if(Array.isArray(data145)){
if(data145.length > 20){
const err377 = {instancePath:instancePath+"/status/history",schemaPath:"#/properties/status/properties/history/maxItems",keyword:"maxItems",params:{limit: 20},message:"must NOT have more than 20 items"};
if(vErrors === null){
vErrors = [err377];
}
else {
if (vErrors.length < 1000) vErrors.push(err377);
}
errors++;
}
const len21 = data145.length;
for(let i21=0; i21<len21; i21++){
let data146 = data145[i21];
if(data146 && typeof data146 == "object" && !Array.isArray(data146)){
if(data146.generation === undefined){
const err378 = {instancePath:instancePath+"/status/history/" + i21,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err378];
}
else {
if (vErrors.length < 1000) vErrors.push(err378);
}
errors++;
}
if(data146.time === undefined){
const err379 = {instancePath:instancePath+"/status/history/" + i21,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "time"},message:"must have required property '"+"time"+"'"};
if(vErrors === null){
vErrors = [err379];
}
else {
if (vErrors.length < 1000) vErrors.push(err379);
}
errors++;
}
if(data146.spec === undefined){
const err380 = {instancePath:instancePath+"/status/history/" + i21,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err380];
}
else {
if (vErrors.length < 1000) vErrors.push(err380);
}
errors++;
}
for(const key29 in data146){
if(!((((key29 === "generation") || (key29 === "time")) || (key29 === "manager")) || (key29 === "spec"))){
const err381 = {instancePath:instancePath+"/status/history/" + i21,schemaPath:"#/properties/status/properties/history/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key29},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err381];
}
else {
if (vErrors.length < 1000) vErrors.push(err381);
}
errors++;
}
}
if(data146.generation !== undefined){
let data147 = data146.generation;
if(!((typeof data147 == "number") && (!(data147 % 1) && !isNaN(data147)))){
const err382 = {instancePath:instancePath+"/status/history/" + i21+"/generation",schemaPath:"#/properties/status/properties/history/items/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err382];
}
else {
if (vErrors.length < 1000) vErrors.push(err382);
}
errors++;
}
}
if(data146.time !== undefined){
if(typeof data146.time !== "string"){
const err383 = {instancePath:instancePath+"/status/history/" + i21+"/time",schemaPath:"#/properties/status/properties/history/items/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err383];
}
else {
if (vErrors.length < 1000) vErrors.push(err383);
}
errors++;
}
}
if(data146.manager !== undefined){
let data149 = data146.manager;
if(typeof data149 === "string"){
if(func3(data149) > 128){
const err384 = {instancePath:instancePath+"/status/history/" + i21+"/manager",schemaPath:"#/properties/status/properties/history/items/properties/manager/maxLength",keyword:"maxLength",params:{limit: 128},message:"must NOT have more than 128 characters"};
if(vErrors === null){
vErrors = [err384];
}
else {
if (vErrors.length < 1000) vErrors.push(err384);
}
errors++;
}
}
else {
const err385 = {instancePath:instancePath+"/status/history/" + i21+"/manager",schemaPath:"#/properties/status/properties/history/items/properties/manager/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err385];
}
else {
if (vErrors.length < 1000) vErrors.push(err385);
}
errors++;
}
}
if(data146.spec !== undefined){
let data150 = data146.spec;
if(data150 && typeof data150 == "object" && !Array.isArray(data150)){
}
else {
const err386 = {instancePath:instancePath+"/status/history/" + i21+"/spec",schemaPath:"#/properties/status/properties/history/items/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err386];
}
else {
if (vErrors.length < 1000) vErrors.push(err386);
}
errors++;
}
}
}
else {
const err387 = {instancePath:instancePath+"/status/history/" + i21,schemaPath:"#/properties/status/properties/history/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err387];
}
else {
if (vErrors.length < 1000) vErrors.push(err387);
}
errors++;
}
}
}
else {
const err388 = {instancePath:instancePath+"/status/history",schemaPath:"#/properties/status/properties/history/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err388];
}
else {
if (vErrors.length < 1000) vErrors.push(err388);
}
errors++;
}
}
if(data136.summary !== undefined){
let data151 = data136.summary;
if(typeof data151 === "string"){
if(func3(data151) > 256){
const err389 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err389];
}
else {
if (vErrors.length < 1000) vErrors.push(err389);
}
errors++;
}
}
else {
const err390 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err390];
}
else {
if (vErrors.length < 1000) vErrors.push(err390);
}
errors++;
}
}
if(data136.conditions !== undefined){
let data152 = data136.conditions;
if(Array.isArray(data152)){
if(data152.length > 16){
const err391 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err391];
}
else {
if (vErrors.length < 1000) vErrors.push(err391);
}
errors++;
}
const len22 = data152.length;
for(let i22=0; i22<len22; i22++){
let data153 = data152[i22];
if(data153 && typeof data153 == "object" && !Array.isArray(data153)){
if(data153.type === undefined){
const err392 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err392];
}
else {
if (vErrors.length < 1000) vErrors.push(err392);
}
errors++;
}
if(data153.status === undefined){
const err393 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err393];
}
else {
if (vErrors.length < 1000) vErrors.push(err393);
}
errors++;
}
if(data153.reason === undefined){
const err394 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err394];
}
else {
if (vErrors.length < 1000) vErrors.push(err394);
}
errors++;
}
if(data153.message === undefined){
const err395 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err395];
}
else {
if (vErrors.length < 1000) vErrors.push(err395);
}
errors++;
}
if(data153.lastTransitionTime === undefined){
const err396 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err396];
}
else {
if (vErrors.length < 1000) vErrors.push(err396);
}
errors++;
}
for(const key30 in data153){
if(!((((((key30 === "type") || (key30 === "status")) || (key30 === "reason")) || (key30 === "message")) || (key30 === "lastTransitionTime")) || (key30 === "observedGeneration"))){
const err397 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key30},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err397];
}
else {
if (vErrors.length < 1000) vErrors.push(err397);
}
errors++;
}
}
if(data153.type !== undefined){
let data154 = data153.type;
if(typeof data154 === "string"){
if(func3(data154) > 316){
const err398 = {instancePath:instancePath+"/status/conditions/" + i22+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err398];
}
else {
if (vErrors.length < 1000) vErrors.push(err398);
}
errors++;
}
}
else {
const err399 = {instancePath:instancePath+"/status/conditions/" + i22+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err399];
}
else {
if (vErrors.length < 1000) vErrors.push(err399);
}
errors++;
}
}
if(data153.status !== undefined){
let data155 = data153.status;
if(typeof data155 !== "string"){
const err400 = {instancePath:instancePath+"/status/conditions/" + i22+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err400];
}
else {
if (vErrors.length < 1000) vErrors.push(err400);
}
errors++;
}
if(!(((data155 === "True") || (data155 === "False")) || (data155 === "Unknown"))){
const err401 = {instancePath:instancePath+"/status/conditions/" + i22+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err401];
}
else {
if (vErrors.length < 1000) vErrors.push(err401);
}
errors++;
}
}
if(data153.reason !== undefined){
let data156 = data153.reason;
if(typeof data156 === "string"){
if(func3(data156) > 1024){
const err402 = {instancePath:instancePath+"/status/conditions/" + i22+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err402];
}
else {
if (vErrors.length < 1000) vErrors.push(err402);
}
errors++;
}
}
else {
const err403 = {instancePath:instancePath+"/status/conditions/" + i22+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err403];
}
else {
if (vErrors.length < 1000) vErrors.push(err403);
}
errors++;
}
}
if(data153.message !== undefined){
let data157 = data153.message;
if(typeof data157 === "string"){
if(func3(data157) > 8192){
const err404 = {instancePath:instancePath+"/status/conditions/" + i22+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 8192},message:"must NOT have more than 8192 characters"};
if(vErrors === null){
vErrors = [err404];
}
else {
if (vErrors.length < 1000) vErrors.push(err404);
}
errors++;
}
}
else {
const err405 = {instancePath:instancePath+"/status/conditions/" + i22+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err405];
}
else {
if (vErrors.length < 1000) vErrors.push(err405);
}
errors++;
}
}
if(data153.lastTransitionTime !== undefined){
if(typeof data153.lastTransitionTime !== "string"){
const err406 = {instancePath:instancePath+"/status/conditions/" + i22+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err406];
}
else {
if (vErrors.length < 1000) vErrors.push(err406);
}
errors++;
}
}
if(data153.observedGeneration !== undefined){
let data159 = data153.observedGeneration;
if(!((typeof data159 == "number") && (!(data159 % 1) && !isNaN(data159)))){
const err407 = {instancePath:instancePath+"/status/conditions/" + i22+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err407];
}
else {
if (vErrors.length < 1000) vErrors.push(err407);
}
errors++;
}
}
}
else {
const err408 = {instancePath:instancePath+"/status/conditions/" + i22,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err408];
}
else {
if (vErrors.length < 1000) vErrors.push(err408);
}
errors++;
}
}
}
else {
const err409 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err409];
}
else {
if (vErrors.length < 1000) vErrors.push(err409);
}
errors++;
}
}
if(data136.nodes !== undefined){
let data160 = data136.nodes;
if(data160 && typeof data160 == "object" && !Array.isArray(data160)){
for(const key31 in data160){
if(!((((((((key31 === "matched") || (key31 === "ready")) || (key31 === "updating")) || (key31 === "pending")) || (key31 === "failed")) || (key31 === "outranked")) || (key31 === "conflicted")) || (key31 === "skipped"))){
const err410 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key31},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err410];
}
else {
if (vErrors.length < 1000) vErrors.push(err410);
}
errors++;
}
}
if(data160.matched !== undefined){
let data161 = data160.matched;
if(!((typeof data161 == "number") && (!(data161 % 1) && !isNaN(data161)))){
const err411 = {instancePath:instancePath+"/status/nodes/matched",schemaPath:"#/properties/status/properties/nodes/properties/matched/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err411];
}
else {
if (vErrors.length < 1000) vErrors.push(err411);
}
errors++;
}
}
if(data160.ready !== undefined){
let data162 = data160.ready;
if(!((typeof data162 == "number") && (!(data162 % 1) && !isNaN(data162)))){
const err412 = {instancePath:instancePath+"/status/nodes/ready",schemaPath:"#/properties/status/properties/nodes/properties/ready/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err412];
}
else {
if (vErrors.length < 1000) vErrors.push(err412);
}
errors++;
}
}
if(data160.updating !== undefined){
let data163 = data160.updating;
if(!((typeof data163 == "number") && (!(data163 % 1) && !isNaN(data163)))){
const err413 = {instancePath:instancePath+"/status/nodes/updating",schemaPath:"#/properties/status/properties/nodes/properties/updating/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err413];
}
else {
if (vErrors.length < 1000) vErrors.push(err413);
}
errors++;
}
}
if(data160.pending !== undefined){
let data164 = data160.pending;
if(!((typeof data164 == "number") && (!(data164 % 1) && !isNaN(data164)))){
const err414 = {instancePath:instancePath+"/status/nodes/pending",schemaPath:"#/properties/status/properties/nodes/properties/pending/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err414];
}
else {
if (vErrors.length < 1000) vErrors.push(err414);
}
errors++;
}
}
if(data160.failed !== undefined){
let data165 = data160.failed;
if(!((typeof data165 == "number") && (!(data165 % 1) && !isNaN(data165)))){
const err415 = {instancePath:instancePath+"/status/nodes/failed",schemaPath:"#/properties/status/properties/nodes/properties/failed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err415];
}
else {
if (vErrors.length < 1000) vErrors.push(err415);
}
errors++;
}
}
if(data160.outranked !== undefined){
let data166 = data160.outranked;
if(!((typeof data166 == "number") && (!(data166 % 1) && !isNaN(data166)))){
const err416 = {instancePath:instancePath+"/status/nodes/outranked",schemaPath:"#/properties/status/properties/nodes/properties/outranked/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err416];
}
else {
if (vErrors.length < 1000) vErrors.push(err416);
}
errors++;
}
}
if(data160.conflicted !== undefined){
let data167 = data160.conflicted;
if(!((typeof data167 == "number") && (!(data167 % 1) && !isNaN(data167)))){
const err417 = {instancePath:instancePath+"/status/nodes/conflicted",schemaPath:"#/properties/status/properties/nodes/properties/conflicted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err417];
}
else {
if (vErrors.length < 1000) vErrors.push(err417);
}
errors++;
}
}
if(data160.skipped !== undefined){
let data168 = data160.skipped;
if(!((typeof data168 == "number") && (!(data168 % 1) && !isNaN(data168)))){
const err418 = {instancePath:instancePath+"/status/nodes/skipped",schemaPath:"#/properties/status/properties/nodes/properties/skipped/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err418];
}
else {
if (vErrors.length < 1000) vErrors.push(err418);
}
errors++;
}
}
}
else {
const err419 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err419];
}
else {
if (vErrors.length < 1000) vErrors.push(err419);
}
errors++;
}
}
if(data136.schedule !== undefined){
let data169 = data136.schedule;
if(data169 && typeof data169 == "object" && !Array.isArray(data169)){
if(data169.since === undefined){
const err420 = {instancePath:instancePath+"/status/schedule",schemaPath:"#/properties/status/properties/schedule/required",keyword:"required",params:{missingProperty: "since"},message:"must have required property '"+"since"+"'"};
if(vErrors === null){
vErrors = [err420];
}
else {
if (vErrors.length < 1000) vErrors.push(err420);
}
errors++;
}
for(const key32 in data169){
if(!(((key32 === "name") || (key32 === "since")) || (key32 === "next"))){
const err421 = {instancePath:instancePath+"/status/schedule",schemaPath:"#/properties/status/properties/schedule/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key32},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err421];
}
else {
if (vErrors.length < 1000) vErrors.push(err421);
}
errors++;
}
}
if(data169.name !== undefined){
let data170 = data169.name;
if(typeof data170 === "string"){
if(func3(data170) > 32){
const err422 = {instancePath:instancePath+"/status/schedule/name",schemaPath:"#/properties/status/properties/schedule/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err422];
}
else {
if (vErrors.length < 1000) vErrors.push(err422);
}
errors++;
}
}
else {
const err423 = {instancePath:instancePath+"/status/schedule/name",schemaPath:"#/properties/status/properties/schedule/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err423];
}
else {
if (vErrors.length < 1000) vErrors.push(err423);
}
errors++;
}
}
if(data169.since !== undefined){
if(typeof data169.since !== "string"){
const err424 = {instancePath:instancePath+"/status/schedule/since",schemaPath:"#/properties/status/properties/schedule/properties/since/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err424];
}
else {
if (vErrors.length < 1000) vErrors.push(err424);
}
errors++;
}
}
if(data169.next !== undefined){
let data172 = data169.next;
if(data172 && typeof data172 == "object" && !Array.isArray(data172)){
if(data172.time === undefined){
const err425 = {instancePath:instancePath+"/status/schedule/next",schemaPath:"#/properties/status/properties/schedule/properties/next/required",keyword:"required",params:{missingProperty: "time"},message:"must have required property '"+"time"+"'"};
if(vErrors === null){
vErrors = [err425];
}
else {
if (vErrors.length < 1000) vErrors.push(err425);
}
errors++;
}
for(const key33 in data172){
if(!((key33 === "name") || (key33 === "time"))){
const err426 = {instancePath:instancePath+"/status/schedule/next",schemaPath:"#/properties/status/properties/schedule/properties/next/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key33},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err426];
}
else {
if (vErrors.length < 1000) vErrors.push(err426);
}
errors++;
}
}
if(data172.name !== undefined){
let data173 = data172.name;
if(typeof data173 === "string"){
if(func3(data173) > 32){
const err427 = {instancePath:instancePath+"/status/schedule/next/name",schemaPath:"#/properties/status/properties/schedule/properties/next/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err427];
}
else {
if (vErrors.length < 1000) vErrors.push(err427);
}
errors++;
}
}
else {
const err428 = {instancePath:instancePath+"/status/schedule/next/name",schemaPath:"#/properties/status/properties/schedule/properties/next/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err428];
}
else {
if (vErrors.length < 1000) vErrors.push(err428);
}
errors++;
}
}
if(data172.time !== undefined){
if(typeof data172.time !== "string"){
const err429 = {instancePath:instancePath+"/status/schedule/next/time",schemaPath:"#/properties/status/properties/schedule/properties/next/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err429];
}
else {
if (vErrors.length < 1000) vErrors.push(err429);
}
errors++;
}
}
}
else {
const err430 = {instancePath:instancePath+"/status/schedule/next",schemaPath:"#/properties/status/properties/schedule/properties/next/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err430];
}
else {
if (vErrors.length < 1000) vErrors.push(err430);
}
errors++;
}
}
}
else {
const err431 = {instancePath:instancePath+"/status/schedule",schemaPath:"#/properties/status/properties/schedule/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err431];
}
else {
if (vErrors.length < 1000) vErrors.push(err431);
}
errors++;
}
}
if(data136.demand !== undefined){
let data175 = data136.demand;
if(Array.isArray(data175)){
if(data175.length > 16){
const err432 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err432];
}
else {
if (vErrors.length < 1000) vErrors.push(err432);
}
errors++;
}
const len23 = data175.length;
for(let i23=0; i23<len23; i23++){
let data176 = data175[i23];
if(data176 && typeof data176 == "object" && !Array.isArray(data176)){
if(data176.name === undefined){
const err433 = {instancePath:instancePath+"/status/demand/" + i23,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err433];
}
else {
if (vErrors.length < 1000) vErrors.push(err433);
}
errors++;
}
if(data176.wanted === undefined){
const err434 = {instancePath:instancePath+"/status/demand/" + i23,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "wanted"},message:"must have required property '"+"wanted"+"'"};
if(vErrors === null){
vErrors = [err434];
}
else {
if (vErrors.length < 1000) vErrors.push(err434);
}
errors++;
}
if(data176.offered === undefined){
const err435 = {instancePath:instancePath+"/status/demand/" + i23,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "offered"},message:"must have required property '"+"offered"+"'"};
if(vErrors === null){
vErrors = [err435];
}
else {
if (vErrors.length < 1000) vErrors.push(err435);
}
errors++;
}
if(data176.used === undefined){
const err436 = {instancePath:instancePath+"/status/demand/" + i23,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "used"},message:"must have required property '"+"used"+"'"};
if(vErrors === null){
vErrors = [err436];
}
else {
if (vErrors.length < 1000) vErrors.push(err436);
}
errors++;
}
if(data176.unmet === undefined){
const err437 = {instancePath:instancePath+"/status/demand/" + i23,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "unmet"},message:"must have required property '"+"unmet"+"'"};
if(vErrors === null){
vErrors = [err437];
}
else {
if (vErrors.length < 1000) vErrors.push(err437);
}
errors++;
}
for(const key34 in data176){
if(!(((((((key34 === "name") || (key34 === "wanted")) || (key34 === "offered")) || (key34 === "used")) || (key34 === "waiting")) || (key34 === "unmet")) || (key34 === "why"))){
const err438 = {instancePath:instancePath+"/status/demand/" + i23,schemaPath:"#/properties/status/properties/demand/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key34},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err438];
}
else {
if (vErrors.length < 1000) vErrors.push(err438);
}
errors++;
}
}
if(data176.name !== undefined){
let data177 = data176.name;
if(typeof data177 === "string"){
if(func3(data177) > 32){
const err439 = {instancePath:instancePath+"/status/demand/" + i23+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err439];
}
else {
if (vErrors.length < 1000) vErrors.push(err439);
}
errors++;
}
}
else {
const err440 = {instancePath:instancePath+"/status/demand/" + i23+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err440];
}
else {
if (vErrors.length < 1000) vErrors.push(err440);
}
errors++;
}
}
if(data176.wanted !== undefined){
let data178 = data176.wanted;
if(!((typeof data178 == "number") && (!(data178 % 1) && !isNaN(data178)))){
const err441 = {instancePath:instancePath+"/status/demand/" + i23+"/wanted",schemaPath:"#/properties/status/properties/demand/items/properties/wanted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err441];
}
else {
if (vErrors.length < 1000) vErrors.push(err441);
}
errors++;
}
}
if(data176.offered !== undefined){
let data179 = data176.offered;
if(!((typeof data179 == "number") && (!(data179 % 1) && !isNaN(data179)))){
const err442 = {instancePath:instancePath+"/status/demand/" + i23+"/offered",schemaPath:"#/properties/status/properties/demand/items/properties/offered/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err442];
}
else {
if (vErrors.length < 1000) vErrors.push(err442);
}
errors++;
}
}
if(data176.used !== undefined){
let data180 = data176.used;
if(!((typeof data180 == "number") && (!(data180 % 1) && !isNaN(data180)))){
const err443 = {instancePath:instancePath+"/status/demand/" + i23+"/used",schemaPath:"#/properties/status/properties/demand/items/properties/used/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err443];
}
else {
if (vErrors.length < 1000) vErrors.push(err443);
}
errors++;
}
}
if(data176.waiting !== undefined){
let data181 = data176.waiting;
if(!((typeof data181 == "number") && (!(data181 % 1) && !isNaN(data181)))){
const err444 = {instancePath:instancePath+"/status/demand/" + i23+"/waiting",schemaPath:"#/properties/status/properties/demand/items/properties/waiting/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err444];
}
else {
if (vErrors.length < 1000) vErrors.push(err444);
}
errors++;
}
}
if(data176.unmet !== undefined){
let data182 = data176.unmet;
if(!((typeof data182 == "number") && (!(data182 % 1) && !isNaN(data182)))){
const err445 = {instancePath:instancePath+"/status/demand/" + i23+"/unmet",schemaPath:"#/properties/status/properties/demand/items/properties/unmet/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err445];
}
else {
if (vErrors.length < 1000) vErrors.push(err445);
}
errors++;
}
}
if(data176.why !== undefined){
let data183 = data176.why;
if(typeof data183 === "string"){
if(func3(data183) > 1024){
const err446 = {instancePath:instancePath+"/status/demand/" + i23+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err446];
}
else {
if (vErrors.length < 1000) vErrors.push(err446);
}
errors++;
}
}
else {
const err447 = {instancePath:instancePath+"/status/demand/" + i23+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err447];
}
else {
if (vErrors.length < 1000) vErrors.push(err447);
}
errors++;
}
}
}
else {
const err448 = {instancePath:instancePath+"/status/demand/" + i23,schemaPath:"#/properties/status/properties/demand/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err448];
}
else {
if (vErrors.length < 1000) vErrors.push(err448);
}
errors++;
}
}
}
else {
const err449 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err449];
}
else {
if (vErrors.length < 1000) vErrors.push(err449);
}
errors++;
}
}
if(data136.steady !== undefined){
let data184 = data136.steady;
if(data184 && typeof data184 == "object" && !Array.isArray(data184)){
if(Object.keys(data184).length > 16){
const err450 = {instancePath:instancePath+"/status/steady",schemaPath:"#/properties/status/properties/steady/maxProperties",keyword:"maxProperties",params:{limit: 16},message:"must NOT have more than 16 properties"};
if(vErrors === null){
vErrors = [err450];
}
else {
if (vErrors.length < 1000) vErrors.push(err450);
}
errors++;
}
for(const key35 in data184){
let data185 = data184[key35];
if(!((typeof data185 == "number") && (!(data185 % 1) && !isNaN(data185)))){
const err451 = {instancePath:instancePath+"/status/steady/" + key35.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/steady/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err451];
}
else {
if (vErrors.length < 1000) vErrors.push(err451);
}
errors++;
}
if(typeof data185 == "number"){
if(data185 < 0 || isNaN(data185)){
const err452 = {instancePath:instancePath+"/status/steady/" + key35.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/steady/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err452];
}
else {
if (vErrors.length < 1000) vErrors.push(err452);
}
errors++;
}
}
}
}
else {
const err453 = {instancePath:instancePath+"/status/steady",schemaPath:"#/properties/status/properties/steady/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err453];
}
else {
if (vErrors.length < 1000) vErrors.push(err453);
}
errors++;
}
}
if(data136.defrag !== undefined){
let data186 = data136.defrag;
if(data186 && typeof data186 == "object" && !Array.isArray(data186)){
if(data186.request === undefined){
const err454 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/required",keyword:"required",params:{missingProperty: "request"},message:"must have required property '"+"request"+"'"};
if(vErrors === null){
vErrors = [err454];
}
else {
if (vErrors.length < 1000) vErrors.push(err454);
}
errors++;
}
if(data186.state === undefined){
const err455 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/required",keyword:"required",params:{missingProperty: "state"},message:"must have required property '"+"state"+"'"};
if(vErrors === null){
vErrors = [err455];
}
else {
if (vErrors.length < 1000) vErrors.push(err455);
}
errors++;
}
if(data186.message === undefined){
const err456 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err456];
}
else {
if (vErrors.length < 1000) vErrors.push(err456);
}
errors++;
}
for(const key36 in data186){
if(!(((key36 === "request") || (key36 === "state")) || (key36 === "message"))){
const err457 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key36},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err457];
}
else {
if (vErrors.length < 1000) vErrors.push(err457);
}
errors++;
}
}
if(data186.request !== undefined){
let data187 = data186.request;
if(typeof data187 === "string"){
if(func3(data187) > 1024){
const err458 = {instancePath:instancePath+"/status/defrag/request",schemaPath:"#/properties/status/properties/defrag/properties/request/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err458];
}
else {
if (vErrors.length < 1000) vErrors.push(err458);
}
errors++;
}
}
else {
const err459 = {instancePath:instancePath+"/status/defrag/request",schemaPath:"#/properties/status/properties/defrag/properties/request/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err459];
}
else {
if (vErrors.length < 1000) vErrors.push(err459);
}
errors++;
}
}
if(data186.state !== undefined){
let data188 = data186.state;
if(typeof data188 !== "string"){
const err460 = {instancePath:instancePath+"/status/defrag/state",schemaPath:"#/properties/status/properties/defrag/properties/state/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err460];
}
else {
if (vErrors.length < 1000) vErrors.push(err460);
}
errors++;
}
if(!(((data188 === "Making") || (data188 === "Done")) || (data188 === "Refused"))){
const err461 = {instancePath:instancePath+"/status/defrag/state",schemaPath:"#/properties/status/properties/defrag/properties/state/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.defrag.properties.state.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err461];
}
else {
if (vErrors.length < 1000) vErrors.push(err461);
}
errors++;
}
}
if(data186.message !== undefined){
let data189 = data186.message;
if(typeof data189 === "string"){
if(func3(data189) > 1024){
const err462 = {instancePath:instancePath+"/status/defrag/message",schemaPath:"#/properties/status/properties/defrag/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err462];
}
else {
if (vErrors.length < 1000) vErrors.push(err462);
}
errors++;
}
}
else {
const err463 = {instancePath:instancePath+"/status/defrag/message",schemaPath:"#/properties/status/properties/defrag/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err463];
}
else {
if (vErrors.length < 1000) vErrors.push(err463);
}
errors++;
}
}
}
else {
const err464 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err464];
}
else {
if (vErrors.length < 1000) vErrors.push(err464);
}
errors++;
}
}
if(data136.plan !== undefined){
let data190 = data136.plan;
if(data190 && typeof data190 == "object" && !Array.isArray(data190)){
for(const key37 in data190){
if(!(((((key37 === "gpusChanging") || (key37 === "instancesKept")) || (key37 === "instancesDestroyed")) || (key37 === "instancesCreated")) || (key37 === "podsToEvict"))){
const err465 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key37},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err465];
}
else {
if (vErrors.length < 1000) vErrors.push(err465);
}
errors++;
}
}
if(data190.gpusChanging !== undefined){
let data191 = data190.gpusChanging;
if(!((typeof data191 == "number") && (!(data191 % 1) && !isNaN(data191)))){
const err466 = {instancePath:instancePath+"/status/plan/gpusChanging",schemaPath:"#/properties/status/properties/plan/properties/gpusChanging/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err466];
}
else {
if (vErrors.length < 1000) vErrors.push(err466);
}
errors++;
}
}
if(data190.instancesKept !== undefined){
let data192 = data190.instancesKept;
if(!((typeof data192 == "number") && (!(data192 % 1) && !isNaN(data192)))){
const err467 = {instancePath:instancePath+"/status/plan/instancesKept",schemaPath:"#/properties/status/properties/plan/properties/instancesKept/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err467];
}
else {
if (vErrors.length < 1000) vErrors.push(err467);
}
errors++;
}
}
if(data190.instancesDestroyed !== undefined){
let data193 = data190.instancesDestroyed;
if(!((typeof data193 == "number") && (!(data193 % 1) && !isNaN(data193)))){
const err468 = {instancePath:instancePath+"/status/plan/instancesDestroyed",schemaPath:"#/properties/status/properties/plan/properties/instancesDestroyed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err468];
}
else {
if (vErrors.length < 1000) vErrors.push(err468);
}
errors++;
}
}
if(data190.instancesCreated !== undefined){
let data194 = data190.instancesCreated;
if(!((typeof data194 == "number") && (!(data194 % 1) && !isNaN(data194)))){
const err469 = {instancePath:instancePath+"/status/plan/instancesCreated",schemaPath:"#/properties/status/properties/plan/properties/instancesCreated/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err469];
}
else {
if (vErrors.length < 1000) vErrors.push(err469);
}
errors++;
}
}
if(data190.podsToEvict !== undefined){
let data195 = data190.podsToEvict;
if(!((typeof data195 == "number") && (!(data195 % 1) && !isNaN(data195)))){
const err470 = {instancePath:instancePath+"/status/plan/podsToEvict",schemaPath:"#/properties/status/properties/plan/properties/podsToEvict/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err470];
}
else {
if (vErrors.length < 1000) vErrors.push(err470);
}
errors++;
}
}
}
else {
const err471 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err471];
}
else {
if (vErrors.length < 1000) vErrors.push(err471);
}
errors++;
}
}
if(data136.inFlight !== undefined){
let data196 = data136.inFlight;
if(Array.isArray(data196)){
if(data196.length > 500){
const err472 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/maxItems",keyword:"maxItems",params:{limit: 500},message:"must NOT have more than 500 items"};
if(vErrors === null){
vErrors = [err472];
}
else {
if (vErrors.length < 1000) vErrors.push(err472);
}
errors++;
}
const len24 = data196.length;
for(let i24=0; i24<len24; i24++){
let data197 = data196[i24];
if(data197 && typeof data197 == "object" && !Array.isArray(data197)){
if(data197.node === undefined){
const err473 = {instancePath:instancePath+"/status/inFlight/" + i24,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err473];
}
else {
if (vErrors.length < 1000) vErrors.push(err473);
}
errors++;
}
if(data197.nodeUID === undefined){
const err474 = {instancePath:instancePath+"/status/inFlight/" + i24,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "nodeUID"},message:"must have required property '"+"nodeUID"+"'"};
if(vErrors === null){
vErrors = [err474];
}
else {
if (vErrors.length < 1000) vErrors.push(err474);
}
errors++;
}
for(const key38 in data197){
if(!(((((((key38 === "node") || (key38 === "nodeUID")) || (key38 === "epoch")) || (key38 === "generation")) || (key38 === "startTime")) || (key38 === "deadline")) || (key38 === "kind"))){
const err475 = {instancePath:instancePath+"/status/inFlight/" + i24,schemaPath:"#/properties/status/properties/inFlight/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key38},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err475];
}
else {
if (vErrors.length < 1000) vErrors.push(err475);
}
errors++;
}
}
if(data197.node !== undefined){
let data198 = data197.node;
if(typeof data198 === "string"){
if(func3(data198) > 253){
const err476 = {instancePath:instancePath+"/status/inFlight/" + i24+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err476];
}
else {
if (vErrors.length < 1000) vErrors.push(err476);
}
errors++;
}
}
else {
const err477 = {instancePath:instancePath+"/status/inFlight/" + i24+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err477];
}
else {
if (vErrors.length < 1000) vErrors.push(err477);
}
errors++;
}
}
if(data197.nodeUID !== undefined){
let data199 = data197.nodeUID;
if(typeof data199 === "string"){
if(func3(data199) > 64){
const err478 = {instancePath:instancePath+"/status/inFlight/" + i24+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err478];
}
else {
if (vErrors.length < 1000) vErrors.push(err478);
}
errors++;
}
}
else {
const err479 = {instancePath:instancePath+"/status/inFlight/" + i24+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err479];
}
else {
if (vErrors.length < 1000) vErrors.push(err479);
}
errors++;
}
}
if(data197.epoch !== undefined){
let data200 = data197.epoch;
if(!((typeof data200 == "number") && (!(data200 % 1) && !isNaN(data200)))){
const err480 = {instancePath:instancePath+"/status/inFlight/" + i24+"/epoch",schemaPath:"#/properties/status/properties/inFlight/items/properties/epoch/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err480];
}
else {
if (vErrors.length < 1000) vErrors.push(err480);
}
errors++;
}
}
if(data197.generation !== undefined){
let data201 = data197.generation;
if(!((typeof data201 == "number") && (!(data201 % 1) && !isNaN(data201)))){
const err481 = {instancePath:instancePath+"/status/inFlight/" + i24+"/generation",schemaPath:"#/properties/status/properties/inFlight/items/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err481];
}
else {
if (vErrors.length < 1000) vErrors.push(err481);
}
errors++;
}
}
if(data197.startTime !== undefined){
if(typeof data197.startTime !== "string"){
const err482 = {instancePath:instancePath+"/status/inFlight/" + i24+"/startTime",schemaPath:"#/properties/status/properties/inFlight/items/properties/startTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err482];
}
else {
if (vErrors.length < 1000) vErrors.push(err482);
}
errors++;
}
}
if(data197.deadline !== undefined){
if(typeof data197.deadline !== "string"){
const err483 = {instancePath:instancePath+"/status/inFlight/" + i24+"/deadline",schemaPath:"#/properties/status/properties/inFlight/items/properties/deadline/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err483];
}
else {
if (vErrors.length < 1000) vErrors.push(err483);
}
errors++;
}
}
if(data197.kind !== undefined){
let data204 = data197.kind;
if(typeof data204 !== "string"){
const err484 = {instancePath:instancePath+"/status/inFlight/" + i24+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err484];
}
else {
if (vErrors.length < 1000) vErrors.push(err484);
}
errors++;
}
if(!(((((data204 === "Fresh") || (data204 === "Repair")) || (data204 === "Retry")) || (data204 === "New")) || (data204 === "Found"))){
const err485 = {instancePath:instancePath+"/status/inFlight/" + i24+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.inFlight.items.properties.kind.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err485];
}
else {
if (vErrors.length < 1000) vErrors.push(err485);
}
errors++;
}
}
}
else {
const err486 = {instancePath:instancePath+"/status/inFlight/" + i24,schemaPath:"#/properties/status/properties/inFlight/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err486];
}
else {
if (vErrors.length < 1000) vErrors.push(err486);
}
errors++;
}
}
}
else {
const err487 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err487];
}
else {
if (vErrors.length < 1000) vErrors.push(err487);
}
errors++;
}
}
if(data136.canary !== undefined){
let data205 = data136.canary;
if(data205 && typeof data205 == "object" && !Array.isArray(data205)){
if(data205.generation === undefined){
const err488 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err488];
}
else {
if (vErrors.length < 1000) vErrors.push(err488);
}
errors++;
}
if(data205.nodes === undefined){
const err489 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err489];
}
else {
if (vErrors.length < 1000) vErrors.push(err489);
}
errors++;
}
for(const key39 in data205){
if(!(((((key39 === "generation") || (key39 === "schedule")) || (key39 === "nodes")) || (key39 === "readySince")) || (key39 === "passedTime"))){
const err490 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key39},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err490];
}
else {
if (vErrors.length < 1000) vErrors.push(err490);
}
errors++;
}
}
if(data205.generation !== undefined){
let data206 = data205.generation;
if(!((typeof data206 == "number") && (!(data206 % 1) && !isNaN(data206)))){
const err491 = {instancePath:instancePath+"/status/canary/generation",schemaPath:"#/properties/status/properties/canary/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err491];
}
else {
if (vErrors.length < 1000) vErrors.push(err491);
}
errors++;
}
}
if(data205.schedule !== undefined){
let data207 = data205.schedule;
if(typeof data207 === "string"){
if(func3(data207) > 32){
const err492 = {instancePath:instancePath+"/status/canary/schedule",schemaPath:"#/properties/status/properties/canary/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err492];
}
else {
if (vErrors.length < 1000) vErrors.push(err492);
}
errors++;
}
}
else {
const err493 = {instancePath:instancePath+"/status/canary/schedule",schemaPath:"#/properties/status/properties/canary/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err493];
}
else {
if (vErrors.length < 1000) vErrors.push(err493);
}
errors++;
}
}
if(data205.nodes !== undefined){
let data208 = data205.nodes;
if(Array.isArray(data208)){
if(data208.length > 1000){
const err494 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err494];
}
else {
if (vErrors.length < 1000) vErrors.push(err494);
}
errors++;
}
const len25 = data208.length;
for(let i25=0; i25<len25; i25++){
let data209 = data208[i25];
if(typeof data209 === "string"){
if(func3(data209) > 253){
const err495 = {instancePath:instancePath+"/status/canary/nodes/" + i25,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err495];
}
else {
if (vErrors.length < 1000) vErrors.push(err495);
}
errors++;
}
}
else {
const err496 = {instancePath:instancePath+"/status/canary/nodes/" + i25,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err496];
}
else {
if (vErrors.length < 1000) vErrors.push(err496);
}
errors++;
}
}
}
else {
const err497 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err497];
}
else {
if (vErrors.length < 1000) vErrors.push(err497);
}
errors++;
}
}
if(data205.readySince !== undefined){
if(typeof data205.readySince !== "string"){
const err498 = {instancePath:instancePath+"/status/canary/readySince",schemaPath:"#/properties/status/properties/canary/properties/readySince/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err498];
}
else {
if (vErrors.length < 1000) vErrors.push(err498);
}
errors++;
}
}
if(data205.passedTime !== undefined){
if(typeof data205.passedTime !== "string"){
const err499 = {instancePath:instancePath+"/status/canary/passedTime",schemaPath:"#/properties/status/properties/canary/properties/passedTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err499];
}
else {
if (vErrors.length < 1000) vErrors.push(err499);
}
errors++;
}
}
}
else {
const err500 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err500];
}
else {
if (vErrors.length < 1000) vErrors.push(err500);
}
errors++;
}
}
if(data136.pace !== undefined){
let data212 = data136.pace;
if(data212 && typeof data212 == "object" && !Array.isArray(data212)){
if(data212.generation === undefined){
const err501 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err501];
}
else {
if (vErrors.length < 1000) vErrors.push(err501);
}
errors++;
}
if(data212.nodes === undefined){
const err502 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err502];
}
else {
if (vErrors.length < 1000) vErrors.push(err502);
}
errors++;
}
if(data212.seconds === undefined){
const err503 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "seconds"},message:"must have required property '"+"seconds"+"'"};
if(vErrors === null){
vErrors = [err503];
}
else {
if (vErrors.length < 1000) vErrors.push(err503);
}
errors++;
}
for(const key40 in data212){
if(!(((key40 === "generation") || (key40 === "nodes")) || (key40 === "seconds"))){
const err504 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key40},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err504];
}
else {
if (vErrors.length < 1000) vErrors.push(err504);
}
errors++;
}
}
if(data212.generation !== undefined){
let data213 = data212.generation;
if(!((typeof data213 == "number") && (!(data213 % 1) && !isNaN(data213)))){
const err505 = {instancePath:instancePath+"/status/pace/generation",schemaPath:"#/properties/status/properties/pace/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err505];
}
else {
if (vErrors.length < 1000) vErrors.push(err505);
}
errors++;
}
}
if(data212.nodes !== undefined){
let data214 = data212.nodes;
if(!((typeof data214 == "number") && (!(data214 % 1) && !isNaN(data214)))){
const err506 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err506];
}
else {
if (vErrors.length < 1000) vErrors.push(err506);
}
errors++;
}
if(typeof data214 == "number"){
if(data214 < 1 || isNaN(data214)){
const err507 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err507];
}
else {
if (vErrors.length < 1000) vErrors.push(err507);
}
errors++;
}
}
}
if(data212.seconds !== undefined){
let data215 = data212.seconds;
if(!((typeof data215 == "number") && (!(data215 % 1) && !isNaN(data215)))){
const err508 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err508];
}
else {
if (vErrors.length < 1000) vErrors.push(err508);
}
errors++;
}
if(typeof data215 == "number"){
if(data215 < 0 || isNaN(data215)){
const err509 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err509];
}
else {
if (vErrors.length < 1000) vErrors.push(err509);
}
errors++;
}
}
}
}
else {
const err510 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err510];
}
else {
if (vErrors.length < 1000) vErrors.push(err510);
}
errors++;
}
}
if(data136.limits !== undefined){
let data216 = data136.limits;
if(data216 && typeof data216 == "object" && !Array.isArray(data216)){
if(data216.nodes === undefined){
const err511 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err511];
}
else {
if (vErrors.length < 1000) vErrors.push(err511);
}
errors++;
}
if(data216.maxUnavailable === undefined){
const err512 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxUnavailable"},message:"must have required property '"+"maxUnavailable"+"'"};
if(vErrors === null){
vErrors = [err512];
}
else {
if (vErrors.length < 1000) vErrors.push(err512);
}
errors++;
}
if(data216.maxConcurrentNodes === undefined){
const err513 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxConcurrentNodes"},message:"must have required property '"+"maxConcurrentNodes"+"'"};
if(vErrors === null){
vErrors = [err513];
}
else {
if (vErrors.length < 1000) vErrors.push(err513);
}
errors++;
}
for(const key41 in data216){
if(!(((key41 === "nodes") || (key41 === "maxUnavailable")) || (key41 === "maxConcurrentNodes"))){
const err514 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key41},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err514];
}
else {
if (vErrors.length < 1000) vErrors.push(err514);
}
errors++;
}
}
if(data216.nodes !== undefined){
let data217 = data216.nodes;
if(!((typeof data217 == "number") && (!(data217 % 1) && !isNaN(data217)))){
const err515 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err515];
}
else {
if (vErrors.length < 1000) vErrors.push(err515);
}
errors++;
}
if(typeof data217 == "number"){
if(data217 < 0 || isNaN(data217)){
const err516 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err516];
}
else {
if (vErrors.length < 1000) vErrors.push(err516);
}
errors++;
}
}
}
if(data216.maxUnavailable !== undefined){
let data218 = data216.maxUnavailable;
if(!((typeof data218 == "number") && (!(data218 % 1) && !isNaN(data218)))){
const err517 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err517];
}
else {
if (vErrors.length < 1000) vErrors.push(err517);
}
errors++;
}
if(typeof data218 == "number"){
if(data218 < 0 || isNaN(data218)){
const err518 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err518];
}
else {
if (vErrors.length < 1000) vErrors.push(err518);
}
errors++;
}
}
}
if(data216.maxConcurrentNodes !== undefined){
let data219 = data216.maxConcurrentNodes;
if(!((typeof data219 == "number") && (!(data219 % 1) && !isNaN(data219)))){
const err519 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err519];
}
else {
if (vErrors.length < 1000) vErrors.push(err519);
}
errors++;
}
if(typeof data219 == "number"){
if(data219 < 0 || isNaN(data219)){
const err520 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err520];
}
else {
if (vErrors.length < 1000) vErrors.push(err520);
}
errors++;
}
}
}
}
else {
const err521 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err521];
}
else {
if (vErrors.length < 1000) vErrors.push(err521);
}
errors++;
}
}
if(data136.failures !== undefined){
let data220 = data136.failures;
if(Array.isArray(data220)){
if(data220.length > 50){
const err522 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err522];
}
else {
if (vErrors.length < 1000) vErrors.push(err522);
}
errors++;
}
const len26 = data220.length;
for(let i26=0; i26<len26; i26++){
let data221 = data220[i26];
if(data221 && typeof data221 == "object" && !Array.isArray(data221)){
if(data221.node === undefined){
const err523 = {instancePath:instancePath+"/status/failures/" + i26,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err523];
}
else {
if (vErrors.length < 1000) vErrors.push(err523);
}
errors++;
}
if(data221.reason === undefined){
const err524 = {instancePath:instancePath+"/status/failures/" + i26,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err524];
}
else {
if (vErrors.length < 1000) vErrors.push(err524);
}
errors++;
}
if(data221.message === undefined){
const err525 = {instancePath:instancePath+"/status/failures/" + i26,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err525];
}
else {
if (vErrors.length < 1000) vErrors.push(err525);
}
errors++;
}
for(const key42 in data221){
if(!((((key42 === "node") || (key42 === "reason")) || (key42 === "message")) || (key42 === "time"))){
const err526 = {instancePath:instancePath+"/status/failures/" + i26,schemaPath:"#/properties/status/properties/failures/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key42},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err526];
}
else {
if (vErrors.length < 1000) vErrors.push(err526);
}
errors++;
}
}
if(data221.node !== undefined){
let data222 = data221.node;
if(typeof data222 === "string"){
if(func3(data222) > 253){
const err527 = {instancePath:instancePath+"/status/failures/" + i26+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err527];
}
else {
if (vErrors.length < 1000) vErrors.push(err527);
}
errors++;
}
}
else {
const err528 = {instancePath:instancePath+"/status/failures/" + i26+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err528];
}
else {
if (vErrors.length < 1000) vErrors.push(err528);
}
errors++;
}
}
if(data221.reason !== undefined){
let data223 = data221.reason;
if(typeof data223 === "string"){
if(func3(data223) > 64){
const err529 = {instancePath:instancePath+"/status/failures/" + i26+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err529];
}
else {
if (vErrors.length < 1000) vErrors.push(err529);
}
errors++;
}
}
else {
const err530 = {instancePath:instancePath+"/status/failures/" + i26+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err530];
}
else {
if (vErrors.length < 1000) vErrors.push(err530);
}
errors++;
}
}
if(data221.message !== undefined){
let data224 = data221.message;
if(typeof data224 === "string"){
if(func3(data224) > 1024){
const err531 = {instancePath:instancePath+"/status/failures/" + i26+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err531];
}
else {
if (vErrors.length < 1000) vErrors.push(err531);
}
errors++;
}
}
else {
const err532 = {instancePath:instancePath+"/status/failures/" + i26+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err532];
}
else {
if (vErrors.length < 1000) vErrors.push(err532);
}
errors++;
}
}
if(data221.time !== undefined){
if(typeof data221.time !== "string"){
const err533 = {instancePath:instancePath+"/status/failures/" + i26+"/time",schemaPath:"#/properties/status/properties/failures/items/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err533];
}
else {
if (vErrors.length < 1000) vErrors.push(err533);
}
errors++;
}
}
}
else {
const err534 = {instancePath:instancePath+"/status/failures/" + i26,schemaPath:"#/properties/status/properties/failures/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err534];
}
else {
if (vErrors.length < 1000) vErrors.push(err534);
}
errors++;
}
}
}
else {
const err535 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err535];
}
else {
if (vErrors.length < 1000) vErrors.push(err535);
}
errors++;
}
}
}
else {
const err536 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err536];
}
else {
if (vErrors.length < 1000) vErrors.push(err536);
}
errors++;
}
}
}
else {
const err537 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err537];
}
else {
if (vErrors.length < 1000) vErrors.push(err537);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
