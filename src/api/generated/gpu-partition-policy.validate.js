// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"type":"object","description":"GpuPartitionPolicy defines how the NVIDIA GPUs of the selected nodes are partitioned with MIG, and how the nodes advertise the slices.","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"type":"string","const":"gpupartition.dev/v1alpha1"},"kind":{"type":"string","const":"GpuPartitionPolicy"},"metadata":{"type":"object","additionalProperties":true,"required":["name"],"properties":{"name":{"type":"string"},"uid":{"type":"string"},"generation":{"type":"integer"},"resourceVersion":{"type":"string"},"creationTimestamp":{"type":"string"},"deletionTimestamp":{"type":"string"},"labels":{"type":"object","additionalProperties":{"type":"string"}},"annotations":{"type":"object","additionalProperties":{"type":"string"}},"finalizers":{"type":"array","items":{"type":"string"}}}},"spec":{"type":"object","description":"What the GPUs of the selected nodes become, and how a change reaches them.","required":["nodeSelector","strategy"],"properties":{"nodeSelector":{"type":"object","description":"Label selector of the nodes that this policy partitions, for example matchLabels: {pool: inference}. It must not be empty, and must not use labels that a layout changes (nvidia.com/gpu.product, nvidia.com/mig-*, nvidia.com/gpu.deploy.*, ...), because the node would leave its own policy. Select by pool or by nvidia.com/gpu.present, and choose GPUs with layouts[].gpus.models.","properties":{"matchLabels":{"type":"object","description":"Labels that a node must carry, all of them. Example: {pool: inference}.","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","description":"Requirements on the labels of a node, all of them. Example: {key: pool, operator: In, values: [inference, batch]}.","maxItems":16,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","minLength":1,"maxLength":317,"description":"Key of the label."},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"],"description":"How the label is compared with values."},"values":{"type":"array","description":"Values for In and NotIn; none for Exists and DoesNotExist.","maxItems":64,"items":{"type":"string","maxLength":63}}},"additionalProperties":false}}},"additionalProperties":false},"priority":{"type":"integer","default":0,"minimum":-1000000000,"maximum":1000000000,"description":"Decides which policy wins when two of mode Enforce select the same node: the higher priority, then the older policy, then the name. A policy that is outranked is Ready with reason Outranked. At equal priority it is Stalled with reason Conflicted. Both name the winner."},"mode":{"type":"string","enum":["Enforce","Plan"],"default":"Enforce","description":"Enforce partitions the nodes. Plan computes the plan, reports it in status and changes nothing. It takes no node from another policy. A policy that turns from Enforce to Plan keeps its nodes, and they stay as they are."},"strategy":{"type":"string","enum":["none","single","mixed"],"description":"How the device plugin advertises the GPUs. none: whole GPUs as nvidia.com/gpu, MIG is ignored. single: each slice as nvidia.com/gpu; all slices of a node have one profile. mixed: one resource per profile, for example nvidia.com/mig-1g.5gb. Must match the MIG strategy of the device plugin."},"demand":{"type":"object","description":"The slices that the GPUs of all selected nodes offer together. The controller chooses the layouts, with the fewest changes, and keeps what is there: docs/demand.md. Instead of layouts.","required":["slices"],"properties":{"slices":{"type":"array","description":"The slices that are wanted, by kind, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}, {name: whole, mig: Disabled, count: 4}]. An instance counts for one of them only.","minItems":1,"maxItems":16,"items":{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example small. If it is absent, the first profile, the memory, or whole."},"profiles":{"type":"array","description":"Profiles any of which serves, as nvidia-smi writes them or as globs, for example [1g.5gb, 1g.10gb] or [\"1g.*\"]. A glob without a + means plain profiles, without +me and the like. Of those that serve equally well, the smallest is made.","minItems":1,"maxItems":16,"items":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[1-9*?][0-9abefglmx.+*?-]*$"}},"memory":{"type":"string","maxLength":12,"pattern":"^[1-9][0-9]{0,6}([.][0-9]{1,3})?[MGT]i?$","description":"Instead of profiles: every plain profile serves that has at least this much usable memory on every GPU of the pool, the smallest first. Example: 4.5Gi, which a 1g.5gb of an A100 has, but not 5Gi: gpu-partition recommend --size."},"mig":{"type":"string","enum":["Disabled"],"description":"Instead of profiles: whole GPUs, with MIG mode off, which pods request as nvidia.com/gpu."},"count":{"type":"integer","minimum":0,"maximum":100000,"description":"How many are wanted over all selected nodes, those in use included."},"min":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. At least this many are wanted, whatever pods ask for. 0 if it is absent."},"max":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. At most this many are wanted, whatever pods ask for. If it is absent, as many as pods ask for."},"spare":{"description":"With from: Pods or Kueue. How many are kept free beyond what runs and waits: a number, or a percentage of these, rounded up. Example: 2.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":100000,"pattern":"^(100|[1-9]?[0-9])%$"},"weight":{"type":"integer","minimum":1,"maximum":1000000,"description":"What one that cannot be offered costs: who goes short if not everything fits. If it is absent, the memory slices of its smallest profile."}},"additionalProperties":false}},"from":{"type":"string","enum":["Declared","Pods","Kueue"],"description":"Declared, or absent: each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests of nvidia.com/mig-PROFILE, and of nvidia.com/gpu for whole GPUs. Kueue: the same, and what Kueue holds back for a ResourceFlavor of the selected nodes: jobs that it has not admitted have no pods."},"evict":{"type":"string","enum":["Never","IfNeeded"],"description":"Never (if it is absent too): only idle slices are given up, and no pod is evicted, whatever spec.drain says. IfNeeded: pods go where more of the demand is served by it, within spec.drain."},"rest":{"type":"string","enum":["Keep","Whole","Balanced"],"description":"What becomes of idle GPUs that the demand does not need. Keep (if it is absent too): they stay as they are. Whole: MIG mode is turned off. Balanced: they get the preset all-balanced. No pod is evicted for it, whatever evict says."},"stabilization":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"With from: Pods or Kueue. How long pods must ask for less before less is wanted, for example 1h. They must ask for more for 1m, or for this long if that is shorter. 10m if it is absent."},"cooldown":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long a GPU that was given another layout is left alone, unless slices are wanted that no other GPU can offer, for example 1h. 30m if it is absent."}},"additionalProperties":false},"backend":{"type":"string","enum":["DevicePlugin","DRA"],"default":"DevicePlugin","description":"What hands the slices out. DevicePlugin: NVIDIA's device plugin, as resources such as nvidia.com/mig-1g.5gb. DRA: NVIDIA's DRA driver (gpu.nvidia.com, without its gate DynamicMIG), as devices of ResourceSlices; needs strategy mixed. A node on which both offer GPUs is left alone with reason BackendMismatch."},"dra":{"type":"object","description":"Settings of backend DRA.","properties":{"deviceClasses":{"type":"string","enum":["Managed"],"description":"Managed: the controller keeps a DeviceClass for each profile of the policy, and one for each size, as gpu-partition export dra prints them; it deletes none. If it is absent, they are yours to apply."}},"additionalProperties":false},"layouts":{"type":"array","description":"The layout of each GPU. For each GPU the first matching entry applies; a GPU that matches no entry is left alone. Exactly one of layouts and demand is set.","minItems":1,"maxItems":64,"items":{"type":"object","properties":{"gpus":{"type":"object","description":"Selects the GPUs that this entry applies to. All fields that are set must match; absent or empty, it matches every GPU. Example: {models: [\"A100-*-40GB\"], indices: [0, 1]}.","properties":{"models":{"type":"array","description":"GPU models as globs, for example \"A100-*-40GB\". Matched case-insensitively against the model id (a100-40gb) and the product name as GPU Feature Discovery writes it, without the prefix NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).","minItems":1,"maxItems":32,"items":{"type":"string","minLength":1,"maxLength":63,"pattern":"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"}},"indices":{"type":"array","description":"GPU indices as nvidia-smi -L prints them, for example [0, 1].","minItems":1,"maxItems":32,"items":{"type":"integer","minimum":0,"maximum":63}},"uuids":{"type":"array","description":"GPU UUIDs as nvidia-smi -L prints them, GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.","minItems":1,"maxItems":64,"items":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}},"pciDeviceIds":{"type":"array","description":"PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.","minItems":1,"maxItems":32,"items":{"type":"string","maxLength":10,"pattern":"^0x[0-9a-fA-F]{4}10[dD][eE]$"}},"count":{"type":"integer","minimum":1,"maximum":64,"description":"Takes exactly this many of the matching GPUs of a node. They are chosen once, so that the fewest instances are destroyed, and kept. A node with fewer matching GPUs is refused; on a node with none the entry is skipped."}},"additionalProperties":false},"profiles":{"type":"object","description":"The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.","minProperties":1,"maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"preset":{"type":"string","maxLength":32,"pattern":"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$","description":"A layout that is derived from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off)."},"mig":{"type":"string","enum":["Disabled"],"description":"Disabled makes the GPU whole, with MIG mode off. A GPU that does not support MIG already matches."}},"additionalProperties":false}},"sharing":{"type":"object","description":"Time-slicing on top of slices or whole GPUs. Needs the controller option --device-plugin-config-map.","properties":{"mps":{"type":"object","description":"Not supported, always rejected: NVIDIA's device plugin does not support MPS on MIG devices. The field exists so that the rejection can explain this.","additionalProperties":true},"timeSlicing":{"type":"array","description":"One entry per shared resource. Example: [{resource: nvidia.com/mig-1g.5gb, replicas: 4}].","minItems":1,"maxItems":32,"items":{"type":"object","required":["resource","replicas"],"properties":{"resource":{"type":"string","maxLength":63,"pattern":"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$","description":"Resource name as the device plugin advertises it: nvidia.com/gpu, or nvidia.com/mig-1g.5gb under strategy mixed."},"replicas":{"type":"integer","minimum":2,"maximum":128,"description":"How many pods share one slice or GPU. They share its memory and its faults."}},"additionalProperties":false}}},"additionalProperties":false},"drain":{"type":"object","default":{},"description":"How pods are evicted from slices that a change destroys.","properties":{"scope":{"type":"string","enum":["Affected","Node","None"],"default":"Affected","description":"Which pods are evicted. Affected: only pods on slices that the change destroys. Node: every GPU pod of the node. None: no pod; the node takes no new GPU pods until the pods on those slices have ended."},"timeout":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","default":"10m","description":"How long a node waits for its pods to terminate, for example 90s, 10m or 1h30m."},"onTimeout":{"type":"string","enum":["Skip","Wait","Force"],"default":"Skip","description":"What happens after timeout. Skip: reopen the node, let another one change, and retry later. Wait: keep waiting. Force: delete the pods with their grace period, past their disruption budgets; needs the verb force on gpupartitionpolicies."},"gracePeriod":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Termination grace period of evicted pods, at least 1s, for example 30s. Absent: each pod's own."}},"additionalProperties":false},"rollout":{"type":"object","default":{},"description":"How a change rolls through the nodes of this policy.","properties":{"maxUnavailable":{"description":"How many nodes may be unavailable at a time: a number, or a percentage of the selected nodes, rounded down but at least 1. 0 holds the rollout. Nodes that are NotReady or Failed count. Example: 10%.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"canary":{"type":"object","description":"Nodes that change before all others. If one fails, the rollout halts. Absent: no canary. Example: {nodes: 1, soak: 10m}.","required":["nodes"],"properties":{"nodes":{"type":"integer","minimum":1,"maximum":1000,"description":"How many nodes change first."},"soak":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long all canary nodes must be Ready before other nodes change, for example 10m. Absent: no wait."}},"additionalProperties":false},"failureThreshold":{"description":"How many failed nodes halt the rollout (reason Halted): a number, or a percentage of the selected nodes, rounded down but at least 1. No new node starts then; failed nodes are retried. Example: 3.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":1,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"windows":{"type":"array","description":"Maintenance windows in which nodes may start to change. Absent: always. A node that has started finishes outside of the window.","minItems":1,"maxItems":16,"items":{"type":"object","required":["schedule","duration"],"properties":{"schedule":{"type":"string","maxLength":64,"pattern":"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$","description":"Start of the window as a cron expression with five fields, for example 0 22 * * 1-5."},"duration":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Length of the window, for example 6h."},"timeZone":{"type":"string","maxLength":64,"description":"IANA time zone of schedule, for example Europe/Berlin. Absent: UTC."}},"additionalProperties":false}},"paused":{"type":"boolean","default":false,"description":"True: no further node starts to change. Nodes that have started finish."},"rollback":{"type":"string","enum":["OnFailure","Never"],"default":"OnFailure","description":"OnFailure: a GPU whose change fails is restored to its previous layout, placements included. Never: it is left as it is."}},"additionalProperties":false},"allow":{"type":"object","default":{},"description":"What the operator may do beyond creating slices and destroying idle ones.","properties":{"gpuReset":{"type":"boolean","default":true,"description":"Allows the reset of a single GPU where a MIG mode change requires it (A100, A30), or where its driver asks for it. The latter happens with the next change of its layout, after all its pods have ended."},"reboot":{"type":"boolean","description":"Allows asking for a reboot where a MIG mode change requires one: the agent creates /run/reboot-required on the host, and kured reboots the node. The operator itself never reboots. Needs the verb reboot on gpupartitionpolicies. Absent: false."},"replaceForeignInstances":{"type":"boolean","description":"Allows destroying idle GPU instances that this operator did not create. Absent: false."},"takeOver":{"type":"array","description":"Other owners of the GPUs that the operator may switch off on the selected nodes. Absent: none; a node with another owner is Failed with reason ForeignManager. Example: [mig-manager].","minItems":1,"maxItems":4,"items":{"type":"string","enum":["mig-manager"]}}},"additionalProperties":false},"onDelete":{"type":"string","enum":["Keep","DisableMig"],"default":"Keep","description":"What happens to the GPUs when the policy is deleted. Keep: they keep their layouts. DisableMig: the policy stays, with a finalizer, until its GPUs are whole."}},"additionalProperties":false},"status":{"type":"object","description":"Observed state. Written by the controller only.","properties":{"observedGeneration":{"type":"integer","description":"Generation of the spec that this status describes."},"acceptedGeneration":{"type":"integer","description":"Newest generation that every selected node that has reported its GPUs could take. Nothing of a newer generation starts."},"inForce":{"type":"object","description":"The generation that decides over nodes: the newest accepted one with mode Enforce, with its spec. It stays in force while a newer generation is not accepted, or only plans.","required":["generation","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false},"previous":{"type":"object","description":"The generation that was in force before that one, with its spec: `gpu-partition undo` goes back to it.","required":["generation","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false},"summary":{"type":"string","maxLength":256,"description":"Summary for the printer column, for example \"31/40 ready, 4 updating\"."},"conditions":{"type":"array","description":"Ready, Reconciling and Stalled (kstatus), Valid, and DemandMet for a policy with a demand.","maxItems":16,"items":{"type":"object","required":["type","status","reason","message","lastTransitionTime"],"properties":{"type":{"type":"string","maxLength":316,"description":"Type of the condition."},"status":{"type":"string","enum":["True","False","Unknown"],"description":"Whether the condition holds."},"reason":{"type":"string","maxLength":1024,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":8192,"description":"Human-readable explanation."},"lastTransitionTime":{"type":"string","description":"When status last changed."},"observedGeneration":{"type":"integer","description":"Generation of the spec that the condition describes."}},"additionalProperties":false}},"nodes":{"type":"object","description":"Number of selected nodes by state.","properties":{"matched":{"type":"integer","description":"Nodes that nodeSelector matches."},"ready":{"type":"integer","description":"Nodes whose device, labels and advertised resources match the policy."},"updating":{"type":"integer","description":"Nodes that change now."},"pending":{"type":"integer","description":"Nodes that have not started, or that cannot take the policy."},"failed":{"type":"integer","description":"Nodes whose last attempt failed."},"outranked":{"type":"integer","description":"Nodes that a policy of higher priority decides over."},"conflicted":{"type":"integer","description":"Nodes that another policy of the same priority won."},"skipped":{"type":"integer","description":"Nodes to whose GPUs no layout of this policy applies."}},"additionalProperties":false},"demand":{"type":"array","description":"What of spec.demand is offered, by slice.","maxItems":16,"items":{"type":"object","required":["name","wanted","offered","used","unmet"],"properties":{"name":{"type":"string","maxLength":32,"description":"Name of the slice."},"wanted":{"type":"integer","description":"How many are wanted."},"offered":{"type":"integer","description":"How many of those wanted exist on the GPUs now."},"used":{"type":"integer","description":"How many instances that serve it are in use."},"waiting":{"type":"integer","description":"With from: Pods or Kueue. How many are requested by pods that wait for a node and could run on those selected, and by what Kueue holds back for them."},"unmet":{"type":"integer","description":"How many the last plan could not provide; the others exist or are being made."},"why":{"type":"string","maxLength":1024,"description":"Why some are unmet."}},"additionalProperties":false}},"plan":{"type":"object","description":"The remaining work on all selected nodes.","properties":{"gpusChanging":{"type":"integer","description":"GPUs whose layout differs from what the policy asks for."},"instancesKept":{"type":"integer","description":"GPU instances that are kept."},"instancesDestroyed":{"type":"integer","description":"GPU instances to destroy."},"instancesCreated":{"type":"integer","description":"GPU instances to create."},"podsToEvict":{"type":"integer","description":"Pods on instances to destroy."}},"additionalProperties":false},"inFlight":{"type":"array","description":"The ledger: nodes that were admitted to change, until they are verified or given up. Written only by compare-and-swap.","maxItems":500,"items":{"type":"object","required":["node","nodeUID","epoch"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"nodeUID":{"type":"string","maxLength":64,"description":"UID of the node."},"epoch":{"type":"integer","description":"Epoch of the grant that the node was admitted for."},"generation":{"type":"integer","description":"Generation of the policy that the node was admitted for."},"startTime":{"type":"string","description":"When the node was admitted."},"deadline":{"type":"string","description":"When its pods must have terminated, if they are evicted at once: spec.drain.timeout counts from the first eviction."},"kind":{"type":"string","enum":["Fresh","Repair","Retry","New","Found"],"description":"Why the node was admitted. Fresh: it is already tainted and does not count against maxUnavailable. Repair: something else changed its GPUs. Retry: it failed before. New: a new change. Found: a new leader found it changing."}},"additionalProperties":false}},"canary":{"type":"object","required":["generation","nodes"],"description":"The canary nodes of a generation.","properties":{"generation":{"type":"integer","description":"Generation of the policy that they are the canary of."},"nodes":{"type":"array","maxItems":1000,"items":{"type":"string","maxLength":253},"description":"Names of the canary nodes."},"readySince":{"type":"string","description":"Since when all of them are Ready. The soak counts from here."},"passedTime":{"type":"string","description":"When all of them had been Ready for the soak. What happens to them later no longer matters to the rollout."}},"additionalProperties":false},"pace":{"type":"object","required":["generation","nodes","seconds"],"description":"How long changes of this generation take: what is left of a rollout is estimated from it. Written with the ledger.","properties":{"generation":{"type":"integer","description":"Generation of the policy."},"nodes":{"type":"integer","minimum":1,"description":"Nodes that were admitted for it and have been verified since."},"seconds":{"type":"integer","minimum":0,"description":"How long that took, from admission until verified, all of them together."}},"additionalProperties":false},"limits":{"type":"object","required":["nodes","maxUnavailable","maxConcurrentNodes"],"description":"What the rollout may do now, in numbers of nodes.","properties":{"nodes":{"type":"integer","minimum":0,"description":"Nodes with GPUs over which the policy decides. Percentages in `spec.rollout` are of these."},"maxUnavailable":{"type":"integer","minimum":0,"description":"How many of them may be unavailable at a time."},"maxConcurrentNodes":{"type":"integer","minimum":0,"description":"How many nodes of all policies may change at a time: the controller's `--max-concurrent-nodes`."}},"additionalProperties":false},"failures":{"type":"array","description":"Nodes whose last attempt failed, and why.","maxItems":50,"items":{"type":"object","required":["node","reason","message"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"reason":{"type":"string","maxLength":64,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":1024,"description":"What failed, on which GPU and instance, and what to do."},"time":{"type":"string","description":"When the attempt failed."}},"additionalProperties":false}}},"additionalProperties":false}},"additionalProperties":false,"title":"GpuPartitionPolicy"};
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
const pattern10 = new RegExp("^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$", "u");
const pattern16 = new RegExp("^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$", "u");

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
if(!((data46 === "DevicePlugin") || (data46 === "DRA"))){
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
if(data15.sharing !== undefined){
let data65 = data15.sharing;
if(data65 && typeof data65 == "object" && !Array.isArray(data65)){
for(const key13 in data65){
if(!((key13 === "mps") || (key13 === "timeSlicing"))){
const err160 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err160];
}
else {
if (vErrors.length < 1000) vErrors.push(err160);
}
errors++;
}
}
if(data65.mps !== undefined){
let data66 = data65.mps;
if(data66 && typeof data66 == "object" && !Array.isArray(data66)){
}
else {
const err161 = {instancePath:instancePath+"/spec/sharing/mps",schemaPath:"#/properties/spec/properties/sharing/properties/mps/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err161];
}
else {
if (vErrors.length < 1000) vErrors.push(err161);
}
errors++;
}
}
if(data65.timeSlicing !== undefined){
let data67 = data65.timeSlicing;
if(Array.isArray(data67)){
if(data67.length > 32){
const err162 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err162];
}
else {
if (vErrors.length < 1000) vErrors.push(err162);
}
errors++;
}
if(data67.length < 1){
const err163 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err163];
}
else {
if (vErrors.length < 1000) vErrors.push(err163);
}
errors++;
}
const len10 = data67.length;
for(let i10=0; i10<len10; i10++){
let data68 = data67[i10];
if(data68 && typeof data68 == "object" && !Array.isArray(data68)){
if(data68.resource === undefined){
const err164 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "resource"},message:"must have required property '"+"resource"+"'"};
if(vErrors === null){
vErrors = [err164];
}
else {
if (vErrors.length < 1000) vErrors.push(err164);
}
errors++;
}
if(data68.replicas === undefined){
const err165 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "replicas"},message:"must have required property '"+"replicas"+"'"};
if(vErrors === null){
vErrors = [err165];
}
else {
if (vErrors.length < 1000) vErrors.push(err165);
}
errors++;
}
for(const key14 in data68){
if(!((key14 === "resource") || (key14 === "replicas"))){
const err166 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key14},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err166];
}
else {
if (vErrors.length < 1000) vErrors.push(err166);
}
errors++;
}
}
if(data68.resource !== undefined){
let data69 = data68.resource;
if(typeof data69 === "string"){
if(func3(data69) > 63){
const err167 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err167];
}
else {
if (vErrors.length < 1000) vErrors.push(err167);
}
errors++;
}
if(!pattern10.test(data69)){
const err168 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/pattern",keyword:"pattern",params:{pattern: "^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"},message:"must match pattern \""+"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"+"\""};
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
const err169 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err169];
}
else {
if (vErrors.length < 1000) vErrors.push(err169);
}
errors++;
}
}
if(data68.replicas !== undefined){
let data70 = data68.replicas;
if(!((typeof data70 == "number") && (!(data70 % 1) && !isNaN(data70)))){
const err170 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err170];
}
else {
if (vErrors.length < 1000) vErrors.push(err170);
}
errors++;
}
if(typeof data70 == "number"){
if(data70 > 128 || isNaN(data70)){
const err171 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/maximum",keyword:"maximum",params:{comparison: "<=", limit: 128},message:"must be <= 128"};
if(vErrors === null){
vErrors = [err171];
}
else {
if (vErrors.length < 1000) vErrors.push(err171);
}
errors++;
}
if(data70 < 2 || isNaN(data70)){
const err172 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/minimum",keyword:"minimum",params:{comparison: ">=", limit: 2},message:"must be >= 2"};
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
const err173 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err173];
}
else {
if (vErrors.length < 1000) vErrors.push(err173);
}
errors++;
}
}
}
else {
const err174 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err174];
}
else {
if (vErrors.length < 1000) vErrors.push(err174);
}
errors++;
}
}
}
else {
const err175 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err175];
}
else {
if (vErrors.length < 1000) vErrors.push(err175);
}
errors++;
}
}
if(data15.drain !== undefined){
let data71 = data15.drain;
if(data71 && typeof data71 == "object" && !Array.isArray(data71)){
for(const key15 in data71){
if(!((((key15 === "scope") || (key15 === "timeout")) || (key15 === "onTimeout")) || (key15 === "gracePeriod"))){
const err176 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key15},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err176];
}
else {
if (vErrors.length < 1000) vErrors.push(err176);
}
errors++;
}
}
if(data71.scope !== undefined){
let data72 = data71.scope;
if(typeof data72 !== "string"){
const err177 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err177];
}
else {
if (vErrors.length < 1000) vErrors.push(err177);
}
errors++;
}
if(!(((data72 === "Affected") || (data72 === "Node")) || (data72 === "None"))){
const err178 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.scope.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err178];
}
else {
if (vErrors.length < 1000) vErrors.push(err178);
}
errors++;
}
}
if(data71.timeout !== undefined){
let data73 = data71.timeout;
if(typeof data73 === "string"){
if(func3(data73) > 16){
const err179 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err179];
}
else {
if (vErrors.length < 1000) vErrors.push(err179);
}
errors++;
}
if(!pattern4.test(data73)){
const err180 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err180];
}
else {
if (vErrors.length < 1000) vErrors.push(err180);
}
errors++;
}
}
else {
const err181 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err181];
}
else {
if (vErrors.length < 1000) vErrors.push(err181);
}
errors++;
}
}
if(data71.onTimeout !== undefined){
let data74 = data71.onTimeout;
if(typeof data74 !== "string"){
const err182 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err182];
}
else {
if (vErrors.length < 1000) vErrors.push(err182);
}
errors++;
}
if(!(((data74 === "Skip") || (data74 === "Wait")) || (data74 === "Force"))){
const err183 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.onTimeout.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err183];
}
else {
if (vErrors.length < 1000) vErrors.push(err183);
}
errors++;
}
}
if(data71.gracePeriod !== undefined){
let data75 = data71.gracePeriod;
if(typeof data75 === "string"){
if(func3(data75) > 16){
const err184 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err184];
}
else {
if (vErrors.length < 1000) vErrors.push(err184);
}
errors++;
}
if(!pattern4.test(data75)){
const err185 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err185];
}
else {
if (vErrors.length < 1000) vErrors.push(err185);
}
errors++;
}
}
else {
const err186 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err186];
}
else {
if (vErrors.length < 1000) vErrors.push(err186);
}
errors++;
}
}
}
else {
const err187 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err187];
}
else {
if (vErrors.length < 1000) vErrors.push(err187);
}
errors++;
}
}
if(data15.rollout !== undefined){
let data76 = data15.rollout;
if(data76 && typeof data76 == "object" && !Array.isArray(data76)){
for(const key16 in data76){
if(!((((((key16 === "maxUnavailable") || (key16 === "canary")) || (key16 === "failureThreshold")) || (key16 === "windows")) || (key16 === "paused")) || (key16 === "rollback"))){
const err188 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key16},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err188];
}
else {
if (vErrors.length < 1000) vErrors.push(err188);
}
errors++;
}
}
if(data76.maxUnavailable !== undefined){
let data77 = data76.maxUnavailable;
const _errs179 = errors;
let valid41 = false;
const _errs180 = errors;
if(!((typeof data77 == "number") && (!(data77 % 1) && !isNaN(data77)))){
const err189 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err189];
}
else {
if (vErrors.length < 1000) vErrors.push(err189);
}
errors++;
}
var _valid1 = _errs180 === errors;
valid41 = valid41 || _valid1;
if(!valid41){
const _errs182 = errors;
if(typeof data77 !== "string"){
const err190 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err190];
}
else {
if (vErrors.length < 1000) vErrors.push(err190);
}
errors++;
}
var _valid1 = _errs182 === errors;
valid41 = valid41 || _valid1;
}
if(!valid41){
const err191 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err191];
}
else {
if (vErrors.length < 1000) vErrors.push(err191);
}
errors++;
}
else {
errors = _errs179;
if(vErrors !== null){
if(_errs179){
vErrors.length = Math.min(vErrors.length, _errs179);
}
else {
vErrors = null;
}
}
}
if(typeof data77 == "number"){
if(data77 > 10000 || isNaN(data77)){
const err192 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err192];
}
else {
if (vErrors.length < 1000) vErrors.push(err192);
}
errors++;
}
if(data77 < 0 || isNaN(data77)){
const err193 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err193];
}
else {
if (vErrors.length < 1000) vErrors.push(err193);
}
errors++;
}
}
if(typeof data77 === "string"){
if(!pattern3.test(data77)){
const err194 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err194];
}
else {
if (vErrors.length < 1000) vErrors.push(err194);
}
errors++;
}
}
}
if(data76.canary !== undefined){
let data78 = data76.canary;
if(data78 && typeof data78 == "object" && !Array.isArray(data78)){
if(data78.nodes === undefined){
const err195 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err195];
}
else {
if (vErrors.length < 1000) vErrors.push(err195);
}
errors++;
}
for(const key17 in data78){
if(!((key17 === "nodes") || (key17 === "soak"))){
const err196 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key17},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err196];
}
else {
if (vErrors.length < 1000) vErrors.push(err196);
}
errors++;
}
}
if(data78.nodes !== undefined){
let data79 = data78.nodes;
if(!((typeof data79 == "number") && (!(data79 % 1) && !isNaN(data79)))){
const err197 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err197];
}
else {
if (vErrors.length < 1000) vErrors.push(err197);
}
errors++;
}
if(typeof data79 == "number"){
if(data79 > 1000 || isNaN(data79)){
const err198 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000},message:"must be <= 1000"};
if(vErrors === null){
vErrors = [err198];
}
else {
if (vErrors.length < 1000) vErrors.push(err198);
}
errors++;
}
if(data79 < 1 || isNaN(data79)){
const err199 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
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
if(data78.soak !== undefined){
let data80 = data78.soak;
if(typeof data80 === "string"){
if(func3(data80) > 16){
const err200 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err200];
}
else {
if (vErrors.length < 1000) vErrors.push(err200);
}
errors++;
}
if(!pattern4.test(data80)){
const err201 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
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
const err202 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err202];
}
else {
if (vErrors.length < 1000) vErrors.push(err202);
}
errors++;
}
}
}
else {
const err203 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err203];
}
else {
if (vErrors.length < 1000) vErrors.push(err203);
}
errors++;
}
}
if(data76.failureThreshold !== undefined){
let data81 = data76.failureThreshold;
const _errs192 = errors;
let valid43 = false;
const _errs193 = errors;
if(!((typeof data81 == "number") && (!(data81 % 1) && !isNaN(data81)))){
const err204 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err204];
}
else {
if (vErrors.length < 1000) vErrors.push(err204);
}
errors++;
}
var _valid2 = _errs193 === errors;
valid43 = valid43 || _valid2;
if(!valid43){
const _errs195 = errors;
if(typeof data81 !== "string"){
const err205 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err205];
}
else {
if (vErrors.length < 1000) vErrors.push(err205);
}
errors++;
}
var _valid2 = _errs195 === errors;
valid43 = valid43 || _valid2;
}
if(!valid43){
const err206 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err206];
}
else {
if (vErrors.length < 1000) vErrors.push(err206);
}
errors++;
}
else {
errors = _errs192;
if(vErrors !== null){
if(_errs192){
vErrors.length = Math.min(vErrors.length, _errs192);
}
else {
vErrors = null;
}
}
}
if(typeof data81 == "number"){
if(data81 > 10000 || isNaN(data81)){
const err207 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err207];
}
else {
if (vErrors.length < 1000) vErrors.push(err207);
}
errors++;
}
if(data81 < 1 || isNaN(data81)){
const err208 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err208];
}
else {
if (vErrors.length < 1000) vErrors.push(err208);
}
errors++;
}
}
if(typeof data81 === "string"){
if(!pattern3.test(data81)){
const err209 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
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
if(data76.windows !== undefined){
let data82 = data76.windows;
if(Array.isArray(data82)){
if(data82.length > 16){
const err210 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err210];
}
else {
if (vErrors.length < 1000) vErrors.push(err210);
}
errors++;
}
if(data82.length < 1){
const err211 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err211];
}
else {
if (vErrors.length < 1000) vErrors.push(err211);
}
errors++;
}
const len11 = data82.length;
for(let i11=0; i11<len11; i11++){
let data83 = data82[i11];
if(data83 && typeof data83 == "object" && !Array.isArray(data83)){
if(data83.schedule === undefined){
const err212 = {instancePath:instancePath+"/spec/rollout/windows/" + i11,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "schedule"},message:"must have required property '"+"schedule"+"'"};
if(vErrors === null){
vErrors = [err212];
}
else {
if (vErrors.length < 1000) vErrors.push(err212);
}
errors++;
}
if(data83.duration === undefined){
const err213 = {instancePath:instancePath+"/spec/rollout/windows/" + i11,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "duration"},message:"must have required property '"+"duration"+"'"};
if(vErrors === null){
vErrors = [err213];
}
else {
if (vErrors.length < 1000) vErrors.push(err213);
}
errors++;
}
for(const key18 in data83){
if(!(((key18 === "schedule") || (key18 === "duration")) || (key18 === "timeZone"))){
const err214 = {instancePath:instancePath+"/spec/rollout/windows/" + i11,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key18},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err214];
}
else {
if (vErrors.length < 1000) vErrors.push(err214);
}
errors++;
}
}
if(data83.schedule !== undefined){
let data84 = data83.schedule;
if(typeof data84 === "string"){
if(func3(data84) > 64){
const err215 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err215];
}
else {
if (vErrors.length < 1000) vErrors.push(err215);
}
errors++;
}
if(!pattern16.test(data84)){
const err216 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"},message:"must match pattern \""+"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"+"\""};
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
const err217 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err217];
}
else {
if (vErrors.length < 1000) vErrors.push(err217);
}
errors++;
}
}
if(data83.duration !== undefined){
let data85 = data83.duration;
if(typeof data85 === "string"){
if(func3(data85) > 16){
const err218 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err218];
}
else {
if (vErrors.length < 1000) vErrors.push(err218);
}
errors++;
}
if(!pattern4.test(data85)){
const err219 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
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
const err220 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err220];
}
else {
if (vErrors.length < 1000) vErrors.push(err220);
}
errors++;
}
}
if(data83.timeZone !== undefined){
let data86 = data83.timeZone;
if(typeof data86 === "string"){
if(func3(data86) > 64){
const err221 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err221];
}
else {
if (vErrors.length < 1000) vErrors.push(err221);
}
errors++;
}
}
else {
const err222 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err223 = {instancePath:instancePath+"/spec/rollout/windows/" + i11,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
else {
const err224 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err224];
}
else {
if (vErrors.length < 1000) vErrors.push(err224);
}
errors++;
}
}
if(data76.paused !== undefined){
if(typeof data76.paused !== "boolean"){
const err225 = {instancePath:instancePath+"/spec/rollout/paused",schemaPath:"#/properties/spec/properties/rollout/properties/paused/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err225];
}
else {
if (vErrors.length < 1000) vErrors.push(err225);
}
errors++;
}
}
if(data76.rollback !== undefined){
let data88 = data76.rollback;
if(typeof data88 !== "string"){
const err226 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err226];
}
else {
if (vErrors.length < 1000) vErrors.push(err226);
}
errors++;
}
if(!((data88 === "OnFailure") || (data88 === "Never"))){
const err227 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.rollout.properties.rollback.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err227];
}
else {
if (vErrors.length < 1000) vErrors.push(err227);
}
errors++;
}
}
}
else {
const err228 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err228];
}
else {
if (vErrors.length < 1000) vErrors.push(err228);
}
errors++;
}
}
if(data15.allow !== undefined){
let data89 = data15.allow;
if(data89 && typeof data89 == "object" && !Array.isArray(data89)){
for(const key19 in data89){
if(!((((key19 === "gpuReset") || (key19 === "reboot")) || (key19 === "replaceForeignInstances")) || (key19 === "takeOver"))){
const err229 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key19},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err229];
}
else {
if (vErrors.length < 1000) vErrors.push(err229);
}
errors++;
}
}
if(data89.gpuReset !== undefined){
if(typeof data89.gpuReset !== "boolean"){
const err230 = {instancePath:instancePath+"/spec/allow/gpuReset",schemaPath:"#/properties/spec/properties/allow/properties/gpuReset/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err230];
}
else {
if (vErrors.length < 1000) vErrors.push(err230);
}
errors++;
}
}
if(data89.reboot !== undefined){
if(typeof data89.reboot !== "boolean"){
const err231 = {instancePath:instancePath+"/spec/allow/reboot",schemaPath:"#/properties/spec/properties/allow/properties/reboot/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err231];
}
else {
if (vErrors.length < 1000) vErrors.push(err231);
}
errors++;
}
}
if(data89.replaceForeignInstances !== undefined){
if(typeof data89.replaceForeignInstances !== "boolean"){
const err232 = {instancePath:instancePath+"/spec/allow/replaceForeignInstances",schemaPath:"#/properties/spec/properties/allow/properties/replaceForeignInstances/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err232];
}
else {
if (vErrors.length < 1000) vErrors.push(err232);
}
errors++;
}
}
if(data89.takeOver !== undefined){
let data93 = data89.takeOver;
if(Array.isArray(data93)){
if(data93.length > 4){
const err233 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/maxItems",keyword:"maxItems",params:{limit: 4},message:"must NOT have more than 4 items"};
if(vErrors === null){
vErrors = [err233];
}
else {
if (vErrors.length < 1000) vErrors.push(err233);
}
errors++;
}
if(data93.length < 1){
const err234 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err234];
}
else {
if (vErrors.length < 1000) vErrors.push(err234);
}
errors++;
}
const len12 = data93.length;
for(let i12=0; i12<len12; i12++){
let data94 = data93[i12];
if(typeof data94 !== "string"){
const err235 = {instancePath:instancePath+"/spec/allow/takeOver/" + i12,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err235];
}
else {
if (vErrors.length < 1000) vErrors.push(err235);
}
errors++;
}
if(!(data94 === "mig-manager")){
const err236 = {instancePath:instancePath+"/spec/allow/takeOver/" + i12,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.allow.properties.takeOver.items.enum},message:"must be equal to one of the allowed values"};
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
else {
const err237 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err237];
}
else {
if (vErrors.length < 1000) vErrors.push(err237);
}
errors++;
}
}
}
else {
const err238 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err238];
}
else {
if (vErrors.length < 1000) vErrors.push(err238);
}
errors++;
}
}
if(data15.onDelete !== undefined){
let data95 = data15.onDelete;
if(typeof data95 !== "string"){
const err239 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err239];
}
else {
if (vErrors.length < 1000) vErrors.push(err239);
}
errors++;
}
if(!((data95 === "Keep") || (data95 === "DisableMig"))){
const err240 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.onDelete.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err240];
}
else {
if (vErrors.length < 1000) vErrors.push(err240);
}
errors++;
}
}
}
else {
const err241 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err241];
}
else {
if (vErrors.length < 1000) vErrors.push(err241);
}
errors++;
}
}
if(data.status !== undefined){
let data96 = data.status;
if(data96 && typeof data96 == "object" && !Array.isArray(data96)){
for(const key20 in data96){
if(!(func2.call(schema11.properties.status.properties, key20))){
const err242 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key20},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err242];
}
else {
if (vErrors.length < 1000) vErrors.push(err242);
}
errors++;
}
}
if(data96.observedGeneration !== undefined){
let data97 = data96.observedGeneration;
if(!((typeof data97 == "number") && (!(data97 % 1) && !isNaN(data97)))){
const err243 = {instancePath:instancePath+"/status/observedGeneration",schemaPath:"#/properties/status/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err243];
}
else {
if (vErrors.length < 1000) vErrors.push(err243);
}
errors++;
}
}
if(data96.acceptedGeneration !== undefined){
let data98 = data96.acceptedGeneration;
if(!((typeof data98 == "number") && (!(data98 % 1) && !isNaN(data98)))){
const err244 = {instancePath:instancePath+"/status/acceptedGeneration",schemaPath:"#/properties/status/properties/acceptedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err244];
}
else {
if (vErrors.length < 1000) vErrors.push(err244);
}
errors++;
}
}
if(data96.inForce !== undefined){
let data99 = data96.inForce;
if(data99 && typeof data99 == "object" && !Array.isArray(data99)){
if(data99.generation === undefined){
const err245 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err245];
}
else {
if (vErrors.length < 1000) vErrors.push(err245);
}
errors++;
}
if(data99.spec === undefined){
const err246 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err246];
}
else {
if (vErrors.length < 1000) vErrors.push(err246);
}
errors++;
}
for(const key21 in data99){
if(!((key21 === "generation") || (key21 === "spec"))){
const err247 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key21},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err247];
}
else {
if (vErrors.length < 1000) vErrors.push(err247);
}
errors++;
}
}
if(data99.generation !== undefined){
let data100 = data99.generation;
if(!((typeof data100 == "number") && (!(data100 % 1) && !isNaN(data100)))){
const err248 = {instancePath:instancePath+"/status/inForce/generation",schemaPath:"#/properties/status/properties/inForce/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err248];
}
else {
if (vErrors.length < 1000) vErrors.push(err248);
}
errors++;
}
}
if(data99.spec !== undefined){
let data101 = data99.spec;
if(data101 && typeof data101 == "object" && !Array.isArray(data101)){
}
else {
const err249 = {instancePath:instancePath+"/status/inForce/spec",schemaPath:"#/properties/status/properties/inForce/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err249];
}
else {
if (vErrors.length < 1000) vErrors.push(err249);
}
errors++;
}
}
}
else {
const err250 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err250];
}
else {
if (vErrors.length < 1000) vErrors.push(err250);
}
errors++;
}
}
if(data96.previous !== undefined){
let data102 = data96.previous;
if(data102 && typeof data102 == "object" && !Array.isArray(data102)){
if(data102.generation === undefined){
const err251 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err251];
}
else {
if (vErrors.length < 1000) vErrors.push(err251);
}
errors++;
}
if(data102.spec === undefined){
const err252 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err252];
}
else {
if (vErrors.length < 1000) vErrors.push(err252);
}
errors++;
}
for(const key22 in data102){
if(!((key22 === "generation") || (key22 === "spec"))){
const err253 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key22},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err253];
}
else {
if (vErrors.length < 1000) vErrors.push(err253);
}
errors++;
}
}
if(data102.generation !== undefined){
let data103 = data102.generation;
if(!((typeof data103 == "number") && (!(data103 % 1) && !isNaN(data103)))){
const err254 = {instancePath:instancePath+"/status/previous/generation",schemaPath:"#/properties/status/properties/previous/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err254];
}
else {
if (vErrors.length < 1000) vErrors.push(err254);
}
errors++;
}
}
if(data102.spec !== undefined){
let data104 = data102.spec;
if(data104 && typeof data104 == "object" && !Array.isArray(data104)){
}
else {
const err255 = {instancePath:instancePath+"/status/previous/spec",schemaPath:"#/properties/status/properties/previous/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err255];
}
else {
if (vErrors.length < 1000) vErrors.push(err255);
}
errors++;
}
}
}
else {
const err256 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err256];
}
else {
if (vErrors.length < 1000) vErrors.push(err256);
}
errors++;
}
}
if(data96.summary !== undefined){
let data105 = data96.summary;
if(typeof data105 === "string"){
if(func3(data105) > 256){
const err257 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err257];
}
else {
if (vErrors.length < 1000) vErrors.push(err257);
}
errors++;
}
}
else {
const err258 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err258];
}
else {
if (vErrors.length < 1000) vErrors.push(err258);
}
errors++;
}
}
if(data96.conditions !== undefined){
let data106 = data96.conditions;
if(Array.isArray(data106)){
if(data106.length > 16){
const err259 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err259];
}
else {
if (vErrors.length < 1000) vErrors.push(err259);
}
errors++;
}
const len13 = data106.length;
for(let i13=0; i13<len13; i13++){
let data107 = data106[i13];
if(data107 && typeof data107 == "object" && !Array.isArray(data107)){
if(data107.type === undefined){
const err260 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err260];
}
else {
if (vErrors.length < 1000) vErrors.push(err260);
}
errors++;
}
if(data107.status === undefined){
const err261 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err261];
}
else {
if (vErrors.length < 1000) vErrors.push(err261);
}
errors++;
}
if(data107.reason === undefined){
const err262 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err262];
}
else {
if (vErrors.length < 1000) vErrors.push(err262);
}
errors++;
}
if(data107.message === undefined){
const err263 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err263];
}
else {
if (vErrors.length < 1000) vErrors.push(err263);
}
errors++;
}
if(data107.lastTransitionTime === undefined){
const err264 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err264];
}
else {
if (vErrors.length < 1000) vErrors.push(err264);
}
errors++;
}
for(const key23 in data107){
if(!((((((key23 === "type") || (key23 === "status")) || (key23 === "reason")) || (key23 === "message")) || (key23 === "lastTransitionTime")) || (key23 === "observedGeneration"))){
const err265 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key23},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err265];
}
else {
if (vErrors.length < 1000) vErrors.push(err265);
}
errors++;
}
}
if(data107.type !== undefined){
let data108 = data107.type;
if(typeof data108 === "string"){
if(func3(data108) > 316){
const err266 = {instancePath:instancePath+"/status/conditions/" + i13+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err266];
}
else {
if (vErrors.length < 1000) vErrors.push(err266);
}
errors++;
}
}
else {
const err267 = {instancePath:instancePath+"/status/conditions/" + i13+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err267];
}
else {
if (vErrors.length < 1000) vErrors.push(err267);
}
errors++;
}
}
if(data107.status !== undefined){
let data109 = data107.status;
if(typeof data109 !== "string"){
const err268 = {instancePath:instancePath+"/status/conditions/" + i13+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err268];
}
else {
if (vErrors.length < 1000) vErrors.push(err268);
}
errors++;
}
if(!(((data109 === "True") || (data109 === "False")) || (data109 === "Unknown"))){
const err269 = {instancePath:instancePath+"/status/conditions/" + i13+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err269];
}
else {
if (vErrors.length < 1000) vErrors.push(err269);
}
errors++;
}
}
if(data107.reason !== undefined){
let data110 = data107.reason;
if(typeof data110 === "string"){
if(func3(data110) > 1024){
const err270 = {instancePath:instancePath+"/status/conditions/" + i13+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err270];
}
else {
if (vErrors.length < 1000) vErrors.push(err270);
}
errors++;
}
}
else {
const err271 = {instancePath:instancePath+"/status/conditions/" + i13+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err271];
}
else {
if (vErrors.length < 1000) vErrors.push(err271);
}
errors++;
}
}
if(data107.message !== undefined){
let data111 = data107.message;
if(typeof data111 === "string"){
if(func3(data111) > 8192){
const err272 = {instancePath:instancePath+"/status/conditions/" + i13+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 8192},message:"must NOT have more than 8192 characters"};
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
const err273 = {instancePath:instancePath+"/status/conditions/" + i13+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err273];
}
else {
if (vErrors.length < 1000) vErrors.push(err273);
}
errors++;
}
}
if(data107.lastTransitionTime !== undefined){
if(typeof data107.lastTransitionTime !== "string"){
const err274 = {instancePath:instancePath+"/status/conditions/" + i13+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err274];
}
else {
if (vErrors.length < 1000) vErrors.push(err274);
}
errors++;
}
}
if(data107.observedGeneration !== undefined){
let data113 = data107.observedGeneration;
if(!((typeof data113 == "number") && (!(data113 % 1) && !isNaN(data113)))){
const err275 = {instancePath:instancePath+"/status/conditions/" + i13+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err275];
}
else {
if (vErrors.length < 1000) vErrors.push(err275);
}
errors++;
}
}
}
else {
const err276 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err277 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err277];
}
else {
if (vErrors.length < 1000) vErrors.push(err277);
}
errors++;
}
}
if(data96.nodes !== undefined){
let data114 = data96.nodes;
if(data114 && typeof data114 == "object" && !Array.isArray(data114)){
for(const key24 in data114){
if(!((((((((key24 === "matched") || (key24 === "ready")) || (key24 === "updating")) || (key24 === "pending")) || (key24 === "failed")) || (key24 === "outranked")) || (key24 === "conflicted")) || (key24 === "skipped"))){
const err278 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key24},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err278];
}
else {
if (vErrors.length < 1000) vErrors.push(err278);
}
errors++;
}
}
if(data114.matched !== undefined){
let data115 = data114.matched;
if(!((typeof data115 == "number") && (!(data115 % 1) && !isNaN(data115)))){
const err279 = {instancePath:instancePath+"/status/nodes/matched",schemaPath:"#/properties/status/properties/nodes/properties/matched/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err279];
}
else {
if (vErrors.length < 1000) vErrors.push(err279);
}
errors++;
}
}
if(data114.ready !== undefined){
let data116 = data114.ready;
if(!((typeof data116 == "number") && (!(data116 % 1) && !isNaN(data116)))){
const err280 = {instancePath:instancePath+"/status/nodes/ready",schemaPath:"#/properties/status/properties/nodes/properties/ready/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err280];
}
else {
if (vErrors.length < 1000) vErrors.push(err280);
}
errors++;
}
}
if(data114.updating !== undefined){
let data117 = data114.updating;
if(!((typeof data117 == "number") && (!(data117 % 1) && !isNaN(data117)))){
const err281 = {instancePath:instancePath+"/status/nodes/updating",schemaPath:"#/properties/status/properties/nodes/properties/updating/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err281];
}
else {
if (vErrors.length < 1000) vErrors.push(err281);
}
errors++;
}
}
if(data114.pending !== undefined){
let data118 = data114.pending;
if(!((typeof data118 == "number") && (!(data118 % 1) && !isNaN(data118)))){
const err282 = {instancePath:instancePath+"/status/nodes/pending",schemaPath:"#/properties/status/properties/nodes/properties/pending/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err282];
}
else {
if (vErrors.length < 1000) vErrors.push(err282);
}
errors++;
}
}
if(data114.failed !== undefined){
let data119 = data114.failed;
if(!((typeof data119 == "number") && (!(data119 % 1) && !isNaN(data119)))){
const err283 = {instancePath:instancePath+"/status/nodes/failed",schemaPath:"#/properties/status/properties/nodes/properties/failed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err283];
}
else {
if (vErrors.length < 1000) vErrors.push(err283);
}
errors++;
}
}
if(data114.outranked !== undefined){
let data120 = data114.outranked;
if(!((typeof data120 == "number") && (!(data120 % 1) && !isNaN(data120)))){
const err284 = {instancePath:instancePath+"/status/nodes/outranked",schemaPath:"#/properties/status/properties/nodes/properties/outranked/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err284];
}
else {
if (vErrors.length < 1000) vErrors.push(err284);
}
errors++;
}
}
if(data114.conflicted !== undefined){
let data121 = data114.conflicted;
if(!((typeof data121 == "number") && (!(data121 % 1) && !isNaN(data121)))){
const err285 = {instancePath:instancePath+"/status/nodes/conflicted",schemaPath:"#/properties/status/properties/nodes/properties/conflicted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err285];
}
else {
if (vErrors.length < 1000) vErrors.push(err285);
}
errors++;
}
}
if(data114.skipped !== undefined){
let data122 = data114.skipped;
if(!((typeof data122 == "number") && (!(data122 % 1) && !isNaN(data122)))){
const err286 = {instancePath:instancePath+"/status/nodes/skipped",schemaPath:"#/properties/status/properties/nodes/properties/skipped/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err286];
}
else {
if (vErrors.length < 1000) vErrors.push(err286);
}
errors++;
}
}
}
else {
const err287 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err287];
}
else {
if (vErrors.length < 1000) vErrors.push(err287);
}
errors++;
}
}
if(data96.demand !== undefined){
let data123 = data96.demand;
if(Array.isArray(data123)){
if(data123.length > 16){
const err288 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err288];
}
else {
if (vErrors.length < 1000) vErrors.push(err288);
}
errors++;
}
const len14 = data123.length;
for(let i14=0; i14<len14; i14++){
let data124 = data123[i14];
if(data124 && typeof data124 == "object" && !Array.isArray(data124)){
if(data124.name === undefined){
const err289 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err289];
}
else {
if (vErrors.length < 1000) vErrors.push(err289);
}
errors++;
}
if(data124.wanted === undefined){
const err290 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "wanted"},message:"must have required property '"+"wanted"+"'"};
if(vErrors === null){
vErrors = [err290];
}
else {
if (vErrors.length < 1000) vErrors.push(err290);
}
errors++;
}
if(data124.offered === undefined){
const err291 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "offered"},message:"must have required property '"+"offered"+"'"};
if(vErrors === null){
vErrors = [err291];
}
else {
if (vErrors.length < 1000) vErrors.push(err291);
}
errors++;
}
if(data124.used === undefined){
const err292 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "used"},message:"must have required property '"+"used"+"'"};
if(vErrors === null){
vErrors = [err292];
}
else {
if (vErrors.length < 1000) vErrors.push(err292);
}
errors++;
}
if(data124.unmet === undefined){
const err293 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "unmet"},message:"must have required property '"+"unmet"+"'"};
if(vErrors === null){
vErrors = [err293];
}
else {
if (vErrors.length < 1000) vErrors.push(err293);
}
errors++;
}
for(const key25 in data124){
if(!(((((((key25 === "name") || (key25 === "wanted")) || (key25 === "offered")) || (key25 === "used")) || (key25 === "waiting")) || (key25 === "unmet")) || (key25 === "why"))){
const err294 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key25},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err294];
}
else {
if (vErrors.length < 1000) vErrors.push(err294);
}
errors++;
}
}
if(data124.name !== undefined){
let data125 = data124.name;
if(typeof data125 === "string"){
if(func3(data125) > 32){
const err295 = {instancePath:instancePath+"/status/demand/" + i14+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err295];
}
else {
if (vErrors.length < 1000) vErrors.push(err295);
}
errors++;
}
}
else {
const err296 = {instancePath:instancePath+"/status/demand/" + i14+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err296];
}
else {
if (vErrors.length < 1000) vErrors.push(err296);
}
errors++;
}
}
if(data124.wanted !== undefined){
let data126 = data124.wanted;
if(!((typeof data126 == "number") && (!(data126 % 1) && !isNaN(data126)))){
const err297 = {instancePath:instancePath+"/status/demand/" + i14+"/wanted",schemaPath:"#/properties/status/properties/demand/items/properties/wanted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err297];
}
else {
if (vErrors.length < 1000) vErrors.push(err297);
}
errors++;
}
}
if(data124.offered !== undefined){
let data127 = data124.offered;
if(!((typeof data127 == "number") && (!(data127 % 1) && !isNaN(data127)))){
const err298 = {instancePath:instancePath+"/status/demand/" + i14+"/offered",schemaPath:"#/properties/status/properties/demand/items/properties/offered/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err298];
}
else {
if (vErrors.length < 1000) vErrors.push(err298);
}
errors++;
}
}
if(data124.used !== undefined){
let data128 = data124.used;
if(!((typeof data128 == "number") && (!(data128 % 1) && !isNaN(data128)))){
const err299 = {instancePath:instancePath+"/status/demand/" + i14+"/used",schemaPath:"#/properties/status/properties/demand/items/properties/used/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err299];
}
else {
if (vErrors.length < 1000) vErrors.push(err299);
}
errors++;
}
}
if(data124.waiting !== undefined){
let data129 = data124.waiting;
if(!((typeof data129 == "number") && (!(data129 % 1) && !isNaN(data129)))){
const err300 = {instancePath:instancePath+"/status/demand/" + i14+"/waiting",schemaPath:"#/properties/status/properties/demand/items/properties/waiting/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err300];
}
else {
if (vErrors.length < 1000) vErrors.push(err300);
}
errors++;
}
}
if(data124.unmet !== undefined){
let data130 = data124.unmet;
if(!((typeof data130 == "number") && (!(data130 % 1) && !isNaN(data130)))){
const err301 = {instancePath:instancePath+"/status/demand/" + i14+"/unmet",schemaPath:"#/properties/status/properties/demand/items/properties/unmet/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err301];
}
else {
if (vErrors.length < 1000) vErrors.push(err301);
}
errors++;
}
}
if(data124.why !== undefined){
let data131 = data124.why;
if(typeof data131 === "string"){
if(func3(data131) > 1024){
const err302 = {instancePath:instancePath+"/status/demand/" + i14+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err302];
}
else {
if (vErrors.length < 1000) vErrors.push(err302);
}
errors++;
}
}
else {
const err303 = {instancePath:instancePath+"/status/demand/" + i14+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err303];
}
else {
if (vErrors.length < 1000) vErrors.push(err303);
}
errors++;
}
}
}
else {
const err304 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err305 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err305];
}
else {
if (vErrors.length < 1000) vErrors.push(err305);
}
errors++;
}
}
if(data96.plan !== undefined){
let data132 = data96.plan;
if(data132 && typeof data132 == "object" && !Array.isArray(data132)){
for(const key26 in data132){
if(!(((((key26 === "gpusChanging") || (key26 === "instancesKept")) || (key26 === "instancesDestroyed")) || (key26 === "instancesCreated")) || (key26 === "podsToEvict"))){
const err306 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key26},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err306];
}
else {
if (vErrors.length < 1000) vErrors.push(err306);
}
errors++;
}
}
if(data132.gpusChanging !== undefined){
let data133 = data132.gpusChanging;
if(!((typeof data133 == "number") && (!(data133 % 1) && !isNaN(data133)))){
const err307 = {instancePath:instancePath+"/status/plan/gpusChanging",schemaPath:"#/properties/status/properties/plan/properties/gpusChanging/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err307];
}
else {
if (vErrors.length < 1000) vErrors.push(err307);
}
errors++;
}
}
if(data132.instancesKept !== undefined){
let data134 = data132.instancesKept;
if(!((typeof data134 == "number") && (!(data134 % 1) && !isNaN(data134)))){
const err308 = {instancePath:instancePath+"/status/plan/instancesKept",schemaPath:"#/properties/status/properties/plan/properties/instancesKept/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err308];
}
else {
if (vErrors.length < 1000) vErrors.push(err308);
}
errors++;
}
}
if(data132.instancesDestroyed !== undefined){
let data135 = data132.instancesDestroyed;
if(!((typeof data135 == "number") && (!(data135 % 1) && !isNaN(data135)))){
const err309 = {instancePath:instancePath+"/status/plan/instancesDestroyed",schemaPath:"#/properties/status/properties/plan/properties/instancesDestroyed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err309];
}
else {
if (vErrors.length < 1000) vErrors.push(err309);
}
errors++;
}
}
if(data132.instancesCreated !== undefined){
let data136 = data132.instancesCreated;
if(!((typeof data136 == "number") && (!(data136 % 1) && !isNaN(data136)))){
const err310 = {instancePath:instancePath+"/status/plan/instancesCreated",schemaPath:"#/properties/status/properties/plan/properties/instancesCreated/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err310];
}
else {
if (vErrors.length < 1000) vErrors.push(err310);
}
errors++;
}
}
if(data132.podsToEvict !== undefined){
let data137 = data132.podsToEvict;
if(!((typeof data137 == "number") && (!(data137 % 1) && !isNaN(data137)))){
const err311 = {instancePath:instancePath+"/status/plan/podsToEvict",schemaPath:"#/properties/status/properties/plan/properties/podsToEvict/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err311];
}
else {
if (vErrors.length < 1000) vErrors.push(err311);
}
errors++;
}
}
}
else {
const err312 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err312];
}
else {
if (vErrors.length < 1000) vErrors.push(err312);
}
errors++;
}
}
if(data96.inFlight !== undefined){
let data138 = data96.inFlight;
if(Array.isArray(data138)){
if(data138.length > 500){
const err313 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/maxItems",keyword:"maxItems",params:{limit: 500},message:"must NOT have more than 500 items"};
if(vErrors === null){
vErrors = [err313];
}
else {
if (vErrors.length < 1000) vErrors.push(err313);
}
errors++;
}
const len15 = data138.length;
for(let i15=0; i15<len15; i15++){
let data139 = data138[i15];
if(data139 && typeof data139 == "object" && !Array.isArray(data139)){
if(data139.node === undefined){
const err314 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err314];
}
else {
if (vErrors.length < 1000) vErrors.push(err314);
}
errors++;
}
if(data139.nodeUID === undefined){
const err315 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "nodeUID"},message:"must have required property '"+"nodeUID"+"'"};
if(vErrors === null){
vErrors = [err315];
}
else {
if (vErrors.length < 1000) vErrors.push(err315);
}
errors++;
}
if(data139.epoch === undefined){
const err316 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "epoch"},message:"must have required property '"+"epoch"+"'"};
if(vErrors === null){
vErrors = [err316];
}
else {
if (vErrors.length < 1000) vErrors.push(err316);
}
errors++;
}
for(const key27 in data139){
if(!(((((((key27 === "node") || (key27 === "nodeUID")) || (key27 === "epoch")) || (key27 === "generation")) || (key27 === "startTime")) || (key27 === "deadline")) || (key27 === "kind"))){
const err317 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key27},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err317];
}
else {
if (vErrors.length < 1000) vErrors.push(err317);
}
errors++;
}
}
if(data139.node !== undefined){
let data140 = data139.node;
if(typeof data140 === "string"){
if(func3(data140) > 253){
const err318 = {instancePath:instancePath+"/status/inFlight/" + i15+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err318];
}
else {
if (vErrors.length < 1000) vErrors.push(err318);
}
errors++;
}
}
else {
const err319 = {instancePath:instancePath+"/status/inFlight/" + i15+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err319];
}
else {
if (vErrors.length < 1000) vErrors.push(err319);
}
errors++;
}
}
if(data139.nodeUID !== undefined){
let data141 = data139.nodeUID;
if(typeof data141 === "string"){
if(func3(data141) > 64){
const err320 = {instancePath:instancePath+"/status/inFlight/" + i15+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err320];
}
else {
if (vErrors.length < 1000) vErrors.push(err320);
}
errors++;
}
}
else {
const err321 = {instancePath:instancePath+"/status/inFlight/" + i15+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err321];
}
else {
if (vErrors.length < 1000) vErrors.push(err321);
}
errors++;
}
}
if(data139.epoch !== undefined){
let data142 = data139.epoch;
if(!((typeof data142 == "number") && (!(data142 % 1) && !isNaN(data142)))){
const err322 = {instancePath:instancePath+"/status/inFlight/" + i15+"/epoch",schemaPath:"#/properties/status/properties/inFlight/items/properties/epoch/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err322];
}
else {
if (vErrors.length < 1000) vErrors.push(err322);
}
errors++;
}
}
if(data139.generation !== undefined){
let data143 = data139.generation;
if(!((typeof data143 == "number") && (!(data143 % 1) && !isNaN(data143)))){
const err323 = {instancePath:instancePath+"/status/inFlight/" + i15+"/generation",schemaPath:"#/properties/status/properties/inFlight/items/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err323];
}
else {
if (vErrors.length < 1000) vErrors.push(err323);
}
errors++;
}
}
if(data139.startTime !== undefined){
if(typeof data139.startTime !== "string"){
const err324 = {instancePath:instancePath+"/status/inFlight/" + i15+"/startTime",schemaPath:"#/properties/status/properties/inFlight/items/properties/startTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err324];
}
else {
if (vErrors.length < 1000) vErrors.push(err324);
}
errors++;
}
}
if(data139.deadline !== undefined){
if(typeof data139.deadline !== "string"){
const err325 = {instancePath:instancePath+"/status/inFlight/" + i15+"/deadline",schemaPath:"#/properties/status/properties/inFlight/items/properties/deadline/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err325];
}
else {
if (vErrors.length < 1000) vErrors.push(err325);
}
errors++;
}
}
if(data139.kind !== undefined){
let data146 = data139.kind;
if(typeof data146 !== "string"){
const err326 = {instancePath:instancePath+"/status/inFlight/" + i15+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err326];
}
else {
if (vErrors.length < 1000) vErrors.push(err326);
}
errors++;
}
if(!(((((data146 === "Fresh") || (data146 === "Repair")) || (data146 === "Retry")) || (data146 === "New")) || (data146 === "Found"))){
const err327 = {instancePath:instancePath+"/status/inFlight/" + i15+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.inFlight.items.properties.kind.enum},message:"must be equal to one of the allowed values"};
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
const err328 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err329 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err329];
}
else {
if (vErrors.length < 1000) vErrors.push(err329);
}
errors++;
}
}
if(data96.canary !== undefined){
let data147 = data96.canary;
if(data147 && typeof data147 == "object" && !Array.isArray(data147)){
if(data147.generation === undefined){
const err330 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err330];
}
else {
if (vErrors.length < 1000) vErrors.push(err330);
}
errors++;
}
if(data147.nodes === undefined){
const err331 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err331];
}
else {
if (vErrors.length < 1000) vErrors.push(err331);
}
errors++;
}
for(const key28 in data147){
if(!((((key28 === "generation") || (key28 === "nodes")) || (key28 === "readySince")) || (key28 === "passedTime"))){
const err332 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key28},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err332];
}
else {
if (vErrors.length < 1000) vErrors.push(err332);
}
errors++;
}
}
if(data147.generation !== undefined){
let data148 = data147.generation;
if(!((typeof data148 == "number") && (!(data148 % 1) && !isNaN(data148)))){
const err333 = {instancePath:instancePath+"/status/canary/generation",schemaPath:"#/properties/status/properties/canary/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err333];
}
else {
if (vErrors.length < 1000) vErrors.push(err333);
}
errors++;
}
}
if(data147.nodes !== undefined){
let data149 = data147.nodes;
if(Array.isArray(data149)){
if(data149.length > 1000){
const err334 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err334];
}
else {
if (vErrors.length < 1000) vErrors.push(err334);
}
errors++;
}
const len16 = data149.length;
for(let i16=0; i16<len16; i16++){
let data150 = data149[i16];
if(typeof data150 === "string"){
if(func3(data150) > 253){
const err335 = {instancePath:instancePath+"/status/canary/nodes/" + i16,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err335];
}
else {
if (vErrors.length < 1000) vErrors.push(err335);
}
errors++;
}
}
else {
const err336 = {instancePath:instancePath+"/status/canary/nodes/" + i16,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err337 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err337];
}
else {
if (vErrors.length < 1000) vErrors.push(err337);
}
errors++;
}
}
if(data147.readySince !== undefined){
if(typeof data147.readySince !== "string"){
const err338 = {instancePath:instancePath+"/status/canary/readySince",schemaPath:"#/properties/status/properties/canary/properties/readySince/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err338];
}
else {
if (vErrors.length < 1000) vErrors.push(err338);
}
errors++;
}
}
if(data147.passedTime !== undefined){
if(typeof data147.passedTime !== "string"){
const err339 = {instancePath:instancePath+"/status/canary/passedTime",schemaPath:"#/properties/status/properties/canary/properties/passedTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err339];
}
else {
if (vErrors.length < 1000) vErrors.push(err339);
}
errors++;
}
}
}
else {
const err340 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err340];
}
else {
if (vErrors.length < 1000) vErrors.push(err340);
}
errors++;
}
}
if(data96.pace !== undefined){
let data153 = data96.pace;
if(data153 && typeof data153 == "object" && !Array.isArray(data153)){
if(data153.generation === undefined){
const err341 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err341];
}
else {
if (vErrors.length < 1000) vErrors.push(err341);
}
errors++;
}
if(data153.nodes === undefined){
const err342 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err342];
}
else {
if (vErrors.length < 1000) vErrors.push(err342);
}
errors++;
}
if(data153.seconds === undefined){
const err343 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "seconds"},message:"must have required property '"+"seconds"+"'"};
if(vErrors === null){
vErrors = [err343];
}
else {
if (vErrors.length < 1000) vErrors.push(err343);
}
errors++;
}
for(const key29 in data153){
if(!(((key29 === "generation") || (key29 === "nodes")) || (key29 === "seconds"))){
const err344 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key29},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err344];
}
else {
if (vErrors.length < 1000) vErrors.push(err344);
}
errors++;
}
}
if(data153.generation !== undefined){
let data154 = data153.generation;
if(!((typeof data154 == "number") && (!(data154 % 1) && !isNaN(data154)))){
const err345 = {instancePath:instancePath+"/status/pace/generation",schemaPath:"#/properties/status/properties/pace/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err345];
}
else {
if (vErrors.length < 1000) vErrors.push(err345);
}
errors++;
}
}
if(data153.nodes !== undefined){
let data155 = data153.nodes;
if(!((typeof data155 == "number") && (!(data155 % 1) && !isNaN(data155)))){
const err346 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err346];
}
else {
if (vErrors.length < 1000) vErrors.push(err346);
}
errors++;
}
if(typeof data155 == "number"){
if(data155 < 1 || isNaN(data155)){
const err347 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
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
if(data153.seconds !== undefined){
let data156 = data153.seconds;
if(!((typeof data156 == "number") && (!(data156 % 1) && !isNaN(data156)))){
const err348 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err348];
}
else {
if (vErrors.length < 1000) vErrors.push(err348);
}
errors++;
}
if(typeof data156 == "number"){
if(data156 < 0 || isNaN(data156)){
const err349 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err349];
}
else {
if (vErrors.length < 1000) vErrors.push(err349);
}
errors++;
}
}
}
}
else {
const err350 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err350];
}
else {
if (vErrors.length < 1000) vErrors.push(err350);
}
errors++;
}
}
if(data96.limits !== undefined){
let data157 = data96.limits;
if(data157 && typeof data157 == "object" && !Array.isArray(data157)){
if(data157.nodes === undefined){
const err351 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err351];
}
else {
if (vErrors.length < 1000) vErrors.push(err351);
}
errors++;
}
if(data157.maxUnavailable === undefined){
const err352 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxUnavailable"},message:"must have required property '"+"maxUnavailable"+"'"};
if(vErrors === null){
vErrors = [err352];
}
else {
if (vErrors.length < 1000) vErrors.push(err352);
}
errors++;
}
if(data157.maxConcurrentNodes === undefined){
const err353 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxConcurrentNodes"},message:"must have required property '"+"maxConcurrentNodes"+"'"};
if(vErrors === null){
vErrors = [err353];
}
else {
if (vErrors.length < 1000) vErrors.push(err353);
}
errors++;
}
for(const key30 in data157){
if(!(((key30 === "nodes") || (key30 === "maxUnavailable")) || (key30 === "maxConcurrentNodes"))){
const err354 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key30},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err354];
}
else {
if (vErrors.length < 1000) vErrors.push(err354);
}
errors++;
}
}
if(data157.nodes !== undefined){
let data158 = data157.nodes;
if(!((typeof data158 == "number") && (!(data158 % 1) && !isNaN(data158)))){
const err355 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err355];
}
else {
if (vErrors.length < 1000) vErrors.push(err355);
}
errors++;
}
if(typeof data158 == "number"){
if(data158 < 0 || isNaN(data158)){
const err356 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
if(data157.maxUnavailable !== undefined){
let data159 = data157.maxUnavailable;
if(!((typeof data159 == "number") && (!(data159 % 1) && !isNaN(data159)))){
const err357 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err357];
}
else {
if (vErrors.length < 1000) vErrors.push(err357);
}
errors++;
}
if(typeof data159 == "number"){
if(data159 < 0 || isNaN(data159)){
const err358 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err358];
}
else {
if (vErrors.length < 1000) vErrors.push(err358);
}
errors++;
}
}
}
if(data157.maxConcurrentNodes !== undefined){
let data160 = data157.maxConcurrentNodes;
if(!((typeof data160 == "number") && (!(data160 % 1) && !isNaN(data160)))){
const err359 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err359];
}
else {
if (vErrors.length < 1000) vErrors.push(err359);
}
errors++;
}
if(typeof data160 == "number"){
if(data160 < 0 || isNaN(data160)){
const err360 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
}
else {
const err361 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err361];
}
else {
if (vErrors.length < 1000) vErrors.push(err361);
}
errors++;
}
}
if(data96.failures !== undefined){
let data161 = data96.failures;
if(Array.isArray(data161)){
if(data161.length > 50){
const err362 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err362];
}
else {
if (vErrors.length < 1000) vErrors.push(err362);
}
errors++;
}
const len17 = data161.length;
for(let i17=0; i17<len17; i17++){
let data162 = data161[i17];
if(data162 && typeof data162 == "object" && !Array.isArray(data162)){
if(data162.node === undefined){
const err363 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err363];
}
else {
if (vErrors.length < 1000) vErrors.push(err363);
}
errors++;
}
if(data162.reason === undefined){
const err364 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err364];
}
else {
if (vErrors.length < 1000) vErrors.push(err364);
}
errors++;
}
if(data162.message === undefined){
const err365 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err365];
}
else {
if (vErrors.length < 1000) vErrors.push(err365);
}
errors++;
}
for(const key31 in data162){
if(!((((key31 === "node") || (key31 === "reason")) || (key31 === "message")) || (key31 === "time"))){
const err366 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key31},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err366];
}
else {
if (vErrors.length < 1000) vErrors.push(err366);
}
errors++;
}
}
if(data162.node !== undefined){
let data163 = data162.node;
if(typeof data163 === "string"){
if(func3(data163) > 253){
const err367 = {instancePath:instancePath+"/status/failures/" + i17+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err367];
}
else {
if (vErrors.length < 1000) vErrors.push(err367);
}
errors++;
}
}
else {
const err368 = {instancePath:instancePath+"/status/failures/" + i17+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err368];
}
else {
if (vErrors.length < 1000) vErrors.push(err368);
}
errors++;
}
}
if(data162.reason !== undefined){
let data164 = data162.reason;
if(typeof data164 === "string"){
if(func3(data164) > 64){
const err369 = {instancePath:instancePath+"/status/failures/" + i17+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err369];
}
else {
if (vErrors.length < 1000) vErrors.push(err369);
}
errors++;
}
}
else {
const err370 = {instancePath:instancePath+"/status/failures/" + i17+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err370];
}
else {
if (vErrors.length < 1000) vErrors.push(err370);
}
errors++;
}
}
if(data162.message !== undefined){
let data165 = data162.message;
if(typeof data165 === "string"){
if(func3(data165) > 1024){
const err371 = {instancePath:instancePath+"/status/failures/" + i17+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err371];
}
else {
if (vErrors.length < 1000) vErrors.push(err371);
}
errors++;
}
}
else {
const err372 = {instancePath:instancePath+"/status/failures/" + i17+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err372];
}
else {
if (vErrors.length < 1000) vErrors.push(err372);
}
errors++;
}
}
if(data162.time !== undefined){
if(typeof data162.time !== "string"){
const err373 = {instancePath:instancePath+"/status/failures/" + i17+"/time",schemaPath:"#/properties/status/properties/failures/items/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err373];
}
else {
if (vErrors.length < 1000) vErrors.push(err373);
}
errors++;
}
}
}
else {
const err374 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err374];
}
else {
if (vErrors.length < 1000) vErrors.push(err374);
}
errors++;
}
}
}
else {
const err375 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/type",keyword:"type",params:{type: "array"},message:"must be array"};
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
const err376 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err376];
}
else {
if (vErrors.length < 1000) vErrors.push(err376);
}
errors++;
}
}
}
else {
const err377 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err377];
}
else {
if (vErrors.length < 1000) vErrors.push(err377);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
