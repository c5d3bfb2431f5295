// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"type":"object","description":"GpuPartitionPolicy defines how the NVIDIA GPUs of the selected nodes are partitioned with MIG, and how the nodes advertise the slices.","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"type":"string","const":"gpupartition.dev/v1alpha1"},"kind":{"type":"string","const":"GpuPartitionPolicy"},"metadata":{"type":"object","additionalProperties":true,"required":["name"],"properties":{"name":{"type":"string"},"uid":{"type":"string"},"generation":{"type":"integer"},"resourceVersion":{"type":"string"},"creationTimestamp":{"type":"string"},"deletionTimestamp":{"type":"string"},"labels":{"type":"object","additionalProperties":{"type":"string"}},"annotations":{"type":"object","additionalProperties":{"type":"string"}},"finalizers":{"type":"array","items":{"type":"string"}}}},"spec":{"type":"object","description":"What the GPUs of the selected nodes become, and how a change reaches them.","required":["nodeSelector","strategy"],"properties":{"nodeSelector":{"type":"object","description":"Nodes that this policy partitions, for example matchLabels: {pool: inference}. It must not be empty, or use labels that a layout changes (nvidia.com/gpu.product, nvidia.com/mig-*, nvidia.com/gpu.deploy.*, ...): select by pool, and choose GPUs with layouts[].gpus.models.","properties":{"matchLabels":{"type":"object","description":"Labels that a node must carry. Example: {pool: inference}.","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","description":"Requirements on the labels of a node. Example: {key: pool, operator: In, values: [inference, batch]}.","maxItems":16,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","minLength":1,"maxLength":317,"description":"Key of the label."},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"],"description":"How the label is compared with values."},"values":{"type":"array","description":"Values for In and NotIn; none for Exists and DoesNotExist.","maxItems":64,"items":{"type":"string","maxLength":63}}},"additionalProperties":false}}},"additionalProperties":false},"priority":{"type":"integer","default":0,"minimum":-1000000000,"maximum":1000000000,"description":"Which policy wins a node that several policies of mode Enforce select: the higher priority, then the older policy, then the name. The loser is Ready with reason Outranked, or at equal priority Stalled with reason Conflicted."},"mode":{"type":"string","enum":["Enforce","Plan"],"default":"Enforce","description":"Enforce partitions the nodes. Plan reports in status what would change, and changes nothing. It takes no node from another policy; a policy that turns from Enforce to Plan keeps its nodes."},"strategy":{"type":"string","enum":["none","single","mixed"],"description":"How the device plugin advertises the GPUs; must be its own MIG strategy. none: whole GPUs as nvidia.com/gpu, without MIG. single: each slice as nvidia.com/gpu; all slices of a node have one profile. mixed: one resource per profile, for example nvidia.com/mig-1g.5gb."},"demand":{"type":"object","description":"Instead of layouts: the slices that all selected nodes offer together. The controller chooses the layouts with the fewest changes: docs/demand.md.","required":["slices"],"properties":{"slices":{"type":"array","description":"The wanted slices, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them.","minItems":1,"maxItems":16,"items":{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example small. Absent: the first profile, the memory, or whole."},"profiles":{"type":"array","description":"Profiles or globs, any of which serves, for example [1g.5gb, 1g.10gb] or [\"1g.*\"]. A glob without a + matches only plain profiles, without +me and the like. The smallest that serves is made.","minItems":1,"maxItems":16,"items":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[1-9*?][0-9abefglmx.+*?-]*$"}},"memory":{"type":"string","maxLength":12,"pattern":"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$","description":"Instead of profiles: any plain profile with at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi. A 1g.5gb of an A100 has less than 5Gi: gpu-partition recommend --size."},"mig":{"type":"string","enum":["Disabled"],"description":"Instead of profiles: whole GPUs (MIG mode off), which pods request as nvidia.com/gpu."},"count":{"type":"integer","minimum":0,"maximum":100000,"description":"Slices over all selected nodes, those in use included."},"min":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Minimum, whatever pods ask for. Absent: 0."},"max":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Maximum, whatever pods ask for. Absent: no limit."},"spare":{"description":"With from: Pods or Kueue. Slices kept free beyond those in use and waited for: a number, or a percentage of these, rounded up. Example: 2.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":100000,"pattern":"^(100|[1-9]?[0-9])%$"},"weight":{"type":"integer","minimum":1,"maximum":1000000,"description":"Decides what goes short if not everything fits: the cost of each slice that cannot be offered; spare ones go short first. Absent: the memory slices of its smallest profile."}},"additionalProperties":false}},"from":{"type":"string","enum":["Declared","Pods","Kueue"],"description":"Declared (or absent): each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests for nvidia.com/mig-PROFILE, or nvidia.com/gpu for whole GPUs. Kueue: Pods, and jobs that Kueue has not admitted."},"namespaceSelector":{"type":"object","description":"With from: Pods or Kueue. Only pods in these namespaces count. Example: matchLabels: {team: vision}. Absent, or empty: those in all namespaces.","properties":{"matchLabels":{"type":"object","description":"Labels that a namespace must carry. Example: {kubernetes.io/metadata.name: vision}.","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","description":"Requirements on the labels of a namespace. Example: {key: team, operator: In, values: [vision, speech]}.","maxItems":16,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","minLength":1,"maxLength":317,"description":"Key of the label."},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"],"description":"How the label is compared with values."},"values":{"type":"array","description":"Values for In and NotIn; none for Exists and DoesNotExist.","maxItems":64,"items":{"type":"string","maxLength":63}}},"additionalProperties":false}}},"additionalProperties":false},"evict":{"type":"string","enum":["Never","IfNeeded"],"description":"Never (or absent): only idle slices are given up; no pod is evicted, whatever spec.drain says. IfNeeded: pods also go, within spec.drain, for waiting pods of higher priority, and pods of priority 0 or less for a count."},"rest":{"type":"string","enum":["Keep","Whole","Balanced"],"description":"Idle GPUs that the demand does not need. Keep (or absent): they stay. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it."},"stabilization":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"With from: Pods or Kueue. How long pods must ask for less before the demand falls, for example 1h. It rises after 1m, or after this long if that is shorter. Absent: 10m."},"cooldown":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long a GPU is left alone after its layout has changed, unless only it can offer a wanted slice: then it changes once more at most. For example 1h. Absent: 30m."}},"additionalProperties":false},"backend":{"type":"string","enum":["DevicePlugin","DRA","Auto"],"default":"DevicePlugin","description":"What offers the slices. DevicePlugin: NVIDIA's device plugin, as resources such as nvidia.com/mig-1g.5gb. DRA: NVIDIA's DRA driver (gpu.nvidia.com, without its gate DynamicMIG), as devices of ResourceSlices; needs strategy mixed. Auto: found out for each node by what is there; also needs strategy mixed. A node on which both offer GPUs is left alone with reason BackendMismatch."},"dra":{"type":"object","description":"Settings of backend DRA, and of Auto.","properties":{"deviceClasses":{"type":"string","enum":["Managed"],"description":"Managed: the controller keeps the DeviceClasses that gpu-partition export dra prints; it deletes none. Absent: they are yours to apply."}},"additionalProperties":false},"layouts":{"type":"array","description":"The first entry that matches a GPU applies; a GPU that matches none is left alone. Set exactly one of layouts and demand.","minItems":1,"maxItems":64,"items":{"type":"object","properties":{"gpus":{"type":"object","description":"Selects the GPUs of this entry: all fields that are set must match. Absent or empty: every GPU. Example: {models: [\"A100-*-40GB\"], indices: [0, 1]}.","properties":{"models":{"type":"array","description":"GPU models as globs, for example \"A100-*-40GB\". Compared, ignoring case, with the model id (a100-40gb) and with the product name of GPU Feature Discovery without NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).","minItems":1,"maxItems":32,"items":{"type":"string","minLength":1,"maxLength":63,"pattern":"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"}},"indices":{"type":"array","description":"GPU indices as nvidia-smi -L prints them, for example [0, 1].","minItems":1,"maxItems":32,"items":{"type":"integer","minimum":0,"maximum":63}},"uuids":{"type":"array","description":"GPU UUIDs, as nvidia-smi -L prints them: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.","minItems":1,"maxItems":64,"items":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}},"pciDeviceIds":{"type":"array","description":"PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.","minItems":1,"maxItems":32,"items":{"type":"string","maxLength":10,"pattern":"^0x[0-9a-fA-F]{4}10[dD][eE]$"}},"count":{"type":"integer","minimum":1,"maximum":64,"description":"Takes exactly this many of a node's matching GPUs, so that the fewest instances are destroyed, and keeps this choice. A node with fewer is refused; on a node with none the entry is skipped."}},"additionalProperties":false},"profiles":{"type":"object","description":"The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.","minProperties":1,"maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"preset":{"type":"string","maxLength":32,"pattern":"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$","description":"A layout made from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off)."},"mig":{"type":"string","enum":["Disabled"],"description":"Disabled: the GPU is whole, with MIG mode off. A GPU without MIG already matches."}},"additionalProperties":false}},"schedules":{"type":"array","description":"Times with their own layouts or demand, for example a night shift. The first that is open applies; outside of all of them, the policy's own. A switch is a rollout: docs/rollout.md.","minItems":1,"maxItems":8,"items":{"type":"object","required":["name","schedule","duration"],"properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example night."},"schedule":{"type":"string","maxLength":64,"pattern":"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$","description":"Start, as a cron expression with five fields, for example 0 22 * * 1-5."},"duration":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long it lasts, for example 8h."},"timeZone":{"type":"string","maxLength":64,"description":"IANA time zone of schedule, for example Europe/Berlin. Absent: UTC."},"layouts":{"type":"array","description":"The first entry that matches a GPU applies; a GPU that matches none is left alone. Set exactly one of layouts and demand.","minItems":1,"maxItems":64,"items":{"type":"object","properties":{"gpus":{"type":"object","description":"Selects the GPUs of this entry: all fields that are set must match. Absent or empty: every GPU. Example: {models: [\"A100-*-40GB\"], indices: [0, 1]}.","properties":{"models":{"type":"array","description":"GPU models as globs, for example \"A100-*-40GB\". Compared, ignoring case, with the model id (a100-40gb) and with the product name of GPU Feature Discovery without NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).","minItems":1,"maxItems":32,"items":{"type":"string","minLength":1,"maxLength":63,"pattern":"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"}},"indices":{"type":"array","description":"GPU indices as nvidia-smi -L prints them, for example [0, 1].","minItems":1,"maxItems":32,"items":{"type":"integer","minimum":0,"maximum":63}},"uuids":{"type":"array","description":"GPU UUIDs, as nvidia-smi -L prints them: GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.","minItems":1,"maxItems":64,"items":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}},"pciDeviceIds":{"type":"array","description":"PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.","minItems":1,"maxItems":32,"items":{"type":"string","maxLength":10,"pattern":"^0x[0-9a-fA-F]{4}10[dD][eE]$"}},"count":{"type":"integer","minimum":1,"maximum":64,"description":"Takes exactly this many of a node's matching GPUs, so that the fewest instances are destroyed, and keeps this choice. A node with fewer is refused; on a node with none the entry is skipped."}},"additionalProperties":false},"profiles":{"type":"object","description":"The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.","minProperties":1,"maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"preset":{"type":"string","maxLength":32,"pattern":"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$","description":"A layout made from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off)."},"mig":{"type":"string","enum":["Disabled"],"description":"Disabled: the GPU is whole, with MIG mode off. A GPU without MIG already matches."}},"additionalProperties":false}},"demand":{"type":"object","description":"Instead of layouts: the slices that all selected nodes offer together. The controller chooses the layouts with the fewest changes: docs/demand.md.","required":["slices"],"properties":{"slices":{"type":"array","description":"The wanted slices, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them.","minItems":1,"maxItems":16,"items":{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example small. Absent: the first profile, the memory, or whole."},"profiles":{"type":"array","description":"Profiles or globs, any of which serves, for example [1g.5gb, 1g.10gb] or [\"1g.*\"]. A glob without a + matches only plain profiles, without +me and the like. The smallest that serves is made.","minItems":1,"maxItems":16,"items":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[1-9*?][0-9abefglmx.+*?-]*$"}},"memory":{"type":"string","maxLength":12,"pattern":"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$","description":"Instead of profiles: any plain profile with at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi. A 1g.5gb of an A100 has less than 5Gi: gpu-partition recommend --size."},"mig":{"type":"string","enum":["Disabled"],"description":"Instead of profiles: whole GPUs (MIG mode off), which pods request as nvidia.com/gpu."},"count":{"type":"integer","minimum":0,"maximum":100000,"description":"Slices over all selected nodes, those in use included."},"min":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Minimum, whatever pods ask for. Absent: 0."},"max":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. Maximum, whatever pods ask for. Absent: no limit."},"spare":{"description":"With from: Pods or Kueue. Slices kept free beyond those in use and waited for: a number, or a percentage of these, rounded up. Example: 2.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":100000,"pattern":"^(100|[1-9]?[0-9])%$"},"weight":{"type":"integer","minimum":1,"maximum":1000000,"description":"Decides what goes short if not everything fits: the cost of each slice that cannot be offered; spare ones go short first. Absent: the memory slices of its smallest profile."}},"additionalProperties":false}},"from":{"type":"string","enum":["Declared","Pods","Kueue"],"description":"Declared (or absent): each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests for nvidia.com/mig-PROFILE, or nvidia.com/gpu for whole GPUs. Kueue: Pods, and jobs that Kueue has not admitted."},"namespaceSelector":{"type":"object","description":"With from: Pods or Kueue. Only pods in these namespaces count. Example: matchLabels: {team: vision}. Absent, or empty: those in all namespaces.","properties":{"matchLabels":{"type":"object","description":"Labels that a namespace must carry. Example: {kubernetes.io/metadata.name: vision}.","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","description":"Requirements on the labels of a namespace. Example: {key: team, operator: In, values: [vision, speech]}.","maxItems":16,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","minLength":1,"maxLength":317,"description":"Key of the label."},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"],"description":"How the label is compared with values."},"values":{"type":"array","description":"Values for In and NotIn; none for Exists and DoesNotExist.","maxItems":64,"items":{"type":"string","maxLength":63}}},"additionalProperties":false}}},"additionalProperties":false},"evict":{"type":"string","enum":["Never","IfNeeded"],"description":"Never (or absent): only idle slices are given up; no pod is evicted, whatever spec.drain says. IfNeeded: pods also go, within spec.drain, for waiting pods of higher priority, and pods of priority 0 or less for a count."},"rest":{"type":"string","enum":["Keep","Whole","Balanced"],"description":"Idle GPUs that the demand does not need. Keep (or absent): they stay. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it."},"stabilization":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"With from: Pods or Kueue. How long pods must ask for less before the demand falls, for example 1h. It rises after 1m, or after this long if that is shorter. Absent: 10m."},"cooldown":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long a GPU is left alone after its layout has changed, unless only it can offer a wanted slice: then it changes once more at most. For example 1h. Absent: 30m."}},"additionalProperties":false}},"additionalProperties":false}},"sharing":{"type":"object","description":"Time-slicing on top of slices or whole GPUs. Needs the controller option --device-plugin-config-map.","properties":{"mps":{"type":"object","description":"Not supported, always rejected: NVIDIA's device plugin does not support MPS on MIG devices. The field exists so that the rejection can explain this.","additionalProperties":true},"timeSlicing":{"type":"array","description":"One entry per shared resource. Example: [{resource: nvidia.com/mig-1g.5gb, replicas: 4}].","minItems":1,"maxItems":32,"items":{"type":"object","required":["resource","replicas"],"properties":{"resource":{"type":"string","maxLength":63,"pattern":"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$","description":"Resource that the device plugin advertises: nvidia.com/gpu, or nvidia.com/mig-1g.5gb under strategy mixed."},"replicas":{"type":"integer","minimum":2,"maximum":128,"description":"How many pods share one slice or GPU. They share its memory and its faults."}},"additionalProperties":false}}},"additionalProperties":false},"drain":{"type":"object","default":{},"description":"How pods are evicted from slices that a change destroys.","properties":{"scope":{"type":"string","enum":["Affected","Node","None"],"default":"Affected","description":"Pods to evict. Affected: those on slices that the change destroys. Node: every GPU pod of the node. None: no pod; the node is closed until those on these slices have ended."},"timeout":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","default":"10m","description":"How long a node waits for its pods to terminate, for example 90s, 10m or 1h30m."},"onTimeout":{"type":"string","enum":["Skip","Wait","Force"],"default":"Skip","description":"After timeout. Skip: reopen the node, let another one change, and retry later. Wait: keep waiting. Force: delete the pods with their grace period, past their disruption budgets; needs the verb force on gpupartitionpolicies."},"gracePeriod":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Termination grace period of evicted pods, at least 1s, for example 30s. Absent: each pod's own."}},"additionalProperties":false},"rollout":{"type":"object","default":{},"description":"How a change rolls through the nodes of this policy.","properties":{"maxUnavailable":{"description":"Nodes that may be unavailable at a time, NotReady and Failed ones included: a number, or a percentage of the policy's nodes with GPUs, rounded down but at least 1. 0 holds the rollout. Example: 10%.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"canary":{"type":"object","description":"Nodes that change before all others. If one fails, the rollout halts. Absent: no canary. Example: {nodes: 1, soak: 10m}.","required":["nodes"],"properties":{"nodes":{"type":"integer","minimum":1,"maximum":1000,"description":"How many nodes change first."},"soak":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long all canary nodes must be Ready before other nodes change, for example 10m. Absent: no wait."}},"additionalProperties":false},"failureThreshold":{"description":"Failed nodes that halt the rollout (reason Halted): a number, or a percentage as in maxUnavailable. No new node starts then; failed nodes are retried. Example: 3.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":1,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"windows":{"type":"array","description":"Maintenance windows in which nodes may start to change; a node that has started finishes. Absent: always.","minItems":1,"maxItems":16,"items":{"type":"object","required":["schedule","duration"],"properties":{"schedule":{"type":"string","maxLength":64,"pattern":"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$","description":"Start, as a cron expression with five fields, for example 0 22 * * 1-5."},"duration":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Length of the window, for example 6h."},"timeZone":{"type":"string","maxLength":64,"description":"IANA time zone of schedule, for example Europe/Berlin. Absent: UTC."}},"additionalProperties":false}},"paused":{"type":"boolean","default":false,"description":"True: no further node starts to change. Nodes that have started finish."},"rollback":{"type":"string","enum":["OnFailure","Never"],"default":"OnFailure","description":"OnFailure: a GPU whose change fails gets its previous layout back, placements included. Never: it stays as it is."}},"additionalProperties":false},"allow":{"type":"object","default":{},"description":"What the operator may do beyond creating slices and destroying idle ones.","properties":{"gpuReset":{"type":"boolean","default":true,"description":"Allows the reset of a GPU where a MIG mode change requires it (A100, A30), and with the next change of its layout where its driver asks for it, once all its pods have ended."},"reboot":{"type":"boolean","description":"Allows asking for a reboot where a MIG mode change requires one: the agent creates /run/reboot-required, and kured reboots the node. Needs the verb reboot on gpupartitionpolicies. Absent: false."},"replaceForeignInstances":{"type":"boolean","description":"Allows destroying idle GPU instances that this operator did not create. Absent: false."},"takeOver":{"type":"array","description":"Other owners of the GPUs that the operator may switch off on the selected nodes. Absent: none; such a node is Failed with reason ForeignManager. A pause or a state that mig-manager left on the node is ended, too. Example: [mig-manager].","minItems":1,"maxItems":4,"items":{"type":"string","enum":["mig-manager"]}}},"additionalProperties":false},"onDelete":{"type":"string","enum":["Keep","DisableMig"],"default":"Keep","description":"The GPUs of a deleted policy. Keep: they keep their layouts. DisableMig: they become whole; a finalizer keeps the policy until then."}},"additionalProperties":false},"status":{"type":"object","description":"Observed state. Written by the controller only.","properties":{"observedGeneration":{"type":"integer","description":"Generation of the spec that this status describes."},"acceptedGeneration":{"type":"integer","description":"Newest generation that every selected node that has reported its GPUs could take. Nothing of a newer generation starts."},"inForce":{"type":"object","description":"The generation that decides over nodes: the newest accepted one with mode Enforce, with its spec. It stays in force while a newer generation is not accepted, or only plans.","required":["generation","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false},"history":{"type":"array","description":"The generations that came in force, newest first, each with its spec: `gpu-partition undo` goes back to one of them. At most 256 kB together: the oldest are dropped.","maxItems":20,"items":{"type":"object","required":["generation","time","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"time":{"type":"string","description":"When it was written."},"manager":{"type":"string","maxLength":128,"description":"Field manager that wrote it, as managedFields had it then."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false}},"summary":{"type":"string","maxLength":256,"description":"Summary for the printer column, for example \"31/40 ready, 4 updating\"."},"conditions":{"type":"array","description":"Ready, Reconciling and Stalled (kstatus), Valid, and DemandMet for a policy with a demand.","maxItems":16,"items":{"type":"object","required":["type","status","reason","message","lastTransitionTime"],"properties":{"type":{"type":"string","maxLength":316,"description":"Type of the condition."},"status":{"type":"string","enum":["True","False","Unknown"],"description":"Whether the condition holds."},"reason":{"type":"string","maxLength":1024,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":8192,"description":"Human-readable explanation."},"lastTransitionTime":{"type":"string","description":"When status last changed."},"observedGeneration":{"type":"integer","description":"Generation of the spec that the condition describes."}},"additionalProperties":false}},"nodes":{"type":"object","description":"Number of selected nodes by state.","properties":{"matched":{"type":"integer","description":"Nodes that nodeSelector matches."},"ready":{"type":"integer","description":"Nodes whose device, labels and advertised resources match the policy."},"updating":{"type":"integer","description":"Nodes that change now."},"pending":{"type":"integer","description":"Nodes that have not started, or that cannot take the policy."},"failed":{"type":"integer","description":"Nodes whose last attempt failed."},"outranked":{"type":"integer","description":"Nodes that a policy of higher priority decides over."},"conflicted":{"type":"integer","description":"Nodes that another policy of the same priority won."},"skipped":{"type":"integer","description":"Nodes to whose GPUs no layout of this policy applies."}},"additionalProperties":false},"schedule":{"type":"object","description":"For a policy with spec.schedules: which of them is in force, and what follows.","required":["since"],"properties":{"name":{"type":"string","maxLength":32,"description":"The schedule in force. Absent: the policy's own layouts or demand."},"since":{"type":"string","description":"When the controller switched to it."},"next":{"type":"object","description":"The next switch. Absent: none is known.","required":["time"],"properties":{"name":{"type":"string","maxLength":32,"description":"The schedule that is then in force. Absent: the policy's own layouts or demand."},"time":{"type":"string","description":"When the controller switches."}},"additionalProperties":false}},"additionalProperties":false},"demand":{"type":"array","description":"The slices of spec.demand: what is wanted, and what exists.","maxItems":16,"items":{"type":"object","required":["name","wanted","offered","used","unmet"],"properties":{"name":{"type":"string","maxLength":32,"description":"Name of the slice."},"wanted":{"type":"integer","description":"Slices wanted."},"offered":{"type":"integer","description":"Of these, slices that exist on the GPUs now."},"used":{"type":"integer","description":"Instances in use that serve it."},"waiting":{"type":"integer","description":"With from: Pods or Kueue. Slices requested by pods that wait and could run on the selected nodes, and by jobs that Kueue holds back."},"unmet":{"type":"integer","description":"Slices that the last plan could not provide; the others exist or are being made."},"why":{"type":"string","maxLength":1024,"description":"Why some are unmet."}},"additionalProperties":false}},"steady":{"type":"object","description":"With from: Pods or Kueue, by name of the slice: how many pods have asked for long enough, so that a new leader continues with it.","maxProperties":16,"additionalProperties":{"type":"integer","minimum":0}},"defrag":{"type":"object","description":"State of the request in the annotation gpupartition.dev/defrag (`gpu-partition defrag --apply`).","required":["request","state","message"],"properties":{"request":{"type":"string","maxLength":1024,"description":"The annotation. Another value is another request."},"state":{"type":"string","enum":["Making","Done","Refused"],"description":"Making: layouts are chosen so that the slices become idle. Done: they were idle together; it is not repeated. Refused: message says why, and nothing is done for it."},"message":{"type":"string","maxLength":1024,"description":"What is done, or why not."}},"additionalProperties":false},"plan":{"type":"object","description":"The remaining work on all selected nodes.","properties":{"gpusChanging":{"type":"integer","description":"GPUs whose layout differs from what the policy asks for."},"instancesKept":{"type":"integer","description":"GPU instances that are kept."},"instancesDestroyed":{"type":"integer","description":"GPU instances to destroy."},"instancesCreated":{"type":"integer","description":"GPU instances to create."},"podsToEvict":{"type":"integer","description":"Pods on instances to destroy."}},"additionalProperties":false},"inFlight":{"type":"array","description":"The ledger: nodes with a slot, from their admission until they are verified or given up.","maxItems":500,"items":{"type":"object","required":["node","nodeUID"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"nodeUID":{"type":"string","maxLength":64,"description":"UID of the node."},"epoch":{"type":"integer","description":"No longer written or read: startTime tells one slot of a node from the next."},"generation":{"type":"integer","description":"Generation of the policy that the node was admitted for."},"startTime":{"type":"string","description":"When the node was admitted."},"deadline":{"type":"string","description":"When its pods must have terminated, if they are evicted at once: spec.drain.timeout counts from the first eviction."},"kind":{"type":"string","enum":["Fresh","Repair","Retry","New","Found"],"description":"Why the node was admitted. Fresh: already tainted, so not counted against maxUnavailable. Repair: something else changed its GPUs. Retry: it failed before. New: a new change. Found: a new leader found it changing."}},"additionalProperties":false}},"canary":{"type":"object","required":["generation","nodes"],"description":"The canary nodes of a generation.","properties":{"generation":{"type":"integer","description":"Generation of the policy that they are the canary of."},"schedule":{"type":"string","maxLength":32,"description":"The schedule that they are the canary of: each switch has its own."},"nodes":{"type":"array","maxItems":1000,"items":{"type":"string","maxLength":253},"description":"Names of the canary nodes."},"readySince":{"type":"string","description":"Since when all of them are Ready. The soak counts from here."},"passedTime":{"type":"string","description":"When all of them had been Ready for the soak. What happens to them later no longer matters to the rollout."}},"additionalProperties":false},"pace":{"type":"object","required":["generation","nodes","seconds"],"description":"How long changes of this generation take: what is left of a rollout is estimated from it. Written with the ledger.","properties":{"generation":{"type":"integer","description":"Generation of the policy."},"nodes":{"type":"integer","minimum":1,"description":"Nodes that were admitted for it and have been verified since."},"seconds":{"type":"integer","minimum":0,"description":"How long that took, from admission until verified, all of them together."}},"additionalProperties":false},"limits":{"type":"object","required":["nodes","maxUnavailable","maxConcurrentNodes"],"description":"What the rollout may do now, in numbers of nodes.","properties":{"nodes":{"type":"integer","minimum":0,"description":"Nodes with GPUs over which the policy decides. Percentages in `spec.rollout` are of these."},"maxUnavailable":{"type":"integer","minimum":0,"description":"How many of them may be unavailable at a time."},"maxConcurrentNodes":{"type":"integer","minimum":0,"description":"How many nodes of all policies may change at a time: the controller's `--max-concurrent-nodes`."}},"additionalProperties":false},"failures":{"type":"array","description":"Nodes whose last attempt failed, and why.","maxItems":50,"items":{"type":"object","required":["node","reason","message"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"reason":{"type":"string","maxLength":64,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":1024,"description":"What failed, on which GPU and instance, and what to do."},"time":{"type":"string","description":"When the attempt failed."}},"additionalProperties":false}}},"additionalProperties":false}},"additionalProperties":false,"title":"GpuPartitionPolicy"};
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
if(data15.layouts !== undefined){
let data58 = data15.layouts;
if(Array.isArray(data58)){
if(data58.length > 64){
const err135 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err135];
}
else {
if (vErrors.length < 1000) vErrors.push(err135);
}
errors++;
}
if(data58.length < 1){
const err136 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err136];
}
else {
if (vErrors.length < 1000) vErrors.push(err136);
}
errors++;
}
const len7 = data58.length;
for(let i7=0; i7<len7; i7++){
let data59 = data58[i7];
if(data59 && typeof data59 == "object" && !Array.isArray(data59)){
for(const key13 in data59){
if(!((((key13 === "gpus") || (key13 === "profiles")) || (key13 === "preset")) || (key13 === "mig"))){
const err137 = {instancePath:instancePath+"/spec/layouts/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err137];
}
else {
if (vErrors.length < 1000) vErrors.push(err137);
}
errors++;
}
}
if(data59.gpus !== undefined){
let data60 = data59.gpus;
if(data60 && typeof data60 == "object" && !Array.isArray(data60)){
for(const key14 in data60){
if(!(((((key14 === "models") || (key14 === "indices")) || (key14 === "uuids")) || (key14 === "pciDeviceIds")) || (key14 === "count"))){
const err138 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key14},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err138];
}
else {
if (vErrors.length < 1000) vErrors.push(err138);
}
errors++;
}
}
if(data60.models !== undefined){
let data61 = data60.models;
if(Array.isArray(data61)){
if(data61.length > 32){
const err139 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err139];
}
else {
if (vErrors.length < 1000) vErrors.push(err139);
}
errors++;
}
if(data61.length < 1){
const err140 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err140];
}
else {
if (vErrors.length < 1000) vErrors.push(err140);
}
errors++;
}
const len8 = data61.length;
for(let i8=0; i8<len8; i8++){
let data62 = data61[i8];
if(typeof data62 === "string"){
if(func3(data62) > 63){
const err141 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err141];
}
else {
if (vErrors.length < 1000) vErrors.push(err141);
}
errors++;
}
if(func3(data62) < 1){
const err142 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err142];
}
else {
if (vErrors.length < 1000) vErrors.push(err142);
}
errors++;
}
if(!pattern6.test(data62)){
const err143 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"},message:"must match pattern \""+"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"+"\""};
if(vErrors === null){
vErrors = [err143];
}
else {
if (vErrors.length < 1000) vErrors.push(err143);
}
errors++;
}
}
else {
const err144 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err144];
}
else {
if (vErrors.length < 1000) vErrors.push(err144);
}
errors++;
}
}
}
else {
const err145 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err145];
}
else {
if (vErrors.length < 1000) vErrors.push(err145);
}
errors++;
}
}
if(data60.indices !== undefined){
let data63 = data60.indices;
if(Array.isArray(data63)){
if(data63.length > 32){
const err146 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err146];
}
else {
if (vErrors.length < 1000) vErrors.push(err146);
}
errors++;
}
if(data63.length < 1){
const err147 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err147];
}
else {
if (vErrors.length < 1000) vErrors.push(err147);
}
errors++;
}
const len9 = data63.length;
for(let i9=0; i9<len9; i9++){
let data64 = data63[i9];
if(!((typeof data64 == "number") && (!(data64 % 1) && !isNaN(data64)))){
const err148 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err148];
}
else {
if (vErrors.length < 1000) vErrors.push(err148);
}
errors++;
}
if(typeof data64 == "number"){
if(data64 > 63 || isNaN(data64)){
const err149 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 63},message:"must be <= 63"};
if(vErrors === null){
vErrors = [err149];
}
else {
if (vErrors.length < 1000) vErrors.push(err149);
}
errors++;
}
if(data64 < 0 || isNaN(data64)){
const err150 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err150];
}
else {
if (vErrors.length < 1000) vErrors.push(err150);
}
errors++;
}
}
}
}
else {
const err151 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err151];
}
else {
if (vErrors.length < 1000) vErrors.push(err151);
}
errors++;
}
}
if(data60.uuids !== undefined){
let data65 = data60.uuids;
if(Array.isArray(data65)){
if(data65.length > 64){
const err152 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err152];
}
else {
if (vErrors.length < 1000) vErrors.push(err152);
}
errors++;
}
if(data65.length < 1){
const err153 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err153];
}
else {
if (vErrors.length < 1000) vErrors.push(err153);
}
errors++;
}
const len10 = data65.length;
for(let i10=0; i10<len10; i10++){
let data66 = data65[i10];
if(typeof data66 === "string"){
if(func3(data66) > 64){
const err154 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids/" + i10,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err154];
}
else {
if (vErrors.length < 1000) vErrors.push(err154);
}
errors++;
}
if(!pattern7.test(data66)){
const err155 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids/" + i10,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"+"\""};
if(vErrors === null){
vErrors = [err155];
}
else {
if (vErrors.length < 1000) vErrors.push(err155);
}
errors++;
}
}
else {
const err156 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids/" + i10,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err156];
}
else {
if (vErrors.length < 1000) vErrors.push(err156);
}
errors++;
}
}
}
else {
const err157 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err157];
}
else {
if (vErrors.length < 1000) vErrors.push(err157);
}
errors++;
}
}
if(data60.pciDeviceIds !== undefined){
let data67 = data60.pciDeviceIds;
if(Array.isArray(data67)){
if(data67.length > 32){
const err158 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err158];
}
else {
if (vErrors.length < 1000) vErrors.push(err158);
}
errors++;
}
if(data67.length < 1){
const err159 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err159];
}
else {
if (vErrors.length < 1000) vErrors.push(err159);
}
errors++;
}
const len11 = data67.length;
for(let i11=0; i11<len11; i11++){
let data68 = data67[i11];
if(typeof data68 === "string"){
if(func3(data68) > 10){
const err160 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds/" + i11,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err160];
}
else {
if (vErrors.length < 1000) vErrors.push(err160);
}
errors++;
}
if(!pattern8.test(data68)){
const err161 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds/" + i11,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/pattern",keyword:"pattern",params:{pattern: "^0x[0-9a-fA-F]{4}10[dD][eE]$"},message:"must match pattern \""+"^0x[0-9a-fA-F]{4}10[dD][eE]$"+"\""};
if(vErrors === null){
vErrors = [err161];
}
else {
if (vErrors.length < 1000) vErrors.push(err161);
}
errors++;
}
}
else {
const err162 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds/" + i11,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err162];
}
else {
if (vErrors.length < 1000) vErrors.push(err162);
}
errors++;
}
}
}
else {
const err163 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err163];
}
else {
if (vErrors.length < 1000) vErrors.push(err163);
}
errors++;
}
}
if(data60.count !== undefined){
let data69 = data60.count;
if(!((typeof data69 == "number") && (!(data69 % 1) && !isNaN(data69)))){
const err164 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err164];
}
else {
if (vErrors.length < 1000) vErrors.push(err164);
}
errors++;
}
if(typeof data69 == "number"){
if(data69 > 64 || isNaN(data69)){
const err165 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err165];
}
else {
if (vErrors.length < 1000) vErrors.push(err165);
}
errors++;
}
if(data69 < 1 || isNaN(data69)){
const err166 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err166];
}
else {
if (vErrors.length < 1000) vErrors.push(err166);
}
errors++;
}
}
}
}
else {
const err167 = {instancePath:instancePath+"/spec/layouts/" + i7+"/gpus",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err167];
}
else {
if (vErrors.length < 1000) vErrors.push(err167);
}
errors++;
}
}
if(data59.profiles !== undefined){
let data70 = data59.profiles;
if(data70 && typeof data70 == "object" && !Array.isArray(data70)){
if(Object.keys(data70).length > 32){
const err168 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err168];
}
else {
if (vErrors.length < 1000) vErrors.push(err168);
}
errors++;
}
if(Object.keys(data70).length < 1){
const err169 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"};
if(vErrors === null){
vErrors = [err169];
}
else {
if (vErrors.length < 1000) vErrors.push(err169);
}
errors++;
}
for(const key15 in data70){
let data71 = data70[key15];
if(!((typeof data71 == "number") && (!(data71 % 1) && !isNaN(data71)))){
const err170 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles/" + key15.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err170];
}
else {
if (vErrors.length < 1000) vErrors.push(err170);
}
errors++;
}
if(typeof data71 == "number"){
if(data71 > 16 || isNaN(data71)){
const err171 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles/" + key15.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err171];
}
else {
if (vErrors.length < 1000) vErrors.push(err171);
}
errors++;
}
if(data71 < 1 || isNaN(data71)){
const err172 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles/" + key15.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err172];
}
else {
if (vErrors.length < 1000) vErrors.push(err172);
}
errors++;
}
}
}
}
else {
const err173 = {instancePath:instancePath+"/spec/layouts/" + i7+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err173];
}
else {
if (vErrors.length < 1000) vErrors.push(err173);
}
errors++;
}
}
if(data59.preset !== undefined){
let data72 = data59.preset;
if(typeof data72 === "string"){
if(func3(data72) > 32){
const err174 = {instancePath:instancePath+"/spec/layouts/" + i7+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err174];
}
else {
if (vErrors.length < 1000) vErrors.push(err174);
}
errors++;
}
if(!pattern9.test(data72)){
const err175 = {instancePath:instancePath+"/spec/layouts/" + i7+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/pattern",keyword:"pattern",params:{pattern: "^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"},message:"must match pattern \""+"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"+"\""};
if(vErrors === null){
vErrors = [err175];
}
else {
if (vErrors.length < 1000) vErrors.push(err175);
}
errors++;
}
}
else {
const err176 = {instancePath:instancePath+"/spec/layouts/" + i7+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err176];
}
else {
if (vErrors.length < 1000) vErrors.push(err176);
}
errors++;
}
}
if(data59.mig !== undefined){
let data73 = data59.mig;
if(typeof data73 !== "string"){
const err177 = {instancePath:instancePath+"/spec/layouts/" + i7+"/mig",schemaPath:"#/properties/spec/properties/layouts/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err177];
}
else {
if (vErrors.length < 1000) vErrors.push(err177);
}
errors++;
}
if(!(data73 === "Disabled")){
const err178 = {instancePath:instancePath+"/spec/layouts/" + i7+"/mig",schemaPath:"#/properties/spec/properties/layouts/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.layouts.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err178];
}
else {
if (vErrors.length < 1000) vErrors.push(err178);
}
errors++;
}
}
}
else {
const err179 = {instancePath:instancePath+"/spec/layouts/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err179];
}
else {
if (vErrors.length < 1000) vErrors.push(err179);
}
errors++;
}
}
}
else {
const err180 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err180];
}
else {
if (vErrors.length < 1000) vErrors.push(err180);
}
errors++;
}
}
if(data15.schedules !== undefined){
let data74 = data15.schedules;
if(Array.isArray(data74)){
if(data74.length > 8){
const err181 = {instancePath:instancePath+"/spec/schedules",schemaPath:"#/properties/spec/properties/schedules/maxItems",keyword:"maxItems",params:{limit: 8},message:"must NOT have more than 8 items"};
if(vErrors === null){
vErrors = [err181];
}
else {
if (vErrors.length < 1000) vErrors.push(err181);
}
errors++;
}
if(data74.length < 1){
const err182 = {instancePath:instancePath+"/spec/schedules",schemaPath:"#/properties/spec/properties/schedules/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err182];
}
else {
if (vErrors.length < 1000) vErrors.push(err182);
}
errors++;
}
const len12 = data74.length;
for(let i12=0; i12<len12; i12++){
let data75 = data74[i12];
if(data75 && typeof data75 == "object" && !Array.isArray(data75)){
if(data75.name === undefined){
const err183 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err183];
}
else {
if (vErrors.length < 1000) vErrors.push(err183);
}
errors++;
}
if(data75.schedule === undefined){
const err184 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/required",keyword:"required",params:{missingProperty: "schedule"},message:"must have required property '"+"schedule"+"'"};
if(vErrors === null){
vErrors = [err184];
}
else {
if (vErrors.length < 1000) vErrors.push(err184);
}
errors++;
}
if(data75.duration === undefined){
const err185 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/required",keyword:"required",params:{missingProperty: "duration"},message:"must have required property '"+"duration"+"'"};
if(vErrors === null){
vErrors = [err185];
}
else {
if (vErrors.length < 1000) vErrors.push(err185);
}
errors++;
}
for(const key16 in data75){
if(!((((((key16 === "name") || (key16 === "schedule")) || (key16 === "duration")) || (key16 === "timeZone")) || (key16 === "layouts")) || (key16 === "demand"))){
const err186 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key16},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err186];
}
else {
if (vErrors.length < 1000) vErrors.push(err186);
}
errors++;
}
}
if(data75.name !== undefined){
let data76 = data75.name;
if(typeof data76 === "string"){
if(func3(data76) > 32){
const err187 = {instancePath:instancePath+"/spec/schedules/" + i12+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err187];
}
else {
if (vErrors.length < 1000) vErrors.push(err187);
}
errors++;
}
if(func3(data76) < 1){
const err188 = {instancePath:instancePath+"/spec/schedules/" + i12+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err188];
}
else {
if (vErrors.length < 1000) vErrors.push(err188);
}
errors++;
}
if(!pattern0.test(data76)){
const err189 = {instancePath:instancePath+"/spec/schedules/" + i12+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"},message:"must match pattern \""+"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err189];
}
else {
if (vErrors.length < 1000) vErrors.push(err189);
}
errors++;
}
}
else {
const err190 = {instancePath:instancePath+"/spec/schedules/" + i12+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err190];
}
else {
if (vErrors.length < 1000) vErrors.push(err190);
}
errors++;
}
}
if(data75.schedule !== undefined){
let data77 = data75.schedule;
if(typeof data77 === "string"){
if(func3(data77) > 64){
const err191 = {instancePath:instancePath+"/spec/schedules/" + i12+"/schedule",schemaPath:"#/properties/spec/properties/schedules/items/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err191];
}
else {
if (vErrors.length < 1000) vErrors.push(err191);
}
errors++;
}
if(!pattern11.test(data77)){
const err192 = {instancePath:instancePath+"/spec/schedules/" + i12+"/schedule",schemaPath:"#/properties/spec/properties/schedules/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"},message:"must match pattern \""+"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"+"\""};
if(vErrors === null){
vErrors = [err192];
}
else {
if (vErrors.length < 1000) vErrors.push(err192);
}
errors++;
}
}
else {
const err193 = {instancePath:instancePath+"/spec/schedules/" + i12+"/schedule",schemaPath:"#/properties/spec/properties/schedules/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err193];
}
else {
if (vErrors.length < 1000) vErrors.push(err193);
}
errors++;
}
}
if(data75.duration !== undefined){
let data78 = data75.duration;
if(typeof data78 === "string"){
if(func3(data78) > 16){
const err194 = {instancePath:instancePath+"/spec/schedules/" + i12+"/duration",schemaPath:"#/properties/spec/properties/schedules/items/properties/duration/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err194];
}
else {
if (vErrors.length < 1000) vErrors.push(err194);
}
errors++;
}
if(!pattern4.test(data78)){
const err195 = {instancePath:instancePath+"/spec/schedules/" + i12+"/duration",schemaPath:"#/properties/spec/properties/schedules/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err195];
}
else {
if (vErrors.length < 1000) vErrors.push(err195);
}
errors++;
}
}
else {
const err196 = {instancePath:instancePath+"/spec/schedules/" + i12+"/duration",schemaPath:"#/properties/spec/properties/schedules/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err196];
}
else {
if (vErrors.length < 1000) vErrors.push(err196);
}
errors++;
}
}
if(data75.timeZone !== undefined){
let data79 = data75.timeZone;
if(typeof data79 === "string"){
if(func3(data79) > 64){
const err197 = {instancePath:instancePath+"/spec/schedules/" + i12+"/timeZone",schemaPath:"#/properties/spec/properties/schedules/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err197];
}
else {
if (vErrors.length < 1000) vErrors.push(err197);
}
errors++;
}
}
else {
const err198 = {instancePath:instancePath+"/spec/schedules/" + i12+"/timeZone",schemaPath:"#/properties/spec/properties/schedules/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err198];
}
else {
if (vErrors.length < 1000) vErrors.push(err198);
}
errors++;
}
}
if(data75.layouts !== undefined){
let data80 = data75.layouts;
if(Array.isArray(data80)){
if(data80.length > 64){
const err199 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err199];
}
else {
if (vErrors.length < 1000) vErrors.push(err199);
}
errors++;
}
if(data80.length < 1){
const err200 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err200];
}
else {
if (vErrors.length < 1000) vErrors.push(err200);
}
errors++;
}
const len13 = data80.length;
for(let i13=0; i13<len13; i13++){
let data81 = data80[i13];
if(data81 && typeof data81 == "object" && !Array.isArray(data81)){
for(const key17 in data81){
if(!((((key17 === "gpus") || (key17 === "profiles")) || (key17 === "preset")) || (key17 === "mig"))){
const err201 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key17},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err201];
}
else {
if (vErrors.length < 1000) vErrors.push(err201);
}
errors++;
}
}
if(data81.gpus !== undefined){
let data82 = data81.gpus;
if(data82 && typeof data82 == "object" && !Array.isArray(data82)){
for(const key18 in data82){
if(!(((((key18 === "models") || (key18 === "indices")) || (key18 === "uuids")) || (key18 === "pciDeviceIds")) || (key18 === "count"))){
const err202 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key18},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err202];
}
else {
if (vErrors.length < 1000) vErrors.push(err202);
}
errors++;
}
}
if(data82.models !== undefined){
let data83 = data82.models;
if(Array.isArray(data83)){
if(data83.length > 32){
const err203 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err203];
}
else {
if (vErrors.length < 1000) vErrors.push(err203);
}
errors++;
}
if(data83.length < 1){
const err204 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err204];
}
else {
if (vErrors.length < 1000) vErrors.push(err204);
}
errors++;
}
const len14 = data83.length;
for(let i14=0; i14<len14; i14++){
let data84 = data83[i14];
if(typeof data84 === "string"){
if(func3(data84) > 63){
const err205 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err205];
}
else {
if (vErrors.length < 1000) vErrors.push(err205);
}
errors++;
}
if(func3(data84) < 1){
const err206 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err206];
}
else {
if (vErrors.length < 1000) vErrors.push(err206);
}
errors++;
}
if(!pattern6.test(data84)){
const err207 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"},message:"must match pattern \""+"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"+"\""};
if(vErrors === null){
vErrors = [err207];
}
else {
if (vErrors.length < 1000) vErrors.push(err207);
}
errors++;
}
}
else {
const err208 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models/" + i14,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err208];
}
else {
if (vErrors.length < 1000) vErrors.push(err208);
}
errors++;
}
}
}
else {
const err209 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/models",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/models/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err209];
}
else {
if (vErrors.length < 1000) vErrors.push(err209);
}
errors++;
}
}
if(data82.indices !== undefined){
let data85 = data82.indices;
if(Array.isArray(data85)){
if(data85.length > 32){
const err210 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err210];
}
else {
if (vErrors.length < 1000) vErrors.push(err210);
}
errors++;
}
if(data85.length < 1){
const err211 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err211];
}
else {
if (vErrors.length < 1000) vErrors.push(err211);
}
errors++;
}
const len15 = data85.length;
for(let i15=0; i15<len15; i15++){
let data86 = data85[i15];
if(!((typeof data86 == "number") && (!(data86 % 1) && !isNaN(data86)))){
const err212 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices/" + i15,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err212];
}
else {
if (vErrors.length < 1000) vErrors.push(err212);
}
errors++;
}
if(typeof data86 == "number"){
if(data86 > 63 || isNaN(data86)){
const err213 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices/" + i15,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 63},message:"must be <= 63"};
if(vErrors === null){
vErrors = [err213];
}
else {
if (vErrors.length < 1000) vErrors.push(err213);
}
errors++;
}
if(data86 < 0 || isNaN(data86)){
const err214 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices/" + i15,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err214];
}
else {
if (vErrors.length < 1000) vErrors.push(err214);
}
errors++;
}
}
}
}
else {
const err215 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/indices",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/indices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err215];
}
else {
if (vErrors.length < 1000) vErrors.push(err215);
}
errors++;
}
}
if(data82.uuids !== undefined){
let data87 = data82.uuids;
if(Array.isArray(data87)){
if(data87.length > 64){
const err216 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err216];
}
else {
if (vErrors.length < 1000) vErrors.push(err216);
}
errors++;
}
if(data87.length < 1){
const err217 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err217];
}
else {
if (vErrors.length < 1000) vErrors.push(err217);
}
errors++;
}
const len16 = data87.length;
for(let i16=0; i16<len16; i16++){
let data88 = data87[i16];
if(typeof data88 === "string"){
if(func3(data88) > 64){
const err218 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids/" + i16,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/items/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err218];
}
else {
if (vErrors.length < 1000) vErrors.push(err218);
}
errors++;
}
if(!pattern7.test(data88)){
const err219 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids/" + i16,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/items/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"+"\""};
if(vErrors === null){
vErrors = [err219];
}
else {
if (vErrors.length < 1000) vErrors.push(err219);
}
errors++;
}
}
else {
const err220 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids/" + i16,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err220];
}
else {
if (vErrors.length < 1000) vErrors.push(err220);
}
errors++;
}
}
}
else {
const err221 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/uuids",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/uuids/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err221];
}
else {
if (vErrors.length < 1000) vErrors.push(err221);
}
errors++;
}
}
if(data82.pciDeviceIds !== undefined){
let data89 = data82.pciDeviceIds;
if(Array.isArray(data89)){
if(data89.length > 32){
const err222 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err222];
}
else {
if (vErrors.length < 1000) vErrors.push(err222);
}
errors++;
}
if(data89.length < 1){
const err223 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err223];
}
else {
if (vErrors.length < 1000) vErrors.push(err223);
}
errors++;
}
const len17 = data89.length;
for(let i17=0; i17<len17; i17++){
let data90 = data89[i17];
if(typeof data90 === "string"){
if(func3(data90) > 10){
const err224 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err224];
}
else {
if (vErrors.length < 1000) vErrors.push(err224);
}
errors++;
}
if(!pattern8.test(data90)){
const err225 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/pattern",keyword:"pattern",params:{pattern: "^0x[0-9a-fA-F]{4}10[dD][eE]$"},message:"must match pattern \""+"^0x[0-9a-fA-F]{4}10[dD][eE]$"+"\""};
if(vErrors === null){
vErrors = [err225];
}
else {
if (vErrors.length < 1000) vErrors.push(err225);
}
errors++;
}
}
else {
const err226 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds/" + i17,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err226];
}
else {
if (vErrors.length < 1000) vErrors.push(err226);
}
errors++;
}
}
}
else {
const err227 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/pciDeviceIds/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err227];
}
else {
if (vErrors.length < 1000) vErrors.push(err227);
}
errors++;
}
}
if(data82.count !== undefined){
let data91 = data82.count;
if(!((typeof data91 == "number") && (!(data91 % 1) && !isNaN(data91)))){
const err228 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err228];
}
else {
if (vErrors.length < 1000) vErrors.push(err228);
}
errors++;
}
if(typeof data91 == "number"){
if(data91 > 64 || isNaN(data91)){
const err229 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err229];
}
else {
if (vErrors.length < 1000) vErrors.push(err229);
}
errors++;
}
if(data91 < 1 || isNaN(data91)){
const err230 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err230];
}
else {
if (vErrors.length < 1000) vErrors.push(err230);
}
errors++;
}
}
}
}
else {
const err231 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/gpus",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/gpus/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err231];
}
else {
if (vErrors.length < 1000) vErrors.push(err231);
}
errors++;
}
}
if(data81.profiles !== undefined){
let data92 = data81.profiles;
if(data92 && typeof data92 == "object" && !Array.isArray(data92)){
if(Object.keys(data92).length > 32){
const err232 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err232];
}
else {
if (vErrors.length < 1000) vErrors.push(err232);
}
errors++;
}
if(Object.keys(data92).length < 1){
const err233 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"};
if(vErrors === null){
vErrors = [err233];
}
else {
if (vErrors.length < 1000) vErrors.push(err233);
}
errors++;
}
for(const key19 in data92){
let data93 = data92[key19];
if(!((typeof data93 == "number") && (!(data93 % 1) && !isNaN(data93)))){
const err234 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles/" + key19.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err234];
}
else {
if (vErrors.length < 1000) vErrors.push(err234);
}
errors++;
}
if(typeof data93 == "number"){
if(data93 > 16 || isNaN(data93)){
const err235 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles/" + key19.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err235];
}
else {
if (vErrors.length < 1000) vErrors.push(err235);
}
errors++;
}
if(data93 < 1 || isNaN(data93)){
const err236 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles/" + key19.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err236];
}
else {
if (vErrors.length < 1000) vErrors.push(err236);
}
errors++;
}
}
}
}
else {
const err237 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err237];
}
else {
if (vErrors.length < 1000) vErrors.push(err237);
}
errors++;
}
}
if(data81.preset !== undefined){
let data94 = data81.preset;
if(typeof data94 === "string"){
if(func3(data94) > 32){
const err238 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/preset",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/preset/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err238];
}
else {
if (vErrors.length < 1000) vErrors.push(err238);
}
errors++;
}
if(!pattern9.test(data94)){
const err239 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/preset",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/preset/pattern",keyword:"pattern",params:{pattern: "^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"},message:"must match pattern \""+"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"+"\""};
if(vErrors === null){
vErrors = [err239];
}
else {
if (vErrors.length < 1000) vErrors.push(err239);
}
errors++;
}
}
else {
const err240 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/preset",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/preset/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err240];
}
else {
if (vErrors.length < 1000) vErrors.push(err240);
}
errors++;
}
}
if(data81.mig !== undefined){
let data95 = data81.mig;
if(typeof data95 !== "string"){
const err241 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err241];
}
else {
if (vErrors.length < 1000) vErrors.push(err241);
}
errors++;
}
if(!(data95 === "Disabled")){
const err242 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.layouts.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err242];
}
else {
if (vErrors.length < 1000) vErrors.push(err242);
}
errors++;
}
}
}
else {
const err243 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts/" + i13,schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err243];
}
else {
if (vErrors.length < 1000) vErrors.push(err243);
}
errors++;
}
}
}
else {
const err244 = {instancePath:instancePath+"/spec/schedules/" + i12+"/layouts",schemaPath:"#/properties/spec/properties/schedules/items/properties/layouts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err244];
}
else {
if (vErrors.length < 1000) vErrors.push(err244);
}
errors++;
}
}
if(data75.demand !== undefined){
let data96 = data75.demand;
if(data96 && typeof data96 == "object" && !Array.isArray(data96)){
if(data96.slices === undefined){
const err245 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/required",keyword:"required",params:{missingProperty: "slices"},message:"must have required property '"+"slices"+"'"};
if(vErrors === null){
vErrors = [err245];
}
else {
if (vErrors.length < 1000) vErrors.push(err245);
}
errors++;
}
for(const key20 in data96){
if(!(((((((key20 === "slices") || (key20 === "from")) || (key20 === "namespaceSelector")) || (key20 === "evict")) || (key20 === "rest")) || (key20 === "stabilization")) || (key20 === "cooldown"))){
const err246 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key20},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err246];
}
else {
if (vErrors.length < 1000) vErrors.push(err246);
}
errors++;
}
}
if(data96.slices !== undefined){
let data97 = data96.slices;
if(Array.isArray(data97)){
if(data97.length > 16){
const err247 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err247];
}
else {
if (vErrors.length < 1000) vErrors.push(err247);
}
errors++;
}
if(data97.length < 1){
const err248 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err248];
}
else {
if (vErrors.length < 1000) vErrors.push(err248);
}
errors++;
}
const len18 = data97.length;
for(let i18=0; i18<len18; i18++){
let data98 = data97[i18];
if(data98 && typeof data98 == "object" && !Array.isArray(data98)){
for(const key21 in data98){
if(!(func2.call(schema11.properties.spec.properties.schedules.items.properties.demand.properties.slices.items.properties, key21))){
const err249 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key21},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err249];
}
else {
if (vErrors.length < 1000) vErrors.push(err249);
}
errors++;
}
}
if(data98.name !== undefined){
let data99 = data98.name;
if(typeof data99 === "string"){
if(func3(data99) > 32){
const err250 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err250];
}
else {
if (vErrors.length < 1000) vErrors.push(err250);
}
errors++;
}
if(func3(data99) < 1){
const err251 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err251];
}
else {
if (vErrors.length < 1000) vErrors.push(err251);
}
errors++;
}
if(!pattern0.test(data99)){
const err252 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"},message:"must match pattern \""+"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err252];
}
else {
if (vErrors.length < 1000) vErrors.push(err252);
}
errors++;
}
}
else {
const err253 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/name",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err253];
}
else {
if (vErrors.length < 1000) vErrors.push(err253);
}
errors++;
}
}
if(data98.profiles !== undefined){
let data100 = data98.profiles;
if(Array.isArray(data100)){
if(data100.length > 16){
const err254 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err254];
}
else {
if (vErrors.length < 1000) vErrors.push(err254);
}
errors++;
}
if(data100.length < 1){
const err255 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err255];
}
else {
if (vErrors.length < 1000) vErrors.push(err255);
}
errors++;
}
const len19 = data100.length;
for(let i19=0; i19<len19; i19++){
let data101 = data100[i19];
if(typeof data101 === "string"){
if(func3(data101) > 32){
const err256 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles/" + i19,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err256];
}
else {
if (vErrors.length < 1000) vErrors.push(err256);
}
errors++;
}
if(func3(data101) < 1){
const err257 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles/" + i19,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err257];
}
else {
if (vErrors.length < 1000) vErrors.push(err257);
}
errors++;
}
if(!pattern1.test(data101)){
const err258 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles/" + i19,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/pattern",keyword:"pattern",params:{pattern: "^[1-9*?][0-9abefglmx.+*?-]*$"},message:"must match pattern \""+"^[1-9*?][0-9abefglmx.+*?-]*$"+"\""};
if(vErrors === null){
vErrors = [err258];
}
else {
if (vErrors.length < 1000) vErrors.push(err258);
}
errors++;
}
}
else {
const err259 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles/" + i19,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
else {
const err260 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/profiles",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err260];
}
else {
if (vErrors.length < 1000) vErrors.push(err260);
}
errors++;
}
}
if(data98.memory !== undefined){
let data102 = data98.memory;
if(typeof data102 === "string"){
if(func3(data102) > 12){
const err261 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/memory",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/memory/maxLength",keyword:"maxLength",params:{limit: 12},message:"must NOT have more than 12 characters"};
if(vErrors === null){
vErrors = [err261];
}
else {
if (vErrors.length < 1000) vErrors.push(err261);
}
errors++;
}
if(!pattern2.test(data102)){
const err262 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/memory",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/memory/pattern",keyword:"pattern",params:{pattern: "^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$"},message:"must match pattern \""+"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$"+"\""};
if(vErrors === null){
vErrors = [err262];
}
else {
if (vErrors.length < 1000) vErrors.push(err262);
}
errors++;
}
}
else {
const err263 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/memory",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/memory/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err263];
}
else {
if (vErrors.length < 1000) vErrors.push(err263);
}
errors++;
}
}
if(data98.mig !== undefined){
let data103 = data98.mig;
if(typeof data103 !== "string"){
const err264 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err264];
}
else {
if (vErrors.length < 1000) vErrors.push(err264);
}
errors++;
}
if(!(data103 === "Disabled")){
const err265 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/mig",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.slices.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err265];
}
else {
if (vErrors.length < 1000) vErrors.push(err265);
}
errors++;
}
}
if(data98.count !== undefined){
let data104 = data98.count;
if(!((typeof data104 == "number") && (!(data104 % 1) && !isNaN(data104)))){
const err266 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err266];
}
else {
if (vErrors.length < 1000) vErrors.push(err266);
}
errors++;
}
if(typeof data104 == "number"){
if(data104 > 100000 || isNaN(data104)){
const err267 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err267];
}
else {
if (vErrors.length < 1000) vErrors.push(err267);
}
errors++;
}
if(data104 < 0 || isNaN(data104)){
const err268 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/count",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
if(data98.min !== undefined){
let data105 = data98.min;
if(!((typeof data105 == "number") && (!(data105 % 1) && !isNaN(data105)))){
const err269 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/min",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/min/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err269];
}
else {
if (vErrors.length < 1000) vErrors.push(err269);
}
errors++;
}
if(typeof data105 == "number"){
if(data105 > 100000 || isNaN(data105)){
const err270 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/min",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/min/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err270];
}
else {
if (vErrors.length < 1000) vErrors.push(err270);
}
errors++;
}
if(data105 < 0 || isNaN(data105)){
const err271 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/min",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/min/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err271];
}
else {
if (vErrors.length < 1000) vErrors.push(err271);
}
errors++;
}
}
}
if(data98.max !== undefined){
let data106 = data98.max;
if(!((typeof data106 == "number") && (!(data106 % 1) && !isNaN(data106)))){
const err272 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/max",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/max/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err272];
}
else {
if (vErrors.length < 1000) vErrors.push(err272);
}
errors++;
}
if(typeof data106 == "number"){
if(data106 > 100000 || isNaN(data106)){
const err273 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/max",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/max/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err273];
}
else {
if (vErrors.length < 1000) vErrors.push(err273);
}
errors++;
}
if(data106 < 0 || isNaN(data106)){
const err274 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/max",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/max/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err274];
}
else {
if (vErrors.length < 1000) vErrors.push(err274);
}
errors++;
}
}
}
if(data98.spare !== undefined){
let data107 = data98.spare;
const _errs243 = errors;
let valid64 = false;
const _errs244 = errors;
if(!((typeof data107 == "number") && (!(data107 % 1) && !isNaN(data107)))){
const err275 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err275];
}
else {
if (vErrors.length < 1000) vErrors.push(err275);
}
errors++;
}
var _valid1 = _errs244 === errors;
valid64 = valid64 || _valid1;
if(!valid64){
const _errs246 = errors;
if(typeof data107 !== "string"){
const err276 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err276];
}
else {
if (vErrors.length < 1000) vErrors.push(err276);
}
errors++;
}
var _valid1 = _errs246 === errors;
valid64 = valid64 || _valid1;
}
if(!valid64){
const err277 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err277];
}
else {
if (vErrors.length < 1000) vErrors.push(err277);
}
errors++;
}
else {
errors = _errs243;
if(vErrors !== null){
if(_errs243){
vErrors.length = Math.min(vErrors.length, _errs243);
}
else {
vErrors = null;
}
}
}
if(typeof data107 == "number"){
if(data107 > 100000 || isNaN(data107)){
const err278 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err278];
}
else {
if (vErrors.length < 1000) vErrors.push(err278);
}
errors++;
}
if(data107 < 0 || isNaN(data107)){
const err279 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err279];
}
else {
if (vErrors.length < 1000) vErrors.push(err279);
}
errors++;
}
}
if(typeof data107 === "string"){
if(!pattern3.test(data107)){
const err280 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/spare",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/spare/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
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
if(data98.weight !== undefined){
let data108 = data98.weight;
if(!((typeof data108 == "number") && (!(data108 % 1) && !isNaN(data108)))){
const err281 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/weight",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/weight/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err281];
}
else {
if (vErrors.length < 1000) vErrors.push(err281);
}
errors++;
}
if(typeof data108 == "number"){
if(data108 > 1000000 || isNaN(data108)){
const err282 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/weight",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/weight/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err282];
}
else {
if (vErrors.length < 1000) vErrors.push(err282);
}
errors++;
}
if(data108 < 1 || isNaN(data108)){
const err283 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18+"/weight",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/properties/weight/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
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
}
else {
const err284 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices/" + i18,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err284];
}
else {
if (vErrors.length < 1000) vErrors.push(err284);
}
errors++;
}
}
}
else {
const err285 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/slices",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/slices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err285];
}
else {
if (vErrors.length < 1000) vErrors.push(err285);
}
errors++;
}
}
if(data96.from !== undefined){
let data109 = data96.from;
if(typeof data109 !== "string"){
const err286 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/from",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/from/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err286];
}
else {
if (vErrors.length < 1000) vErrors.push(err286);
}
errors++;
}
if(!(((data109 === "Declared") || (data109 === "Pods")) || (data109 === "Kueue"))){
const err287 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/from",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/from/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.from.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err287];
}
else {
if (vErrors.length < 1000) vErrors.push(err287);
}
errors++;
}
}
if(data96.namespaceSelector !== undefined){
let data110 = data96.namespaceSelector;
if(data110 && typeof data110 == "object" && !Array.isArray(data110)){
for(const key22 in data110){
if(!((key22 === "matchLabels") || (key22 === "matchExpressions"))){
const err288 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key22},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err288];
}
else {
if (vErrors.length < 1000) vErrors.push(err288);
}
errors++;
}
}
if(data110.matchLabels !== undefined){
let data111 = data110.matchLabels;
if(data111 && typeof data111 == "object" && !Array.isArray(data111)){
if(Object.keys(data111).length > 16){
const err289 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchLabels",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchLabels/maxProperties",keyword:"maxProperties",params:{limit: 16},message:"must NOT have more than 16 properties"};
if(vErrors === null){
vErrors = [err289];
}
else {
if (vErrors.length < 1000) vErrors.push(err289);
}
errors++;
}
for(const key23 in data111){
let data112 = data111[key23];
if(typeof data112 === "string"){
if(func3(data112) > 63){
const err290 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchLabels/" + key23.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchLabels/additionalProperties/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err290];
}
else {
if (vErrors.length < 1000) vErrors.push(err290);
}
errors++;
}
}
else {
const err291 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchLabels/" + key23.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchLabels/additionalProperties/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err291];
}
else {
if (vErrors.length < 1000) vErrors.push(err291);
}
errors++;
}
}
}
else {
const err292 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchLabels",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchLabels/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err292];
}
else {
if (vErrors.length < 1000) vErrors.push(err292);
}
errors++;
}
}
if(data110.matchExpressions !== undefined){
let data113 = data110.matchExpressions;
if(Array.isArray(data113)){
if(data113.length > 16){
const err293 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err293];
}
else {
if (vErrors.length < 1000) vErrors.push(err293);
}
errors++;
}
const len20 = data113.length;
for(let i20=0; i20<len20; i20++){
let data114 = data113[i20];
if(data114 && typeof data114 == "object" && !Array.isArray(data114)){
if(data114.key === undefined){
const err294 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "key"},message:"must have required property '"+"key"+"'"};
if(vErrors === null){
vErrors = [err294];
}
else {
if (vErrors.length < 1000) vErrors.push(err294);
}
errors++;
}
if(data114.operator === undefined){
const err295 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/required",keyword:"required",params:{missingProperty: "operator"},message:"must have required property '"+"operator"+"'"};
if(vErrors === null){
vErrors = [err295];
}
else {
if (vErrors.length < 1000) vErrors.push(err295);
}
errors++;
}
for(const key24 in data114){
if(!(((key24 === "key") || (key24 === "operator")) || (key24 === "values"))){
const err296 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key24},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err296];
}
else {
if (vErrors.length < 1000) vErrors.push(err296);
}
errors++;
}
}
if(data114.key !== undefined){
let data115 = data114.key;
if(typeof data115 === "string"){
if(func3(data115) > 317){
const err297 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/key",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/key/maxLength",keyword:"maxLength",params:{limit: 317},message:"must NOT have more than 317 characters"};
if(vErrors === null){
vErrors = [err297];
}
else {
if (vErrors.length < 1000) vErrors.push(err297);
}
errors++;
}
if(func3(data115) < 1){
const err298 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/key",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/key/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err298];
}
else {
if (vErrors.length < 1000) vErrors.push(err298);
}
errors++;
}
}
else {
const err299 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/key",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/key/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err299];
}
else {
if (vErrors.length < 1000) vErrors.push(err299);
}
errors++;
}
}
if(data114.operator !== undefined){
let data116 = data114.operator;
if(typeof data116 !== "string"){
const err300 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/operator",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/operator/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err300];
}
else {
if (vErrors.length < 1000) vErrors.push(err300);
}
errors++;
}
if(!((((data116 === "In") || (data116 === "NotIn")) || (data116 === "Exists")) || (data116 === "DoesNotExist"))){
const err301 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/operator",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/operator/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.namespaceSelector.properties.matchExpressions.items.properties.operator.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err301];
}
else {
if (vErrors.length < 1000) vErrors.push(err301);
}
errors++;
}
}
if(data114.values !== undefined){
let data117 = data114.values;
if(Array.isArray(data117)){
if(data117.length > 64){
const err302 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/values",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err302];
}
else {
if (vErrors.length < 1000) vErrors.push(err302);
}
errors++;
}
const len21 = data117.length;
for(let i21=0; i21<len21; i21++){
let data118 = data117[i21];
if(typeof data118 === "string"){
if(func3(data118) > 63){
const err303 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/values/" + i21,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err303];
}
else {
if (vErrors.length < 1000) vErrors.push(err303);
}
errors++;
}
}
else {
const err304 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/values/" + i21,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err304];
}
else {
if (vErrors.length < 1000) vErrors.push(err304);
}
errors++;
}
}
}
else {
const err305 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20+"/values",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/properties/values/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err305];
}
else {
if (vErrors.length < 1000) vErrors.push(err305);
}
errors++;
}
}
}
else {
const err306 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions/" + i20,schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err307 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector/matchExpressions",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/properties/matchExpressions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err307];
}
else {
if (vErrors.length < 1000) vErrors.push(err307);
}
errors++;
}
}
}
else {
const err308 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/namespaceSelector",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/namespaceSelector/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err308];
}
else {
if (vErrors.length < 1000) vErrors.push(err308);
}
errors++;
}
}
if(data96.evict !== undefined){
let data119 = data96.evict;
if(typeof data119 !== "string"){
const err309 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/evict",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/evict/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err309];
}
else {
if (vErrors.length < 1000) vErrors.push(err309);
}
errors++;
}
if(!((data119 === "Never") || (data119 === "IfNeeded"))){
const err310 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/evict",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/evict/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.evict.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err310];
}
else {
if (vErrors.length < 1000) vErrors.push(err310);
}
errors++;
}
}
if(data96.rest !== undefined){
let data120 = data96.rest;
if(typeof data120 !== "string"){
const err311 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/rest",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/rest/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err311];
}
else {
if (vErrors.length < 1000) vErrors.push(err311);
}
errors++;
}
if(!(((data120 === "Keep") || (data120 === "Whole")) || (data120 === "Balanced"))){
const err312 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/rest",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/rest/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.schedules.items.properties.demand.properties.rest.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err312];
}
else {
if (vErrors.length < 1000) vErrors.push(err312);
}
errors++;
}
}
if(data96.stabilization !== undefined){
let data121 = data96.stabilization;
if(typeof data121 === "string"){
if(func3(data121) > 16){
const err313 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/stabilization",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/stabilization/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err313];
}
else {
if (vErrors.length < 1000) vErrors.push(err313);
}
errors++;
}
if(!pattern4.test(data121)){
const err314 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/stabilization",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/stabilization/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err314];
}
else {
if (vErrors.length < 1000) vErrors.push(err314);
}
errors++;
}
}
else {
const err315 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/stabilization",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/stabilization/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err315];
}
else {
if (vErrors.length < 1000) vErrors.push(err315);
}
errors++;
}
}
if(data96.cooldown !== undefined){
let data122 = data96.cooldown;
if(typeof data122 === "string"){
if(func3(data122) > 16){
const err316 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/cooldown",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/cooldown/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err316];
}
else {
if (vErrors.length < 1000) vErrors.push(err316);
}
errors++;
}
if(!pattern4.test(data122)){
const err317 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/cooldown",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/cooldown/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err317];
}
else {
if (vErrors.length < 1000) vErrors.push(err317);
}
errors++;
}
}
else {
const err318 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand/cooldown",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/properties/cooldown/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err318];
}
else {
if (vErrors.length < 1000) vErrors.push(err318);
}
errors++;
}
}
}
else {
const err319 = {instancePath:instancePath+"/spec/schedules/" + i12+"/demand",schemaPath:"#/properties/spec/properties/schedules/items/properties/demand/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
else {
const err320 = {instancePath:instancePath+"/spec/schedules/" + i12,schemaPath:"#/properties/spec/properties/schedules/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err320];
}
else {
if (vErrors.length < 1000) vErrors.push(err320);
}
errors++;
}
}
}
else {
const err321 = {instancePath:instancePath+"/spec/schedules",schemaPath:"#/properties/spec/properties/schedules/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err321];
}
else {
if (vErrors.length < 1000) vErrors.push(err321);
}
errors++;
}
}
if(data15.sharing !== undefined){
let data123 = data15.sharing;
if(data123 && typeof data123 == "object" && !Array.isArray(data123)){
for(const key25 in data123){
if(!((key25 === "mps") || (key25 === "timeSlicing"))){
const err322 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key25},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err322];
}
else {
if (vErrors.length < 1000) vErrors.push(err322);
}
errors++;
}
}
if(data123.mps !== undefined){
let data124 = data123.mps;
if(data124 && typeof data124 == "object" && !Array.isArray(data124)){
}
else {
const err323 = {instancePath:instancePath+"/spec/sharing/mps",schemaPath:"#/properties/spec/properties/sharing/properties/mps/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err323];
}
else {
if (vErrors.length < 1000) vErrors.push(err323);
}
errors++;
}
}
if(data123.timeSlicing !== undefined){
let data125 = data123.timeSlicing;
if(Array.isArray(data125)){
if(data125.length > 32){
const err324 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err324];
}
else {
if (vErrors.length < 1000) vErrors.push(err324);
}
errors++;
}
if(data125.length < 1){
const err325 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err325];
}
else {
if (vErrors.length < 1000) vErrors.push(err325);
}
errors++;
}
const len22 = data125.length;
for(let i22=0; i22<len22; i22++){
let data126 = data125[i22];
if(data126 && typeof data126 == "object" && !Array.isArray(data126)){
if(data126.resource === undefined){
const err326 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "resource"},message:"must have required property '"+"resource"+"'"};
if(vErrors === null){
vErrors = [err326];
}
else {
if (vErrors.length < 1000) vErrors.push(err326);
}
errors++;
}
if(data126.replicas === undefined){
const err327 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "replicas"},message:"must have required property '"+"replicas"+"'"};
if(vErrors === null){
vErrors = [err327];
}
else {
if (vErrors.length < 1000) vErrors.push(err327);
}
errors++;
}
for(const key26 in data126){
if(!((key26 === "resource") || (key26 === "replicas"))){
const err328 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key26},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err328];
}
else {
if (vErrors.length < 1000) vErrors.push(err328);
}
errors++;
}
}
if(data126.resource !== undefined){
let data127 = data126.resource;
if(typeof data127 === "string"){
if(func3(data127) > 63){
const err329 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err329];
}
else {
if (vErrors.length < 1000) vErrors.push(err329);
}
errors++;
}
if(!pattern23.test(data127)){
const err330 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/pattern",keyword:"pattern",params:{pattern: "^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"},message:"must match pattern \""+"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"+"\""};
if(vErrors === null){
vErrors = [err330];
}
else {
if (vErrors.length < 1000) vErrors.push(err330);
}
errors++;
}
}
else {
const err331 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err331];
}
else {
if (vErrors.length < 1000) vErrors.push(err331);
}
errors++;
}
}
if(data126.replicas !== undefined){
let data128 = data126.replicas;
if(!((typeof data128 == "number") && (!(data128 % 1) && !isNaN(data128)))){
const err332 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err332];
}
else {
if (vErrors.length < 1000) vErrors.push(err332);
}
errors++;
}
if(typeof data128 == "number"){
if(data128 > 128 || isNaN(data128)){
const err333 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/maximum",keyword:"maximum",params:{comparison: "<=", limit: 128},message:"must be <= 128"};
if(vErrors === null){
vErrors = [err333];
}
else {
if (vErrors.length < 1000) vErrors.push(err333);
}
errors++;
}
if(data128 < 2 || isNaN(data128)){
const err334 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/minimum",keyword:"minimum",params:{comparison: ">=", limit: 2},message:"must be >= 2"};
if(vErrors === null){
vErrors = [err334];
}
else {
if (vErrors.length < 1000) vErrors.push(err334);
}
errors++;
}
}
}
}
else {
const err335 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i22,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err335];
}
else {
if (vErrors.length < 1000) vErrors.push(err335);
}
errors++;
}
}
}
else {
const err336 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err336];
}
else {
if (vErrors.length < 1000) vErrors.push(err336);
}
errors++;
}
}
}
else {
const err337 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err337];
}
else {
if (vErrors.length < 1000) vErrors.push(err337);
}
errors++;
}
}
if(data15.drain !== undefined){
let data129 = data15.drain;
if(data129 && typeof data129 == "object" && !Array.isArray(data129)){
for(const key27 in data129){
if(!((((key27 === "scope") || (key27 === "timeout")) || (key27 === "onTimeout")) || (key27 === "gracePeriod"))){
const err338 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key27},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err338];
}
else {
if (vErrors.length < 1000) vErrors.push(err338);
}
errors++;
}
}
if(data129.scope !== undefined){
let data130 = data129.scope;
if(typeof data130 !== "string"){
const err339 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err339];
}
else {
if (vErrors.length < 1000) vErrors.push(err339);
}
errors++;
}
if(!(((data130 === "Affected") || (data130 === "Node")) || (data130 === "None"))){
const err340 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.scope.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err340];
}
else {
if (vErrors.length < 1000) vErrors.push(err340);
}
errors++;
}
}
if(data129.timeout !== undefined){
let data131 = data129.timeout;
if(typeof data131 === "string"){
if(func3(data131) > 16){
const err341 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err341];
}
else {
if (vErrors.length < 1000) vErrors.push(err341);
}
errors++;
}
if(!pattern4.test(data131)){
const err342 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err342];
}
else {
if (vErrors.length < 1000) vErrors.push(err342);
}
errors++;
}
}
else {
const err343 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err343];
}
else {
if (vErrors.length < 1000) vErrors.push(err343);
}
errors++;
}
}
if(data129.onTimeout !== undefined){
let data132 = data129.onTimeout;
if(typeof data132 !== "string"){
const err344 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err344];
}
else {
if (vErrors.length < 1000) vErrors.push(err344);
}
errors++;
}
if(!(((data132 === "Skip") || (data132 === "Wait")) || (data132 === "Force"))){
const err345 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.onTimeout.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err345];
}
else {
if (vErrors.length < 1000) vErrors.push(err345);
}
errors++;
}
}
if(data129.gracePeriod !== undefined){
let data133 = data129.gracePeriod;
if(typeof data133 === "string"){
if(func3(data133) > 16){
const err346 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err346];
}
else {
if (vErrors.length < 1000) vErrors.push(err346);
}
errors++;
}
if(!pattern4.test(data133)){
const err347 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err347];
}
else {
if (vErrors.length < 1000) vErrors.push(err347);
}
errors++;
}
}
else {
const err348 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err348];
}
else {
if (vErrors.length < 1000) vErrors.push(err348);
}
errors++;
}
}
}
else {
const err349 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err349];
}
else {
if (vErrors.length < 1000) vErrors.push(err349);
}
errors++;
}
}
if(data15.rollout !== undefined){
let data134 = data15.rollout;
if(data134 && typeof data134 == "object" && !Array.isArray(data134)){
for(const key28 in data134){
if(!((((((key28 === "maxUnavailable") || (key28 === "canary")) || (key28 === "failureThreshold")) || (key28 === "windows")) || (key28 === "paused")) || (key28 === "rollback"))){
const err350 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key28},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err350];
}
else {
if (vErrors.length < 1000) vErrors.push(err350);
}
errors++;
}
}
if(data134.maxUnavailable !== undefined){
let data135 = data134.maxUnavailable;
const _errs311 = errors;
let valid78 = false;
const _errs312 = errors;
if(!((typeof data135 == "number") && (!(data135 % 1) && !isNaN(data135)))){
const err351 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err351];
}
else {
if (vErrors.length < 1000) vErrors.push(err351);
}
errors++;
}
var _valid2 = _errs312 === errors;
valid78 = valid78 || _valid2;
if(!valid78){
const _errs314 = errors;
if(typeof data135 !== "string"){
const err352 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err352];
}
else {
if (vErrors.length < 1000) vErrors.push(err352);
}
errors++;
}
var _valid2 = _errs314 === errors;
valid78 = valid78 || _valid2;
}
if(!valid78){
const err353 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err353];
}
else {
if (vErrors.length < 1000) vErrors.push(err353);
}
errors++;
}
else {
errors = _errs311;
if(vErrors !== null){
if(_errs311){
vErrors.length = Math.min(vErrors.length, _errs311);
}
else {
vErrors = null;
}
}
}
if(typeof data135 == "number"){
if(data135 > 10000 || isNaN(data135)){
const err354 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err354];
}
else {
if (vErrors.length < 1000) vErrors.push(err354);
}
errors++;
}
if(data135 < 0 || isNaN(data135)){
const err355 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err355];
}
else {
if (vErrors.length < 1000) vErrors.push(err355);
}
errors++;
}
}
if(typeof data135 === "string"){
if(!pattern3.test(data135)){
const err356 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
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
if(data134.canary !== undefined){
let data136 = data134.canary;
if(data136 && typeof data136 == "object" && !Array.isArray(data136)){
if(data136.nodes === undefined){
const err357 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err357];
}
else {
if (vErrors.length < 1000) vErrors.push(err357);
}
errors++;
}
for(const key29 in data136){
if(!((key29 === "nodes") || (key29 === "soak"))){
const err358 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key29},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err358];
}
else {
if (vErrors.length < 1000) vErrors.push(err358);
}
errors++;
}
}
if(data136.nodes !== undefined){
let data137 = data136.nodes;
if(!((typeof data137 == "number") && (!(data137 % 1) && !isNaN(data137)))){
const err359 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err359];
}
else {
if (vErrors.length < 1000) vErrors.push(err359);
}
errors++;
}
if(typeof data137 == "number"){
if(data137 > 1000 || isNaN(data137)){
const err360 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000},message:"must be <= 1000"};
if(vErrors === null){
vErrors = [err360];
}
else {
if (vErrors.length < 1000) vErrors.push(err360);
}
errors++;
}
if(data137 < 1 || isNaN(data137)){
const err361 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err361];
}
else {
if (vErrors.length < 1000) vErrors.push(err361);
}
errors++;
}
}
}
if(data136.soak !== undefined){
let data138 = data136.soak;
if(typeof data138 === "string"){
if(func3(data138) > 16){
const err362 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err362];
}
else {
if (vErrors.length < 1000) vErrors.push(err362);
}
errors++;
}
if(!pattern4.test(data138)){
const err363 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err363];
}
else {
if (vErrors.length < 1000) vErrors.push(err363);
}
errors++;
}
}
else {
const err364 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err364];
}
else {
if (vErrors.length < 1000) vErrors.push(err364);
}
errors++;
}
}
}
else {
const err365 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err365];
}
else {
if (vErrors.length < 1000) vErrors.push(err365);
}
errors++;
}
}
if(data134.failureThreshold !== undefined){
let data139 = data134.failureThreshold;
const _errs324 = errors;
let valid80 = false;
const _errs325 = errors;
if(!((typeof data139 == "number") && (!(data139 % 1) && !isNaN(data139)))){
const err366 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err366];
}
else {
if (vErrors.length < 1000) vErrors.push(err366);
}
errors++;
}
var _valid3 = _errs325 === errors;
valid80 = valid80 || _valid3;
if(!valid80){
const _errs327 = errors;
if(typeof data139 !== "string"){
const err367 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err367];
}
else {
if (vErrors.length < 1000) vErrors.push(err367);
}
errors++;
}
var _valid3 = _errs327 === errors;
valid80 = valid80 || _valid3;
}
if(!valid80){
const err368 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err368];
}
else {
if (vErrors.length < 1000) vErrors.push(err368);
}
errors++;
}
else {
errors = _errs324;
if(vErrors !== null){
if(_errs324){
vErrors.length = Math.min(vErrors.length, _errs324);
}
else {
vErrors = null;
}
}
}
if(typeof data139 == "number"){
if(data139 > 10000 || isNaN(data139)){
const err369 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err369];
}
else {
if (vErrors.length < 1000) vErrors.push(err369);
}
errors++;
}
if(data139 < 1 || isNaN(data139)){
const err370 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err370];
}
else {
if (vErrors.length < 1000) vErrors.push(err370);
}
errors++;
}
}
if(typeof data139 === "string"){
if(!pattern3.test(data139)){
const err371 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err371];
}
else {
if (vErrors.length < 1000) vErrors.push(err371);
}
errors++;
}
}
}
if(data134.windows !== undefined){
let data140 = data134.windows;
if(Array.isArray(data140)){
if(data140.length > 16){
const err372 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err372];
}
else {
if (vErrors.length < 1000) vErrors.push(err372);
}
errors++;
}
if(data140.length < 1){
const err373 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err373];
}
else {
if (vErrors.length < 1000) vErrors.push(err373);
}
errors++;
}
const len23 = data140.length;
for(let i23=0; i23<len23; i23++){
let data141 = data140[i23];
if(data141 && typeof data141 == "object" && !Array.isArray(data141)){
if(data141.schedule === undefined){
const err374 = {instancePath:instancePath+"/spec/rollout/windows/" + i23,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "schedule"},message:"must have required property '"+"schedule"+"'"};
if(vErrors === null){
vErrors = [err374];
}
else {
if (vErrors.length < 1000) vErrors.push(err374);
}
errors++;
}
if(data141.duration === undefined){
const err375 = {instancePath:instancePath+"/spec/rollout/windows/" + i23,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "duration"},message:"must have required property '"+"duration"+"'"};
if(vErrors === null){
vErrors = [err375];
}
else {
if (vErrors.length < 1000) vErrors.push(err375);
}
errors++;
}
for(const key30 in data141){
if(!(((key30 === "schedule") || (key30 === "duration")) || (key30 === "timeZone"))){
const err376 = {instancePath:instancePath+"/spec/rollout/windows/" + i23,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key30},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err376];
}
else {
if (vErrors.length < 1000) vErrors.push(err376);
}
errors++;
}
}
if(data141.schedule !== undefined){
let data142 = data141.schedule;
if(typeof data142 === "string"){
if(func3(data142) > 64){
const err377 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err377];
}
else {
if (vErrors.length < 1000) vErrors.push(err377);
}
errors++;
}
if(!pattern11.test(data142)){
const err378 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"},message:"must match pattern \""+"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"+"\""};
if(vErrors === null){
vErrors = [err378];
}
else {
if (vErrors.length < 1000) vErrors.push(err378);
}
errors++;
}
}
else {
const err379 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err379];
}
else {
if (vErrors.length < 1000) vErrors.push(err379);
}
errors++;
}
}
if(data141.duration !== undefined){
let data143 = data141.duration;
if(typeof data143 === "string"){
if(func3(data143) > 16){
const err380 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err380];
}
else {
if (vErrors.length < 1000) vErrors.push(err380);
}
errors++;
}
if(!pattern4.test(data143)){
const err381 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err381];
}
else {
if (vErrors.length < 1000) vErrors.push(err381);
}
errors++;
}
}
else {
const err382 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err382];
}
else {
if (vErrors.length < 1000) vErrors.push(err382);
}
errors++;
}
}
if(data141.timeZone !== undefined){
let data144 = data141.timeZone;
if(typeof data144 === "string"){
if(func3(data144) > 64){
const err383 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err383];
}
else {
if (vErrors.length < 1000) vErrors.push(err383);
}
errors++;
}
}
else {
const err384 = {instancePath:instancePath+"/spec/rollout/windows/" + i23+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err384];
}
else {
if (vErrors.length < 1000) vErrors.push(err384);
}
errors++;
}
}
}
else {
const err385 = {instancePath:instancePath+"/spec/rollout/windows/" + i23,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err385];
}
else {
if (vErrors.length < 1000) vErrors.push(err385);
}
errors++;
}
}
}
else {
const err386 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err386];
}
else {
if (vErrors.length < 1000) vErrors.push(err386);
}
errors++;
}
}
if(data134.paused !== undefined){
if(typeof data134.paused !== "boolean"){
const err387 = {instancePath:instancePath+"/spec/rollout/paused",schemaPath:"#/properties/spec/properties/rollout/properties/paused/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err387];
}
else {
if (vErrors.length < 1000) vErrors.push(err387);
}
errors++;
}
}
if(data134.rollback !== undefined){
let data146 = data134.rollback;
if(typeof data146 !== "string"){
const err388 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err388];
}
else {
if (vErrors.length < 1000) vErrors.push(err388);
}
errors++;
}
if(!((data146 === "OnFailure") || (data146 === "Never"))){
const err389 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.rollout.properties.rollback.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err389];
}
else {
if (vErrors.length < 1000) vErrors.push(err389);
}
errors++;
}
}
}
else {
const err390 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err390];
}
else {
if (vErrors.length < 1000) vErrors.push(err390);
}
errors++;
}
}
if(data15.allow !== undefined){
let data147 = data15.allow;
if(data147 && typeof data147 == "object" && !Array.isArray(data147)){
for(const key31 in data147){
if(!((((key31 === "gpuReset") || (key31 === "reboot")) || (key31 === "replaceForeignInstances")) || (key31 === "takeOver"))){
const err391 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key31},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err391];
}
else {
if (vErrors.length < 1000) vErrors.push(err391);
}
errors++;
}
}
if(data147.gpuReset !== undefined){
if(typeof data147.gpuReset !== "boolean"){
const err392 = {instancePath:instancePath+"/spec/allow/gpuReset",schemaPath:"#/properties/spec/properties/allow/properties/gpuReset/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err392];
}
else {
if (vErrors.length < 1000) vErrors.push(err392);
}
errors++;
}
}
if(data147.reboot !== undefined){
if(typeof data147.reboot !== "boolean"){
const err393 = {instancePath:instancePath+"/spec/allow/reboot",schemaPath:"#/properties/spec/properties/allow/properties/reboot/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err393];
}
else {
if (vErrors.length < 1000) vErrors.push(err393);
}
errors++;
}
}
if(data147.replaceForeignInstances !== undefined){
if(typeof data147.replaceForeignInstances !== "boolean"){
const err394 = {instancePath:instancePath+"/spec/allow/replaceForeignInstances",schemaPath:"#/properties/spec/properties/allow/properties/replaceForeignInstances/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err394];
}
else {
if (vErrors.length < 1000) vErrors.push(err394);
}
errors++;
}
}
if(data147.takeOver !== undefined){
let data151 = data147.takeOver;
if(Array.isArray(data151)){
if(data151.length > 4){
const err395 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/maxItems",keyword:"maxItems",params:{limit: 4},message:"must NOT have more than 4 items"};
if(vErrors === null){
vErrors = [err395];
}
else {
if (vErrors.length < 1000) vErrors.push(err395);
}
errors++;
}
if(data151.length < 1){
const err396 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err396];
}
else {
if (vErrors.length < 1000) vErrors.push(err396);
}
errors++;
}
const len24 = data151.length;
for(let i24=0; i24<len24; i24++){
let data152 = data151[i24];
if(typeof data152 !== "string"){
const err397 = {instancePath:instancePath+"/spec/allow/takeOver/" + i24,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err397];
}
else {
if (vErrors.length < 1000) vErrors.push(err397);
}
errors++;
}
if(!(data152 === "mig-manager")){
const err398 = {instancePath:instancePath+"/spec/allow/takeOver/" + i24,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.allow.properties.takeOver.items.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err398];
}
else {
if (vErrors.length < 1000) vErrors.push(err398);
}
errors++;
}
}
}
else {
const err399 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err399];
}
else {
if (vErrors.length < 1000) vErrors.push(err399);
}
errors++;
}
}
}
else {
const err400 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err400];
}
else {
if (vErrors.length < 1000) vErrors.push(err400);
}
errors++;
}
}
if(data15.onDelete !== undefined){
let data153 = data15.onDelete;
if(typeof data153 !== "string"){
const err401 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err401];
}
else {
if (vErrors.length < 1000) vErrors.push(err401);
}
errors++;
}
if(!((data153 === "Keep") || (data153 === "DisableMig"))){
const err402 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.onDelete.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err402];
}
else {
if (vErrors.length < 1000) vErrors.push(err402);
}
errors++;
}
}
}
else {
const err403 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err403];
}
else {
if (vErrors.length < 1000) vErrors.push(err403);
}
errors++;
}
}
if(data.status !== undefined){
let data154 = data.status;
if(data154 && typeof data154 == "object" && !Array.isArray(data154)){
for(const key32 in data154){
if(!(func2.call(schema11.properties.status.properties, key32))){
const err404 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key32},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err404];
}
else {
if (vErrors.length < 1000) vErrors.push(err404);
}
errors++;
}
}
if(data154.observedGeneration !== undefined){
let data155 = data154.observedGeneration;
if(!((typeof data155 == "number") && (!(data155 % 1) && !isNaN(data155)))){
const err405 = {instancePath:instancePath+"/status/observedGeneration",schemaPath:"#/properties/status/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err405];
}
else {
if (vErrors.length < 1000) vErrors.push(err405);
}
errors++;
}
}
if(data154.acceptedGeneration !== undefined){
let data156 = data154.acceptedGeneration;
if(!((typeof data156 == "number") && (!(data156 % 1) && !isNaN(data156)))){
const err406 = {instancePath:instancePath+"/status/acceptedGeneration",schemaPath:"#/properties/status/properties/acceptedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err406];
}
else {
if (vErrors.length < 1000) vErrors.push(err406);
}
errors++;
}
}
if(data154.inForce !== undefined){
let data157 = data154.inForce;
if(data157 && typeof data157 == "object" && !Array.isArray(data157)){
if(data157.generation === undefined){
const err407 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err407];
}
else {
if (vErrors.length < 1000) vErrors.push(err407);
}
errors++;
}
if(data157.spec === undefined){
const err408 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err408];
}
else {
if (vErrors.length < 1000) vErrors.push(err408);
}
errors++;
}
for(const key33 in data157){
if(!((key33 === "generation") || (key33 === "spec"))){
const err409 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key33},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err409];
}
else {
if (vErrors.length < 1000) vErrors.push(err409);
}
errors++;
}
}
if(data157.generation !== undefined){
let data158 = data157.generation;
if(!((typeof data158 == "number") && (!(data158 % 1) && !isNaN(data158)))){
const err410 = {instancePath:instancePath+"/status/inForce/generation",schemaPath:"#/properties/status/properties/inForce/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err410];
}
else {
if (vErrors.length < 1000) vErrors.push(err410);
}
errors++;
}
}
if(data157.spec !== undefined){
let data159 = data157.spec;
if(data159 && typeof data159 == "object" && !Array.isArray(data159)){
}
else {
const err411 = {instancePath:instancePath+"/status/inForce/spec",schemaPath:"#/properties/status/properties/inForce/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err411];
}
else {
if (vErrors.length < 1000) vErrors.push(err411);
}
errors++;
}
}
}
else {
const err412 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err412];
}
else {
if (vErrors.length < 1000) vErrors.push(err412);
}
errors++;
}
}
if(data154.history !== undefined){
let data160 = data154.history;
if(Array.isArray(data160)){
if(data160.length > 20){
const err413 = {instancePath:instancePath+"/status/history",schemaPath:"#/properties/status/properties/history/maxItems",keyword:"maxItems",params:{limit: 20},message:"must NOT have more than 20 items"};
if(vErrors === null){
vErrors = [err413];
}
else {
if (vErrors.length < 1000) vErrors.push(err413);
}
errors++;
}
const len25 = data160.length;
for(let i25=0; i25<len25; i25++){
let data161 = data160[i25];
if(data161 && typeof data161 == "object" && !Array.isArray(data161)){
if(data161.generation === undefined){
const err414 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err414];
}
else {
if (vErrors.length < 1000) vErrors.push(err414);
}
errors++;
}
if(data161.time === undefined){
const err415 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "time"},message:"must have required property '"+"time"+"'"};
if(vErrors === null){
vErrors = [err415];
}
else {
if (vErrors.length < 1000) vErrors.push(err415);
}
errors++;
}
if(data161.spec === undefined){
const err416 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err416];
}
else {
if (vErrors.length < 1000) vErrors.push(err416);
}
errors++;
}
for(const key34 in data161){
if(!((((key34 === "generation") || (key34 === "time")) || (key34 === "manager")) || (key34 === "spec"))){
const err417 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key34},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err417];
}
else {
if (vErrors.length < 1000) vErrors.push(err417);
}
errors++;
}
}
if(data161.generation !== undefined){
let data162 = data161.generation;
if(!((typeof data162 == "number") && (!(data162 % 1) && !isNaN(data162)))){
const err418 = {instancePath:instancePath+"/status/history/" + i25+"/generation",schemaPath:"#/properties/status/properties/history/items/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err418];
}
else {
if (vErrors.length < 1000) vErrors.push(err418);
}
errors++;
}
}
if(data161.time !== undefined){
if(typeof data161.time !== "string"){
const err419 = {instancePath:instancePath+"/status/history/" + i25+"/time",schemaPath:"#/properties/status/properties/history/items/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err419];
}
else {
if (vErrors.length < 1000) vErrors.push(err419);
}
errors++;
}
}
if(data161.manager !== undefined){
let data164 = data161.manager;
if(typeof data164 === "string"){
if(func3(data164) > 128){
const err420 = {instancePath:instancePath+"/status/history/" + i25+"/manager",schemaPath:"#/properties/status/properties/history/items/properties/manager/maxLength",keyword:"maxLength",params:{limit: 128},message:"must NOT have more than 128 characters"};
if(vErrors === null){
vErrors = [err420];
}
else {
if (vErrors.length < 1000) vErrors.push(err420);
}
errors++;
}
}
else {
const err421 = {instancePath:instancePath+"/status/history/" + i25+"/manager",schemaPath:"#/properties/status/properties/history/items/properties/manager/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
let data165 = data161.spec;
if(data165 && typeof data165 == "object" && !Array.isArray(data165)){
}
else {
const err422 = {instancePath:instancePath+"/status/history/" + i25+"/spec",schemaPath:"#/properties/status/properties/history/items/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err423 = {instancePath:instancePath+"/status/history/" + i25,schemaPath:"#/properties/status/properties/history/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err423];
}
else {
if (vErrors.length < 1000) vErrors.push(err423);
}
errors++;
}
}
}
else {
const err424 = {instancePath:instancePath+"/status/history",schemaPath:"#/properties/status/properties/history/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err424];
}
else {
if (vErrors.length < 1000) vErrors.push(err424);
}
errors++;
}
}
if(data154.summary !== undefined){
let data166 = data154.summary;
if(typeof data166 === "string"){
if(func3(data166) > 256){
const err425 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err425];
}
else {
if (vErrors.length < 1000) vErrors.push(err425);
}
errors++;
}
}
else {
const err426 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err426];
}
else {
if (vErrors.length < 1000) vErrors.push(err426);
}
errors++;
}
}
if(data154.conditions !== undefined){
let data167 = data154.conditions;
if(Array.isArray(data167)){
if(data167.length > 16){
const err427 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err427];
}
else {
if (vErrors.length < 1000) vErrors.push(err427);
}
errors++;
}
const len26 = data167.length;
for(let i26=0; i26<len26; i26++){
let data168 = data167[i26];
if(data168 && typeof data168 == "object" && !Array.isArray(data168)){
if(data168.type === undefined){
const err428 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err428];
}
else {
if (vErrors.length < 1000) vErrors.push(err428);
}
errors++;
}
if(data168.status === undefined){
const err429 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err429];
}
else {
if (vErrors.length < 1000) vErrors.push(err429);
}
errors++;
}
if(data168.reason === undefined){
const err430 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err430];
}
else {
if (vErrors.length < 1000) vErrors.push(err430);
}
errors++;
}
if(data168.message === undefined){
const err431 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err431];
}
else {
if (vErrors.length < 1000) vErrors.push(err431);
}
errors++;
}
if(data168.lastTransitionTime === undefined){
const err432 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err432];
}
else {
if (vErrors.length < 1000) vErrors.push(err432);
}
errors++;
}
for(const key35 in data168){
if(!((((((key35 === "type") || (key35 === "status")) || (key35 === "reason")) || (key35 === "message")) || (key35 === "lastTransitionTime")) || (key35 === "observedGeneration"))){
const err433 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key35},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err433];
}
else {
if (vErrors.length < 1000) vErrors.push(err433);
}
errors++;
}
}
if(data168.type !== undefined){
let data169 = data168.type;
if(typeof data169 === "string"){
if(func3(data169) > 316){
const err434 = {instancePath:instancePath+"/status/conditions/" + i26+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err434];
}
else {
if (vErrors.length < 1000) vErrors.push(err434);
}
errors++;
}
}
else {
const err435 = {instancePath:instancePath+"/status/conditions/" + i26+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err435];
}
else {
if (vErrors.length < 1000) vErrors.push(err435);
}
errors++;
}
}
if(data168.status !== undefined){
let data170 = data168.status;
if(typeof data170 !== "string"){
const err436 = {instancePath:instancePath+"/status/conditions/" + i26+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err436];
}
else {
if (vErrors.length < 1000) vErrors.push(err436);
}
errors++;
}
if(!(((data170 === "True") || (data170 === "False")) || (data170 === "Unknown"))){
const err437 = {instancePath:instancePath+"/status/conditions/" + i26+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err437];
}
else {
if (vErrors.length < 1000) vErrors.push(err437);
}
errors++;
}
}
if(data168.reason !== undefined){
let data171 = data168.reason;
if(typeof data171 === "string"){
if(func3(data171) > 1024){
const err438 = {instancePath:instancePath+"/status/conditions/" + i26+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err438];
}
else {
if (vErrors.length < 1000) vErrors.push(err438);
}
errors++;
}
}
else {
const err439 = {instancePath:instancePath+"/status/conditions/" + i26+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err439];
}
else {
if (vErrors.length < 1000) vErrors.push(err439);
}
errors++;
}
}
if(data168.message !== undefined){
let data172 = data168.message;
if(typeof data172 === "string"){
if(func3(data172) > 8192){
const err440 = {instancePath:instancePath+"/status/conditions/" + i26+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 8192},message:"must NOT have more than 8192 characters"};
if(vErrors === null){
vErrors = [err440];
}
else {
if (vErrors.length < 1000) vErrors.push(err440);
}
errors++;
}
}
else {
const err441 = {instancePath:instancePath+"/status/conditions/" + i26+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err441];
}
else {
if (vErrors.length < 1000) vErrors.push(err441);
}
errors++;
}
}
if(data168.lastTransitionTime !== undefined){
if(typeof data168.lastTransitionTime !== "string"){
const err442 = {instancePath:instancePath+"/status/conditions/" + i26+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err442];
}
else {
if (vErrors.length < 1000) vErrors.push(err442);
}
errors++;
}
}
if(data168.observedGeneration !== undefined){
let data174 = data168.observedGeneration;
if(!((typeof data174 == "number") && (!(data174 % 1) && !isNaN(data174)))){
const err443 = {instancePath:instancePath+"/status/conditions/" + i26+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err443];
}
else {
if (vErrors.length < 1000) vErrors.push(err443);
}
errors++;
}
}
}
else {
const err444 = {instancePath:instancePath+"/status/conditions/" + i26,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err444];
}
else {
if (vErrors.length < 1000) vErrors.push(err444);
}
errors++;
}
}
}
else {
const err445 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err445];
}
else {
if (vErrors.length < 1000) vErrors.push(err445);
}
errors++;
}
}
if(data154.nodes !== undefined){
let data175 = data154.nodes;
if(data175 && typeof data175 == "object" && !Array.isArray(data175)){
for(const key36 in data175){
if(!((((((((key36 === "matched") || (key36 === "ready")) || (key36 === "updating")) || (key36 === "pending")) || (key36 === "failed")) || (key36 === "outranked")) || (key36 === "conflicted")) || (key36 === "skipped"))){
const err446 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key36},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err446];
}
else {
if (vErrors.length < 1000) vErrors.push(err446);
}
errors++;
}
}
if(data175.matched !== undefined){
let data176 = data175.matched;
if(!((typeof data176 == "number") && (!(data176 % 1) && !isNaN(data176)))){
const err447 = {instancePath:instancePath+"/status/nodes/matched",schemaPath:"#/properties/status/properties/nodes/properties/matched/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err447];
}
else {
if (vErrors.length < 1000) vErrors.push(err447);
}
errors++;
}
}
if(data175.ready !== undefined){
let data177 = data175.ready;
if(!((typeof data177 == "number") && (!(data177 % 1) && !isNaN(data177)))){
const err448 = {instancePath:instancePath+"/status/nodes/ready",schemaPath:"#/properties/status/properties/nodes/properties/ready/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err448];
}
else {
if (vErrors.length < 1000) vErrors.push(err448);
}
errors++;
}
}
if(data175.updating !== undefined){
let data178 = data175.updating;
if(!((typeof data178 == "number") && (!(data178 % 1) && !isNaN(data178)))){
const err449 = {instancePath:instancePath+"/status/nodes/updating",schemaPath:"#/properties/status/properties/nodes/properties/updating/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err449];
}
else {
if (vErrors.length < 1000) vErrors.push(err449);
}
errors++;
}
}
if(data175.pending !== undefined){
let data179 = data175.pending;
if(!((typeof data179 == "number") && (!(data179 % 1) && !isNaN(data179)))){
const err450 = {instancePath:instancePath+"/status/nodes/pending",schemaPath:"#/properties/status/properties/nodes/properties/pending/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err450];
}
else {
if (vErrors.length < 1000) vErrors.push(err450);
}
errors++;
}
}
if(data175.failed !== undefined){
let data180 = data175.failed;
if(!((typeof data180 == "number") && (!(data180 % 1) && !isNaN(data180)))){
const err451 = {instancePath:instancePath+"/status/nodes/failed",schemaPath:"#/properties/status/properties/nodes/properties/failed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err451];
}
else {
if (vErrors.length < 1000) vErrors.push(err451);
}
errors++;
}
}
if(data175.outranked !== undefined){
let data181 = data175.outranked;
if(!((typeof data181 == "number") && (!(data181 % 1) && !isNaN(data181)))){
const err452 = {instancePath:instancePath+"/status/nodes/outranked",schemaPath:"#/properties/status/properties/nodes/properties/outranked/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err452];
}
else {
if (vErrors.length < 1000) vErrors.push(err452);
}
errors++;
}
}
if(data175.conflicted !== undefined){
let data182 = data175.conflicted;
if(!((typeof data182 == "number") && (!(data182 % 1) && !isNaN(data182)))){
const err453 = {instancePath:instancePath+"/status/nodes/conflicted",schemaPath:"#/properties/status/properties/nodes/properties/conflicted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err453];
}
else {
if (vErrors.length < 1000) vErrors.push(err453);
}
errors++;
}
}
if(data175.skipped !== undefined){
let data183 = data175.skipped;
if(!((typeof data183 == "number") && (!(data183 % 1) && !isNaN(data183)))){
const err454 = {instancePath:instancePath+"/status/nodes/skipped",schemaPath:"#/properties/status/properties/nodes/properties/skipped/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
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
const err455 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err455];
}
else {
if (vErrors.length < 1000) vErrors.push(err455);
}
errors++;
}
}
if(data154.schedule !== undefined){
let data184 = data154.schedule;
if(data184 && typeof data184 == "object" && !Array.isArray(data184)){
if(data184.since === undefined){
const err456 = {instancePath:instancePath+"/status/schedule",schemaPath:"#/properties/status/properties/schedule/required",keyword:"required",params:{missingProperty: "since"},message:"must have required property '"+"since"+"'"};
if(vErrors === null){
vErrors = [err456];
}
else {
if (vErrors.length < 1000) vErrors.push(err456);
}
errors++;
}
for(const key37 in data184){
if(!(((key37 === "name") || (key37 === "since")) || (key37 === "next"))){
const err457 = {instancePath:instancePath+"/status/schedule",schemaPath:"#/properties/status/properties/schedule/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key37},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err457];
}
else {
if (vErrors.length < 1000) vErrors.push(err457);
}
errors++;
}
}
if(data184.name !== undefined){
let data185 = data184.name;
if(typeof data185 === "string"){
if(func3(data185) > 32){
const err458 = {instancePath:instancePath+"/status/schedule/name",schemaPath:"#/properties/status/properties/schedule/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
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
const err459 = {instancePath:instancePath+"/status/schedule/name",schemaPath:"#/properties/status/properties/schedule/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err459];
}
else {
if (vErrors.length < 1000) vErrors.push(err459);
}
errors++;
}
}
if(data184.since !== undefined){
if(typeof data184.since !== "string"){
const err460 = {instancePath:instancePath+"/status/schedule/since",schemaPath:"#/properties/status/properties/schedule/properties/since/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err460];
}
else {
if (vErrors.length < 1000) vErrors.push(err460);
}
errors++;
}
}
if(data184.next !== undefined){
let data187 = data184.next;
if(data187 && typeof data187 == "object" && !Array.isArray(data187)){
if(data187.time === undefined){
const err461 = {instancePath:instancePath+"/status/schedule/next",schemaPath:"#/properties/status/properties/schedule/properties/next/required",keyword:"required",params:{missingProperty: "time"},message:"must have required property '"+"time"+"'"};
if(vErrors === null){
vErrors = [err461];
}
else {
if (vErrors.length < 1000) vErrors.push(err461);
}
errors++;
}
for(const key38 in data187){
if(!((key38 === "name") || (key38 === "time"))){
const err462 = {instancePath:instancePath+"/status/schedule/next",schemaPath:"#/properties/status/properties/schedule/properties/next/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key38},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err462];
}
else {
if (vErrors.length < 1000) vErrors.push(err462);
}
errors++;
}
}
if(data187.name !== undefined){
let data188 = data187.name;
if(typeof data188 === "string"){
if(func3(data188) > 32){
const err463 = {instancePath:instancePath+"/status/schedule/next/name",schemaPath:"#/properties/status/properties/schedule/properties/next/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err463];
}
else {
if (vErrors.length < 1000) vErrors.push(err463);
}
errors++;
}
}
else {
const err464 = {instancePath:instancePath+"/status/schedule/next/name",schemaPath:"#/properties/status/properties/schedule/properties/next/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err464];
}
else {
if (vErrors.length < 1000) vErrors.push(err464);
}
errors++;
}
}
if(data187.time !== undefined){
if(typeof data187.time !== "string"){
const err465 = {instancePath:instancePath+"/status/schedule/next/time",schemaPath:"#/properties/status/properties/schedule/properties/next/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err466 = {instancePath:instancePath+"/status/schedule/next",schemaPath:"#/properties/status/properties/schedule/properties/next/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err466];
}
else {
if (vErrors.length < 1000) vErrors.push(err466);
}
errors++;
}
}
}
else {
const err467 = {instancePath:instancePath+"/status/schedule",schemaPath:"#/properties/status/properties/schedule/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err467];
}
else {
if (vErrors.length < 1000) vErrors.push(err467);
}
errors++;
}
}
if(data154.demand !== undefined){
let data190 = data154.demand;
if(Array.isArray(data190)){
if(data190.length > 16){
const err468 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err468];
}
else {
if (vErrors.length < 1000) vErrors.push(err468);
}
errors++;
}
const len27 = data190.length;
for(let i27=0; i27<len27; i27++){
let data191 = data190[i27];
if(data191 && typeof data191 == "object" && !Array.isArray(data191)){
if(data191.name === undefined){
const err469 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err469];
}
else {
if (vErrors.length < 1000) vErrors.push(err469);
}
errors++;
}
if(data191.wanted === undefined){
const err470 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "wanted"},message:"must have required property '"+"wanted"+"'"};
if(vErrors === null){
vErrors = [err470];
}
else {
if (vErrors.length < 1000) vErrors.push(err470);
}
errors++;
}
if(data191.offered === undefined){
const err471 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "offered"},message:"must have required property '"+"offered"+"'"};
if(vErrors === null){
vErrors = [err471];
}
else {
if (vErrors.length < 1000) vErrors.push(err471);
}
errors++;
}
if(data191.used === undefined){
const err472 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "used"},message:"must have required property '"+"used"+"'"};
if(vErrors === null){
vErrors = [err472];
}
else {
if (vErrors.length < 1000) vErrors.push(err472);
}
errors++;
}
if(data191.unmet === undefined){
const err473 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "unmet"},message:"must have required property '"+"unmet"+"'"};
if(vErrors === null){
vErrors = [err473];
}
else {
if (vErrors.length < 1000) vErrors.push(err473);
}
errors++;
}
for(const key39 in data191){
if(!(((((((key39 === "name") || (key39 === "wanted")) || (key39 === "offered")) || (key39 === "used")) || (key39 === "waiting")) || (key39 === "unmet")) || (key39 === "why"))){
const err474 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key39},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err474];
}
else {
if (vErrors.length < 1000) vErrors.push(err474);
}
errors++;
}
}
if(data191.name !== undefined){
let data192 = data191.name;
if(typeof data192 === "string"){
if(func3(data192) > 32){
const err475 = {instancePath:instancePath+"/status/demand/" + i27+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err475];
}
else {
if (vErrors.length < 1000) vErrors.push(err475);
}
errors++;
}
}
else {
const err476 = {instancePath:instancePath+"/status/demand/" + i27+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err476];
}
else {
if (vErrors.length < 1000) vErrors.push(err476);
}
errors++;
}
}
if(data191.wanted !== undefined){
let data193 = data191.wanted;
if(!((typeof data193 == "number") && (!(data193 % 1) && !isNaN(data193)))){
const err477 = {instancePath:instancePath+"/status/demand/" + i27+"/wanted",schemaPath:"#/properties/status/properties/demand/items/properties/wanted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err477];
}
else {
if (vErrors.length < 1000) vErrors.push(err477);
}
errors++;
}
}
if(data191.offered !== undefined){
let data194 = data191.offered;
if(!((typeof data194 == "number") && (!(data194 % 1) && !isNaN(data194)))){
const err478 = {instancePath:instancePath+"/status/demand/" + i27+"/offered",schemaPath:"#/properties/status/properties/demand/items/properties/offered/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err478];
}
else {
if (vErrors.length < 1000) vErrors.push(err478);
}
errors++;
}
}
if(data191.used !== undefined){
let data195 = data191.used;
if(!((typeof data195 == "number") && (!(data195 % 1) && !isNaN(data195)))){
const err479 = {instancePath:instancePath+"/status/demand/" + i27+"/used",schemaPath:"#/properties/status/properties/demand/items/properties/used/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err479];
}
else {
if (vErrors.length < 1000) vErrors.push(err479);
}
errors++;
}
}
if(data191.waiting !== undefined){
let data196 = data191.waiting;
if(!((typeof data196 == "number") && (!(data196 % 1) && !isNaN(data196)))){
const err480 = {instancePath:instancePath+"/status/demand/" + i27+"/waiting",schemaPath:"#/properties/status/properties/demand/items/properties/waiting/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err480];
}
else {
if (vErrors.length < 1000) vErrors.push(err480);
}
errors++;
}
}
if(data191.unmet !== undefined){
let data197 = data191.unmet;
if(!((typeof data197 == "number") && (!(data197 % 1) && !isNaN(data197)))){
const err481 = {instancePath:instancePath+"/status/demand/" + i27+"/unmet",schemaPath:"#/properties/status/properties/demand/items/properties/unmet/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err481];
}
else {
if (vErrors.length < 1000) vErrors.push(err481);
}
errors++;
}
}
if(data191.why !== undefined){
let data198 = data191.why;
if(typeof data198 === "string"){
if(func3(data198) > 1024){
const err482 = {instancePath:instancePath+"/status/demand/" + i27+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err482];
}
else {
if (vErrors.length < 1000) vErrors.push(err482);
}
errors++;
}
}
else {
const err483 = {instancePath:instancePath+"/status/demand/" + i27+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err483];
}
else {
if (vErrors.length < 1000) vErrors.push(err483);
}
errors++;
}
}
}
else {
const err484 = {instancePath:instancePath+"/status/demand/" + i27,schemaPath:"#/properties/status/properties/demand/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err484];
}
else {
if (vErrors.length < 1000) vErrors.push(err484);
}
errors++;
}
}
}
else {
const err485 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err485];
}
else {
if (vErrors.length < 1000) vErrors.push(err485);
}
errors++;
}
}
if(data154.steady !== undefined){
let data199 = data154.steady;
if(data199 && typeof data199 == "object" && !Array.isArray(data199)){
if(Object.keys(data199).length > 16){
const err486 = {instancePath:instancePath+"/status/steady",schemaPath:"#/properties/status/properties/steady/maxProperties",keyword:"maxProperties",params:{limit: 16},message:"must NOT have more than 16 properties"};
if(vErrors === null){
vErrors = [err486];
}
else {
if (vErrors.length < 1000) vErrors.push(err486);
}
errors++;
}
for(const key40 in data199){
let data200 = data199[key40];
if(!((typeof data200 == "number") && (!(data200 % 1) && !isNaN(data200)))){
const err487 = {instancePath:instancePath+"/status/steady/" + key40.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/steady/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err487];
}
else {
if (vErrors.length < 1000) vErrors.push(err487);
}
errors++;
}
if(typeof data200 == "number"){
if(data200 < 0 || isNaN(data200)){
const err488 = {instancePath:instancePath+"/status/steady/" + key40.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/steady/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err488];
}
else {
if (vErrors.length < 1000) vErrors.push(err488);
}
errors++;
}
}
}
}
else {
const err489 = {instancePath:instancePath+"/status/steady",schemaPath:"#/properties/status/properties/steady/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err489];
}
else {
if (vErrors.length < 1000) vErrors.push(err489);
}
errors++;
}
}
if(data154.defrag !== undefined){
let data201 = data154.defrag;
if(data201 && typeof data201 == "object" && !Array.isArray(data201)){
if(data201.request === undefined){
const err490 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/required",keyword:"required",params:{missingProperty: "request"},message:"must have required property '"+"request"+"'"};
if(vErrors === null){
vErrors = [err490];
}
else {
if (vErrors.length < 1000) vErrors.push(err490);
}
errors++;
}
if(data201.state === undefined){
const err491 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/required",keyword:"required",params:{missingProperty: "state"},message:"must have required property '"+"state"+"'"};
if(vErrors === null){
vErrors = [err491];
}
else {
if (vErrors.length < 1000) vErrors.push(err491);
}
errors++;
}
if(data201.message === undefined){
const err492 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err492];
}
else {
if (vErrors.length < 1000) vErrors.push(err492);
}
errors++;
}
for(const key41 in data201){
if(!(((key41 === "request") || (key41 === "state")) || (key41 === "message"))){
const err493 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key41},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err493];
}
else {
if (vErrors.length < 1000) vErrors.push(err493);
}
errors++;
}
}
if(data201.request !== undefined){
let data202 = data201.request;
if(typeof data202 === "string"){
if(func3(data202) > 1024){
const err494 = {instancePath:instancePath+"/status/defrag/request",schemaPath:"#/properties/status/properties/defrag/properties/request/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err494];
}
else {
if (vErrors.length < 1000) vErrors.push(err494);
}
errors++;
}
}
else {
const err495 = {instancePath:instancePath+"/status/defrag/request",schemaPath:"#/properties/status/properties/defrag/properties/request/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err495];
}
else {
if (vErrors.length < 1000) vErrors.push(err495);
}
errors++;
}
}
if(data201.state !== undefined){
let data203 = data201.state;
if(typeof data203 !== "string"){
const err496 = {instancePath:instancePath+"/status/defrag/state",schemaPath:"#/properties/status/properties/defrag/properties/state/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err496];
}
else {
if (vErrors.length < 1000) vErrors.push(err496);
}
errors++;
}
if(!(((data203 === "Making") || (data203 === "Done")) || (data203 === "Refused"))){
const err497 = {instancePath:instancePath+"/status/defrag/state",schemaPath:"#/properties/status/properties/defrag/properties/state/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.defrag.properties.state.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err497];
}
else {
if (vErrors.length < 1000) vErrors.push(err497);
}
errors++;
}
}
if(data201.message !== undefined){
let data204 = data201.message;
if(typeof data204 === "string"){
if(func3(data204) > 1024){
const err498 = {instancePath:instancePath+"/status/defrag/message",schemaPath:"#/properties/status/properties/defrag/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err498];
}
else {
if (vErrors.length < 1000) vErrors.push(err498);
}
errors++;
}
}
else {
const err499 = {instancePath:instancePath+"/status/defrag/message",schemaPath:"#/properties/status/properties/defrag/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err500 = {instancePath:instancePath+"/status/defrag",schemaPath:"#/properties/status/properties/defrag/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err500];
}
else {
if (vErrors.length < 1000) vErrors.push(err500);
}
errors++;
}
}
if(data154.plan !== undefined){
let data205 = data154.plan;
if(data205 && typeof data205 == "object" && !Array.isArray(data205)){
for(const key42 in data205){
if(!(((((key42 === "gpusChanging") || (key42 === "instancesKept")) || (key42 === "instancesDestroyed")) || (key42 === "instancesCreated")) || (key42 === "podsToEvict"))){
const err501 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key42},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err501];
}
else {
if (vErrors.length < 1000) vErrors.push(err501);
}
errors++;
}
}
if(data205.gpusChanging !== undefined){
let data206 = data205.gpusChanging;
if(!((typeof data206 == "number") && (!(data206 % 1) && !isNaN(data206)))){
const err502 = {instancePath:instancePath+"/status/plan/gpusChanging",schemaPath:"#/properties/status/properties/plan/properties/gpusChanging/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err502];
}
else {
if (vErrors.length < 1000) vErrors.push(err502);
}
errors++;
}
}
if(data205.instancesKept !== undefined){
let data207 = data205.instancesKept;
if(!((typeof data207 == "number") && (!(data207 % 1) && !isNaN(data207)))){
const err503 = {instancePath:instancePath+"/status/plan/instancesKept",schemaPath:"#/properties/status/properties/plan/properties/instancesKept/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err503];
}
else {
if (vErrors.length < 1000) vErrors.push(err503);
}
errors++;
}
}
if(data205.instancesDestroyed !== undefined){
let data208 = data205.instancesDestroyed;
if(!((typeof data208 == "number") && (!(data208 % 1) && !isNaN(data208)))){
const err504 = {instancePath:instancePath+"/status/plan/instancesDestroyed",schemaPath:"#/properties/status/properties/plan/properties/instancesDestroyed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err504];
}
else {
if (vErrors.length < 1000) vErrors.push(err504);
}
errors++;
}
}
if(data205.instancesCreated !== undefined){
let data209 = data205.instancesCreated;
if(!((typeof data209 == "number") && (!(data209 % 1) && !isNaN(data209)))){
const err505 = {instancePath:instancePath+"/status/plan/instancesCreated",schemaPath:"#/properties/status/properties/plan/properties/instancesCreated/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err505];
}
else {
if (vErrors.length < 1000) vErrors.push(err505);
}
errors++;
}
}
if(data205.podsToEvict !== undefined){
let data210 = data205.podsToEvict;
if(!((typeof data210 == "number") && (!(data210 % 1) && !isNaN(data210)))){
const err506 = {instancePath:instancePath+"/status/plan/podsToEvict",schemaPath:"#/properties/status/properties/plan/properties/podsToEvict/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err506];
}
else {
if (vErrors.length < 1000) vErrors.push(err506);
}
errors++;
}
}
}
else {
const err507 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err507];
}
else {
if (vErrors.length < 1000) vErrors.push(err507);
}
errors++;
}
}
if(data154.inFlight !== undefined){
let data211 = data154.inFlight;
if(Array.isArray(data211)){
if(data211.length > 500){
const err508 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/maxItems",keyword:"maxItems",params:{limit: 500},message:"must NOT have more than 500 items"};
if(vErrors === null){
vErrors = [err508];
}
else {
if (vErrors.length < 1000) vErrors.push(err508);
}
errors++;
}
const len28 = data211.length;
for(let i28=0; i28<len28; i28++){
let data212 = data211[i28];
if(data212 && typeof data212 == "object" && !Array.isArray(data212)){
if(data212.node === undefined){
const err509 = {instancePath:instancePath+"/status/inFlight/" + i28,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err509];
}
else {
if (vErrors.length < 1000) vErrors.push(err509);
}
errors++;
}
if(data212.nodeUID === undefined){
const err510 = {instancePath:instancePath+"/status/inFlight/" + i28,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "nodeUID"},message:"must have required property '"+"nodeUID"+"'"};
if(vErrors === null){
vErrors = [err510];
}
else {
if (vErrors.length < 1000) vErrors.push(err510);
}
errors++;
}
for(const key43 in data212){
if(!(((((((key43 === "node") || (key43 === "nodeUID")) || (key43 === "epoch")) || (key43 === "generation")) || (key43 === "startTime")) || (key43 === "deadline")) || (key43 === "kind"))){
const err511 = {instancePath:instancePath+"/status/inFlight/" + i28,schemaPath:"#/properties/status/properties/inFlight/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key43},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err511];
}
else {
if (vErrors.length < 1000) vErrors.push(err511);
}
errors++;
}
}
if(data212.node !== undefined){
let data213 = data212.node;
if(typeof data213 === "string"){
if(func3(data213) > 253){
const err512 = {instancePath:instancePath+"/status/inFlight/" + i28+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err512];
}
else {
if (vErrors.length < 1000) vErrors.push(err512);
}
errors++;
}
}
else {
const err513 = {instancePath:instancePath+"/status/inFlight/" + i28+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err513];
}
else {
if (vErrors.length < 1000) vErrors.push(err513);
}
errors++;
}
}
if(data212.nodeUID !== undefined){
let data214 = data212.nodeUID;
if(typeof data214 === "string"){
if(func3(data214) > 64){
const err514 = {instancePath:instancePath+"/status/inFlight/" + i28+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err514];
}
else {
if (vErrors.length < 1000) vErrors.push(err514);
}
errors++;
}
}
else {
const err515 = {instancePath:instancePath+"/status/inFlight/" + i28+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err515];
}
else {
if (vErrors.length < 1000) vErrors.push(err515);
}
errors++;
}
}
if(data212.epoch !== undefined){
let data215 = data212.epoch;
if(!((typeof data215 == "number") && (!(data215 % 1) && !isNaN(data215)))){
const err516 = {instancePath:instancePath+"/status/inFlight/" + i28+"/epoch",schemaPath:"#/properties/status/properties/inFlight/items/properties/epoch/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err516];
}
else {
if (vErrors.length < 1000) vErrors.push(err516);
}
errors++;
}
}
if(data212.generation !== undefined){
let data216 = data212.generation;
if(!((typeof data216 == "number") && (!(data216 % 1) && !isNaN(data216)))){
const err517 = {instancePath:instancePath+"/status/inFlight/" + i28+"/generation",schemaPath:"#/properties/status/properties/inFlight/items/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err517];
}
else {
if (vErrors.length < 1000) vErrors.push(err517);
}
errors++;
}
}
if(data212.startTime !== undefined){
if(typeof data212.startTime !== "string"){
const err518 = {instancePath:instancePath+"/status/inFlight/" + i28+"/startTime",schemaPath:"#/properties/status/properties/inFlight/items/properties/startTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err518];
}
else {
if (vErrors.length < 1000) vErrors.push(err518);
}
errors++;
}
}
if(data212.deadline !== undefined){
if(typeof data212.deadline !== "string"){
const err519 = {instancePath:instancePath+"/status/inFlight/" + i28+"/deadline",schemaPath:"#/properties/status/properties/inFlight/items/properties/deadline/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err519];
}
else {
if (vErrors.length < 1000) vErrors.push(err519);
}
errors++;
}
}
if(data212.kind !== undefined){
let data219 = data212.kind;
if(typeof data219 !== "string"){
const err520 = {instancePath:instancePath+"/status/inFlight/" + i28+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err520];
}
else {
if (vErrors.length < 1000) vErrors.push(err520);
}
errors++;
}
if(!(((((data219 === "Fresh") || (data219 === "Repair")) || (data219 === "Retry")) || (data219 === "New")) || (data219 === "Found"))){
const err521 = {instancePath:instancePath+"/status/inFlight/" + i28+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.inFlight.items.properties.kind.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err521];
}
else {
if (vErrors.length < 1000) vErrors.push(err521);
}
errors++;
}
}
}
else {
const err522 = {instancePath:instancePath+"/status/inFlight/" + i28,schemaPath:"#/properties/status/properties/inFlight/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err522];
}
else {
if (vErrors.length < 1000) vErrors.push(err522);
}
errors++;
}
}
}
else {
const err523 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err523];
}
else {
if (vErrors.length < 1000) vErrors.push(err523);
}
errors++;
}
}
if(data154.canary !== undefined){
let data220 = data154.canary;
if(data220 && typeof data220 == "object" && !Array.isArray(data220)){
if(data220.generation === undefined){
const err524 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err524];
}
else {
if (vErrors.length < 1000) vErrors.push(err524);
}
errors++;
}
if(data220.nodes === undefined){
const err525 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err525];
}
else {
if (vErrors.length < 1000) vErrors.push(err525);
}
errors++;
}
for(const key44 in data220){
if(!(((((key44 === "generation") || (key44 === "schedule")) || (key44 === "nodes")) || (key44 === "readySince")) || (key44 === "passedTime"))){
const err526 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key44},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err526];
}
else {
if (vErrors.length < 1000) vErrors.push(err526);
}
errors++;
}
}
if(data220.generation !== undefined){
let data221 = data220.generation;
if(!((typeof data221 == "number") && (!(data221 % 1) && !isNaN(data221)))){
const err527 = {instancePath:instancePath+"/status/canary/generation",schemaPath:"#/properties/status/properties/canary/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err527];
}
else {
if (vErrors.length < 1000) vErrors.push(err527);
}
errors++;
}
}
if(data220.schedule !== undefined){
let data222 = data220.schedule;
if(typeof data222 === "string"){
if(func3(data222) > 32){
const err528 = {instancePath:instancePath+"/status/canary/schedule",schemaPath:"#/properties/status/properties/canary/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err528];
}
else {
if (vErrors.length < 1000) vErrors.push(err528);
}
errors++;
}
}
else {
const err529 = {instancePath:instancePath+"/status/canary/schedule",schemaPath:"#/properties/status/properties/canary/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err529];
}
else {
if (vErrors.length < 1000) vErrors.push(err529);
}
errors++;
}
}
if(data220.nodes !== undefined){
let data223 = data220.nodes;
if(Array.isArray(data223)){
if(data223.length > 1000){
const err530 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err530];
}
else {
if (vErrors.length < 1000) vErrors.push(err530);
}
errors++;
}
const len29 = data223.length;
for(let i29=0; i29<len29; i29++){
let data224 = data223[i29];
if(typeof data224 === "string"){
if(func3(data224) > 253){
const err531 = {instancePath:instancePath+"/status/canary/nodes/" + i29,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
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
const err532 = {instancePath:instancePath+"/status/canary/nodes/" + i29,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err533 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err533];
}
else {
if (vErrors.length < 1000) vErrors.push(err533);
}
errors++;
}
}
if(data220.readySince !== undefined){
if(typeof data220.readySince !== "string"){
const err534 = {instancePath:instancePath+"/status/canary/readySince",schemaPath:"#/properties/status/properties/canary/properties/readySince/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err534];
}
else {
if (vErrors.length < 1000) vErrors.push(err534);
}
errors++;
}
}
if(data220.passedTime !== undefined){
if(typeof data220.passedTime !== "string"){
const err535 = {instancePath:instancePath+"/status/canary/passedTime",schemaPath:"#/properties/status/properties/canary/properties/passedTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err536 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err536];
}
else {
if (vErrors.length < 1000) vErrors.push(err536);
}
errors++;
}
}
if(data154.pace !== undefined){
let data227 = data154.pace;
if(data227 && typeof data227 == "object" && !Array.isArray(data227)){
if(data227.generation === undefined){
const err537 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err537];
}
else {
if (vErrors.length < 1000) vErrors.push(err537);
}
errors++;
}
if(data227.nodes === undefined){
const err538 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err538];
}
else {
if (vErrors.length < 1000) vErrors.push(err538);
}
errors++;
}
if(data227.seconds === undefined){
const err539 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "seconds"},message:"must have required property '"+"seconds"+"'"};
if(vErrors === null){
vErrors = [err539];
}
else {
if (vErrors.length < 1000) vErrors.push(err539);
}
errors++;
}
for(const key45 in data227){
if(!(((key45 === "generation") || (key45 === "nodes")) || (key45 === "seconds"))){
const err540 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key45},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err540];
}
else {
if (vErrors.length < 1000) vErrors.push(err540);
}
errors++;
}
}
if(data227.generation !== undefined){
let data228 = data227.generation;
if(!((typeof data228 == "number") && (!(data228 % 1) && !isNaN(data228)))){
const err541 = {instancePath:instancePath+"/status/pace/generation",schemaPath:"#/properties/status/properties/pace/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err541];
}
else {
if (vErrors.length < 1000) vErrors.push(err541);
}
errors++;
}
}
if(data227.nodes !== undefined){
let data229 = data227.nodes;
if(!((typeof data229 == "number") && (!(data229 % 1) && !isNaN(data229)))){
const err542 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err542];
}
else {
if (vErrors.length < 1000) vErrors.push(err542);
}
errors++;
}
if(typeof data229 == "number"){
if(data229 < 1 || isNaN(data229)){
const err543 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
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
if(data227.seconds !== undefined){
let data230 = data227.seconds;
if(!((typeof data230 == "number") && (!(data230 % 1) && !isNaN(data230)))){
const err544 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err544];
}
else {
if (vErrors.length < 1000) vErrors.push(err544);
}
errors++;
}
if(typeof data230 == "number"){
if(data230 < 0 || isNaN(data230)){
const err545 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err545];
}
else {
if (vErrors.length < 1000) vErrors.push(err545);
}
errors++;
}
}
}
}
else {
const err546 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err546];
}
else {
if (vErrors.length < 1000) vErrors.push(err546);
}
errors++;
}
}
if(data154.limits !== undefined){
let data231 = data154.limits;
if(data231 && typeof data231 == "object" && !Array.isArray(data231)){
if(data231.nodes === undefined){
const err547 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err547];
}
else {
if (vErrors.length < 1000) vErrors.push(err547);
}
errors++;
}
if(data231.maxUnavailable === undefined){
const err548 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxUnavailable"},message:"must have required property '"+"maxUnavailable"+"'"};
if(vErrors === null){
vErrors = [err548];
}
else {
if (vErrors.length < 1000) vErrors.push(err548);
}
errors++;
}
if(data231.maxConcurrentNodes === undefined){
const err549 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxConcurrentNodes"},message:"must have required property '"+"maxConcurrentNodes"+"'"};
if(vErrors === null){
vErrors = [err549];
}
else {
if (vErrors.length < 1000) vErrors.push(err549);
}
errors++;
}
for(const key46 in data231){
if(!(((key46 === "nodes") || (key46 === "maxUnavailable")) || (key46 === "maxConcurrentNodes"))){
const err550 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key46},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err550];
}
else {
if (vErrors.length < 1000) vErrors.push(err550);
}
errors++;
}
}
if(data231.nodes !== undefined){
let data232 = data231.nodes;
if(!((typeof data232 == "number") && (!(data232 % 1) && !isNaN(data232)))){
const err551 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err551];
}
else {
if (vErrors.length < 1000) vErrors.push(err551);
}
errors++;
}
if(typeof data232 == "number"){
if(data232 < 0 || isNaN(data232)){
const err552 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err552];
}
else {
if (vErrors.length < 1000) vErrors.push(err552);
}
errors++;
}
}
}
if(data231.maxUnavailable !== undefined){
let data233 = data231.maxUnavailable;
if(!((typeof data233 == "number") && (!(data233 % 1) && !isNaN(data233)))){
const err553 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err553];
}
else {
if (vErrors.length < 1000) vErrors.push(err553);
}
errors++;
}
if(typeof data233 == "number"){
if(data233 < 0 || isNaN(data233)){
const err554 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
if(data231.maxConcurrentNodes !== undefined){
let data234 = data231.maxConcurrentNodes;
if(!((typeof data234 == "number") && (!(data234 % 1) && !isNaN(data234)))){
const err555 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
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
const err556 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
const err557 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err557];
}
else {
if (vErrors.length < 1000) vErrors.push(err557);
}
errors++;
}
}
if(data154.failures !== undefined){
let data235 = data154.failures;
if(Array.isArray(data235)){
if(data235.length > 50){
const err558 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err558];
}
else {
if (vErrors.length < 1000) vErrors.push(err558);
}
errors++;
}
const len30 = data235.length;
for(let i30=0; i30<len30; i30++){
let data236 = data235[i30];
if(data236 && typeof data236 == "object" && !Array.isArray(data236)){
if(data236.node === undefined){
const err559 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err559];
}
else {
if (vErrors.length < 1000) vErrors.push(err559);
}
errors++;
}
if(data236.reason === undefined){
const err560 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err560];
}
else {
if (vErrors.length < 1000) vErrors.push(err560);
}
errors++;
}
if(data236.message === undefined){
const err561 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err561];
}
else {
if (vErrors.length < 1000) vErrors.push(err561);
}
errors++;
}
for(const key47 in data236){
if(!((((key47 === "node") || (key47 === "reason")) || (key47 === "message")) || (key47 === "time"))){
const err562 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key47},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err562];
}
else {
if (vErrors.length < 1000) vErrors.push(err562);
}
errors++;
}
}
if(data236.node !== undefined){
let data237 = data236.node;
if(typeof data237 === "string"){
if(func3(data237) > 253){
const err563 = {instancePath:instancePath+"/status/failures/" + i30+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err563];
}
else {
if (vErrors.length < 1000) vErrors.push(err563);
}
errors++;
}
}
else {
const err564 = {instancePath:instancePath+"/status/failures/" + i30+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err564];
}
else {
if (vErrors.length < 1000) vErrors.push(err564);
}
errors++;
}
}
if(data236.reason !== undefined){
let data238 = data236.reason;
if(typeof data238 === "string"){
if(func3(data238) > 64){
const err565 = {instancePath:instancePath+"/status/failures/" + i30+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err565];
}
else {
if (vErrors.length < 1000) vErrors.push(err565);
}
errors++;
}
}
else {
const err566 = {instancePath:instancePath+"/status/failures/" + i30+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err566];
}
else {
if (vErrors.length < 1000) vErrors.push(err566);
}
errors++;
}
}
if(data236.message !== undefined){
let data239 = data236.message;
if(typeof data239 === "string"){
if(func3(data239) > 1024){
const err567 = {instancePath:instancePath+"/status/failures/" + i30+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err567];
}
else {
if (vErrors.length < 1000) vErrors.push(err567);
}
errors++;
}
}
else {
const err568 = {instancePath:instancePath+"/status/failures/" + i30+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err568];
}
else {
if (vErrors.length < 1000) vErrors.push(err568);
}
errors++;
}
}
if(data236.time !== undefined){
if(typeof data236.time !== "string"){
const err569 = {instancePath:instancePath+"/status/failures/" + i30+"/time",schemaPath:"#/properties/status/properties/failures/items/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err569];
}
else {
if (vErrors.length < 1000) vErrors.push(err569);
}
errors++;
}
}
}
else {
const err570 = {instancePath:instancePath+"/status/failures/" + i30,schemaPath:"#/properties/status/properties/failures/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err570];
}
else {
if (vErrors.length < 1000) vErrors.push(err570);
}
errors++;
}
}
}
else {
const err571 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err571];
}
else {
if (vErrors.length < 1000) vErrors.push(err571);
}
errors++;
}
}
}
else {
const err572 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err572];
}
else {
if (vErrors.length < 1000) vErrors.push(err572);
}
errors++;
}
}
}
else {
const err573 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err573];
}
else {
if (vErrors.length < 1000) vErrors.push(err573);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
