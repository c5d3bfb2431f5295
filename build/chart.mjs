// The parts of the chart that equal config/ except for namespaces: CRDs, RBAC, admission policies, what surrounds the pods.
// The two workloads have their own values and are written by hand; test/config/chart.spec.ts compares everything with kustomize's.
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { isMap, parseDocument } from 'yaml';

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
  { from: 'config/kueue/role.yaml', as: 'kueue-role', when: '.Values.kueue.enabled' },
  { from: 'config/kueue/admission.yaml', as: 'kueue-admission', when: '.Values.kueue.enabled' },
  { from: 'config/monitoring/pod-monitor.yaml', when: '.Values.podMonitor.enabled' },
  { from: 'config/monitoring/rules.yaml', as: 'prometheus-rule', when: '.Values.prometheusRule.enabled' },
  { from: 'config/overlays/openshift/scc.yaml', as: 'openshift-scc', when: '.Values.openshift' },
  {
    from: 'config/overlays/gke-cos/resource-quota.yaml',
    as: 'critical-pods-quota',
    when: '.Values.criticalPodsQuota.enabled',
  },
];

export async function writeChart() {
  await mkdir(new URL('templates/crds/', chart), { recursive: true });
  for (const file of (await readdir(new URL('crds/', root))).filter((name) => name.startsWith('gpupartition.dev_'))) {
    const text = keptByHelm(escapeTemplates(await readFile(new URL(`crds/${file}`, root), 'utf8')));
    const body = `{{- if .Values.crds.enabled }}\n${text.trimEnd()}\n{{- end }}\n`;
    await writeFile(new URL(`templates/crds/${file}`, chart), banner(`crds/${file}`) + body);
  }
  for (const { from, as, when } of parts) {
    const text = inNamespace(escapeTemplates(await readFile(new URL(from, root), 'utf8')), from);
    const isOfPlugin = from.startsWith('config/device-plugin-config/');
    const named = withOwnNames(allowDeployLabels(withAccounts(quoteNames(withValues(text, isOfPlugin)))));
    const body = when === undefined ? named : `{{- if ${when} }}\n${named.trimEnd()}\n{{- end }}\n`;
    const name = as ?? from.split('/').at(-1).replace('.yaml', '');
    await writeFile(new URL(`templates/${name}.yaml`, chart), banner(from) + body);
  }
  await writeValuesPage();
}

/** Templates are upgraded, unlike what is in a chart's folder crds/, and would be deleted with the release, and every policy with them. */
function keptByHelm(text) {
  return text.replace(/^metadata:\n/m, '$&  annotations:\n    helm.sh/resource-policy: keep\n');
}

/** The names of our objects begin as the user says. Labels stay, by which programs find pods, and so does the name of the Lease. */
function withOwnNames(text) {
  const own = '{{ include "gpu-partition.fullname" . }}';
  return text
    .replaceAll(/^( *(?:name|policyName): )gpu-partition(-[\w-]+)$/gm, `$1${own}$2`)
    .replaceAll(/^( *name: )gpu-partition$/gm, '$1{{ include "gpu-partition.fullname" . | quote }}')
    .replaceAll(/(deployments\/scale\]\n.*resourceNames: \[)gpu-partition(-controller\])/g, `$1${own}$2`);
}

/** A table of all values for people who look at the chart alone. */
async function writeValuesPage() {
  const { contents } = parseDocument(await readFile(new URL('values.yaml', chart), 'utf8'));
  const schema = JSON.parse(await readFile(new URL('values.schema.json', chart), 'utf8'));
  const page = [
    '# gpu-partition',
    '<!-- Generated from values.yaml and its comments by build/chart.mjs: change those and run `make generate`. -->',
    'Partitions the NVIDIA GPUs of a cluster with MIG by policy. `platforms/` has values for gpu-operator, drivers on the host, GKE, Talos and OpenShift. An unknown value is an error.',
    ['| value | default | |', '|---|---|---|', ...listValues(contents, schema)].join('\n'),
  ];
  await writeFile(new URL('README.md', chart), `${page.join('\n\n')}\n`);
}

/** @returns a row for each value, and one for a group that has a comment of its own */
function listValues(map, { properties }, prefix = '') {
  return map.items.flatMap(({ key, value }, index) => {
    const name = `${prefix}${key.value}`;
    const comment = key.commentBefore ?? (index === 0 && prefix !== '' ? map.commentBefore : undefined);
    // Above an empty line stands what is said of the whole file.
    const words = (comment ?? '')
      .replace(/^[^]*\n\n/, '')
      .replaceAll(/\s*\n\s*/g, ' ')
      .trim()
      .replaceAll('|', '\\|');
    const inner = properties[key.value];
    if (isMap(value) && inner?.properties !== undefined) {
      const rows = listValues(value, inner, `${name}.`);
      return words === '' ? rows : [`| \`${name}\` | | ${words} |`, ...rows];
    }
    const fallback = JSON.stringify(value.toJSON());
    return [`| \`${name}\` | \`${fallback}\` | ${words} |`];
  });
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

/** What Prometheus fills in. */
function escapeTemplates(text) {
  return text.replaceAll(/\{\{.*?\}\}/g, (expression) => `{{ ${JSON.stringify(expression)} }}`);
}

/** kustomize sets the namespace of these where the whole folder is applied. Prometheus may select them by a label. */
function inNamespace(text, from) {
  if (!from.startsWith('config/monitoring/')) return text;
  const value = from.includes('rules') ? 'prometheusRule' : 'podMonitor';
  return text
    .replace(/^( {2}name: .*\n)/m, '$1  namespace: gpu-partition-system\n')
    .replace(
      /^( {4}app.kubernetes.io\/part-of: .*\n)/m,
      `$1    {{- with .Values.${value}.labels }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n`,
    );
}

/** The accounts of both programs have names, and annotations, of the user's. */
function withAccounts(text) {
  const named = text.replaceAll(
    /(kind: ServiceAccount\n(?:metadata:\n)? +name: )gpu-partition-(controller|agent)$/gm,
    '$1{{ include "gpu-partition.$2Account" . | quote }}',
  );
  return named.replaceAll(
    /^apiVersion: v1\nkind: ServiceAccount\nmetadata:\n.*gpu-partition\.(\w+)Account.*\n.*\n(?=automount)(.*\n?)/gm,
    (account, program, rest) => {
      const values = `.Values.${program}.serviceAccount`;
      const head = account.slice(0, account.length - rest.length);
      const annotations = `  {{- with ${values}.annotations }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}\n`;
      return `{{- if ${values}.create }}\n${head}${annotations}${rest.trimEnd()}\n{{- end }}\n`;
    },
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
