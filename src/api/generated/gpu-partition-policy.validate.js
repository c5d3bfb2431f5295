// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"type":"object","description":"GpuPartitionPolicy defines how the NVIDIA GPUs of the selected nodes are partitioned with MIG, and how the nodes advertise the slices.","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"type":"string","const":"gpupartition.dev/v1alpha1"},"kind":{"type":"string","const":"GpuPartitionPolicy"},"metadata":{"type":"object","additionalProperties":true,"required":["name"],"properties":{"name":{"type":"string"},"uid":{"type":"string"},"generation":{"type":"integer"},"resourceVersion":{"type":"string"},"creationTimestamp":{"type":"string"},"deletionTimestamp":{"type":"string"},"labels":{"type":"object","additionalProperties":{"type":"string"}},"annotations":{"type":"object","additionalProperties":{"type":"string"}},"finalizers":{"type":"array","items":{"type":"string"}}}},"spec":{"type":"object","description":"What the GPUs of the selected nodes become, and how a change reaches them.","required":["nodeSelector","strategy"],"properties":{"nodeSelector":{"type":"object","description":"Label selector of the nodes that this policy partitions, for example matchLabels: {pool: inference}. It must not be empty, and must not use labels that a layout changes (nvidia.com/gpu.product, nvidia.com/mig-*, nvidia.com/gpu.deploy.*, ...), because the node would leave its own policy. Select by pool or by nvidia.com/gpu.present, and choose GPUs with layouts[].gpus.models.","properties":{"matchLabels":{"type":"object","description":"Labels that a node must carry, all of them. Example: {pool: inference}.","maxProperties":16,"additionalProperties":{"type":"string","maxLength":63}},"matchExpressions":{"type":"array","description":"Requirements on the labels of a node, all of them. Example: {key: pool, operator: In, values: [inference, batch]}.","maxItems":16,"items":{"type":"object","required":["key","operator"],"properties":{"key":{"type":"string","minLength":1,"maxLength":317,"description":"Key of the label."},"operator":{"type":"string","enum":["In","NotIn","Exists","DoesNotExist"],"description":"How the label is compared with values."},"values":{"type":"array","description":"Values for In and NotIn; none for Exists and DoesNotExist.","maxItems":64,"items":{"type":"string","maxLength":63}}},"additionalProperties":false}}},"additionalProperties":false},"priority":{"type":"integer","default":0,"minimum":-1000000000,"maximum":1000000000,"description":"Decides which policy wins when two of mode Enforce select the same node: the higher priority, then the older policy, then the name. A policy that is outranked is Ready with reason Outranked. At equal priority it is Stalled with reason Conflicted. Both name the winner."},"mode":{"type":"string","enum":["Enforce","Plan"],"default":"Enforce","description":"Enforce partitions the nodes. Plan computes the plan, reports it in status and changes nothing. It takes no node from another policy. A policy that turns from Enforce to Plan keeps its nodes, and they stay as they are."},"strategy":{"type":"string","enum":["none","single","mixed"],"description":"How the device plugin advertises the GPUs. none: whole GPUs as nvidia.com/gpu, MIG is ignored. single: each slice as nvidia.com/gpu; all slices of a node have one profile. mixed: one resource per profile, for example nvidia.com/mig-1g.5gb. Must match the MIG strategy of the device plugin."},"demand":{"type":"object","description":"The slices that the GPUs of all selected nodes offer together. The controller chooses the layouts, with the fewest changes, and keeps what is there: docs/demand.md. Instead of layouts.","required":["slices"],"properties":{"slices":{"type":"array","description":"The slices that are wanted, by kind, for example [{name: small, profiles: [1g.5gb, 1g.10gb], count: 40}]. An instance counts for one of them only.","minItems":1,"maxItems":16,"items":{"type":"object","required":["profiles"],"properties":{"name":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$","description":"Name in status and messages, for example small. If it is absent, the first profile."},"profiles":{"type":"array","description":"Profiles any of which serves, as nvidia-smi writes them or as globs, for example [1g.5gb, 1g.10gb] or [\"1g.*\"]. A glob without a + means plain profiles, without +me and the like.","minItems":1,"maxItems":16,"items":{"type":"string","minLength":1,"maxLength":32,"pattern":"^[1-9*?][0-9abefglmx.+*?-]*$"}},"count":{"type":"integer","minimum":0,"maximum":100000,"description":"How many are wanted over all selected nodes, those in use included."},"min":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. At least this many are wanted, whatever pods ask for. 0 if it is absent."},"max":{"type":"integer","minimum":0,"maximum":100000,"description":"With from: Pods or Kueue. At most this many are wanted, whatever pods ask for. If it is absent, as many as pods ask for."},"spare":{"description":"With from: Pods or Kueue. How many are kept free beyond what runs and waits: a number, or a percentage of these, rounded up. Example: 2.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":100000,"pattern":"^(100|[1-9]?[0-9])%$"},"weight":{"type":"integer","minimum":1,"maximum":1000000,"description":"What one that cannot be offered costs: who goes short if not everything fits. If it is absent, the memory slices of its smallest profile."}},"additionalProperties":false}},"from":{"type":"string","enum":["Declared","Pods","Kueue"],"description":"Declared, or absent: each slice has a count. Pods: slices without a count follow what pods use and wait for, by their requests of nvidia.com/mig-PROFILE. Kueue: the same, and what Kueue holds back for a ResourceFlavor of the selected nodes: jobs that it has not admitted have no pods."},"evict":{"type":"string","enum":["Never","IfNeeded"],"description":"Never (if it is absent too): only idle slices are given up, and no pod is evicted, whatever spec.drain says. IfNeeded: pods go where more of the demand is served by it, within spec.drain."},"stabilization":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"With from: Pods or Kueue. How long pods must ask for less before less is wanted, for example 1h. They must ask for more for 1m, or for this long if that is shorter. 10m if it is absent."},"cooldown":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long a GPU that was given another layout is left alone, unless slices are wanted that no other GPU can offer, for example 1h. 30m if it is absent."}},"additionalProperties":false},"backend":{"type":"string","enum":["DevicePlugin","DRA"],"default":"DevicePlugin","description":"What hands the slices out. DevicePlugin: NVIDIA's device plugin, as resources such as nvidia.com/mig-1g.5gb. DRA: NVIDIA's DRA driver (gpu.nvidia.com, without its gate DynamicMIG), as devices of ResourceSlices; needs strategy mixed. A node on which both offer GPUs is left alone with reason BackendMismatch."},"dra":{"type":"object","description":"Settings of backend DRA.","properties":{"deviceClasses":{"type":"string","enum":["Managed"],"description":"Managed: the controller keeps a DeviceClass for each profile of the policy, and one for each size, as gpu-partition export dra prints them; it deletes none. If it is absent, they are yours to apply."}},"additionalProperties":false},"layouts":{"type":"array","description":"The layout of each GPU. For each GPU the first matching entry applies; a GPU that matches no entry is left alone. Exactly one of layouts and demand is set.","minItems":1,"maxItems":64,"items":{"type":"object","properties":{"gpus":{"type":"object","description":"Selects the GPUs that this entry applies to. All fields that are set must match; absent or empty, it matches every GPU. Example: {models: [\"A100-*-40GB\"], indices: [0, 1]}.","properties":{"models":{"type":"array","description":"GPU models as globs, for example \"A100-*-40GB\". Matched case-insensitively against the model id (a100-40gb) and the product name as GPU Feature Discovery writes it, without the prefix NVIDIA- (A100-SXM4-40GB, H100-80GB-HBM3).","minItems":1,"maxItems":32,"items":{"type":"string","minLength":1,"maxLength":63,"pattern":"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"}},"indices":{"type":"array","description":"GPU indices as nvidia-smi -L prints them, for example [0, 1].","minItems":1,"maxItems":32,"items":{"type":"integer","minimum":0,"maximum":63}},"uuids":{"type":"array","description":"GPU UUIDs as nvidia-smi -L prints them, GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx.","minItems":1,"maxItems":64,"items":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}},"pciDeviceIds":{"type":"array","description":"PCI device ids, device and vendor, as nvidia-smi --query-gpu=pci.device_id prints them, for example 0x20B010DE.","minItems":1,"maxItems":32,"items":{"type":"string","maxLength":10,"pattern":"^0x[0-9a-fA-F]{4}10[dD][eE]$"}},"count":{"type":"integer","minimum":1,"maximum":64,"description":"Takes exactly this many of the matching GPUs of a node. They are chosen once, so that the fewest instances are destroyed, and kept. A node with fewer matching GPUs is refused; on a node with none the entry is skipped."}},"additionalProperties":false},"profiles":{"type":"object","description":"The slices of each GPU, profile to count, for example {1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1}. Set exactly one of profiles, preset and mig.","minProperties":1,"maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"preset":{"type":"string","maxLength":32,"pattern":"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$","description":"A layout that is derived from the geometry of the GPU model: all-balanced (a mix of sizes), all-PROFILE (as many as fit, for example all-1g.5gb), all-enabled (MIG mode on, no slices) or all-disabled (MIG mode off)."},"mig":{"type":"string","enum":["Disabled"],"description":"Disabled makes the GPU whole, with MIG mode off. A GPU that does not support MIG already matches."}},"additionalProperties":false}},"sharing":{"type":"object","description":"Time-slicing on top of slices or whole GPUs. Needs the controller option --device-plugin-config-map.","properties":{"mps":{"type":"object","description":"Not supported, always rejected: NVIDIA's device plugin does not support MPS on MIG devices. The field exists so that the rejection can explain this.","additionalProperties":true},"timeSlicing":{"type":"array","description":"One entry per shared resource. Example: [{resource: nvidia.com/mig-1g.5gb, replicas: 4}].","minItems":1,"maxItems":32,"items":{"type":"object","required":["resource","replicas"],"properties":{"resource":{"type":"string","maxLength":63,"pattern":"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$","description":"Resource name as the device plugin advertises it: nvidia.com/gpu, or nvidia.com/mig-1g.5gb under strategy mixed."},"replicas":{"type":"integer","minimum":2,"maximum":128,"description":"How many pods share one slice or GPU. They share its memory and its faults."}},"additionalProperties":false}}},"additionalProperties":false},"drain":{"type":"object","default":{},"description":"How pods are evicted from slices that a change destroys.","properties":{"scope":{"type":"string","enum":["Affected","Node","None"],"default":"Affected","description":"Which pods are evicted. Affected: only pods on slices that the change destroys. Node: every GPU pod of the node. None: no pod; the node takes no new GPU pods until the pods on those slices have ended."},"timeout":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","default":"10m","description":"How long a node waits for its pods to terminate, for example 90s, 10m or 1h30m."},"onTimeout":{"type":"string","enum":["Skip","Wait","Force"],"default":"Skip","description":"What happens after timeout. Skip: reopen the node, let another one change, and retry later. Wait: keep waiting. Force: delete the pods with their grace period, past their disruption budgets; needs the verb force on gpupartitionpolicies."},"gracePeriod":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Termination grace period of evicted pods, at least 1s, for example 30s. Absent: each pod's own."}},"additionalProperties":false},"rollout":{"type":"object","default":{},"description":"How a change rolls through the nodes of this policy.","properties":{"maxUnavailable":{"description":"How many nodes may be unavailable at a time: a number, or a percentage of the selected nodes, rounded down but at least 1. 0 holds the rollout. Nodes that are NotReady or Failed count. Example: 10%.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":0,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"canary":{"type":"object","description":"Nodes that change before all others. If one fails, the rollout halts. Absent: no canary. Example: {nodes: 1, soak: 10m}.","required":["nodes"],"properties":{"nodes":{"type":"integer","minimum":1,"maximum":1000,"description":"How many nodes change first."},"soak":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"How long all canary nodes must be Ready before other nodes change, for example 10m. Absent: no wait."}},"additionalProperties":false},"failureThreshold":{"description":"How many failed nodes halt the rollout (reason Halted): a number, or a percentage of the selected nodes, rounded down but at least 1. No new node starts then; failed nodes are retried. Example: 3.","anyOf":[{"type":"integer"},{"type":"string"}],"minimum":1,"maximum":10000,"pattern":"^(100|[1-9]?[0-9])%$"},"windows":{"type":"array","description":"Maintenance windows in which nodes may start to change. Absent: always. A node that has started finishes outside of the window.","minItems":1,"maxItems":16,"items":{"type":"object","required":["schedule","duration"],"properties":{"schedule":{"type":"string","maxLength":64,"pattern":"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$","description":"Start of the window as a cron expression with five fields, for example 0 22 * * 1-5."},"duration":{"type":"string","maxLength":16,"pattern":"^([0-9]{1,6}(s|m|h))+$","description":"Length of the window, for example 6h."},"timeZone":{"type":"string","maxLength":64,"description":"IANA time zone of schedule, for example Europe/Berlin. Absent: UTC."}},"additionalProperties":false}},"paused":{"type":"boolean","default":false,"description":"True: no further node starts to change. Nodes that have started finish."},"rollback":{"type":"string","enum":["OnFailure","Never"],"default":"OnFailure","description":"OnFailure: a GPU whose change fails is restored to its previous layout, placements included. Never: it is left as it is."}},"additionalProperties":false},"allow":{"type":"object","default":{},"description":"What the operator may do beyond creating slices and destroying idle ones.","properties":{"gpuReset":{"type":"boolean","default":true,"description":"Allows the reset of a single GPU where a MIG mode change requires it (A100, A30), or where its driver asks for it. The latter happens with the next change of its layout, after all its pods have ended."},"reboot":{"type":"boolean","description":"Allows asking for a reboot where a MIG mode change requires one: the agent creates /run/reboot-required on the host, and kured reboots the node. The operator itself never reboots. Needs the verb reboot on gpupartitionpolicies. Absent: false."},"replaceForeignInstances":{"type":"boolean","description":"Allows destroying idle GPU instances that this operator did not create. Absent: false."},"takeOver":{"type":"array","description":"Other owners of the GPUs that the operator may switch off on the selected nodes. Absent: none; a node with another owner is Failed with reason ForeignManager. Example: [mig-manager].","minItems":1,"maxItems":4,"items":{"type":"string","enum":["mig-manager"]}}},"additionalProperties":false},"onDelete":{"type":"string","enum":["Keep","DisableMig"],"default":"Keep","description":"What happens to the GPUs when the policy is deleted. Keep: they keep their layouts. DisableMig: the policy stays, with a finalizer, until its GPUs are whole."}},"additionalProperties":false},"status":{"type":"object","description":"Observed state. Written by the controller only.","properties":{"observedGeneration":{"type":"integer","description":"Generation of the spec that this status describes."},"acceptedGeneration":{"type":"integer","description":"Newest generation that every selected node that has reported its GPUs could take. Nothing of a newer generation starts."},"inForce":{"type":"object","description":"The generation that decides over nodes: the newest accepted one with mode Enforce, with its spec. It stays in force while a newer generation is not accepted, or only plans.","required":["generation","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false},"previous":{"type":"object","description":"The generation that was in force before that one, with its spec: `gpu-partition undo` goes back to it.","required":["generation","spec"],"properties":{"generation":{"type":"integer","description":"Generation of the policy."},"spec":{"type":"object","description":"The spec of that generation, with defaults.","additionalProperties":true}},"additionalProperties":false},"summary":{"type":"string","maxLength":256,"description":"Summary for the printer column, for example \"31/40 ready, 4 updating\"."},"conditions":{"type":"array","description":"Ready, Reconciling and Stalled (kstatus), Valid, and DemandMet for a policy with a demand.","maxItems":16,"items":{"type":"object","required":["type","status","reason","message","lastTransitionTime"],"properties":{"type":{"type":"string","maxLength":316,"description":"Type of the condition."},"status":{"type":"string","enum":["True","False","Unknown"],"description":"Whether the condition holds."},"reason":{"type":"string","maxLength":1024,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":8192,"description":"Human-readable explanation."},"lastTransitionTime":{"type":"string","description":"When status last changed."},"observedGeneration":{"type":"integer","description":"Generation of the spec that the condition describes."}},"additionalProperties":false}},"nodes":{"type":"object","description":"Number of selected nodes by state.","properties":{"matched":{"type":"integer","description":"Nodes that nodeSelector matches."},"ready":{"type":"integer","description":"Nodes whose device, labels and advertised resources match the policy."},"updating":{"type":"integer","description":"Nodes that change now."},"pending":{"type":"integer","description":"Nodes that have not started, or that cannot take the policy."},"failed":{"type":"integer","description":"Nodes whose last attempt failed."},"outranked":{"type":"integer","description":"Nodes that a policy of higher priority decides over."},"conflicted":{"type":"integer","description":"Nodes that another policy of the same priority won."},"skipped":{"type":"integer","description":"Nodes to whose GPUs no layout of this policy applies."}},"additionalProperties":false},"demand":{"type":"array","description":"What of spec.demand is offered, by slice.","maxItems":16,"items":{"type":"object","required":["name","wanted","offered","used","unmet"],"properties":{"name":{"type":"string","maxLength":32,"description":"Name of the slice."},"wanted":{"type":"integer","description":"How many are wanted."},"offered":{"type":"integer","description":"How many of those wanted exist on the GPUs now."},"used":{"type":"integer","description":"How many instances that serve it are in use."},"waiting":{"type":"integer","description":"With from: Pods or Kueue. How many are requested by pods that wait for a node and could run on those selected, and by what Kueue holds back for them."},"unmet":{"type":"integer","description":"How many the last plan could not provide; the others exist or are being made."},"why":{"type":"string","maxLength":1024,"description":"Why some are unmet."}},"additionalProperties":false}},"plan":{"type":"object","description":"The remaining work on all selected nodes.","properties":{"gpusChanging":{"type":"integer","description":"GPUs whose layout differs from what the policy asks for."},"instancesKept":{"type":"integer","description":"GPU instances that are kept."},"instancesDestroyed":{"type":"integer","description":"GPU instances to destroy."},"instancesCreated":{"type":"integer","description":"GPU instances to create."},"podsToEvict":{"type":"integer","description":"Pods on instances to destroy."}},"additionalProperties":false},"inFlight":{"type":"array","description":"The ledger: nodes that were admitted to change, until they are verified or given up. Written only by compare-and-swap.","maxItems":500,"items":{"type":"object","required":["node","nodeUID","epoch"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"nodeUID":{"type":"string","maxLength":64,"description":"UID of the node."},"epoch":{"type":"integer","description":"Epoch of the grant that the node was admitted for."},"generation":{"type":"integer","description":"Generation of the policy that the node was admitted for."},"startTime":{"type":"string","description":"When the node was admitted."},"deadline":{"type":"string","description":"When its pods must have terminated, if they are evicted at once: spec.drain.timeout counts from the first eviction."},"kind":{"type":"string","enum":["Fresh","Repair","Retry","New","Found"],"description":"Why the node was admitted. Fresh: it is already tainted and does not count against maxUnavailable. Repair: something else changed its GPUs. Retry: it failed before. New: a new change. Found: a new leader found it changing."}},"additionalProperties":false}},"canary":{"type":"object","required":["generation","nodes"],"description":"The canary nodes of a generation.","properties":{"generation":{"type":"integer","description":"Generation of the policy that they are the canary of."},"nodes":{"type":"array","maxItems":1000,"items":{"type":"string","maxLength":253},"description":"Names of the canary nodes."},"readySince":{"type":"string","description":"Since when all of them are Ready. The soak counts from here."},"passedTime":{"type":"string","description":"When all of them had been Ready for the soak. What happens to them later no longer matters to the rollout."}},"additionalProperties":false},"pace":{"type":"object","required":["generation","nodes","seconds"],"description":"How long changes of this generation take: what is left of a rollout is estimated from it. Written with the ledger.","properties":{"generation":{"type":"integer","description":"Generation of the policy."},"nodes":{"type":"integer","minimum":1,"description":"Nodes that were admitted for it and have been verified since."},"seconds":{"type":"integer","minimum":0,"description":"How long that took, from admission until verified, all of them together."}},"additionalProperties":false},"limits":{"type":"object","required":["nodes","maxUnavailable","maxConcurrentNodes"],"description":"What the rollout may do now, in numbers of nodes.","properties":{"nodes":{"type":"integer","minimum":0,"description":"Nodes with GPUs over which the policy decides. Percentages in `spec.rollout` are of these."},"maxUnavailable":{"type":"integer","minimum":0,"description":"How many of them may be unavailable at a time."},"maxConcurrentNodes":{"type":"integer","minimum":0,"description":"How many nodes of all policies may change at a time: the controller's `--max-concurrent-nodes`."}},"additionalProperties":false},"failures":{"type":"array","description":"Nodes whose last attempt failed, and why.","maxItems":50,"items":{"type":"object","required":["node","reason","message"],"properties":{"node":{"type":"string","maxLength":253,"description":"Name of the node."},"reason":{"type":"string","maxLength":64,"description":"Machine-readable reason: docs/errors.md."},"message":{"type":"string","maxLength":1024,"description":"What failed, on which GPU and instance, and what to do."},"time":{"type":"string","description":"When the attempt failed."}},"additionalProperties":false}}},"additionalProperties":false}},"additionalProperties":false,"title":"GpuPartitionPolicy"};
const func2 = Object.prototype.hasOwnProperty;
import func3Module from "ajv/dist/runtime/ucs2length.js";
const func3 = func3Module.default;
const pattern0 = new RegExp("^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$", "u");
const pattern1 = new RegExp("^[1-9*?][0-9abefglmx.+*?-]*$", "u");
const pattern2 = new RegExp("^(100|[1-9]?[0-9])%$", "u");
const pattern3 = new RegExp("^([0-9]{1,6}(s|m|h))+$", "u");
const pattern5 = new RegExp("^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$", "u");
const pattern6 = new RegExp("^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$", "u");
const pattern7 = new RegExp("^0x[0-9a-fA-F]{4}10[dD][eE]$", "u");
const pattern8 = new RegExp("^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$", "u");
const pattern9 = new RegExp("^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$", "u");
const pattern15 = new RegExp("^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$", "u");

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
if(!(((((key7 === "slices") || (key7 === "from")) || (key7 === "evict")) || (key7 === "stabilization")) || (key7 === "cooldown"))){
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
if(data30.profiles === undefined){
const err58 = {instancePath:instancePath+"/spec/demand/slices/" + i3,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/required",keyword:"required",params:{missingProperty: "profiles"},message:"must have required property '"+"profiles"+"'"};
if(vErrors === null){
vErrors = [err58];
}
else {
if (vErrors.length < 1000) vErrors.push(err58);
}
errors++;
}
for(const key8 in data30){
if(!(((((((key8 === "name") || (key8 === "profiles")) || (key8 === "count")) || (key8 === "min")) || (key8 === "max")) || (key8 === "spare")) || (key8 === "weight"))){
const err59 = {instancePath:instancePath+"/spec/demand/slices/" + i3,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key8},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err59];
}
else {
if (vErrors.length < 1000) vErrors.push(err59);
}
errors++;
}
}
if(data30.name !== undefined){
let data31 = data30.name;
if(typeof data31 === "string"){
if(func3(data31) > 32){
const err60 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/name",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err60];
}
else {
if (vErrors.length < 1000) vErrors.push(err60);
}
errors++;
}
if(func3(data31) < 1){
const err61 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/name",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err61];
}
else {
if (vErrors.length < 1000) vErrors.push(err61);
}
errors++;
}
if(!pattern0.test(data31)){
const err62 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/name",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/name/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"},message:"must match pattern \""+"^[A-Za-z0-9]([-A-Za-z0-9_.+]*[A-Za-z0-9])?$"+"\""};
if(vErrors === null){
vErrors = [err62];
}
else {
if (vErrors.length < 1000) vErrors.push(err62);
}
errors++;
}
}
else {
const err63 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/name",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err63];
}
else {
if (vErrors.length < 1000) vErrors.push(err63);
}
errors++;
}
}
if(data30.profiles !== undefined){
let data32 = data30.profiles;
if(Array.isArray(data32)){
if(data32.length > 16){
const err64 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err64];
}
else {
if (vErrors.length < 1000) vErrors.push(err64);
}
errors++;
}
if(data32.length < 1){
const err65 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err65];
}
else {
if (vErrors.length < 1000) vErrors.push(err65);
}
errors++;
}
const len4 = data32.length;
for(let i4=0; i4<len4; i4++){
let data33 = data32[i4];
if(typeof data33 === "string"){
if(func3(data33) > 32){
const err66 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles/" + i4,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/items/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err66];
}
else {
if (vErrors.length < 1000) vErrors.push(err66);
}
errors++;
}
if(func3(data33) < 1){
const err67 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles/" + i4,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err67];
}
else {
if (vErrors.length < 1000) vErrors.push(err67);
}
errors++;
}
if(!pattern1.test(data33)){
const err68 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles/" + i4,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/items/pattern",keyword:"pattern",params:{pattern: "^[1-9*?][0-9abefglmx.+*?-]*$"},message:"must match pattern \""+"^[1-9*?][0-9abefglmx.+*?-]*$"+"\""};
if(vErrors === null){
vErrors = [err68];
}
else {
if (vErrors.length < 1000) vErrors.push(err68);
}
errors++;
}
}
else {
const err69 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles/" + i4,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err69];
}
else {
if (vErrors.length < 1000) vErrors.push(err69);
}
errors++;
}
}
}
else {
const err70 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/profiles",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err70];
}
else {
if (vErrors.length < 1000) vErrors.push(err70);
}
errors++;
}
}
if(data30.count !== undefined){
let data34 = data30.count;
if(!((typeof data34 == "number") && (!(data34 % 1) && !isNaN(data34)))){
const err71 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/count",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err71];
}
else {
if (vErrors.length < 1000) vErrors.push(err71);
}
errors++;
}
if(typeof data34 == "number"){
if(data34 > 100000 || isNaN(data34)){
const err72 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/count",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err72];
}
else {
if (vErrors.length < 1000) vErrors.push(err72);
}
errors++;
}
if(data34 < 0 || isNaN(data34)){
const err73 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/count",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err73];
}
else {
if (vErrors.length < 1000) vErrors.push(err73);
}
errors++;
}
}
}
if(data30.min !== undefined){
let data35 = data30.min;
if(!((typeof data35 == "number") && (!(data35 % 1) && !isNaN(data35)))){
const err74 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/min",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/min/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err74];
}
else {
if (vErrors.length < 1000) vErrors.push(err74);
}
errors++;
}
if(typeof data35 == "number"){
if(data35 > 100000 || isNaN(data35)){
const err75 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/min",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/min/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err75];
}
else {
if (vErrors.length < 1000) vErrors.push(err75);
}
errors++;
}
if(data35 < 0 || isNaN(data35)){
const err76 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/min",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/min/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err76];
}
else {
if (vErrors.length < 1000) vErrors.push(err76);
}
errors++;
}
}
}
if(data30.max !== undefined){
let data36 = data30.max;
if(!((typeof data36 == "number") && (!(data36 % 1) && !isNaN(data36)))){
const err77 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/max",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/max/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err77];
}
else {
if (vErrors.length < 1000) vErrors.push(err77);
}
errors++;
}
if(typeof data36 == "number"){
if(data36 > 100000 || isNaN(data36)){
const err78 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/max",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/max/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err78];
}
else {
if (vErrors.length < 1000) vErrors.push(err78);
}
errors++;
}
if(data36 < 0 || isNaN(data36)){
const err79 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/max",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/max/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err79];
}
else {
if (vErrors.length < 1000) vErrors.push(err79);
}
errors++;
}
}
}
if(data30.spare !== undefined){
let data37 = data30.spare;
const _errs86 = errors;
let valid20 = false;
const _errs87 = errors;
if(!((typeof data37 == "number") && (!(data37 % 1) && !isNaN(data37)))){
const err80 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err80];
}
else {
if (vErrors.length < 1000) vErrors.push(err80);
}
errors++;
}
var _valid0 = _errs87 === errors;
valid20 = valid20 || _valid0;
if(!valid20){
const _errs89 = errors;
if(typeof data37 !== "string"){
const err81 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err81];
}
else {
if (vErrors.length < 1000) vErrors.push(err81);
}
errors++;
}
var _valid0 = _errs89 === errors;
valid20 = valid20 || _valid0;
}
if(!valid20){
const err82 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err82];
}
else {
if (vErrors.length < 1000) vErrors.push(err82);
}
errors++;
}
else {
errors = _errs86;
if(vErrors !== null){
if(_errs86){
vErrors.length = Math.min(vErrors.length, _errs86);
}
else {
vErrors = null;
}
}
}
if(typeof data37 == "number"){
if(data37 > 100000 || isNaN(data37)){
const err83 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000},message:"must be <= 100000"};
if(vErrors === null){
vErrors = [err83];
}
else {
if (vErrors.length < 1000) vErrors.push(err83);
}
errors++;
}
if(data37 < 0 || isNaN(data37)){
const err84 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err84];
}
else {
if (vErrors.length < 1000) vErrors.push(err84);
}
errors++;
}
}
if(typeof data37 === "string"){
if(!pattern2.test(data37)){
const err85 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/spare",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/spare/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err85];
}
else {
if (vErrors.length < 1000) vErrors.push(err85);
}
errors++;
}
}
}
if(data30.weight !== undefined){
let data38 = data30.weight;
if(!((typeof data38 == "number") && (!(data38 % 1) && !isNaN(data38)))){
const err86 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/weight",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/weight/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err86];
}
else {
if (vErrors.length < 1000) vErrors.push(err86);
}
errors++;
}
if(typeof data38 == "number"){
if(data38 > 1000000 || isNaN(data38)){
const err87 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/weight",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/weight/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err87];
}
else {
if (vErrors.length < 1000) vErrors.push(err87);
}
errors++;
}
if(data38 < 1 || isNaN(data38)){
const err88 = {instancePath:instancePath+"/spec/demand/slices/" + i3+"/weight",schemaPath:"#/properties/spec/properties/demand/properties/slices/items/properties/weight/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err88];
}
else {
if (vErrors.length < 1000) vErrors.push(err88);
}
errors++;
}
}
}
}
else {
const err89 = {instancePath:instancePath+"/spec/demand/slices/" + i3,schemaPath:"#/properties/spec/properties/demand/properties/slices/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
else {
const err90 = {instancePath:instancePath+"/spec/demand/slices",schemaPath:"#/properties/spec/properties/demand/properties/slices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err90];
}
else {
if (vErrors.length < 1000) vErrors.push(err90);
}
errors++;
}
}
if(data28.from !== undefined){
let data39 = data28.from;
if(typeof data39 !== "string"){
const err91 = {instancePath:instancePath+"/spec/demand/from",schemaPath:"#/properties/spec/properties/demand/properties/from/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err91];
}
else {
if (vErrors.length < 1000) vErrors.push(err91);
}
errors++;
}
if(!(((data39 === "Declared") || (data39 === "Pods")) || (data39 === "Kueue"))){
const err92 = {instancePath:instancePath+"/spec/demand/from",schemaPath:"#/properties/spec/properties/demand/properties/from/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.demand.properties.from.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err92];
}
else {
if (vErrors.length < 1000) vErrors.push(err92);
}
errors++;
}
}
if(data28.evict !== undefined){
let data40 = data28.evict;
if(typeof data40 !== "string"){
const err93 = {instancePath:instancePath+"/spec/demand/evict",schemaPath:"#/properties/spec/properties/demand/properties/evict/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err93];
}
else {
if (vErrors.length < 1000) vErrors.push(err93);
}
errors++;
}
if(!((data40 === "Never") || (data40 === "IfNeeded"))){
const err94 = {instancePath:instancePath+"/spec/demand/evict",schemaPath:"#/properties/spec/properties/demand/properties/evict/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.demand.properties.evict.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err94];
}
else {
if (vErrors.length < 1000) vErrors.push(err94);
}
errors++;
}
}
if(data28.stabilization !== undefined){
let data41 = data28.stabilization;
if(typeof data41 === "string"){
if(func3(data41) > 16){
const err95 = {instancePath:instancePath+"/spec/demand/stabilization",schemaPath:"#/properties/spec/properties/demand/properties/stabilization/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err95];
}
else {
if (vErrors.length < 1000) vErrors.push(err95);
}
errors++;
}
if(!pattern3.test(data41)){
const err96 = {instancePath:instancePath+"/spec/demand/stabilization",schemaPath:"#/properties/spec/properties/demand/properties/stabilization/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err96];
}
else {
if (vErrors.length < 1000) vErrors.push(err96);
}
errors++;
}
}
else {
const err97 = {instancePath:instancePath+"/spec/demand/stabilization",schemaPath:"#/properties/spec/properties/demand/properties/stabilization/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err97];
}
else {
if (vErrors.length < 1000) vErrors.push(err97);
}
errors++;
}
}
if(data28.cooldown !== undefined){
let data42 = data28.cooldown;
if(typeof data42 === "string"){
if(func3(data42) > 16){
const err98 = {instancePath:instancePath+"/spec/demand/cooldown",schemaPath:"#/properties/spec/properties/demand/properties/cooldown/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err98];
}
else {
if (vErrors.length < 1000) vErrors.push(err98);
}
errors++;
}
if(!pattern3.test(data42)){
const err99 = {instancePath:instancePath+"/spec/demand/cooldown",schemaPath:"#/properties/spec/properties/demand/properties/cooldown/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
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
const err100 = {instancePath:instancePath+"/spec/demand/cooldown",schemaPath:"#/properties/spec/properties/demand/properties/cooldown/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err101 = {instancePath:instancePath+"/spec/demand",schemaPath:"#/properties/spec/properties/demand/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err101];
}
else {
if (vErrors.length < 1000) vErrors.push(err101);
}
errors++;
}
}
if(data15.backend !== undefined){
let data43 = data15.backend;
if(typeof data43 !== "string"){
const err102 = {instancePath:instancePath+"/spec/backend",schemaPath:"#/properties/spec/properties/backend/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err102];
}
else {
if (vErrors.length < 1000) vErrors.push(err102);
}
errors++;
}
if(!((data43 === "DevicePlugin") || (data43 === "DRA"))){
const err103 = {instancePath:instancePath+"/spec/backend",schemaPath:"#/properties/spec/properties/backend/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.backend.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err103];
}
else {
if (vErrors.length < 1000) vErrors.push(err103);
}
errors++;
}
}
if(data15.dra !== undefined){
let data44 = data15.dra;
if(data44 && typeof data44 == "object" && !Array.isArray(data44)){
for(const key9 in data44){
if(!(key9 === "deviceClasses")){
const err104 = {instancePath:instancePath+"/spec/dra",schemaPath:"#/properties/spec/properties/dra/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key9},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err104];
}
else {
if (vErrors.length < 1000) vErrors.push(err104);
}
errors++;
}
}
if(data44.deviceClasses !== undefined){
let data45 = data44.deviceClasses;
if(typeof data45 !== "string"){
const err105 = {instancePath:instancePath+"/spec/dra/deviceClasses",schemaPath:"#/properties/spec/properties/dra/properties/deviceClasses/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err105];
}
else {
if (vErrors.length < 1000) vErrors.push(err105);
}
errors++;
}
if(!(data45 === "Managed")){
const err106 = {instancePath:instancePath+"/spec/dra/deviceClasses",schemaPath:"#/properties/spec/properties/dra/properties/deviceClasses/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.dra.properties.deviceClasses.enum},message:"must be equal to one of the allowed values"};
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
const err107 = {instancePath:instancePath+"/spec/dra",schemaPath:"#/properties/spec/properties/dra/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err107];
}
else {
if (vErrors.length < 1000) vErrors.push(err107);
}
errors++;
}
}
if(data15.layouts !== undefined){
let data46 = data15.layouts;
if(Array.isArray(data46)){
if(data46.length > 64){
const err108 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err108];
}
else {
if (vErrors.length < 1000) vErrors.push(err108);
}
errors++;
}
if(data46.length < 1){
const err109 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err109];
}
else {
if (vErrors.length < 1000) vErrors.push(err109);
}
errors++;
}
const len5 = data46.length;
for(let i5=0; i5<len5; i5++){
let data47 = data46[i5];
if(data47 && typeof data47 == "object" && !Array.isArray(data47)){
for(const key10 in data47){
if(!((((key10 === "gpus") || (key10 === "profiles")) || (key10 === "preset")) || (key10 === "mig"))){
const err110 = {instancePath:instancePath+"/spec/layouts/" + i5,schemaPath:"#/properties/spec/properties/layouts/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key10},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err110];
}
else {
if (vErrors.length < 1000) vErrors.push(err110);
}
errors++;
}
}
if(data47.gpus !== undefined){
let data48 = data47.gpus;
if(data48 && typeof data48 == "object" && !Array.isArray(data48)){
for(const key11 in data48){
if(!(((((key11 === "models") || (key11 === "indices")) || (key11 === "uuids")) || (key11 === "pciDeviceIds")) || (key11 === "count"))){
const err111 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key11},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err111];
}
else {
if (vErrors.length < 1000) vErrors.push(err111);
}
errors++;
}
}
if(data48.models !== undefined){
let data49 = data48.models;
if(Array.isArray(data49)){
if(data49.length > 32){
const err112 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err112];
}
else {
if (vErrors.length < 1000) vErrors.push(err112);
}
errors++;
}
if(data49.length < 1){
const err113 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err113];
}
else {
if (vErrors.length < 1000) vErrors.push(err113);
}
errors++;
}
const len6 = data49.length;
for(let i6=0; i6<len6; i6++){
let data50 = data49[i6];
if(typeof data50 === "string"){
if(func3(data50) > 63){
const err114 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models/" + i6,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err114];
}
else {
if (vErrors.length < 1000) vErrors.push(err114);
}
errors++;
}
if(func3(data50) < 1){
const err115 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models/" + i6,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err115];
}
else {
if (vErrors.length < 1000) vErrors.push(err115);
}
errors++;
}
if(!pattern5.test(data50)){
const err116 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models/" + i6,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/pattern",keyword:"pattern",params:{pattern: "^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"},message:"must match pattern \""+"^[A-Za-z0-9*?][A-Za-z0-9_. *?-]*$"+"\""};
if(vErrors === null){
vErrors = [err116];
}
else {
if (vErrors.length < 1000) vErrors.push(err116);
}
errors++;
}
}
else {
const err117 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models/" + i6,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err117];
}
else {
if (vErrors.length < 1000) vErrors.push(err117);
}
errors++;
}
}
}
else {
const err118 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/models",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/models/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err118];
}
else {
if (vErrors.length < 1000) vErrors.push(err118);
}
errors++;
}
}
if(data48.indices !== undefined){
let data51 = data48.indices;
if(Array.isArray(data51)){
if(data51.length > 32){
const err119 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err119];
}
else {
if (vErrors.length < 1000) vErrors.push(err119);
}
errors++;
}
if(data51.length < 1){
const err120 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err120];
}
else {
if (vErrors.length < 1000) vErrors.push(err120);
}
errors++;
}
const len7 = data51.length;
for(let i7=0; i7<len7; i7++){
let data52 = data51[i7];
if(!((typeof data52 == "number") && (!(data52 % 1) && !isNaN(data52)))){
const err121 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err121];
}
else {
if (vErrors.length < 1000) vErrors.push(err121);
}
errors++;
}
if(typeof data52 == "number"){
if(data52 > 63 || isNaN(data52)){
const err122 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 63},message:"must be <= 63"};
if(vErrors === null){
vErrors = [err122];
}
else {
if (vErrors.length < 1000) vErrors.push(err122);
}
errors++;
}
if(data52 < 0 || isNaN(data52)){
const err123 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices/" + i7,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
}
else {
const err124 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/indices",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/indices/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err124];
}
else {
if (vErrors.length < 1000) vErrors.push(err124);
}
errors++;
}
}
if(data48.uuids !== undefined){
let data53 = data48.uuids;
if(Array.isArray(data53)){
if(data53.length > 64){
const err125 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err125];
}
else {
if (vErrors.length < 1000) vErrors.push(err125);
}
errors++;
}
if(data53.length < 1){
const err126 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err126];
}
else {
if (vErrors.length < 1000) vErrors.push(err126);
}
errors++;
}
const len8 = data53.length;
for(let i8=0; i8<len8; i8++){
let data54 = data53[i8];
if(typeof data54 === "string"){
if(func3(data54) > 64){
const err127 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err127];
}
else {
if (vErrors.length < 1000) vErrors.push(err127);
}
errors++;
}
if(!pattern6.test(data54)){
const err128 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"+"\""};
if(vErrors === null){
vErrors = [err128];
}
else {
if (vErrors.length < 1000) vErrors.push(err128);
}
errors++;
}
}
else {
const err129 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids/" + i8,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
else {
const err130 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/uuids",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/uuids/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err130];
}
else {
if (vErrors.length < 1000) vErrors.push(err130);
}
errors++;
}
}
if(data48.pciDeviceIds !== undefined){
let data55 = data48.pciDeviceIds;
if(Array.isArray(data55)){
if(data55.length > 32){
const err131 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err131];
}
else {
if (vErrors.length < 1000) vErrors.push(err131);
}
errors++;
}
if(data55.length < 1){
const err132 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err132];
}
else {
if (vErrors.length < 1000) vErrors.push(err132);
}
errors++;
}
const len9 = data55.length;
for(let i9=0; i9<len9; i9++){
let data56 = data55[i9];
if(typeof data56 === "string"){
if(func3(data56) > 10){
const err133 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err133];
}
else {
if (vErrors.length < 1000) vErrors.push(err133);
}
errors++;
}
if(!pattern7.test(data56)){
const err134 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/pattern",keyword:"pattern",params:{pattern: "^0x[0-9a-fA-F]{4}10[dD][eE]$"},message:"must match pattern \""+"^0x[0-9a-fA-F]{4}10[dD][eE]$"+"\""};
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
const err135 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds/" + i9,schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err136 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/pciDeviceIds",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/pciDeviceIds/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err136];
}
else {
if (vErrors.length < 1000) vErrors.push(err136);
}
errors++;
}
}
if(data48.count !== undefined){
let data57 = data48.count;
if(!((typeof data57 == "number") && (!(data57 % 1) && !isNaN(data57)))){
const err137 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err137];
}
else {
if (vErrors.length < 1000) vErrors.push(err137);
}
errors++;
}
if(typeof data57 == "number"){
if(data57 > 64 || isNaN(data57)){
const err138 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err138];
}
else {
if (vErrors.length < 1000) vErrors.push(err138);
}
errors++;
}
if(data57 < 1 || isNaN(data57)){
const err139 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus/count",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err139];
}
else {
if (vErrors.length < 1000) vErrors.push(err139);
}
errors++;
}
}
}
}
else {
const err140 = {instancePath:instancePath+"/spec/layouts/" + i5+"/gpus",schemaPath:"#/properties/spec/properties/layouts/items/properties/gpus/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err140];
}
else {
if (vErrors.length < 1000) vErrors.push(err140);
}
errors++;
}
}
if(data47.profiles !== undefined){
let data58 = data47.profiles;
if(data58 && typeof data58 == "object" && !Array.isArray(data58)){
if(Object.keys(data58).length > 32){
const err141 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err141];
}
else {
if (vErrors.length < 1000) vErrors.push(err141);
}
errors++;
}
if(Object.keys(data58).length < 1){
const err142 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/minProperties",keyword:"minProperties",params:{limit: 1},message:"must NOT have fewer than 1 properties"};
if(vErrors === null){
vErrors = [err142];
}
else {
if (vErrors.length < 1000) vErrors.push(err142);
}
errors++;
}
for(const key12 in data58){
let data59 = data58[key12];
if(!((typeof data59 == "number") && (!(data59 % 1) && !isNaN(data59)))){
const err143 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles/" + key12.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err143];
}
else {
if (vErrors.length < 1000) vErrors.push(err143);
}
errors++;
}
if(typeof data59 == "number"){
if(data59 > 16 || isNaN(data59)){
const err144 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles/" + key12.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err144];
}
else {
if (vErrors.length < 1000) vErrors.push(err144);
}
errors++;
}
if(data59 < 1 || isNaN(data59)){
const err145 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles/" + key12.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
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
const err146 = {instancePath:instancePath+"/spec/layouts/" + i5+"/profiles",schemaPath:"#/properties/spec/properties/layouts/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err146];
}
else {
if (vErrors.length < 1000) vErrors.push(err146);
}
errors++;
}
}
if(data47.preset !== undefined){
let data60 = data47.preset;
if(typeof data60 === "string"){
if(func3(data60) > 32){
const err147 = {instancePath:instancePath+"/spec/layouts/" + i5+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err147];
}
else {
if (vErrors.length < 1000) vErrors.push(err147);
}
errors++;
}
if(!pattern8.test(data60)){
const err148 = {instancePath:instancePath+"/spec/layouts/" + i5+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/pattern",keyword:"pattern",params:{pattern: "^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"},message:"must match pattern \""+"^all-(balanced|enabled|disabled|([1-7]c\\.)?[1-9]g\\.[0-9]{1,3}gb([+](me|me\\.all|gfx)|-me)?)$"+"\""};
if(vErrors === null){
vErrors = [err148];
}
else {
if (vErrors.length < 1000) vErrors.push(err148);
}
errors++;
}
}
else {
const err149 = {instancePath:instancePath+"/spec/layouts/" + i5+"/preset",schemaPath:"#/properties/spec/properties/layouts/items/properties/preset/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err149];
}
else {
if (vErrors.length < 1000) vErrors.push(err149);
}
errors++;
}
}
if(data47.mig !== undefined){
let data61 = data47.mig;
if(typeof data61 !== "string"){
const err150 = {instancePath:instancePath+"/spec/layouts/" + i5+"/mig",schemaPath:"#/properties/spec/properties/layouts/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err150];
}
else {
if (vErrors.length < 1000) vErrors.push(err150);
}
errors++;
}
if(!(data61 === "Disabled")){
const err151 = {instancePath:instancePath+"/spec/layouts/" + i5+"/mig",schemaPath:"#/properties/spec/properties/layouts/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.layouts.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
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
else {
const err152 = {instancePath:instancePath+"/spec/layouts/" + i5,schemaPath:"#/properties/spec/properties/layouts/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err152];
}
else {
if (vErrors.length < 1000) vErrors.push(err152);
}
errors++;
}
}
}
else {
const err153 = {instancePath:instancePath+"/spec/layouts",schemaPath:"#/properties/spec/properties/layouts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err153];
}
else {
if (vErrors.length < 1000) vErrors.push(err153);
}
errors++;
}
}
if(data15.sharing !== undefined){
let data62 = data15.sharing;
if(data62 && typeof data62 == "object" && !Array.isArray(data62)){
for(const key13 in data62){
if(!((key13 === "mps") || (key13 === "timeSlicing"))){
const err154 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err154];
}
else {
if (vErrors.length < 1000) vErrors.push(err154);
}
errors++;
}
}
if(data62.mps !== undefined){
let data63 = data62.mps;
if(data63 && typeof data63 == "object" && !Array.isArray(data63)){
}
else {
const err155 = {instancePath:instancePath+"/spec/sharing/mps",schemaPath:"#/properties/spec/properties/sharing/properties/mps/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err155];
}
else {
if (vErrors.length < 1000) vErrors.push(err155);
}
errors++;
}
}
if(data62.timeSlicing !== undefined){
let data64 = data62.timeSlicing;
if(Array.isArray(data64)){
if(data64.length > 32){
const err156 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err156];
}
else {
if (vErrors.length < 1000) vErrors.push(err156);
}
errors++;
}
if(data64.length < 1){
const err157 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err157];
}
else {
if (vErrors.length < 1000) vErrors.push(err157);
}
errors++;
}
const len10 = data64.length;
for(let i10=0; i10<len10; i10++){
let data65 = data64[i10];
if(data65 && typeof data65 == "object" && !Array.isArray(data65)){
if(data65.resource === undefined){
const err158 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "resource"},message:"must have required property '"+"resource"+"'"};
if(vErrors === null){
vErrors = [err158];
}
else {
if (vErrors.length < 1000) vErrors.push(err158);
}
errors++;
}
if(data65.replicas === undefined){
const err159 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/required",keyword:"required",params:{missingProperty: "replicas"},message:"must have required property '"+"replicas"+"'"};
if(vErrors === null){
vErrors = [err159];
}
else {
if (vErrors.length < 1000) vErrors.push(err159);
}
errors++;
}
for(const key14 in data65){
if(!((key14 === "resource") || (key14 === "replicas"))){
const err160 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key14},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err160];
}
else {
if (vErrors.length < 1000) vErrors.push(err160);
}
errors++;
}
}
if(data65.resource !== undefined){
let data66 = data65.resource;
if(typeof data66 === "string"){
if(func3(data66) > 63){
const err161 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err161];
}
else {
if (vErrors.length < 1000) vErrors.push(err161);
}
errors++;
}
if(!pattern9.test(data66)){
const err162 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/pattern",keyword:"pattern",params:{pattern: "^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"},message:"must match pattern \""+"^nvidia\\.com/(gpu|mig-[0-9a-z.-]+)$"+"\""};
if(vErrors === null){
vErrors = [err162];
}
else {
if (vErrors.length < 1000) vErrors.push(err162);
}
errors++;
}
}
else {
const err163 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/resource",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/resource/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err163];
}
else {
if (vErrors.length < 1000) vErrors.push(err163);
}
errors++;
}
}
if(data65.replicas !== undefined){
let data67 = data65.replicas;
if(!((typeof data67 == "number") && (!(data67 % 1) && !isNaN(data67)))){
const err164 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err164];
}
else {
if (vErrors.length < 1000) vErrors.push(err164);
}
errors++;
}
if(typeof data67 == "number"){
if(data67 > 128 || isNaN(data67)){
const err165 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/maximum",keyword:"maximum",params:{comparison: "<=", limit: 128},message:"must be <= 128"};
if(vErrors === null){
vErrors = [err165];
}
else {
if (vErrors.length < 1000) vErrors.push(err165);
}
errors++;
}
if(data67 < 2 || isNaN(data67)){
const err166 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10+"/replicas",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/properties/replicas/minimum",keyword:"minimum",params:{comparison: ">=", limit: 2},message:"must be >= 2"};
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
const err167 = {instancePath:instancePath+"/spec/sharing/timeSlicing/" + i10,schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err167];
}
else {
if (vErrors.length < 1000) vErrors.push(err167);
}
errors++;
}
}
}
else {
const err168 = {instancePath:instancePath+"/spec/sharing/timeSlicing",schemaPath:"#/properties/spec/properties/sharing/properties/timeSlicing/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err168];
}
else {
if (vErrors.length < 1000) vErrors.push(err168);
}
errors++;
}
}
}
else {
const err169 = {instancePath:instancePath+"/spec/sharing",schemaPath:"#/properties/spec/properties/sharing/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err169];
}
else {
if (vErrors.length < 1000) vErrors.push(err169);
}
errors++;
}
}
if(data15.drain !== undefined){
let data68 = data15.drain;
if(data68 && typeof data68 == "object" && !Array.isArray(data68)){
for(const key15 in data68){
if(!((((key15 === "scope") || (key15 === "timeout")) || (key15 === "onTimeout")) || (key15 === "gracePeriod"))){
const err170 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key15},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err170];
}
else {
if (vErrors.length < 1000) vErrors.push(err170);
}
errors++;
}
}
if(data68.scope !== undefined){
let data69 = data68.scope;
if(typeof data69 !== "string"){
const err171 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err171];
}
else {
if (vErrors.length < 1000) vErrors.push(err171);
}
errors++;
}
if(!(((data69 === "Affected") || (data69 === "Node")) || (data69 === "None"))){
const err172 = {instancePath:instancePath+"/spec/drain/scope",schemaPath:"#/properties/spec/properties/drain/properties/scope/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.scope.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err172];
}
else {
if (vErrors.length < 1000) vErrors.push(err172);
}
errors++;
}
}
if(data68.timeout !== undefined){
let data70 = data68.timeout;
if(typeof data70 === "string"){
if(func3(data70) > 16){
const err173 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err173];
}
else {
if (vErrors.length < 1000) vErrors.push(err173);
}
errors++;
}
if(!pattern3.test(data70)){
const err174 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
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
const err175 = {instancePath:instancePath+"/spec/drain/timeout",schemaPath:"#/properties/spec/properties/drain/properties/timeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err175];
}
else {
if (vErrors.length < 1000) vErrors.push(err175);
}
errors++;
}
}
if(data68.onTimeout !== undefined){
let data71 = data68.onTimeout;
if(typeof data71 !== "string"){
const err176 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err176];
}
else {
if (vErrors.length < 1000) vErrors.push(err176);
}
errors++;
}
if(!(((data71 === "Skip") || (data71 === "Wait")) || (data71 === "Force"))){
const err177 = {instancePath:instancePath+"/spec/drain/onTimeout",schemaPath:"#/properties/spec/properties/drain/properties/onTimeout/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.drain.properties.onTimeout.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err177];
}
else {
if (vErrors.length < 1000) vErrors.push(err177);
}
errors++;
}
}
if(data68.gracePeriod !== undefined){
let data72 = data68.gracePeriod;
if(typeof data72 === "string"){
if(func3(data72) > 16){
const err178 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err178];
}
else {
if (vErrors.length < 1000) vErrors.push(err178);
}
errors++;
}
if(!pattern3.test(data72)){
const err179 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err179];
}
else {
if (vErrors.length < 1000) vErrors.push(err179);
}
errors++;
}
}
else {
const err180 = {instancePath:instancePath+"/spec/drain/gracePeriod",schemaPath:"#/properties/spec/properties/drain/properties/gracePeriod/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err180];
}
else {
if (vErrors.length < 1000) vErrors.push(err180);
}
errors++;
}
}
}
else {
const err181 = {instancePath:instancePath+"/spec/drain",schemaPath:"#/properties/spec/properties/drain/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err181];
}
else {
if (vErrors.length < 1000) vErrors.push(err181);
}
errors++;
}
}
if(data15.rollout !== undefined){
let data73 = data15.rollout;
if(data73 && typeof data73 == "object" && !Array.isArray(data73)){
for(const key16 in data73){
if(!((((((key16 === "maxUnavailable") || (key16 === "canary")) || (key16 === "failureThreshold")) || (key16 === "windows")) || (key16 === "paused")) || (key16 === "rollback"))){
const err182 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key16},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err182];
}
else {
if (vErrors.length < 1000) vErrors.push(err182);
}
errors++;
}
}
if(data73.maxUnavailable !== undefined){
let data74 = data73.maxUnavailable;
const _errs173 = errors;
let valid41 = false;
const _errs174 = errors;
if(!((typeof data74 == "number") && (!(data74 % 1) && !isNaN(data74)))){
const err183 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err183];
}
else {
if (vErrors.length < 1000) vErrors.push(err183);
}
errors++;
}
var _valid1 = _errs174 === errors;
valid41 = valid41 || _valid1;
if(!valid41){
const _errs176 = errors;
if(typeof data74 !== "string"){
const err184 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err184];
}
else {
if (vErrors.length < 1000) vErrors.push(err184);
}
errors++;
}
var _valid1 = _errs176 === errors;
valid41 = valid41 || _valid1;
}
if(!valid41){
const err185 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err185];
}
else {
if (vErrors.length < 1000) vErrors.push(err185);
}
errors++;
}
else {
errors = _errs173;
if(vErrors !== null){
if(_errs173){
vErrors.length = Math.min(vErrors.length, _errs173);
}
else {
vErrors = null;
}
}
}
if(typeof data74 == "number"){
if(data74 > 10000 || isNaN(data74)){
const err186 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err186];
}
else {
if (vErrors.length < 1000) vErrors.push(err186);
}
errors++;
}
if(data74 < 0 || isNaN(data74)){
const err187 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err187];
}
else {
if (vErrors.length < 1000) vErrors.push(err187);
}
errors++;
}
}
if(typeof data74 === "string"){
if(!pattern2.test(data74)){
const err188 = {instancePath:instancePath+"/spec/rollout/maxUnavailable",schemaPath:"#/properties/spec/properties/rollout/properties/maxUnavailable/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
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
if(data73.canary !== undefined){
let data75 = data73.canary;
if(data75 && typeof data75 == "object" && !Array.isArray(data75)){
if(data75.nodes === undefined){
const err189 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err189];
}
else {
if (vErrors.length < 1000) vErrors.push(err189);
}
errors++;
}
for(const key17 in data75){
if(!((key17 === "nodes") || (key17 === "soak"))){
const err190 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key17},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err190];
}
else {
if (vErrors.length < 1000) vErrors.push(err190);
}
errors++;
}
}
if(data75.nodes !== undefined){
let data76 = data75.nodes;
if(!((typeof data76 == "number") && (!(data76 % 1) && !isNaN(data76)))){
const err191 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err191];
}
else {
if (vErrors.length < 1000) vErrors.push(err191);
}
errors++;
}
if(typeof data76 == "number"){
if(data76 > 1000 || isNaN(data76)){
const err192 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000},message:"must be <= 1000"};
if(vErrors === null){
vErrors = [err192];
}
else {
if (vErrors.length < 1000) vErrors.push(err192);
}
errors++;
}
if(data76 < 1 || isNaN(data76)){
const err193 = {instancePath:instancePath+"/spec/rollout/canary/nodes",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
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
if(data75.soak !== undefined){
let data77 = data75.soak;
if(typeof data77 === "string"){
if(func3(data77) > 16){
const err194 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err194];
}
else {
if (vErrors.length < 1000) vErrors.push(err194);
}
errors++;
}
if(!pattern3.test(data77)){
const err195 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
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
const err196 = {instancePath:instancePath+"/spec/rollout/canary/soak",schemaPath:"#/properties/spec/properties/rollout/properties/canary/properties/soak/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err196];
}
else {
if (vErrors.length < 1000) vErrors.push(err196);
}
errors++;
}
}
}
else {
const err197 = {instancePath:instancePath+"/spec/rollout/canary",schemaPath:"#/properties/spec/properties/rollout/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err197];
}
else {
if (vErrors.length < 1000) vErrors.push(err197);
}
errors++;
}
}
if(data73.failureThreshold !== undefined){
let data78 = data73.failureThreshold;
const _errs186 = errors;
let valid43 = false;
const _errs187 = errors;
if(!((typeof data78 == "number") && (!(data78 % 1) && !isNaN(data78)))){
const err198 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/0/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err198];
}
else {
if (vErrors.length < 1000) vErrors.push(err198);
}
errors++;
}
var _valid2 = _errs187 === errors;
valid43 = valid43 || _valid2;
if(!valid43){
const _errs189 = errors;
if(typeof data78 !== "string"){
const err199 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf/1/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err199];
}
else {
if (vErrors.length < 1000) vErrors.push(err199);
}
errors++;
}
var _valid2 = _errs189 === errors;
valid43 = valid43 || _valid2;
}
if(!valid43){
const err200 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err200];
}
else {
if (vErrors.length < 1000) vErrors.push(err200);
}
errors++;
}
else {
errors = _errs186;
if(vErrors !== null){
if(_errs186){
vErrors.length = Math.min(vErrors.length, _errs186);
}
else {
vErrors = null;
}
}
}
if(typeof data78 == "number"){
if(data78 > 10000 || isNaN(data78)){
const err201 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/maximum",keyword:"maximum",params:{comparison: "<=", limit: 10000},message:"must be <= 10000"};
if(vErrors === null){
vErrors = [err201];
}
else {
if (vErrors.length < 1000) vErrors.push(err201);
}
errors++;
}
if(data78 < 1 || isNaN(data78)){
const err202 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err202];
}
else {
if (vErrors.length < 1000) vErrors.push(err202);
}
errors++;
}
}
if(typeof data78 === "string"){
if(!pattern2.test(data78)){
const err203 = {instancePath:instancePath+"/spec/rollout/failureThreshold",schemaPath:"#/properties/spec/properties/rollout/properties/failureThreshold/pattern",keyword:"pattern",params:{pattern: "^(100|[1-9]?[0-9])%$"},message:"must match pattern \""+"^(100|[1-9]?[0-9])%$"+"\""};
if(vErrors === null){
vErrors = [err203];
}
else {
if (vErrors.length < 1000) vErrors.push(err203);
}
errors++;
}
}
}
if(data73.windows !== undefined){
let data79 = data73.windows;
if(Array.isArray(data79)){
if(data79.length > 16){
const err204 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err204];
}
else {
if (vErrors.length < 1000) vErrors.push(err204);
}
errors++;
}
if(data79.length < 1){
const err205 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err205];
}
else {
if (vErrors.length < 1000) vErrors.push(err205);
}
errors++;
}
const len11 = data79.length;
for(let i11=0; i11<len11; i11++){
let data80 = data79[i11];
if(data80 && typeof data80 == "object" && !Array.isArray(data80)){
if(data80.schedule === undefined){
const err206 = {instancePath:instancePath+"/spec/rollout/windows/" + i11,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "schedule"},message:"must have required property '"+"schedule"+"'"};
if(vErrors === null){
vErrors = [err206];
}
else {
if (vErrors.length < 1000) vErrors.push(err206);
}
errors++;
}
if(data80.duration === undefined){
const err207 = {instancePath:instancePath+"/spec/rollout/windows/" + i11,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/required",keyword:"required",params:{missingProperty: "duration"},message:"must have required property '"+"duration"+"'"};
if(vErrors === null){
vErrors = [err207];
}
else {
if (vErrors.length < 1000) vErrors.push(err207);
}
errors++;
}
for(const key18 in data80){
if(!(((key18 === "schedule") || (key18 === "duration")) || (key18 === "timeZone"))){
const err208 = {instancePath:instancePath+"/spec/rollout/windows/" + i11,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key18},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err208];
}
else {
if (vErrors.length < 1000) vErrors.push(err208);
}
errors++;
}
}
if(data80.schedule !== undefined){
let data81 = data80.schedule;
if(typeof data81 === "string"){
if(func3(data81) > 64){
const err209 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err209];
}
else {
if (vErrors.length < 1000) vErrors.push(err209);
}
errors++;
}
if(!pattern15.test(data81)){
const err210 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/pattern",keyword:"pattern",params:{pattern: "^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"},message:"must match pattern \""+"^[0-9A-Za-z*/,?#-]+( [0-9A-Za-z*/,?#-]+){4}$"+"\""};
if(vErrors === null){
vErrors = [err210];
}
else {
if (vErrors.length < 1000) vErrors.push(err210);
}
errors++;
}
}
else {
const err211 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/schedule",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/schedule/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err211];
}
else {
if (vErrors.length < 1000) vErrors.push(err211);
}
errors++;
}
}
if(data80.duration !== undefined){
let data82 = data80.duration;
if(typeof data82 === "string"){
if(func3(data82) > 16){
const err212 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err212];
}
else {
if (vErrors.length < 1000) vErrors.push(err212);
}
errors++;
}
if(!pattern3.test(data82)){
const err213 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/pattern",keyword:"pattern",params:{pattern: "^([0-9]{1,6}(s|m|h))+$"},message:"must match pattern \""+"^([0-9]{1,6}(s|m|h))+$"+"\""};
if(vErrors === null){
vErrors = [err213];
}
else {
if (vErrors.length < 1000) vErrors.push(err213);
}
errors++;
}
}
else {
const err214 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/duration",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/duration/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err214];
}
else {
if (vErrors.length < 1000) vErrors.push(err214);
}
errors++;
}
}
if(data80.timeZone !== undefined){
let data83 = data80.timeZone;
if(typeof data83 === "string"){
if(func3(data83) > 64){
const err215 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err215];
}
else {
if (vErrors.length < 1000) vErrors.push(err215);
}
errors++;
}
}
else {
const err216 = {instancePath:instancePath+"/spec/rollout/windows/" + i11+"/timeZone",schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/properties/timeZone/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err216];
}
else {
if (vErrors.length < 1000) vErrors.push(err216);
}
errors++;
}
}
}
else {
const err217 = {instancePath:instancePath+"/spec/rollout/windows/" + i11,schemaPath:"#/properties/spec/properties/rollout/properties/windows/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err218 = {instancePath:instancePath+"/spec/rollout/windows",schemaPath:"#/properties/spec/properties/rollout/properties/windows/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err218];
}
else {
if (vErrors.length < 1000) vErrors.push(err218);
}
errors++;
}
}
if(data73.paused !== undefined){
if(typeof data73.paused !== "boolean"){
const err219 = {instancePath:instancePath+"/spec/rollout/paused",schemaPath:"#/properties/spec/properties/rollout/properties/paused/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err219];
}
else {
if (vErrors.length < 1000) vErrors.push(err219);
}
errors++;
}
}
if(data73.rollback !== undefined){
let data85 = data73.rollback;
if(typeof data85 !== "string"){
const err220 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err220];
}
else {
if (vErrors.length < 1000) vErrors.push(err220);
}
errors++;
}
if(!((data85 === "OnFailure") || (data85 === "Never"))){
const err221 = {instancePath:instancePath+"/spec/rollout/rollback",schemaPath:"#/properties/spec/properties/rollout/properties/rollback/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.rollout.properties.rollback.enum},message:"must be equal to one of the allowed values"};
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
const err222 = {instancePath:instancePath+"/spec/rollout",schemaPath:"#/properties/spec/properties/rollout/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err222];
}
else {
if (vErrors.length < 1000) vErrors.push(err222);
}
errors++;
}
}
if(data15.allow !== undefined){
let data86 = data15.allow;
if(data86 && typeof data86 == "object" && !Array.isArray(data86)){
for(const key19 in data86){
if(!((((key19 === "gpuReset") || (key19 === "reboot")) || (key19 === "replaceForeignInstances")) || (key19 === "takeOver"))){
const err223 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key19},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err223];
}
else {
if (vErrors.length < 1000) vErrors.push(err223);
}
errors++;
}
}
if(data86.gpuReset !== undefined){
if(typeof data86.gpuReset !== "boolean"){
const err224 = {instancePath:instancePath+"/spec/allow/gpuReset",schemaPath:"#/properties/spec/properties/allow/properties/gpuReset/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err224];
}
else {
if (vErrors.length < 1000) vErrors.push(err224);
}
errors++;
}
}
if(data86.reboot !== undefined){
if(typeof data86.reboot !== "boolean"){
const err225 = {instancePath:instancePath+"/spec/allow/reboot",schemaPath:"#/properties/spec/properties/allow/properties/reboot/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err225];
}
else {
if (vErrors.length < 1000) vErrors.push(err225);
}
errors++;
}
}
if(data86.replaceForeignInstances !== undefined){
if(typeof data86.replaceForeignInstances !== "boolean"){
const err226 = {instancePath:instancePath+"/spec/allow/replaceForeignInstances",schemaPath:"#/properties/spec/properties/allow/properties/replaceForeignInstances/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err226];
}
else {
if (vErrors.length < 1000) vErrors.push(err226);
}
errors++;
}
}
if(data86.takeOver !== undefined){
let data90 = data86.takeOver;
if(Array.isArray(data90)){
if(data90.length > 4){
const err227 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/maxItems",keyword:"maxItems",params:{limit: 4},message:"must NOT have more than 4 items"};
if(vErrors === null){
vErrors = [err227];
}
else {
if (vErrors.length < 1000) vErrors.push(err227);
}
errors++;
}
if(data90.length < 1){
const err228 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"};
if(vErrors === null){
vErrors = [err228];
}
else {
if (vErrors.length < 1000) vErrors.push(err228);
}
errors++;
}
const len12 = data90.length;
for(let i12=0; i12<len12; i12++){
let data91 = data90[i12];
if(typeof data91 !== "string"){
const err229 = {instancePath:instancePath+"/spec/allow/takeOver/" + i12,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err229];
}
else {
if (vErrors.length < 1000) vErrors.push(err229);
}
errors++;
}
if(!(data91 === "mig-manager")){
const err230 = {instancePath:instancePath+"/spec/allow/takeOver/" + i12,schemaPath:"#/properties/spec/properties/allow/properties/takeOver/items/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.allow.properties.takeOver.items.enum},message:"must be equal to one of the allowed values"};
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
else {
const err231 = {instancePath:instancePath+"/spec/allow/takeOver",schemaPath:"#/properties/spec/properties/allow/properties/takeOver/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err231];
}
else {
if (vErrors.length < 1000) vErrors.push(err231);
}
errors++;
}
}
}
else {
const err232 = {instancePath:instancePath+"/spec/allow",schemaPath:"#/properties/spec/properties/allow/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err232];
}
else {
if (vErrors.length < 1000) vErrors.push(err232);
}
errors++;
}
}
if(data15.onDelete !== undefined){
let data92 = data15.onDelete;
if(typeof data92 !== "string"){
const err233 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err233];
}
else {
if (vErrors.length < 1000) vErrors.push(err233);
}
errors++;
}
if(!((data92 === "Keep") || (data92 === "DisableMig"))){
const err234 = {instancePath:instancePath+"/spec/onDelete",schemaPath:"#/properties/spec/properties/onDelete/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.onDelete.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err234];
}
else {
if (vErrors.length < 1000) vErrors.push(err234);
}
errors++;
}
}
}
else {
const err235 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err235];
}
else {
if (vErrors.length < 1000) vErrors.push(err235);
}
errors++;
}
}
if(data.status !== undefined){
let data93 = data.status;
if(data93 && typeof data93 == "object" && !Array.isArray(data93)){
for(const key20 in data93){
if(!(func2.call(schema11.properties.status.properties, key20))){
const err236 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key20},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err236];
}
else {
if (vErrors.length < 1000) vErrors.push(err236);
}
errors++;
}
}
if(data93.observedGeneration !== undefined){
let data94 = data93.observedGeneration;
if(!((typeof data94 == "number") && (!(data94 % 1) && !isNaN(data94)))){
const err237 = {instancePath:instancePath+"/status/observedGeneration",schemaPath:"#/properties/status/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err237];
}
else {
if (vErrors.length < 1000) vErrors.push(err237);
}
errors++;
}
}
if(data93.acceptedGeneration !== undefined){
let data95 = data93.acceptedGeneration;
if(!((typeof data95 == "number") && (!(data95 % 1) && !isNaN(data95)))){
const err238 = {instancePath:instancePath+"/status/acceptedGeneration",schemaPath:"#/properties/status/properties/acceptedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err238];
}
else {
if (vErrors.length < 1000) vErrors.push(err238);
}
errors++;
}
}
if(data93.inForce !== undefined){
let data96 = data93.inForce;
if(data96 && typeof data96 == "object" && !Array.isArray(data96)){
if(data96.generation === undefined){
const err239 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err239];
}
else {
if (vErrors.length < 1000) vErrors.push(err239);
}
errors++;
}
if(data96.spec === undefined){
const err240 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err240];
}
else {
if (vErrors.length < 1000) vErrors.push(err240);
}
errors++;
}
for(const key21 in data96){
if(!((key21 === "generation") || (key21 === "spec"))){
const err241 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key21},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err241];
}
else {
if (vErrors.length < 1000) vErrors.push(err241);
}
errors++;
}
}
if(data96.generation !== undefined){
let data97 = data96.generation;
if(!((typeof data97 == "number") && (!(data97 % 1) && !isNaN(data97)))){
const err242 = {instancePath:instancePath+"/status/inForce/generation",schemaPath:"#/properties/status/properties/inForce/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err242];
}
else {
if (vErrors.length < 1000) vErrors.push(err242);
}
errors++;
}
}
if(data96.spec !== undefined){
let data98 = data96.spec;
if(data98 && typeof data98 == "object" && !Array.isArray(data98)){
}
else {
const err243 = {instancePath:instancePath+"/status/inForce/spec",schemaPath:"#/properties/status/properties/inForce/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err244 = {instancePath:instancePath+"/status/inForce",schemaPath:"#/properties/status/properties/inForce/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err244];
}
else {
if (vErrors.length < 1000) vErrors.push(err244);
}
errors++;
}
}
if(data93.previous !== undefined){
let data99 = data93.previous;
if(data99 && typeof data99 == "object" && !Array.isArray(data99)){
if(data99.generation === undefined){
const err245 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err245];
}
else {
if (vErrors.length < 1000) vErrors.push(err245);
}
errors++;
}
if(data99.spec === undefined){
const err246 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err246];
}
else {
if (vErrors.length < 1000) vErrors.push(err246);
}
errors++;
}
for(const key22 in data99){
if(!((key22 === "generation") || (key22 === "spec"))){
const err247 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key22},message:"must NOT have additional properties"};
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
const err248 = {instancePath:instancePath+"/status/previous/generation",schemaPath:"#/properties/status/properties/previous/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
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
const err249 = {instancePath:instancePath+"/status/previous/spec",schemaPath:"#/properties/status/properties/previous/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err250 = {instancePath:instancePath+"/status/previous",schemaPath:"#/properties/status/properties/previous/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err250];
}
else {
if (vErrors.length < 1000) vErrors.push(err250);
}
errors++;
}
}
if(data93.summary !== undefined){
let data102 = data93.summary;
if(typeof data102 === "string"){
if(func3(data102) > 256){
const err251 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err251];
}
else {
if (vErrors.length < 1000) vErrors.push(err251);
}
errors++;
}
}
else {
const err252 = {instancePath:instancePath+"/status/summary",schemaPath:"#/properties/status/properties/summary/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err252];
}
else {
if (vErrors.length < 1000) vErrors.push(err252);
}
errors++;
}
}
if(data93.conditions !== undefined){
let data103 = data93.conditions;
if(Array.isArray(data103)){
if(data103.length > 16){
const err253 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err253];
}
else {
if (vErrors.length < 1000) vErrors.push(err253);
}
errors++;
}
const len13 = data103.length;
for(let i13=0; i13<len13; i13++){
let data104 = data103[i13];
if(data104 && typeof data104 == "object" && !Array.isArray(data104)){
if(data104.type === undefined){
const err254 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err254];
}
else {
if (vErrors.length < 1000) vErrors.push(err254);
}
errors++;
}
if(data104.status === undefined){
const err255 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err255];
}
else {
if (vErrors.length < 1000) vErrors.push(err255);
}
errors++;
}
if(data104.reason === undefined){
const err256 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err256];
}
else {
if (vErrors.length < 1000) vErrors.push(err256);
}
errors++;
}
if(data104.message === undefined){
const err257 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err257];
}
else {
if (vErrors.length < 1000) vErrors.push(err257);
}
errors++;
}
if(data104.lastTransitionTime === undefined){
const err258 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err258];
}
else {
if (vErrors.length < 1000) vErrors.push(err258);
}
errors++;
}
for(const key23 in data104){
if(!((((((key23 === "type") || (key23 === "status")) || (key23 === "reason")) || (key23 === "message")) || (key23 === "lastTransitionTime")) || (key23 === "observedGeneration"))){
const err259 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key23},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err259];
}
else {
if (vErrors.length < 1000) vErrors.push(err259);
}
errors++;
}
}
if(data104.type !== undefined){
let data105 = data104.type;
if(typeof data105 === "string"){
if(func3(data105) > 316){
const err260 = {instancePath:instancePath+"/status/conditions/" + i13+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err260];
}
else {
if (vErrors.length < 1000) vErrors.push(err260);
}
errors++;
}
}
else {
const err261 = {instancePath:instancePath+"/status/conditions/" + i13+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err261];
}
else {
if (vErrors.length < 1000) vErrors.push(err261);
}
errors++;
}
}
if(data104.status !== undefined){
let data106 = data104.status;
if(typeof data106 !== "string"){
const err262 = {instancePath:instancePath+"/status/conditions/" + i13+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err262];
}
else {
if (vErrors.length < 1000) vErrors.push(err262);
}
errors++;
}
if(!(((data106 === "True") || (data106 === "False")) || (data106 === "Unknown"))){
const err263 = {instancePath:instancePath+"/status/conditions/" + i13+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err263];
}
else {
if (vErrors.length < 1000) vErrors.push(err263);
}
errors++;
}
}
if(data104.reason !== undefined){
let data107 = data104.reason;
if(typeof data107 === "string"){
if(func3(data107) > 1024){
const err264 = {instancePath:instancePath+"/status/conditions/" + i13+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err264];
}
else {
if (vErrors.length < 1000) vErrors.push(err264);
}
errors++;
}
}
else {
const err265 = {instancePath:instancePath+"/status/conditions/" + i13+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err265];
}
else {
if (vErrors.length < 1000) vErrors.push(err265);
}
errors++;
}
}
if(data104.message !== undefined){
let data108 = data104.message;
if(typeof data108 === "string"){
if(func3(data108) > 8192){
const err266 = {instancePath:instancePath+"/status/conditions/" + i13+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 8192},message:"must NOT have more than 8192 characters"};
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
const err267 = {instancePath:instancePath+"/status/conditions/" + i13+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err267];
}
else {
if (vErrors.length < 1000) vErrors.push(err267);
}
errors++;
}
}
if(data104.lastTransitionTime !== undefined){
if(typeof data104.lastTransitionTime !== "string"){
const err268 = {instancePath:instancePath+"/status/conditions/" + i13+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err268];
}
else {
if (vErrors.length < 1000) vErrors.push(err268);
}
errors++;
}
}
if(data104.observedGeneration !== undefined){
let data110 = data104.observedGeneration;
if(!((typeof data110 == "number") && (!(data110 % 1) && !isNaN(data110)))){
const err269 = {instancePath:instancePath+"/status/conditions/" + i13+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err269];
}
else {
if (vErrors.length < 1000) vErrors.push(err269);
}
errors++;
}
}
}
else {
const err270 = {instancePath:instancePath+"/status/conditions/" + i13,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err270];
}
else {
if (vErrors.length < 1000) vErrors.push(err270);
}
errors++;
}
}
}
else {
const err271 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err271];
}
else {
if (vErrors.length < 1000) vErrors.push(err271);
}
errors++;
}
}
if(data93.nodes !== undefined){
let data111 = data93.nodes;
if(data111 && typeof data111 == "object" && !Array.isArray(data111)){
for(const key24 in data111){
if(!((((((((key24 === "matched") || (key24 === "ready")) || (key24 === "updating")) || (key24 === "pending")) || (key24 === "failed")) || (key24 === "outranked")) || (key24 === "conflicted")) || (key24 === "skipped"))){
const err272 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key24},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err272];
}
else {
if (vErrors.length < 1000) vErrors.push(err272);
}
errors++;
}
}
if(data111.matched !== undefined){
let data112 = data111.matched;
if(!((typeof data112 == "number") && (!(data112 % 1) && !isNaN(data112)))){
const err273 = {instancePath:instancePath+"/status/nodes/matched",schemaPath:"#/properties/status/properties/nodes/properties/matched/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err273];
}
else {
if (vErrors.length < 1000) vErrors.push(err273);
}
errors++;
}
}
if(data111.ready !== undefined){
let data113 = data111.ready;
if(!((typeof data113 == "number") && (!(data113 % 1) && !isNaN(data113)))){
const err274 = {instancePath:instancePath+"/status/nodes/ready",schemaPath:"#/properties/status/properties/nodes/properties/ready/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err274];
}
else {
if (vErrors.length < 1000) vErrors.push(err274);
}
errors++;
}
}
if(data111.updating !== undefined){
let data114 = data111.updating;
if(!((typeof data114 == "number") && (!(data114 % 1) && !isNaN(data114)))){
const err275 = {instancePath:instancePath+"/status/nodes/updating",schemaPath:"#/properties/status/properties/nodes/properties/updating/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err275];
}
else {
if (vErrors.length < 1000) vErrors.push(err275);
}
errors++;
}
}
if(data111.pending !== undefined){
let data115 = data111.pending;
if(!((typeof data115 == "number") && (!(data115 % 1) && !isNaN(data115)))){
const err276 = {instancePath:instancePath+"/status/nodes/pending",schemaPath:"#/properties/status/properties/nodes/properties/pending/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err276];
}
else {
if (vErrors.length < 1000) vErrors.push(err276);
}
errors++;
}
}
if(data111.failed !== undefined){
let data116 = data111.failed;
if(!((typeof data116 == "number") && (!(data116 % 1) && !isNaN(data116)))){
const err277 = {instancePath:instancePath+"/status/nodes/failed",schemaPath:"#/properties/status/properties/nodes/properties/failed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err277];
}
else {
if (vErrors.length < 1000) vErrors.push(err277);
}
errors++;
}
}
if(data111.outranked !== undefined){
let data117 = data111.outranked;
if(!((typeof data117 == "number") && (!(data117 % 1) && !isNaN(data117)))){
const err278 = {instancePath:instancePath+"/status/nodes/outranked",schemaPath:"#/properties/status/properties/nodes/properties/outranked/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err278];
}
else {
if (vErrors.length < 1000) vErrors.push(err278);
}
errors++;
}
}
if(data111.conflicted !== undefined){
let data118 = data111.conflicted;
if(!((typeof data118 == "number") && (!(data118 % 1) && !isNaN(data118)))){
const err279 = {instancePath:instancePath+"/status/nodes/conflicted",schemaPath:"#/properties/status/properties/nodes/properties/conflicted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err279];
}
else {
if (vErrors.length < 1000) vErrors.push(err279);
}
errors++;
}
}
if(data111.skipped !== undefined){
let data119 = data111.skipped;
if(!((typeof data119 == "number") && (!(data119 % 1) && !isNaN(data119)))){
const err280 = {instancePath:instancePath+"/status/nodes/skipped",schemaPath:"#/properties/status/properties/nodes/properties/skipped/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
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
else {
const err281 = {instancePath:instancePath+"/status/nodes",schemaPath:"#/properties/status/properties/nodes/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err281];
}
else {
if (vErrors.length < 1000) vErrors.push(err281);
}
errors++;
}
}
if(data93.demand !== undefined){
let data120 = data93.demand;
if(Array.isArray(data120)){
if(data120.length > 16){
const err282 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err282];
}
else {
if (vErrors.length < 1000) vErrors.push(err282);
}
errors++;
}
const len14 = data120.length;
for(let i14=0; i14<len14; i14++){
let data121 = data120[i14];
if(data121 && typeof data121 == "object" && !Array.isArray(data121)){
if(data121.name === undefined){
const err283 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err283];
}
else {
if (vErrors.length < 1000) vErrors.push(err283);
}
errors++;
}
if(data121.wanted === undefined){
const err284 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "wanted"},message:"must have required property '"+"wanted"+"'"};
if(vErrors === null){
vErrors = [err284];
}
else {
if (vErrors.length < 1000) vErrors.push(err284);
}
errors++;
}
if(data121.offered === undefined){
const err285 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "offered"},message:"must have required property '"+"offered"+"'"};
if(vErrors === null){
vErrors = [err285];
}
else {
if (vErrors.length < 1000) vErrors.push(err285);
}
errors++;
}
if(data121.used === undefined){
const err286 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "used"},message:"must have required property '"+"used"+"'"};
if(vErrors === null){
vErrors = [err286];
}
else {
if (vErrors.length < 1000) vErrors.push(err286);
}
errors++;
}
if(data121.unmet === undefined){
const err287 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/required",keyword:"required",params:{missingProperty: "unmet"},message:"must have required property '"+"unmet"+"'"};
if(vErrors === null){
vErrors = [err287];
}
else {
if (vErrors.length < 1000) vErrors.push(err287);
}
errors++;
}
for(const key25 in data121){
if(!(((((((key25 === "name") || (key25 === "wanted")) || (key25 === "offered")) || (key25 === "used")) || (key25 === "waiting")) || (key25 === "unmet")) || (key25 === "why"))){
const err288 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key25},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err288];
}
else {
if (vErrors.length < 1000) vErrors.push(err288);
}
errors++;
}
}
if(data121.name !== undefined){
let data122 = data121.name;
if(typeof data122 === "string"){
if(func3(data122) > 32){
const err289 = {instancePath:instancePath+"/status/demand/" + i14+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err289];
}
else {
if (vErrors.length < 1000) vErrors.push(err289);
}
errors++;
}
}
else {
const err290 = {instancePath:instancePath+"/status/demand/" + i14+"/name",schemaPath:"#/properties/status/properties/demand/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err290];
}
else {
if (vErrors.length < 1000) vErrors.push(err290);
}
errors++;
}
}
if(data121.wanted !== undefined){
let data123 = data121.wanted;
if(!((typeof data123 == "number") && (!(data123 % 1) && !isNaN(data123)))){
const err291 = {instancePath:instancePath+"/status/demand/" + i14+"/wanted",schemaPath:"#/properties/status/properties/demand/items/properties/wanted/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err291];
}
else {
if (vErrors.length < 1000) vErrors.push(err291);
}
errors++;
}
}
if(data121.offered !== undefined){
let data124 = data121.offered;
if(!((typeof data124 == "number") && (!(data124 % 1) && !isNaN(data124)))){
const err292 = {instancePath:instancePath+"/status/demand/" + i14+"/offered",schemaPath:"#/properties/status/properties/demand/items/properties/offered/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err292];
}
else {
if (vErrors.length < 1000) vErrors.push(err292);
}
errors++;
}
}
if(data121.used !== undefined){
let data125 = data121.used;
if(!((typeof data125 == "number") && (!(data125 % 1) && !isNaN(data125)))){
const err293 = {instancePath:instancePath+"/status/demand/" + i14+"/used",schemaPath:"#/properties/status/properties/demand/items/properties/used/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err293];
}
else {
if (vErrors.length < 1000) vErrors.push(err293);
}
errors++;
}
}
if(data121.waiting !== undefined){
let data126 = data121.waiting;
if(!((typeof data126 == "number") && (!(data126 % 1) && !isNaN(data126)))){
const err294 = {instancePath:instancePath+"/status/demand/" + i14+"/waiting",schemaPath:"#/properties/status/properties/demand/items/properties/waiting/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err294];
}
else {
if (vErrors.length < 1000) vErrors.push(err294);
}
errors++;
}
}
if(data121.unmet !== undefined){
let data127 = data121.unmet;
if(!((typeof data127 == "number") && (!(data127 % 1) && !isNaN(data127)))){
const err295 = {instancePath:instancePath+"/status/demand/" + i14+"/unmet",schemaPath:"#/properties/status/properties/demand/items/properties/unmet/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err295];
}
else {
if (vErrors.length < 1000) vErrors.push(err295);
}
errors++;
}
}
if(data121.why !== undefined){
let data128 = data121.why;
if(typeof data128 === "string"){
if(func3(data128) > 1024){
const err296 = {instancePath:instancePath+"/status/demand/" + i14+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err296];
}
else {
if (vErrors.length < 1000) vErrors.push(err296);
}
errors++;
}
}
else {
const err297 = {instancePath:instancePath+"/status/demand/" + i14+"/why",schemaPath:"#/properties/status/properties/demand/items/properties/why/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err297];
}
else {
if (vErrors.length < 1000) vErrors.push(err297);
}
errors++;
}
}
}
else {
const err298 = {instancePath:instancePath+"/status/demand/" + i14,schemaPath:"#/properties/status/properties/demand/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err298];
}
else {
if (vErrors.length < 1000) vErrors.push(err298);
}
errors++;
}
}
}
else {
const err299 = {instancePath:instancePath+"/status/demand",schemaPath:"#/properties/status/properties/demand/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err299];
}
else {
if (vErrors.length < 1000) vErrors.push(err299);
}
errors++;
}
}
if(data93.plan !== undefined){
let data129 = data93.plan;
if(data129 && typeof data129 == "object" && !Array.isArray(data129)){
for(const key26 in data129){
if(!(((((key26 === "gpusChanging") || (key26 === "instancesKept")) || (key26 === "instancesDestroyed")) || (key26 === "instancesCreated")) || (key26 === "podsToEvict"))){
const err300 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key26},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err300];
}
else {
if (vErrors.length < 1000) vErrors.push(err300);
}
errors++;
}
}
if(data129.gpusChanging !== undefined){
let data130 = data129.gpusChanging;
if(!((typeof data130 == "number") && (!(data130 % 1) && !isNaN(data130)))){
const err301 = {instancePath:instancePath+"/status/plan/gpusChanging",schemaPath:"#/properties/status/properties/plan/properties/gpusChanging/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err301];
}
else {
if (vErrors.length < 1000) vErrors.push(err301);
}
errors++;
}
}
if(data129.instancesKept !== undefined){
let data131 = data129.instancesKept;
if(!((typeof data131 == "number") && (!(data131 % 1) && !isNaN(data131)))){
const err302 = {instancePath:instancePath+"/status/plan/instancesKept",schemaPath:"#/properties/status/properties/plan/properties/instancesKept/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err302];
}
else {
if (vErrors.length < 1000) vErrors.push(err302);
}
errors++;
}
}
if(data129.instancesDestroyed !== undefined){
let data132 = data129.instancesDestroyed;
if(!((typeof data132 == "number") && (!(data132 % 1) && !isNaN(data132)))){
const err303 = {instancePath:instancePath+"/status/plan/instancesDestroyed",schemaPath:"#/properties/status/properties/plan/properties/instancesDestroyed/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err303];
}
else {
if (vErrors.length < 1000) vErrors.push(err303);
}
errors++;
}
}
if(data129.instancesCreated !== undefined){
let data133 = data129.instancesCreated;
if(!((typeof data133 == "number") && (!(data133 % 1) && !isNaN(data133)))){
const err304 = {instancePath:instancePath+"/status/plan/instancesCreated",schemaPath:"#/properties/status/properties/plan/properties/instancesCreated/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err304];
}
else {
if (vErrors.length < 1000) vErrors.push(err304);
}
errors++;
}
}
if(data129.podsToEvict !== undefined){
let data134 = data129.podsToEvict;
if(!((typeof data134 == "number") && (!(data134 % 1) && !isNaN(data134)))){
const err305 = {instancePath:instancePath+"/status/plan/podsToEvict",schemaPath:"#/properties/status/properties/plan/properties/podsToEvict/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
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
const err306 = {instancePath:instancePath+"/status/plan",schemaPath:"#/properties/status/properties/plan/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err306];
}
else {
if (vErrors.length < 1000) vErrors.push(err306);
}
errors++;
}
}
if(data93.inFlight !== undefined){
let data135 = data93.inFlight;
if(Array.isArray(data135)){
if(data135.length > 500){
const err307 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/maxItems",keyword:"maxItems",params:{limit: 500},message:"must NOT have more than 500 items"};
if(vErrors === null){
vErrors = [err307];
}
else {
if (vErrors.length < 1000) vErrors.push(err307);
}
errors++;
}
const len15 = data135.length;
for(let i15=0; i15<len15; i15++){
let data136 = data135[i15];
if(data136 && typeof data136 == "object" && !Array.isArray(data136)){
if(data136.node === undefined){
const err308 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err308];
}
else {
if (vErrors.length < 1000) vErrors.push(err308);
}
errors++;
}
if(data136.nodeUID === undefined){
const err309 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "nodeUID"},message:"must have required property '"+"nodeUID"+"'"};
if(vErrors === null){
vErrors = [err309];
}
else {
if (vErrors.length < 1000) vErrors.push(err309);
}
errors++;
}
if(data136.epoch === undefined){
const err310 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/required",keyword:"required",params:{missingProperty: "epoch"},message:"must have required property '"+"epoch"+"'"};
if(vErrors === null){
vErrors = [err310];
}
else {
if (vErrors.length < 1000) vErrors.push(err310);
}
errors++;
}
for(const key27 in data136){
if(!(((((((key27 === "node") || (key27 === "nodeUID")) || (key27 === "epoch")) || (key27 === "generation")) || (key27 === "startTime")) || (key27 === "deadline")) || (key27 === "kind"))){
const err311 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key27},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err311];
}
else {
if (vErrors.length < 1000) vErrors.push(err311);
}
errors++;
}
}
if(data136.node !== undefined){
let data137 = data136.node;
if(typeof data137 === "string"){
if(func3(data137) > 253){
const err312 = {instancePath:instancePath+"/status/inFlight/" + i15+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
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
const err313 = {instancePath:instancePath+"/status/inFlight/" + i15+"/node",schemaPath:"#/properties/status/properties/inFlight/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err313];
}
else {
if (vErrors.length < 1000) vErrors.push(err313);
}
errors++;
}
}
if(data136.nodeUID !== undefined){
let data138 = data136.nodeUID;
if(typeof data138 === "string"){
if(func3(data138) > 64){
const err314 = {instancePath:instancePath+"/status/inFlight/" + i15+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
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
const err315 = {instancePath:instancePath+"/status/inFlight/" + i15+"/nodeUID",schemaPath:"#/properties/status/properties/inFlight/items/properties/nodeUID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err315];
}
else {
if (vErrors.length < 1000) vErrors.push(err315);
}
errors++;
}
}
if(data136.epoch !== undefined){
let data139 = data136.epoch;
if(!((typeof data139 == "number") && (!(data139 % 1) && !isNaN(data139)))){
const err316 = {instancePath:instancePath+"/status/inFlight/" + i15+"/epoch",schemaPath:"#/properties/status/properties/inFlight/items/properties/epoch/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err316];
}
else {
if (vErrors.length < 1000) vErrors.push(err316);
}
errors++;
}
}
if(data136.generation !== undefined){
let data140 = data136.generation;
if(!((typeof data140 == "number") && (!(data140 % 1) && !isNaN(data140)))){
const err317 = {instancePath:instancePath+"/status/inFlight/" + i15+"/generation",schemaPath:"#/properties/status/properties/inFlight/items/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err317];
}
else {
if (vErrors.length < 1000) vErrors.push(err317);
}
errors++;
}
}
if(data136.startTime !== undefined){
if(typeof data136.startTime !== "string"){
const err318 = {instancePath:instancePath+"/status/inFlight/" + i15+"/startTime",schemaPath:"#/properties/status/properties/inFlight/items/properties/startTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err318];
}
else {
if (vErrors.length < 1000) vErrors.push(err318);
}
errors++;
}
}
if(data136.deadline !== undefined){
if(typeof data136.deadline !== "string"){
const err319 = {instancePath:instancePath+"/status/inFlight/" + i15+"/deadline",schemaPath:"#/properties/status/properties/inFlight/items/properties/deadline/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err319];
}
else {
if (vErrors.length < 1000) vErrors.push(err319);
}
errors++;
}
}
if(data136.kind !== undefined){
let data143 = data136.kind;
if(typeof data143 !== "string"){
const err320 = {instancePath:instancePath+"/status/inFlight/" + i15+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err320];
}
else {
if (vErrors.length < 1000) vErrors.push(err320);
}
errors++;
}
if(!(((((data143 === "Fresh") || (data143 === "Repair")) || (data143 === "Retry")) || (data143 === "New")) || (data143 === "Found"))){
const err321 = {instancePath:instancePath+"/status/inFlight/" + i15+"/kind",schemaPath:"#/properties/status/properties/inFlight/items/properties/kind/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.inFlight.items.properties.kind.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err321];
}
else {
if (vErrors.length < 1000) vErrors.push(err321);
}
errors++;
}
}
}
else {
const err322 = {instancePath:instancePath+"/status/inFlight/" + i15,schemaPath:"#/properties/status/properties/inFlight/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err323 = {instancePath:instancePath+"/status/inFlight",schemaPath:"#/properties/status/properties/inFlight/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err323];
}
else {
if (vErrors.length < 1000) vErrors.push(err323);
}
errors++;
}
}
if(data93.canary !== undefined){
let data144 = data93.canary;
if(data144 && typeof data144 == "object" && !Array.isArray(data144)){
if(data144.generation === undefined){
const err324 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err324];
}
else {
if (vErrors.length < 1000) vErrors.push(err324);
}
errors++;
}
if(data144.nodes === undefined){
const err325 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err325];
}
else {
if (vErrors.length < 1000) vErrors.push(err325);
}
errors++;
}
for(const key28 in data144){
if(!((((key28 === "generation") || (key28 === "nodes")) || (key28 === "readySince")) || (key28 === "passedTime"))){
const err326 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key28},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err326];
}
else {
if (vErrors.length < 1000) vErrors.push(err326);
}
errors++;
}
}
if(data144.generation !== undefined){
let data145 = data144.generation;
if(!((typeof data145 == "number") && (!(data145 % 1) && !isNaN(data145)))){
const err327 = {instancePath:instancePath+"/status/canary/generation",schemaPath:"#/properties/status/properties/canary/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err327];
}
else {
if (vErrors.length < 1000) vErrors.push(err327);
}
errors++;
}
}
if(data144.nodes !== undefined){
let data146 = data144.nodes;
if(Array.isArray(data146)){
if(data146.length > 1000){
const err328 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/maxItems",keyword:"maxItems",params:{limit: 1000},message:"must NOT have more than 1000 items"};
if(vErrors === null){
vErrors = [err328];
}
else {
if (vErrors.length < 1000) vErrors.push(err328);
}
errors++;
}
const len16 = data146.length;
for(let i16=0; i16<len16; i16++){
let data147 = data146[i16];
if(typeof data147 === "string"){
if(func3(data147) > 253){
const err329 = {instancePath:instancePath+"/status/canary/nodes/" + i16,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err329];
}
else {
if (vErrors.length < 1000) vErrors.push(err329);
}
errors++;
}
}
else {
const err330 = {instancePath:instancePath+"/status/canary/nodes/" + i16,schemaPath:"#/properties/status/properties/canary/properties/nodes/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err330];
}
else {
if (vErrors.length < 1000) vErrors.push(err330);
}
errors++;
}
}
}
else {
const err331 = {instancePath:instancePath+"/status/canary/nodes",schemaPath:"#/properties/status/properties/canary/properties/nodes/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err331];
}
else {
if (vErrors.length < 1000) vErrors.push(err331);
}
errors++;
}
}
if(data144.readySince !== undefined){
if(typeof data144.readySince !== "string"){
const err332 = {instancePath:instancePath+"/status/canary/readySince",schemaPath:"#/properties/status/properties/canary/properties/readySince/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err332];
}
else {
if (vErrors.length < 1000) vErrors.push(err332);
}
errors++;
}
}
if(data144.passedTime !== undefined){
if(typeof data144.passedTime !== "string"){
const err333 = {instancePath:instancePath+"/status/canary/passedTime",schemaPath:"#/properties/status/properties/canary/properties/passedTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err333];
}
else {
if (vErrors.length < 1000) vErrors.push(err333);
}
errors++;
}
}
}
else {
const err334 = {instancePath:instancePath+"/status/canary",schemaPath:"#/properties/status/properties/canary/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err334];
}
else {
if (vErrors.length < 1000) vErrors.push(err334);
}
errors++;
}
}
if(data93.pace !== undefined){
let data150 = data93.pace;
if(data150 && typeof data150 == "object" && !Array.isArray(data150)){
if(data150.generation === undefined){
const err335 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err335];
}
else {
if (vErrors.length < 1000) vErrors.push(err335);
}
errors++;
}
if(data150.nodes === undefined){
const err336 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err336];
}
else {
if (vErrors.length < 1000) vErrors.push(err336);
}
errors++;
}
if(data150.seconds === undefined){
const err337 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/required",keyword:"required",params:{missingProperty: "seconds"},message:"must have required property '"+"seconds"+"'"};
if(vErrors === null){
vErrors = [err337];
}
else {
if (vErrors.length < 1000) vErrors.push(err337);
}
errors++;
}
for(const key29 in data150){
if(!(((key29 === "generation") || (key29 === "nodes")) || (key29 === "seconds"))){
const err338 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key29},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err338];
}
else {
if (vErrors.length < 1000) vErrors.push(err338);
}
errors++;
}
}
if(data150.generation !== undefined){
let data151 = data150.generation;
if(!((typeof data151 == "number") && (!(data151 % 1) && !isNaN(data151)))){
const err339 = {instancePath:instancePath+"/status/pace/generation",schemaPath:"#/properties/status/properties/pace/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err339];
}
else {
if (vErrors.length < 1000) vErrors.push(err339);
}
errors++;
}
}
if(data150.nodes !== undefined){
let data152 = data150.nodes;
if(!((typeof data152 == "number") && (!(data152 % 1) && !isNaN(data152)))){
const err340 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err340];
}
else {
if (vErrors.length < 1000) vErrors.push(err340);
}
errors++;
}
if(typeof data152 == "number"){
if(data152 < 1 || isNaN(data152)){
const err341 = {instancePath:instancePath+"/status/pace/nodes",schemaPath:"#/properties/status/properties/pace/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err341];
}
else {
if (vErrors.length < 1000) vErrors.push(err341);
}
errors++;
}
}
}
if(data150.seconds !== undefined){
let data153 = data150.seconds;
if(!((typeof data153 == "number") && (!(data153 % 1) && !isNaN(data153)))){
const err342 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err342];
}
else {
if (vErrors.length < 1000) vErrors.push(err342);
}
errors++;
}
if(typeof data153 == "number"){
if(data153 < 0 || isNaN(data153)){
const err343 = {instancePath:instancePath+"/status/pace/seconds",schemaPath:"#/properties/status/properties/pace/properties/seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
}
else {
const err344 = {instancePath:instancePath+"/status/pace",schemaPath:"#/properties/status/properties/pace/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err344];
}
else {
if (vErrors.length < 1000) vErrors.push(err344);
}
errors++;
}
}
if(data93.limits !== undefined){
let data154 = data93.limits;
if(data154 && typeof data154 == "object" && !Array.isArray(data154)){
if(data154.nodes === undefined){
const err345 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "nodes"},message:"must have required property '"+"nodes"+"'"};
if(vErrors === null){
vErrors = [err345];
}
else {
if (vErrors.length < 1000) vErrors.push(err345);
}
errors++;
}
if(data154.maxUnavailable === undefined){
const err346 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxUnavailable"},message:"must have required property '"+"maxUnavailable"+"'"};
if(vErrors === null){
vErrors = [err346];
}
else {
if (vErrors.length < 1000) vErrors.push(err346);
}
errors++;
}
if(data154.maxConcurrentNodes === undefined){
const err347 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/required",keyword:"required",params:{missingProperty: "maxConcurrentNodes"},message:"must have required property '"+"maxConcurrentNodes"+"'"};
if(vErrors === null){
vErrors = [err347];
}
else {
if (vErrors.length < 1000) vErrors.push(err347);
}
errors++;
}
for(const key30 in data154){
if(!(((key30 === "nodes") || (key30 === "maxUnavailable")) || (key30 === "maxConcurrentNodes"))){
const err348 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key30},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err348];
}
else {
if (vErrors.length < 1000) vErrors.push(err348);
}
errors++;
}
}
if(data154.nodes !== undefined){
let data155 = data154.nodes;
if(!((typeof data155 == "number") && (!(data155 % 1) && !isNaN(data155)))){
const err349 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err349];
}
else {
if (vErrors.length < 1000) vErrors.push(err349);
}
errors++;
}
if(typeof data155 == "number"){
if(data155 < 0 || isNaN(data155)){
const err350 = {instancePath:instancePath+"/status/limits/nodes",schemaPath:"#/properties/status/properties/limits/properties/nodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err350];
}
else {
if (vErrors.length < 1000) vErrors.push(err350);
}
errors++;
}
}
}
if(data154.maxUnavailable !== undefined){
let data156 = data154.maxUnavailable;
if(!((typeof data156 == "number") && (!(data156 % 1) && !isNaN(data156)))){
const err351 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err351];
}
else {
if (vErrors.length < 1000) vErrors.push(err351);
}
errors++;
}
if(typeof data156 == "number"){
if(data156 < 0 || isNaN(data156)){
const err352 = {instancePath:instancePath+"/status/limits/maxUnavailable",schemaPath:"#/properties/status/properties/limits/properties/maxUnavailable/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err352];
}
else {
if (vErrors.length < 1000) vErrors.push(err352);
}
errors++;
}
}
}
if(data154.maxConcurrentNodes !== undefined){
let data157 = data154.maxConcurrentNodes;
if(!((typeof data157 == "number") && (!(data157 % 1) && !isNaN(data157)))){
const err353 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err353];
}
else {
if (vErrors.length < 1000) vErrors.push(err353);
}
errors++;
}
if(typeof data157 == "number"){
if(data157 < 0 || isNaN(data157)){
const err354 = {instancePath:instancePath+"/status/limits/maxConcurrentNodes",schemaPath:"#/properties/status/properties/limits/properties/maxConcurrentNodes/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err354];
}
else {
if (vErrors.length < 1000) vErrors.push(err354);
}
errors++;
}
}
}
}
else {
const err355 = {instancePath:instancePath+"/status/limits",schemaPath:"#/properties/status/properties/limits/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err355];
}
else {
if (vErrors.length < 1000) vErrors.push(err355);
}
errors++;
}
}
if(data93.failures !== undefined){
let data158 = data93.failures;
if(Array.isArray(data158)){
if(data158.length > 50){
const err356 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/maxItems",keyword:"maxItems",params:{limit: 50},message:"must NOT have more than 50 items"};
if(vErrors === null){
vErrors = [err356];
}
else {
if (vErrors.length < 1000) vErrors.push(err356);
}
errors++;
}
const len17 = data158.length;
for(let i17=0; i17<len17; i17++){
let data159 = data158[i17];
if(data159 && typeof data159 == "object" && !Array.isArray(data159)){
if(data159.node === undefined){
const err357 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "node"},message:"must have required property '"+"node"+"'"};
if(vErrors === null){
vErrors = [err357];
}
else {
if (vErrors.length < 1000) vErrors.push(err357);
}
errors++;
}
if(data159.reason === undefined){
const err358 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err358];
}
else {
if (vErrors.length < 1000) vErrors.push(err358);
}
errors++;
}
if(data159.message === undefined){
const err359 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err359];
}
else {
if (vErrors.length < 1000) vErrors.push(err359);
}
errors++;
}
for(const key31 in data159){
if(!((((key31 === "node") || (key31 === "reason")) || (key31 === "message")) || (key31 === "time"))){
const err360 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key31},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err360];
}
else {
if (vErrors.length < 1000) vErrors.push(err360);
}
errors++;
}
}
if(data159.node !== undefined){
let data160 = data159.node;
if(typeof data160 === "string"){
if(func3(data160) > 253){
const err361 = {instancePath:instancePath+"/status/failures/" + i17+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/maxLength",keyword:"maxLength",params:{limit: 253},message:"must NOT have more than 253 characters"};
if(vErrors === null){
vErrors = [err361];
}
else {
if (vErrors.length < 1000) vErrors.push(err361);
}
errors++;
}
}
else {
const err362 = {instancePath:instancePath+"/status/failures/" + i17+"/node",schemaPath:"#/properties/status/properties/failures/items/properties/node/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err362];
}
else {
if (vErrors.length < 1000) vErrors.push(err362);
}
errors++;
}
}
if(data159.reason !== undefined){
let data161 = data159.reason;
if(typeof data161 === "string"){
if(func3(data161) > 64){
const err363 = {instancePath:instancePath+"/status/failures/" + i17+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
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
const err364 = {instancePath:instancePath+"/status/failures/" + i17+"/reason",schemaPath:"#/properties/status/properties/failures/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err364];
}
else {
if (vErrors.length < 1000) vErrors.push(err364);
}
errors++;
}
}
if(data159.message !== undefined){
let data162 = data159.message;
if(typeof data162 === "string"){
if(func3(data162) > 1024){
const err365 = {instancePath:instancePath+"/status/failures/" + i17+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err365];
}
else {
if (vErrors.length < 1000) vErrors.push(err365);
}
errors++;
}
}
else {
const err366 = {instancePath:instancePath+"/status/failures/" + i17+"/message",schemaPath:"#/properties/status/properties/failures/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err366];
}
else {
if (vErrors.length < 1000) vErrors.push(err366);
}
errors++;
}
}
if(data159.time !== undefined){
if(typeof data159.time !== "string"){
const err367 = {instancePath:instancePath+"/status/failures/" + i17+"/time",schemaPath:"#/properties/status/properties/failures/items/properties/time/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
else {
const err368 = {instancePath:instancePath+"/status/failures/" + i17,schemaPath:"#/properties/status/properties/failures/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err368];
}
else {
if (vErrors.length < 1000) vErrors.push(err368);
}
errors++;
}
}
}
else {
const err369 = {instancePath:instancePath+"/status/failures",schemaPath:"#/properties/status/properties/failures/type",keyword:"type",params:{type: "array"},message:"must be array"};
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
const err370 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err370];
}
else {
if (vErrors.length < 1000) vErrors.push(err370);
}
errors++;
}
}
}
else {
const err371 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err371];
}
else {
if (vErrors.length < 1000) vErrors.push(err371);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
