// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"type":"object","description":"GpuNodePartition is one node's GPUs: what they shall become (spec, written by the controller) and what they are (status.device, written by the node's agent). It is named after its Node, is owned by it, and is made by the controller; users read it.","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"type":"string","const":"gpupartition.dev/v1alpha1"},"kind":{"type":"string","const":"GpuNodePartition"},"metadata":{"type":"object","additionalProperties":true,"required":["name"],"properties":{"name":{"type":"string"},"uid":{"type":"string"},"generation":{"type":"integer"},"resourceVersion":{"type":"string"},"creationTimestamp":{"type":"string"},"deletionTimestamp":{"type":"string"},"labels":{"type":"object","additionalProperties":{"type":"string"}},"annotations":{"type":"object","additionalProperties":{"type":"string"}}}},"spec":{"type":"object","required":["nodeUID"],"description":"Written by the controller alone.","properties":{"nodeUID":{"type":"string","minLength":1,"maxLength":64,"description":"UID of the Node. An agent of another node uid may not write here."},"policy":{"type":"object","required":["name","generation"],"description":"The policy that decides over this node; absent where none does.","properties":{"name":{"type":"string","maxLength":63,"description":"Name of the GpuPartitionPolicy."},"uid":{"type":"string","maxLength":64,"description":"Its UID."},"generation":{"type":"integer","description":"Its generation when the wish was made."}},"additionalProperties":false},"strategy":{"type":"string","enum":["none","single","mixed"],"description":"Strategy of the policy."},"wish":{"type":"object","required":["gpus"],"description":"What each GPU shall become. Plans are made on it; nothing is changed because of it.","properties":{"gpus":{"type":"array","description":"One entry per GPU that the policy decides over; other GPUs are left alone.","maxItems":64,"items":{"type":"object","required":["uuid"],"properties":{"uuid":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F-]{1,59}$","description":"UUID of the GPU."},"profiles":{"type":"object","description":"Profile to count; empty means MIG mode on without instances.","maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"mig":{"type":"string","enum":["Disabled"],"description":"MIG mode off."},"entry":{"type":"string","maxLength":24,"pattern":"^[0-9a-f]{16}(-[0-9]{1,2})?$","description":"Which entry with a count chose the GPU, as a hash of its selector: an edit of its layout keeps the GPUs that it has. Absent where the entry has no count."}},"additionalProperties":false}},"replaceForeignInstances":{"type":"boolean","description":"Plans may destroy GPU instances that this operator did not make."}},"additionalProperties":false},"granted":{"type":"object","required":["gpus","epoch","planHash","deadline"],"description":"The wish that the agent may act on. It makes the device equal to this, never to wish.","properties":{"gpus":{"type":"array","description":"As wish.gpus.","maxItems":64,"items":{"type":"object","required":["uuid"],"properties":{"uuid":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F-]{1,59}$","description":"UUID of the GPU."},"profiles":{"type":"object","description":"Profile to count; empty means MIG mode on without instances.","maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"mig":{"type":"string","enum":["Disabled"],"description":"MIG mode off."},"entry":{"type":"string","maxLength":24,"pattern":"^[0-9a-f]{16}(-[0-9]{1,2})?$","description":"Which entry with a count chose the GPU, as a hash of its selector: an edit of its layout keeps the GPUs that it has. Absent where the entry has no count."}},"additionalProperties":false}},"epoch":{"type":"integer","minimum":1,"description":"Counts the grants of this object. An agent never acts on a lower one than it has seen."},"planHash":{"type":"string","maxLength":64,"description":"Hash of the plan that was looked at. The agent destroys only what that plan names."},"deadline":{"type":"string","description":"When the controller gives the grant up, by its own clock."},"seconds":{"type":"integer","minimum":1,"maximum":86400,"description":"The agent starts nothing when so many seconds have passed since it saw the grant. Without it the deadline counts, by the clock of the node."},"allowGpuReset":{"type":"boolean","description":"May reset a single GPU where a MIG mode change needs it."},"allowReboot":{"type":"boolean","description":"May ask for a reboot (kured's sentinel file) where a MIG mode change needs one."},"replaceForeignInstances":{"type":"boolean","description":"May destroy GPU instances that this operator did not make."},"rollback":{"type":"string","enum":["OnFailure","Never"],"description":"OnFailure: a GPU that fails returns to what it was, placements included."}},"additionalProperties":false},"repairs":{"type":"array","description":"When the layout was granted again because something else had changed the device; the newest last.","maxItems":8,"items":{"type":"string"}}},"additionalProperties":false},"status":{"type":"object","properties":{"phase":{"type":"string","enum":["Unmanaged","Pending","Waiting","Updating","Ready","Failed","Invalid"],"description":"Where the node is. Written by the controller."},"layout":{"type":"string","maxLength":512,"description":"Short text of the layout that is on the device."},"writerMode":{"type":"string","enum":["Patch","Verify"],"description":"Who writes the nvidia.com labels: Patch (the controller) or Verify (GPU Feature Discovery; the controller compares)."},"waits":{"type":"array","description":"What is waited for, each since when, so that a new leader resets no clock. Written by the controller.","maxItems":16,"items":{"type":"object","required":["name","since"],"properties":{"name":{"type":"string","maxLength":64,"description":"What is waited for."},"since":{"type":"string","description":"When the wait began."},"of":{"type":"string","maxLength":256,"description":"The change of the device that it is about."},"count":{"type":"integer","minimum":1,"maximum":1000000,"description":"How often it has begun."}},"additionalProperties":false}},"conditions":{"type":"array","description":"Ready, Waiting and others. Written by the controller.","maxItems":16,"items":{"type":"object","required":["type","status","reason","message","lastTransitionTime"],"properties":{"type":{"type":"string","maxLength":316,"description":"Name of the condition."},"status":{"type":"string","enum":["True","False","Unknown"],"description":"Whether it holds."},"reason":{"type":"string","maxLength":1024,"description":"One word for programs."},"message":{"type":"string","maxLength":8192,"description":"A sentence for people."},"lastTransitionTime":{"type":"string","description":"When the status changed last."},"observedGeneration":{"type":"integer","description":"Generation of the spec that it is about."}},"additionalProperties":false}},"device":{"type":"object","description":"What the device really is. Written by the node's agent alone.","properties":{"agentVersion":{"type":"string","maxLength":64,"description":"Version of the agent."},"bootID":{"type":"string","maxLength":64,"description":"Boot id of the node when the device was read."},"driverVersion":{"type":"string","maxLength":64,"description":"Version of NVIDIA's driver."},"cudaVersion":{"type":"string","maxLength":16,"description":"CUDA version of the driver."},"machine":{"type":"string","maxLength":128,"description":"Product name of the machine (DMI)."},"observedEpoch":{"type":"integer","minimum":0,"description":"Last grant that the agent has finished with, well or not."},"step":{"type":"string","enum":["Idle","Applying","Failed","Unknown"],"description":"What the agent is at."},"nextRetryTime":{"type":"string","description":"When it tries again by itself."},"error":{"type":"object","required":["code","message"],"description":"Why the last grant or reading failed; absent when it did not.","properties":{"code":{"type":"string","maxLength":64,"description":"Code from docs/errors.md."},"message":{"type":"string","maxLength":1024,"description":"What was tried, what was found, what to do."},"gpu":{"type":"string","maxLength":64,"description":"UUID of the GPU."}},"additionalProperties":false},"plan":{"type":"object","required":["hash","wishHash","keep","destroy","create"],"description":"What it takes to make the device equal to wish.","properties":{"hash":{"type":"string","maxLength":64,"description":"Hash of every step."},"wishHash":{"type":"string","maxLength":64,"description":"Hash of the wish that it is for."},"keep":{"type":"integer","minimum":0,"maximum":1024,"description":"GPU instances that stay."},"destroy":{"type":"integer","minimum":0,"maximum":1024,"description":"GPU instances that go."},"create":{"type":"integer","minimum":0,"maximum":1024,"description":"GPU instances that are made."},"gpusChanging":{"type":"integer","minimum":0,"maximum":64,"description":"GPUs that differ."},"modeChanges":{"type":"integer","minimum":0,"maximum":64,"description":"GPUs whose MIG mode changes: nobody may have them open."},"affectedPods":{"type":"array","maxItems":64,"items":{"type":"string","maxLength":320},"description":"NAMESPACE/NAME of pods that hold what the wish needs gone."},"refusalCode":{"type":"string","enum":["InUse","Foreign","Impossible","Lost"],"description":"Why not: InUse (somebody uses what the plan must destroy), Foreign (it would destroy instances that this operator did not make), Impossible (the live device cannot take it), Lost (a GPU does not answer)."},"refusal":{"type":"string","maxLength":1024,"description":"Why the wish cannot be met on the live device."}},"additionalProperties":false},"advertised":{"type":"object","required":["stale"],"description":"What the kubelet offers on the device plugin's word (PodResources); absent where the kubelet was not asked or did not answer.","properties":{"resources":{"type":"object","description":"Resource name to count; absent where nothing is offered (server-side apply would make null of an empty map).","maxProperties":64,"additionalProperties":{"type":"integer","minimum":0,"maximum":1000000}},"stale":{"type":"integer","minimum":0,"maximum":1000000,"description":"Device ids among them that the node does not have: the plugin has not looked since the devices changed."}},"additionalProperties":false},"models":{"type":"array","description":"Profile tables of the driver, once for each model.","maxItems":8,"items":{"type":"object","required":["product","computeSlices","memorySlices","profiles"],"properties":{"product":{"type":"string","maxLength":128,"description":"Product name as nvidia-smi prints it."},"computeSlices":{"type":"integer","minimum":0,"maximum":16,"description":"Compute slices of the GPU."},"memorySlices":{"type":"integer","minimum":0,"maximum":16,"description":"Placement units of the GPU."},"profiles":{"type":"array","description":"In the order of nvidia-smi mig -lgip.","maxItems":32,"items":{"type":"object","required":["name","computeSlices","memorySlices","starts","maxInstances"],"properties":{"name":{"type":"string","maxLength":32,"description":"Profile name."},"id":{"type":"integer","minimum":0,"maximum":1023,"description":"GPU instance profile id."},"computeSlices":{"type":"integer","minimum":0,"maximum":16,"description":"Compute slices."},"memorySlices":{"type":"integer","minimum":0,"maximum":16,"description":"Placement size."},"starts":{"type":"array","maxItems":16,"items":{"type":"integer","minimum":0,"maximum":15},"description":"Possible starts."},"maxInstances":{"type":"integer","minimum":0,"maximum":16,"description":"Most instances on a GPU."},"memoryMiB":{"type":"integer","minimum":0,"maximum":16777216,"description":"Memory of an instance."},"multiprocessors":{"type":"integer","minimum":0,"maximum":4096,"description":"Streaming multiprocessors of an instance."},"engines":{"type":"array","maxItems":5,"items":{"type":"integer","minimum":0,"maximum":1024},"description":"Engines: copy, decoder, encoder, jpeg, ofa."}},"additionalProperties":false}}},"additionalProperties":false}},"gpus":{"type":"array","description":"The GPUs in the order of nvidia-smi.","maxItems":64,"items":{"type":"object","required":["uuid","index","pciBusId","product","instances"],"properties":{"uuid":{"type":"string","maxLength":64,"description":"UUID of the GPU."},"index":{"type":"integer","minimum":0,"maximum":255,"description":"Index of the GPU."},"pciBusId":{"type":"string","maxLength":32,"description":"PCI bus id."},"pciDeviceId":{"type":"string","maxLength":10,"description":"PCI device id: 0x20B010DE."},"pciClass":{"type":"string","maxLength":10,"description":"PCI class: 0x030200."},"product":{"type":"string","maxLength":128,"description":"Product name as nvidia-smi prints it."},"memoryMiB":{"type":"integer","minimum":0,"maximum":16777216,"description":"Memory of the GPU."},"computeCapability":{"type":"string","maxLength":8,"description":"CUDA compute capability: 8.0."},"migCapable":{"type":"boolean","description":"Whether the GPU knows MIG."},"mig":{"type":"string","enum":["Enabled","Disabled"],"description":"MIG mode now; absent where the GPU has none."},"migPending":{"type":"string","enum":["Enabled","Disabled"],"description":"MIG mode after a reset."},"busy":{"type":"boolean","description":"True if a process runs on the GPU outside of its instances; absent otherwise."},"pods":{"type":"array","maxItems":16,"items":{"type":"string","maxLength":320},"description":"NAMESPACE/NAME of pods that hold the whole GPU, as the kubelet says."},"error":{"type":"string","maxLength":256,"description":"Why the GPU cannot be used, such as GpuLost."},"instances":{"type":"array","description":"GPU instances by start.","maxItems":16,"items":{"type":"object","required":["profile","gi","start","computeInstances"],"properties":{"profile":{"type":"string","maxLength":32,"description":"Profile of the GPU instance."},"gi":{"type":"integer","minimum":0,"maximum":65535,"description":"GPU instance id."},"start":{"type":"integer","minimum":0,"maximum":15,"description":"First placement unit."},"busy":{"type":"boolean","description":"True if a process runs on it or a pod holds it; absent otherwise."},"pods":{"type":"array","maxItems":16,"items":{"type":"string","maxLength":320},"description":"NAMESPACE/NAME of pods that hold it, as the kubelet says."},"computeInstances":{"type":"array","description":"Compute instances on it.","maxItems":8,"items":{"type":"object","required":["profile"],"properties":{"profile":{"type":"string","maxLength":32,"description":"Profile as nvidia-smi -L prints it: 1g.5gb or 1c.3g.20gb."},"uuid":{"type":"string","maxLength":64,"description":"UUID of the MIG device."},"memoryMiB":{"type":"integer","minimum":0,"maximum":16777216,"description":"Memory of the MIG device."},"multiprocessors":{"type":"integer","minimum":0,"maximum":4096,"description":"Streaming multiprocessors."},"engines":{"type":"array","maxItems":5,"items":{"type":"integer","minimum":0,"maximum":1024},"description":"Engines: copy, decoder, encoder, jpeg, ofa."}},"additionalProperties":false}}},"additionalProperties":false}}},"additionalProperties":false}},"lastGood":{"type":"object","description":"The layout that the agent verified last, placements included.","properties":{"bootID":{"type":"string","maxLength":64,"description":"Boot id at that time."},"gpus":{"type":"array","description":"One entry per GPU.","maxItems":64,"items":{"type":"object","required":["uuid"],"properties":{"uuid":{"type":"string","maxLength":64,"description":"UUID of the GPU."},"mig":{"type":"string","enum":["Enabled","Disabled"],"description":"MIG mode."},"placements":{"type":"array","maxItems":16,"items":{"type":"string","maxLength":48},"description":"PROFILE@START of each GPU instance."},"unsettled":{"type":"object","description":"What a change may have made that ended while the GPU did not answer; so many of each profile are this operator's. Absent when the GPU has answered since.","maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}}},"additionalProperties":false}}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false,"title":"GpuNodePartition"};
import func2Module from "ajv/dist/runtime/ucs2length.js";
const func2 = func2Module.default;
const func8 = Object.prototype.hasOwnProperty;
const pattern0 = new RegExp("^GPU-[0-9a-fA-F-]{1,59}$", "u");
const pattern1 = new RegExp("^[0-9a-f]{16}(-[0-9]{1,2})?$", "u");

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
vErrors.push(err0);
}
errors++;
}
if(data.kind === undefined){
const err1 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "kind"},message:"must have required property '"+"kind"+"'"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(data.metadata === undefined){
const err2 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "metadata"},message:"must have required property '"+"metadata"+"'"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
if(data.spec === undefined){
const err3 = {instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: "spec"},message:"must have required property '"+"spec"+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
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
vErrors.push(err4);
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
vErrors.push(err5);
}
errors++;
}
if("gpupartition.dev/v1alpha1" !== data0){
const err6 = {instancePath:instancePath+"/apiVersion",schemaPath:"#/properties/apiVersion/const",keyword:"const",params:{allowedValue: "gpupartition.dev/v1alpha1"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
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
vErrors.push(err7);
}
errors++;
}
if("GpuNodePartition" !== data1){
const err8 = {instancePath:instancePath+"/kind",schemaPath:"#/properties/kind/const",keyword:"const",params:{allowedValue: "GpuNodePartition"},message:"must be equal to constant"};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
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
vErrors.push(err9);
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
vErrors.push(err10);
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
vErrors.push(err11);
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
vErrors.push(err12);
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
vErrors.push(err13);
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
vErrors.push(err14);
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
vErrors.push(err15);
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
vErrors.push(err16);
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
vErrors.push(err17);
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
vErrors.push(err18);
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
vErrors.push(err19);
}
errors++;
}
}
}
else {
const err20 = {instancePath:instancePath+"/metadata",schemaPath:"#/properties/metadata/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
if(data.spec !== undefined){
let data13 = data.spec;
if(data13 && typeof data13 == "object" && !Array.isArray(data13)){
if(data13.nodeUID === undefined){
const err21 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/required",keyword:"required",params:{missingProperty: "nodeUID"},message:"must have required property '"+"nodeUID"+"'"};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
for(const key3 in data13){
if(!((((((key3 === "nodeUID") || (key3 === "policy")) || (key3 === "strategy")) || (key3 === "wish")) || (key3 === "granted")) || (key3 === "repairs"))){
const err22 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key3},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
if(data13.nodeUID !== undefined){
let data14 = data13.nodeUID;
if(typeof data14 === "string"){
if(func2(data14) > 64){
const err23 = {instancePath:instancePath+"/spec/nodeUID",schemaPath:"#/properties/spec/properties/nodeUID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
if(func2(data14) < 1){
const err24 = {instancePath:instancePath+"/spec/nodeUID",schemaPath:"#/properties/spec/properties/nodeUID/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
else {
const err25 = {instancePath:instancePath+"/spec/nodeUID",schemaPath:"#/properties/spec/properties/nodeUID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
if(data13.policy !== undefined){
let data15 = data13.policy;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(data15.name === undefined){
const err26 = {instancePath:instancePath+"/spec/policy",schemaPath:"#/properties/spec/properties/policy/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
if(data15.generation === undefined){
const err27 = {instancePath:instancePath+"/spec/policy",schemaPath:"#/properties/spec/properties/policy/required",keyword:"required",params:{missingProperty: "generation"},message:"must have required property '"+"generation"+"'"};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
for(const key4 in data15){
if(!(((key4 === "name") || (key4 === "uid")) || (key4 === "generation"))){
const err28 = {instancePath:instancePath+"/spec/policy",schemaPath:"#/properties/spec/properties/policy/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key4},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
}
if(data15.name !== undefined){
let data16 = data15.name;
if(typeof data16 === "string"){
if(func2(data16) > 63){
const err29 = {instancePath:instancePath+"/spec/policy/name",schemaPath:"#/properties/spec/properties/policy/properties/name/maxLength",keyword:"maxLength",params:{limit: 63},message:"must NOT have more than 63 characters"};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
}
else {
const err30 = {instancePath:instancePath+"/spec/policy/name",schemaPath:"#/properties/spec/properties/policy/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
if(data15.uid !== undefined){
let data17 = data15.uid;
if(typeof data17 === "string"){
if(func2(data17) > 64){
const err31 = {instancePath:instancePath+"/spec/policy/uid",schemaPath:"#/properties/spec/properties/policy/properties/uid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
else {
const err32 = {instancePath:instancePath+"/spec/policy/uid",schemaPath:"#/properties/spec/properties/policy/properties/uid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
if(data15.generation !== undefined){
let data18 = data15.generation;
if(!((typeof data18 == "number") && (!(data18 % 1) && !isNaN(data18)))){
const err33 = {instancePath:instancePath+"/spec/policy/generation",schemaPath:"#/properties/spec/properties/policy/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
}
else {
const err34 = {instancePath:instancePath+"/spec/policy",schemaPath:"#/properties/spec/properties/policy/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
if(data13.strategy !== undefined){
let data19 = data13.strategy;
if(typeof data19 !== "string"){
const err35 = {instancePath:instancePath+"/spec/strategy",schemaPath:"#/properties/spec/properties/strategy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
if(!(((data19 === "none") || (data19 === "single")) || (data19 === "mixed"))){
const err36 = {instancePath:instancePath+"/spec/strategy",schemaPath:"#/properties/spec/properties/strategy/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.strategy.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
if(data13.wish !== undefined){
let data20 = data13.wish;
if(data20 && typeof data20 == "object" && !Array.isArray(data20)){
if(data20.gpus === undefined){
const err37 = {instancePath:instancePath+"/spec/wish",schemaPath:"#/properties/spec/properties/wish/required",keyword:"required",params:{missingProperty: "gpus"},message:"must have required property '"+"gpus"+"'"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
for(const key5 in data20){
if(!((key5 === "gpus") || (key5 === "replaceForeignInstances"))){
const err38 = {instancePath:instancePath+"/spec/wish",schemaPath:"#/properties/spec/properties/wish/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
if(data20.gpus !== undefined){
let data21 = data20.gpus;
if(Array.isArray(data21)){
if(data21.length > 64){
const err39 = {instancePath:instancePath+"/spec/wish/gpus",schemaPath:"#/properties/spec/properties/wish/properties/gpus/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
const len0 = data21.length;
for(let i0=0; i0<len0; i0++){
let data22 = data21[i0];
if(data22 && typeof data22 == "object" && !Array.isArray(data22)){
if(data22.uuid === undefined){
const err40 = {instancePath:instancePath+"/spec/wish/gpus/" + i0,schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/required",keyword:"required",params:{missingProperty: "uuid"},message:"must have required property '"+"uuid"+"'"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
for(const key6 in data22){
if(!((((key6 === "uuid") || (key6 === "profiles")) || (key6 === "mig")) || (key6 === "entry"))){
const err41 = {instancePath:instancePath+"/spec/wish/gpus/" + i0,schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
if(data22.uuid !== undefined){
let data23 = data22.uuid;
if(typeof data23 === "string"){
if(func2(data23) > 64){
const err42 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/uuid",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
if(!pattern0.test(data23)){
const err43 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/uuid",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/uuid/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F-]{1,59}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F-]{1,59}$"+"\""};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
}
else {
const err44 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/uuid",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
}
if(data22.profiles !== undefined){
let data24 = data22.profiles;
if(data24 && typeof data24 == "object" && !Array.isArray(data24)){
if(Object.keys(data24).length > 32){
const err45 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
for(const key7 in data24){
let data25 = data24[key7];
if(!((typeof data25 == "number") && (!(data25 % 1) && !isNaN(data25)))){
const err46 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
if(typeof data25 == "number"){
if(data25 > 16 || isNaN(data25)){
const err47 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
if(data25 < 1 || isNaN(data25)){
const err48 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
}
}
else {
const err49 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
if(data22.mig !== undefined){
let data26 = data22.mig;
if(typeof data26 !== "string"){
const err50 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/mig",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
if(!(data26 === "Disabled")){
const err51 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/mig",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.wish.properties.gpus.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
if(data22.entry !== undefined){
let data27 = data22.entry;
if(typeof data27 === "string"){
if(func2(data27) > 24){
const err52 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/entry",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/entry/maxLength",keyword:"maxLength",params:{limit: 24},message:"must NOT have more than 24 characters"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
if(!pattern1.test(data27)){
const err53 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/entry",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/entry/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{16}(-[0-9]{1,2})?$"},message:"must match pattern \""+"^[0-9a-f]{16}(-[0-9]{1,2})?$"+"\""};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
else {
const err54 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/entry",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/entry/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
}
else {
const err55 = {instancePath:instancePath+"/spec/wish/gpus/" + i0,schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
}
}
else {
const err56 = {instancePath:instancePath+"/spec/wish/gpus",schemaPath:"#/properties/spec/properties/wish/properties/gpus/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
if(data20.replaceForeignInstances !== undefined){
if(typeof data20.replaceForeignInstances !== "boolean"){
const err57 = {instancePath:instancePath+"/spec/wish/replaceForeignInstances",schemaPath:"#/properties/spec/properties/wish/properties/replaceForeignInstances/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
}
}
else {
const err58 = {instancePath:instancePath+"/spec/wish",schemaPath:"#/properties/spec/properties/wish/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
if(data13.granted !== undefined){
let data29 = data13.granted;
if(data29 && typeof data29 == "object" && !Array.isArray(data29)){
if(data29.gpus === undefined){
const err59 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/required",keyword:"required",params:{missingProperty: "gpus"},message:"must have required property '"+"gpus"+"'"};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
if(data29.epoch === undefined){
const err60 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/required",keyword:"required",params:{missingProperty: "epoch"},message:"must have required property '"+"epoch"+"'"};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
if(data29.planHash === undefined){
const err61 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/required",keyword:"required",params:{missingProperty: "planHash"},message:"must have required property '"+"planHash"+"'"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
if(data29.deadline === undefined){
const err62 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/required",keyword:"required",params:{missingProperty: "deadline"},message:"must have required property '"+"deadline"+"'"};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
for(const key8 in data29){
if(!(func8.call(schema11.properties.spec.properties.granted.properties, key8))){
const err63 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key8},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
}
if(data29.gpus !== undefined){
let data30 = data29.gpus;
if(Array.isArray(data30)){
if(data30.length > 64){
const err64 = {instancePath:instancePath+"/spec/granted/gpus",schemaPath:"#/properties/spec/properties/granted/properties/gpus/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
const len1 = data30.length;
for(let i1=0; i1<len1; i1++){
let data31 = data30[i1];
if(data31 && typeof data31 == "object" && !Array.isArray(data31)){
if(data31.uuid === undefined){
const err65 = {instancePath:instancePath+"/spec/granted/gpus/" + i1,schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/required",keyword:"required",params:{missingProperty: "uuid"},message:"must have required property '"+"uuid"+"'"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
for(const key9 in data31){
if(!((((key9 === "uuid") || (key9 === "profiles")) || (key9 === "mig")) || (key9 === "entry"))){
const err66 = {instancePath:instancePath+"/spec/granted/gpus/" + i1,schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key9},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
}
if(data31.uuid !== undefined){
let data32 = data31.uuid;
if(typeof data32 === "string"){
if(func2(data32) > 64){
const err67 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/uuid",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
if(!pattern0.test(data32)){
const err68 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/uuid",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/uuid/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F-]{1,59}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F-]{1,59}$"+"\""};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
}
else {
const err69 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/uuid",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
if(data31.profiles !== undefined){
let data33 = data31.profiles;
if(data33 && typeof data33 == "object" && !Array.isArray(data33)){
if(Object.keys(data33).length > 32){
const err70 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
for(const key10 in data33){
let data34 = data33[key10];
if(!((typeof data34 == "number") && (!(data34 % 1) && !isNaN(data34)))){
const err71 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
if(typeof data34 == "number"){
if(data34 > 16 || isNaN(data34)){
const err72 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
if(data34 < 1 || isNaN(data34)){
const err73 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
}
}
}
else {
const err74 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
if(data31.mig !== undefined){
let data35 = data31.mig;
if(typeof data35 !== "string"){
const err75 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/mig",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
if(!(data35 === "Disabled")){
const err76 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/mig",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.granted.properties.gpus.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
}
if(data31.entry !== undefined){
let data36 = data31.entry;
if(typeof data36 === "string"){
if(func2(data36) > 24){
const err77 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/entry",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/entry/maxLength",keyword:"maxLength",params:{limit: 24},message:"must NOT have more than 24 characters"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
if(!pattern1.test(data36)){
const err78 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/entry",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/entry/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{16}(-[0-9]{1,2})?$"},message:"must match pattern \""+"^[0-9a-f]{16}(-[0-9]{1,2})?$"+"\""};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
else {
const err79 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/entry",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/entry/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
}
else {
const err80 = {instancePath:instancePath+"/spec/granted/gpus/" + i1,schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
}
}
else {
const err81 = {instancePath:instancePath+"/spec/granted/gpus",schemaPath:"#/properties/spec/properties/granted/properties/gpus/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
}
if(data29.epoch !== undefined){
let data37 = data29.epoch;
if(!((typeof data37 == "number") && (!(data37 % 1) && !isNaN(data37)))){
const err82 = {instancePath:instancePath+"/spec/granted/epoch",schemaPath:"#/properties/spec/properties/granted/properties/epoch/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
if(typeof data37 == "number"){
if(data37 < 1 || isNaN(data37)){
const err83 = {instancePath:instancePath+"/spec/granted/epoch",schemaPath:"#/properties/spec/properties/granted/properties/epoch/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
}
}
if(data29.planHash !== undefined){
let data38 = data29.planHash;
if(typeof data38 === "string"){
if(func2(data38) > 64){
const err84 = {instancePath:instancePath+"/spec/granted/planHash",schemaPath:"#/properties/spec/properties/granted/properties/planHash/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
}
else {
const err85 = {instancePath:instancePath+"/spec/granted/planHash",schemaPath:"#/properties/spec/properties/granted/properties/planHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
}
if(data29.deadline !== undefined){
if(typeof data29.deadline !== "string"){
const err86 = {instancePath:instancePath+"/spec/granted/deadline",schemaPath:"#/properties/spec/properties/granted/properties/deadline/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
if(data29.seconds !== undefined){
let data40 = data29.seconds;
if(!((typeof data40 == "number") && (!(data40 % 1) && !isNaN(data40)))){
const err87 = {instancePath:instancePath+"/spec/granted/seconds",schemaPath:"#/properties/spec/properties/granted/properties/seconds/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
if(typeof data40 == "number"){
if(data40 > 86400 || isNaN(data40)){
const err88 = {instancePath:instancePath+"/spec/granted/seconds",schemaPath:"#/properties/spec/properties/granted/properties/seconds/maximum",keyword:"maximum",params:{comparison: "<=", limit: 86400},message:"must be <= 86400"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
if(data40 < 1 || isNaN(data40)){
const err89 = {instancePath:instancePath+"/spec/granted/seconds",schemaPath:"#/properties/spec/properties/granted/properties/seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
}
}
if(data29.allowGpuReset !== undefined){
if(typeof data29.allowGpuReset !== "boolean"){
const err90 = {instancePath:instancePath+"/spec/granted/allowGpuReset",schemaPath:"#/properties/spec/properties/granted/properties/allowGpuReset/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
}
if(data29.allowReboot !== undefined){
if(typeof data29.allowReboot !== "boolean"){
const err91 = {instancePath:instancePath+"/spec/granted/allowReboot",schemaPath:"#/properties/spec/properties/granted/properties/allowReboot/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
}
if(data29.replaceForeignInstances !== undefined){
if(typeof data29.replaceForeignInstances !== "boolean"){
const err92 = {instancePath:instancePath+"/spec/granted/replaceForeignInstances",schemaPath:"#/properties/spec/properties/granted/properties/replaceForeignInstances/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
}
if(data29.rollback !== undefined){
let data44 = data29.rollback;
if(typeof data44 !== "string"){
const err93 = {instancePath:instancePath+"/spec/granted/rollback",schemaPath:"#/properties/spec/properties/granted/properties/rollback/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
if(!((data44 === "OnFailure") || (data44 === "Never"))){
const err94 = {instancePath:instancePath+"/spec/granted/rollback",schemaPath:"#/properties/spec/properties/granted/properties/rollback/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.granted.properties.rollback.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
}
}
else {
const err95 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
}
if(data13.repairs !== undefined){
let data45 = data13.repairs;
if(Array.isArray(data45)){
if(data45.length > 8){
const err96 = {instancePath:instancePath+"/spec/repairs",schemaPath:"#/properties/spec/properties/repairs/maxItems",keyword:"maxItems",params:{limit: 8},message:"must NOT have more than 8 items"};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
const len2 = data45.length;
for(let i2=0; i2<len2; i2++){
if(typeof data45[i2] !== "string"){
const err97 = {instancePath:instancePath+"/spec/repairs/" + i2,schemaPath:"#/properties/spec/properties/repairs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
}
}
else {
const err98 = {instancePath:instancePath+"/spec/repairs",schemaPath:"#/properties/spec/properties/repairs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
}
else {
const err99 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
}
if(data.status !== undefined){
let data47 = data.status;
if(data47 && typeof data47 == "object" && !Array.isArray(data47)){
for(const key11 in data47){
if(!((((((key11 === "phase") || (key11 === "layout")) || (key11 === "writerMode")) || (key11 === "waits")) || (key11 === "conditions")) || (key11 === "device"))){
const err100 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key11},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
}
if(data47.phase !== undefined){
let data48 = data47.phase;
if(typeof data48 !== "string"){
const err101 = {instancePath:instancePath+"/status/phase",schemaPath:"#/properties/status/properties/phase/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err101];
}
else {
vErrors.push(err101);
}
errors++;
}
if(!(((((((data48 === "Unmanaged") || (data48 === "Pending")) || (data48 === "Waiting")) || (data48 === "Updating")) || (data48 === "Ready")) || (data48 === "Failed")) || (data48 === "Invalid"))){
const err102 = {instancePath:instancePath+"/status/phase",schemaPath:"#/properties/status/properties/phase/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.phase.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err102];
}
else {
vErrors.push(err102);
}
errors++;
}
}
if(data47.layout !== undefined){
let data49 = data47.layout;
if(typeof data49 === "string"){
if(func2(data49) > 512){
const err103 = {instancePath:instancePath+"/status/layout",schemaPath:"#/properties/status/properties/layout/maxLength",keyword:"maxLength",params:{limit: 512},message:"must NOT have more than 512 characters"};
if(vErrors === null){
vErrors = [err103];
}
else {
vErrors.push(err103);
}
errors++;
}
}
else {
const err104 = {instancePath:instancePath+"/status/layout",schemaPath:"#/properties/status/properties/layout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err104];
}
else {
vErrors.push(err104);
}
errors++;
}
}
if(data47.writerMode !== undefined){
let data50 = data47.writerMode;
if(typeof data50 !== "string"){
const err105 = {instancePath:instancePath+"/status/writerMode",schemaPath:"#/properties/status/properties/writerMode/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err105];
}
else {
vErrors.push(err105);
}
errors++;
}
if(!((data50 === "Patch") || (data50 === "Verify"))){
const err106 = {instancePath:instancePath+"/status/writerMode",schemaPath:"#/properties/status/properties/writerMode/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.writerMode.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err106];
}
else {
vErrors.push(err106);
}
errors++;
}
}
if(data47.waits !== undefined){
let data51 = data47.waits;
if(Array.isArray(data51)){
if(data51.length > 16){
const err107 = {instancePath:instancePath+"/status/waits",schemaPath:"#/properties/status/properties/waits/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err107];
}
else {
vErrors.push(err107);
}
errors++;
}
const len3 = data51.length;
for(let i3=0; i3<len3; i3++){
let data52 = data51[i3];
if(data52 && typeof data52 == "object" && !Array.isArray(data52)){
if(data52.name === undefined){
const err108 = {instancePath:instancePath+"/status/waits/" + i3,schemaPath:"#/properties/status/properties/waits/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err108];
}
else {
vErrors.push(err108);
}
errors++;
}
if(data52.since === undefined){
const err109 = {instancePath:instancePath+"/status/waits/" + i3,schemaPath:"#/properties/status/properties/waits/items/required",keyword:"required",params:{missingProperty: "since"},message:"must have required property '"+"since"+"'"};
if(vErrors === null){
vErrors = [err109];
}
else {
vErrors.push(err109);
}
errors++;
}
for(const key12 in data52){
if(!((((key12 === "name") || (key12 === "since")) || (key12 === "of")) || (key12 === "count"))){
const err110 = {instancePath:instancePath+"/status/waits/" + i3,schemaPath:"#/properties/status/properties/waits/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key12},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err110];
}
else {
vErrors.push(err110);
}
errors++;
}
}
if(data52.name !== undefined){
let data53 = data52.name;
if(typeof data53 === "string"){
if(func2(data53) > 64){
const err111 = {instancePath:instancePath+"/status/waits/" + i3+"/name",schemaPath:"#/properties/status/properties/waits/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err111];
}
else {
vErrors.push(err111);
}
errors++;
}
}
else {
const err112 = {instancePath:instancePath+"/status/waits/" + i3+"/name",schemaPath:"#/properties/status/properties/waits/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err112];
}
else {
vErrors.push(err112);
}
errors++;
}
}
if(data52.since !== undefined){
if(typeof data52.since !== "string"){
const err113 = {instancePath:instancePath+"/status/waits/" + i3+"/since",schemaPath:"#/properties/status/properties/waits/items/properties/since/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err113];
}
else {
vErrors.push(err113);
}
errors++;
}
}
if(data52.of !== undefined){
let data55 = data52.of;
if(typeof data55 === "string"){
if(func2(data55) > 256){
const err114 = {instancePath:instancePath+"/status/waits/" + i3+"/of",schemaPath:"#/properties/status/properties/waits/items/properties/of/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err114];
}
else {
vErrors.push(err114);
}
errors++;
}
}
else {
const err115 = {instancePath:instancePath+"/status/waits/" + i3+"/of",schemaPath:"#/properties/status/properties/waits/items/properties/of/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err115];
}
else {
vErrors.push(err115);
}
errors++;
}
}
if(data52.count !== undefined){
let data56 = data52.count;
if(!((typeof data56 == "number") && (!(data56 % 1) && !isNaN(data56)))){
const err116 = {instancePath:instancePath+"/status/waits/" + i3+"/count",schemaPath:"#/properties/status/properties/waits/items/properties/count/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err116];
}
else {
vErrors.push(err116);
}
errors++;
}
if(typeof data56 == "number"){
if(data56 > 1000000 || isNaN(data56)){
const err117 = {instancePath:instancePath+"/status/waits/" + i3+"/count",schemaPath:"#/properties/status/properties/waits/items/properties/count/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err117];
}
else {
vErrors.push(err117);
}
errors++;
}
if(data56 < 1 || isNaN(data56)){
const err118 = {instancePath:instancePath+"/status/waits/" + i3+"/count",schemaPath:"#/properties/status/properties/waits/items/properties/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err118];
}
else {
vErrors.push(err118);
}
errors++;
}
}
}
}
else {
const err119 = {instancePath:instancePath+"/status/waits/" + i3,schemaPath:"#/properties/status/properties/waits/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err119];
}
else {
vErrors.push(err119);
}
errors++;
}
}
}
else {
const err120 = {instancePath:instancePath+"/status/waits",schemaPath:"#/properties/status/properties/waits/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err120];
}
else {
vErrors.push(err120);
}
errors++;
}
}
if(data47.conditions !== undefined){
let data57 = data47.conditions;
if(Array.isArray(data57)){
if(data57.length > 16){
const err121 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err121];
}
else {
vErrors.push(err121);
}
errors++;
}
const len4 = data57.length;
for(let i4=0; i4<len4; i4++){
let data58 = data57[i4];
if(data58 && typeof data58 == "object" && !Array.isArray(data58)){
if(data58.type === undefined){
const err122 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err122];
}
else {
vErrors.push(err122);
}
errors++;
}
if(data58.status === undefined){
const err123 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err123];
}
else {
vErrors.push(err123);
}
errors++;
}
if(data58.reason === undefined){
const err124 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err124];
}
else {
vErrors.push(err124);
}
errors++;
}
if(data58.message === undefined){
const err125 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err125];
}
else {
vErrors.push(err125);
}
errors++;
}
if(data58.lastTransitionTime === undefined){
const err126 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err126];
}
else {
vErrors.push(err126);
}
errors++;
}
for(const key13 in data58){
if(!((((((key13 === "type") || (key13 === "status")) || (key13 === "reason")) || (key13 === "message")) || (key13 === "lastTransitionTime")) || (key13 === "observedGeneration"))){
const err127 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err127];
}
else {
vErrors.push(err127);
}
errors++;
}
}
if(data58.type !== undefined){
let data59 = data58.type;
if(typeof data59 === "string"){
if(func2(data59) > 316){
const err128 = {instancePath:instancePath+"/status/conditions/" + i4+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err128];
}
else {
vErrors.push(err128);
}
errors++;
}
}
else {
const err129 = {instancePath:instancePath+"/status/conditions/" + i4+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err129];
}
else {
vErrors.push(err129);
}
errors++;
}
}
if(data58.status !== undefined){
let data60 = data58.status;
if(typeof data60 !== "string"){
const err130 = {instancePath:instancePath+"/status/conditions/" + i4+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err130];
}
else {
vErrors.push(err130);
}
errors++;
}
if(!(((data60 === "True") || (data60 === "False")) || (data60 === "Unknown"))){
const err131 = {instancePath:instancePath+"/status/conditions/" + i4+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err131];
}
else {
vErrors.push(err131);
}
errors++;
}
}
if(data58.reason !== undefined){
let data61 = data58.reason;
if(typeof data61 === "string"){
if(func2(data61) > 1024){
const err132 = {instancePath:instancePath+"/status/conditions/" + i4+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err132];
}
else {
vErrors.push(err132);
}
errors++;
}
}
else {
const err133 = {instancePath:instancePath+"/status/conditions/" + i4+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err133];
}
else {
vErrors.push(err133);
}
errors++;
}
}
if(data58.message !== undefined){
let data62 = data58.message;
if(typeof data62 === "string"){
if(func2(data62) > 8192){
const err134 = {instancePath:instancePath+"/status/conditions/" + i4+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 8192},message:"must NOT have more than 8192 characters"};
if(vErrors === null){
vErrors = [err134];
}
else {
vErrors.push(err134);
}
errors++;
}
}
else {
const err135 = {instancePath:instancePath+"/status/conditions/" + i4+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err135];
}
else {
vErrors.push(err135);
}
errors++;
}
}
if(data58.lastTransitionTime !== undefined){
if(typeof data58.lastTransitionTime !== "string"){
const err136 = {instancePath:instancePath+"/status/conditions/" + i4+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err136];
}
else {
vErrors.push(err136);
}
errors++;
}
}
if(data58.observedGeneration !== undefined){
let data64 = data58.observedGeneration;
if(!((typeof data64 == "number") && (!(data64 % 1) && !isNaN(data64)))){
const err137 = {instancePath:instancePath+"/status/conditions/" + i4+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err137];
}
else {
vErrors.push(err137);
}
errors++;
}
}
}
else {
const err138 = {instancePath:instancePath+"/status/conditions/" + i4,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err138];
}
else {
vErrors.push(err138);
}
errors++;
}
}
}
else {
const err139 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err139];
}
else {
vErrors.push(err139);
}
errors++;
}
}
if(data47.device !== undefined){
let data65 = data47.device;
if(data65 && typeof data65 == "object" && !Array.isArray(data65)){
for(const key14 in data65){
if(!(func8.call(schema11.properties.status.properties.device.properties, key14))){
const err140 = {instancePath:instancePath+"/status/device",schemaPath:"#/properties/status/properties/device/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key14},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err140];
}
else {
vErrors.push(err140);
}
errors++;
}
}
if(data65.agentVersion !== undefined){
let data66 = data65.agentVersion;
if(typeof data66 === "string"){
if(func2(data66) > 64){
const err141 = {instancePath:instancePath+"/status/device/agentVersion",schemaPath:"#/properties/status/properties/device/properties/agentVersion/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err141];
}
else {
vErrors.push(err141);
}
errors++;
}
}
else {
const err142 = {instancePath:instancePath+"/status/device/agentVersion",schemaPath:"#/properties/status/properties/device/properties/agentVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err142];
}
else {
vErrors.push(err142);
}
errors++;
}
}
if(data65.bootID !== undefined){
let data67 = data65.bootID;
if(typeof data67 === "string"){
if(func2(data67) > 64){
const err143 = {instancePath:instancePath+"/status/device/bootID",schemaPath:"#/properties/status/properties/device/properties/bootID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err143];
}
else {
vErrors.push(err143);
}
errors++;
}
}
else {
const err144 = {instancePath:instancePath+"/status/device/bootID",schemaPath:"#/properties/status/properties/device/properties/bootID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err144];
}
else {
vErrors.push(err144);
}
errors++;
}
}
if(data65.driverVersion !== undefined){
let data68 = data65.driverVersion;
if(typeof data68 === "string"){
if(func2(data68) > 64){
const err145 = {instancePath:instancePath+"/status/device/driverVersion",schemaPath:"#/properties/status/properties/device/properties/driverVersion/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err145];
}
else {
vErrors.push(err145);
}
errors++;
}
}
else {
const err146 = {instancePath:instancePath+"/status/device/driverVersion",schemaPath:"#/properties/status/properties/device/properties/driverVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err146];
}
else {
vErrors.push(err146);
}
errors++;
}
}
if(data65.cudaVersion !== undefined){
let data69 = data65.cudaVersion;
if(typeof data69 === "string"){
if(func2(data69) > 16){
const err147 = {instancePath:instancePath+"/status/device/cudaVersion",schemaPath:"#/properties/status/properties/device/properties/cudaVersion/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
if(vErrors === null){
vErrors = [err147];
}
else {
vErrors.push(err147);
}
errors++;
}
}
else {
const err148 = {instancePath:instancePath+"/status/device/cudaVersion",schemaPath:"#/properties/status/properties/device/properties/cudaVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err148];
}
else {
vErrors.push(err148);
}
errors++;
}
}
if(data65.machine !== undefined){
let data70 = data65.machine;
if(typeof data70 === "string"){
if(func2(data70) > 128){
const err149 = {instancePath:instancePath+"/status/device/machine",schemaPath:"#/properties/status/properties/device/properties/machine/maxLength",keyword:"maxLength",params:{limit: 128},message:"must NOT have more than 128 characters"};
if(vErrors === null){
vErrors = [err149];
}
else {
vErrors.push(err149);
}
errors++;
}
}
else {
const err150 = {instancePath:instancePath+"/status/device/machine",schemaPath:"#/properties/status/properties/device/properties/machine/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err150];
}
else {
vErrors.push(err150);
}
errors++;
}
}
if(data65.observedEpoch !== undefined){
let data71 = data65.observedEpoch;
if(!((typeof data71 == "number") && (!(data71 % 1) && !isNaN(data71)))){
const err151 = {instancePath:instancePath+"/status/device/observedEpoch",schemaPath:"#/properties/status/properties/device/properties/observedEpoch/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err151];
}
else {
vErrors.push(err151);
}
errors++;
}
if(typeof data71 == "number"){
if(data71 < 0 || isNaN(data71)){
const err152 = {instancePath:instancePath+"/status/device/observedEpoch",schemaPath:"#/properties/status/properties/device/properties/observedEpoch/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err152];
}
else {
vErrors.push(err152);
}
errors++;
}
}
}
if(data65.step !== undefined){
let data72 = data65.step;
if(typeof data72 !== "string"){
const err153 = {instancePath:instancePath+"/status/device/step",schemaPath:"#/properties/status/properties/device/properties/step/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err153];
}
else {
vErrors.push(err153);
}
errors++;
}
if(!((((data72 === "Idle") || (data72 === "Applying")) || (data72 === "Failed")) || (data72 === "Unknown"))){
const err154 = {instancePath:instancePath+"/status/device/step",schemaPath:"#/properties/status/properties/device/properties/step/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.step.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err154];
}
else {
vErrors.push(err154);
}
errors++;
}
}
if(data65.nextRetryTime !== undefined){
if(typeof data65.nextRetryTime !== "string"){
const err155 = {instancePath:instancePath+"/status/device/nextRetryTime",schemaPath:"#/properties/status/properties/device/properties/nextRetryTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err155];
}
else {
vErrors.push(err155);
}
errors++;
}
}
if(data65.error !== undefined){
let data74 = data65.error;
if(data74 && typeof data74 == "object" && !Array.isArray(data74)){
if(data74.code === undefined){
const err156 = {instancePath:instancePath+"/status/device/error",schemaPath:"#/properties/status/properties/device/properties/error/required",keyword:"required",params:{missingProperty: "code"},message:"must have required property '"+"code"+"'"};
if(vErrors === null){
vErrors = [err156];
}
else {
vErrors.push(err156);
}
errors++;
}
if(data74.message === undefined){
const err157 = {instancePath:instancePath+"/status/device/error",schemaPath:"#/properties/status/properties/device/properties/error/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err157];
}
else {
vErrors.push(err157);
}
errors++;
}
for(const key15 in data74){
if(!(((key15 === "code") || (key15 === "message")) || (key15 === "gpu"))){
const err158 = {instancePath:instancePath+"/status/device/error",schemaPath:"#/properties/status/properties/device/properties/error/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key15},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err158];
}
else {
vErrors.push(err158);
}
errors++;
}
}
if(data74.code !== undefined){
let data75 = data74.code;
if(typeof data75 === "string"){
if(func2(data75) > 64){
const err159 = {instancePath:instancePath+"/status/device/error/code",schemaPath:"#/properties/status/properties/device/properties/error/properties/code/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err159];
}
else {
vErrors.push(err159);
}
errors++;
}
}
else {
const err160 = {instancePath:instancePath+"/status/device/error/code",schemaPath:"#/properties/status/properties/device/properties/error/properties/code/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err160];
}
else {
vErrors.push(err160);
}
errors++;
}
}
if(data74.message !== undefined){
let data76 = data74.message;
if(typeof data76 === "string"){
if(func2(data76) > 1024){
const err161 = {instancePath:instancePath+"/status/device/error/message",schemaPath:"#/properties/status/properties/device/properties/error/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err161];
}
else {
vErrors.push(err161);
}
errors++;
}
}
else {
const err162 = {instancePath:instancePath+"/status/device/error/message",schemaPath:"#/properties/status/properties/device/properties/error/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err162];
}
else {
vErrors.push(err162);
}
errors++;
}
}
if(data74.gpu !== undefined){
let data77 = data74.gpu;
if(typeof data77 === "string"){
if(func2(data77) > 64){
const err163 = {instancePath:instancePath+"/status/device/error/gpu",schemaPath:"#/properties/status/properties/device/properties/error/properties/gpu/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err163];
}
else {
vErrors.push(err163);
}
errors++;
}
}
else {
const err164 = {instancePath:instancePath+"/status/device/error/gpu",schemaPath:"#/properties/status/properties/device/properties/error/properties/gpu/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err164];
}
else {
vErrors.push(err164);
}
errors++;
}
}
}
else {
const err165 = {instancePath:instancePath+"/status/device/error",schemaPath:"#/properties/status/properties/device/properties/error/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err165];
}
else {
vErrors.push(err165);
}
errors++;
}
}
if(data65.plan !== undefined){
let data78 = data65.plan;
if(data78 && typeof data78 == "object" && !Array.isArray(data78)){
if(data78.hash === undefined){
const err166 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "hash"},message:"must have required property '"+"hash"+"'"};
if(vErrors === null){
vErrors = [err166];
}
else {
vErrors.push(err166);
}
errors++;
}
if(data78.wishHash === undefined){
const err167 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "wishHash"},message:"must have required property '"+"wishHash"+"'"};
if(vErrors === null){
vErrors = [err167];
}
else {
vErrors.push(err167);
}
errors++;
}
if(data78.keep === undefined){
const err168 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "keep"},message:"must have required property '"+"keep"+"'"};
if(vErrors === null){
vErrors = [err168];
}
else {
vErrors.push(err168);
}
errors++;
}
if(data78.destroy === undefined){
const err169 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "destroy"},message:"must have required property '"+"destroy"+"'"};
if(vErrors === null){
vErrors = [err169];
}
else {
vErrors.push(err169);
}
errors++;
}
if(data78.create === undefined){
const err170 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "create"},message:"must have required property '"+"create"+"'"};
if(vErrors === null){
vErrors = [err170];
}
else {
vErrors.push(err170);
}
errors++;
}
for(const key16 in data78){
if(!(func8.call(schema11.properties.status.properties.device.properties.plan.properties, key16))){
const err171 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key16},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err171];
}
else {
vErrors.push(err171);
}
errors++;
}
}
if(data78.hash !== undefined){
let data79 = data78.hash;
if(typeof data79 === "string"){
if(func2(data79) > 64){
const err172 = {instancePath:instancePath+"/status/device/plan/hash",schemaPath:"#/properties/status/properties/device/properties/plan/properties/hash/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err172];
}
else {
vErrors.push(err172);
}
errors++;
}
}
else {
const err173 = {instancePath:instancePath+"/status/device/plan/hash",schemaPath:"#/properties/status/properties/device/properties/plan/properties/hash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err173];
}
else {
vErrors.push(err173);
}
errors++;
}
}
if(data78.wishHash !== undefined){
let data80 = data78.wishHash;
if(typeof data80 === "string"){
if(func2(data80) > 64){
const err174 = {instancePath:instancePath+"/status/device/plan/wishHash",schemaPath:"#/properties/status/properties/device/properties/plan/properties/wishHash/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err174];
}
else {
vErrors.push(err174);
}
errors++;
}
}
else {
const err175 = {instancePath:instancePath+"/status/device/plan/wishHash",schemaPath:"#/properties/status/properties/device/properties/plan/properties/wishHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err175];
}
else {
vErrors.push(err175);
}
errors++;
}
}
if(data78.keep !== undefined){
let data81 = data78.keep;
if(!((typeof data81 == "number") && (!(data81 % 1) && !isNaN(data81)))){
const err176 = {instancePath:instancePath+"/status/device/plan/keep",schemaPath:"#/properties/status/properties/device/properties/plan/properties/keep/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err176];
}
else {
vErrors.push(err176);
}
errors++;
}
if(typeof data81 == "number"){
if(data81 > 1024 || isNaN(data81)){
const err177 = {instancePath:instancePath+"/status/device/plan/keep",schemaPath:"#/properties/status/properties/device/properties/plan/properties/keep/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err177];
}
else {
vErrors.push(err177);
}
errors++;
}
if(data81 < 0 || isNaN(data81)){
const err178 = {instancePath:instancePath+"/status/device/plan/keep",schemaPath:"#/properties/status/properties/device/properties/plan/properties/keep/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err178];
}
else {
vErrors.push(err178);
}
errors++;
}
}
}
if(data78.destroy !== undefined){
let data82 = data78.destroy;
if(!((typeof data82 == "number") && (!(data82 % 1) && !isNaN(data82)))){
const err179 = {instancePath:instancePath+"/status/device/plan/destroy",schemaPath:"#/properties/status/properties/device/properties/plan/properties/destroy/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err179];
}
else {
vErrors.push(err179);
}
errors++;
}
if(typeof data82 == "number"){
if(data82 > 1024 || isNaN(data82)){
const err180 = {instancePath:instancePath+"/status/device/plan/destroy",schemaPath:"#/properties/status/properties/device/properties/plan/properties/destroy/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err180];
}
else {
vErrors.push(err180);
}
errors++;
}
if(data82 < 0 || isNaN(data82)){
const err181 = {instancePath:instancePath+"/status/device/plan/destroy",schemaPath:"#/properties/status/properties/device/properties/plan/properties/destroy/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err181];
}
else {
vErrors.push(err181);
}
errors++;
}
}
}
if(data78.create !== undefined){
let data83 = data78.create;
if(!((typeof data83 == "number") && (!(data83 % 1) && !isNaN(data83)))){
const err182 = {instancePath:instancePath+"/status/device/plan/create",schemaPath:"#/properties/status/properties/device/properties/plan/properties/create/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err182];
}
else {
vErrors.push(err182);
}
errors++;
}
if(typeof data83 == "number"){
if(data83 > 1024 || isNaN(data83)){
const err183 = {instancePath:instancePath+"/status/device/plan/create",schemaPath:"#/properties/status/properties/device/properties/plan/properties/create/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err183];
}
else {
vErrors.push(err183);
}
errors++;
}
if(data83 < 0 || isNaN(data83)){
const err184 = {instancePath:instancePath+"/status/device/plan/create",schemaPath:"#/properties/status/properties/device/properties/plan/properties/create/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err184];
}
else {
vErrors.push(err184);
}
errors++;
}
}
}
if(data78.gpusChanging !== undefined){
let data84 = data78.gpusChanging;
if(!((typeof data84 == "number") && (!(data84 % 1) && !isNaN(data84)))){
const err185 = {instancePath:instancePath+"/status/device/plan/gpusChanging",schemaPath:"#/properties/status/properties/device/properties/plan/properties/gpusChanging/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err185];
}
else {
vErrors.push(err185);
}
errors++;
}
if(typeof data84 == "number"){
if(data84 > 64 || isNaN(data84)){
const err186 = {instancePath:instancePath+"/status/device/plan/gpusChanging",schemaPath:"#/properties/status/properties/device/properties/plan/properties/gpusChanging/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err186];
}
else {
vErrors.push(err186);
}
errors++;
}
if(data84 < 0 || isNaN(data84)){
const err187 = {instancePath:instancePath+"/status/device/plan/gpusChanging",schemaPath:"#/properties/status/properties/device/properties/plan/properties/gpusChanging/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err187];
}
else {
vErrors.push(err187);
}
errors++;
}
}
}
if(data78.modeChanges !== undefined){
let data85 = data78.modeChanges;
if(!((typeof data85 == "number") && (!(data85 % 1) && !isNaN(data85)))){
const err188 = {instancePath:instancePath+"/status/device/plan/modeChanges",schemaPath:"#/properties/status/properties/device/properties/plan/properties/modeChanges/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err188];
}
else {
vErrors.push(err188);
}
errors++;
}
if(typeof data85 == "number"){
if(data85 > 64 || isNaN(data85)){
const err189 = {instancePath:instancePath+"/status/device/plan/modeChanges",schemaPath:"#/properties/status/properties/device/properties/plan/properties/modeChanges/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err189];
}
else {
vErrors.push(err189);
}
errors++;
}
if(data85 < 0 || isNaN(data85)){
const err190 = {instancePath:instancePath+"/status/device/plan/modeChanges",schemaPath:"#/properties/status/properties/device/properties/plan/properties/modeChanges/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err190];
}
else {
vErrors.push(err190);
}
errors++;
}
}
}
if(data78.affectedPods !== undefined){
let data86 = data78.affectedPods;
if(Array.isArray(data86)){
if(data86.length > 64){
const err191 = {instancePath:instancePath+"/status/device/plan/affectedPods",schemaPath:"#/properties/status/properties/device/properties/plan/properties/affectedPods/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err191];
}
else {
vErrors.push(err191);
}
errors++;
}
const len5 = data86.length;
for(let i5=0; i5<len5; i5++){
let data87 = data86[i5];
if(typeof data87 === "string"){
if(func2(data87) > 320){
const err192 = {instancePath:instancePath+"/status/device/plan/affectedPods/" + i5,schemaPath:"#/properties/status/properties/device/properties/plan/properties/affectedPods/items/maxLength",keyword:"maxLength",params:{limit: 320},message:"must NOT have more than 320 characters"};
if(vErrors === null){
vErrors = [err192];
}
else {
vErrors.push(err192);
}
errors++;
}
}
else {
const err193 = {instancePath:instancePath+"/status/device/plan/affectedPods/" + i5,schemaPath:"#/properties/status/properties/device/properties/plan/properties/affectedPods/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err193];
}
else {
vErrors.push(err193);
}
errors++;
}
}
}
else {
const err194 = {instancePath:instancePath+"/status/device/plan/affectedPods",schemaPath:"#/properties/status/properties/device/properties/plan/properties/affectedPods/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err194];
}
else {
vErrors.push(err194);
}
errors++;
}
}
if(data78.refusalCode !== undefined){
let data88 = data78.refusalCode;
if(typeof data88 !== "string"){
const err195 = {instancePath:instancePath+"/status/device/plan/refusalCode",schemaPath:"#/properties/status/properties/device/properties/plan/properties/refusalCode/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err195];
}
else {
vErrors.push(err195);
}
errors++;
}
if(!((((data88 === "InUse") || (data88 === "Foreign")) || (data88 === "Impossible")) || (data88 === "Lost"))){
const err196 = {instancePath:instancePath+"/status/device/plan/refusalCode",schemaPath:"#/properties/status/properties/device/properties/plan/properties/refusalCode/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.plan.properties.refusalCode.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err196];
}
else {
vErrors.push(err196);
}
errors++;
}
}
if(data78.refusal !== undefined){
let data89 = data78.refusal;
if(typeof data89 === "string"){
if(func2(data89) > 1024){
const err197 = {instancePath:instancePath+"/status/device/plan/refusal",schemaPath:"#/properties/status/properties/device/properties/plan/properties/refusal/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err197];
}
else {
vErrors.push(err197);
}
errors++;
}
}
else {
const err198 = {instancePath:instancePath+"/status/device/plan/refusal",schemaPath:"#/properties/status/properties/device/properties/plan/properties/refusal/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err198];
}
else {
vErrors.push(err198);
}
errors++;
}
}
}
else {
const err199 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err199];
}
else {
vErrors.push(err199);
}
errors++;
}
}
if(data65.advertised !== undefined){
let data90 = data65.advertised;
if(data90 && typeof data90 == "object" && !Array.isArray(data90)){
if(data90.stale === undefined){
const err200 = {instancePath:instancePath+"/status/device/advertised",schemaPath:"#/properties/status/properties/device/properties/advertised/required",keyword:"required",params:{missingProperty: "stale"},message:"must have required property '"+"stale"+"'"};
if(vErrors === null){
vErrors = [err200];
}
else {
vErrors.push(err200);
}
errors++;
}
for(const key17 in data90){
if(!((key17 === "resources") || (key17 === "stale"))){
const err201 = {instancePath:instancePath+"/status/device/advertised",schemaPath:"#/properties/status/properties/device/properties/advertised/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key17},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err201];
}
else {
vErrors.push(err201);
}
errors++;
}
}
if(data90.resources !== undefined){
let data91 = data90.resources;
if(data91 && typeof data91 == "object" && !Array.isArray(data91)){
if(Object.keys(data91).length > 64){
const err202 = {instancePath:instancePath+"/status/device/advertised/resources",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/maxProperties",keyword:"maxProperties",params:{limit: 64},message:"must NOT have more than 64 properties"};
if(vErrors === null){
vErrors = [err202];
}
else {
vErrors.push(err202);
}
errors++;
}
for(const key18 in data91){
let data92 = data91[key18];
if(!((typeof data92 == "number") && (!(data92 % 1) && !isNaN(data92)))){
const err203 = {instancePath:instancePath+"/status/device/advertised/resources/" + key18.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err203];
}
else {
vErrors.push(err203);
}
errors++;
}
if(typeof data92 == "number"){
if(data92 > 1000000 || isNaN(data92)){
const err204 = {instancePath:instancePath+"/status/device/advertised/resources/" + key18.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err204];
}
else {
vErrors.push(err204);
}
errors++;
}
if(data92 < 0 || isNaN(data92)){
const err205 = {instancePath:instancePath+"/status/device/advertised/resources/" + key18.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err205];
}
else {
vErrors.push(err205);
}
errors++;
}
}
}
}
else {
const err206 = {instancePath:instancePath+"/status/device/advertised/resources",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err206];
}
else {
vErrors.push(err206);
}
errors++;
}
}
if(data90.stale !== undefined){
let data93 = data90.stale;
if(!((typeof data93 == "number") && (!(data93 % 1) && !isNaN(data93)))){
const err207 = {instancePath:instancePath+"/status/device/advertised/stale",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/stale/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err207];
}
else {
vErrors.push(err207);
}
errors++;
}
if(typeof data93 == "number"){
if(data93 > 1000000 || isNaN(data93)){
const err208 = {instancePath:instancePath+"/status/device/advertised/stale",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/stale/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err208];
}
else {
vErrors.push(err208);
}
errors++;
}
if(data93 < 0 || isNaN(data93)){
const err209 = {instancePath:instancePath+"/status/device/advertised/stale",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/stale/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err209];
}
else {
vErrors.push(err209);
}
errors++;
}
}
}
}
else {
const err210 = {instancePath:instancePath+"/status/device/advertised",schemaPath:"#/properties/status/properties/device/properties/advertised/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err210];
}
else {
vErrors.push(err210);
}
errors++;
}
}
if(data65.models !== undefined){
let data94 = data65.models;
if(Array.isArray(data94)){
if(data94.length > 8){
const err211 = {instancePath:instancePath+"/status/device/models",schemaPath:"#/properties/status/properties/device/properties/models/maxItems",keyword:"maxItems",params:{limit: 8},message:"must NOT have more than 8 items"};
if(vErrors === null){
vErrors = [err211];
}
else {
vErrors.push(err211);
}
errors++;
}
const len6 = data94.length;
for(let i6=0; i6<len6; i6++){
let data95 = data94[i6];
if(data95 && typeof data95 == "object" && !Array.isArray(data95)){
if(data95.product === undefined){
const err212 = {instancePath:instancePath+"/status/device/models/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/required",keyword:"required",params:{missingProperty: "product"},message:"must have required property '"+"product"+"'"};
if(vErrors === null){
vErrors = [err212];
}
else {
vErrors.push(err212);
}
errors++;
}
if(data95.computeSlices === undefined){
const err213 = {instancePath:instancePath+"/status/device/models/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/required",keyword:"required",params:{missingProperty: "computeSlices"},message:"must have required property '"+"computeSlices"+"'"};
if(vErrors === null){
vErrors = [err213];
}
else {
vErrors.push(err213);
}
errors++;
}
if(data95.memorySlices === undefined){
const err214 = {instancePath:instancePath+"/status/device/models/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/required",keyword:"required",params:{missingProperty: "memorySlices"},message:"must have required property '"+"memorySlices"+"'"};
if(vErrors === null){
vErrors = [err214];
}
else {
vErrors.push(err214);
}
errors++;
}
if(data95.profiles === undefined){
const err215 = {instancePath:instancePath+"/status/device/models/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/required",keyword:"required",params:{missingProperty: "profiles"},message:"must have required property '"+"profiles"+"'"};
if(vErrors === null){
vErrors = [err215];
}
else {
vErrors.push(err215);
}
errors++;
}
for(const key19 in data95){
if(!((((key19 === "product") || (key19 === "computeSlices")) || (key19 === "memorySlices")) || (key19 === "profiles"))){
const err216 = {instancePath:instancePath+"/status/device/models/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key19},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err216];
}
else {
vErrors.push(err216);
}
errors++;
}
}
if(data95.product !== undefined){
let data96 = data95.product;
if(typeof data96 === "string"){
if(func2(data96) > 128){
const err217 = {instancePath:instancePath+"/status/device/models/" + i6+"/product",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/product/maxLength",keyword:"maxLength",params:{limit: 128},message:"must NOT have more than 128 characters"};
if(vErrors === null){
vErrors = [err217];
}
else {
vErrors.push(err217);
}
errors++;
}
}
else {
const err218 = {instancePath:instancePath+"/status/device/models/" + i6+"/product",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/product/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err218];
}
else {
vErrors.push(err218);
}
errors++;
}
}
if(data95.computeSlices !== undefined){
let data97 = data95.computeSlices;
if(!((typeof data97 == "number") && (!(data97 % 1) && !isNaN(data97)))){
const err219 = {instancePath:instancePath+"/status/device/models/" + i6+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/computeSlices/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err219];
}
else {
vErrors.push(err219);
}
errors++;
}
if(typeof data97 == "number"){
if(data97 > 16 || isNaN(data97)){
const err220 = {instancePath:instancePath+"/status/device/models/" + i6+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/computeSlices/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err220];
}
else {
vErrors.push(err220);
}
errors++;
}
if(data97 < 0 || isNaN(data97)){
const err221 = {instancePath:instancePath+"/status/device/models/" + i6+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/computeSlices/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err221];
}
else {
vErrors.push(err221);
}
errors++;
}
}
}
if(data95.memorySlices !== undefined){
let data98 = data95.memorySlices;
if(!((typeof data98 == "number") && (!(data98 % 1) && !isNaN(data98)))){
const err222 = {instancePath:instancePath+"/status/device/models/" + i6+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/memorySlices/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err222];
}
else {
vErrors.push(err222);
}
errors++;
}
if(typeof data98 == "number"){
if(data98 > 16 || isNaN(data98)){
const err223 = {instancePath:instancePath+"/status/device/models/" + i6+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/memorySlices/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err223];
}
else {
vErrors.push(err223);
}
errors++;
}
if(data98 < 0 || isNaN(data98)){
const err224 = {instancePath:instancePath+"/status/device/models/" + i6+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/memorySlices/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err224];
}
else {
vErrors.push(err224);
}
errors++;
}
}
}
if(data95.profiles !== undefined){
let data99 = data95.profiles;
if(Array.isArray(data99)){
if(data99.length > 32){
const err225 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err225];
}
else {
vErrors.push(err225);
}
errors++;
}
const len7 = data99.length;
for(let i7=0; i7<len7; i7++){
let data100 = data99[i7];
if(data100 && typeof data100 == "object" && !Array.isArray(data100)){
if(data100.name === undefined){
const err226 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err226];
}
else {
vErrors.push(err226);
}
errors++;
}
if(data100.computeSlices === undefined){
const err227 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "computeSlices"},message:"must have required property '"+"computeSlices"+"'"};
if(vErrors === null){
vErrors = [err227];
}
else {
vErrors.push(err227);
}
errors++;
}
if(data100.memorySlices === undefined){
const err228 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "memorySlices"},message:"must have required property '"+"memorySlices"+"'"};
if(vErrors === null){
vErrors = [err228];
}
else {
vErrors.push(err228);
}
errors++;
}
if(data100.starts === undefined){
const err229 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "starts"},message:"must have required property '"+"starts"+"'"};
if(vErrors === null){
vErrors = [err229];
}
else {
vErrors.push(err229);
}
errors++;
}
if(data100.maxInstances === undefined){
const err230 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "maxInstances"},message:"must have required property '"+"maxInstances"+"'"};
if(vErrors === null){
vErrors = [err230];
}
else {
vErrors.push(err230);
}
errors++;
}
for(const key20 in data100){
if(!(func8.call(schema11.properties.status.properties.device.properties.models.items.properties.profiles.items.properties, key20))){
const err231 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key20},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err231];
}
else {
vErrors.push(err231);
}
errors++;
}
}
if(data100.name !== undefined){
let data101 = data100.name;
if(typeof data101 === "string"){
if(func2(data101) > 32){
const err232 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/name",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err232];
}
else {
vErrors.push(err232);
}
errors++;
}
}
else {
const err233 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/name",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err233];
}
else {
vErrors.push(err233);
}
errors++;
}
}
if(data100.id !== undefined){
let data102 = data100.id;
if(!((typeof data102 == "number") && (!(data102 % 1) && !isNaN(data102)))){
const err234 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/id",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/id/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err234];
}
else {
vErrors.push(err234);
}
errors++;
}
if(typeof data102 == "number"){
if(data102 > 1023 || isNaN(data102)){
const err235 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/id",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/id/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1023},message:"must be <= 1023"};
if(vErrors === null){
vErrors = [err235];
}
else {
vErrors.push(err235);
}
errors++;
}
if(data102 < 0 || isNaN(data102)){
const err236 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/id",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/id/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err236];
}
else {
vErrors.push(err236);
}
errors++;
}
}
}
if(data100.computeSlices !== undefined){
let data103 = data100.computeSlices;
if(!((typeof data103 == "number") && (!(data103 % 1) && !isNaN(data103)))){
const err237 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/computeSlices/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err237];
}
else {
vErrors.push(err237);
}
errors++;
}
if(typeof data103 == "number"){
if(data103 > 16 || isNaN(data103)){
const err238 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/computeSlices/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err238];
}
else {
vErrors.push(err238);
}
errors++;
}
if(data103 < 0 || isNaN(data103)){
const err239 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/computeSlices/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err239];
}
else {
vErrors.push(err239);
}
errors++;
}
}
}
if(data100.memorySlices !== undefined){
let data104 = data100.memorySlices;
if(!((typeof data104 == "number") && (!(data104 % 1) && !isNaN(data104)))){
const err240 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memorySlices/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err240];
}
else {
vErrors.push(err240);
}
errors++;
}
if(typeof data104 == "number"){
if(data104 > 16 || isNaN(data104)){
const err241 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memorySlices/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err241];
}
else {
vErrors.push(err241);
}
errors++;
}
if(data104 < 0 || isNaN(data104)){
const err242 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memorySlices/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err242];
}
else {
vErrors.push(err242);
}
errors++;
}
}
}
if(data100.starts !== undefined){
let data105 = data100.starts;
if(Array.isArray(data105)){
if(data105.length > 16){
const err243 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/starts",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err243];
}
else {
vErrors.push(err243);
}
errors++;
}
const len8 = data105.length;
for(let i8=0; i8<len8; i8++){
let data106 = data105[i8];
if(!((typeof data106 == "number") && (!(data106 % 1) && !isNaN(data106)))){
const err244 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/starts/" + i8,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err244];
}
else {
vErrors.push(err244);
}
errors++;
}
if(typeof data106 == "number"){
if(data106 > 15 || isNaN(data106)){
const err245 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/starts/" + i8,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 15},message:"must be <= 15"};
if(vErrors === null){
vErrors = [err245];
}
else {
vErrors.push(err245);
}
errors++;
}
if(data106 < 0 || isNaN(data106)){
const err246 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/starts/" + i8,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err246];
}
else {
vErrors.push(err246);
}
errors++;
}
}
}
}
else {
const err247 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/starts",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err247];
}
else {
vErrors.push(err247);
}
errors++;
}
}
if(data100.maxInstances !== undefined){
let data107 = data100.maxInstances;
if(!((typeof data107 == "number") && (!(data107 % 1) && !isNaN(data107)))){
const err248 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/maxInstances",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/maxInstances/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err248];
}
else {
vErrors.push(err248);
}
errors++;
}
if(typeof data107 == "number"){
if(data107 > 16 || isNaN(data107)){
const err249 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/maxInstances",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/maxInstances/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err249];
}
else {
vErrors.push(err249);
}
errors++;
}
if(data107 < 0 || isNaN(data107)){
const err250 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/maxInstances",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/maxInstances/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err250];
}
else {
vErrors.push(err250);
}
errors++;
}
}
}
if(data100.memoryMiB !== undefined){
let data108 = data100.memoryMiB;
if(!((typeof data108 == "number") && (!(data108 % 1) && !isNaN(data108)))){
const err251 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memoryMiB/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err251];
}
else {
vErrors.push(err251);
}
errors++;
}
if(typeof data108 == "number"){
if(data108 > 16777216 || isNaN(data108)){
const err252 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memoryMiB/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16777216},message:"must be <= 16777216"};
if(vErrors === null){
vErrors = [err252];
}
else {
vErrors.push(err252);
}
errors++;
}
if(data108 < 0 || isNaN(data108)){
const err253 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memoryMiB/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err253];
}
else {
vErrors.push(err253);
}
errors++;
}
}
}
if(data100.multiprocessors !== undefined){
let data109 = data100.multiprocessors;
if(!((typeof data109 == "number") && (!(data109 % 1) && !isNaN(data109)))){
const err254 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/multiprocessors/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err254];
}
else {
vErrors.push(err254);
}
errors++;
}
if(typeof data109 == "number"){
if(data109 > 4096 || isNaN(data109)){
const err255 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/multiprocessors/maximum",keyword:"maximum",params:{comparison: "<=", limit: 4096},message:"must be <= 4096"};
if(vErrors === null){
vErrors = [err255];
}
else {
vErrors.push(err255);
}
errors++;
}
if(data109 < 0 || isNaN(data109)){
const err256 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/multiprocessors/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err256];
}
else {
vErrors.push(err256);
}
errors++;
}
}
}
if(data100.engines !== undefined){
let data110 = data100.engines;
if(Array.isArray(data110)){
if(data110.length > 5){
const err257 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/engines",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/maxItems",keyword:"maxItems",params:{limit: 5},message:"must NOT have more than 5 items"};
if(vErrors === null){
vErrors = [err257];
}
else {
vErrors.push(err257);
}
errors++;
}
const len9 = data110.length;
for(let i9=0; i9<len9; i9++){
let data111 = data110[i9];
if(!((typeof data111 == "number") && (!(data111 % 1) && !isNaN(data111)))){
const err258 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/engines/" + i9,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err258];
}
else {
vErrors.push(err258);
}
errors++;
}
if(typeof data111 == "number"){
if(data111 > 1024 || isNaN(data111)){
const err259 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/engines/" + i9,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err259];
}
else {
vErrors.push(err259);
}
errors++;
}
if(data111 < 0 || isNaN(data111)){
const err260 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/engines/" + i9,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err260];
}
else {
vErrors.push(err260);
}
errors++;
}
}
}
}
else {
const err261 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7+"/engines",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err261];
}
else {
vErrors.push(err261);
}
errors++;
}
}
}
else {
const err262 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err262];
}
else {
vErrors.push(err262);
}
errors++;
}
}
}
else {
const err263 = {instancePath:instancePath+"/status/device/models/" + i6+"/profiles",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err263];
}
else {
vErrors.push(err263);
}
errors++;
}
}
}
else {
const err264 = {instancePath:instancePath+"/status/device/models/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err264];
}
else {
vErrors.push(err264);
}
errors++;
}
}
}
else {
const err265 = {instancePath:instancePath+"/status/device/models",schemaPath:"#/properties/status/properties/device/properties/models/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err265];
}
else {
vErrors.push(err265);
}
errors++;
}
}
if(data65.gpus !== undefined){
let data112 = data65.gpus;
if(Array.isArray(data112)){
if(data112.length > 64){
const err266 = {instancePath:instancePath+"/status/device/gpus",schemaPath:"#/properties/status/properties/device/properties/gpus/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err266];
}
else {
vErrors.push(err266);
}
errors++;
}
const len10 = data112.length;
for(let i10=0; i10<len10; i10++){
let data113 = data112[i10];
if(data113 && typeof data113 == "object" && !Array.isArray(data113)){
if(data113.uuid === undefined){
const err267 = {instancePath:instancePath+"/status/device/gpus/" + i10,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "uuid"},message:"must have required property '"+"uuid"+"'"};
if(vErrors === null){
vErrors = [err267];
}
else {
vErrors.push(err267);
}
errors++;
}
if(data113.index === undefined){
const err268 = {instancePath:instancePath+"/status/device/gpus/" + i10,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "index"},message:"must have required property '"+"index"+"'"};
if(vErrors === null){
vErrors = [err268];
}
else {
vErrors.push(err268);
}
errors++;
}
if(data113.pciBusId === undefined){
const err269 = {instancePath:instancePath+"/status/device/gpus/" + i10,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "pciBusId"},message:"must have required property '"+"pciBusId"+"'"};
if(vErrors === null){
vErrors = [err269];
}
else {
vErrors.push(err269);
}
errors++;
}
if(data113.product === undefined){
const err270 = {instancePath:instancePath+"/status/device/gpus/" + i10,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "product"},message:"must have required property '"+"product"+"'"};
if(vErrors === null){
vErrors = [err270];
}
else {
vErrors.push(err270);
}
errors++;
}
if(data113.instances === undefined){
const err271 = {instancePath:instancePath+"/status/device/gpus/" + i10,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "instances"},message:"must have required property '"+"instances"+"'"};
if(vErrors === null){
vErrors = [err271];
}
else {
vErrors.push(err271);
}
errors++;
}
for(const key21 in data113){
if(!(func8.call(schema11.properties.status.properties.device.properties.gpus.items.properties, key21))){
const err272 = {instancePath:instancePath+"/status/device/gpus/" + i10,schemaPath:"#/properties/status/properties/device/properties/gpus/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key21},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err272];
}
else {
vErrors.push(err272);
}
errors++;
}
}
if(data113.uuid !== undefined){
let data114 = data113.uuid;
if(typeof data114 === "string"){
if(func2(data114) > 64){
const err273 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/uuid",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err273];
}
else {
vErrors.push(err273);
}
errors++;
}
}
else {
const err274 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/uuid",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err274];
}
else {
vErrors.push(err274);
}
errors++;
}
}
if(data113.index !== undefined){
let data115 = data113.index;
if(!((typeof data115 == "number") && (!(data115 % 1) && !isNaN(data115)))){
const err275 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/index",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/index/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err275];
}
else {
vErrors.push(err275);
}
errors++;
}
if(typeof data115 == "number"){
if(data115 > 255 || isNaN(data115)){
const err276 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/index",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/index/maximum",keyword:"maximum",params:{comparison: "<=", limit: 255},message:"must be <= 255"};
if(vErrors === null){
vErrors = [err276];
}
else {
vErrors.push(err276);
}
errors++;
}
if(data115 < 0 || isNaN(data115)){
const err277 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/index",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/index/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err277];
}
else {
vErrors.push(err277);
}
errors++;
}
}
}
if(data113.pciBusId !== undefined){
let data116 = data113.pciBusId;
if(typeof data116 === "string"){
if(func2(data116) > 32){
const err278 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pciBusId",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciBusId/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err278];
}
else {
vErrors.push(err278);
}
errors++;
}
}
else {
const err279 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pciBusId",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciBusId/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err279];
}
else {
vErrors.push(err279);
}
errors++;
}
}
if(data113.pciDeviceId !== undefined){
let data117 = data113.pciDeviceId;
if(typeof data117 === "string"){
if(func2(data117) > 10){
const err280 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pciDeviceId",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciDeviceId/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err280];
}
else {
vErrors.push(err280);
}
errors++;
}
}
else {
const err281 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pciDeviceId",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciDeviceId/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err281];
}
else {
vErrors.push(err281);
}
errors++;
}
}
if(data113.pciClass !== undefined){
let data118 = data113.pciClass;
if(typeof data118 === "string"){
if(func2(data118) > 10){
const err282 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pciClass",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciClass/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err282];
}
else {
vErrors.push(err282);
}
errors++;
}
}
else {
const err283 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pciClass",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciClass/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err283];
}
else {
vErrors.push(err283);
}
errors++;
}
}
if(data113.product !== undefined){
let data119 = data113.product;
if(typeof data119 === "string"){
if(func2(data119) > 128){
const err284 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/product",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/product/maxLength",keyword:"maxLength",params:{limit: 128},message:"must NOT have more than 128 characters"};
if(vErrors === null){
vErrors = [err284];
}
else {
vErrors.push(err284);
}
errors++;
}
}
else {
const err285 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/product",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/product/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err285];
}
else {
vErrors.push(err285);
}
errors++;
}
}
if(data113.memoryMiB !== undefined){
let data120 = data113.memoryMiB;
if(!((typeof data120 == "number") && (!(data120 % 1) && !isNaN(data120)))){
const err286 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/memoryMiB/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err286];
}
else {
vErrors.push(err286);
}
errors++;
}
if(typeof data120 == "number"){
if(data120 > 16777216 || isNaN(data120)){
const err287 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/memoryMiB/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16777216},message:"must be <= 16777216"};
if(vErrors === null){
vErrors = [err287];
}
else {
vErrors.push(err287);
}
errors++;
}
if(data120 < 0 || isNaN(data120)){
const err288 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/memoryMiB/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err288];
}
else {
vErrors.push(err288);
}
errors++;
}
}
}
if(data113.computeCapability !== undefined){
let data121 = data113.computeCapability;
if(typeof data121 === "string"){
if(func2(data121) > 8){
const err289 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/computeCapability",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/computeCapability/maxLength",keyword:"maxLength",params:{limit: 8},message:"must NOT have more than 8 characters"};
if(vErrors === null){
vErrors = [err289];
}
else {
vErrors.push(err289);
}
errors++;
}
}
else {
const err290 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/computeCapability",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/computeCapability/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err290];
}
else {
vErrors.push(err290);
}
errors++;
}
}
if(data113.migCapable !== undefined){
if(typeof data113.migCapable !== "boolean"){
const err291 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/migCapable",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/migCapable/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err291];
}
else {
vErrors.push(err291);
}
errors++;
}
}
if(data113.mig !== undefined){
let data123 = data113.mig;
if(typeof data123 !== "string"){
const err292 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/mig",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err292];
}
else {
vErrors.push(err292);
}
errors++;
}
if(!((data123 === "Enabled") || (data123 === "Disabled"))){
const err293 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/mig",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.gpus.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err293];
}
else {
vErrors.push(err293);
}
errors++;
}
}
if(data113.migPending !== undefined){
let data124 = data113.migPending;
if(typeof data124 !== "string"){
const err294 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/migPending",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/migPending/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err294];
}
else {
vErrors.push(err294);
}
errors++;
}
if(!((data124 === "Enabled") || (data124 === "Disabled"))){
const err295 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/migPending",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/migPending/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.gpus.items.properties.migPending.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err295];
}
else {
vErrors.push(err295);
}
errors++;
}
}
if(data113.busy !== undefined){
if(typeof data113.busy !== "boolean"){
const err296 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/busy",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/busy/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err296];
}
else {
vErrors.push(err296);
}
errors++;
}
}
if(data113.pods !== undefined){
let data126 = data113.pods;
if(Array.isArray(data126)){
if(data126.length > 16){
const err297 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pods",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pods/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err297];
}
else {
vErrors.push(err297);
}
errors++;
}
const len11 = data126.length;
for(let i11=0; i11<len11; i11++){
let data127 = data126[i11];
if(typeof data127 === "string"){
if(func2(data127) > 320){
const err298 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pods/" + i11,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pods/items/maxLength",keyword:"maxLength",params:{limit: 320},message:"must NOT have more than 320 characters"};
if(vErrors === null){
vErrors = [err298];
}
else {
vErrors.push(err298);
}
errors++;
}
}
else {
const err299 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pods/" + i11,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pods/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err299];
}
else {
vErrors.push(err299);
}
errors++;
}
}
}
else {
const err300 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/pods",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pods/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err300];
}
else {
vErrors.push(err300);
}
errors++;
}
}
if(data113.error !== undefined){
let data128 = data113.error;
if(typeof data128 === "string"){
if(func2(data128) > 256){
const err301 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/error",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/error/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
if(vErrors === null){
vErrors = [err301];
}
else {
vErrors.push(err301);
}
errors++;
}
}
else {
const err302 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/error",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/error/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err302];
}
else {
vErrors.push(err302);
}
errors++;
}
}
if(data113.instances !== undefined){
let data129 = data113.instances;
if(Array.isArray(data129)){
if(data129.length > 16){
const err303 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err303];
}
else {
vErrors.push(err303);
}
errors++;
}
const len12 = data129.length;
for(let i12=0; i12<len12; i12++){
let data130 = data129[i12];
if(data130 && typeof data130 == "object" && !Array.isArray(data130)){
if(data130.profile === undefined){
const err304 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/required",keyword:"required",params:{missingProperty: "profile"},message:"must have required property '"+"profile"+"'"};
if(vErrors === null){
vErrors = [err304];
}
else {
vErrors.push(err304);
}
errors++;
}
if(data130.gi === undefined){
const err305 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/required",keyword:"required",params:{missingProperty: "gi"},message:"must have required property '"+"gi"+"'"};
if(vErrors === null){
vErrors = [err305];
}
else {
vErrors.push(err305);
}
errors++;
}
if(data130.start === undefined){
const err306 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/required",keyword:"required",params:{missingProperty: "start"},message:"must have required property '"+"start"+"'"};
if(vErrors === null){
vErrors = [err306];
}
else {
vErrors.push(err306);
}
errors++;
}
if(data130.computeInstances === undefined){
const err307 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/required",keyword:"required",params:{missingProperty: "computeInstances"},message:"must have required property '"+"computeInstances"+"'"};
if(vErrors === null){
vErrors = [err307];
}
else {
vErrors.push(err307);
}
errors++;
}
for(const key22 in data130){
if(!((((((key22 === "profile") || (key22 === "gi")) || (key22 === "start")) || (key22 === "busy")) || (key22 === "pods")) || (key22 === "computeInstances"))){
const err308 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key22},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err308];
}
else {
vErrors.push(err308);
}
errors++;
}
}
if(data130.profile !== undefined){
let data131 = data130.profile;
if(typeof data131 === "string"){
if(func2(data131) > 32){
const err309 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/profile",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/profile/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err309];
}
else {
vErrors.push(err309);
}
errors++;
}
}
else {
const err310 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/profile",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/profile/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err310];
}
else {
vErrors.push(err310);
}
errors++;
}
}
if(data130.gi !== undefined){
let data132 = data130.gi;
if(!((typeof data132 == "number") && (!(data132 % 1) && !isNaN(data132)))){
const err311 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/gi",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/gi/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err311];
}
else {
vErrors.push(err311);
}
errors++;
}
if(typeof data132 == "number"){
if(data132 > 65535 || isNaN(data132)){
const err312 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/gi",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/gi/maximum",keyword:"maximum",params:{comparison: "<=", limit: 65535},message:"must be <= 65535"};
if(vErrors === null){
vErrors = [err312];
}
else {
vErrors.push(err312);
}
errors++;
}
if(data132 < 0 || isNaN(data132)){
const err313 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/gi",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/gi/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err313];
}
else {
vErrors.push(err313);
}
errors++;
}
}
}
if(data130.start !== undefined){
let data133 = data130.start;
if(!((typeof data133 == "number") && (!(data133 % 1) && !isNaN(data133)))){
const err314 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/start",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/start/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err314];
}
else {
vErrors.push(err314);
}
errors++;
}
if(typeof data133 == "number"){
if(data133 > 15 || isNaN(data133)){
const err315 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/start",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/start/maximum",keyword:"maximum",params:{comparison: "<=", limit: 15},message:"must be <= 15"};
if(vErrors === null){
vErrors = [err315];
}
else {
vErrors.push(err315);
}
errors++;
}
if(data133 < 0 || isNaN(data133)){
const err316 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/start",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/start/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err316];
}
else {
vErrors.push(err316);
}
errors++;
}
}
}
if(data130.busy !== undefined){
if(typeof data130.busy !== "boolean"){
const err317 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/busy",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/busy/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err317];
}
else {
vErrors.push(err317);
}
errors++;
}
}
if(data130.pods !== undefined){
let data135 = data130.pods;
if(Array.isArray(data135)){
if(data135.length > 16){
const err318 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/pods",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/pods/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err318];
}
else {
vErrors.push(err318);
}
errors++;
}
const len13 = data135.length;
for(let i13=0; i13<len13; i13++){
let data136 = data135[i13];
if(typeof data136 === "string"){
if(func2(data136) > 320){
const err319 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/pods/" + i13,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/pods/items/maxLength",keyword:"maxLength",params:{limit: 320},message:"must NOT have more than 320 characters"};
if(vErrors === null){
vErrors = [err319];
}
else {
vErrors.push(err319);
}
errors++;
}
}
else {
const err320 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/pods/" + i13,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/pods/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err320];
}
else {
vErrors.push(err320);
}
errors++;
}
}
}
else {
const err321 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/pods",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/pods/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err321];
}
else {
vErrors.push(err321);
}
errors++;
}
}
if(data130.computeInstances !== undefined){
let data137 = data130.computeInstances;
if(Array.isArray(data137)){
if(data137.length > 8){
const err322 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/maxItems",keyword:"maxItems",params:{limit: 8},message:"must NOT have more than 8 items"};
if(vErrors === null){
vErrors = [err322];
}
else {
vErrors.push(err322);
}
errors++;
}
const len14 = data137.length;
for(let i14=0; i14<len14; i14++){
let data138 = data137[i14];
if(data138 && typeof data138 == "object" && !Array.isArray(data138)){
if(data138.profile === undefined){
const err323 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/required",keyword:"required",params:{missingProperty: "profile"},message:"must have required property '"+"profile"+"'"};
if(vErrors === null){
vErrors = [err323];
}
else {
vErrors.push(err323);
}
errors++;
}
for(const key23 in data138){
if(!(((((key23 === "profile") || (key23 === "uuid")) || (key23 === "memoryMiB")) || (key23 === "multiprocessors")) || (key23 === "engines"))){
const err324 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key23},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err324];
}
else {
vErrors.push(err324);
}
errors++;
}
}
if(data138.profile !== undefined){
let data139 = data138.profile;
if(typeof data139 === "string"){
if(func2(data139) > 32){
const err325 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/profile",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/profile/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err325];
}
else {
vErrors.push(err325);
}
errors++;
}
}
else {
const err326 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/profile",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/profile/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err326];
}
else {
vErrors.push(err326);
}
errors++;
}
}
if(data138.uuid !== undefined){
let data140 = data138.uuid;
if(typeof data140 === "string"){
if(func2(data140) > 64){
const err327 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/uuid",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err327];
}
else {
vErrors.push(err327);
}
errors++;
}
}
else {
const err328 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/uuid",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err328];
}
else {
vErrors.push(err328);
}
errors++;
}
}
if(data138.memoryMiB !== undefined){
let data141 = data138.memoryMiB;
if(!((typeof data141 == "number") && (!(data141 % 1) && !isNaN(data141)))){
const err329 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/memoryMiB/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err329];
}
else {
vErrors.push(err329);
}
errors++;
}
if(typeof data141 == "number"){
if(data141 > 16777216 || isNaN(data141)){
const err330 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/memoryMiB/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16777216},message:"must be <= 16777216"};
if(vErrors === null){
vErrors = [err330];
}
else {
vErrors.push(err330);
}
errors++;
}
if(data141 < 0 || isNaN(data141)){
const err331 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/memoryMiB/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err331];
}
else {
vErrors.push(err331);
}
errors++;
}
}
}
if(data138.multiprocessors !== undefined){
let data142 = data138.multiprocessors;
if(!((typeof data142 == "number") && (!(data142 % 1) && !isNaN(data142)))){
const err332 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/multiprocessors/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err332];
}
else {
vErrors.push(err332);
}
errors++;
}
if(typeof data142 == "number"){
if(data142 > 4096 || isNaN(data142)){
const err333 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/multiprocessors/maximum",keyword:"maximum",params:{comparison: "<=", limit: 4096},message:"must be <= 4096"};
if(vErrors === null){
vErrors = [err333];
}
else {
vErrors.push(err333);
}
errors++;
}
if(data142 < 0 || isNaN(data142)){
const err334 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/multiprocessors/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err334];
}
else {
vErrors.push(err334);
}
errors++;
}
}
}
if(data138.engines !== undefined){
let data143 = data138.engines;
if(Array.isArray(data143)){
if(data143.length > 5){
const err335 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/engines",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/maxItems",keyword:"maxItems",params:{limit: 5},message:"must NOT have more than 5 items"};
if(vErrors === null){
vErrors = [err335];
}
else {
vErrors.push(err335);
}
errors++;
}
const len15 = data143.length;
for(let i15=0; i15<len15; i15++){
let data144 = data143[i15];
if(!((typeof data144 == "number") && (!(data144 % 1) && !isNaN(data144)))){
const err336 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/engines/" + i15,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err336];
}
else {
vErrors.push(err336);
}
errors++;
}
if(typeof data144 == "number"){
if(data144 > 1024 || isNaN(data144)){
const err337 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/engines/" + i15,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err337];
}
else {
vErrors.push(err337);
}
errors++;
}
if(data144 < 0 || isNaN(data144)){
const err338 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/engines/" + i15,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err338];
}
else {
vErrors.push(err338);
}
errors++;
}
}
}
}
else {
const err339 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14+"/engines",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err339];
}
else {
vErrors.push(err339);
}
errors++;
}
}
}
else {
const err340 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances/" + i14,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err340];
}
else {
vErrors.push(err340);
}
errors++;
}
}
}
else {
const err341 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12+"/computeInstances",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err341];
}
else {
vErrors.push(err341);
}
errors++;
}
}
}
else {
const err342 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances/" + i12,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err342];
}
else {
vErrors.push(err342);
}
errors++;
}
}
}
else {
const err343 = {instancePath:instancePath+"/status/device/gpus/" + i10+"/instances",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err343];
}
else {
vErrors.push(err343);
}
errors++;
}
}
}
else {
const err344 = {instancePath:instancePath+"/status/device/gpus/" + i10,schemaPath:"#/properties/status/properties/device/properties/gpus/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err344];
}
else {
vErrors.push(err344);
}
errors++;
}
}
}
else {
const err345 = {instancePath:instancePath+"/status/device/gpus",schemaPath:"#/properties/status/properties/device/properties/gpus/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err345];
}
else {
vErrors.push(err345);
}
errors++;
}
}
if(data65.lastGood !== undefined){
let data145 = data65.lastGood;
if(data145 && typeof data145 == "object" && !Array.isArray(data145)){
for(const key24 in data145){
if(!((key24 === "bootID") || (key24 === "gpus"))){
const err346 = {instancePath:instancePath+"/status/device/lastGood",schemaPath:"#/properties/status/properties/device/properties/lastGood/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key24},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err346];
}
else {
vErrors.push(err346);
}
errors++;
}
}
if(data145.bootID !== undefined){
let data146 = data145.bootID;
if(typeof data146 === "string"){
if(func2(data146) > 64){
const err347 = {instancePath:instancePath+"/status/device/lastGood/bootID",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/bootID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err347];
}
else {
vErrors.push(err347);
}
errors++;
}
}
else {
const err348 = {instancePath:instancePath+"/status/device/lastGood/bootID",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/bootID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err348];
}
else {
vErrors.push(err348);
}
errors++;
}
}
if(data145.gpus !== undefined){
let data147 = data145.gpus;
if(Array.isArray(data147)){
if(data147.length > 64){
const err349 = {instancePath:instancePath+"/status/device/lastGood/gpus",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err349];
}
else {
vErrors.push(err349);
}
errors++;
}
const len16 = data147.length;
for(let i16=0; i16<len16; i16++){
let data148 = data147[i16];
if(data148 && typeof data148 == "object" && !Array.isArray(data148)){
if(data148.uuid === undefined){
const err350 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/required",keyword:"required",params:{missingProperty: "uuid"},message:"must have required property '"+"uuid"+"'"};
if(vErrors === null){
vErrors = [err350];
}
else {
vErrors.push(err350);
}
errors++;
}
for(const key25 in data148){
if(!((((key25 === "uuid") || (key25 === "mig")) || (key25 === "placements")) || (key25 === "unsettled"))){
const err351 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key25},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err351];
}
else {
vErrors.push(err351);
}
errors++;
}
}
if(data148.uuid !== undefined){
let data149 = data148.uuid;
if(typeof data149 === "string"){
if(func2(data149) > 64){
const err352 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/uuid",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err352];
}
else {
vErrors.push(err352);
}
errors++;
}
}
else {
const err353 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/uuid",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err353];
}
else {
vErrors.push(err353);
}
errors++;
}
}
if(data148.mig !== undefined){
let data150 = data148.mig;
if(typeof data150 !== "string"){
const err354 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/mig",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err354];
}
else {
vErrors.push(err354);
}
errors++;
}
if(!((data150 === "Enabled") || (data150 === "Disabled"))){
const err355 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/mig",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.lastGood.properties.gpus.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err355];
}
else {
vErrors.push(err355);
}
errors++;
}
}
if(data148.placements !== undefined){
let data151 = data148.placements;
if(Array.isArray(data151)){
if(data151.length > 16){
const err356 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/placements",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/placements/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err356];
}
else {
vErrors.push(err356);
}
errors++;
}
const len17 = data151.length;
for(let i17=0; i17<len17; i17++){
let data152 = data151[i17];
if(typeof data152 === "string"){
if(func2(data152) > 48){
const err357 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/placements/" + i17,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/placements/items/maxLength",keyword:"maxLength",params:{limit: 48},message:"must NOT have more than 48 characters"};
if(vErrors === null){
vErrors = [err357];
}
else {
vErrors.push(err357);
}
errors++;
}
}
else {
const err358 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/placements/" + i17,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/placements/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err358];
}
else {
vErrors.push(err358);
}
errors++;
}
}
}
else {
const err359 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/placements",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/placements/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err359];
}
else {
vErrors.push(err359);
}
errors++;
}
}
if(data148.unsettled !== undefined){
let data153 = data148.unsettled;
if(data153 && typeof data153 == "object" && !Array.isArray(data153)){
if(Object.keys(data153).length > 32){
const err360 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/unsettled",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/unsettled/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err360];
}
else {
vErrors.push(err360);
}
errors++;
}
for(const key26 in data153){
let data154 = data153[key26];
if(!((typeof data154 == "number") && (!(data154 % 1) && !isNaN(data154)))){
const err361 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/unsettled/" + key26.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/unsettled/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err361];
}
else {
vErrors.push(err361);
}
errors++;
}
if(typeof data154 == "number"){
if(data154 > 16 || isNaN(data154)){
const err362 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/unsettled/" + key26.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/unsettled/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err362];
}
else {
vErrors.push(err362);
}
errors++;
}
if(data154 < 1 || isNaN(data154)){
const err363 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/unsettled/" + key26.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/unsettled/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err363];
}
else {
vErrors.push(err363);
}
errors++;
}
}
}
}
else {
const err364 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16+"/unsettled",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/unsettled/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err364];
}
else {
vErrors.push(err364);
}
errors++;
}
}
}
else {
const err365 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i16,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err365];
}
else {
vErrors.push(err365);
}
errors++;
}
}
}
else {
const err366 = {instancePath:instancePath+"/status/device/lastGood/gpus",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err366];
}
else {
vErrors.push(err366);
}
errors++;
}
}
}
else {
const err367 = {instancePath:instancePath+"/status/device/lastGood",schemaPath:"#/properties/status/properties/device/properties/lastGood/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err367];
}
else {
vErrors.push(err367);
}
errors++;
}
}
}
else {
const err368 = {instancePath:instancePath+"/status/device",schemaPath:"#/properties/status/properties/device/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err368];
}
else {
vErrors.push(err368);
}
errors++;
}
}
}
else {
const err369 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err369];
}
else {
vErrors.push(err369);
}
errors++;
}
}
}
else {
const err370 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err370];
}
else {
vErrors.push(err370);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
