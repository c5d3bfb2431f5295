// What catalogs show of a release: Artifact Hub the annotations of the chart, OperatorHub a bundle for the Operator Lifecycle Manager (OLM).
// Everything in them is from CRDs, samples, manifests and CHANGELOG.
import { readdir, readFile } from 'node:fs/promises';
import { parse, stringify } from 'yaml';

const root = new URL('../', import.meta.url);
const read = (path) => readFile(new URL(path, root), 'utf8');
const packageName = 'gpu-partition-operator';
const controllerNamespace = 'gpu-partition-system';
const channel = 'candidate';

/**
 * @typedef {object} Release
 * @property {string} version
 * @property {string} description
 * @property {string} image by its digest
 * @property {string} created ISO 8601
 * @property {string} notes what CHANGELOG.md says about this version
 * @property {string} [sourceUrl] of the repository
 * @property {string} [iconUrl]
 */

const text = (value) => stringify(value, { lineWidth: 0 });

async function readCrds() {
  const files = (await readdir(new URL('crds/', root))).filter((name) => name.startsWith('gpupartition.dev_'));
  return Promise.all(files.sort().map(async (name) => ({ file: name, crd: parse(await read(`crds/${name}`)) })));
}

/** Policies alone: people write no GpuNodePartition. */
async function readExamples() {
  const files = (await readdir(new URL('samples/', root))).filter((name) => /^(?!kustomization).*\.yaml$/.test(name));
  return Promise.all(files.sort().map(async (name) => parse(await read(`samples/${name}`))));
}

/** `GpuPartitionPolicy` is "GPU partition policy", `nodeUID` is "Node UID". */
function titleOf(name) {
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').split(' ');
  const plain = words.map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase().replace(/^gpu/, 'GPU')));
  return plain.join(' ').replace(/^./, (letter) => letter.toUpperCase());
}

function linksOf({ sourceUrl, version }) {
  if (!sourceUrl) return [];
  const page = (name) => `${sourceUrl}/blob/v${version}/docs/${name}.md`;
  return [
    { name: 'Source', url: sourceUrl },
    { name: 'Install', url: page('install') },
    { name: 'Limits', url: page('limits') },
    { name: 'API', url: page('api') },
  ];
}

/** @param {string} notes in Markdown @returns each entry without its links, which lead to files of the repository */
function changesOf(notes) {
  return [...notes.matchAll(/^- (.+)$/gm)].map(([, change]) => change.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
}

/** @param {Release} release @returns {Promise<object>} what Chart.yaml has besides, by https://artifacthub.io/docs/topics/annotations/helm/ */
export async function describeForArtifactHub(release) {
  const { image, notes, version, sourceUrl, iconUrl } = release;
  const crds = (await readCrds()).map(({ crd }) => {
    const [{ name, schema }] = crd.spec.versions;
    const { kind } = crd.spec.names;
    const { description } = schema.openAPIV3Schema;
    return { kind, version: name, name: crd.metadata.name, displayName: titleOf(kind), description };
  });
  const annotations = {
    category: 'ai-machine-learning',
    license: 'Apache-2.0',
    operator: 'true',
    prerelease: String(version.startsWith('0.')),
    images: text([{ name: packageName, image, platforms: ['linux/amd64', 'linux/arm64'] }]),
    crds: text(crds),
    crdsExamples: text(await readExamples()),
    changes: text(changesOf(notes)),
    ...(sourceUrl && { links: text(linksOf(release).map(({ name, url }) => ({ name, url }))) }),
  };
  return {
    ...(iconUrl && { icon: iconUrl }),
    ...(sourceUrl && { home: sourceUrl, sources: [sourceUrl] }),
    keywords: ['gpu', 'nvidia', 'mig', 'operator'],
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [`artifacthub.io/${key}`, value]),
    ),
  };
}

/**
 * OLM installs CRDs, a Deployment and its rights, and neither DaemonSets, namespaces nor admission policies.
 *
 * @param {readonly object[]} objects of config/overlays/openshift
 * @returns which of them a bundle has, by their part in it, and the `rest`, which has to be applied beside it
 */
function divide(objects) {
  const [deployment] = objects.filter(({ kind }) => kind === 'Deployment');
  const account = deployment.spec.template.spec.serviceAccountName;
  const isHere = ({ metadata: { namespace } }) => namespace === undefined || namespace === controllerNamespace;
  const bindings = objects.filter(
    (one) =>
      /^(Cluster)?RoleBinding$/.test(one.kind) && isHere(one) && one.subjects.some(({ name }) => name === account),
  );
  const roles = bindings.map(({ kind, roleRef, metadata }) => {
    const isRole = (one) => one.kind === roleRef.kind && one.metadata.name === roleRef.name;
    const role = objects.find((one) => isRole(one) && one.metadata.namespace === metadata.namespace);
    return { isOfCluster: kind === 'ClusterRoleBinding', role };
  });
  const bound = new Set(objects.flatMap(({ roleRef }) => roleRef?.name ?? []));
  const forUsers = objects.filter(({ kind, metadata }) => kind === 'ClusterRole' && !bound.has(metadata.name));
  const budgets = objects.filter(({ kind }) => kind === 'PodDisruptionBudget');
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const accounts = objects.filter(({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === account);
  const others = [...forUsers, ...budgets];
  const taken = new Set([deployment, ...bindings, ...roles.map(({ role }) => role), ...crds, ...accounts, ...others]);
  return { deployment, account, roles, others, rest: objects.filter((one) => !taken.has(one)) };
}

async function describeOwned() {
  return (await readCrds()).map(({ crd }) => {
    const [{ name, schema }] = crd.spec.versions;
    const { kind } = crd.spec.names;
    const { description, properties } = schema.openAPIV3Schema;
    const fields = (path) =>
      Object.entries(properties[path].properties).flatMap(([field, { description: words }]) =>
        words === undefined ? [] : [{ path: field, displayName: titleOf(field), description: words }],
      );
    return {
      name: crd.metadata.name,
      version: name,
      kind,
      displayName: titleOf(kind),
      description,
      specDescriptors: fields('spec'),
      statusDescriptors: fields('status'),
    };
  });
}

/** @param {Release} release */
async function describeVersion(release, { deployment, account, roles }) {
  const { version, description, image, created, sourceUrl } = release;
  const rules = (isWanted) =>
    roles
      .filter(({ isOfCluster }) => isOfCluster === isWanted)
      .map(({ role }) => ({ serviceAccountName: account, rules: role.rules }));
  const owned = await describeOwned();
  const internal = owned.filter(({ kind }) => kind !== 'GpuPartitionPolicy').map(({ name }) => name);
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: `${packageName}.v${version}`,
      namespace: controllerNamespace,
      labels: Object.fromEntries(
        ['arch.amd64', 'arch.arm64', 'os.linux'].map((one) => [`operatorframework.io/${one}`, 'supported']),
      ),
      annotations: {
        'alm-examples': JSON.stringify(await readExamples(), undefined, 2),
        capabilities: 'Seamless Upgrades',
        categories: 'AI/Machine Learning',
        certified: 'false',
        containerImage: image,
        createdAt: created,
        description,
        'operatorframework.io/suggested-namespace': controllerNamespace,
        'operators.operatorframework.io/internal-objects': JSON.stringify(internal),
        ...(sourceUrl && { repository: sourceUrl, support: sourceUrl }),
      },
    },
    spec: {
      displayName: 'GPU partition operator',
      description: `${description}. It has never run on a real GPU.

You describe the slices that a pool of nodes should have, as a GpuPartitionPolicy; every node converges to that layout and is kept there.

## Before

Install it into the namespace \`${controllerNamespace}\`. OLM installs the controller alone: apply \`olm-agents.yaml\` of the same release first, which has the agents, their namespace and the admission policies that limit what both may write.`,
      version,
      minKubeVersion: '1.30.0',
      maturity: 'alpha',
      provider: { name: 'The authors of the GPU partition operator', ...(sourceUrl && { url: sourceUrl }) },
      links: linksOf(release),
      keywords: ['gpu', 'nvidia', 'mig'],
      icon: [
        { base64data: Buffer.from(await read('docs/images/icon.svg')).toString('base64'), mediatype: 'image/svg+xml' },
      ],
      relatedImages: [{ name: packageName, image }],
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        type,
        supported: type === 'AllNamespaces',
      })),
      customresourcedefinitions: { owned },
      install: {
        strategy: 'deployment',
        spec: {
          deployments: [{ name: deployment.metadata.name, label: deployment.metadata.labels, spec: deployment.spec }],
          clusterPermissions: rules(true),
          permissions: rules(false),
        },
      },
    },
  };
}

/**
 * @param {Release} release
 * @param {readonly object[]} objects of config/overlays/openshift, with the image by its digest
 * @returns {Promise<{ bundle: import('./archives.mjs').Entry[], rest: readonly object[] }>} the files of the bundle, and what OLM cannot install
 */
export async function describeForOlm(release, objects) {
  const parts = divide(objects);
  const version = await describeVersion(release, parts);
  const labels = {
    'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
    'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
    'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
    'operators.operatorframework.io.bundle.package.v1': packageName,
    'operators.operatorframework.io.bundle.channels.v1': channel,
    'operators.operatorframework.io.bundle.channel.default.v1': channel,
  };
  const dockerfile = [
    'FROM scratch',
    ...Object.entries(labels).map(([name, value]) => `LABEL ${name}=${value}`),
    'COPY manifests /manifests/',
    'COPY metadata /metadata/',
    '',
  ];
  const bundle = [
    { name: 'bundle.Dockerfile', bytes: dockerfile.join('\n') },
    { name: `manifests/${packageName}.clusterserviceversion.yaml`, bytes: text(version) },
    ...(await readCrds()).map(({ file, crd }) => ({ name: `manifests/${file}`, bytes: text(crd) })),
    ...parts.others.map(({ metadata: { namespace: _ofOlm, ...metadata }, ...object }) => ({
      name: `manifests/${metadata.name}.${object.kind.toLowerCase()}.yaml`,
      bytes: text({ apiVersion: object.apiVersion, kind: object.kind, metadata, ...object }),
    })),
    { name: 'metadata/annotations.yaml', bytes: text({ annotations: labels }) },
  ];
  return { bundle, rest: parts.rest };
}
