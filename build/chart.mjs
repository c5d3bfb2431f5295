// The parts of the chart that equal config/ except for namespaces: CRDs, RBAC, admission policies, what surrounds the pods.
// The two workloads have their own values and are written by hand; test/config/chart.spec.ts compares everything with kustomize's.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const chart = new URL('charts/gpu-partition/', root);
const banner = (file) =>
  `# Generated from ${file} by build/chart.mjs. Do not edit: change that file and run \`make generate\`.\n`;

/** What is only rendered if a value enables it, and which namespace differs. */
const parts = [
  { from: 'config/rbac/namespaces.yaml', when: '.Values.namespaces.create' },
  { from: 'config/rbac/service-accounts.yaml' },
  { from: 'config/rbac/controller-role.yaml' },
  { from: 'config/rbac/agent-role.yaml' },
  { from: 'config/rbac/user-roles.yaml' },
  { from: 'config/rbac/agent-admission.yaml' },
  { from: 'config/rbac/controller-admission.yaml' },
  { from: 'config/rbac/author-admission.yaml' },
  { from: 'config/controller/disruption-budget.yaml', when: '.Values.podDisruptionBudget.enabled' },
  {
    from: 'config/controller/network-policy.yaml',
    as: 'controller-network-policy',
    when: '.Values.networkPolicy.enabled',
  },
  { from: 'config/agent/network-policy.yaml', as: 'agent-network-policy', when: '.Values.networkPolicy.enabled' },
  {
    from: 'config/device-plugin-config/configmap.yaml',
    as: 'device-plugin-config-map',
    when: '.Values.devicePluginConfig.enabled',
  },
  {
    from: 'config/device-plugin-config/role.yaml',
    as: 'device-plugin-config-role',
    when: '.Values.devicePluginConfig.enabled',
  },
  { from: 'config/overlays/openshift/scc.yaml', as: 'openshift-scc', when: '.Values.openshift' },
  {
    from: 'config/overlays/gke-cos/resource-quota.yaml',
    as: 'critical-pods-quota',
    when: '.Values.criticalPodsQuota.enabled',
  },
];

export async function writeChart() {
  await mkdir(new URL('crds/', chart), { recursive: true });
  for (const file of (await readdir(new URL('crds/', root))).filter((name) => name.startsWith('gpupartition.dev_'))) {
    const text = await readFile(new URL(`crds/${file}`, root), 'utf8');
    await writeFile(new URL(`crds/${file}`, chart), banner(`crds/${file}`) + text);
  }
  for (const { from, as, when } of parts) {
    const text = await readFile(new URL(from, root), 'utf8');
    const named = allowDeployLabels(quoteNames(withValues(text, from.startsWith('config/device-plugin-config/'))));
    const body = when === undefined ? named : `{{- if ${when} }}\n${named.trimEnd()}\n{{- end }}\n`;
    const name = as ?? from.split('/').at(-1).replace('.yaml', '');
    await writeFile(new URL(`templates/${name}.yaml`, chart), banner(from) + body);
  }
}

/** The controller may also write the labels by which the chart's own GPU clients are deployed. */
function allowDeployLabels(text) {
  return text
    .replace(' If a --gpu-clients file names other deploy labels, add them here.', '')
    .replace(
      /^( *)k\.matches\('\^nvidia\[\.\]com\/gpu\[\.\]deploy.*$/m,
      (line, indent) =>
        `${line}\n${indent}{{- range .Values.gpuClients }}{{ with .deployLabel }}\n${indent}k == '{{ . }}' ||\n${indent}{{- end }}{{ end }}`,
    );
}

/** A namespace may be named 2026, which YAML reads as a number. */
function quoteNames(text) {
  return text.replaceAll(/^( *(?:name|namespace): )\{\{ ([.\w]+) \}\}$/gm, '$1{{ $2 | quote }}');
}

function withValues(text, isOfPlugin) {
  const named = text
    .replaceAll(/gpu-partition-system(?![\w-])/g, '{{ .Values.namespaces.controller }}')
    .replaceAll(/gpu-partition-agents(?![\w-])/g, '{{ .Values.namespaces.agents }}');
  if (!isOfPlugin) return named;
  // kustomize sets its namespace; the subject of the binding stays in its own.
  return named
    .replaceAll(
      /^( {2}name: gpu-partition-device-plugin(-config)?)$/gm,
      (line, _all, suffix) =>
        `${suffix === undefined ? '  name: {{ .Values.devicePluginConfig.name }}' : line}\n  namespace: {{ .Values.devicePluginConfig.namespace }}`,
    )
    .replaceAll('[gpu-partition-device-plugin]', '[{{ .Values.devicePluginConfig.name | quote }}]')
    .replace(/(roleRef:\n(?: {2}.*\n)*?)( {2}name: gpu-partition-device-plugin-config)\n {2}namespace: .*\n/, '$1$2\n');
}
