// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"type":"object","description":"GpuPartitionPolicy defines how the NVIDIA GPUs of the selected nodes are partitioned with MIG, and how the nodes advertise the slices.","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"type":"string","const":"gpupartition.dev/v1alpha1"},"kind":{"type":"string","const":"GpuPartitionPolicy"},"metadata":{"type":"object","additionalProperties":true,"required":["name"],"properties":{"name":{"type":"string"},"uid":{"type":"string"},"generation":{"type":"integer"},"resourceVersion":{"type":"string"},"creationTimestamp":{"type":"string"},"deletionTimestamp":{"type":"string"},"labels":{"type":"object","additionalProperties":{"type":"string"}},"annotations":{"type":"object","additionalProperties":{"type":"string"}},"finalizers":{"type":"array","items":{"type":"string"}}}},"spec":{"type":"object","description":"What the GPUs of the selected nodes become, and how a change reaches them.","required":["nodeSelector","strategy"],"properties":{"nodeSelector":{"type":"object","description":"Nodes that this policy partitions, for example matchLabels: {pool: inference}. It must not be empty, or use labels that a layout changes (nvidia.com/gpu.product, nvidia.com/mig-*, nvidia.com/gpu.deploy.*, ...): select by pool, and choose GPUs with layouts[].gpus.models.","properties":{"matchLabels":{"type":"object","description":"Labels that a node must carry. Example: {pool: inference}.","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","description":"Requirements on the labels of a node. Example: {key: pool, operator: In, values: [inference, batch]}.","maxItems":16,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","minLength":1,"maxLength":317,"description":"Key of the label."},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"],"description":"How the label is compared with values."},"values":{"type":"array","description":"Values for In and NotIn; none for Exists and DoesNotExist.","maxItems":64,"items":{"type":"string","maxLength":63}}},"additionalProperties":false}}},"additionalProperties":false},"priority":{"type":"integer","default":0,"minimum":-1000000000,"maximum":1000000000,"description":"Which policy wins a node that several policies of mode Enforce select: the higher priority, then the older policy, then the name. The loser is Ready with reason Outranked, or at equal priority Stalled with reason Conflicted."},"mode":{"type":"string","enum":["Enforce","Plan"],"default":"Enforce","description":"Enforce partitions the nodes. Plan reports in status what would change, and changes nothing. It takes no node from another policy; a policy that turns from Enforce to Plan keeps its nodes."},"strategy":{"type":"string","enum":["none","single","mixed"],"description":"How the device plugin advertises the GPUs; must be its own MIG strategy. none: whole GPUs as nvidia.com/gpu, without MIG. single: each slice as nvidia.com/gpu; all slices of a node have one profile. mixed: one resource per profile, for example nvidia.com/mig-1g.5gb."},"demand":{"type":"object","description":"Instead of layouts: the slices that all selected nodes offer together. The controller chooses the layouts with the fewest changes: docs/demand.md.","required":["slices"],"properties":{"slices":{"type":"array","description":"The wanted slices, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them.","minItems":1,"maxItems":16,"items":{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example small. Absent: the first profile, the memory, or whole."},"profiles":{"type":"array","description":"Profiles or globs, any of which serves, for example [1g.5gb, 1g.10gb] or [\"1g.*\"]. A glob without a + matches only plain profiles, without +me and the like. The smallest that serves is made.","minItems":1,"maxItems":16,"items":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[1-9*?][0-9abefglmx.+*?-]*$"}},"memory":{"type":"string","maxLength":12,"pattern":"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$","description":"Instead of profiles: any plain profile with at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi. A 1g.5gb of an A100 has less than 5Gi: gpu-partition recommend --size."},"mig":{"type":"string","enum":["Disabled"],"description":"Instead of profiles: whole GPUs (MIG mode off), which pods request as nvidia.com/gpu."},"count":{"type":"integer","minimum":0,"maximum":100000,"description":"Slices over all selected nodes, those in use included."},"min":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Minimum, whatever pods ask for. Absent: 0."},"max":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Maximum, whatever pods ask for. Absent: no limit."},"spare":{"description":"With from: Pods or Kueue. Slices kept free beyond those in use and waited for: a number, or a percentage of these, rounded up. Example: 2.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":100000,"pattern":"^(100|[1-9]?[0-9])%$"},"weight":{"type":"integer","minimum":1,"maximum":1000000,"description":"Decides what goes short if not everything fits: the cost of each slice that cannot be offered; spare ones go short first. Absent: the memory slices of its smallest profile."}},"additionalProperties":false}},"from":{"type":"string","enum":["Declared","Pods","Kueue"],"description":"Declared (or absent): each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests for nvidia.com/mig-PROFILE, or nvidia.com/gpu for whole GPUs. Kueue: Pods, and jobs that Kueue has not admitted."},"namespaceSelector":{"type":"object","description":"With from: Pods or Kueue. Only pods in these namespaces count. Example: matchLabels: {team: vision}. Absent, or empty: those in all namespaces.","properties":{"matchLabels":{"type":"object","description":"Labels that a namespace must carry. Example: {kubernetes.io/metadata.name: vision}.","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","description":"Requirements on the labels of a namespace. Example: {key: team, operator: In, values: [vision, speech]}.","maxItems":16,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","minLength":1,"maxLength":317,"description":"Key of the label."},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"],"description":"How the label is compared with values."},"values":{"type":"array","description":"Values for In and NotIn; none for Exists and DoesNotExist.","maxItems":64,"items":{"type":"string","maxLength":63}}},"additionalProperties":false}}},"additionalProperties":false},"evict":{"type":"string","enum":["Never","IfNeeded"],"description":"Never (or absent): only idle slices are given up; no pod is evicted, whatever spec.drain says. IfNeeded: pods also go, within spec.drain, for waiting pods of higher priority, and pods of priority 0 or less for a count."},"rest":{"type":"string","enum":["Keep","Whole","Balanced"],"description":"Idle GPUs that the demand does not need. Keep (or absent): they stay. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it."},"stabilization":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"With from: Pods or Kueue. How long pods must ask for less before the demand falls, for example 1h. It rises after 1m, or after this long if that is shorter. Absent: 10m."},"cooldown":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long a GPU is left alone after its layout has changed, unless only it can offer a wanted slice: then it changes once more at most. For example 1h. Absent: 30m."}},"additionalProperties":false},"backend":{"type":"string","enum":["DevicePlugin","DRA","Auto"],"default":"DevicePlugin","description":"What offers the slices. DevicePlugin: NVIDIA's device plugin, as resources such as nvidia.com/mig-1g.5gb. DRA: NVIDIA's DRA driver (gpu.nvidia.com, without its gate DynamicMIG), as devices of ResourceSlices; needs strategy mixed. Auto: found out for each node by what is there; also needs strategy mixed. A node on which both offer GPUs is left alone with reason BackendMismatch."},"dra":{"type":"object","description":"Settings of backend DRA, and of Auto.","properties":{"deviceClasses":{"type":"string","enum":["Managed"],"description":"Managed: the controller keeps the DeviceClasses that gpu-partition export dra prints; it deletes none. Absent: they are yours to apply."}},"additionalProperties":false},"kueue":{"type":"object","description":"The quotas of a ClusterQueue of Kueue follow what the nodes of this policy offer: lowered before a node changes, raised once it is verified. Needs the rights of config/kueue.","required":["clusterQueue"],"properties":{"clusterQueue":{"type":"string","maxLength":63,"pattern":"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$","description":"Name of the ClusterQueue, and of its ResourceFlavor. The controller creates both, and writes all of the queue's resourceGroups; other queues borrow from its cohort. One that somebody else has set is left alone. Example: inference."},"cohort":{"type":"string","maxLength":253,"pattern":"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$","description":"Name of the cohort in which it lends its quotas. Absent: yours to set on the queue. Example: gpus."}},"additionalProperties":false},"layouts":{"type":"array","description":"The first entry that matches a GPU applies; a GPU that matches none is left alone. Set exactly one of layouts and demand.","minItems":1,"maxItems":64,"items":{"type":"object","properties":{"gpus":{"type":"object","description":"Selects the GPUs of this entry: all fields that are set must match. Absent or empty: every GPU. Example: {models: [\"A100-*-40GB\"], indices: [0, 1]}.","properties":{"models":{"type":"array","description":"GPU models as globs, for example \"A100-*-40GB\". Compared, ignoring case, with the model id (a100-40gb) and with the product name of GPU Feature Discovery without NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).","minItems":1,"maxItems":32,"items":{"type":"string","minLength":1,"maxLength":63,"pattern":"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"}},"indices":{"type":"array","description":"GPU indices as nvidia-smi -L prints them, for example [0, 1].","minItems":1,"maxItems":32,"items":{"type":"integer","minimum":0,"maximum":63}},"uuids":{"type":"array","description":"GPU UUIDs, as nvidia-smi -L prints them: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.","minItems":1,"maxItems":64,"items":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}},"pciDeviceIds":{"type":"array","description":"PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.","minItems":1,"maxItems":32,"items":{"type":"string","maxLength":10,"pattern":"^0x[0-9a-fA-F]{4}10[dD][eE]$"}},"count":{"type":"integer","minimum":1,"maximum":64,"description":"Takes exactly this many of a node's matching GPUs, so that the fewest instances are destroyed, and keeps this choice. A node with fewer is refused; on a node with none the entry is skipped."}},"additionalProperties":false},"profiles":{"type":"object","description":"The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.","minProperties":1,"maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"preset":{"type":"string","maxLength":32,"pattern":"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$","description":"A layout made from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off)."},"mig":{"type":"string","enum":["Disabled"],"description":"Disabled: the GPU is whole, with MIG mode off. A GPU without MIG already matches."}},"additionalProperties":false}},"schedules":{"type":"array","description":"Times with their own layouts or demand, for example a night shift. The first that is open applies; outside of all of them, the policy's own. A switch is a rollout: docs/rollout.md.","minItems":1,"maxItems":8,"items":{"type":"object","required":["name","schedule","duration"],"properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example night."},"schedule":{"type":"string","maxLength":64,"pattern":"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$","description":"Start, as a cron expression with five fields, for example 0 22 * * 1-5."},"duration":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long it lasts, for example 8h."},"timeZone":{"type":"string","maxLength":64,"description":"IANA time zone of schedule, for example Europe/Berlin. Absent: UTC."},"layouts":{"type":"array","description":"The first entry that matches a GPU applies; a GPU that matches none is left alone. Set exactly one of layouts and demand.","minItems":1,"maxItems":64,"items":{"type":"object","properties":{"gpus":{"type":"object","description":"Selects the GPUs of this entry: all fields that are set must match. Absent or empty: every GPU. Example: {models: [\"A100-*-40GB\"], indices: [0, 1]}.","properties":{"models":{"type":"array","description":"GPU models as globs, for example \"A100-*-40GB\". Compared, ignoring case, with the model id (a100-40gb) and with the product name of GPU Feature Discovery without NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).","minItems":1,"maxItems":32,"items":{"type":"string","minLength":1,"maxLength":63,"pattern":"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"}},"indices":{"type":"array","description":"GPU indices as nvidia-smi -L prints them, for example [0, 1].","minItems":1,"maxItems":32,"items":{"type":"integer","minimum":0,"maximum":63}},"uuids":{"type":"array","description":"GPU UUIDs, as nvidia-smi -L prints them: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.","minItems":1,"maxItems":64,"items":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}},"pciDeviceIds":{"type":"array","description":"PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.","minItems":1,"maxItems":32,"items":{"type":"string","maxLength":10,"pattern":"^0x[0-9a-fA-F]{4}10[dD][eE]$"}},"count":{"type":"integer","minimum":1,"maximum":64,"description":"Takes exactly this many of a node's matching GPUs, so that the fewest instances are destroyed, and keeps this choice. A node with fewer is refused; on a node with none the entry is skipped."}},"additionalProperties":false},"profiles":{"type":"object","description":"The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.","minProperties":1,"maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"preset":{"type":"string","maxLength":32,"pattern":"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$","description":"A layout made from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off)."},"mig":{"type":"string","enum":["Disabled"],"description":"Disabled: the GPU is whole, with MIG mode off. A GPU without MIG already matches."}},"additionalProperties":false}},"demand":{"type":"object","description":"Instead of layouts: the slices that all selected nodes offer together. The controller chooses the layouts with the fewest changes: docs/demand.md.","required":["slices"],"properties":{"slices":{"type":"array","description":"The wanted slices, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them.","minItems":1,"maxItems":16,"items":{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example small. Absent: the first profile, the memory, or whole."},"profiles":{"type":"array","description":"Profiles or globs, any of which serves, for example [1g.5gb, 1g.10gb] or [\"1g.*\"]. A glob without a + matches only plain profiles, without +me and the like. The smallest that serves is made.","minItems":1,"maxItems":16,"items":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[1-9*?][0-9abefglmx.+*?-]*$"}},"memory":{"type":"string","maxLength":12,"pattern":"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$","description":"Instead of profiles: any plain profile with at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi. A 1g.5gb of an A100 has less than 5Gi: gpu-partition recommend --size."},"mig":{"type":"string","enum":["Disabled"],"description":"Instead of profiles: whole GPUs (MIG mode off), which pods request as nvidia.com/gpu."},"count":{"type":"integer","minimum":0,"maximum":100000,"description":"Slices over all selected nodes, those in use included."},"min":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Minimum, whatever pods ask for. Absent: 0."},"max":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Maximum, whatever pods ask for. Absent: no limit."},"spare":{"description":"With from: Pods or Kueue. Slices kept free beyond those in use and waited for: a number, or a percentage of these, rounded up. Example: 2.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":100000,"pattern":"^(100|[1-9]?[0-9])%$"},"weight":{"type":"integer","minimum":1,"maximum":1000000,"description":"Decides what goes short if not everything fits: the cost of each slice that cannot be offered; spare ones go short first. Absent: the memory slices of its smallest profile."}},"additionalProperties":false}},"from":{"type":"string","enum":["Declared","Pods","Kueue"],"description":"Declared (or absent): each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests for nvidia.com/mig-PROFILE, or nvidia.com/gpu for whole GPUs. Kueue: Pods, and jobs that Kueue has not admitted."},"namespaceSelector":{"type":"object","description":"With from: Pods or Kueue. Only pods in these namespaces count. Example: matchLabels: {team: vision}. Absent, or empty: those in all namespaces.","properties":{"matchLabels":{"type":"object","description":"Labels that a namespace must carry. Example: {kubernetes.io/metadata.name: vision}.","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","description":"Requirements on the labels of a namespace. Example: {key: team, operator: In, values: [vision, speech]}.","maxItems":16,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","minLength":1,"maxLength":317,"description":"Key of the label."},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"],"description":"How the label is compared with values."},"values":{"type":"array","description":"Values for In and NotIn; none for Exists and DoesNotExist.","maxItems":64,"items":{"type":"string","maxLength":63}}},"additionalProperties":false}}},"additionalProperties":false},"evict":{"type":"string","enum":["Never","IfNeeded"],"description":"Never (or absent): only idle slices are given up; no pod is evicted, whatever spec.drain says. IfNeeded: pods also go, within spec.drain, for waiting pods of higher priority, and pods of priority 0 or less for a count."},"rest":{"type":"string","enum":["Keep","Whole","Balanced"],"description":"Idle GPUs that the demand does not need. Keep (or absent): they stay. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it."},"stabilization":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"With from: Pods or Kueue. How long pods must ask for less before the demand falls, for example 1h. It rises after 1m, or after this long if that is shorter. Absent: 10m."},"cooldown":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long a GPU is left alone after its layout has changed, unless only it can offer a wanted slice: then it changes once more at most. For example 1h. Absent: 30m."}},"additionalProperties":false}},"additionalProperties":false}},"sharing":{"type":"object","description":"Time-slicing on top of slices or whole GPUs. Needs the controller option --device-plugin-config-map.","properties":{"mps":{"type":"object","description":"Not supported, always rejected: NVIDIA's device plugin does not support MPS on MIG devices. The field exists so that the rejection can explain this.","additionalProperties":true},"allocation":{"type":"string","enum":["Distributed","Packed"],"description":"Which of several shared slices a pod of the node gets. Distributed: one that the fewest pods share, as by default. Packed: one that the most share, so that others stay idle and can go without evicting pods; needs NVIDIA's device plugin 0.20 or newer. Only with timeSlicing: a slice that is not shared is not chosen by it."},"timeSlicing":{"type":"array","description":"One entry per shared resource. Example: [{resource: nvidia.com/mig-1g.5gb, replicas: 4}].","minItems":1,"maxItems":32,"items":{"type":"object","required":["resource","replicas"],"properties":{"resource":{"type":"string","maxLength":63,"pattern":"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$","description":"Resource that the device plugin advertises: nvidia.com/gpu, or nvidia.com/mig-1g.5gb under strategy mixed."},"replicas":{"type":"integer","minimum":2,"maximum":128,"description":"How many pods share one slice or GPU. They share its memory and its faults."}},"additionalProperties":false}}},"additionalProperties":false},"drain":{"type":"object","default":{},"description":"How pods are evicted from slices that a change destroys.","properties":{"scope":{"type":"string","enum":["Affected","Node","None"],"default":"Affected","description":"Pods to evict. Affected: those on slices that the change destroys. Node: every GPU pod of the node. None: no pod; the node is closed until those on these slices have ended."},"timeout":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","default":"10m","description":"How long a node waits for its pods to terminate, for example 90s, 10m or 1h30m."},"onTimeout":{"type":"string","enum":["Skip","Wait","Force"],"default":"Skip","description":"After timeout. Skip: reopen the node, let another one change, and retry later. Wait: keep waiting. Force: delete the pods with their grace period, past their disruption budgets; needs the verb force on gpupartitionpolicies."},"gracePeriod":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Termination grace period of evicted pods, at least 1s, for example 30s. Absent: each pod's own."}},"additionalProperties":false},"rollout":{"type":"object","default":{},"description":"How a change rolls through the nodes of this policy.","properties":{"maxUnavailable":{"description":"Nodes that may be unavailable at a time, NotReady and Failed ones included: a number, or a percentage of the policy's nodes with GPUs, rounded down but at least 1. 0 holds the rollout. Example: 10%.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"canary":{"type":"object","description":"Nodes that change before all others. If one fails, the rollout halts. Absent: no canary. Example: {nodes: 1, soak: 10m}.","required":["nodes"],"properties":{"nodes":{"type":"integer","minimum":1,"maximum":1000,"description":"How many nodes change first."},"soak":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long all canary nodes must be Ready before other nodes change, for example 10m. Absent: no wait."}},"additionalProperties":false},"failureThreshold":{"description":"Failed nodes that halt the rollout (reason Halted): a number, or a percentage as in maxUnavailable. No new node starts then; failed nodes are retried. Example: 3.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":1,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"windows":{"type":"array","description":"Maintenance windows in which nodes may start to change; a node that has started finishes. Absent: always.","minItems":1,"maxItems":16,"items":{"type":"object","required":["schedule","duration"],"properties":{"schedule":{"type":"string","maxLength":64,"pattern":"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$","description":"Start, as a cron expression with five fields, for example 0 22 * * 1-5."},"duration":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Length of the window, for example 6h."},"timeZone":{"type":"string","maxLength":64,"description":"IANA time zone of schedule, for example Europe/Berlin. Absent: UTC."}},"additionalProperties":false}},"paused":{"type":"boolean","default":false,"description":"True: no further node starts to change. Nodes that have started finish."},"rollback":{"type":"string","enum":["OnFailure","Never"],"default":"OnFailure","description":"OnFailure: a GPU whose change fails gets its previous layout back, placements included. Never: it stays as it is."}},"additionalProperties":false},"allow":{"type":"object","default":{},"description":"What the operator may do beyond creating slices and destroying idle ones.","properties":{"gpuReset":{"type":"boolean","default":true,"description":"Allows the reset of a GPU where a MIG mode change requires it (A100, A30), and with the next change of its layout where its driver asks for it, once all its pods have ended."},"reboot":{"type":"boolean","description":"Allows asking for a reboot where a MIG mode change requires one: the agent creates /run/reboot-required, and kured reboots the node. Needs the verb reboot on gpupartitionpolicies. Absent: false."},"replaceForeignInstances":{"type":"boolean","description":"Allows destroying idle GPU instances that this operator did not create. Absent: false."},"takeOver":{"type":"array","description":"Other owners of the GPUs that the operator may switch off on the selected nodes. Absent: none; such a node is Failed with reason ForeignManager. A pause or a state that mig-manager left on the node is ended, too. Example: [mig-manager].","minItems":1,"maxItems":4,"items":{"type":"string","enum":["mig-manager"]}}},"additionalProperties":false},"onDelete":{"type":"string","enum":["Keep","DisableMig"],"default":"Keep","description":"The GPUs of a deleted policy. Keep: they keep their layouts. DisableMig: they become whole; a finalizer keeps the policy until then."}},"additionalProperties":false},"status":{"type":"object","description":"Observed state. Written by the controller only.","properties":{"observedGeneration":{"type":"integer","description":"Generation of the spec that this status describes."},"acceptedGeneration":{"type":"integer","description":"Newest generation that every selected node that has reported its GPUs could take. Nothing of a newer generation starts."},"inForce":{"type":"object","description":"The generation that decides over nodes: the newest accepted one with mode Enforce, with its spec. It stays in force while a newer generation is not accepted, or only plans.","required":["generation","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false},"history":{"type":"array","description":"The generations that came in force, newest first, each with its spec: `gpu-partition undo` goes back to one of them. At most 256 kB together: the oldest are dropped.","maxItems":20,"items":{"type":"object","required":["generation","time","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"time":{"type":"string","description":"When it was written."},"manager":{"type":"string","maxLength":128,"description":"Field manager that wrote it, as managedFields had it then."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false}},"summary":{"type":"string","maxLength":256,"description":"Summary for the printer column, for example \"31/40 ready, 4 updating\"."},"conditions":{"type":"array","description":"Ready, Reconciling and Stalled (kstatus), Valid, DemandMet for a policy with a demand, and KueueQuota for one with kueue.","maxItems":16,"items":{"type":"object","required":["type","status","reason","message","lastTransitionTime"],"properties":{"type":{"type":"string","maxLength":316,"description":"Type of the condition."},"status":{"type":"string","enum":["True","False","Unknown"],"description":"Whether the condition holds."},"reason":{"type":"string","maxLength":1024,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":8192,"description":"Human-readable explanation."},"lastTransitionTime":{"type":"string","description":"When status last changed."},"observedGeneration":{"type":"integer","description":"Generation of the spec that the condition describes."}},"additionalProperties":false}},"nodes":{"type":"object","description":"Number of selected nodes by state.","properties":{"matched":{"type":"integer","description":"Nodes that nodeSelector matches."},"ready":{"type":"integer","description":"Nodes whose device, labels and advertised resources match the policy."},"updating":{"type":"integer","description":"Nodes that change now."},"pending":{"type":"integer","description":"Nodes that have not started, or that cannot take the policy."},"failed":{"type":"integer","description":"Nodes whose last attempt failed."},"outranked":{"type":"integer","description":"Nodes that a policy of higher priority decides over."},"conflicted":{"type":"integer","description":"Nodes that another policy of the same priority won."},"skipped":{"type":"integer","description":"Nodes to whose GPUs no layout of this policy applies."}},"additionalProperties":false},"schedule":{"type":"object","description":"For a policy with spec.schedules: which of them is in force, and what follows.","required":["since"],"properties":{"name":{"type":"string","maxLength":32,"description":"The schedule in force. Absent: the policy's own layouts or demand."},"since":{"type":"string","description":"When the controller switched to it."},"next":{"type":"object","description":"The next switch. Absent: none is known.","required":["time"],"properties":{"name":{"type":"string","maxLength":32,"description":"The schedule that is then in force. Absent: the policy's own layouts or demand."},"time":{"type":"string","description":"When the controller switches."}},"additionalProperties":false}},"additionalProperties":false},"demand":{"type":"array","description":"The slices of spec.demand: what is wanted, and what exists.","maxItems":16,"items":{"type":"object","required":["name","wanted","offered","used","unmet"],"properties":{"name":{"type":"string","maxLength":32,"description":"Name of the slice."},"wanted":{"type":"integer","description":"Slices wanted."},"offered":{"type":"integer","description":"Of these, slices that exist on the GPUs now."},"used":{"type":"integer","description":"Instances in use that serve it."},"waiting":{"type":"integer","description":"With from: Pods or Kueue. Slices requested by pods that wait and could run on the selected nodes, and by jobs that Kueue holds back."},"unmet":{"type":"integer","description":"Slices that the last plan could not provide; the others exist or are being made."},"why":{"type":"string","maxLength":1024,"description":"Why some are unmet."}},"additionalProperties":false}},"steady":{"type":"object","description":"With from: Pods or Kueue, by name of the slice: how many pods have asked for long enough, so that a new leader continues with it.","maxProperties":16,"additionalProperties":{"type":"integer","minimum":0}},"defrag":{"type":"object","description":"State of the request in the annotation gpupartition.dev/defrag (`gpu-partition defrag --apply`).","required":["request","state","message"],"properties":{"request":{"type":"string","maxLength":1024,"description":"The annotation. Another value is another request."},"state":{"type":"string","enum":["Making","Done","Refused"],"description":"Making: layouts are chosen so that the slices become idle. Done: they were idle together; it is not repeated. Refused: message says why, and nothing is done for it."},"message":{"type":"string","maxLength":1024,"description":"What is done, or why not."}},"additionalProperties":false},"plan":{"type":"object","description":"The remaining work on all selected nodes.","properties":{"gpusChanging":{"type":"integer","description":"GPUs whose layout differs from what the policy asks for."},"instancesKept":{"type":"integer","description":"GPU instances that are kept."},"instancesDestroyed":{"type":"integer","description":"GPU instances to destroy."},"instancesCreated":{"type":"integer","description":"GPU instances to create."},"podsToEvict":{"type":"integer","description":"Pods on instances to destroy."}},"additionalProperties":false},"inFlight":{"type":"array","description":"The ledger: nodes with a slot, from their admission until they are verified or given up.","maxItems":500,"items":{"type":"object","required":["node","nodeUID"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"nodeUID":{"type":"string","maxLength":64,"description":"UID of the node."},"epoch":{"type":"integer","description":"No longer written or read: startTime tells one slot of a node from the next."},"generation":{"type":"integer","description":"Generation of the policy that the node was admitted for."},"startTime":{"type":"string","description":"When the node was admitted."},"deadline":{"type":"string","description":"When its pods must have terminated, if they are evicted at once: spec.drain.timeout counts from the first eviction."},"kind":{"type":"string","enum":["Fresh","Repair","Retry","New","Found"],"description":"Why the node was admitted. Fresh: already tainted, so not counted against maxUnavailable. Repair: something else changed its GPUs. Retry: it failed before. New: a new change. Found: a new leader found it changing."}},"additionalProperties":false}},"canary":{"type":"object","required":["generation","nodes"],"description":"The canary nodes of a generation.","properties":{"generation":{"type":"integer","description":"Generation of the policy that they are the canary of."},"schedule":{"type":"string","maxLength":32,"description":"The schedule that they are the canary of: each switch has its own."},"nodes":{"type":"array","maxItems":1000,"items":{"type":"string","maxLength":253},"description":"Names of the canary nodes."},"readySince":{"type":"string","description":"Since when all of them are Ready. The soak counts from here."},"passedTime":{"type":"string","description":"When all of them had been Ready for the soak. What happens to them later no longer matters to the rollout."}},"additionalProperties":false},"pace":{"type":"object","required":["generation","nodes","seconds"],"description":"How long changes of this generation take: what is left of a rollout is estimated from it. Written with the ledger.","properties":{"generation":{"type":"integer","description":"Generation of the policy."},"nodes":{"type":"integer","minimum":1,"description":"Nodes that were admitted for it and have been verified since."},"seconds":{"type":"integer","minimum":0,"description":"How long that took, from admission until verified, all of them together."}},"additionalProperties":false},"limits":{"type":"object","required":["nodes","maxUnavailable","maxConcurrentNodes"],"description":"What the rollout may do now, in numbers of nodes.","properties":{"nodes":{"type":"integer","minimum":0,"description":"Nodes with GPUs over which the policy decides. Percentages in `spec.rollout` are of these."},"maxUnavailable":{"type":"integer","minimum":0,"description":"How many of them may be unavailable at a time."},"maxConcurrentNodes":{"type":"integer","minimum":0,"description":"How many nodes of all policies may change at a time: the controller's `--max-concurrent-nodes`."}},"additionalProperties":false},"failures":{"type":"array","description":"Nodes whose last attempt failed, and why.","maxItems":50,"items":{"type":"object","required":["node","reason","message"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"reason":{"type":"string","maxLength":64,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":1024,"description":"What failed, on which GPU and instance, and what to do."},"time":{"type":"string","description":"When the attempt failed."}},"additionalProperties":false}}},"additionalProperties":false}},"additionalProperties":false,"title":"GpuPartitionPolicy"};
const func2 = Object.prototype.hasOwnProperty;
import func3Module from "ajv/dist/runtime/ucs2length.js";
const func3 = func3Module.default;
const pattern0 = new RegExp("^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$", "u");
const pattern1 = new RegExp("^[1-9*?][0-9abefglmx.+*?-]*$", "u");
const pattern2 = new RegExp("^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$", "u");
const pattern3 = new RegExp("^(100|[1-9]?[0-9])%$", "u");
const pattern4 = new RegExp("^([0-9]{1,6}(s|m|h))+$", "u");
const pattern6 = new RegExp("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "u");
const pattern7 = new RegExp("^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$", "u");
const pattern8 = new RegExp("^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$", "u");
const pattern9 = new RegExp("^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", "u");
const pattern10 = new RegExp("^0x[0-9a-fA-F]{4}10[dD][eE]$", "u");
const pattern11 = new RegExp("^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$", "u");
const pattern13 = new RegExp("^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$", "u");
const pattern25 = new RegExp("^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$", "u");

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
if(!(((((((key7 === "slices") || (key7 === "from")) || (key7 === "namespaceSelector")) || (key7 === "evict")) || (key7 === "rest")) || (key7 === "stabilization")) || (key7 === "cooldown"))){
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
if(data28.namespaceSelector !== undefined){
let data42 = data28.namespaceSelector;
if(data42 && typeof data42 == "object" && !Array.isArray(data42)){
for(const key9 in data42){
if(!((key9 === "matchLabels") || (key9 === "matchExpressions"))){
const err97 = {instancePath:instancePath+"/spec/demand/namespaceSelector",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key9},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err97];
}
else {
if (vErrors.length < 1000) vErrors.push(err97);
}
errors++;
}
}
if(data42.matchLabels !== undefined){
let data43 = data42.matchLabels;
if(data43 && typeof data43 == "object" && !Array.isArray(data43)){
if(Object.keys(data43).length > 16){
const err98 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchLabels",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchLabels/maxProperties",keyword:"maxProperties",params:{limit: 16},message:"must NOT have more than 16 properties"};
if(vErrors === null){
vErrors = [err98];
}
else {
if (vErrors.length < 1000) vErrors.push(err98);
}
errors++;
}
for(const key10 in data43){
let data44 = data43[key10];
if(typeof data44 === "string"){
if(func3(data44) > 63){
const err99 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchLabels/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchLabels/additionalProperties/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err99];
}
else {
if (vErrors.length < 1000) vErrors.push(err99);
}
errors++;
}
}
else {
const err100 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchLabels/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchLabels/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err100];
}
else {
if (vErrors.length < 1000) vErrors.push(err100);
}
errors++;
}
}
}
else {
const err101 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchLabels",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchLabels/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err101];
}
else {
if (vErrors.length < 1000) vErrors.push(err101);
}
errors++;
}
}
if(data42.matchExpressions !== undefined){
let data45 = data42.matchExpressions;
if(Array.isArray(data45)){
if(data45.length > 16){
const err102 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err102];
}
else {
if (vErrors.length < 1000) vErrors.push(err102);
}
errors++;
}
const len5 = data45.length;
for(let i5=0; i5<len5; i5++){
let data46 = data45[i5];
if(data46 && typeof data46 == "object" && !Array.isArray(data46)){
if(data46.key === undefined){
const err103 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5,schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err103];
}
else {
if (vErrors.length < 1000) vErrors.push(err103);
}
errors++;
}
if(data46.operator === undefined){
const err104 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5,schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err104];
}
else {
if (vErrors.length < 1000) vErrors.push(err104);
}
errors++;
}
for(const key11 in data46){
if(!(((key11 === "key") || (key11 === "operator")) || (key11 === "values"))){
const err105 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5,schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key11},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err105];
}
else {
if (vErrors.length < 1000) vErrors.push(err105);
}
errors++;
}
}
if(data46.key !== undefined){
let data47 = data46.key;
if(typeof data47 === "string"){
if(func3(data47) > 317){
const err106 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5+"/key",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/key/maxLength",keyword:"maxLength",params:{limit: 317},message:"must NOT have more than 317 characters"};
if(vErrors === null){
vErrors = [err106];
}
else {
if (vErrors.length < 1000) vErrors.push(err106);
}
errors++;
}
if(func3(data47) < 1){
const err107 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5+"/key",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err107];
}
else {
if (vErrors.length < 1000) vErrors.push(err107);
}
errors++;
}
}
else {
const err108 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5+"/key",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err108];
}
else {
if (vErrors.length < 1000) vErrors.push(err108);
}
errors++;
}
}
if(data46.operator !== undefined){
let data48 = data46.operator;
if(typeof data48 !== "string"){
const err109 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5+"/operator",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err109];
}
else {
if (vErrors.length < 1000) vErrors.push(err109);
}
errors++;
}
if(!((((data48 === "In") || (data48 === "NotIn")) || (data48 === "Exists")) || (data48 === "DoesNotExist"))){
const err110 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5+"/operator",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.demand.properties.namespaceSelector.properties.matchExpressions.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err110];
}
else {
if (vErrors.length < 1000) vErrors.push(err110);
}
errors++;
}
}
if(data46.values !== undefined){
let data49 = data46.values;
if(Array.isArray(data49)){
if(data49.length > 64){
const err111 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5+"/values",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err111];
}
else {
if (vErrors.length < 1000) vErrors.push(err111);
}
errors++;
}
const len6 = data49.length;
for(let i6=0; i6<len6; i6++){
let data50 = data49[i6];
if(typeof data50 === "string"){
if(func3(data50) > 63){
const err112 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5+"/values/" + i6,schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err112];
}
else {
if (vErrors.length < 1000) vErrors.push(err112);
}
errors++;
}
}
else {
const err113 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5+"/values/" + i6,schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err113];
}
else {
if (vErrors.length < 1000) vErrors.push(err113);
}
errors++;
}
}
}
else {
const err114 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5+"/values",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err114];
}
else {
if (vErrors.length < 1000) vErrors.push(err114);
}
errors++;
}
}
}
else {
const err115 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions/" + i5,schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err115];
}
else {
if (vErrors.length < 1000) vErrors.push(err115);
}
errors++;
}
}
}
else {
const err116 = {instancePath:instancePath+"/spec/demand/namespaceSelector/matchExpressions",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/properties/matchExpressions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err116];
}
else {
if (vErrors.length < 1000) vErrors.push(err116);
}
errors++;
}
}
}
else {
const err117 = {instancePath:instancePath+"/spec/demand/namespaceSelector",schemaPath:"#/properties/spec/properties/demand/properties/namespaceSelector/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err117];
}
else {
if (vErrors.length < 1000) vErrors.push(err117);
}
errors++;
}
}
if(data28.evict !== undefined){
let data51 = data28.evict;
if(typeof data51 !== "string"){
const err118 = {instancePath:instancePath+"/spec/demand/evict",schemaPath:"#/properties/spec/properties/demand/properties/evict/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err118];
}
else {
if (vErrors.length < 1000) vErrors.push(err118);
}
errors++;
}
if(!((data51 === "Never") || (data51 === "IfNeeded"))){
const err119 = {instancePath:instancePath+"/spec/demand/evict",schemaPath:"#/properties/spec/properties/demand/properties/evict/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.demand.properties.evict.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err119];
}
else {
if (vErrors.length < 1000) vErrors.push(err119);
}
errors++;
}
}
if(data28.rest !== undefined){
let data52 = data28.rest;
if(typeof data52 !== "string"){
const err120 = {instancePath:instancePath+"/spec/demand/rest",schemaPath:"#/properties/spec/properties/demand/properties/rest/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err120];
}
else {
if (vErrors.length < 1000) vErrors.push(err120);
}
errors++;
}
if(!(((data52 === "Keep") || (data52 === "Whole")) || (data52 === "Balanced"))){
const err121 = {instancePath:instancePath+"/spec/demand/rest",schemaPath:"#/properties/spec/properties/demand/properties/rest/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.demand.properties.rest.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err121];
}
else {
if (vErrors.length < 1000) vErrors.push(err121);
}
errors++;
}
}
if(data28.stabilization !== undefined){
let data53 = data28.stabilization;
if(typeof data53 === "string"){
if(func3(data53) > 16){
const err122 = {instancePath:instancePath+"/spec/demand/stabilization",schemaPath:"#/properties/spec/properties/demand/properties/stabilization/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err122];
}
else {
if (vErrors.length < 1000) vErrors.push(err122);
}
errors++;
}
if(!pattern4.test(data53)){
const err123 = {instancePath:instancePath+"/spec/demand/stabilization",schemaPath:"#/properties/spec/properties/demand/properties/stabilization/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err123];
}
else {
if (vErrors.length < 1000) vErrors.push(err123);
}
errors++;
}
}
else {
const err124 = {instancePath:instancePath+"/spec/demand/stabilization",schemaPath:"#/properties/spec/properties/demand/properties/stabilization/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err124];
}
else {
if (vErrors.length < 1000) vErrors.push(err124);
}
errors++;
}
}
if(data28.cooldown !== undefined){
let data54 = data28.cooldown;
if(typeof data54 === "string"){
if(func3(data54) > 16){
const err125 = {instancePath:instancePath+"/spec/demand/cooldown",schemaPath:"#/properties/spec/properties/demand/properties/cooldown/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err125];
}
else {
if (vErrors.length < 1000) vErrors.push(err125);
}
errors++;
}
if(!pattern4.test(data54)){
const err126 = {instancePath:instancePath+"/spec/demand/cooldown",schemaPath:"#/properties/spec/properties/demand/properties/cooldown/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err126];
}
else {
if (vErrors.length < 1000) vErrors.push(err126);
}
errors++;
}
}
else {
const err127 = {instancePath:instancePath+"/spec/demand/cooldown",schemaPath:"#/properties/spec/properties/demand/properties/cooldown/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err127];
}
else {
if (vErrors.length < 1000) vErrors.push(err127);
}
errors++;
}
}
}
else {
const err128 = {instancePath:instancePath+"/spec/demand",schemaPath:"#/properties/spec/properties/demand/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err128];
}
else {
if (vErrors.length < 1000) vErrors.push(err128);
}
errors++;
}
}
if(data15.backend !== undefined){
let data55 = data15.backend;
if(typeof data55 !== "string"){
const err129 = {instancePath:instancePath+"/spec/backend",schemaPath:"#/properties/spec/properties/backend/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err129];
}
else {
if (vErrors.length < 1000) vErrors.push(err129);
}
errors++;
}
if(!(((data55 === "DevicePlugin") || (data55 === "DRA")) || (data55 === "Auto"))){
const err130 = {instancePath:instancePath+"/spec/backend",schemaPath:"#/properties/spec/properties/backend/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.backend.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err130];
}
else {
if (vErrors.length < 1000) vErrors.push(err130);
}
errors++;
}
}
if(data15.dra !== undefined){
let data56 = data15.dra;
if(data56 && typeof data56 == "object" && !Array.isArray(data56)){
for(const key12 in data56){
if(!(key12 === "deviceClasses")){
const err131 = {instancePath:instancePath+"/spec/dra",schemaPath:"#/properties/spec/properties/dra/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key12},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err131];
}
else {
if (vErrors.length < 1000) vErrors.push(err131);
}
errors++;
}
}
if(data56.deviceClasses !== undefined){
let data57 = data56.deviceClasses;
if(typeof data57 !== "string"){
const err132 = {instancePath:instancePath+"/spec/dra/deviceClasses",schemaPath:"#/properties/spec/properties/dra/properties/deviceClasses/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err132];
}
else {
if (vErrors.length < 1000) vErrors.push(err132);
}
errors++;
}
if(!(data57 === "Managed")){
const err133 = {instancePath:instancePath+"/spec/dra/deviceClasses",schemaPath:"#/properties/spec/properties/dra/properties/deviceClasses/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.dra.properties.deviceClasses.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err133];
}
else {
if (vErrors.length < 1000) vErrors.push(err133);
}
errors++;
}
}
}
else {
const err134 = {instancePath:instancePath+"/spec/dra",schemaPath:"#/properties/spec/properties/dra/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err134];
}
else {
if (vErrors.length < 1000) vErrors.push(err134);
}
errors++;
}
}
if(data15.kueue !== undefined){
let data58 = data15.kueue;
if(data58 && typeof data58 == "object" && !Array.isArray(data58)){
if(data58.clusterQueue === undefined){
const err135 = {instancePath:instancePath+"/spec/kueue",schemaPath:"#/properties/spec/properties/kueue/required",keyword:"required",params:{missingProperty: "clusterQueue"},message:"must have required property '"+"clusterQueue"+"'"};
if(vErrors === null){
vErrors = [err135];
}
else {
if (vErrors.length < 1000) vErrors.push(err135);
}
errors++;
}
for(const key13 in data58){
if(!((key13 === "clusterQueue") || (key13 === "cohort"))){
const err136 = {instancePath:instancePath+"/spec/kueue",schemaPath:"#/properties/spec/properties/kueue/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err136];
}
else {
if (vErrors.length < 1000) vErrors.push(err136);
}
errors++;
}
}
if(data58.clusterQueue !== undefined){
let data59 = data58.clusterQueue;
if(typeof data59 === "string"){
if(func3(data59) > 63){
const err137 = {instancePath:instancePath+"/spec/kueue/clusterQueue",schemaPath:"#/properties/spec/properties/kueue/properties/clusterQueue/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err137];
}
else {
if (vErrors.length < 1000) vErrors.push(err137);
}
errors++;
}
if(!pattern6.test(data59)){
const err138 = {instancePath:instancePath+"/spec/kueue/clusterQueue",schemaPath:"#/properties/spec/properties/kueue/properties/clusterQueue/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},message:"must match pattern \""+"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err138];
}
else {
if (vErrors.length < 1000) vErrors.push(err138);
}
errors++;
}
}
else {
const err139 = {instancePath:instancePath+"/spec/kueue/clusterQueue",schemaPath:"#/properties/spec/properties/kueue/properties/clusterQueue/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err139];
}
else {
if (vErrors.length < 1000) vErrors.push(err139);
}
errors++;
}
}
if(data58.cohort !== undefined){
let data60 = data58.cohort;
if(typeof data60 === "string"){
if(func3(data60) > 253){
const err140 = {instancePath:instancePath+"/spec/kueue/cohort",schemaPath:"#/properties/spec/properties/kueue/properties/cohort/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err140];
}
else {
if (vErrors.length < 1000) vErrors.push(err140);
}
errors++;
}
if(!pattern7.test(data60)){
const err141 = {instancePath:instancePath+"/spec/kueue/cohort",schemaPath:"#/properties/spec/properties/kueue/properties/cohort/pattern",keyword:"pattern",params:{pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"},message:"must match pattern \""+"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"+"\""};
if(vErrors === null){
vErrors = [err141];
}
else {
if (vErrors.length < 1000) vErrors.push(err141);
}
errors++;
}
}
else {
const err142 = {instancePath:instancePath+"/spec/kueue/cohort",schemaPath:"#/properties/spec/properties/kueue/properties/cohort/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err142];
}
else {
if (vErrors.length < 1000) vErrors.push(err142);
}
errors++;
}
}
}
else {
const err143 = {instancePath:instancePath+"/spec/kueue",schemaPath:"#/properties/spec/properties/kueue/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err143];
}
else {
if (vErrors.length < 1000) vErrors.push(err143);
}
errors++;
}
}
if(data15.layouts !== undefined){
let data61 = data15.layouts;
if(Array.isArray(data61)){
if(data61.length > 64){
const err144 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err144];
}
else {
if (vErrors.length < 1000) vErrors.push(err144);
}
errors++;
}
if(data61.length < 1){
const err145 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err145];
}
else {
if (vErrors.length < 1000) vErrors.push(err145);
}
errors++;
}
const len7 = data61.length;
for(let i7=0; i7<len7; i7++){
let data62 = data61[i7];
if(data62 && typeof data62 == "object" && !Array.isArray(data62)){
for(const key14 in data62){
if(!((((key14 === "gpus") || (key14 === "profiles")) || (key14 === "preset")) || (key14 === "mig"))){
const err146 = {instancePath:instancePath+"/spec/layouts/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key14},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err146];
}
else {
if (vErrors.length < 1000) vErrors.push(err146);
}
errors++;
}
}
if(data62.gpus !== undefined){
let data63 = data62.gpus;
if(data63 && typeof data63 == "object" && !Array.isArray(data63)){
for(const key15 in data63){
if(!(((((key15 === "models") || (key15 === "indices")) || (key15 === "uuids")) || (key15 === "pciDeviceIds")) || (key15 === "count"))){
const err147 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key15},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err147];
}
else {
if (vErrors.length < 1000) vErrors.push(err147);
}
errors++;
}
}
if(data63.models !== undefined){
let data64 = data63.models;
if(Array.isArray(data64)){
if(data64.length > 32){
const err148 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err148];
}
else {
if (vErrors.length < 1000) vErrors.push(err148);
}
errors++;
}
if(data64.length < 1){
const err149 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err149];
}
else {
if (vErrors.length < 1000) vErrors.push(err149);
}
errors++;
}
const len8 = data64.length;
for(let i8=0; i8<len8; i8++){
let data65 = data64[i8];
if(typeof data65 === "string"){
if(func3(data65) > 63){
const err150 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err150];
}
else {
if (vErrors.length < 1000) vErrors.push(err150);
}
errors++;
}
if(func3(data65) < 1){
const err151 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err151];
}
else {
if (vErrors.length < 1000) vErrors.push(err151);
}
errors++;
}
if(!pattern8.test(data65)){
const err152 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"},message:"must match pattern \""+"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"+"\""};
if(vErrors === null){
vErrors = [err152];
}
else {
if (vErrors.length < 1000) vErrors.push(err152);
}
errors++;
}
}
else {
const err153 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err153];
}
else {
if (vErrors.length < 1000) vErrors.push(err153);
}
errors++;
}
}
}
else {
const err154 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err154];
}
else {
if (vErrors.length < 1000) vErrors.push(err154);
}
errors++;
}
}
if(data63.indices !== undefined){
let data66 = data63.indices;
if(Array.isArray(data66)){
if(data66.length > 32){
const err155 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err155];
}
else {
if (vErrors.length < 1000) vErrors.push(err155);
}
errors++;
}
if(data66.length < 1){
const err156 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err156];
}
else {
if (vErrors.length < 1000) vErrors.push(err156);
}
errors++;
}
const len9 = data66.length;
for(let i9=0; i9<len9; i9++){
let data67 = data66[i9];
if(!((typeof data67 == "number") && (!(data67 % 1) && !isNaN(data67)))){
const err157 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err157];
}
else {
if (vErrors.length < 1000) vErrors.push(err157);
}
errors++;
}
if(typeof data67 == "number"){
if(data67 > 63 || isNaN(data67)){
const err158 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 63},message:"must be <= 63"};
if(vErrors === null){
vErrors = [err158];
}
else {
if (vErrors.length < 1000) vErrors.push(err158);
}
errors++;
}
if(data67 < 0 || isNaN(data67)){
const err159 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err159];
}
else {
if (vErrors.length < 1000) vErrors.push(err159);
}
errors++;
}
}
}
}
else {
const err160 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err160];
}
else {
if (vErrors.length < 1000) vErrors.push(err160);
}
errors++;
}
}
if(data63.uuids !== undefined){
let data68 = data63.uuids;
if(Array.isArray(data68)){
if(data68.length > 64){
const err161 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err161];
}
else {
if (vErrors.length < 1000) vErrors.push(err161);
}
errors++;
}
if(data68.length < 1){
const err162 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err162];
}
else {
if (vErrors.length < 1000) vErrors.push(err162);
}
errors++;
}
const len10 = data68.length;
for(let i10=0; i10<len10; i10++){
let data69 = data68[i10];
if(typeof data69 === "string"){
if(func3(data69) > 64){
const err163 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids/" + i10,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err163];
}
else {
if (vErrors.length < 1000) vErrors.push(err163);
}
errors++;
}
if(!pattern9.test(data69)){
const err164 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids/" + i10,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"+"\""};
if(vErrors === null){
vErrors = [err164];
}
else {
if (vErrors.length < 1000) vErrors.push(err164);
}
errors++;
}
}
else {
const err165 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids/" + i10,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err165];
}
else {
if (vErrors.length < 1000) vErrors.push(err165);
}
errors++;
}
}
}
else {
const err166 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err166];
}
else {
if (vErrors.length < 1000) vErrors.push(err166);
}
errors++;
}
}
if(data63.pciDeviceIds !== undefined){
let data70 = data63.pciDeviceIds;
if(Array.isArray(data70)){
if(data70.length > 32){
const err167 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err167];
}
else {
if (vErrors.length < 1000) vErrors.push(err167);
}
errors++;
}
if(data70.length < 1){
const err168 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err168];
}
else {
if (vErrors.length < 1000) vErrors.push(err168);
}
errors++;
}
const len11 = data70.length;
for(let i11=0; i11<len11; i11++){
let data71 = data70[i11];
if(typeof data71 === "string"){
if(func3(data71) > 10){
const err169 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds/" + i11,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err169];
}
else {
if (vErrors.length < 1000) vErrors.push(err169);
}
errors++;
}
if(!pattern10.test(data71)){
const err170 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds/" + i11,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/pattern",keyword:"pattern",params:{pattern: "^0x[0-9a-fA-F]{4}10[dD][eE]$"},message:"must match pattern \""+"^0x[0-9a-fA-F]{4}10[dD][eE]$"+"\""};
if(vErrors === null){
vErrors = [err170];
}
else {
if (vErrors.length < 1000) vErrors.push(err170);
}
errors++;
}
}
else {
const err171 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds/" + i11,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err171];
}
else {
if (vErrors.length < 1000) vErrors.push(err171);
}
errors++;
}
}
}
else {
const err172 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err172];
}
else {
if (vErrors.length < 1000) vErrors.push(err172);
}
errors++;
}
}
if(data63.count !== undefined){
let data72 = data63.count;
if(!((typeof data72 == "number") && (!(data72 % 1) && !isNaN(data72)))){
const err173 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err173];
}
else {
if (vErrors.length < 1000) vErrors.push(err173);
}
errors++;
}
if(typeof data72 == "number"){
if(data72 > 64 || isNaN(data72)){
const err174 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err174];
}
else {
if (vErrors.length < 1000) vErrors.push(err174);
}
errors++;
}
if(data72 < 1 || isNaN(data72)){
const err175 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err175];
}
else {
if (vErrors.length < 1000) vErrors.push(err175);
}
errors++;
}
}
}
}
else {
const err176 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err176];
}
else {
if (vErrors.length < 1000) vErrors.push(err176);
}
errors++;
}
}
if(data62.profiles !== undefined){
let data73 = data62.profiles;
if(data73 && typeof data73 == "object" && !Array.isArray(data73)){
if(Object.keys(data73).length > 32){
const err177 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err177];
}
else {
if (vErrors.length < 1000) vErrors.push(err177);
}
errors++;
}
if(Object.keys(data73).length < 1){
const err178 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"};
if(vErrors === null){
vErrors = [err178];
}
else {
if (vErrors.length < 1000) vErrors.push(err178);
}
errors++;
}
for(const key16 in data73){
let data74 = data73[key16];
if(!((typeof data74 == "number") && (!(data74 % 1) && !isNaN(data74)))){
const err179 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles/" + key16.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err179];
}
else {
if (vErrors.length < 1000) vErrors.push(err179);
}
errors++;
}
if(typeof data74 == "number"){
if(data74 > 16 || isNaN(data74)){
const err180 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles/" + key16.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err180];
}
else {
if (vErrors.length < 1000) vErrors.push(err180);
}
errors++;
}
if(data74 < 1 || isNaN(data74)){
const err181 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles/" + key16.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err181];
}
else {
if (vErrors.length < 1000) vErrors.push(err181);
}
errors++;
}
}
}
}
else {
const err182 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err182];
}
else {
if (vErrors.length < 1000) vErrors.push(err182);
}
errors++;
}
}
if(data62.preset !== undefined){
let data75 = data62.preset;
if(typeof data75 === "string"){
if(func3(data75) > 32){
const err183 = {instancePath:instancePath+"/spec/layouts/" + i7+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err183];
}
else {
if (vErrors.length < 1000) vErrors.push(err183);
}
errors++;
}
if(!pattern11.test(data75)){
const err184 = {instancePath:instancePath+"/spec/layouts/" + i7+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/pattern",keyword:"pattern",params:{pattern: "^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"},message:"must match pattern \""+"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"+"\""};
if(vErrors === null){
vErrors = [err184];
}
else {
if (vErrors.length < 1000) vErrors.push(err184);
}
errors++;
}
}
else {
const err185 = {instancePath:instancePath+"/spec/layouts/" + i7+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err185];
}
else {
if (vErrors.length < 1000) vErrors.push(err185);
}
errors++;
}
}
if(data62.mig !== undefined){
let data76 = data62.mig;
if(typeof data76 !== "string"){
const err186 = {instancePath:instancePath+"/spec/layouts/" + i7+"/mig",schemaPath:"#/properties/spec/properties/layouts/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err186];
}
else {
if (vErrors.length < 1000) vErrors.push(err186);
}
errors++;
}
if(!(data76 === "Disabled")){
const err187 = {instancePath:instancePath+"/spec/layouts/" + i7+"/mig",schemaPath:"#/properties/spec/properties/layouts/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.layouts.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
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
const err188 = {instancePath:instancePath+"/spec/layouts/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err188];
}
else {
if (vErrors.length < 1000) vErrors.push(err188);
}
errors++;
}
}
}
else {
const err189 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err189];
}
else {
if (vErrors.length < 1000) vErrors.push(err189);
}
errors++;
}
}
if(data15.schedules !== undefined){
let data77 = data15.schedules;
if(Array.isArray(data77)){
if(data77.length > 8){
const err190 = {instancePath:instancePath+"/spec/schedules",schemaPath:"#/properties/spec/properties/schedules/maxItems",keyword:"maxItems",params:{limit: 8},message:"must NOT have more than 8 items"};
if(vErrors === null){
vErrors = [err190];
}
else {
if (vErrors.length < 1000) vErrors.push(err190);
}
errors++;
}
if(data77.length < 1){
const err191 = {instancePath:instancePath+"/spec/schedules",schemaPath:"#/properties/spec/properties/schedules/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err191];
}
else {
if (vErrors.length < 1000) vErrors.push(err191);
}
errors++;
}
const len12 = data77.length;
for(let i12=0; i12<len12; i12++){
let data78 = data77[i12];
if(data78 && typeof data78 == "object" && !Array.isArray(data78)){
if(data78.name === undefined){
const err192 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err192];
}
else {
if (vErrors.length < 1000) vErrors.push(err192);
}
errors++;
}
if(data78.schedule === undefined){
const err193 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/required",keyword:"required",params:{missingProperty: "schedule"},message:"must have required property '"+"schedule"+"'"};
if(vErrors === null){
vErrors = [err193];
}
else {
if (vErrors.length < 1000) vErrors.push(err193);
}
errors++;
}
if(data78.duration === undefined){
const err194 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/required",keyword:"required",params:{missingProperty: "duration"},message:"must have required property '"+"duration"+"'"};
if(vErrors === null){
vErrors = [err194];
}
else {
if (vErrors.length < 1000) vErrors.push(err194);
}
errors++;
}
for(const key17 in data78){
if(!((((((key17 === "name") || (key17 === "schedule")) || (key17 === "duration")) || (key17 === "timeZone")) || (key17 === "layouts")) || (key17 === "demand"))){
const err195 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key17},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err195];
}
else {
if (vErrors.length < 1000) vErrors.push(err195);
}
errors++;
}
}
if(data78.name !== undefined){
let data79 = data78.name;
if(typeof data79 === "string"){
if(func3(data79) > 32){
const err196 = {instancePath:instancePath+"/spec/schedules/" + i12+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err196];
}
else {
if (vErrors.length < 1000) vErrors.push(err196);
}
errors++;
}
if(func3(data79) < 1){
const err197 = {instancePath:instancePath+"/spec/schedules/" + i12+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err197];
}
else {
if (vErrors.length < 1000) vErrors.push(err197);
}
errors++;
}
if(!pattern0.test(data79)){
const err198 = {instancePath:instancePath+"/spec/schedules/" + i12+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"},message:"must match pattern \""+"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"+"\""};
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
const err199 = {instancePath:instancePath+"/spec/schedules/" + i12+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err199];
}
else {
if (vErrors.length < 1000) vErrors.push(err199);
}
errors++;
}
}
if(data78.schedule !== undefined){
let data80 = data78.schedule;
if(typeof data80 === "string"){
if(func3(data80) > 64){
const err200 = {instancePath:instancePath+"/spec/schedules/" + i12+"/schedule",schemaPath:"#/properties/spec/properties/schedules/items/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err200];
}
else {
if (vErrors.length < 1000) vErrors.push(err200);
}
errors++;
}
if(!pattern13.test(data80)){
const err201 = {instancePath:instancePath+"/spec/schedules/" + i12+"/schedule",schemaPath:"#/properties/spec/properties/schedules/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"},message:"must match pattern \""+"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"+"\""};
if(vErrors === null){
vErrors = [err201];
}
else {
if (vErrors.length < 1000) vErrors.push(err201);
}
errors++;
}
}
else {
const err202 = {instancePath:instancePath+"/spec/schedules/" + i12+"/schedule",schemaPath:"#/properties/spec/properties/schedules/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err202];
}
else {
if (vErrors.length < 1000) vErrors.push(err202);
}
errors++;
}
}
if(data78.duration !== undefined){
let data81 = data78.duration;
if(typeof data81 === "string"){
if(func3(data81) > 16){
const err203 = {instancePath:instancePath+"/spec/schedules/" + i12+"/duration",schemaPath:"#/properties/spec/properties/schedules/items/properties/duration/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err203];
}
else {
if (vErrors.length < 1000) vErrors.push(err203);
}
errors++;
}
if(!pattern4.test(data81)){
const err204 = {instancePath:instancePath+"/spec/schedules/" + i12+"/duration",schemaPath:"#/properties/spec/properties/schedules/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
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
const err205 = {instancePath:instancePath+"/spec/schedules/" + i12+"/duration",schemaPath:"#/properties/spec/properties/schedules/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err205];
}
else {
if (vErrors.length < 1000) vErrors.push(err205);
}
errors++;
}
}
if(data78.timeZone !== undefined){
let data82 = data78.timeZone;
if(typeof data82 === "string"){
if(func3(data82) > 64){
const err206 = {instancePath:instancePath+"/spec/schedules/" + i12+"/timeZone",schemaPath:"#/properties/spec/properties/schedules/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err206];
}
else {
if (vErrors.length < 1000) vErrors.push(err206);
}
errors++;
}
}
else {
const err207 = {instancePath:instancePath+"/spec/schedules/" + i12+"/timeZone",schemaPath:"#/properties/spec/properties/schedules/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err207];
}
else {
if (vErrors.length < 1000) vErrors.push(err207);
}
errors++;
}
}
if(data78.layouts !== undefined){
let data83 = data78.layouts;
if(Array.isArray(data83)){
if(data83.length > 64){
const err208 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err208];
}
else {
if (vErrors.length < 1000) vErrors.push(err208);
}
errors++;
}
if(data83.length < 1){
const err209 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err209];
}
else {
if (vErrors.length < 1000) vErrors.push(err209);
}
errors++;
}
const len13 = data83.length;
for(let i13=0; i13<len13; i13++){
let data84 = data83[i13];
if(data84 && typeof data84 == "object" && !Array.isArray(data84)){
for(const key18 in data84){
if(!((((key18 === "gpus") || (key18 === "profiles")) || (key18 === "preset")) || (key18 === "mig"))){
const err210 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key18},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err210];
}
else {
if (vErrors.length < 1000) vErrors.push(err210);
}
errors++;
}
}
if(data84.gpus !== undefined){
let data85 = data84.gpus;
if(data85 && typeof data85 == "object" && !Array.isArray(data85)){
for(const key19 in data85){
if(!(((((key19 === "models") || (key19 === "indices")) || (key19 === "uuids")) || (key19 === "pciDeviceIds")) || (key19 === "count"))){
const err211 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key19},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err211];
}
else {
if (vErrors.length < 1000) vErrors.push(err211);
}
errors++;
}
}
if(data85.models !== undefined){
let data86 = data85.models;
if(Array.isArray(data86)){
if(data86.length > 32){
const err212 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err212];
}
else {
if (vErrors.length < 1000) vErrors.push(err212);
}
errors++;
}
if(data86.length < 1){
const err213 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err213];
}
else {
if (vErrors.length < 1000) vErrors.push(err213);
}
errors++;
}
const len14 = data86.length;
for(let i14=0; i14<len14; i14++){
let data87 = data86[i14];
if(typeof data87 === "string"){
if(func3(data87) > 63){
const err214 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err214];
}
else {
if (vErrors.length < 1000) vErrors.push(err214);
}
errors++;
}
if(func3(data87) < 1){
const err215 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err215];
}
else {
if (vErrors.length < 1000) vErrors.push(err215);
}
errors++;
}
if(!pattern8.test(data87)){
const err216 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"},message:"must match pattern \""+"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"+"\""};
if(vErrors === null){
vErrors = [err216];
}
else {
if (vErrors.length < 1000) vErrors.push(err216);
}
errors++;
}
}
else {
const err217 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err217];
}
else {
if (vErrors.length < 1000) vErrors.push(err217);
}
errors++;
}
}
}
else {
const err218 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err218];
}
else {
if (vErrors.length < 1000) vErrors.push(err218);
}
errors++;
}
}
if(data85.indices !== undefined){
let data88 = data85.indices;
if(Array.isArray(data88)){
if(data88.length > 32){
const err219 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err219];
}
else {
if (vErrors.length < 1000) vErrors.push(err219);
}
errors++;
}
if(data88.length < 1){
const err220 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err220];
}
else {
if (vErrors.length < 1000) vErrors.push(err220);
}
errors++;
}
const len15 = data88.length;
for(let i15=0; i15<len15; i15++){
let data89 = data88[i15];
if(!((typeof data89 == "number") && (!(data89 % 1) && !isNaN(data89)))){
const err221 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices/" + i15,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err221];
}
else {
if (vErrors.length < 1000) vErrors.push(err221);
}
errors++;
}
if(typeof data89 == "number"){
if(data89 > 63 || isNaN(data89)){
const err222 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices/" + i15,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 63},message:"must be <= 63"};
if(vErrors === null){
vErrors = [err222];
}
else {
if (vErrors.length < 1000) vErrors.push(err222);
}
errors++;
}
if(data89 < 0 || isNaN(data89)){
const err223 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices/" + i15,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err223];
}
else {
if (vErrors.length < 1000) vErrors.push(err223);
}
errors++;
}
}
}
}
else {
const err224 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err224];
}
else {
if (vErrors.length < 1000) vErrors.push(err224);
}
errors++;
}
}
if(data85.uuids !== undefined){
let data90 = data85.uuids;
if(Array.isArray(data90)){
if(data90.length > 64){
const err225 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err225];
}
else {
if (vErrors.length < 1000) vErrors.push(err225);
}
errors++;
}
if(data90.length < 1){
const err226 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err226];
}
else {
if (vErrors.length < 1000) vErrors.push(err226);
}
errors++;
}
const len16 = data90.length;
for(let i16=0; i16<len16; i16++){
let data91 = data90[i16];
if(typeof data91 === "string"){
if(func3(data91) > 64){
const err227 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids/" + i16,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/items/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err227];
}
else {
if (vErrors.length < 1000) vErrors.push(err227);
}
errors++;
}
if(!pattern9.test(data91)){
const err228 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids/" + i16,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/items/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"+"\""};
if(vErrors === null){
vErrors = [err228];
}
else {
if (vErrors.length < 1000) vErrors.push(err228);
}
errors++;
}
}
else {
const err229 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids/" + i16,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err229];
}
else {
if (vErrors.length < 1000) vErrors.push(err229);
}
errors++;
}
}
}
else {
const err230 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err230];
}
else {
if (vErrors.length < 1000) vErrors.push(err230);
}
errors++;
}
}
if(data85.pciDeviceIds !== undefined){
let data92 = data85.pciDeviceIds;
if(Array.isArray(data92)){
if(data92.length > 32){
const err231 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err231];
}
else {
if (vErrors.length < 1000) vErrors.push(err231);
}
errors++;
}
if(data92.length < 1){
const err232 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err232];
}
else {
if (vErrors.length < 1000) vErrors.push(err232);
}
errors++;
}
const len17 = data92.length;
for(let i17=0; i17<len17; i17++){
let data93 = data92[i17];
if(typeof data93 === "string"){
if(func3(data93) > 10){
const err233 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err233];
}
else {
if (vErrors.length < 1000) vErrors.push(err233);
}
errors++;
}
if(!pattern10.test(data93)){
const err234 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/pattern",keyword:"pattern",params:{pattern: "^0x[0-9a-fA-F]{4}10[dD][eE]$"},message:"must match pattern \""+"^0x[0-9a-fA-F]{4}10[dD][eE]$"+"\""};
if(vErrors === null){
vErrors = [err234];
}
else {
if (vErrors.length < 1000) vErrors.push(err234);
}
errors++;
}
}
else {
const err235 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err235];
}
else {
if (vErrors.length < 1000) vErrors.push(err235);
}
errors++;
}
}
}
else {
const err236 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err236];
}
else {
if (vErrors.length < 1000) vErrors.push(err236);
}
errors++;
}
}
if(data85.count !== undefined){
let data94 = data85.count;
if(!((typeof data94 == "number") && (!(data94 % 1) && !isNaN(data94)))){
const err237 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err237];
}
else {
if (vErrors.length < 1000) vErrors.push(err237);
}
errors++;
}
if(typeof data94 == "number"){
if(data94 > 64 || isNaN(data94)){
const err238 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err238];
}
else {
if (vErrors.length < 1000) vErrors.push(err238);
}
errors++;
}
if(data94 < 1 || isNaN(data94)){
const err239 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err239];
}
else {
if (vErrors.length < 1000) vErrors.push(err239);
}
errors++;
}
}
}
}
else {
const err240 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err240];
}
else {
if (vErrors.length < 1000) vErrors.push(err240);
}
errors++;
}
}
if(data84.profiles !== undefined){
let data95 = data84.profiles;
if(data95 && typeof data95 == "object" && !Array.isArray(data95)){
if(Object.keys(data95).length > 32){
const err241 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err241];
}
else {
if (vErrors.length < 1000) vErrors.push(err241);
}
errors++;
}
if(Object.keys(data95).length < 1){
const err242 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"};
if(vErrors === null){
vErrors = [err242];
}
else {
if (vErrors.length < 1000) vErrors.push(err242);
}
errors++;
}
for(const key20 in data95){
let data96 = data95[key20];
if(!((typeof data96 == "number") && (!(data96 % 1) && !isNaN(data96)))){
const err243 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles/" + key20.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err243];
}
else {
if (vErrors.length < 1000) vErrors.push(err243);
}
errors++;
}
if(typeof data96 == "number"){
if(data96 > 16 || isNaN(data96)){
const err244 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles/" + key20.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err244];
}
else {
if (vErrors.length < 1000) vErrors.push(err244);
}
errors++;
}
if(data96 < 1 || isNaN(data96)){
const err245 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles/" + key20.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err245];
}
else {
if (vErrors.length < 1000) vErrors.push(err245);
}
errors++;
}
}
}
}
else {
const err246 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err246];
}
else {
if (vErrors.length < 1000) vErrors.push(err246);
}
errors++;
}
}
if(data84.preset !== undefined){
let data97 = data84.preset;
if(typeof data97 === "string"){
if(func3(data97) > 32){
const err247 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/preset",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/preset/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err247];
}
else {
if (vErrors.length < 1000) vErrors.push(err247);
}
errors++;
}
if(!pattern11.test(data97)){
const err248 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/preset",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/preset/pattern",keyword:"pattern",params:{pattern: "^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"},message:"must match pattern \""+"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"+"\""};
if(vErrors === null){
vErrors = [err248];
}
else {
if (vErrors.length < 1000) vErrors.push(err248);
}
errors++;
}
}
else {
const err249 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/preset",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/preset/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err249];
}
else {
if (vErrors.length < 1000) vErrors.push(err249);
}
errors++;
}
}
if(data84.mig !== undefined){
let data98 = data84.mig;
if(typeof data98 !== "string"){
const err250 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err250];
}
else {
if (vErrors.length < 1000) vErrors.push(err250);
}
errors++;
}
if(!(data98 === "Disabled")){
const err251 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.layouts.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err251];
}
else {
if (vErrors.length < 1000) vErrors.push(err251);
}
errors++;
}
}
}
else {
const err252 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err252];
}
else {
if (vErrors.length < 1000) vErrors.push(err252);
}
errors++;
}
}
}
else {
const err253 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err253];
}
else {
if (vErrors.length < 1000) vErrors.push(err253);
}
errors++;
}
}
if(data78.demand !== undefined){
let data99 = data78.demand;
if(data99 && typeof data99 == "object" && !Array.isArray(data99)){
if(data99.slices === undefined){
const err254 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/required",keyword:"required",params:{missingProperty: "slices"},message:"must have required property '"+"slices"+"'"};
if(vErrors === null){
vErrors = [err254];
}
else {
if (vErrors.length < 1000) vErrors.push(err254);
}
errors++;
}
for(const key21 in data99){
if(!(((((((key21 === "slices") || (key21 === "from")) || (key21 === "namespaceSelector")) || (key21 === "evict")) || (key21 === "rest")) || (key21 === "stabilization")) || (key21 === "cooldown"))){
const err255 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key21},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err255];
}
else {
if (vErrors.length < 1000) vErrors.push(err255);
}
errors++;
}
}
if(data99.slices !== undefined){
let data100 = data99.slices;
if(Array.isArray(data100)){
if(data100.length > 16){
const err256 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err256];
}
else {
if (vErrors.length < 1000) vErrors.push(err256);
}
errors++;
}
if(data100.length < 1){
const err257 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err257];
}
else {
if (vErrors.length < 1000) vErrors.push(err257);
}
errors++;
}
const len18 = data100.length;
for(let i18=0; i18<len18; i18++){
let data101 = data100[i18];
if(data101 && typeof data101 == "object" && !Array.isArray(data101)){
for(const key22 in data101){
if(!(func2.call(schema11.properties.spec.properties.schedules.items.properties.demand.properties.slices.items.properties, key22))){
const err258 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key22},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err258];
}
else {
if (vErrors.length < 1000) vErrors.push(err258);
}
errors++;
}
}
if(data101.name !== undefined){
let data102 = data101.name;
if(typeof data102 === "string"){
if(func3(data102) > 32){
const err259 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err259];
}
else {
if (vErrors.length < 1000) vErrors.push(err259);
}
errors++;
}
if(func3(data102) < 1){
const err260 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err260];
}
else {
if (vErrors.length < 1000) vErrors.push(err260);
}
errors++;
}
if(!pattern0.test(data102)){
const err261 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"},message:"must match pattern \""+"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err261];
}
else {
if (vErrors.length < 1000) vErrors.push(err261);
}
errors++;
}
}
else {
const err262 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err262];
}
else {
if (vErrors.length < 1000) vErrors.push(err262);
}
errors++;
}
}
if(data101.profiles !== undefined){
let data103 = data101.profiles;
if(Array.isArray(data103)){
if(data103.length > 16){
const err263 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err263];
}
else {
if (vErrors.length < 1000) vErrors.push(err263);
}
errors++;
}
if(data103.length < 1){
const err264 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err264];
}
else {
if (vErrors.length < 1000) vErrors.push(err264);
}
errors++;
}
const len19 = data103.length;
for(let i19=0; i19<len19; i19++){
let data104 = data103[i19];
if(typeof data104 === "string"){
if(func3(data104) > 32){
const err265 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles/" + i19,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err265];
}
else {
if (vErrors.length < 1000) vErrors.push(err265);
}
errors++;
}
if(func3(data104) < 1){
const err266 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles/" + i19,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err266];
}
else {
if (vErrors.length < 1000) vErrors.push(err266);
}
errors++;
}
if(!pattern1.test(data104)){
const err267 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles/" + i19,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/pattern",keyword:"pattern",params:{pattern: "^[1-9*?][0-9abefglmx.+*?-]*$"},message:"must match pattern \""+"^[1-9*?][0-9abefglmx.+*?-]*$"+"\""};
if(vErrors === null){
vErrors = [err267];
}
else {
if (vErrors.length < 1000) vErrors.push(err267);
}
errors++;
}
}
else {
const err268 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles/" + i19,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err268];
}
else {
if (vErrors.length < 1000) vErrors.push(err268);
}
errors++;
}
}
}
else {
const err269 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err269];
}
else {
if (vErrors.length < 1000) vErrors.push(err269);
}
errors++;
}
}
if(data101.memory !== undefined){
let data105 = data101.memory;
if(typeof data105 === "string"){
if(func3(data105) > 12){
const err270 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/memory",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/memory/maxLength",keyword:"maxLength",params:{limit: 12},message:"must NOT have more than 12 characters"};
if(vErrors === null){
vErrors = [err270];
}
else {
if (vErrors.length < 1000) vErrors.push(err270);
}
errors++;
}
if(!pattern2.test(data105)){
const err271 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/memory",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/memory/pattern",keyword:"pattern",params:{pattern: "^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$"},message:"must match pattern \""+"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$"+"\""};
if(vErrors === null){
vErrors = [err271];
}
else {
if (vErrors.length < 1000) vErrors.push(err271);
}
errors++;
}
}
else {
const err272 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/memory",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/memory/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err272];
}
else {
if (vErrors.length < 1000) vErrors.push(err272);
}
errors++;
}
}
if(data101.mig !== undefined){
let data106 = data101.mig;
if(typeof data106 !== "string"){
const err273 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err273];
}
else {
if (vErrors.length < 1000) vErrors.push(err273);
}
errors++;
}
if(!(data106 === "Disabled")){
const err274 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.slices.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err274];
}
else {
if (vErrors.length < 1000) vErrors.push(err274);
}
errors++;
}
}
if(data101.count !== undefined){
let data107 = data101.count;
if(!((typeof data107 == "number") && (!(data107 % 1) && !isNaN(data107)))){
const err275 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err275];
}
else {
if (vErrors.length < 1000) vErrors.push(err275);
}
errors++;
}
if(typeof data107 == "number"){
if(data107 > 100000 || isNaN(data107)){
const err276 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err276];
}
else {
if (vErrors.length < 1000) vErrors.push(err276);
}
errors++;
}
if(data107 < 0 || isNaN(data107)){
const err277 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
if(data101.min !== undefined){
let data108 = data101.min;
if(!((typeof data108 == "number") && (!(data108 % 1) && !isNaN(data108)))){
const err278 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/min",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/min/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err278];
}
else {
if (vErrors.length < 1000) vErrors.push(err278);
}
errors++;
}
if(typeof data108 == "number"){
if(data108 > 100000 || isNaN(data108)){
const err279 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/min",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/min/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err279];
}
else {
if (vErrors.length < 1000) vErrors.push(err279);
}
errors++;
}
if(data108 < 0 || isNaN(data108)){
const err280 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/min",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/min/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err280];
}
else {
if (vErrors.length < 1000) vErrors.push(err280);
}
errors++;
}
}
}
if(data101.max !== undefined){
let data109 = data101.max;
if(!((typeof data109 == "number") && (!(data109 % 1) && !isNaN(data109)))){
const err281 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/max",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/max/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err281];
}
else {
if (vErrors.length < 1000) vErrors.push(err281);
}
errors++;
}
if(typeof data109 == "number"){
if(data109 > 100000 || isNaN(data109)){
const err282 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/max",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/max/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err282];
}
else {
if (vErrors.length < 1000) vErrors.push(err282);
}
errors++;
}
if(data109 < 0 || isNaN(data109)){
const err283 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/max",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/max/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err283];
}
else {
if (vErrors.length < 1000) vErrors.push(err283);
}
errors++;
}
}
}
if(data101.spare !== undefined){
let data110 = data101.spare;
const _errs250 = errors;
let valid65 = false;
const _errs251 = errors;
if(!((typeof data110 == "number") && (!(data110 % 1) && !isNaN(data110)))){
const err284 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err284];
}
else {
if (vErrors.length < 1000) vErrors.push(err284);
}
errors++;
}
var _valid1 = _errs251 === errors;
valid65 = valid65 || _valid1;
if(!valid65){
const _errs253 = errors;
if(typeof data110 !== "string"){
const err285 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err285];
}
else {
if (vErrors.length < 1000) vErrors.push(err285);
}
errors++;
}
var _valid1 = _errs253 === errors;
valid65 = valid65 || _valid1;
}
if(!valid65){
const err286 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err286];
}
else {
if (vErrors.length < 1000) vErrors.push(err286);
}
errors++;
}
else {
errors = _errs250;
if(vErrors !== null){
if(_errs250){
vErrors.length = Math.min(vErrors.length, _errs250);
}
else {
vErrors = null;
}
}
}
if(typeof data110 == "number"){
if(data110 > 100000 || isNaN(data110)){
const err287 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err287];
}
else {
if (vErrors.length < 1000) vErrors.push(err287);
}
errors++;
}
if(data110 < 0 || isNaN(data110)){
const err288 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err288];
}
else {
if (vErrors.length < 1000) vErrors.push(err288);
}
errors++;
}
}
if(typeof data110 === "string"){
if(!pattern3.test(data110)){
const err289 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err289];
}
else {
if (vErrors.length < 1000) vErrors.push(err289);
}
errors++;
}
}
}
if(data101.weight !== undefined){
let data111 = data101.weight;
if(!((typeof data111 == "number") && (!(data111 % 1) && !isNaN(data111)))){
const err290 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/weight",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/weight/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err290];
}
else {
if (vErrors.length < 1000) vErrors.push(err290);
}
errors++;
}
if(typeof data111 == "number"){
if(data111 > 1000000 || isNaN(data111)){
const err291 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/weight",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/weight/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err291];
}
else {
if (vErrors.length < 1000) vErrors.push(err291);
}
errors++;
}
if(data111 < 1 || isNaN(data111)){
const err292 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/weight",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/weight/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
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
const err293 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err294 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err294];
}
else {
if (vErrors.length < 1000) vErrors.push(err294);
}
errors++;
}
}
if(data99.from !== undefined){
let data112 = data99.from;
if(typeof data112 !== "string"){
const err295 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/from",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/from/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err295];
}
else {
if (vErrors.length < 1000) vErrors.push(err295);
}
errors++;
}
if(!(((data112 === "Declared") || (data112 === "Pods")) || (data112 === "Kueue"))){
const err296 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/from",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/from/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.from.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err296];
}
else {
if (vErrors.length < 1000) vErrors.push(err296);
}
errors++;
}
}
if(data99.namespaceSelector !== undefined){
let data113 = data99.namespaceSelector;
if(data113 && typeof data113 == "object" && !Array.isArray(data113)){
for(const key23 in data113){
if(!((key23 === "matchLabels") || (key23 === "matchExpressions"))){
const err297 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key23},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err297];
}
else {
if (vErrors.length < 1000) vErrors.push(err297);
}
errors++;
}
}
if(data113.matchLabels !== undefined){
let data114 = data113.matchLabels;
if(data114 && typeof data114 == "object" && !Array.isArray(data114)){
if(Object.keys(data114).length > 16){
const err298 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchLabels",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchLabels/maxProperties",keyword:"maxProperties",params:{limit: 16},message:"must NOT have more than 16 properties"};
if(vErrors === null){
vErrors = [err298];
}
else {
if (vErrors.length < 1000) vErrors.push(err298);
}
errors++;
}
for(const key24 in data114){
let data115 = data114[key24];
if(typeof data115 === "string"){
if(func3(data115) > 63){
const err299 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchLabels/" + key24.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchLabels/additionalProperties/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err299];
}
else {
if (vErrors.length < 1000) vErrors.push(err299);
}
errors++;
}
}
else {
const err300 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchLabels/" + key24.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchLabels/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err300];
}
else {
if (vErrors.length < 1000) vErrors.push(err300);
}
errors++;
}
}
}
else {
const err301 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchLabels",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchLabels/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err301];
}
else {
if (vErrors.length < 1000) vErrors.push(err301);
}
errors++;
}
}
if(data113.matchExpressions !== undefined){
let data116 = data113.matchExpressions;
if(Array.isArray(data116)){
if(data116.length > 16){
const err302 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err302];
}
else {
if (vErrors.length < 1000) vErrors.push(err302);
}
errors++;
}
const len20 = data116.length;
for(let i20=0; i20<len20; i20++){
let data117 = data116[i20];
if(data117 && typeof data117 == "object" && !Array.isArray(data117)){
if(data117.key === undefined){
const err303 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err303];
}
else {
if (vErrors.length < 1000) vErrors.push(err303);
}
errors++;
}
if(data117.operator === undefined){
const err304 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err304];
}
else {
if (vErrors.length < 1000) vErrors.push(err304);
}
errors++;
}
for(const key25 in data117){
if(!(((key25 === "key") || (key25 === "operator")) || (key25 === "values"))){
const err305 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key25},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err305];
}
else {
if (vErrors.length < 1000) vErrors.push(err305);
}
errors++;
}
}
if(data117.key !== undefined){
let data118 = data117.key;
if(typeof data118 === "string"){
if(func3(data118) > 317){
const err306 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/key",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/key/maxLength",keyword:"maxLength",params:{limit: 317},message:"must NOT have more than 317 characters"};
if(vErrors === null){
vErrors = [err306];
}
else {
if (vErrors.length < 1000) vErrors.push(err306);
}
errors++;
}
if(func3(data118) < 1){
const err307 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/key",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err307];
}
else {
if (vErrors.length < 1000) vErrors.push(err307);
}
errors++;
}
}
else {
const err308 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/key",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err308];
}
else {
if (vErrors.length < 1000) vErrors.push(err308);
}
errors++;
}
}
if(data117.operator !== undefined){
let data119 = data117.operator;
if(typeof data119 !== "string"){
const err309 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/operator",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err309];
}
else {
if (vErrors.length < 1000) vErrors.push(err309);
}
errors++;
}
if(!((((data119 === "In") || (data119 === "NotIn")) || (data119 === "Exists")) || (data119 === "DoesNotExist"))){
const err310 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/operator",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.namespaceSelector.properties.matchExpressions.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err310];
}
else {
if (vErrors.length < 1000) vErrors.push(err310);
}
errors++;
}
}
if(data117.values !== undefined){
let data120 = data117.values;
if(Array.isArray(data120)){
if(data120.length > 64){
const err311 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/values",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err311];
}
else {
if (vErrors.length < 1000) vErrors.push(err311);
}
errors++;
}
const len21 = data120.length;
for(let i21=0; i21<len21; i21++){
let data121 = data120[i21];
if(typeof data121 === "string"){
if(func3(data121) > 63){
const err312 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/values/" + i21,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err312];
}
else {
if (vErrors.length < 1000) vErrors.push(err312);
}
errors++;
}
}
else {
const err313 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/values/" + i21,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err313];
}
else {
if (vErrors.length < 1000) vErrors.push(err313);
}
errors++;
}
}
}
else {
const err314 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/values",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
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
else {
const err315 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err315];
}
else {
if (vErrors.length < 1000) vErrors.push(err315);
}
errors++;
}
}
}
else {
const err316 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err316];
}
else {
if (vErrors.length < 1000) vErrors.push(err316);
}
errors++;
}
}
}
else {
const err317 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err317];
}
else {
if (vErrors.length < 1000) vErrors.push(err317);
}
errors++;
}
}
if(data99.evict !== undefined){
let data122 = data99.evict;
if(typeof data122 !== "string"){
const err318 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/evict",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/evict/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err318];
}
else {
if (vErrors.length < 1000) vErrors.push(err318);
}
errors++;
}
if(!((data122 === "Never") || (data122 === "IfNeeded"))){
const err319 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/evict",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/evict/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.evict.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err319];
}
else {
if (vErrors.length < 1000) vErrors.push(err319);
}
errors++;
}
}
if(data99.rest !== undefined){
let data123 = data99.rest;
if(typeof data123 !== "string"){
const err320 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/rest",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/rest/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err320];
}
else {
if (vErrors.length < 1000) vErrors.push(err320);
}
errors++;
}
if(!(((data123 === "Keep") || (data123 === "Whole")) || (data123 === "Balanced"))){
const err321 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/rest",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/rest/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.rest.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err321];
}
else {
if (vErrors.length < 1000) vErrors.push(err321);
}
errors++;
}
}
if(data99.stabilization !== undefined){
let data124 = data99.stabilization;
if(typeof data124 === "string"){
if(func3(data124) > 16){
const err322 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/stabilization",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/stabilization/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err322];
}
else {
if (vErrors.length < 1000) vErrors.push(err322);
}
errors++;
}
if(!pattern4.test(data124)){
const err323 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/stabilization",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/stabilization/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err323];
}
else {
if (vErrors.length < 1000) vErrors.push(err323);
}
errors++;
}
}
else {
const err324 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/stabilization",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/stabilization/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err324];
}
else {
if (vErrors.length < 1000) vErrors.push(err324);
}
errors++;
}
}
if(data99.cooldown !== undefined){
let data125 = data99.cooldown;
if(typeof data125 === "string"){
if(func3(data125) > 16){
const err325 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/cooldown",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/cooldown/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err325];
}
else {
if (vErrors.length < 1000) vErrors.push(err325);
}
errors++;
}
if(!pattern4.test(data125)){
const err326 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/cooldown",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/cooldown/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err326];
}
else {
if (vErrors.length < 1000) vErrors.push(err326);
}
errors++;
}
}
else {
const err327 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/cooldown",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/cooldown/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err327];
}
else {
if (vErrors.length < 1000) vErrors.push(err327);
}
errors++;
}
}
}
else {
const err328 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err328];
}
else {
if (vErrors.length < 1000) vErrors.push(err328);
}
errors++;
}
}
}
else {
const err329 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
else {
const err330 = {instancePath:instancePath+"/spec/schedules",schemaPath:"#/properties/spec/properties/schedules/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err330];
}
else {
if (vErrors.length < 1000) vErrors.push(err330);
}
errors++;
}
}
if(data15.sharing !== undefined){
let data126 = data15.sharing;
if(data126 && typeof data126 == "object" && !Array.isArray(data126)){
for(const key26 in data126){
if(!(((key26 === "mps") || (key26 === "allocation")) || (key26 === "timeSlicing"))){
const err331 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key26},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err331];
}
else {
if (vErrors.length < 1000) vErrors.push(err331);
}
errors++;
}
}
if(data126.mps !== undefined){
let data127 = data126.mps;
if(data127 && typeof data127 == "object" && !Array.isArray(data127)){
}
else {
const err332 = {instancePath:instancePath+"/spec/sharing/mps",schemaPath:"#/properties/spec/properties/sharing/properties/mps/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err332];
}
else {
if (vErrors.length < 1000) vErrors.push(err332);
}
errors++;
}
}
if(data126.allocation !== undefined){
let data128 = data126.allocation;
if(typeof data128 !== "string"){
const err333 = {instancePath:instancePath+"/spec/sharing/allocation",schemaPath:"#/properties/spec/properties/sharing/properties/allocation/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err333];
}
else {
if (vErrors.length < 1000) vErrors.push(err333);
}
errors++;
}
if(!((data128 === "Distributed") || (data128 === "Packed"))){
const err334 = {instancePath:instancePath+"/spec/sharing/allocation",schemaPath:"#/properties/spec/properties/sharing/properties/allocation/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.sharing.properties.allocation.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err334];
}
else {
if (vErrors.length < 1000) vErrors.push(err334);
}
errors++;
}
}
if(data126.timeSlicing !== undefined){
let data129 = data126.timeSlicing;
if(Array.isArray(data129)){
if(data129.length > 32){
const err335 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err335];
}
else {
if (vErrors.length < 1000) vErrors.push(err335);
}
errors++;
}
if(data129.length < 1){
const err336 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err336];
}
else {
if (vErrors.length < 1000) vErrors.push(err336);
}
errors++;
}
const len22 = data129.length;
for(let i22=0; i22<len22; i22++){
let data130 = data129[i22];
if(data130 && typeof data130 == "object" && !Array.isArray(data130)){
if(data130.resource === undefined){
const err337 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "resource"},message:"must have required property '"+"resource"+"'"};
if(vErrors === null){
vErrors = [err337];
}
else {
if (vErrors.length < 1000) vErrors.push(err337);
}
errors++;
}
if(data130.replicas === undefined){
const err338 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "replicas"},message:"must have required property '"+"replicas"+"'"};
if(vErrors === null){
vErrors = [err338];
}
else {
if (vErrors.length < 1000) vErrors.push(err338);
}
errors++;
}
for(const key27 in data130){
if(!((key27 === "resource") || (key27 === "replicas"))){
const err339 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key27},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err339];
}
else {
if (vErrors.length < 1000) vErrors.push(err339);
}
errors++;
}
}
if(data130.resource !== undefined){
let data131 = data130.resource;
if(typeof data131 === "string"){
if(func3(data131) > 63){
const err340 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err340];
}
else {
if (vErrors.length < 1000) vErrors.push(err340);
}
errors++;
}
if(!pattern25.test(data131)){
const err341 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/pattern",keyword:"pattern",params:{pattern: "^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"},message:"must match pattern \""+"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"+"\""};
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
const err342 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err342];
}
else {
if (vErrors.length < 1000) vErrors.push(err342);
}
errors++;
}
}
if(data130.replicas !== undefined){
let data132 = data130.replicas;
if(!((typeof data132 == "number") && (!(data132 % 1) && !isNaN(data132)))){
const err343 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err343];
}
else {
if (vErrors.length < 1000) vErrors.push(err343);
}
errors++;
}
if(typeof data132 == "number"){
if(data132 > 128 || isNaN(data132)){
const err344 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/maximum",keyword:"maximum",params:{comparison: "<=", limit: 128},message:"must be <= 128"};
if(vErrors === null){
vErrors = [err344];
}
else {
if (vErrors.length < 1000) vErrors.push(err344);
}
errors++;
}
if(data132 < 2 || isNaN(data132)){
const err345 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/minimum",keyword:"minimum",params:{comparison: ">=", limit: 2},message:"must be >= 2"};
if(vErrors === null){
vErrors = [err345];
}
else {
if (vErrors.length < 1000) vErrors.push(err345);
}
errors++;
}
}
}
}
else {
const err346 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err346];
}
else {
if (vErrors.length < 1000) vErrors.push(err346);
}
errors++;
}
}
}
else {
const err347 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/type",keyword:"type",params:{type: "array"},message:"must be array"};
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
const err348 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err348];
}
else {
if (vErrors.length < 1000) vErrors.push(err348);
}
errors++;
}
}
if(data15.drain !== undefined){
let data133 = data15.drain;
if(data133 && typeof data133 == "object" && !Array.isArray(data133)){
for(const key28 in data133){
if(!((((key28 === "scope") || (key28 === "timeout")) || (key28 === "onTimeout")) || (key28 === "gracePeriod"))){
const err349 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key28},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err349];
}
else {
if (vErrors.length < 1000) vErrors.push(err349);
}
errors++;
}
}
if(data133.scope !== undefined){
let data134 = data133.scope;
if(typeof data134 !== "string"){
const err350 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err350];
}
else {
if (vErrors.length < 1000) vErrors.push(err350);
}
errors++;
}
if(!(((data134 === "Affected") || (data134 === "Node")) || (data134 === "None"))){
const err351 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.scope.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err351];
}
else {
if (vErrors.length < 1000) vErrors.push(err351);
}
errors++;
}
}
if(data133.timeout !== undefined){
let data135 = data133.timeout;
if(typeof data135 === "string"){
if(func3(data135) > 16){
const err352 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err352];
}
else {
if (vErrors.length < 1000) vErrors.push(err352);
}
errors++;
}
if(!pattern4.test(data135)){
const err353 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err353];
}
else {
if (vErrors.length < 1000) vErrors.push(err353);
}
errors++;
}
}
else {
const err354 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err354];
}
else {
if (vErrors.length < 1000) vErrors.push(err354);
}
errors++;
}
}
if(data133.onTimeout !== undefined){
let data136 = data133.onTimeout;
if(typeof data136 !== "string"){
const err355 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err355];
}
else {
if (vErrors.length < 1000) vErrors.push(err355);
}
errors++;
}
if(!(((data136 === "Skip") || (data136 === "Wait")) || (data136 === "Force"))){
const err356 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.onTimeout.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err356];
}
else {
if (vErrors.length < 1000) vErrors.push(err356);
}
errors++;
}
}
if(data133.gracePeriod !== undefined){
let data137 = data133.gracePeriod;
if(typeof data137 === "string"){
if(func3(data137) > 16){
const err357 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err357];
}
else {
if (vErrors.length < 1000) vErrors.push(err357);
}
errors++;
}
if(!pattern4.test(data137)){
const err358 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err358];
}
else {
if (vErrors.length < 1000) vErrors.push(err358);
}
errors++;
}
}
else {
const err359 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err359];
}
else {
if (vErrors.length < 1000) vErrors.push(err359);
}
errors++;
}
}
}
else {
const err360 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err360];
}
else {
if (vErrors.length < 1000) vErrors.push(err360);
}
errors++;
}
}
if(data15.rollout !== undefined){
let data138 = data15.rollout;
if(data138 && typeof data138 == "object" && !Array.isArray(data138)){
for(const key29 in data138){
if(!((((((key29 === "maxUnavailable") || (key29 === "canary")) || (key29 === "failureThreshold")) || (key29 === "windows")) || (key29 === "paused")) || (key29 === "rollback"))){
const err361 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key29},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err361];
}
else {
if (vErrors.length < 1000) vErrors.push(err361);
}
errors++;
}
}
if(data138.maxUnavailable !== undefined){
let data139 = data138.maxUnavailable;
const _errs320 = errors;
let valid79 = false;
const _errs321 = errors;
if(!((typeof data139 == "number") && (!(data139 % 1) && !isNaN(data139)))){
const err362 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err362];
}
else {
if (vErrors.length < 1000) vErrors.push(err362);
}
errors++;
}
var _valid2 = _errs321 === errors;
valid79 = valid79 || _valid2;
if(!valid79){
const _errs323 = errors;
if(typeof data139 !== "string"){
const err363 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err363];
}
else {
if (vErrors.length < 1000) vErrors.push(err363);
}
errors++;
}
var _valid2 = _errs323 === errors;
valid79 = valid79 || _valid2;
}
if(!valid79){
const err364 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err364];
}
else {
if (vErrors.length < 1000) vErrors.push(err364);
}
errors++;
}
else {
errors = _errs320;
if(vErrors !== null){
if(_errs320){
vErrors.length = Math.min(vErrors.length, _errs320);
}
else {
vErrors = null;
}
}
}
if(typeof data139 == "number"){
if(data139 > 10000 || isNaN(data139)){
const err365 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err365];
}
else {
if (vErrors.length < 1000) vErrors.push(err365);
}
errors++;
}
if(data139 < 0 || isNaN(data139)){
const err366 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err366];
}
else {
if (vErrors.length < 1000) vErrors.push(err366);
}
errors++;
}
}
if(typeof data139 === "string"){
if(!pattern3.test(data139)){
const err367 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err367];
}
else {
if (vErrors.length < 1000) vErrors.push(err367);
}
errors++;
}
}
}
if(data138.canary !== undefined){
let data140 = data138.canary;
if(data140 && typeof data140 == "object" && !Array.isArray(data140)){
if(data140.nodes === undefined){
const err368 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err368];
}
else {
if (vErrors.length < 1000) vErrors.push(err368);
}
errors++;
}
for(const key30 in data140){
if(!((key30 === "nodes") || (key30 === "soak"))){
const err369 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key30},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err369];
}
else {
if (vErrors.length < 1000) vErrors.push(err369);
}
errors++;
}
}
if(data140.nodes !== undefined){
let data141 = data140.nodes;
if(!((typeof data141 == "number") && (!(data141 % 1) && !isNaN(data141)))){
const err370 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err370];
}
else {
if (vErrors.length < 1000) vErrors.push(err370);
}
errors++;
}
if(typeof data141 == "number"){
if(data141 > 1000 || isNaN(data141)){
const err371 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000},message:"must be <= 1000"};
if(vErrors === null){
vErrors = [err371];
}
else {
if (vErrors.length < 1000) vErrors.push(err371);
}
errors++;
}
if(data141 < 1 || isNaN(data141)){
const err372 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err372];
}
else {
if (vErrors.length < 1000) vErrors.push(err372);
}
errors++;
}
}
}
if(data140.soak !== undefined){
let data142 = data140.soak;
if(typeof data142 === "string"){
if(func3(data142) > 16){
const err373 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err373];
}
else {
if (vErrors.length < 1000) vErrors.push(err373);
}
errors++;
}
if(!pattern4.test(data142)){
const err374 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err374];
}
else {
if (vErrors.length < 1000) vErrors.push(err374);
}
errors++;
}
}
else {
const err375 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err376 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err376];
}
else {
if (vErrors.length < 1000) vErrors.push(err376);
}
errors++;
}
}
if(data138.failureThreshold !== undefined){
let data143 = data138.failureThreshold;
const _errs333 = errors;
let valid81 = false;
const _errs334 = errors;
if(!((typeof data143 == "number") && (!(data143 % 1) && !isNaN(data143)))){
const err377 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err377];
}
else {
if (vErrors.length < 1000) vErrors.push(err377);
}
errors++;
}
var _valid3 = _errs334 === errors;
valid81 = valid81 || _valid3;
if(!valid81){
const _errs336 = errors;
if(typeof data143 !== "string"){
const err378 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err378];
}
else {
if (vErrors.length < 1000) vErrors.push(err378);
}
errors++;
}
var _valid3 = _errs336 === errors;
valid81 = valid81 || _valid3;
}
if(!valid81){
const err379 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err379];
}
else {
if (vErrors.length < 1000) vErrors.push(err379);
}
errors++;
}
else {
errors = _errs333;
if(vErrors !== null){
if(_errs333){
vErrors.length = Math.min(vErrors.length, _errs333);
}
else {
vErrors = null;
}
}
}
if(typeof data143 == "number"){
if(data143 > 10000 || isNaN(data143)){
const err380 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err380];
}
else {
if (vErrors.length < 1000) vErrors.push(err380);
}
errors++;
}
if(data143 < 1 || isNaN(data143)){
const err381 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err381];
}
else {
if (vErrors.length < 1000) vErrors.push(err381);
}
errors++;
}
}
if(typeof data143 === "string"){
if(!pattern3.test(data143)){
const err382 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err382];
}
else {
if (vErrors.length < 1000) vErrors.push(err382);
}
errors++;
}
}
}
if(data138.windows !== undefined){
let data144 = data138.windows;
if(Array.isArray(data144)){
if(data144.length > 16){
const err383 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err383];
}
else {
if (vErrors.length < 1000) vErrors.push(err383);
}
errors++;
}
if(data144.length < 1){
const err384 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err384];
}
else {
if (vErrors.length < 1000) vErrors.push(err384);
}
errors++;
}
const len23 = data144.length;
for(let i23=0; i23<len23; i23++){
let data145 = data144[i23];
if(data145 && typeof data145 == "object" && !Array.isArray(data145)){
if(data145.schedule === undefined){
const err385 = {instancePath:instancePath+"/spec/rollout/windows/" + i23,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "schedule"},message:"must have required property '"+"schedule"+"'"};
if(vErrors === null){
vErrors = [err385];
}
else {
if (vErrors.length < 1000) vErrors.push(err385);
}
errors++;
}
if(data145.duration === undefined){
const err386 = {instancePath:instancePath+"/spec/rollout/windows/" + i23,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "duration"},message:"must have required property '"+"duration"+"'"};
if(vErrors === null){
vErrors = [err386];
}
else {
if (vErrors.length < 1000) vErrors.push(err386);
}
errors++;
}
for(const key31 in data145){
if(!(((key31 === "schedule") || (key31 === "duration")) || (key31 === "timeZone"))){
const err387 = {instancePath:instancePath+"/spec/rollout/windows/" + i23,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key31},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err387];
}
else {
if (vErrors.length < 1000) vErrors.push(err387);
}
errors++;
}
}
if(data145.schedule !== undefined){
let data146 = data145.schedule;
if(typeof data146 === "string"){
if(func3(data146) > 64){
const err388 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err388];
}
else {
if (vErrors.length < 1000) vErrors.push(err388);
}
errors++;
}
if(!pattern13.test(data146)){
const err389 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"},message:"must match pattern \""+"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"+"\""};
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
const err390 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err390];
}
else {
if (vErrors.length < 1000) vErrors.push(err390);
}
errors++;
}
}
if(data145.duration !== undefined){
let data147 = data145.duration;
if(typeof data147 === "string"){
if(func3(data147) > 16){
const err391 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err391];
}
else {
if (vErrors.length < 1000) vErrors.push(err391);
}
errors++;
}
if(!pattern4.test(data147)){
const err392 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err392];
}
else {
if (vErrors.length < 1000) vErrors.push(err392);
}
errors++;
}
}
else {
const err393 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err393];
}
else {
if (vErrors.length < 1000) vErrors.push(err393);
}
errors++;
}
}
if(data145.timeZone !== undefined){
let data148 = data145.timeZone;
if(typeof data148 === "string"){
if(func3(data148) > 64){
const err394 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err394];
}
else {
if (vErrors.length < 1000) vErrors.push(err394);
}
errors++;
}
}
else {
const err395 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err395];
}
else {
if (vErrors.length < 1000) vErrors.push(err395);
}
errors++;
}
}
}
else {
const err396 = {instancePath:instancePath+"/spec/rollout/windows/" + i23,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err396];
}
else {
if (vErrors.length < 1000) vErrors.push(err396);
}
errors++;
}
}
}
else {
const err397 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err397];
}
else {
if (vErrors.length < 1000) vErrors.push(err397);
}
errors++;
}
}
if(data138.paused !== undefined){
if(typeof data138.paused !== "boolean"){
const err398 = {instancePath:instancePath+"/spec/rollout/paused",schemaPath:"#/properties/spec/properties/rollout/properties/paused/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err398];
}
else {
if (vErrors.length < 1000) vErrors.push(err398);
}
errors++;
}
}
if(data138.rollback !== undefined){
let data150 = data138.rollback;
if(typeof data150 !== "string"){
const err399 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err399];
}
else {
if (vErrors.length < 1000) vErrors.push(err399);
}
errors++;
}
if(!((data150 === "OnFailure") || (data150 === "Never"))){
const err400 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.rollout.properties.rollback.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err400];
}
else {
if (vErrors.length < 1000) vErrors.push(err400);
}
errors++;
}
}
}
else {
const err401 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err401];
}
else {
if (vErrors.length < 1000) vErrors.push(err401);
}
errors++;
}
}
if(data15.allow !== undefined){
let data151 = data15.allow;
if(data151 && typeof data151 == "object" && !Array.isArray(data151)){
for(const key32 in data151){
if(!((((key32 === "gpuReset") || (key32 === "reboot")) || (key32 === "replaceForeignInstances")) || (key32 === "takeOver"))){
const err402 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key32},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err402];
}
else {
if (vErrors.length < 1000) vErrors.push(err402);
}
errors++;
}
}
if(data151.gpuReset !== undefined){
if(typeof data151.gpuReset !== "boolean"){
const err403 = {instancePath:instancePath+"/spec/allow/gpuReset",schemaPath:"#/properties/spec/properties/allow/properties/gpuReset/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err403];
}
else {
if (vErrors.length < 1000) vErrors.push(err403);
}
errors++;
}
}
if(data151.reboot !== undefined){
if(typeof data151.reboot !== "boolean"){
const err404 = {instancePath:instancePath+"/spec/allow/reboot",schemaPath:"#/properties/spec/properties/allow/properties/reboot/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err404];
}
else {
if (vErrors.length < 1000) vErrors.push(err404);
}
errors++;
}
}
if(data151.replaceForeignInstances !== undefined){
if(typeof data151.replaceForeignInstances !== "boolean"){
const err405 = {instancePath:instancePath+"/spec/allow/replaceForeignInstances",schemaPath:"#/properties/spec/properties/allow/properties/replaceForeignInstances/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err405];
}
else {
if (vErrors.length < 1000) vErrors.push(err405);
}
errors++;
}
}
if(data151.takeOver !== undefined){
let data155 = data151.takeOver;
if(Array.isArray(data155)){
if(data155.length > 4){
const err406 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/maxItems",keyword:"maxItems",params:{limit: 4},message:"must NOT have more than 4 items"};
if(vErrors === null){
vErrors = [err406];
}
else {
if (vErrors.length < 1000) vErrors.push(err406);
}
errors++;
}
if(data155.length < 1){
const err407 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err407];
}
else {
if (vErrors.length < 1000) vErrors.push(err407);
}
errors++;
}
const len24 = data155.length;
for(let i24=0; i24<len24; i24++){
let data156 = data155[i24];
if(typeof data156 !== "string"){
const err408 = {instancePath:instancePath+"/spec/allow/takeOver/" + i24,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err408];
}
else {
if (vErrors.length < 1000) vErrors.push(err408);
}
errors++;
}
if(!(data156 === "mig-manager")){
const err409 = {instancePath:instancePath+"/spec/allow/takeOver/" + i24,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.allow.properties.takeOver.items.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err409];
}
else {
if (vErrors.length < 1000) vErrors.push(err409);
}
errors++;
}
}
}
else {
const err410 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err410];
}
else {
if (vErrors.length < 1000) vErrors.push(err410);
}
errors++;
}
}
}
else {
const err411 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err411];
}
else {
if (vErrors.length < 1000) vErrors.push(err411);
}
errors++;
}
}
if(data15.onDelete !== undefined){
let data157 = data15.onDelete;
if(typeof data157 !== "string"){
const err412 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err412];
}
else {
if (vErrors.length < 1000) vErrors.push(err412);
}
errors++;
}
if(!((data157 === "Keep") || (data157 === "DisableMig"))){
const err413 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.onDelete.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err413];
}
else {
if (vErrors.length < 1000) vErrors.push(err413);
}
errors++;
}
}
}
else {
const err414 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err414];
}
else {
if (vErrors.length < 1000) vErrors.push(err414);
}
errors++;
}
}
if(data.status !== undefined){
let data158 = data.status;
if(data158 && typeof data158 == "object" && !Array.isArray(data158)){
for(const key33 in data158){
if(!(func2.call(schema11.properties.status.properties, key33))){
const err415 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key33},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err415];
}
else {
if (vErrors.length < 1000) vErrors.push(err415);
}
errors++;
}
}
if(data158.observedGeneration !== undefined){
let data159 = data158.observedGeneration;
if(!((typeof data159 == "number") && (!(data159 % 1) && !isNaN(data159)))){
const err416 = {instancePath:instancePath+"/status/observedGeneration",schemaPath:"#/properties/status/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err416];
}
else {
if (vErrors.length < 1000) vErrors.push(err416);
}
errors++;
}
}
if(data158.acceptedGeneration !== undefined){
let data160 = data158.acceptedGeneration;
if(!((typeof data160 == "number") && (!(data160 % 1) && !isNaN(data160)))){
const err417 = {instancePath:instancePath+"/status/acceptedGeneration",schemaPath:"#/properties/status/properties/acceptedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err417];
}
else {
if (vErrors.length < 1000) vErrors.push(err417);
}
errors++;
}
}
if(data158.inForce !== undefined){
let data161 = data158.inForce;
if(data161 && typeof data161 == "object" && !Array.isArray(data161)){
if(data161.generation === undefined){
const err418 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err418];
}
else {
if (vErrors.length < 1000) vErrors.push(err418);
}
errors++;
}
if(data161.spec === undefined){
const err419 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err419];
}
else {
if (vErrors.length < 1000) vErrors.push(err419);
}
errors++;
}
for(const key34 in data161){
if(!((key34 === "generation") || (key34 === "spec"))){
const err420 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key34},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err420];
}
else {
if (vErrors.length < 1000) vErrors.push(err420);
}
errors++;
}
}
if(data161.generation !== undefined){
let data162 = data161.generation;
if(!((typeof data162 == "number") && (!(data162 % 1) && !isNaN(data162)))){
const err421 = {instancePath:instancePath+"/status/inForce/generation",schemaPath:"#/properties/status/properties/inForce/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err421];
}
else {
if (vErrors.length < 1000) vErrors.push(err421);
}
errors++;
}
}
if(data161.spec !== undefined){
let data163 = data161.spec;
if(data163 && typeof data163 == "object" && !Array.isArray(data163)){
}
else {
const err422 = {instancePath:instancePath+"/status/inForce/spec",schemaPath:"#/properties/status/properties/inForce/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err422];
}
else {
if (vErrors.length < 1000) vErrors.push(err422);
}
errors++;
}
}
}
else {
const err423 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err423];
}
else {
if (vErrors.length < 1000) vErrors.push(err423);
}
errors++;
}
}
if(data158.history !== undefined){
let data164 = data158.history;
if(Array.isArray(data164)){
if(data164.length > 20){
const err424 = {instancePath:instancePath+"/status/history",schemaPath:"#/properties/status/properties/history/maxItems",keyword:"maxItems",params:{limit: 20},message:"must NOT have more than 20 items"};
if(vErrors === null){
vErrors = [err424];
}
else {
if (vErrors.length < 1000) vErrors.push(err424);
}
errors++;
}
const len25 = data164.length;
for(let i25=0; i25<len25; i25++){
let data165 = data164[i25];
if(data165 && typeof data165 == "object" && !Array.isArray(data165)){
if(data165.generation === undefined){
const err425 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err425];
}
else {
if (vErrors.length < 1000) vErrors.push(err425);
}
errors++;
}
if(data165.time === undefined){
const err426 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "time"},message:"must have required property '"+"time"+"'"};
if(vErrors === null){
vErrors = [err426];
}
else {
if (vErrors.length < 1000) vErrors.push(err426);
}
errors++;
}
if(data165.spec === undefined){
const err427 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err427];
}
else {
if (vErrors.length < 1000) vErrors.push(err427);
}
errors++;
}
for(const key35 in data165){
if(!((((key35 === "generation") || (key35 === "time")) || (key35 === "manager")) || (key35 === "spec"))){
const err428 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key35},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err428];
}
else {
if (vErrors.length < 1000) vErrors.push(err428);
}
errors++;
}
}
if(data165.generation !== undefined){
let data166 = data165.generation;
if(!((typeof data166 == "number") && (!(data166 % 1) && !isNaN(data166)))){
const err429 = {instancePath:instancePath+"/status/history/" + i25+"/generation",schemaPath:"#/properties/status/properties/history/items/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err429];
}
else {
if (vErrors.length < 1000) vErrors.push(err429);
}
errors++;
}
}
if(data165.time !== undefined){
if(typeof data165.time !== "string"){
const err430 = {instancePath:instancePath+"/status/history/" + i25+"/time",schemaPath:"#/properties/status/properties/history/items/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err430];
}
else {
if (vErrors.length < 1000) vErrors.push(err430);
}
errors++;
}
}
if(data165.manager !== undefined){
let data168 = data165.manager;
if(typeof data168 === "string"){
if(func3(data168) > 128){
const err431 = {instancePath:instancePath+"/status/history/" + i25+"/manager",schemaPath:"#/properties/status/properties/history/items/properties/manager/maxLength",keyword:"maxLength",params:{limit: 128},message:"must NOT have more than 128 characters"};
if(vErrors === null){
vErrors = [err431];
}
else {
if (vErrors.length < 1000) vErrors.push(err431);
}
errors++;
}
}
else {
const err432 = {instancePath:instancePath+"/status/history/" + i25+"/manager",schemaPath:"#/properties/status/properties/history/items/properties/manager/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err432];
}
else {
if (vErrors.length < 1000) vErrors.push(err432);
}
errors++;
}
}
if(data165.spec !== undefined){
let data169 = data165.spec;
if(data169 && typeof data169 == "object" && !Array.isArray(data169)){
}
else {
const err433 = {instancePath:instancePath+"/status/history/" + i25+"/spec",schemaPath:"#/properties/status/properties/history/items/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err433];
}
else {
if (vErrors.length < 1000) vErrors.push(err433);
}
errors++;
}
}
}
else {
const err434 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err434];
}
else {
if (vErrors.length < 1000) vErrors.push(err434);
}
errors++;
}
}
}
else {
const err435 = {instancePath:instancePath+"/status/history",schemaPath:"#/properties/status/properties/history/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err435];
}
else {
if (vErrors.length < 1000) vErrors.push(err435);
}
errors++;
}
}
if(data158.summary !== undefined){
let data170 = data158.summary;
if(typeof data170 === "string"){
if(func3(data170) > 256){
const err436 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err436];
}
else {
if (vErrors.length < 1000) vErrors.push(err436);
}
errors++;
}
}
else {
const err437 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err437];
}
else {
if (vErrors.length < 1000) vErrors.push(err437);
}
errors++;
}
}
if(data158.conditions !== undefined){
let data171 = data158.conditions;
if(Array.isArray(data171)){
if(data171.length > 16){
const err438 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err438];
}
else {
if (vErrors.length < 1000) vErrors.push(err438);
}
errors++;
}
const len26 = data171.length;
for(let i26=0; i26<len26; i26++){
let data172 = data171[i26];
if(data172 && typeof data172 == "object" && !Array.isArray(data172)){
if(data172.type === undefined){
const err439 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err439];
}
else {
if (vErrors.length < 1000) vErrors.push(err439);
}
errors++;
}
if(data172.status === undefined){
const err440 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err440];
}
else {
if (vErrors.length < 1000) vErrors.push(err440);
}
errors++;
}
if(data172.reason === undefined){
const err441 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err441];
}
else {
if (vErrors.length < 1000) vErrors.push(err441);
}
errors++;
}
if(data172.message === undefined){
const err442 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err442];
}
else {
if (vErrors.length < 1000) vErrors.push(err442);
}
errors++;
}
if(data172.lastTransitionTime === undefined){
const err443 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err443];
}
else {
if (vErrors.length < 1000) vErrors.push(err443);
}
errors++;
}
for(const key36 in data172){
if(!((((((key36 === "type") || (key36 === "status")) || (key36 === "reason")) || (key36 === "message")) || (key36 === "lastTransitionTime")) || (key36 === "observedGeneration"))){
const err444 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key36},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err444];
}
else {
if (vErrors.length < 1000) vErrors.push(err444);
}
errors++;
}
}
if(data172.type !== undefined){
let data173 = data172.type;
if(typeof data173 === "string"){
if(func3(data173) > 316){
const err445 = {instancePath:instancePath+"/status/conditions/" + i26+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err445];
}
else {
if (vErrors.length < 1000) vErrors.push(err445);
}
errors++;
}
}
else {
const err446 = {instancePath:instancePath+"/status/conditions/" + i26+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err446];
}
else {
if (vErrors.length < 1000) vErrors.push(err446);
}
errors++;
}
}
if(data172.status !== undefined){
let data174 = data172.status;
if(typeof data174 !== "string"){
const err447 = {instancePath:instancePath+"/status/conditions/" + i26+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err447];
}
else {
if (vErrors.length < 1000) vErrors.push(err447);
}
errors++;
}
if(!(((data174 === "True") || (data174 === "False")) || (data174 === "Unknown"))){
const err448 = {instancePath:instancePath+"/status/conditions/" + i26+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err448];
}
else {
if (vErrors.length < 1000) vErrors.push(err448);
}
errors++;
}
}
if(data172.reason !== undefined){
let data175 = data172.reason;
if(typeof data175 === "string"){
if(func3(data175) > 1024){
const err449 = {instancePath:instancePath+"/status/conditions/" + i26+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err449];
}
else {
if (vErrors.length < 1000) vErrors.push(err449);
}
errors++;
}
}
else {
const err450 = {instancePath:instancePath+"/status/conditions/" + i26+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err450];
}
else {
if (vErrors.length < 1000) vErrors.push(err450);
}
errors++;
}
}
if(data172.message !== undefined){
let data176 = data172.message;
if(typeof data176 === "string"){
if(func3(data176) > 8192){
const err451 = {instancePath:instancePath+"/status/conditions/" + i26+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 8192},message:"must NOT have more than 8192 characters"};
if(vErrors === null){
vErrors = [err451];
}
else {
if (vErrors.length < 1000) vErrors.push(err451);
}
errors++;
}
}
else {
const err452 = {instancePath:instancePath+"/status/conditions/" + i26+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err452];
}
else {
if (vErrors.length < 1000) vErrors.push(err452);
}
errors++;
}
}
if(data172.lastTransitionTime !== undefined){
if(typeof data172.lastTransitionTime !== "string"){
const err453 = {instancePath:instancePath+"/status/conditions/" + i26+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err453];
}
else {
if (vErrors.length < 1000) vErrors.push(err453);
}
errors++;
}
}
if(data172.observedGeneration !== undefined){
let data178 = data172.observedGeneration;
if(!((typeof data178 == "number") && (!(data178 % 1) && !isNaN(data178)))){
const err454 = {instancePath:instancePath+"/status/conditions/" + i26+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err454];
}
else {
if (vErrors.length < 1000) vErrors.push(err454);
}
errors++;
}
}
}
else {
const err455 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err455];
}
else {
if (vErrors.length < 1000) vErrors.push(err455);
}
errors++;
}
}
}
else {
const err456 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err456];
}
else {
if (vErrors.length < 1000) vErrors.push(err456);
}
errors++;
}
}
if(data158.nodes !== undefined){
let data179 = data158.nodes;
if(data179 && typeof data179 == "object" && !Array.isArray(data179)){
for(const key37 in data179){
if(!((((((((key37 === "matched") || (key37 === "ready")) || (key37 === "updating")) || (key37 === "pending")) || (key37 === "failed")) || (key37 === "outranked")) || (key37 === "conflicted")) || (key37 === "skipped"))){
const err457 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key37},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err457];
}
else {
if (vErrors.length < 1000) vErrors.push(err457);
}
errors++;
}
}
if(data179.matched !== undefined){
let data180 = data179.matched;
if(!((typeof data180 == "number") && (!(data180 % 1) && !isNaN(data180)))){
const err458 = {instancePath:instancePath+"/status/nodes/matched",schemaPath:"#/properties/status/properties/nodes/properties/matched/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err458];
}
else {
if (vErrors.length < 1000) vErrors.push(err458);
}
errors++;
}
}
if(data179.ready !== undefined){
let data181 = data179.ready;
if(!((typeof data181 == "number") && (!(data181 % 1) && !isNaN(data181)))){
const err459 = {instancePath:instancePath+"/status/nodes/ready",schemaPath:"#/properties/status/properties/nodes/properties/ready/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err459];
}
else {
if (vErrors.length < 1000) vErrors.push(err459);
}
errors++;
}
}
if(data179.updating !== undefined){
let data182 = data179.updating;
if(!((typeof data182 == "number") && (!(data182 % 1) && !isNaN(data182)))){
const err460 = {instancePath:instancePath+"/status/nodes/updating",schemaPath:"#/properties/status/properties/nodes/properties/updating/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err460];
}
else {
if (vErrors.length < 1000) vErrors.push(err460);
}
errors++;
}
}
if(data179.pending !== undefined){
let data183 = data179.pending;
if(!((typeof data183 == "number") && (!(data183 % 1) && !isNaN(data183)))){
const err461 = {instancePath:instancePath+"/status/nodes/pending",schemaPath:"#/properties/status/properties/nodes/properties/pending/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err461];
}
else {
if (vErrors.length < 1000) vErrors.push(err461);
}
errors++;
}
}
if(data179.failed !== undefined){
let data184 = data179.failed;
if(!((typeof data184 == "number") && (!(data184 % 1) && !isNaN(data184)))){
const err462 = {instancePath:instancePath+"/status/nodes/failed",schemaPath:"#/properties/status/properties/nodes/properties/failed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err462];
}
else {
if (vErrors.length < 1000) vErrors.push(err462);
}
errors++;
}
}
if(data179.outranked !== undefined){
let data185 = data179.outranked;
if(!((typeof data185 == "number") && (!(data185 % 1) && !isNaN(data185)))){
const err463 = {instancePath:instancePath+"/status/nodes/outranked",schemaPath:"#/properties/status/properties/nodes/properties/outranked/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err463];
}
else {
if (vErrors.length < 1000) vErrors.push(err463);
}
errors++;
}
}
if(data179.conflicted !== undefined){
let data186 = data179.conflicted;
if(!((typeof data186 == "number") && (!(data186 % 1) && !isNaN(data186)))){
const err464 = {instancePath:instancePath+"/status/nodes/conflicted",schemaPath:"#/properties/status/properties/nodes/properties/conflicted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err464];
}
else {
if (vErrors.length < 1000) vErrors.push(err464);
}
errors++;
}
}
if(data179.skipped !== undefined){
let data187 = data179.skipped;
if(!((typeof data187 == "number") && (!(data187 % 1) && !isNaN(data187)))){
const err465 = {instancePath:instancePath+"/status/nodes/skipped",schemaPath:"#/properties/status/properties/nodes/properties/skipped/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err465];
}
else {
if (vErrors.length < 1000) vErrors.push(err465);
}
errors++;
}
}
}
else {
const err466 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err466];
}
else {
if (vErrors.length < 1000) vErrors.push(err466);
}
errors++;
}
}
if(data158.schedule !== undefined){
let data188 = data158.schedule;
if(data188 && typeof data188 == "object" && !Array.isArray(data188)){
if(data188.since === undefined){
const err467 = {instancePath:instancePath+"/status/schedule",schemaPath:"#/properties/status/properties/schedule/required",keyword:"required",params:{missingProperty: "since"},message:"must have required property '"+"since"+"'"};
if(vErrors === null){
vErrors = [err467];
}
else {
if (vErrors.length < 1000) vErrors.push(err467);
}
errors++;
}
for(const key38 in data188){
if(!(((key38 === "name") || (key38 === "since")) || (key38 === "next"))){
const err468 = {instancePath:instancePath+"/status/schedule",schemaPath:"#/properties/status/properties/schedule/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key38},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err468];
}
else {
if (vErrors.length < 1000) vErrors.push(err468);
}
errors++;
}
}
if(data188.name !== undefined){
let data189 = data188.name;
if(typeof data189 === "string"){
if(func3(data189) > 32){
const err469 = {instancePath:instancePath+"/status/schedule/name",schemaPath:"#/properties/status/properties/schedule/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err469];
}
else {
if (vErrors.length < 1000) vErrors.push(err469);
}
errors++;
}
}
else {
const err470 = {instancePath:instancePath+"/status/schedule/name",schemaPath:"#/properties/status/properties/schedule/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err470];
}
else {
if (vErrors.length < 1000) vErrors.push(err470);
}
errors++;
}
}
if(data188.since !== undefined){
if(typeof data188.since !== "string"){
const err471 = {instancePath:instancePath+"/status/schedule/since",schemaPath:"#/properties/status/properties/schedule/properties/since/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err471];
}
else {
if (vErrors.length < 1000) vErrors.push(err471);
}
errors++;
}
}
if(data188.next !== undefined){
let data191 = data188.next;
if(data191 && typeof data191 == "object" && !Array.isArray(data191)){
if(data191.time === undefined){
const err472 = {instancePath:instancePath+"/status/schedule/next",schemaPath:"#/properties/status/properties/schedule/properties/next/required",keyword:"required",params:{missingProperty: "time"},message:"must have required property '"+"time"+"'"};
if(vErrors === null){
vErrors = [err472];
}
else {
if (vErrors.length < 1000) vErrors.push(err472);
}
errors++;
}
for(const key39 in data191){
if(!((key39 === "name") || (key39 === "time"))){
const err473 = {instancePath:instancePath+"/status/schedule/next",schemaPath:"#/properties/status/properties/schedule/properties/next/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key39},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err473];
}
else {
if (vErrors.length < 1000) vErrors.push(err473);
}
errors++;
}
}
if(data191.name !== undefined){
let data192 = data191.name;
if(typeof data192 === "string"){
if(func3(data192) > 32){
const err474 = {instancePath:instancePath+"/status/schedule/next/name",schemaPath:"#/properties/status/properties/schedule/properties/next/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err474];
}
else {
if (vErrors.length < 1000) vErrors.push(err474);
}
errors++;
}
}
else {
const err475 = {instancePath:instancePath+"/status/schedule/next/name",schemaPath:"#/properties/status/properties/schedule/properties/next/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err475];
}
else {
if (vErrors.length < 1000) vErrors.push(err475);
}
errors++;
}
}
if(data191.time !== undefined){
if(typeof data191.time !== "string"){
const err476 = {instancePath:instancePath+"/status/schedule/next/time",schemaPath:"#/properties/status/properties/schedule/properties/next/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err476];
}
else {
if (vErrors.length < 1000) vErrors.push(err476);
}
errors++;
}
}
}
else {
const err477 = {instancePath:instancePath+"/status/schedule/next",schemaPath:"#/properties/status/properties/schedule/properties/next/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err477];
}
else {
if (vErrors.length < 1000) vErrors.push(err477);
}
errors++;
}
}
}
else {
const err478 = {instancePath:instancePath+"/status/schedule",schemaPath:"#/properties/status/properties/schedule/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err478];
}
else {
if (vErrors.length < 1000) vErrors.push(err478);
}
errors++;
}
}
if(data158.demand !== undefined){
let data194 = data158.demand;
if(Array.isArray(data194)){
if(data194.length > 16){
const err479 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err479];
}
else {
if (vErrors.length < 1000) vErrors.push(err479);
}
errors++;
}
const len27 = data194.length;
for(let i27=0; i27<len27; i27++){
let data195 = data194[i27];
if(data195 && typeof data195 == "object" && !Array.isArray(data195)){
if(data195.name === undefined){
const err480 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err480];
}
else {
if (vErrors.length < 1000) vErrors.push(err480);
}
errors++;
}
if(data195.wanted === undefined){
const err481 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "wanted"},message:"must have required property '"+"wanted"+"'"};
if(vErrors === null){
vErrors = [err481];
}
else {
if (vErrors.length < 1000) vErrors.push(err481);
}
errors++;
}
if(data195.offered === undefined){
const err482 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "offered"},message:"must have required property '"+"offered"+"'"};
if(vErrors === null){
vErrors = [err482];
}
else {
if (vErrors.length < 1000) vErrors.push(err482);
}
errors++;
}
if(data195.used === undefined){
const err483 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "used"},message:"must have required property '"+"used"+"'"};
if(vErrors === null){
vErrors = [err483];
}
else {
if (vErrors.length < 1000) vErrors.push(err483);
}
errors++;
}
if(data195.unmet === undefined){
const err484 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "unmet"},message:"must have required property '"+"unmet"+"'"};
if(vErrors === null){
vErrors = [err484];
}
else {
if (vErrors.length < 1000) vErrors.push(err484);
}
errors++;
}
for(const key40 in data195){
if(!(((((((key40 === "name") || (key40 === "wanted")) || (key40 === "offered")) || (key40 === "used")) || (key40 === "waiting")) || (key40 === "unmet")) || (key40 === "why"))){
const err485 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key40},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err485];
}
else {
if (vErrors.length < 1000) vErrors.push(err485);
}
errors++;
}
}
if(data195.name !== undefined){
let data196 = data195.name;
if(typeof data196 === "string"){
if(func3(data196) > 32){
const err486 = {instancePath:instancePath+"/status/demand/" + i27+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err486];
}
else {
if (vErrors.length < 1000) vErrors.push(err486);
}
errors++;
}
}
else {
const err487 = {instancePath:instancePath+"/status/demand/" + i27+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err487];
}
else {
if (vErrors.length < 1000) vErrors.push(err487);
}
errors++;
}
}
if(data195.wanted !== undefined){
let data197 = data195.wanted;
if(!((typeof data197 == "number") && (!(data197 % 1) && !isNaN(data197)))){
const err488 = {instancePath:instancePath+"/status/demand/" + i27+"/wanted",schemaPath:"#/properties/status/properties/demand/items/properties/wanted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err488];
}
else {
if (vErrors.length < 1000) vErrors.push(err488);
}
errors++;
}
}
if(data195.offered !== undefined){
let data198 = data195.offered;
if(!((typeof data198 == "number") && (!(data198 % 1) && !isNaN(data198)))){
const err489 = {instancePath:instancePath+"/status/demand/" + i27+"/offered",schemaPath:"#/properties/status/properties/demand/items/properties/offered/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err489];
}
else {
if (vErrors.length < 1000) vErrors.push(err489);
}
errors++;
}
}
if(data195.used !== undefined){
let data199 = data195.used;
if(!((typeof data199 == "number") && (!(data199 % 1) && !isNaN(data199)))){
const err490 = {instancePath:instancePath+"/status/demand/" + i27+"/used",schemaPath:"#/properties/status/properties/demand/items/properties/used/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err490];
}
else {
if (vErrors.length < 1000) vErrors.push(err490);
}
errors++;
}
}
if(data195.waiting !== undefined){
let data200 = data195.waiting;
if(!((typeof data200 == "number") && (!(data200 % 1) && !isNaN(data200)))){
const err491 = {instancePath:instancePath+"/status/demand/" + i27+"/waiting",schemaPath:"#/properties/status/properties/demand/items/properties/waiting/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err491];
}
else {
if (vErrors.length < 1000) vErrors.push(err491);
}
errors++;
}
}
if(data195.unmet !== undefined){
let data201 = data195.unmet;
if(!((typeof data201 == "number") && (!(data201 % 1) && !isNaN(data201)))){
const err492 = {instancePath:instancePath+"/status/demand/" + i27+"/unmet",schemaPath:"#/properties/status/properties/demand/items/properties/unmet/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err492];
}
else {
if (vErrors.length < 1000) vErrors.push(err492);
}
errors++;
}
}
if(data195.why !== undefined){
let data202 = data195.why;
if(typeof data202 === "string"){
if(func3(data202) > 1024){
const err493 = {instancePath:instancePath+"/status/demand/" + i27+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err493];
}
else {
if (vErrors.length < 1000) vErrors.push(err493);
}
errors++;
}
}
else {
const err494 = {instancePath:instancePath+"/status/demand/" + i27+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err494];
}
else {
if (vErrors.length < 1000) vErrors.push(err494);
}
errors++;
}
}
}
else {
const err495 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err495];
}
else {
if (vErrors.length < 1000) vErrors.push(err495);
}
errors++;
}
}
}
else {
const err496 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err496];
}
else {
if (vErrors.length < 1000) vErrors.push(err496);
}
errors++;
}
}
if(data158.steady !== undefined){
let data203 = data158.steady;
if(data203 && typeof data203 == "object" && !Array.isArray(data203)){
if(Object.keys(data203).length > 16){
const err497 = {instancePath:instancePath+"/status/steady",schemaPath:"#/properties/status/properties/steady/maxProperties",keyword:"maxProperties",params:{limit: 16},message:"must NOT have more than 16 properties"};
if(vErrors === null){
vErrors = [err497];
}
else {
if (vErrors.length < 1000) vErrors.push(err497);
}
errors++;
}
for(const key41 in data203){
let data204 = data203[key41];
if(!((typeof data204 == "number") && (!(data204 % 1) && !isNaN(data204)))){
const err498 = {instancePath:instancePath+"/status/steady/" + key41.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/steady/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err498];
}
else {
if (vErrors.length < 1000) vErrors.push(err498);
}
errors++;
}
if(typeof data204 == "number"){
if(data204 < 0 || isNaN(data204)){
const err499 = {instancePath:instancePath+"/status/steady/" + key41.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/steady/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
}
else {
const err500 = {instancePath:instancePath+"/status/steady",schemaPath:"#/properties/status/properties/steady/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err500];
}
else {
if (vErrors.length < 1000) vErrors.push(err500);
}
errors++;
}
}
if(data158.defrag !== undefined){
let data205 = data158.defrag;
if(data205 && typeof data205 == "object" && !Array.isArray(data205)){
if(data205.request === undefined){
const err501 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/required",keyword:"required",params:{missingProperty: "request"},message:"must have required property '"+"request"+"'"};
if(vErrors === null){
vErrors = [err501];
}
else {
if (vErrors.length < 1000) vErrors.push(err501);
}
errors++;
}
if(data205.state === undefined){
const err502 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/required",keyword:"required",params:{missingProperty: "state"},message:"must have required property '"+"state"+"'"};
if(vErrors === null){
vErrors = [err502];
}
else {
if (vErrors.length < 1000) vErrors.push(err502);
}
errors++;
}
if(data205.message === undefined){
const err503 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err503];
}
else {
if (vErrors.length < 1000) vErrors.push(err503);
}
errors++;
}
for(const key42 in data205){
if(!(((key42 === "request") || (key42 === "state")) || (key42 === "message"))){
const err504 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key42},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err504];
}
else {
if (vErrors.length < 1000) vErrors.push(err504);
}
errors++;
}
}
if(data205.request !== undefined){
let data206 = data205.request;
if(typeof data206 === "string"){
if(func3(data206) > 1024){
const err505 = {instancePath:instancePath+"/status/defrag/request",schemaPath:"#/properties/status/properties/defrag/properties/request/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err505];
}
else {
if (vErrors.length < 1000) vErrors.push(err505);
}
errors++;
}
}
else {
const err506 = {instancePath:instancePath+"/status/defrag/request",schemaPath:"#/properties/status/properties/defrag/properties/request/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err506];
}
else {
if (vErrors.length < 1000) vErrors.push(err506);
}
errors++;
}
}
if(data205.state !== undefined){
let data207 = data205.state;
if(typeof data207 !== "string"){
const err507 = {instancePath:instancePath+"/status/defrag/state",schemaPath:"#/properties/status/properties/defrag/properties/state/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err507];
}
else {
if (vErrors.length < 1000) vErrors.push(err507);
}
errors++;
}
if(!(((data207 === "Making") || (data207 === "Done")) || (data207 === "Refused"))){
const err508 = {instancePath:instancePath+"/status/defrag/state",schemaPath:"#/properties/status/properties/defrag/properties/state/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.defrag.properties.state.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err508];
}
else {
if (vErrors.length < 1000) vErrors.push(err508);
}
errors++;
}
}
if(data205.message !== undefined){
let data208 = data205.message;
if(typeof data208 === "string"){
if(func3(data208) > 1024){
const err509 = {instancePath:instancePath+"/status/defrag/message",schemaPath:"#/properties/status/properties/defrag/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err509];
}
else {
if (vErrors.length < 1000) vErrors.push(err509);
}
errors++;
}
}
else {
const err510 = {instancePath:instancePath+"/status/defrag/message",schemaPath:"#/properties/status/properties/defrag/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err510];
}
else {
if (vErrors.length < 1000) vErrors.push(err510);
}
errors++;
}
}
}
else {
const err511 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err511];
}
else {
if (vErrors.length < 1000) vErrors.push(err511);
}
errors++;
}
}
if(data158.plan !== undefined){
let data209 = data158.plan;
if(data209 && typeof data209 == "object" && !Array.isArray(data209)){
for(const key43 in data209){
if(!(((((key43 === "gpusChanging") || (key43 === "instancesKept")) || (key43 === "instancesDestroyed")) || (key43 === "instancesCreated")) || (key43 === "podsToEvict"))){
const err512 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key43},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err512];
}
else {
if (vErrors.length < 1000) vErrors.push(err512);
}
errors++;
}
}
if(data209.gpusChanging !== undefined){
let data210 = data209.gpusChanging;
if(!((typeof data210 == "number") && (!(data210 % 1) && !isNaN(data210)))){
const err513 = {instancePath:instancePath+"/status/plan/gpusChanging",schemaPath:"#/properties/status/properties/plan/properties/gpusChanging/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err513];
}
else {
if (vErrors.length < 1000) vErrors.push(err513);
}
errors++;
}
}
if(data209.instancesKept !== undefined){
let data211 = data209.instancesKept;
if(!((typeof data211 == "number") && (!(data211 % 1) && !isNaN(data211)))){
const err514 = {instancePath:instancePath+"/status/plan/instancesKept",schemaPath:"#/properties/status/properties/plan/properties/instancesKept/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err514];
}
else {
if (vErrors.length < 1000) vErrors.push(err514);
}
errors++;
}
}
if(data209.instancesDestroyed !== undefined){
let data212 = data209.instancesDestroyed;
if(!((typeof data212 == "number") && (!(data212 % 1) && !isNaN(data212)))){
const err515 = {instancePath:instancePath+"/status/plan/instancesDestroyed",schemaPath:"#/properties/status/properties/plan/properties/instancesDestroyed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err515];
}
else {
if (vErrors.length < 1000) vErrors.push(err515);
}
errors++;
}
}
if(data209.instancesCreated !== undefined){
let data213 = data209.instancesCreated;
if(!((typeof data213 == "number") && (!(data213 % 1) && !isNaN(data213)))){
const err516 = {instancePath:instancePath+"/status/plan/instancesCreated",schemaPath:"#/properties/status/properties/plan/properties/instancesCreated/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err516];
}
else {
if (vErrors.length < 1000) vErrors.push(err516);
}
errors++;
}
}
if(data209.podsToEvict !== undefined){
let data214 = data209.podsToEvict;
if(!((typeof data214 == "number") && (!(data214 % 1) && !isNaN(data214)))){
const err517 = {instancePath:instancePath+"/status/plan/podsToEvict",schemaPath:"#/properties/status/properties/plan/properties/podsToEvict/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err517];
}
else {
if (vErrors.length < 1000) vErrors.push(err517);
}
errors++;
}
}
}
else {
const err518 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err518];
}
else {
if (vErrors.length < 1000) vErrors.push(err518);
}
errors++;
}
}
if(data158.inFlight !== undefined){
let data215 = data158.inFlight;
if(Array.isArray(data215)){
if(data215.length > 500){
const err519 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/maxItems",keyword:"maxItems",params:{limit: 500},message:"must NOT have more than 500 items"};
if(vErrors === null){
vErrors = [err519];
}
else {
if (vErrors.length < 1000) vErrors.push(err519);
}
errors++;
}
const len28 = data215.length;
for(let i28=0; i28<len28; i28++){
let data216 = data215[i28];
if(data216 && typeof data216 == "object" && !Array.isArray(data216)){
if(data216.node === undefined){
const err520 = {instancePath:instancePath+"/status/inFlight/" + i28,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err520];
}
else {
if (vErrors.length < 1000) vErrors.push(err520);
}
errors++;
}
if(data216.nodeUID === undefined){
const err521 = {instancePath:instancePath+"/status/inFlight/" + i28,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "nodeUID"},message:"must have required property '"+"nodeUID"+"'"};
if(vErrors === null){
vErrors = [err521];
}
else {
if (vErrors.length < 1000) vErrors.push(err521);
}
errors++;
}
for(const key44 in data216){
if(!(((((((key44 === "node") || (key44 === "nodeUID")) || (key44 === "epoch")) || (key44 === "generation")) || (key44 === "startTime")) || (key44 === "deadline")) || (key44 === "kind"))){
const err522 = {instancePath:instancePath+"/status/inFlight/" + i28,schemaPath:"#/properties/status/properties/inFlight/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key44},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err522];
}
else {
if (vErrors.length < 1000) vErrors.push(err522);
}
errors++;
}
}
if(data216.node !== undefined){
let data217 = data216.node;
if(typeof data217 === "string"){
if(func3(data217) > 253){
const err523 = {instancePath:instancePath+"/status/inFlight/" + i28+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err523];
}
else {
if (vErrors.length < 1000) vErrors.push(err523);
}
errors++;
}
}
else {
const err524 = {instancePath:instancePath+"/status/inFlight/" + i28+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err524];
}
else {
if (vErrors.length < 1000) vErrors.push(err524);
}
errors++;
}
}
if(data216.nodeUID !== undefined){
let data218 = data216.nodeUID;
if(typeof data218 === "string"){
if(func3(data218) > 64){
const err525 = {instancePath:instancePath+"/status/inFlight/" + i28+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err525];
}
else {
if (vErrors.length < 1000) vErrors.push(err525);
}
errors++;
}
}
else {
const err526 = {instancePath:instancePath+"/status/inFlight/" + i28+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err526];
}
else {
if (vErrors.length < 1000) vErrors.push(err526);
}
errors++;
}
}
if(data216.epoch !== undefined){
let data219 = data216.epoch;
if(!((typeof data219 == "number") && (!(data219 % 1) && !isNaN(data219)))){
const err527 = {instancePath:instancePath+"/status/inFlight/" + i28+"/epoch",schemaPath:"#/properties/status/properties/inFlight/items/properties/epoch/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err527];
}
else {
if (vErrors.length < 1000) vErrors.push(err527);
}
errors++;
}
}
if(data216.generation !== undefined){
let data220 = data216.generation;
if(!((typeof data220 == "number") && (!(data220 % 1) && !isNaN(data220)))){
const err528 = {instancePath:instancePath+"/status/inFlight/" + i28+"/generation",schemaPath:"#/properties/status/properties/inFlight/items/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err528];
}
else {
if (vErrors.length < 1000) vErrors.push(err528);
}
errors++;
}
}
if(data216.startTime !== undefined){
if(typeof data216.startTime !== "string"){
const err529 = {instancePath:instancePath+"/status/inFlight/" + i28+"/startTime",schemaPath:"#/properties/status/properties/inFlight/items/properties/startTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err529];
}
else {
if (vErrors.length < 1000) vErrors.push(err529);
}
errors++;
}
}
if(data216.deadline !== undefined){
if(typeof data216.deadline !== "string"){
const err530 = {instancePath:instancePath+"/status/inFlight/" + i28+"/deadline",schemaPath:"#/properties/status/properties/inFlight/items/properties/deadline/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err530];
}
else {
if (vErrors.length < 1000) vErrors.push(err530);
}
errors++;
}
}
if(data216.kind !== undefined){
let data223 = data216.kind;
if(typeof data223 !== "string"){
const err531 = {instancePath:instancePath+"/status/inFlight/" + i28+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err531];
}
else {
if (vErrors.length < 1000) vErrors.push(err531);
}
errors++;
}
if(!(((((data223 === "Fresh") || (data223 === "Repair")) || (data223 === "Retry")) || (data223 === "New")) || (data223 === "Found"))){
const err532 = {instancePath:instancePath+"/status/inFlight/" + i28+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.inFlight.items.properties.kind.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err532];
}
else {
if (vErrors.length < 1000) vErrors.push(err532);
}
errors++;
}
}
}
else {
const err533 = {instancePath:instancePath+"/status/inFlight/" + i28,schemaPath:"#/properties/status/properties/inFlight/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err534 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err534];
}
else {
if (vErrors.length < 1000) vErrors.push(err534);
}
errors++;
}
}
if(data158.canary !== undefined){
let data224 = data158.canary;
if(data224 && typeof data224 == "object" && !Array.isArray(data224)){
if(data224.generation === undefined){
const err535 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err535];
}
else {
if (vErrors.length < 1000) vErrors.push(err535);
}
errors++;
}
if(data224.nodes === undefined){
const err536 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err536];
}
else {
if (vErrors.length < 1000) vErrors.push(err536);
}
errors++;
}
for(const key45 in data224){
if(!(((((key45 === "generation") || (key45 === "schedule")) || (key45 === "nodes")) || (key45 === "readySince")) || (key45 === "passedTime"))){
const err537 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key45},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err537];
}
else {
if (vErrors.length < 1000) vErrors.push(err537);
}
errors++;
}
}
if(data224.generation !== undefined){
let data225 = data224.generation;
if(!((typeof data225 == "number") && (!(data225 % 1) && !isNaN(data225)))){
const err538 = {instancePath:instancePath+"/status/canary/generation",schemaPath:"#/properties/status/properties/canary/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err538];
}
else {
if (vErrors.length < 1000) vErrors.push(err538);
}
errors++;
}
}
if(data224.schedule !== undefined){
let data226 = data224.schedule;
if(typeof data226 === "string"){
if(func3(data226) > 32){
const err539 = {instancePath:instancePath+"/status/canary/schedule",schemaPath:"#/properties/status/properties/canary/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err539];
}
else {
if (vErrors.length < 1000) vErrors.push(err539);
}
errors++;
}
}
else {
const err540 = {instancePath:instancePath+"/status/canary/schedule",schemaPath:"#/properties/status/properties/canary/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err540];
}
else {
if (vErrors.length < 1000) vErrors.push(err540);
}
errors++;
}
}
if(data224.nodes !== undefined){
let data227 = data224.nodes;
if(Array.isArray(data227)){
if(data227.length > 1000){
const err541 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err541];
}
else {
if (vErrors.length < 1000) vErrors.push(err541);
}
errors++;
}
const len29 = data227.length;
for(let i29=0; i29<len29; i29++){
let data228 = data227[i29];
if(typeof data228 === "string"){
if(func3(data228) > 253){
const err542 = {instancePath:instancePath+"/status/canary/nodes/" + i29,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err542];
}
else {
if (vErrors.length < 1000) vErrors.push(err542);
}
errors++;
}
}
else {
const err543 = {instancePath:instancePath+"/status/canary/nodes/" + i29,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err543];
}
else {
if (vErrors.length < 1000) vErrors.push(err543);
}
errors++;
}
}
}
else {
const err544 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err544];
}
else {
if (vErrors.length < 1000) vErrors.push(err544);
}
errors++;
}
}
if(data224.readySince !== undefined){
if(typeof data224.readySince !== "string"){
const err545 = {instancePath:instancePath+"/status/canary/readySince",schemaPath:"#/properties/status/properties/canary/properties/readySince/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err545];
}
else {
if (vErrors.length < 1000) vErrors.push(err545);
}
errors++;
}
}
if(data224.passedTime !== undefined){
if(typeof data224.passedTime !== "string"){
const err546 = {instancePath:instancePath+"/status/canary/passedTime",schemaPath:"#/properties/status/properties/canary/properties/passedTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err546];
}
else {
if (vErrors.length < 1000) vErrors.push(err546);
}
errors++;
}
}
}
else {
const err547 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err547];
}
else {
if (vErrors.length < 1000) vErrors.push(err547);
}
errors++;
}
}
if(data158.pace !== undefined){
let data231 = data158.pace;
if(data231 && typeof data231 == "object" && !Array.isArray(data231)){
if(data231.generation === undefined){
const err548 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err548];
}
else {
if (vErrors.length < 1000) vErrors.push(err548);
}
errors++;
}
if(data231.nodes === undefined){
const err549 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err549];
}
else {
if (vErrors.length < 1000) vErrors.push(err549);
}
errors++;
}
if(data231.seconds === undefined){
const err550 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "seconds"},message:"must have required property '"+"seconds"+"'"};
if(vErrors === null){
vErrors = [err550];
}
else {
if (vErrors.length < 1000) vErrors.push(err550);
}
errors++;
}
for(const key46 in data231){
if(!(((key46 === "generation") || (key46 === "nodes")) || (key46 === "seconds"))){
const err551 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key46},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err551];
}
else {
if (vErrors.length < 1000) vErrors.push(err551);
}
errors++;
}
}
if(data231.generation !== undefined){
let data232 = data231.generation;
if(!((typeof data232 == "number") && (!(data232 % 1) && !isNaN(data232)))){
const err552 = {instancePath:instancePath+"/status/pace/generation",schemaPath:"#/properties/status/properties/pace/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err552];
}
else {
if (vErrors.length < 1000) vErrors.push(err552);
}
errors++;
}
}
if(data231.nodes !== undefined){
let data233 = data231.nodes;
if(!((typeof data233 == "number") && (!(data233 % 1) && !isNaN(data233)))){
const err553 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err553];
}
else {
if (vErrors.length < 1000) vErrors.push(err553);
}
errors++;
}
if(typeof data233 == "number"){
if(data233 < 1 || isNaN(data233)){
const err554 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err554];
}
else {
if (vErrors.length < 1000) vErrors.push(err554);
}
errors++;
}
}
}
if(data231.seconds !== undefined){
let data234 = data231.seconds;
if(!((typeof data234 == "number") && (!(data234 % 1) && !isNaN(data234)))){
const err555 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err555];
}
else {
if (vErrors.length < 1000) vErrors.push(err555);
}
errors++;
}
if(typeof data234 == "number"){
if(data234 < 0 || isNaN(data234)){
const err556 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err556];
}
else {
if (vErrors.length < 1000) vErrors.push(err556);
}
errors++;
}
}
}
}
else {
const err557 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err557];
}
else {
if (vErrors.length < 1000) vErrors.push(err557);
}
errors++;
}
}
if(data158.limits !== undefined){
let data235 = data158.limits;
if(data235 && typeof data235 == "object" && !Array.isArray(data235)){
if(data235.nodes === undefined){
const err558 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err558];
}
else {
if (vErrors.length < 1000) vErrors.push(err558);
}
errors++;
}
if(data235.maxUnavailable === undefined){
const err559 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxUnavailable"},message:"must have required property '"+"maxUnavailable"+"'"};
if(vErrors === null){
vErrors = [err559];
}
else {
if (vErrors.length < 1000) vErrors.push(err559);
}
errors++;
}
if(data235.maxConcurrentNodes === undefined){
const err560 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxConcurrentNodes"},message:"must have required property '"+"maxConcurrentNodes"+"'"};
if(vErrors === null){
vErrors = [err560];
}
else {
if (vErrors.length < 1000) vErrors.push(err560);
}
errors++;
}
for(const key47 in data235){
if(!(((key47 === "nodes") || (key47 === "maxUnavailable")) || (key47 === "maxConcurrentNodes"))){
const err561 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key47},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err561];
}
else {
if (vErrors.length < 1000) vErrors.push(err561);
}
errors++;
}
}
if(data235.nodes !== undefined){
let data236 = data235.nodes;
if(!((typeof data236 == "number") && (!(data236 % 1) && !isNaN(data236)))){
const err562 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err562];
}
else {
if (vErrors.length < 1000) vErrors.push(err562);
}
errors++;
}
if(typeof data236 == "number"){
if(data236 < 0 || isNaN(data236)){
const err563 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err563];
}
else {
if (vErrors.length < 1000) vErrors.push(err563);
}
errors++;
}
}
}
if(data235.maxUnavailable !== undefined){
let data237 = data235.maxUnavailable;
if(!((typeof data237 == "number") && (!(data237 % 1) && !isNaN(data237)))){
const err564 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err564];
}
else {
if (vErrors.length < 1000) vErrors.push(err564);
}
errors++;
}
if(typeof data237 == "number"){
if(data237 < 0 || isNaN(data237)){
const err565 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err565];
}
else {
if (vErrors.length < 1000) vErrors.push(err565);
}
errors++;
}
}
}
if(data235.maxConcurrentNodes !== undefined){
let data238 = data235.maxConcurrentNodes;
if(!((typeof data238 == "number") && (!(data238 % 1) && !isNaN(data238)))){
const err566 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err566];
}
else {
if (vErrors.length < 1000) vErrors.push(err566);
}
errors++;
}
if(typeof data238 == "number"){
if(data238 < 0 || isNaN(data238)){
const err567 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err567];
}
else {
if (vErrors.length < 1000) vErrors.push(err567);
}
errors++;
}
}
}
}
else {
const err568 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err568];
}
else {
if (vErrors.length < 1000) vErrors.push(err568);
}
errors++;
}
}
if(data158.failures !== undefined){
let data239 = data158.failures;
if(Array.isArray(data239)){
if(data239.length > 50){
const err569 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err569];
}
else {
if (vErrors.length < 1000) vErrors.push(err569);
}
errors++;
}
const len30 = data239.length;
for(let i30=0; i30<len30; i30++){
let data240 = data239[i30];
if(data240 && typeof data240 == "object" && !Array.isArray(data240)){
if(data240.node === undefined){
const err570 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err570];
}
else {
if (vErrors.length < 1000) vErrors.push(err570);
}
errors++;
}
if(data240.reason === undefined){
const err571 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err571];
}
else {
if (vErrors.length < 1000) vErrors.push(err571);
}
errors++;
}
if(data240.message === undefined){
const err572 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err572];
}
else {
if (vErrors.length < 1000) vErrors.push(err572);
}
errors++;
}
for(const key48 in data240){
if(!((((key48 === "node") || (key48 === "reason")) || (key48 === "message")) || (key48 === "time"))){
const err573 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key48},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err573];
}
else {
if (vErrors.length < 1000) vErrors.push(err573);
}
errors++;
}
}
if(data240.node !== undefined){
let data241 = data240.node;
if(typeof data241 === "string"){
if(func3(data241) > 253){
const err574 = {instancePath:instancePath+"/status/failures/" + i30+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err574];
}
else {
if (vErrors.length < 1000) vErrors.push(err574);
}
errors++;
}
}
else {
const err575 = {instancePath:instancePath+"/status/failures/" + i30+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err575];
}
else {
if (vErrors.length < 1000) vErrors.push(err575);
}
errors++;
}
}
if(data240.reason !== undefined){
let data242 = data240.reason;
if(typeof data242 === "string"){
if(func3(data242) > 64){
const err576 = {instancePath:instancePath+"/status/failures/" + i30+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err576];
}
else {
if (vErrors.length < 1000) vErrors.push(err576);
}
errors++;
}
}
else {
const err577 = {instancePath:instancePath+"/status/failures/" + i30+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err577];
}
else {
if (vErrors.length < 1000) vErrors.push(err577);
}
errors++;
}
}
if(data240.message !== undefined){
let data243 = data240.message;
if(typeof data243 === "string"){
if(func3(data243) > 1024){
const err578 = {instancePath:instancePath+"/status/failures/" + i30+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err578];
}
else {
if (vErrors.length < 1000) vErrors.push(err578);
}
errors++;
}
}
else {
const err579 = {instancePath:instancePath+"/status/failures/" + i30+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err579];
}
else {
if (vErrors.length < 1000) vErrors.push(err579);
}
errors++;
}
}
if(data240.time !== undefined){
if(typeof data240.time !== "string"){
const err580 = {instancePath:instancePath+"/status/failures/" + i30+"/time",schemaPath:"#/properties/status/properties/failures/items/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err580];
}
else {
if (vErrors.length < 1000) vErrors.push(err580);
}
errors++;
}
}
}
else {
const err581 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err581];
}
else {
if (vErrors.length < 1000) vErrors.push(err581);
}
errors++;
}
}
}
else {
const err582 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err582];
}
else {
if (vErrors.length < 1000) vErrors.push(err582);
}
errors++;
}
}
}
else {
const err583 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err583];
}
else {
if (vErrors.length < 1000) vErrors.push(err583);
}
errors++;
}
}
}
else {
const err584 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err584];
}
else {
if (vErrors.length < 1000) vErrors.push(err584);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
