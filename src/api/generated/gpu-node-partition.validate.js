// Generated from crds/ by build/generate.mjs. Do not edit: change the CRD and run `make generate`.
"use strict";
export const validate = validate10;
export default validate10;
const schema11 = {"type":"object","description":"GpuNodePartition is one node's GPUs: what they shall become (spec, written by the controller) and what they are (status.device, written by the node's agent). It is named after its Node, is owned by it, and is made by the controller; users read it.","required":["apiVersion","kind","metadata","spec"],"properties":{"apiVersion":{"type":"string","const":"gpupartition.dev/v1alpha1"},"kind":{"type":"string","const":"GpuNodePartition"},"metadata":{"type":"object","additionalProperties":true,"required":["name"],"properties":{"name":{"type":"string"},"uid":{"type":"string"},"generation":{"type":"integer"},"resourceVersion":{"type":"string"},"creationTimestamp":{"type":"string"},"deletionTimestamp":{"type":"string"},"labels":{"type":"object","additionalProperties":{"type":"string"}},"annotations":{"type":"object","additionalProperties":{"type":"string"}}}},"spec":{"type":"object","required":["nodeUID"],"description":"Written by the controller alone.","properties":{"nodeUID":{"type":"string","minLength":1,"maxLength":64,"description":"UID of the Node. An agent of another node uid may not write here."},"policy":{"type":"object","required":["name","generation"],"description":"The policy that decides over this node; absent where none does.","properties":{"name":{"type":"string","maxLength":63,"description":"Name of the GpuPartitionPolicy."},"generation":{"type":"integer","description":"Its generation when the wish was made."}},"additionalProperties":false},"strategy":{"type":"string","enum":["none","single","mixed"],"description":"Strategy of the policy."},"wish":{"type":"object","required":["gpus"],"description":"What each GPU shall become. Plans are made on it; nothing is changed because of it.","properties":{"gpus":{"type":"array","description":"One entry per GPU that the policy decides over; other GPUs are left alone.","maxItems":64,"items":{"type":"object","required":["uuid"],"properties":{"uuid":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F-]{1,59}$","description":"UUID of the GPU."},"profiles":{"type":"object","description":"Profile to count; empty means MIG mode on without instances.","maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"mig":{"type":"string","enum":["Disabled"],"description":"MIG mode off."},"entry":{"type":"string","maxLength":24,"pattern":"^[0-9a-f]{16}(-[0-9]{1,2})?$","description":"Which entry with a count chose the GPU, as a hash of its selector: an edit of its layout keeps the GPUs that it has. Absent where the entry has no count."}},"additionalProperties":false}},"replaceForeignInstances":{"type":"boolean","description":"Plans may destroy GPU instances that this operator did not make."}},"additionalProperties":false},"granted":{"type":"object","required":["gpus","epoch","planHash","deadline"],"description":"The wish that the agent may act on. It makes the device equal to this, never to wish.","properties":{"gpus":{"type":"array","description":"As wish.gpus.","maxItems":64,"items":{"type":"object","required":["uuid"],"properties":{"uuid":{"type":"string","maxLength":64,"pattern":"^GPU-[0-9a-fA-F-]{1,59}$","description":"UUID of the GPU."},"profiles":{"type":"object","description":"Profile to count; empty means MIG mode on without instances.","maxProperties":32,"additionalProperties":{"type":"integer","minimum":1,"maximum":16}},"mig":{"type":"string","enum":["Disabled"],"description":"MIG mode off."},"entry":{"type":"string","maxLength":24,"pattern":"^[0-9a-f]{16}(-[0-9]{1,2})?$","description":"Which entry with a count chose the GPU, as a hash of its selector: an edit of its layout keeps the GPUs that it has. Absent where the entry has no count."}},"additionalProperties":false}},"epoch":{"type":"integer","minimum":1,"description":"Counts the grants of this object. An agent never acts on a lower one than it has seen."},"planHash":{"type":"string","maxLength":64,"description":"Hash of the plan that was looked at. The agent destroys only what that plan names."},"deadline":{"type":"string","description":"The agent starts nothing after it."},"allowGpuReset":{"type":"boolean","description":"May reset a single GPU where a MIG mode change needs it."},"allowReboot":{"type":"boolean","description":"May ask for a reboot (kured's sentinel file) where a MIG mode change needs one."},"replaceForeignInstances":{"type":"boolean","description":"May destroy GPU instances that this operator did not make."},"rollback":{"type":"string","enum":["OnFailure","Never"],"description":"OnFailure: a GPU that fails returns to what it was, placements included."}},"additionalProperties":false},"repairs":{"type":"array","description":"When the layout was granted again because something else had changed the device; the newest last.","maxItems":8,"items":{"type":"string"}}},"additionalProperties":false},"status":{"type":"object","properties":{"phase":{"type":"string","enum":["Unmanaged","Pending","Waiting","Updating","Ready","Failed","Invalid"],"description":"Where the node is. Written by the controller."},"layout":{"type":"string","maxLength":512,"description":"Short text of the layout that is on the device."},"writerMode":{"type":"string","enum":["Patch","Verify"],"description":"Who writes the nvidia.com labels: Patch (the controller) or Verify (GPU Feature Discovery; the controller compares)."},"conditions":{"type":"array","description":"Ready, Waiting and others. Written by the controller.","maxItems":16,"items":{"type":"object","required":["type","status","reason","message","lastTransitionTime"],"properties":{"type":{"type":"string","maxLength":316,"description":"Name of the condition."},"status":{"type":"string","enum":["True","False","Unknown"],"description":"Whether it holds."},"reason":{"type":"string","maxLength":1024,"description":"One word for programs."},"message":{"type":"string","maxLength":8192,"description":"A sentence for people."},"lastTransitionTime":{"type":"string","description":"When the status changed last."},"observedGeneration":{"type":"integer","description":"Generation of the spec that it is about."}},"additionalProperties":false}},"device":{"type":"object","description":"What the device really is. Written by the node's agent alone.","properties":{"agentVersion":{"type":"string","maxLength":64,"description":"Version of the agent."},"bootID":{"type":"string","maxLength":64,"description":"Boot id of the node when the device was read."},"driverVersion":{"type":"string","maxLength":64,"description":"Version of NVIDIA's driver."},"cudaVersion":{"type":"string","maxLength":16,"description":"CUDA version of the driver."},"machine":{"type":"string","maxLength":128,"description":"Product name of the machine (DMI)."},"observedEpoch":{"type":"integer","minimum":0,"description":"Last grant that the agent has finished with, well or not."},"step":{"type":"string","enum":["Idle","Applying","Failed","Unknown"],"description":"What the agent is at."},"nextRetryTime":{"type":"string","description":"When it tries again by itself."},"error":{"type":"object","required":["code","message"],"description":"Why the last grant or reading failed; absent when it did not.","properties":{"code":{"type":"string","maxLength":64,"description":"Code from docs/errors.md."},"message":{"type":"string","maxLength":1024,"description":"What was tried, what was found, what to do."},"gpu":{"type":"string","maxLength":64,"description":"UUID of the GPU."}},"additionalProperties":false},"plan":{"type":"object","required":["hash","wishHash","keep","destroy","create"],"description":"What it takes to make the device equal to wish.","properties":{"hash":{"type":"string","maxLength":64,"description":"Hash of every step."},"wishHash":{"type":"string","maxLength":64,"description":"Hash of the wish that it is for."},"keep":{"type":"integer","minimum":0,"maximum":1024,"description":"GPU instances that stay."},"destroy":{"type":"integer","minimum":0,"maximum":1024,"description":"GPU instances that go."},"create":{"type":"integer","minimum":0,"maximum":1024,"description":"GPU instances that are made."},"gpusChanging":{"type":"integer","minimum":0,"maximum":64,"description":"GPUs that differ."},"modeChanges":{"type":"integer","minimum":0,"maximum":64,"description":"GPUs whose MIG mode changes: nobody may have them open."},"affectedPods":{"type":"array","maxItems":64,"items":{"type":"string","maxLength":320},"description":"NAMESPACE/NAME of pods that hold what the wish needs gone."},"refusalCode":{"type":"string","enum":["InUse","Foreign","Impossible","Lost"],"description":"Why not: InUse (somebody uses what the plan must destroy), Foreign (it would destroy instances that this operator did not make), Impossible (the live device cannot take it), Lost (a GPU does not answer)."},"refusal":{"type":"string","maxLength":1024,"description":"Why the wish cannot be met on the live device."}},"additionalProperties":false},"advertised":{"type":"object","required":["stale"],"description":"What the kubelet offers on the device plugin's word (PodResources); absent where the kubelet was not asked or did not answer.","properties":{"resources":{"type":"object","description":"Resource name to count; absent where nothing is offered (server-side apply would make null of an empty map).","maxProperties":64,"additionalProperties":{"type":"integer","minimum":0,"maximum":1000000}},"stale":{"type":"integer","minimum":0,"maximum":1000000,"description":"Device ids among them that the node does not have: the plugin has not looked since the devices changed."}},"additionalProperties":false},"models":{"type":"array","description":"Profile tables of the driver, once for each model.","maxItems":8,"items":{"type":"object","required":["product","computeSlices","memorySlices","profiles"],"properties":{"product":{"type":"string","maxLength":128,"description":"Product name as nvidia-smi prints it."},"computeSlices":{"type":"integer","minimum":0,"maximum":16,"description":"Compute slices of the GPU."},"memorySlices":{"type":"integer","minimum":0,"maximum":16,"description":"Placement units of the GPU."},"profiles":{"type":"array","description":"In the order of nvidia-smi mig -lgip.","maxItems":32,"items":{"type":"object","required":["name","computeSlices","memorySlices","starts","maxInstances"],"properties":{"name":{"type":"string","maxLength":32,"description":"Profile name."},"id":{"type":"integer","minimum":0,"maximum":1023,"description":"GPU instance profile id."},"computeSlices":{"type":"integer","minimum":0,"maximum":16,"description":"Compute slices."},"memorySlices":{"type":"integer","minimum":0,"maximum":16,"description":"Placement size."},"starts":{"type":"array","maxItems":16,"items":{"type":"integer","minimum":0,"maximum":15},"description":"Possible starts."},"maxInstances":{"type":"integer","minimum":0,"maximum":16,"description":"Most instances on a GPU."},"memoryMiB":{"type":"integer","minimum":0,"maximum":16777216,"description":"Memory of an instance."},"multiprocessors":{"type":"integer","minimum":0,"maximum":4096,"description":"Streaming multiprocessors of an instance."},"engines":{"type":"array","maxItems":5,"items":{"type":"integer","minimum":0,"maximum":1024},"description":"Engines: copy, decoder, encoder, jpeg, ofa."}},"additionalProperties":false}}},"additionalProperties":false}},"gpus":{"type":"array","description":"The GPUs in the order of nvidia-smi.","maxItems":64,"items":{"type":"object","required":["uuid","index","pciBusId","product","instances"],"properties":{"uuid":{"type":"string","maxLength":64,"description":"UUID of the GPU."},"index":{"type":"integer","minimum":0,"maximum":255,"description":"Index of the GPU."},"pciBusId":{"type":"string","maxLength":32,"description":"PCI bus id."},"pciDeviceId":{"type":"string","maxLength":10,"description":"PCI device id: 0x20B010DE."},"pciClass":{"type":"string","maxLength":10,"description":"PCI class: 0x030200."},"product":{"type":"string","maxLength":128,"description":"Product name as nvidia-smi prints it."},"memoryMiB":{"type":"integer","minimum":0,"maximum":16777216,"description":"Memory of the GPU."},"computeCapability":{"type":"string","maxLength":8,"description":"CUDA compute capability: 8.0."},"migCapable":{"type":"boolean","description":"Whether the GPU knows MIG."},"mig":{"type":"string","enum":["Enabled","Disabled"],"description":"MIG mode now; absent where the GPU has none."},"migPending":{"type":"string","enum":["Enabled","Disabled"],"description":"MIG mode after a reset."},"busy":{"type":"boolean","description":"True if a process runs on the GPU outside of its instances; absent otherwise."},"pods":{"type":"array","maxItems":16,"items":{"type":"string","maxLength":320},"description":"NAMESPACE/NAME of pods that hold the whole GPU, as the kubelet says."},"error":{"type":"string","maxLength":256,"description":"Why the GPU cannot be used, such as GpuLost."},"instances":{"type":"array","description":"GPU instances by start.","maxItems":16,"items":{"type":"object","required":["profile","gi","start","computeInstances"],"properties":{"profile":{"type":"string","maxLength":32,"description":"Profile of the GPU instance."},"gi":{"type":"integer","minimum":0,"maximum":65535,"description":"GPU instance id."},"start":{"type":"integer","minimum":0,"maximum":15,"description":"First placement unit."},"busy":{"type":"boolean","description":"True if a process runs on it or a pod holds it; absent otherwise."},"pods":{"type":"array","maxItems":16,"items":{"type":"string","maxLength":320},"description":"NAMESPACE/NAME of pods that hold it, as the kubelet says."},"computeInstances":{"type":"array","description":"Compute instances on it.","maxItems":8,"items":{"type":"object","required":["profile"],"properties":{"profile":{"type":"string","maxLength":32,"description":"Profile as nvidia-smi -L prints it: 1g.5gb or 1c.3g.20gb."},"uuid":{"type":"string","maxLength":64,"description":"UUID of the MIG device."},"memoryMiB":{"type":"integer","minimum":0,"maximum":16777216,"description":"Memory of the MIG device."},"multiprocessors":{"type":"integer","minimum":0,"maximum":4096,"description":"Streaming multiprocessors."},"engines":{"type":"array","maxItems":5,"items":{"type":"integer","minimum":0,"maximum":1024},"description":"Engines: copy, decoder, encoder, jpeg, ofa."}},"additionalProperties":false}}},"additionalProperties":false}}},"additionalProperties":false}},"lastGood":{"type":"object","description":"The layout that the agent verified last, placements included.","properties":{"bootID":{"type":"string","maxLength":64,"description":"Boot id at that time."},"gpus":{"type":"array","description":"One entry per GPU.","maxItems":64,"items":{"type":"object","required":["uuid"],"properties":{"uuid":{"type":"string","maxLength":64,"description":"UUID of the GPU."},"mig":{"type":"string","enum":["Enabled","Disabled"],"description":"MIG mode."},"placements":{"type":"array","maxItems":16,"items":{"type":"string","maxLength":48},"description":"PROFILE@START of each GPU instance."}},"additionalProperties":false}}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false}},"additionalProperties":false,"title":"GpuNodePartition"};
import func2Module from "ajv/dist/runtime/ucs2length.js";
const func2 = func2Module.default;
const func14 = Object.prototype.hasOwnProperty;
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
if(!((key4 === "name") || (key4 === "generation"))){
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
if(data15.generation !== undefined){
let data17 = data15.generation;
if(!((typeof data17 == "number") && (!(data17 % 1) && !isNaN(data17)))){
const err31 = {instancePath:instancePath+"/spec/policy/generation",schemaPath:"#/properties/spec/properties/policy/properties/generation/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
}
else {
const err32 = {instancePath:instancePath+"/spec/policy",schemaPath:"#/properties/spec/properties/policy/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
}
if(data13.strategy !== undefined){
let data18 = data13.strategy;
if(typeof data18 !== "string"){
const err33 = {instancePath:instancePath+"/spec/strategy",schemaPath:"#/properties/spec/properties/strategy/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
if(!(((data18 === "none") || (data18 === "single")) || (data18 === "mixed"))){
const err34 = {instancePath:instancePath+"/spec/strategy",schemaPath:"#/properties/spec/properties/strategy/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.strategy.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
if(data13.wish !== undefined){
let data19 = data13.wish;
if(data19 && typeof data19 == "object" && !Array.isArray(data19)){
if(data19.gpus === undefined){
const err35 = {instancePath:instancePath+"/spec/wish",schemaPath:"#/properties/spec/properties/wish/required",keyword:"required",params:{missingProperty: "gpus"},message:"must have required property '"+"gpus"+"'"};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
for(const key5 in data19){
if(!((key5 === "gpus") || (key5 === "replaceForeignInstances"))){
const err36 = {instancePath:instancePath+"/spec/wish",schemaPath:"#/properties/spec/properties/wish/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key5},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
if(data19.gpus !== undefined){
let data20 = data19.gpus;
if(Array.isArray(data20)){
if(data20.length > 64){
const err37 = {instancePath:instancePath+"/spec/wish/gpus",schemaPath:"#/properties/spec/properties/wish/properties/gpus/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
const len0 = data20.length;
for(let i0=0; i0<len0; i0++){
let data21 = data20[i0];
if(data21 && typeof data21 == "object" && !Array.isArray(data21)){
if(data21.uuid === undefined){
const err38 = {instancePath:instancePath+"/spec/wish/gpus/" + i0,schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/required",keyword:"required",params:{missingProperty: "uuid"},message:"must have required property '"+"uuid"+"'"};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
for(const key6 in data21){
if(!((((key6 === "uuid") || (key6 === "profiles")) || (key6 === "mig")) || (key6 === "entry"))){
const err39 = {instancePath:instancePath+"/spec/wish/gpus/" + i0,schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key6},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
if(data21.uuid !== undefined){
let data22 = data21.uuid;
if(typeof data22 === "string"){
if(func2(data22) > 64){
const err40 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/uuid",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
if(!pattern0.test(data22)){
const err41 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/uuid",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/uuid/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F-]{1,59}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F-]{1,59}$"+"\""};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
else {
const err42 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/uuid",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
if(data21.profiles !== undefined){
let data23 = data21.profiles;
if(data23 && typeof data23 == "object" && !Array.isArray(data23)){
if(Object.keys(data23).length > 32){
const err43 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
for(const key7 in data23){
let data24 = data23[key7];
if(!((typeof data24 == "number") && (!(data24 % 1) && !isNaN(data24)))){
const err44 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
if(typeof data24 == "number"){
if(data24 > 16 || isNaN(data24)){
const err45 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
if(data24 < 1 || isNaN(data24)){
const err46 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles/" + key7.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
}
}
}
else {
const err47 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/profiles",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
if(data21.mig !== undefined){
let data25 = data21.mig;
if(typeof data25 !== "string"){
const err48 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/mig",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
if(!(data25 === "Disabled")){
const err49 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/mig",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.wish.properties.gpus.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
}
if(data21.entry !== undefined){
let data26 = data21.entry;
if(typeof data26 === "string"){
if(func2(data26) > 24){
const err50 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/entry",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/entry/maxLength",keyword:"maxLength",params:{limit: 24},message:"must NOT have more than 24 characters"};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
if(!pattern1.test(data26)){
const err51 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/entry",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/entry/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{16}(-[0-9]{1,2})?$"},message:"must match pattern \""+"^[0-9a-f]{16}(-[0-9]{1,2})?$"+"\""};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
else {
const err52 = {instancePath:instancePath+"/spec/wish/gpus/" + i0+"/entry",schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/properties/entry/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
}
}
else {
const err53 = {instancePath:instancePath+"/spec/wish/gpus/" + i0,schemaPath:"#/properties/spec/properties/wish/properties/gpus/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
}
}
else {
const err54 = {instancePath:instancePath+"/spec/wish/gpus",schemaPath:"#/properties/spec/properties/wish/properties/gpus/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
if(data19.replaceForeignInstances !== undefined){
if(typeof data19.replaceForeignInstances !== "boolean"){
const err55 = {instancePath:instancePath+"/spec/wish/replaceForeignInstances",schemaPath:"#/properties/spec/properties/wish/properties/replaceForeignInstances/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
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
const err56 = {instancePath:instancePath+"/spec/wish",schemaPath:"#/properties/spec/properties/wish/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
if(data13.granted !== undefined){
let data28 = data13.granted;
if(data28 && typeof data28 == "object" && !Array.isArray(data28)){
if(data28.gpus === undefined){
const err57 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/required",keyword:"required",params:{missingProperty: "gpus"},message:"must have required property '"+"gpus"+"'"};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
if(data28.epoch === undefined){
const err58 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/required",keyword:"required",params:{missingProperty: "epoch"},message:"must have required property '"+"epoch"+"'"};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
if(data28.planHash === undefined){
const err59 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/required",keyword:"required",params:{missingProperty: "planHash"},message:"must have required property '"+"planHash"+"'"};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
if(data28.deadline === undefined){
const err60 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/required",keyword:"required",params:{missingProperty: "deadline"},message:"must have required property '"+"deadline"+"'"};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
for(const key8 in data28){
if(!((((((((key8 === "gpus") || (key8 === "epoch")) || (key8 === "planHash")) || (key8 === "deadline")) || (key8 === "allowGpuReset")) || (key8 === "allowReboot")) || (key8 === "replaceForeignInstances")) || (key8 === "rollback"))){
const err61 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key8},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
}
if(data28.gpus !== undefined){
let data29 = data28.gpus;
if(Array.isArray(data29)){
if(data29.length > 64){
const err62 = {instancePath:instancePath+"/spec/granted/gpus",schemaPath:"#/properties/spec/properties/granted/properties/gpus/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
const len1 = data29.length;
for(let i1=0; i1<len1; i1++){
let data30 = data29[i1];
if(data30 && typeof data30 == "object" && !Array.isArray(data30)){
if(data30.uuid === undefined){
const err63 = {instancePath:instancePath+"/spec/granted/gpus/" + i1,schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/required",keyword:"required",params:{missingProperty: "uuid"},message:"must have required property '"+"uuid"+"'"};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
for(const key9 in data30){
if(!((((key9 === "uuid") || (key9 === "profiles")) || (key9 === "mig")) || (key9 === "entry"))){
const err64 = {instancePath:instancePath+"/spec/granted/gpus/" + i1,schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key9},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
if(data30.uuid !== undefined){
let data31 = data30.uuid;
if(typeof data31 === "string"){
if(func2(data31) > 64){
const err65 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/uuid",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
if(!pattern0.test(data31)){
const err66 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/uuid",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/uuid/pattern",keyword:"pattern",params:{pattern: "^GPU-[0-9a-fA-F-]{1,59}$"},message:"must match pattern \""+"^GPU-[0-9a-fA-F-]{1,59}$"+"\""};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
}
else {
const err67 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/uuid",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
}
if(data30.profiles !== undefined){
let data32 = data30.profiles;
if(data32 && typeof data32 == "object" && !Array.isArray(data32)){
if(Object.keys(data32).length > 32){
const err68 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/maxProperties",keyword:"maxProperties",params:{limit: 32},message:"must NOT have more than 32 properties"};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
for(const key10 in data32){
let data33 = data32[key10];
if(!((typeof data33 == "number") && (!(data33 % 1) && !isNaN(data33)))){
const err69 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
if(typeof data33 == "number"){
if(data33 > 16 || isNaN(data33)){
const err70 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
if(data33 < 1 || isNaN(data33)){
const err71 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles/" + key10.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
}
}
}
else {
const err72 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/profiles",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/profiles/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
if(data30.mig !== undefined){
let data34 = data30.mig;
if(typeof data34 !== "string"){
const err73 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/mig",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
if(!(data34 === "Disabled")){
const err74 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/mig",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.granted.properties.gpus.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
}
if(data30.entry !== undefined){
let data35 = data30.entry;
if(typeof data35 === "string"){
if(func2(data35) > 24){
const err75 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/entry",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/entry/maxLength",keyword:"maxLength",params:{limit: 24},message:"must NOT have more than 24 characters"};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
if(!pattern1.test(data35)){
const err76 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/entry",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/entry/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{16}(-[0-9]{1,2})?$"},message:"must match pattern \""+"^[0-9a-f]{16}(-[0-9]{1,2})?$"+"\""};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
}
else {
const err77 = {instancePath:instancePath+"/spec/granted/gpus/" + i1+"/entry",schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/properties/entry/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
}
}
else {
const err78 = {instancePath:instancePath+"/spec/granted/gpus/" + i1,schemaPath:"#/properties/spec/properties/granted/properties/gpus/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
}
else {
const err79 = {instancePath:instancePath+"/spec/granted/gpus",schemaPath:"#/properties/spec/properties/granted/properties/gpus/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
}
if(data28.epoch !== undefined){
let data36 = data28.epoch;
if(!((typeof data36 == "number") && (!(data36 % 1) && !isNaN(data36)))){
const err80 = {instancePath:instancePath+"/spec/granted/epoch",schemaPath:"#/properties/spec/properties/granted/properties/epoch/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
if(typeof data36 == "number"){
if(data36 < 1 || isNaN(data36)){
const err81 = {instancePath:instancePath+"/spec/granted/epoch",schemaPath:"#/properties/spec/properties/granted/properties/epoch/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
}
}
if(data28.planHash !== undefined){
let data37 = data28.planHash;
if(typeof data37 === "string"){
if(func2(data37) > 64){
const err82 = {instancePath:instancePath+"/spec/granted/planHash",schemaPath:"#/properties/spec/properties/granted/properties/planHash/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
}
else {
const err83 = {instancePath:instancePath+"/spec/granted/planHash",schemaPath:"#/properties/spec/properties/granted/properties/planHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
}
if(data28.deadline !== undefined){
if(typeof data28.deadline !== "string"){
const err84 = {instancePath:instancePath+"/spec/granted/deadline",schemaPath:"#/properties/spec/properties/granted/properties/deadline/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
}
if(data28.allowGpuReset !== undefined){
if(typeof data28.allowGpuReset !== "boolean"){
const err85 = {instancePath:instancePath+"/spec/granted/allowGpuReset",schemaPath:"#/properties/spec/properties/granted/properties/allowGpuReset/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
}
if(data28.allowReboot !== undefined){
if(typeof data28.allowReboot !== "boolean"){
const err86 = {instancePath:instancePath+"/spec/granted/allowReboot",schemaPath:"#/properties/spec/properties/granted/properties/allowReboot/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
if(data28.replaceForeignInstances !== undefined){
if(typeof data28.replaceForeignInstances !== "boolean"){
const err87 = {instancePath:instancePath+"/spec/granted/replaceForeignInstances",schemaPath:"#/properties/spec/properties/granted/properties/replaceForeignInstances/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
}
if(data28.rollback !== undefined){
let data42 = data28.rollback;
if(typeof data42 !== "string"){
const err88 = {instancePath:instancePath+"/spec/granted/rollback",schemaPath:"#/properties/spec/properties/granted/properties/rollback/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
if(!((data42 === "OnFailure") || (data42 === "Never"))){
const err89 = {instancePath:instancePath+"/spec/granted/rollback",schemaPath:"#/properties/spec/properties/granted/properties/rollback/enum",keyword:"enum",params:{allowedValues: schema11.properties.spec.properties.granted.properties.rollback.enum},message:"must be equal to one of the allowed values"};
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
else {
const err90 = {instancePath:instancePath+"/spec/granted",schemaPath:"#/properties/spec/properties/granted/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
}
if(data13.repairs !== undefined){
let data43 = data13.repairs;
if(Array.isArray(data43)){
if(data43.length > 8){
const err91 = {instancePath:instancePath+"/spec/repairs",schemaPath:"#/properties/spec/properties/repairs/maxItems",keyword:"maxItems",params:{limit: 8},message:"must NOT have more than 8 items"};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
const len2 = data43.length;
for(let i2=0; i2<len2; i2++){
if(typeof data43[i2] !== "string"){
const err92 = {instancePath:instancePath+"/spec/repairs/" + i2,schemaPath:"#/properties/spec/properties/repairs/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
}
}
else {
const err93 = {instancePath:instancePath+"/spec/repairs",schemaPath:"#/properties/spec/properties/repairs/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
}
}
else {
const err94 = {instancePath:instancePath+"/spec",schemaPath:"#/properties/spec/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
}
if(data.status !== undefined){
let data45 = data.status;
if(data45 && typeof data45 == "object" && !Array.isArray(data45)){
for(const key11 in data45){
if(!(((((key11 === "phase") || (key11 === "layout")) || (key11 === "writerMode")) || (key11 === "conditions")) || (key11 === "device"))){
const err95 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key11},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
}
if(data45.phase !== undefined){
let data46 = data45.phase;
if(typeof data46 !== "string"){
const err96 = {instancePath:instancePath+"/status/phase",schemaPath:"#/properties/status/properties/phase/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
if(!(((((((data46 === "Unmanaged") || (data46 === "Pending")) || (data46 === "Waiting")) || (data46 === "Updating")) || (data46 === "Ready")) || (data46 === "Failed")) || (data46 === "Invalid"))){
const err97 = {instancePath:instancePath+"/status/phase",schemaPath:"#/properties/status/properties/phase/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.phase.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
}
}
if(data45.layout !== undefined){
let data47 = data45.layout;
if(typeof data47 === "string"){
if(func2(data47) > 512){
const err98 = {instancePath:instancePath+"/status/layout",schemaPath:"#/properties/status/properties/layout/maxLength",keyword:"maxLength",params:{limit: 512},message:"must NOT have more than 512 characters"};
if(vErrors === null){
vErrors = [err98];
}
else {
vErrors.push(err98);
}
errors++;
}
}
else {
const err99 = {instancePath:instancePath+"/status/layout",schemaPath:"#/properties/status/properties/layout/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err99];
}
else {
vErrors.push(err99);
}
errors++;
}
}
if(data45.writerMode !== undefined){
let data48 = data45.writerMode;
if(typeof data48 !== "string"){
const err100 = {instancePath:instancePath+"/status/writerMode",schemaPath:"#/properties/status/properties/writerMode/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err100];
}
else {
vErrors.push(err100);
}
errors++;
}
if(!((data48 === "Patch") || (data48 === "Verify"))){
const err101 = {instancePath:instancePath+"/status/writerMode",schemaPath:"#/properties/status/properties/writerMode/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.writerMode.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err101];
}
else {
vErrors.push(err101);
}
errors++;
}
}
if(data45.conditions !== undefined){
let data49 = data45.conditions;
if(Array.isArray(data49)){
if(data49.length > 16){
const err102 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err102];
}
else {
vErrors.push(err102);
}
errors++;
}
const len3 = data49.length;
for(let i3=0; i3<len3; i3++){
let data50 = data49[i3];
if(data50 && typeof data50 == "object" && !Array.isArray(data50)){
if(data50.type === undefined){
const err103 = {instancePath:instancePath+"/status/conditions/" + i3,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "type"},message:"must have required property '"+"type"+"'"};
if(vErrors === null){
vErrors = [err103];
}
else {
vErrors.push(err103);
}
errors++;
}
if(data50.status === undefined){
const err104 = {instancePath:instancePath+"/status/conditions/" + i3,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "status"},message:"must have required property '"+"status"+"'"};
if(vErrors === null){
vErrors = [err104];
}
else {
vErrors.push(err104);
}
errors++;
}
if(data50.reason === undefined){
const err105 = {instancePath:instancePath+"/status/conditions/" + i3,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "reason"},message:"must have required property '"+"reason"+"'"};
if(vErrors === null){
vErrors = [err105];
}
else {
vErrors.push(err105);
}
errors++;
}
if(data50.message === undefined){
const err106 = {instancePath:instancePath+"/status/conditions/" + i3,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err106];
}
else {
vErrors.push(err106);
}
errors++;
}
if(data50.lastTransitionTime === undefined){
const err107 = {instancePath:instancePath+"/status/conditions/" + i3,schemaPath:"#/properties/status/properties/conditions/items/required",keyword:"required",params:{missingProperty: "lastTransitionTime"},message:"must have required property '"+"lastTransitionTime"+"'"};
if(vErrors === null){
vErrors = [err107];
}
else {
vErrors.push(err107);
}
errors++;
}
for(const key12 in data50){
if(!((((((key12 === "type") || (key12 === "status")) || (key12 === "reason")) || (key12 === "message")) || (key12 === "lastTransitionTime")) || (key12 === "observedGeneration"))){
const err108 = {instancePath:instancePath+"/status/conditions/" + i3,schemaPath:"#/properties/status/properties/conditions/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key12},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err108];
}
else {
vErrors.push(err108);
}
errors++;
}
}
if(data50.type !== undefined){
let data51 = data50.type;
if(typeof data51 === "string"){
if(func2(data51) > 316){
const err109 = {instancePath:instancePath+"/status/conditions/" + i3+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/maxLength",keyword:"maxLength",params:{limit: 316},message:"must NOT have more than 316 characters"};
if(vErrors === null){
vErrors = [err109];
}
else {
vErrors.push(err109);
}
errors++;
}
}
else {
const err110 = {instancePath:instancePath+"/status/conditions/" + i3+"/type",schemaPath:"#/properties/status/properties/conditions/items/properties/type/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err110];
}
else {
vErrors.push(err110);
}
errors++;
}
}
if(data50.status !== undefined){
let data52 = data50.status;
if(typeof data52 !== "string"){
const err111 = {instancePath:instancePath+"/status/conditions/" + i3+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err111];
}
else {
vErrors.push(err111);
}
errors++;
}
if(!(((data52 === "True") || (data52 === "False")) || (data52 === "Unknown"))){
const err112 = {instancePath:instancePath+"/status/conditions/" + i3+"/status",schemaPath:"#/properties/status/properties/conditions/items/properties/status/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.conditions.items.properties.status.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err112];
}
else {
vErrors.push(err112);
}
errors++;
}
}
if(data50.reason !== undefined){
let data53 = data50.reason;
if(typeof data53 === "string"){
if(func2(data53) > 1024){
const err113 = {instancePath:instancePath+"/status/conditions/" + i3+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err113];
}
else {
vErrors.push(err113);
}
errors++;
}
}
else {
const err114 = {instancePath:instancePath+"/status/conditions/" + i3+"/reason",schemaPath:"#/properties/status/properties/conditions/items/properties/reason/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err114];
}
else {
vErrors.push(err114);
}
errors++;
}
}
if(data50.message !== undefined){
let data54 = data50.message;
if(typeof data54 === "string"){
if(func2(data54) > 8192){
const err115 = {instancePath:instancePath+"/status/conditions/" + i3+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/maxLength",keyword:"maxLength",params:{limit: 8192},message:"must NOT have more than 8192 characters"};
if(vErrors === null){
vErrors = [err115];
}
else {
vErrors.push(err115);
}
errors++;
}
}
else {
const err116 = {instancePath:instancePath+"/status/conditions/" + i3+"/message",schemaPath:"#/properties/status/properties/conditions/items/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err116];
}
else {
vErrors.push(err116);
}
errors++;
}
}
if(data50.lastTransitionTime !== undefined){
if(typeof data50.lastTransitionTime !== "string"){
const err117 = {instancePath:instancePath+"/status/conditions/" + i3+"/lastTransitionTime",schemaPath:"#/properties/status/properties/conditions/items/properties/lastTransitionTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err117];
}
else {
vErrors.push(err117);
}
errors++;
}
}
if(data50.observedGeneration !== undefined){
let data56 = data50.observedGeneration;
if(!((typeof data56 == "number") && (!(data56 % 1) && !isNaN(data56)))){
const err118 = {instancePath:instancePath+"/status/conditions/" + i3+"/observedGeneration",schemaPath:"#/properties/status/properties/conditions/items/properties/observedGeneration/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
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
else {
const err119 = {instancePath:instancePath+"/status/conditions/" + i3,schemaPath:"#/properties/status/properties/conditions/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err120 = {instancePath:instancePath+"/status/conditions",schemaPath:"#/properties/status/properties/conditions/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err120];
}
else {
vErrors.push(err120);
}
errors++;
}
}
if(data45.device !== undefined){
let data57 = data45.device;
if(data57 && typeof data57 == "object" && !Array.isArray(data57)){
for(const key13 in data57){
if(!(func14.call(schema11.properties.status.properties.device.properties, key13))){
const err121 = {instancePath:instancePath+"/status/device",schemaPath:"#/properties/status/properties/device/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key13},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err121];
}
else {
vErrors.push(err121);
}
errors++;
}
}
if(data57.agentVersion !== undefined){
let data58 = data57.agentVersion;
if(typeof data58 === "string"){
if(func2(data58) > 64){
const err122 = {instancePath:instancePath+"/status/device/agentVersion",schemaPath:"#/properties/status/properties/device/properties/agentVersion/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err122];
}
else {
vErrors.push(err122);
}
errors++;
}
}
else {
const err123 = {instancePath:instancePath+"/status/device/agentVersion",schemaPath:"#/properties/status/properties/device/properties/agentVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err123];
}
else {
vErrors.push(err123);
}
errors++;
}
}
if(data57.bootID !== undefined){
let data59 = data57.bootID;
if(typeof data59 === "string"){
if(func2(data59) > 64){
const err124 = {instancePath:instancePath+"/status/device/bootID",schemaPath:"#/properties/status/properties/device/properties/bootID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err124];
}
else {
vErrors.push(err124);
}
errors++;
}
}
else {
const err125 = {instancePath:instancePath+"/status/device/bootID",schemaPath:"#/properties/status/properties/device/properties/bootID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err125];
}
else {
vErrors.push(err125);
}
errors++;
}
}
if(data57.driverVersion !== undefined){
let data60 = data57.driverVersion;
if(typeof data60 === "string"){
if(func2(data60) > 64){
const err126 = {instancePath:instancePath+"/status/device/driverVersion",schemaPath:"#/properties/status/properties/device/properties/driverVersion/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err126];
}
else {
vErrors.push(err126);
}
errors++;
}
}
else {
const err127 = {instancePath:instancePath+"/status/device/driverVersion",schemaPath:"#/properties/status/properties/device/properties/driverVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err127];
}
else {
vErrors.push(err127);
}
errors++;
}
}
if(data57.cudaVersion !== undefined){
let data61 = data57.cudaVersion;
if(typeof data61 === "string"){
if(func2(data61) > 16){
const err128 = {instancePath:instancePath+"/status/device/cudaVersion",schemaPath:"#/properties/status/properties/device/properties/cudaVersion/maxLength",keyword:"maxLength",params:{limit: 16},message:"must NOT have more than 16 characters"};
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
const err129 = {instancePath:instancePath+"/status/device/cudaVersion",schemaPath:"#/properties/status/properties/device/properties/cudaVersion/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err129];
}
else {
vErrors.push(err129);
}
errors++;
}
}
if(data57.machine !== undefined){
let data62 = data57.machine;
if(typeof data62 === "string"){
if(func2(data62) > 128){
const err130 = {instancePath:instancePath+"/status/device/machine",schemaPath:"#/properties/status/properties/device/properties/machine/maxLength",keyword:"maxLength",params:{limit: 128},message:"must NOT have more than 128 characters"};
if(vErrors === null){
vErrors = [err130];
}
else {
vErrors.push(err130);
}
errors++;
}
}
else {
const err131 = {instancePath:instancePath+"/status/device/machine",schemaPath:"#/properties/status/properties/device/properties/machine/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err131];
}
else {
vErrors.push(err131);
}
errors++;
}
}
if(data57.observedEpoch !== undefined){
let data63 = data57.observedEpoch;
if(!((typeof data63 == "number") && (!(data63 % 1) && !isNaN(data63)))){
const err132 = {instancePath:instancePath+"/status/device/observedEpoch",schemaPath:"#/properties/status/properties/device/properties/observedEpoch/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err132];
}
else {
vErrors.push(err132);
}
errors++;
}
if(typeof data63 == "number"){
if(data63 < 0 || isNaN(data63)){
const err133 = {instancePath:instancePath+"/status/device/observedEpoch",schemaPath:"#/properties/status/properties/device/properties/observedEpoch/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err133];
}
else {
vErrors.push(err133);
}
errors++;
}
}
}
if(data57.step !== undefined){
let data64 = data57.step;
if(typeof data64 !== "string"){
const err134 = {instancePath:instancePath+"/status/device/step",schemaPath:"#/properties/status/properties/device/properties/step/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err134];
}
else {
vErrors.push(err134);
}
errors++;
}
if(!((((data64 === "Idle") || (data64 === "Applying")) || (data64 === "Failed")) || (data64 === "Unknown"))){
const err135 = {instancePath:instancePath+"/status/device/step",schemaPath:"#/properties/status/properties/device/properties/step/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.step.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err135];
}
else {
vErrors.push(err135);
}
errors++;
}
}
if(data57.nextRetryTime !== undefined){
if(typeof data57.nextRetryTime !== "string"){
const err136 = {instancePath:instancePath+"/status/device/nextRetryTime",schemaPath:"#/properties/status/properties/device/properties/nextRetryTime/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err136];
}
else {
vErrors.push(err136);
}
errors++;
}
}
if(data57.error !== undefined){
let data66 = data57.error;
if(data66 && typeof data66 == "object" && !Array.isArray(data66)){
if(data66.code === undefined){
const err137 = {instancePath:instancePath+"/status/device/error",schemaPath:"#/properties/status/properties/device/properties/error/required",keyword:"required",params:{missingProperty: "code"},message:"must have required property '"+"code"+"'"};
if(vErrors === null){
vErrors = [err137];
}
else {
vErrors.push(err137);
}
errors++;
}
if(data66.message === undefined){
const err138 = {instancePath:instancePath+"/status/device/error",schemaPath:"#/properties/status/properties/device/properties/error/required",keyword:"required",params:{missingProperty: "message"},message:"must have required property '"+"message"+"'"};
if(vErrors === null){
vErrors = [err138];
}
else {
vErrors.push(err138);
}
errors++;
}
for(const key14 in data66){
if(!(((key14 === "code") || (key14 === "message")) || (key14 === "gpu"))){
const err139 = {instancePath:instancePath+"/status/device/error",schemaPath:"#/properties/status/properties/device/properties/error/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key14},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err139];
}
else {
vErrors.push(err139);
}
errors++;
}
}
if(data66.code !== undefined){
let data67 = data66.code;
if(typeof data67 === "string"){
if(func2(data67) > 64){
const err140 = {instancePath:instancePath+"/status/device/error/code",schemaPath:"#/properties/status/properties/device/properties/error/properties/code/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err140];
}
else {
vErrors.push(err140);
}
errors++;
}
}
else {
const err141 = {instancePath:instancePath+"/status/device/error/code",schemaPath:"#/properties/status/properties/device/properties/error/properties/code/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err141];
}
else {
vErrors.push(err141);
}
errors++;
}
}
if(data66.message !== undefined){
let data68 = data66.message;
if(typeof data68 === "string"){
if(func2(data68) > 1024){
const err142 = {instancePath:instancePath+"/status/device/error/message",schemaPath:"#/properties/status/properties/device/properties/error/properties/message/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err142];
}
else {
vErrors.push(err142);
}
errors++;
}
}
else {
const err143 = {instancePath:instancePath+"/status/device/error/message",schemaPath:"#/properties/status/properties/device/properties/error/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err143];
}
else {
vErrors.push(err143);
}
errors++;
}
}
if(data66.gpu !== undefined){
let data69 = data66.gpu;
if(typeof data69 === "string"){
if(func2(data69) > 64){
const err144 = {instancePath:instancePath+"/status/device/error/gpu",schemaPath:"#/properties/status/properties/device/properties/error/properties/gpu/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err144];
}
else {
vErrors.push(err144);
}
errors++;
}
}
else {
const err145 = {instancePath:instancePath+"/status/device/error/gpu",schemaPath:"#/properties/status/properties/device/properties/error/properties/gpu/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err145];
}
else {
vErrors.push(err145);
}
errors++;
}
}
}
else {
const err146 = {instancePath:instancePath+"/status/device/error",schemaPath:"#/properties/status/properties/device/properties/error/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err146];
}
else {
vErrors.push(err146);
}
errors++;
}
}
if(data57.plan !== undefined){
let data70 = data57.plan;
if(data70 && typeof data70 == "object" && !Array.isArray(data70)){
if(data70.hash === undefined){
const err147 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "hash"},message:"must have required property '"+"hash"+"'"};
if(vErrors === null){
vErrors = [err147];
}
else {
vErrors.push(err147);
}
errors++;
}
if(data70.wishHash === undefined){
const err148 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "wishHash"},message:"must have required property '"+"wishHash"+"'"};
if(vErrors === null){
vErrors = [err148];
}
else {
vErrors.push(err148);
}
errors++;
}
if(data70.keep === undefined){
const err149 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "keep"},message:"must have required property '"+"keep"+"'"};
if(vErrors === null){
vErrors = [err149];
}
else {
vErrors.push(err149);
}
errors++;
}
if(data70.destroy === undefined){
const err150 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "destroy"},message:"must have required property '"+"destroy"+"'"};
if(vErrors === null){
vErrors = [err150];
}
else {
vErrors.push(err150);
}
errors++;
}
if(data70.create === undefined){
const err151 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/required",keyword:"required",params:{missingProperty: "create"},message:"must have required property '"+"create"+"'"};
if(vErrors === null){
vErrors = [err151];
}
else {
vErrors.push(err151);
}
errors++;
}
for(const key15 in data70){
if(!(func14.call(schema11.properties.status.properties.device.properties.plan.properties, key15))){
const err152 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key15},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err152];
}
else {
vErrors.push(err152);
}
errors++;
}
}
if(data70.hash !== undefined){
let data71 = data70.hash;
if(typeof data71 === "string"){
if(func2(data71) > 64){
const err153 = {instancePath:instancePath+"/status/device/plan/hash",schemaPath:"#/properties/status/properties/device/properties/plan/properties/hash/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err153];
}
else {
vErrors.push(err153);
}
errors++;
}
}
else {
const err154 = {instancePath:instancePath+"/status/device/plan/hash",schemaPath:"#/properties/status/properties/device/properties/plan/properties/hash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err154];
}
else {
vErrors.push(err154);
}
errors++;
}
}
if(data70.wishHash !== undefined){
let data72 = data70.wishHash;
if(typeof data72 === "string"){
if(func2(data72) > 64){
const err155 = {instancePath:instancePath+"/status/device/plan/wishHash",schemaPath:"#/properties/status/properties/device/properties/plan/properties/wishHash/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err155];
}
else {
vErrors.push(err155);
}
errors++;
}
}
else {
const err156 = {instancePath:instancePath+"/status/device/plan/wishHash",schemaPath:"#/properties/status/properties/device/properties/plan/properties/wishHash/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err156];
}
else {
vErrors.push(err156);
}
errors++;
}
}
if(data70.keep !== undefined){
let data73 = data70.keep;
if(!((typeof data73 == "number") && (!(data73 % 1) && !isNaN(data73)))){
const err157 = {instancePath:instancePath+"/status/device/plan/keep",schemaPath:"#/properties/status/properties/device/properties/plan/properties/keep/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err157];
}
else {
vErrors.push(err157);
}
errors++;
}
if(typeof data73 == "number"){
if(data73 > 1024 || isNaN(data73)){
const err158 = {instancePath:instancePath+"/status/device/plan/keep",schemaPath:"#/properties/status/properties/device/properties/plan/properties/keep/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err158];
}
else {
vErrors.push(err158);
}
errors++;
}
if(data73 < 0 || isNaN(data73)){
const err159 = {instancePath:instancePath+"/status/device/plan/keep",schemaPath:"#/properties/status/properties/device/properties/plan/properties/keep/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err159];
}
else {
vErrors.push(err159);
}
errors++;
}
}
}
if(data70.destroy !== undefined){
let data74 = data70.destroy;
if(!((typeof data74 == "number") && (!(data74 % 1) && !isNaN(data74)))){
const err160 = {instancePath:instancePath+"/status/device/plan/destroy",schemaPath:"#/properties/status/properties/device/properties/plan/properties/destroy/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err160];
}
else {
vErrors.push(err160);
}
errors++;
}
if(typeof data74 == "number"){
if(data74 > 1024 || isNaN(data74)){
const err161 = {instancePath:instancePath+"/status/device/plan/destroy",schemaPath:"#/properties/status/properties/device/properties/plan/properties/destroy/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err161];
}
else {
vErrors.push(err161);
}
errors++;
}
if(data74 < 0 || isNaN(data74)){
const err162 = {instancePath:instancePath+"/status/device/plan/destroy",schemaPath:"#/properties/status/properties/device/properties/plan/properties/destroy/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err162];
}
else {
vErrors.push(err162);
}
errors++;
}
}
}
if(data70.create !== undefined){
let data75 = data70.create;
if(!((typeof data75 == "number") && (!(data75 % 1) && !isNaN(data75)))){
const err163 = {instancePath:instancePath+"/status/device/plan/create",schemaPath:"#/properties/status/properties/device/properties/plan/properties/create/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err163];
}
else {
vErrors.push(err163);
}
errors++;
}
if(typeof data75 == "number"){
if(data75 > 1024 || isNaN(data75)){
const err164 = {instancePath:instancePath+"/status/device/plan/create",schemaPath:"#/properties/status/properties/device/properties/plan/properties/create/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err164];
}
else {
vErrors.push(err164);
}
errors++;
}
if(data75 < 0 || isNaN(data75)){
const err165 = {instancePath:instancePath+"/status/device/plan/create",schemaPath:"#/properties/status/properties/device/properties/plan/properties/create/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err165];
}
else {
vErrors.push(err165);
}
errors++;
}
}
}
if(data70.gpusChanging !== undefined){
let data76 = data70.gpusChanging;
if(!((typeof data76 == "number") && (!(data76 % 1) && !isNaN(data76)))){
const err166 = {instancePath:instancePath+"/status/device/plan/gpusChanging",schemaPath:"#/properties/status/properties/device/properties/plan/properties/gpusChanging/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err166];
}
else {
vErrors.push(err166);
}
errors++;
}
if(typeof data76 == "number"){
if(data76 > 64 || isNaN(data76)){
const err167 = {instancePath:instancePath+"/status/device/plan/gpusChanging",schemaPath:"#/properties/status/properties/device/properties/plan/properties/gpusChanging/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err167];
}
else {
vErrors.push(err167);
}
errors++;
}
if(data76 < 0 || isNaN(data76)){
const err168 = {instancePath:instancePath+"/status/device/plan/gpusChanging",schemaPath:"#/properties/status/properties/device/properties/plan/properties/gpusChanging/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err168];
}
else {
vErrors.push(err168);
}
errors++;
}
}
}
if(data70.modeChanges !== undefined){
let data77 = data70.modeChanges;
if(!((typeof data77 == "number") && (!(data77 % 1) && !isNaN(data77)))){
const err169 = {instancePath:instancePath+"/status/device/plan/modeChanges",schemaPath:"#/properties/status/properties/device/properties/plan/properties/modeChanges/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err169];
}
else {
vErrors.push(err169);
}
errors++;
}
if(typeof data77 == "number"){
if(data77 > 64 || isNaN(data77)){
const err170 = {instancePath:instancePath+"/status/device/plan/modeChanges",schemaPath:"#/properties/status/properties/device/properties/plan/properties/modeChanges/maximum",keyword:"maximum",params:{comparison: "<=", limit: 64},message:"must be <= 64"};
if(vErrors === null){
vErrors = [err170];
}
else {
vErrors.push(err170);
}
errors++;
}
if(data77 < 0 || isNaN(data77)){
const err171 = {instancePath:instancePath+"/status/device/plan/modeChanges",schemaPath:"#/properties/status/properties/device/properties/plan/properties/modeChanges/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err171];
}
else {
vErrors.push(err171);
}
errors++;
}
}
}
if(data70.affectedPods !== undefined){
let data78 = data70.affectedPods;
if(Array.isArray(data78)){
if(data78.length > 64){
const err172 = {instancePath:instancePath+"/status/device/plan/affectedPods",schemaPath:"#/properties/status/properties/device/properties/plan/properties/affectedPods/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err172];
}
else {
vErrors.push(err172);
}
errors++;
}
const len4 = data78.length;
for(let i4=0; i4<len4; i4++){
let data79 = data78[i4];
if(typeof data79 === "string"){
if(func2(data79) > 320){
const err173 = {instancePath:instancePath+"/status/device/plan/affectedPods/" + i4,schemaPath:"#/properties/status/properties/device/properties/plan/properties/affectedPods/items/maxLength",keyword:"maxLength",params:{limit: 320},message:"must NOT have more than 320 characters"};
if(vErrors === null){
vErrors = [err173];
}
else {
vErrors.push(err173);
}
errors++;
}
}
else {
const err174 = {instancePath:instancePath+"/status/device/plan/affectedPods/" + i4,schemaPath:"#/properties/status/properties/device/properties/plan/properties/affectedPods/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err174];
}
else {
vErrors.push(err174);
}
errors++;
}
}
}
else {
const err175 = {instancePath:instancePath+"/status/device/plan/affectedPods",schemaPath:"#/properties/status/properties/device/properties/plan/properties/affectedPods/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err175];
}
else {
vErrors.push(err175);
}
errors++;
}
}
if(data70.refusalCode !== undefined){
let data80 = data70.refusalCode;
if(typeof data80 !== "string"){
const err176 = {instancePath:instancePath+"/status/device/plan/refusalCode",schemaPath:"#/properties/status/properties/device/properties/plan/properties/refusalCode/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err176];
}
else {
vErrors.push(err176);
}
errors++;
}
if(!((((data80 === "InUse") || (data80 === "Foreign")) || (data80 === "Impossible")) || (data80 === "Lost"))){
const err177 = {instancePath:instancePath+"/status/device/plan/refusalCode",schemaPath:"#/properties/status/properties/device/properties/plan/properties/refusalCode/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.plan.properties.refusalCode.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err177];
}
else {
vErrors.push(err177);
}
errors++;
}
}
if(data70.refusal !== undefined){
let data81 = data70.refusal;
if(typeof data81 === "string"){
if(func2(data81) > 1024){
const err178 = {instancePath:instancePath+"/status/device/plan/refusal",schemaPath:"#/properties/status/properties/device/properties/plan/properties/refusal/maxLength",keyword:"maxLength",params:{limit: 1024},message:"must NOT have more than 1024 characters"};
if(vErrors === null){
vErrors = [err178];
}
else {
vErrors.push(err178);
}
errors++;
}
}
else {
const err179 = {instancePath:instancePath+"/status/device/plan/refusal",schemaPath:"#/properties/status/properties/device/properties/plan/properties/refusal/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err179];
}
else {
vErrors.push(err179);
}
errors++;
}
}
}
else {
const err180 = {instancePath:instancePath+"/status/device/plan",schemaPath:"#/properties/status/properties/device/properties/plan/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err180];
}
else {
vErrors.push(err180);
}
errors++;
}
}
if(data57.advertised !== undefined){
let data82 = data57.advertised;
if(data82 && typeof data82 == "object" && !Array.isArray(data82)){
if(data82.stale === undefined){
const err181 = {instancePath:instancePath+"/status/device/advertised",schemaPath:"#/properties/status/properties/device/properties/advertised/required",keyword:"required",params:{missingProperty: "stale"},message:"must have required property '"+"stale"+"'"};
if(vErrors === null){
vErrors = [err181];
}
else {
vErrors.push(err181);
}
errors++;
}
for(const key16 in data82){
if(!((key16 === "resources") || (key16 === "stale"))){
const err182 = {instancePath:instancePath+"/status/device/advertised",schemaPath:"#/properties/status/properties/device/properties/advertised/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key16},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err182];
}
else {
vErrors.push(err182);
}
errors++;
}
}
if(data82.resources !== undefined){
let data83 = data82.resources;
if(data83 && typeof data83 == "object" && !Array.isArray(data83)){
if(Object.keys(data83).length > 64){
const err183 = {instancePath:instancePath+"/status/device/advertised/resources",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/maxProperties",keyword:"maxProperties",params:{limit: 64},message:"must NOT have more than 64 properties"};
if(vErrors === null){
vErrors = [err183];
}
else {
vErrors.push(err183);
}
errors++;
}
for(const key17 in data83){
let data84 = data83[key17];
if(!((typeof data84 == "number") && (!(data84 % 1) && !isNaN(data84)))){
const err184 = {instancePath:instancePath+"/status/device/advertised/resources/" + key17.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/additionalProperties/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err184];
}
else {
vErrors.push(err184);
}
errors++;
}
if(typeof data84 == "number"){
if(data84 > 1000000 || isNaN(data84)){
const err185 = {instancePath:instancePath+"/status/device/advertised/resources/" + key17.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/additionalProperties/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err185];
}
else {
vErrors.push(err185);
}
errors++;
}
if(data84 < 0 || isNaN(data84)){
const err186 = {instancePath:instancePath+"/status/device/advertised/resources/" + key17.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/additionalProperties/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err186];
}
else {
vErrors.push(err186);
}
errors++;
}
}
}
}
else {
const err187 = {instancePath:instancePath+"/status/device/advertised/resources",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/resources/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err187];
}
else {
vErrors.push(err187);
}
errors++;
}
}
if(data82.stale !== undefined){
let data85 = data82.stale;
if(!((typeof data85 == "number") && (!(data85 % 1) && !isNaN(data85)))){
const err188 = {instancePath:instancePath+"/status/device/advertised/stale",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/stale/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err188];
}
else {
vErrors.push(err188);
}
errors++;
}
if(typeof data85 == "number"){
if(data85 > 1000000 || isNaN(data85)){
const err189 = {instancePath:instancePath+"/status/device/advertised/stale",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/stale/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000},message:"must be <= 1000000"};
if(vErrors === null){
vErrors = [err189];
}
else {
vErrors.push(err189);
}
errors++;
}
if(data85 < 0 || isNaN(data85)){
const err190 = {instancePath:instancePath+"/status/device/advertised/stale",schemaPath:"#/properties/status/properties/device/properties/advertised/properties/stale/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
}
else {
const err191 = {instancePath:instancePath+"/status/device/advertised",schemaPath:"#/properties/status/properties/device/properties/advertised/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err191];
}
else {
vErrors.push(err191);
}
errors++;
}
}
if(data57.models !== undefined){
let data86 = data57.models;
if(Array.isArray(data86)){
if(data86.length > 8){
const err192 = {instancePath:instancePath+"/status/device/models",schemaPath:"#/properties/status/properties/device/properties/models/maxItems",keyword:"maxItems",params:{limit: 8},message:"must NOT have more than 8 items"};
if(vErrors === null){
vErrors = [err192];
}
else {
vErrors.push(err192);
}
errors++;
}
const len5 = data86.length;
for(let i5=0; i5<len5; i5++){
let data87 = data86[i5];
if(data87 && typeof data87 == "object" && !Array.isArray(data87)){
if(data87.product === undefined){
const err193 = {instancePath:instancePath+"/status/device/models/" + i5,schemaPath:"#/properties/status/properties/device/properties/models/items/required",keyword:"required",params:{missingProperty: "product"},message:"must have required property '"+"product"+"'"};
if(vErrors === null){
vErrors = [err193];
}
else {
vErrors.push(err193);
}
errors++;
}
if(data87.computeSlices === undefined){
const err194 = {instancePath:instancePath+"/status/device/models/" + i5,schemaPath:"#/properties/status/properties/device/properties/models/items/required",keyword:"required",params:{missingProperty: "computeSlices"},message:"must have required property '"+"computeSlices"+"'"};
if(vErrors === null){
vErrors = [err194];
}
else {
vErrors.push(err194);
}
errors++;
}
if(data87.memorySlices === undefined){
const err195 = {instancePath:instancePath+"/status/device/models/" + i5,schemaPath:"#/properties/status/properties/device/properties/models/items/required",keyword:"required",params:{missingProperty: "memorySlices"},message:"must have required property '"+"memorySlices"+"'"};
if(vErrors === null){
vErrors = [err195];
}
else {
vErrors.push(err195);
}
errors++;
}
if(data87.profiles === undefined){
const err196 = {instancePath:instancePath+"/status/device/models/" + i5,schemaPath:"#/properties/status/properties/device/properties/models/items/required",keyword:"required",params:{missingProperty: "profiles"},message:"must have required property '"+"profiles"+"'"};
if(vErrors === null){
vErrors = [err196];
}
else {
vErrors.push(err196);
}
errors++;
}
for(const key18 in data87){
if(!((((key18 === "product") || (key18 === "computeSlices")) || (key18 === "memorySlices")) || (key18 === "profiles"))){
const err197 = {instancePath:instancePath+"/status/device/models/" + i5,schemaPath:"#/properties/status/properties/device/properties/models/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key18},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err197];
}
else {
vErrors.push(err197);
}
errors++;
}
}
if(data87.product !== undefined){
let data88 = data87.product;
if(typeof data88 === "string"){
if(func2(data88) > 128){
const err198 = {instancePath:instancePath+"/status/device/models/" + i5+"/product",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/product/maxLength",keyword:"maxLength",params:{limit: 128},message:"must NOT have more than 128 characters"};
if(vErrors === null){
vErrors = [err198];
}
else {
vErrors.push(err198);
}
errors++;
}
}
else {
const err199 = {instancePath:instancePath+"/status/device/models/" + i5+"/product",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/product/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err199];
}
else {
vErrors.push(err199);
}
errors++;
}
}
if(data87.computeSlices !== undefined){
let data89 = data87.computeSlices;
if(!((typeof data89 == "number") && (!(data89 % 1) && !isNaN(data89)))){
const err200 = {instancePath:instancePath+"/status/device/models/" + i5+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/computeSlices/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err200];
}
else {
vErrors.push(err200);
}
errors++;
}
if(typeof data89 == "number"){
if(data89 > 16 || isNaN(data89)){
const err201 = {instancePath:instancePath+"/status/device/models/" + i5+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/computeSlices/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err201];
}
else {
vErrors.push(err201);
}
errors++;
}
if(data89 < 0 || isNaN(data89)){
const err202 = {instancePath:instancePath+"/status/device/models/" + i5+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/computeSlices/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err202];
}
else {
vErrors.push(err202);
}
errors++;
}
}
}
if(data87.memorySlices !== undefined){
let data90 = data87.memorySlices;
if(!((typeof data90 == "number") && (!(data90 % 1) && !isNaN(data90)))){
const err203 = {instancePath:instancePath+"/status/device/models/" + i5+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/memorySlices/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err203];
}
else {
vErrors.push(err203);
}
errors++;
}
if(typeof data90 == "number"){
if(data90 > 16 || isNaN(data90)){
const err204 = {instancePath:instancePath+"/status/device/models/" + i5+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/memorySlices/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err204];
}
else {
vErrors.push(err204);
}
errors++;
}
if(data90 < 0 || isNaN(data90)){
const err205 = {instancePath:instancePath+"/status/device/models/" + i5+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/memorySlices/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
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
if(data87.profiles !== undefined){
let data91 = data87.profiles;
if(Array.isArray(data91)){
if(data91.length > 32){
const err206 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/maxItems",keyword:"maxItems",params:{limit: 32},message:"must NOT have more than 32 items"};
if(vErrors === null){
vErrors = [err206];
}
else {
vErrors.push(err206);
}
errors++;
}
const len6 = data91.length;
for(let i6=0; i6<len6; i6++){
let data92 = data91[i6];
if(data92 && typeof data92 == "object" && !Array.isArray(data92)){
if(data92.name === undefined){
const err207 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "name"},message:"must have required property '"+"name"+"'"};
if(vErrors === null){
vErrors = [err207];
}
else {
vErrors.push(err207);
}
errors++;
}
if(data92.computeSlices === undefined){
const err208 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "computeSlices"},message:"must have required property '"+"computeSlices"+"'"};
if(vErrors === null){
vErrors = [err208];
}
else {
vErrors.push(err208);
}
errors++;
}
if(data92.memorySlices === undefined){
const err209 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "memorySlices"},message:"must have required property '"+"memorySlices"+"'"};
if(vErrors === null){
vErrors = [err209];
}
else {
vErrors.push(err209);
}
errors++;
}
if(data92.starts === undefined){
const err210 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "starts"},message:"must have required property '"+"starts"+"'"};
if(vErrors === null){
vErrors = [err210];
}
else {
vErrors.push(err210);
}
errors++;
}
if(data92.maxInstances === undefined){
const err211 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/required",keyword:"required",params:{missingProperty: "maxInstances"},message:"must have required property '"+"maxInstances"+"'"};
if(vErrors === null){
vErrors = [err211];
}
else {
vErrors.push(err211);
}
errors++;
}
for(const key19 in data92){
if(!(func14.call(schema11.properties.status.properties.device.properties.models.items.properties.profiles.items.properties, key19))){
const err212 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key19},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err212];
}
else {
vErrors.push(err212);
}
errors++;
}
}
if(data92.name !== undefined){
let data93 = data92.name;
if(typeof data93 === "string"){
if(func2(data93) > 32){
const err213 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/name",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/name/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err213];
}
else {
vErrors.push(err213);
}
errors++;
}
}
else {
const err214 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/name",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err214];
}
else {
vErrors.push(err214);
}
errors++;
}
}
if(data92.id !== undefined){
let data94 = data92.id;
if(!((typeof data94 == "number") && (!(data94 % 1) && !isNaN(data94)))){
const err215 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/id",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/id/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err215];
}
else {
vErrors.push(err215);
}
errors++;
}
if(typeof data94 == "number"){
if(data94 > 1023 || isNaN(data94)){
const err216 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/id",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/id/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1023},message:"must be <= 1023"};
if(vErrors === null){
vErrors = [err216];
}
else {
vErrors.push(err216);
}
errors++;
}
if(data94 < 0 || isNaN(data94)){
const err217 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/id",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/id/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err217];
}
else {
vErrors.push(err217);
}
errors++;
}
}
}
if(data92.computeSlices !== undefined){
let data95 = data92.computeSlices;
if(!((typeof data95 == "number") && (!(data95 % 1) && !isNaN(data95)))){
const err218 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/computeSlices/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err218];
}
else {
vErrors.push(err218);
}
errors++;
}
if(typeof data95 == "number"){
if(data95 > 16 || isNaN(data95)){
const err219 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/computeSlices/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err219];
}
else {
vErrors.push(err219);
}
errors++;
}
if(data95 < 0 || isNaN(data95)){
const err220 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/computeSlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/computeSlices/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err220];
}
else {
vErrors.push(err220);
}
errors++;
}
}
}
if(data92.memorySlices !== undefined){
let data96 = data92.memorySlices;
if(!((typeof data96 == "number") && (!(data96 % 1) && !isNaN(data96)))){
const err221 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memorySlices/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err221];
}
else {
vErrors.push(err221);
}
errors++;
}
if(typeof data96 == "number"){
if(data96 > 16 || isNaN(data96)){
const err222 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memorySlices/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err222];
}
else {
vErrors.push(err222);
}
errors++;
}
if(data96 < 0 || isNaN(data96)){
const err223 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/memorySlices",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memorySlices/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err223];
}
else {
vErrors.push(err223);
}
errors++;
}
}
}
if(data92.starts !== undefined){
let data97 = data92.starts;
if(Array.isArray(data97)){
if(data97.length > 16){
const err224 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/starts",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err224];
}
else {
vErrors.push(err224);
}
errors++;
}
const len7 = data97.length;
for(let i7=0; i7<len7; i7++){
let data98 = data97[i7];
if(!((typeof data98 == "number") && (!(data98 % 1) && !isNaN(data98)))){
const err225 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/starts/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err225];
}
else {
vErrors.push(err225);
}
errors++;
}
if(typeof data98 == "number"){
if(data98 > 15 || isNaN(data98)){
const err226 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/starts/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 15},message:"must be <= 15"};
if(vErrors === null){
vErrors = [err226];
}
else {
vErrors.push(err226);
}
errors++;
}
if(data98 < 0 || isNaN(data98)){
const err227 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/starts/" + i7,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err227];
}
else {
vErrors.push(err227);
}
errors++;
}
}
}
}
else {
const err228 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/starts",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/starts/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err228];
}
else {
vErrors.push(err228);
}
errors++;
}
}
if(data92.maxInstances !== undefined){
let data99 = data92.maxInstances;
if(!((typeof data99 == "number") && (!(data99 % 1) && !isNaN(data99)))){
const err229 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/maxInstances",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/maxInstances/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err229];
}
else {
vErrors.push(err229);
}
errors++;
}
if(typeof data99 == "number"){
if(data99 > 16 || isNaN(data99)){
const err230 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/maxInstances",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/maxInstances/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16},message:"must be <= 16"};
if(vErrors === null){
vErrors = [err230];
}
else {
vErrors.push(err230);
}
errors++;
}
if(data99 < 0 || isNaN(data99)){
const err231 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/maxInstances",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/maxInstances/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err231];
}
else {
vErrors.push(err231);
}
errors++;
}
}
}
if(data92.memoryMiB !== undefined){
let data100 = data92.memoryMiB;
if(!((typeof data100 == "number") && (!(data100 % 1) && !isNaN(data100)))){
const err232 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memoryMiB/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err232];
}
else {
vErrors.push(err232);
}
errors++;
}
if(typeof data100 == "number"){
if(data100 > 16777216 || isNaN(data100)){
const err233 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memoryMiB/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16777216},message:"must be <= 16777216"};
if(vErrors === null){
vErrors = [err233];
}
else {
vErrors.push(err233);
}
errors++;
}
if(data100 < 0 || isNaN(data100)){
const err234 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/memoryMiB/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err234];
}
else {
vErrors.push(err234);
}
errors++;
}
}
}
if(data92.multiprocessors !== undefined){
let data101 = data92.multiprocessors;
if(!((typeof data101 == "number") && (!(data101 % 1) && !isNaN(data101)))){
const err235 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/multiprocessors/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err235];
}
else {
vErrors.push(err235);
}
errors++;
}
if(typeof data101 == "number"){
if(data101 > 4096 || isNaN(data101)){
const err236 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/multiprocessors/maximum",keyword:"maximum",params:{comparison: "<=", limit: 4096},message:"must be <= 4096"};
if(vErrors === null){
vErrors = [err236];
}
else {
vErrors.push(err236);
}
errors++;
}
if(data101 < 0 || isNaN(data101)){
const err237 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/multiprocessors/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err237];
}
else {
vErrors.push(err237);
}
errors++;
}
}
}
if(data92.engines !== undefined){
let data102 = data92.engines;
if(Array.isArray(data102)){
if(data102.length > 5){
const err238 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/engines",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/maxItems",keyword:"maxItems",params:{limit: 5},message:"must NOT have more than 5 items"};
if(vErrors === null){
vErrors = [err238];
}
else {
vErrors.push(err238);
}
errors++;
}
const len8 = data102.length;
for(let i8=0; i8<len8; i8++){
let data103 = data102[i8];
if(!((typeof data103 == "number") && (!(data103 % 1) && !isNaN(data103)))){
const err239 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/engines/" + i8,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err239];
}
else {
vErrors.push(err239);
}
errors++;
}
if(typeof data103 == "number"){
if(data103 > 1024 || isNaN(data103)){
const err240 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/engines/" + i8,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err240];
}
else {
vErrors.push(err240);
}
errors++;
}
if(data103 < 0 || isNaN(data103)){
const err241 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/engines/" + i8,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err241];
}
else {
vErrors.push(err241);
}
errors++;
}
}
}
}
else {
const err242 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6+"/engines",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/properties/engines/type",keyword:"type",params:{type: "array"},message:"must be array"};
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
else {
const err243 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles/" + i6,schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err243];
}
else {
vErrors.push(err243);
}
errors++;
}
}
}
else {
const err244 = {instancePath:instancePath+"/status/device/models/" + i5+"/profiles",schemaPath:"#/properties/status/properties/device/properties/models/items/properties/profiles/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err244];
}
else {
vErrors.push(err244);
}
errors++;
}
}
}
else {
const err245 = {instancePath:instancePath+"/status/device/models/" + i5,schemaPath:"#/properties/status/properties/device/properties/models/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err245];
}
else {
vErrors.push(err245);
}
errors++;
}
}
}
else {
const err246 = {instancePath:instancePath+"/status/device/models",schemaPath:"#/properties/status/properties/device/properties/models/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err246];
}
else {
vErrors.push(err246);
}
errors++;
}
}
if(data57.gpus !== undefined){
let data104 = data57.gpus;
if(Array.isArray(data104)){
if(data104.length > 64){
const err247 = {instancePath:instancePath+"/status/device/gpus",schemaPath:"#/properties/status/properties/device/properties/gpus/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err247];
}
else {
vErrors.push(err247);
}
errors++;
}
const len9 = data104.length;
for(let i9=0; i9<len9; i9++){
let data105 = data104[i9];
if(data105 && typeof data105 == "object" && !Array.isArray(data105)){
if(data105.uuid === undefined){
const err248 = {instancePath:instancePath+"/status/device/gpus/" + i9,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "uuid"},message:"must have required property '"+"uuid"+"'"};
if(vErrors === null){
vErrors = [err248];
}
else {
vErrors.push(err248);
}
errors++;
}
if(data105.index === undefined){
const err249 = {instancePath:instancePath+"/status/device/gpus/" + i9,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "index"},message:"must have required property '"+"index"+"'"};
if(vErrors === null){
vErrors = [err249];
}
else {
vErrors.push(err249);
}
errors++;
}
if(data105.pciBusId === undefined){
const err250 = {instancePath:instancePath+"/status/device/gpus/" + i9,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "pciBusId"},message:"must have required property '"+"pciBusId"+"'"};
if(vErrors === null){
vErrors = [err250];
}
else {
vErrors.push(err250);
}
errors++;
}
if(data105.product === undefined){
const err251 = {instancePath:instancePath+"/status/device/gpus/" + i9,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "product"},message:"must have required property '"+"product"+"'"};
if(vErrors === null){
vErrors = [err251];
}
else {
vErrors.push(err251);
}
errors++;
}
if(data105.instances === undefined){
const err252 = {instancePath:instancePath+"/status/device/gpus/" + i9,schemaPath:"#/properties/status/properties/device/properties/gpus/items/required",keyword:"required",params:{missingProperty: "instances"},message:"must have required property '"+"instances"+"'"};
if(vErrors === null){
vErrors = [err252];
}
else {
vErrors.push(err252);
}
errors++;
}
for(const key20 in data105){
if(!(func14.call(schema11.properties.status.properties.device.properties.gpus.items.properties, key20))){
const err253 = {instancePath:instancePath+"/status/device/gpus/" + i9,schemaPath:"#/properties/status/properties/device/properties/gpus/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key20},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err253];
}
else {
vErrors.push(err253);
}
errors++;
}
}
if(data105.uuid !== undefined){
let data106 = data105.uuid;
if(typeof data106 === "string"){
if(func2(data106) > 64){
const err254 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/uuid",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err254];
}
else {
vErrors.push(err254);
}
errors++;
}
}
else {
const err255 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/uuid",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err255];
}
else {
vErrors.push(err255);
}
errors++;
}
}
if(data105.index !== undefined){
let data107 = data105.index;
if(!((typeof data107 == "number") && (!(data107 % 1) && !isNaN(data107)))){
const err256 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/index",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/index/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err256];
}
else {
vErrors.push(err256);
}
errors++;
}
if(typeof data107 == "number"){
if(data107 > 255 || isNaN(data107)){
const err257 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/index",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/index/maximum",keyword:"maximum",params:{comparison: "<=", limit: 255},message:"must be <= 255"};
if(vErrors === null){
vErrors = [err257];
}
else {
vErrors.push(err257);
}
errors++;
}
if(data107 < 0 || isNaN(data107)){
const err258 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/index",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/index/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err258];
}
else {
vErrors.push(err258);
}
errors++;
}
}
}
if(data105.pciBusId !== undefined){
let data108 = data105.pciBusId;
if(typeof data108 === "string"){
if(func2(data108) > 32){
const err259 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pciBusId",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciBusId/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err259];
}
else {
vErrors.push(err259);
}
errors++;
}
}
else {
const err260 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pciBusId",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciBusId/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err260];
}
else {
vErrors.push(err260);
}
errors++;
}
}
if(data105.pciDeviceId !== undefined){
let data109 = data105.pciDeviceId;
if(typeof data109 === "string"){
if(func2(data109) > 10){
const err261 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pciDeviceId",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciDeviceId/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err261];
}
else {
vErrors.push(err261);
}
errors++;
}
}
else {
const err262 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pciDeviceId",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciDeviceId/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err262];
}
else {
vErrors.push(err262);
}
errors++;
}
}
if(data105.pciClass !== undefined){
let data110 = data105.pciClass;
if(typeof data110 === "string"){
if(func2(data110) > 10){
const err263 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pciClass",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciClass/maxLength",keyword:"maxLength",params:{limit: 10},message:"must NOT have more than 10 characters"};
if(vErrors === null){
vErrors = [err263];
}
else {
vErrors.push(err263);
}
errors++;
}
}
else {
const err264 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pciClass",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pciClass/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err264];
}
else {
vErrors.push(err264);
}
errors++;
}
}
if(data105.product !== undefined){
let data111 = data105.product;
if(typeof data111 === "string"){
if(func2(data111) > 128){
const err265 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/product",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/product/maxLength",keyword:"maxLength",params:{limit: 128},message:"must NOT have more than 128 characters"};
if(vErrors === null){
vErrors = [err265];
}
else {
vErrors.push(err265);
}
errors++;
}
}
else {
const err266 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/product",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/product/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err266];
}
else {
vErrors.push(err266);
}
errors++;
}
}
if(data105.memoryMiB !== undefined){
let data112 = data105.memoryMiB;
if(!((typeof data112 == "number") && (!(data112 % 1) && !isNaN(data112)))){
const err267 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/memoryMiB/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err267];
}
else {
vErrors.push(err267);
}
errors++;
}
if(typeof data112 == "number"){
if(data112 > 16777216 || isNaN(data112)){
const err268 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/memoryMiB/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16777216},message:"must be <= 16777216"};
if(vErrors === null){
vErrors = [err268];
}
else {
vErrors.push(err268);
}
errors++;
}
if(data112 < 0 || isNaN(data112)){
const err269 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/memoryMiB/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err269];
}
else {
vErrors.push(err269);
}
errors++;
}
}
}
if(data105.computeCapability !== undefined){
let data113 = data105.computeCapability;
if(typeof data113 === "string"){
if(func2(data113) > 8){
const err270 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/computeCapability",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/computeCapability/maxLength",keyword:"maxLength",params:{limit: 8},message:"must NOT have more than 8 characters"};
if(vErrors === null){
vErrors = [err270];
}
else {
vErrors.push(err270);
}
errors++;
}
}
else {
const err271 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/computeCapability",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/computeCapability/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err271];
}
else {
vErrors.push(err271);
}
errors++;
}
}
if(data105.migCapable !== undefined){
if(typeof data105.migCapable !== "boolean"){
const err272 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/migCapable",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/migCapable/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err272];
}
else {
vErrors.push(err272);
}
errors++;
}
}
if(data105.mig !== undefined){
let data115 = data105.mig;
if(typeof data115 !== "string"){
const err273 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/mig",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err273];
}
else {
vErrors.push(err273);
}
errors++;
}
if(!((data115 === "Enabled") || (data115 === "Disabled"))){
const err274 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/mig",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.gpus.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err274];
}
else {
vErrors.push(err274);
}
errors++;
}
}
if(data105.migPending !== undefined){
let data116 = data105.migPending;
if(typeof data116 !== "string"){
const err275 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/migPending",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/migPending/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err275];
}
else {
vErrors.push(err275);
}
errors++;
}
if(!((data116 === "Enabled") || (data116 === "Disabled"))){
const err276 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/migPending",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/migPending/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.gpus.items.properties.migPending.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err276];
}
else {
vErrors.push(err276);
}
errors++;
}
}
if(data105.busy !== undefined){
if(typeof data105.busy !== "boolean"){
const err277 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/busy",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/busy/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err277];
}
else {
vErrors.push(err277);
}
errors++;
}
}
if(data105.pods !== undefined){
let data118 = data105.pods;
if(Array.isArray(data118)){
if(data118.length > 16){
const err278 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pods",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pods/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err278];
}
else {
vErrors.push(err278);
}
errors++;
}
const len10 = data118.length;
for(let i10=0; i10<len10; i10++){
let data119 = data118[i10];
if(typeof data119 === "string"){
if(func2(data119) > 320){
const err279 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pods/" + i10,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pods/items/maxLength",keyword:"maxLength",params:{limit: 320},message:"must NOT have more than 320 characters"};
if(vErrors === null){
vErrors = [err279];
}
else {
vErrors.push(err279);
}
errors++;
}
}
else {
const err280 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pods/" + i10,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pods/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err280];
}
else {
vErrors.push(err280);
}
errors++;
}
}
}
else {
const err281 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/pods",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/pods/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err281];
}
else {
vErrors.push(err281);
}
errors++;
}
}
if(data105.error !== undefined){
let data120 = data105.error;
if(typeof data120 === "string"){
if(func2(data120) > 256){
const err282 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/error",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/error/maxLength",keyword:"maxLength",params:{limit: 256},message:"must NOT have more than 256 characters"};
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
const err283 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/error",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/error/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err283];
}
else {
vErrors.push(err283);
}
errors++;
}
}
if(data105.instances !== undefined){
let data121 = data105.instances;
if(Array.isArray(data121)){
if(data121.length > 16){
const err284 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err284];
}
else {
vErrors.push(err284);
}
errors++;
}
const len11 = data121.length;
for(let i11=0; i11<len11; i11++){
let data122 = data121[i11];
if(data122 && typeof data122 == "object" && !Array.isArray(data122)){
if(data122.profile === undefined){
const err285 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/required",keyword:"required",params:{missingProperty: "profile"},message:"must have required property '"+"profile"+"'"};
if(vErrors === null){
vErrors = [err285];
}
else {
vErrors.push(err285);
}
errors++;
}
if(data122.gi === undefined){
const err286 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/required",keyword:"required",params:{missingProperty: "gi"},message:"must have required property '"+"gi"+"'"};
if(vErrors === null){
vErrors = [err286];
}
else {
vErrors.push(err286);
}
errors++;
}
if(data122.start === undefined){
const err287 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/required",keyword:"required",params:{missingProperty: "start"},message:"must have required property '"+"start"+"'"};
if(vErrors === null){
vErrors = [err287];
}
else {
vErrors.push(err287);
}
errors++;
}
if(data122.computeInstances === undefined){
const err288 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/required",keyword:"required",params:{missingProperty: "computeInstances"},message:"must have required property '"+"computeInstances"+"'"};
if(vErrors === null){
vErrors = [err288];
}
else {
vErrors.push(err288);
}
errors++;
}
for(const key21 in data122){
if(!((((((key21 === "profile") || (key21 === "gi")) || (key21 === "start")) || (key21 === "busy")) || (key21 === "pods")) || (key21 === "computeInstances"))){
const err289 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key21},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err289];
}
else {
vErrors.push(err289);
}
errors++;
}
}
if(data122.profile !== undefined){
let data123 = data122.profile;
if(typeof data123 === "string"){
if(func2(data123) > 32){
const err290 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/profile",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/profile/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err290];
}
else {
vErrors.push(err290);
}
errors++;
}
}
else {
const err291 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/profile",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/profile/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err291];
}
else {
vErrors.push(err291);
}
errors++;
}
}
if(data122.gi !== undefined){
let data124 = data122.gi;
if(!((typeof data124 == "number") && (!(data124 % 1) && !isNaN(data124)))){
const err292 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/gi",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/gi/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err292];
}
else {
vErrors.push(err292);
}
errors++;
}
if(typeof data124 == "number"){
if(data124 > 65535 || isNaN(data124)){
const err293 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/gi",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/gi/maximum",keyword:"maximum",params:{comparison: "<=", limit: 65535},message:"must be <= 65535"};
if(vErrors === null){
vErrors = [err293];
}
else {
vErrors.push(err293);
}
errors++;
}
if(data124 < 0 || isNaN(data124)){
const err294 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/gi",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/gi/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err294];
}
else {
vErrors.push(err294);
}
errors++;
}
}
}
if(data122.start !== undefined){
let data125 = data122.start;
if(!((typeof data125 == "number") && (!(data125 % 1) && !isNaN(data125)))){
const err295 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/start",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/start/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err295];
}
else {
vErrors.push(err295);
}
errors++;
}
if(typeof data125 == "number"){
if(data125 > 15 || isNaN(data125)){
const err296 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/start",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/start/maximum",keyword:"maximum",params:{comparison: "<=", limit: 15},message:"must be <= 15"};
if(vErrors === null){
vErrors = [err296];
}
else {
vErrors.push(err296);
}
errors++;
}
if(data125 < 0 || isNaN(data125)){
const err297 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/start",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/start/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err297];
}
else {
vErrors.push(err297);
}
errors++;
}
}
}
if(data122.busy !== undefined){
if(typeof data122.busy !== "boolean"){
const err298 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/busy",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/busy/type",keyword:"type",params:{type: "boolean"},message:"must be boolean"};
if(vErrors === null){
vErrors = [err298];
}
else {
vErrors.push(err298);
}
errors++;
}
}
if(data122.pods !== undefined){
let data127 = data122.pods;
if(Array.isArray(data127)){
if(data127.length > 16){
const err299 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/pods",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/pods/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err299];
}
else {
vErrors.push(err299);
}
errors++;
}
const len12 = data127.length;
for(let i12=0; i12<len12; i12++){
let data128 = data127[i12];
if(typeof data128 === "string"){
if(func2(data128) > 320){
const err300 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/pods/" + i12,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/pods/items/maxLength",keyword:"maxLength",params:{limit: 320},message:"must NOT have more than 320 characters"};
if(vErrors === null){
vErrors = [err300];
}
else {
vErrors.push(err300);
}
errors++;
}
}
else {
const err301 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/pods/" + i12,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/pods/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err301];
}
else {
vErrors.push(err301);
}
errors++;
}
}
}
else {
const err302 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/pods",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/pods/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err302];
}
else {
vErrors.push(err302);
}
errors++;
}
}
if(data122.computeInstances !== undefined){
let data129 = data122.computeInstances;
if(Array.isArray(data129)){
if(data129.length > 8){
const err303 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/maxItems",keyword:"maxItems",params:{limit: 8},message:"must NOT have more than 8 items"};
if(vErrors === null){
vErrors = [err303];
}
else {
vErrors.push(err303);
}
errors++;
}
const len13 = data129.length;
for(let i13=0; i13<len13; i13++){
let data130 = data129[i13];
if(data130 && typeof data130 == "object" && !Array.isArray(data130)){
if(data130.profile === undefined){
const err304 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/required",keyword:"required",params:{missingProperty: "profile"},message:"must have required property '"+"profile"+"'"};
if(vErrors === null){
vErrors = [err304];
}
else {
vErrors.push(err304);
}
errors++;
}
for(const key22 in data130){
if(!(((((key22 === "profile") || (key22 === "uuid")) || (key22 === "memoryMiB")) || (key22 === "multiprocessors")) || (key22 === "engines"))){
const err305 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key22},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err305];
}
else {
vErrors.push(err305);
}
errors++;
}
}
if(data130.profile !== undefined){
let data131 = data130.profile;
if(typeof data131 === "string"){
if(func2(data131) > 32){
const err306 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/profile",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/profile/maxLength",keyword:"maxLength",params:{limit: 32},message:"must NOT have more than 32 characters"};
if(vErrors === null){
vErrors = [err306];
}
else {
vErrors.push(err306);
}
errors++;
}
}
else {
const err307 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/profile",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/profile/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err307];
}
else {
vErrors.push(err307);
}
errors++;
}
}
if(data130.uuid !== undefined){
let data132 = data130.uuid;
if(typeof data132 === "string"){
if(func2(data132) > 64){
const err308 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/uuid",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err308];
}
else {
vErrors.push(err308);
}
errors++;
}
}
else {
const err309 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/uuid",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err309];
}
else {
vErrors.push(err309);
}
errors++;
}
}
if(data130.memoryMiB !== undefined){
let data133 = data130.memoryMiB;
if(!((typeof data133 == "number") && (!(data133 % 1) && !isNaN(data133)))){
const err310 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/memoryMiB/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err310];
}
else {
vErrors.push(err310);
}
errors++;
}
if(typeof data133 == "number"){
if(data133 > 16777216 || isNaN(data133)){
const err311 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/memoryMiB/maximum",keyword:"maximum",params:{comparison: "<=", limit: 16777216},message:"must be <= 16777216"};
if(vErrors === null){
vErrors = [err311];
}
else {
vErrors.push(err311);
}
errors++;
}
if(data133 < 0 || isNaN(data133)){
const err312 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/memoryMiB",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/memoryMiB/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err312];
}
else {
vErrors.push(err312);
}
errors++;
}
}
}
if(data130.multiprocessors !== undefined){
let data134 = data130.multiprocessors;
if(!((typeof data134 == "number") && (!(data134 % 1) && !isNaN(data134)))){
const err313 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/multiprocessors/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err313];
}
else {
vErrors.push(err313);
}
errors++;
}
if(typeof data134 == "number"){
if(data134 > 4096 || isNaN(data134)){
const err314 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/multiprocessors/maximum",keyword:"maximum",params:{comparison: "<=", limit: 4096},message:"must be <= 4096"};
if(vErrors === null){
vErrors = [err314];
}
else {
vErrors.push(err314);
}
errors++;
}
if(data134 < 0 || isNaN(data134)){
const err315 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/multiprocessors",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/multiprocessors/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err315];
}
else {
vErrors.push(err315);
}
errors++;
}
}
}
if(data130.engines !== undefined){
let data135 = data130.engines;
if(Array.isArray(data135)){
if(data135.length > 5){
const err316 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/engines",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/maxItems",keyword:"maxItems",params:{limit: 5},message:"must NOT have more than 5 items"};
if(vErrors === null){
vErrors = [err316];
}
else {
vErrors.push(err316);
}
errors++;
}
const len14 = data135.length;
for(let i14=0; i14<len14; i14++){
let data136 = data135[i14];
if(!((typeof data136 == "number") && (!(data136 % 1) && !isNaN(data136)))){
const err317 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/engines/" + i14,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"};
if(vErrors === null){
vErrors = [err317];
}
else {
vErrors.push(err317);
}
errors++;
}
if(typeof data136 == "number"){
if(data136 > 1024 || isNaN(data136)){
const err318 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/engines/" + i14,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/items/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1024},message:"must be <= 1024"};
if(vErrors === null){
vErrors = [err318];
}
else {
vErrors.push(err318);
}
errors++;
}
if(data136 < 0 || isNaN(data136)){
const err319 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/engines/" + i14,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/items/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"};
if(vErrors === null){
vErrors = [err319];
}
else {
vErrors.push(err319);
}
errors++;
}
}
}
}
else {
const err320 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13+"/engines",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/properties/engines/type",keyword:"type",params:{type: "array"},message:"must be array"};
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
const err321 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances/" + i13,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err321];
}
else {
vErrors.push(err321);
}
errors++;
}
}
}
else {
const err322 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11+"/computeInstances",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/properties/computeInstances/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err322];
}
else {
vErrors.push(err322);
}
errors++;
}
}
}
else {
const err323 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances/" + i11,schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err323];
}
else {
vErrors.push(err323);
}
errors++;
}
}
}
else {
const err324 = {instancePath:instancePath+"/status/device/gpus/" + i9+"/instances",schemaPath:"#/properties/status/properties/device/properties/gpus/items/properties/instances/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err324];
}
else {
vErrors.push(err324);
}
errors++;
}
}
}
else {
const err325 = {instancePath:instancePath+"/status/device/gpus/" + i9,schemaPath:"#/properties/status/properties/device/properties/gpus/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err325];
}
else {
vErrors.push(err325);
}
errors++;
}
}
}
else {
const err326 = {instancePath:instancePath+"/status/device/gpus",schemaPath:"#/properties/status/properties/device/properties/gpus/type",keyword:"type",params:{type: "array"},message:"must be array"};
if(vErrors === null){
vErrors = [err326];
}
else {
vErrors.push(err326);
}
errors++;
}
}
if(data57.lastGood !== undefined){
let data137 = data57.lastGood;
if(data137 && typeof data137 == "object" && !Array.isArray(data137)){
for(const key23 in data137){
if(!((key23 === "bootID") || (key23 === "gpus"))){
const err327 = {instancePath:instancePath+"/status/device/lastGood",schemaPath:"#/properties/status/properties/device/properties/lastGood/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key23},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err327];
}
else {
vErrors.push(err327);
}
errors++;
}
}
if(data137.bootID !== undefined){
let data138 = data137.bootID;
if(typeof data138 === "string"){
if(func2(data138) > 64){
const err328 = {instancePath:instancePath+"/status/device/lastGood/bootID",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/bootID/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err328];
}
else {
vErrors.push(err328);
}
errors++;
}
}
else {
const err329 = {instancePath:instancePath+"/status/device/lastGood/bootID",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/bootID/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err329];
}
else {
vErrors.push(err329);
}
errors++;
}
}
if(data137.gpus !== undefined){
let data139 = data137.gpus;
if(Array.isArray(data139)){
if(data139.length > 64){
const err330 = {instancePath:instancePath+"/status/device/lastGood/gpus",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/maxItems",keyword:"maxItems",params:{limit: 64},message:"must NOT have more than 64 items"};
if(vErrors === null){
vErrors = [err330];
}
else {
vErrors.push(err330);
}
errors++;
}
const len15 = data139.length;
for(let i15=0; i15<len15; i15++){
let data140 = data139[i15];
if(data140 && typeof data140 == "object" && !Array.isArray(data140)){
if(data140.uuid === undefined){
const err331 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/required",keyword:"required",params:{missingProperty: "uuid"},message:"must have required property '"+"uuid"+"'"};
if(vErrors === null){
vErrors = [err331];
}
else {
vErrors.push(err331);
}
errors++;
}
for(const key24 in data140){
if(!(((key24 === "uuid") || (key24 === "mig")) || (key24 === "placements"))){
const err332 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key24},message:"must NOT have additional properties"};
if(vErrors === null){
vErrors = [err332];
}
else {
vErrors.push(err332);
}
errors++;
}
}
if(data140.uuid !== undefined){
let data141 = data140.uuid;
if(typeof data141 === "string"){
if(func2(data141) > 64){
const err333 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15+"/uuid",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/uuid/maxLength",keyword:"maxLength",params:{limit: 64},message:"must NOT have more than 64 characters"};
if(vErrors === null){
vErrors = [err333];
}
else {
vErrors.push(err333);
}
errors++;
}
}
else {
const err334 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15+"/uuid",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/uuid/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err334];
}
else {
vErrors.push(err334);
}
errors++;
}
}
if(data140.mig !== undefined){
let data142 = data140.mig;
if(typeof data142 !== "string"){
const err335 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15+"/mig",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/mig/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err335];
}
else {
vErrors.push(err335);
}
errors++;
}
if(!((data142 === "Enabled") || (data142 === "Disabled"))){
const err336 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15+"/mig",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/mig/enum",keyword:"enum",params:{allowedValues: schema11.properties.status.properties.device.properties.lastGood.properties.gpus.items.properties.mig.enum},message:"must be equal to one of the allowed values"};
if(vErrors === null){
vErrors = [err336];
}
else {
vErrors.push(err336);
}
errors++;
}
}
if(data140.placements !== undefined){
let data143 = data140.placements;
if(Array.isArray(data143)){
if(data143.length > 16){
const err337 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15+"/placements",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/placements/maxItems",keyword:"maxItems",params:{limit: 16},message:"must NOT have more than 16 items"};
if(vErrors === null){
vErrors = [err337];
}
else {
vErrors.push(err337);
}
errors++;
}
const len16 = data143.length;
for(let i16=0; i16<len16; i16++){
let data144 = data143[i16];
if(typeof data144 === "string"){
if(func2(data144) > 48){
const err338 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15+"/placements/" + i16,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/placements/items/maxLength",keyword:"maxLength",params:{limit: 48},message:"must NOT have more than 48 characters"};
if(vErrors === null){
vErrors = [err338];
}
else {
vErrors.push(err338);
}
errors++;
}
}
else {
const err339 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15+"/placements/" + i16,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/placements/items/type",keyword:"type",params:{type: "string"},message:"must be string"};
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
const err340 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15+"/placements",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/properties/placements/type",keyword:"type",params:{type: "array"},message:"must be array"};
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
const err341 = {instancePath:instancePath+"/status/device/lastGood/gpus/" + i15,schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/items/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err342 = {instancePath:instancePath+"/status/device/lastGood/gpus",schemaPath:"#/properties/status/properties/device/properties/lastGood/properties/gpus/type",keyword:"type",params:{type: "array"},message:"must be array"};
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
const err343 = {instancePath:instancePath+"/status/device/lastGood",schemaPath:"#/properties/status/properties/device/properties/lastGood/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err344 = {instancePath:instancePath+"/status/device",schemaPath:"#/properties/status/properties/device/type",keyword:"type",params:{type: "object"},message:"must be object"};
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
const err345 = {instancePath:instancePath+"/status",schemaPath:"#/properties/status/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err345];
}
else {
vErrors.push(err345);
}
errors++;
}
}
}
else {
const err346 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
if(vErrors === null){
vErrors = [err346];
}
else {
vErrors.push(err346);
}
errors++;
}
validate10.errors = vErrors;
return errors === 0;
}
