import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { templateOf } from './workload.ts';
import { clusterTimeoutMs } from '../support/cluster.ts';
import { findHelm, renderChart, runHelm } from '../support/helm.ts';
import { type RenderedObject, readManifests, renderFolder } from '../api/installation.ts';

const platforms = readdirSync('charts/gpu-partition/platforms').map((file) => file.replace('.yaml', ''));

const keeps = { 'helm.sh/resource-policy': 'keep' };

/** By kind and name, without what only Helm reads. */
function byName(objects: readonly RenderedObject[]): Readonly<Record<string, RenderedObject>> {
  const named = objects.map((object) => {
    const { kind, metadata } = object;
    const { annotations, ...rest } = metadata;
    const own = kind === 'CustomResourceDefinition' ? { ...object, metadata: rest } : object;
    if (own !== object && annotations !== undefined) expect(annotations).to.deep.equal(keeps);
    return [`${kind} ${metadata.namespace ?? ''}/${metadata.name}`, own] as const;
  });
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function chartObjects(...args: readonly string[]): Promise<readonly RenderedObject[]> {
  const { code, stdout, stderr } = await renderChart(...args);
  if (code !== 0) throw new Error(stderr);
  return readManifests(stdout);
}

describe('the chart', () => {
  before(async function () {
    this.timeout(clusterTimeoutMs);
    await findHelm();
  });

  it('is config/default, object for object', async () => {
    expect(byName(await chartObjects('--no-hooks', '--set', 'image.tag=dev'))).to.deep.equal(
      byName(await renderFolder('config/default')),
    );
  });

  for (const platform of platforms) {
    it(`is config/overlays/${platform} with platforms/${platform}.yaml`, async () => {
      const values = `charts/gpu-partition/platforms/${platform}.yaml`;
      const chart = await chartObjects('--no-hooks', '--values', values, '--set', 'image.tag=dev');
      const overlay = await renderFolder(`config/overlays/${platform}`);
      expect(byName(chart)).to.deep.equal(byName(overlay));
    });
  }

  it('keeps what a platform needs where the controller gets options besides: Helm replaces lists', async () => {
    const platform = 'charts/gpu-partition/platforms/openshift.yaml';
    const { stdout } = await renderChart('--values', platform, '--set', 'controller.extraArgs={--log-level=debug}');
    expect(stdout).to.include('--log-level=debug').and.include('--system-namespaces=nvidia-gpu-operator,');
  });

  it('has a file of values for every overlay', () => {
    expect(platforms).to.have.members(readdirSync('config/overlays'));
  });

  it('has besides what cleans up before it is uninstalled, and has not where a value says so', async () => {
    const hooks = (objects: readonly RenderedObject[]) =>
      objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook']);
    const found = hooks(await chartObjects());
    expect(found.map(({ kind }) => kind)).to.have.members(['Role', 'RoleBinding', 'Job', 'Job']);
    for (const { metadata } of found) expect(metadata.annotations?.['helm.sh/hook']).to.equal('pre-delete');
    expect(hooks(await chartObjects('--set', 'uninstallHook.enabled=false'))).to.deep.equal([]);
  });

  it('ends soon where the image of what cleans up cannot be pulled: such a pod never fails, and Helm waits', async () => {
    interface JobObject extends RenderedObject {
      readonly spec: {
        readonly activeDeadlineSeconds: number;
        readonly backoffLimit: number;
        readonly template: {
          readonly spec: { readonly [field: string]: unknown; readonly containers: readonly object[] };
        };
      };
    }
    const sets = [
      'image.repository=registry.example.com/own',
      'imagePullSecrets[0].name=key',
      'controller.nodeSelector.pool=system',
    ];
    const objects = await chartObjects(...sets.flatMap((set) => ['--set', set]));
    const jobs = objects.filter(({ kind }) => kind === 'Job') as JobObject[];
    const weight = ({ metadata }: JobObject): number => Number(metadata.annotations?.['helm.sh/hook-weight'] ?? 0);
    const [first, second] = jobs.toSorted((one, other) => weight(one) - weight(other));
    expect(first?.metadata.name).to.equal('gpu-partition-uninstall-image');
    // Helm waits for 5 minutes, or as long as install.md says: 15.
    expect([first?.spec.activeDeadlineSeconds, first?.spec.backoffLimit]).to.deep.equal([120, 0]);
    expect(second?.spec.activeDeadlineSeconds).to.be.within(600, 14 * 60);
    const placed = (job: JobObject | undefined) => {
      const { tolerations, nodeSelector, imagePullSecrets, containers } = job?.spec.template.spec ?? { containers: [] };
      const { image, command } = { image: undefined, command: undefined, ...containers[0] };
      return { tolerations, nodeSelector, imagePullSecrets, image, command };
    };
    expect(placed(first)).to.deep.equal(placed(second));
    expect(placed(first)).to.deep.include({ imagePullSecrets: [{ name: 'key' }], nodeSelector: { pool: 'system' } });
    expect(first?.spec.template.spec).to.include({ automountServiceAccountToken: false });
    expect(first?.spec.template.spec).to.not.have.property('volumes');
  });

  it('renames its namespaces everywhere, in accounts of admission policies too', async () => {
    const text = (await renderChart('--set', 'namespaces.controller=own-controller,namespaces.agents=own-agents'))
      .stdout;
    expect(text).to.not.match(/gpu-partition-system|namespace: gpu-partition-agents/);
    expect(text).to.include("startsWith('system:serviceaccount:own-controller:')");
    expect(text).to.include("startsWith('system:serviceaccount:own-agents:')");
    expect(text).to.include('--agent-namespace=own-agents');
  });

  it('has its CRDs on a switch, and no Helm deletes them', async () => {
    const found = (objects: readonly RenderedObject[]) =>
      objects.filter(({ kind }) => kind === 'CustomResourceDefinition').map(({ metadata }) => metadata.annotations);
    expect(found(await chartObjects())).to.deep.equal([keeps, keeps]);
    expect(found(await chartObjects('--set', 'crds.enabled=false'))).to.deep.equal([]);
    const notes = async (...args: readonly string[]): Promise<string> =>
      (await runHelm('install', 'x', 'charts/gpu-partition', '--dry-run=client', ...args)).stdout.split('NOTES:')[1] ??
      '';
    expect(await notes('--set', 'crds.enabled=false')).to.include('The CRDs are missing');
    expect(await notes())
      .to.include('kubectl get gpn')
      .and.not.include('CRDs are missing');
  });

  for (const set of ['fullnameOverride=own', 'nameOverride=own', 'nameOverride=other,fullnameOverride=own']) {
    it(`names its objects with ${set}, and whatever refers to one by its name`, async () => {
      const all = 'podMonitor.enabled=true,prometheusRule.enabled=true,openshift=true,criticalPodsQuota.enabled=true';
      const more = `${all},devicePluginConfig.enabled=true,gpuClients[0].name=x,gpuClients[0].deployLabel=nvidia.com/y,gpuClients[0].goes={InUse}`;
      const objects = await chartObjects('--set', `${set},${more}`);
      const isNamed = ({ kind }: RenderedObject) => kind !== 'Namespace' && kind !== 'CustomResourceDefinition';
      for (const { kind, metadata } of objects.filter(isNamed)) {
        // That name is a value of its own.
        if (metadata.name === 'gpu-partition-device-plugin') continue;
        expect(metadata.name, kind).to.match(/^own(-|$)/);
      }
      const names = new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`));
      const text = JSON.stringify(objects);
      const named = [
        ...[...text.matchAll(/"roleRef":\{[^}]*"kind":"(\w+)","name":"([^"]+)"/g)].map(([, ...one]) => one.join('/')),
        ...[...text.matchAll(/"kind":"(ServiceAccount)","name":"([^"]+)"/g)].map(([, ...one]) => one.join('/')),
        ...[...text.matchAll(/"serviceAccountName":"([^"]+)"/g)].map(([, one]) => `ServiceAccount/${one}`),
        ...[...text.matchAll(/"policyName":"([^"]+)"/g)].map(([, one]) => `ValidatingAdmissionPolicy/${one}`),
        ...[...text.matchAll(/"configMap":\{"name":"(own[^"]+)"/g)].map(([, one]) => `ConfigMap/${one}`),
        ...[...text.matchAll(/--stop-controller=([\w-]+)/g)].map(([, one]) => `Deployment/${one}`),
        ...[...text.matchAll(/"deployments\/scale"\],"resourceNames":\["([^"]+)"/g)].map(
          ([, one]) => `Deployment/${one}`,
        ),
      ];
      expect(named).to.have.length.above(25).and.include('Deployment/own-controller');
      expect([...names]).to.include.members(named);
      // The programs find these by themselves: pods by their label, and the Lease.
      expect(text).to.include('"app.kubernetes.io/name":"gpu-partition-agent"');
      expect(text).to.include('"leases"],"resourceNames":["gpu-partition-controller"]');
    });
  }

  it('takes names of namespaces that YAML reads as numbers', async () => {
    const set = 'namespaces.controller=2026,namespaces.agents=1e3,devicePluginConfig.namespace=010';
    const { stdout } = await renderChart('--set-string', set);
    // kubectl and Helm read YAML 1.1.
    const objects = parseAllDocuments(stdout, { version: '1.1' })
      .map((document) => document.toJS() as RenderedObject | null)
      .filter((object) => object !== null);
    const texts = objects.flatMap(({ metadata, ...rest }) => [
      metadata.name,
      metadata.namespace ?? '',
      ...((rest as { subjects?: { namespace: unknown }[] }).subjects ?? []).map(({ namespace }) => namespace),
    ]);
    expect(texts).to.include('2026').and.include('1e3');
    expect(texts.filter((text) => typeof text !== 'string')).to.deep.equal([]);
  });

  it('hands a library path to the agent that ends with a colon, as many a LD_LIBRARY_PATH does', async () => {
    const text = JSON.stringify(await chartObjects('--set', 'agent.libraryPath=/usr/lib/nvidia:'));
    expect(text).to.include('"--library-path=/usr/lib/nvidia:"');
  });

  it('takes an image by digest, pull secrets, and options of its programs', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const set = `image.repository=example.com/gpu,image.digest=${digest},imagePullSecrets[0].name=pull`;
    const objects = await chartObjects(
      '--set',
      `${set},controller.extraArgs[0]=--log-level=debug,agent.extraArgs[0]=--x`,
    );
    const text = JSON.stringify(objects);
    expect(text.split(`"image":"example.com/gpu@${digest}"`)).to.have.length(5);
    expect(text)
      .to.include('"imagePullSecrets":[{"name":"pull"}]')
      .and.include('"--log-level=debug"')
      .and.include('"--x"');
  });

  const imagesOf = async (set: string): Promise<readonly string[]> => {
    const { stdout } = await renderChart('--set', set);
    return [...new Set([...stdout.matchAll(/image: (\S+)/g)].map(([, image = '']) => image))];
  };

  it('takes the version of the program without a tag, and a registry of its own or of all charts', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    const image = `gpu-partition-operator:${version}`;
    expect(await imagesOf('image.tag=')).to.deep.equal([image]);
    expect(await imagesOf('image.tag=null,image.registry=example.com:5000')).to.deep.equal([
      `example.com:5000/${image}`,
    ]);
    expect(await imagesOf('image.registry=one,global.imageRegistry=all')).to.deep.equal([`all/${image}`]);
  });

  it('takes pull secrets of all charts, as names or objects, before its own', async () => {
    const set = 'global.imagePullSecrets={one},global.imagePullSecrets[1].name=two,imagePullSecrets[0].name=own';
    const text = JSON.stringify(await chartObjects('--set', set));
    expect(text.split('"imagePullSecrets":[{"name":"one"},{"name":"two"},{"name":"own"}]')).to.have.length(5);
  });

  for (const program of ['controller', 'agent'] as const) {
    it(`takes for the ${program} what pods usually take, and an account of another name`, async () => {
      const values = {
        affinity: { nodeAffinity: { x: 'y' } },
        tolerations: [{ key: 'own', operator: 'Exists' }],
        nodeSelector: { disk: 'fast' },
        priorityClassName: 'own-class',
        podAnnotations: { 'example.com/scrape': 'true' },
        podLabels: { team: 'gpu' },
        env: [{ name: 'HTTPS_PROXY', value: 'http://proxy' }],
        resources: { limits: { memory: '1Gi' } },
        serviceAccount: { name: 'own-account', annotations: { 'example.com/role': 'arn' } },
      };
      const objects = await chartObjects('--set-json', `${program}=${JSON.stringify(values)}`);
      const workload = templateOf(objects, program === 'agent' ? 'DaemonSet' : 'Deployment') as unknown as {
        readonly metadata: { readonly labels: object; readonly annotations: object };
        readonly spec: Readonly<Record<string, unknown>> & { readonly containers: readonly object[] };
      };
      expect(workload.metadata.labels).to.include({ team: 'gpu', 'app.kubernetes.io/part-of': 'gpu-partition' });
      expect(workload.metadata.annotations).to.deep.equal(values.podAnnotations);
      const { affinity, priorityClassName, nodeSelector, tolerations, serviceAccountName, containers } = workload.spec;
      expect({ affinity, priorityClassName, serviceAccountName }).to.deep.equal({
        affinity: values.affinity,
        priorityClassName: 'own-class',
        serviceAccountName: 'own-account',
      });
      expect(nodeSelector).to.include(values.nodeSelector);
      expect(tolerations).to.deep.include(values.tolerations[0]);
      expect(JSON.stringify(containers)).to.include(JSON.stringify(values.env[0])).and.include('"memory":"1Gi"');
      const text = JSON.stringify(objects);
      expect(text).to.include('"annotations":{"example.com/role":"arn"}');
      // Whatever was bound to the account is bound to it under its new name.
      expect(text).to.not.include(`"kind":"ServiceAccount","name":"gpu-partition-${program}"`);
      const none = await chartObjects('--set', `${program}.serviceAccount.create=false`);
      expect(none.filter(({ kind }) => kind === 'ServiceAccount')).to.have.length(1);
    });
  }

  it('mounts the driver’s root where a value puts it, unless another says which folder', async () => {
    const mountOf = async (set: string): Promise<string> => {
      const text = JSON.stringify(await chartObjects('--set', set));
      const [, path] = /"name":"driver-root","mountPath":"([^"]+)"/.exec(text) ?? [];
      const [, host] = /"name":"driver-root","hostPath":\{"path":"([^"]+)"/.exec(text) ?? [];
      return `${host} at ${path}`;
    };
    expect(await mountOf('agent.driverRoots={/proc/1/root}')).to.equal('/run/nvidia/driver at /run/nvidia/driver');
    expect(await mountOf('agent.driverRoots={/opt/nvidia,/proc/1/root}')).to.equal('/opt/nvidia at /opt/nvidia');
    expect(await mountOf('agent.driverRoots={/a},agent.driverFolder.host=/b')).to.equal('/b at /a');
  });

  it('has on request what Prometheus Operator reads, equal to config/monitoring', async () => {
    const none = await chartObjects();
    expect(none.filter(({ kind }) => kind === 'PodMonitor' || kind === 'PrometheusRule')).to.deep.equal([]);
    const objects = await chartObjects('--set', 'podMonitor.enabled=true,prometheusRule.enabled=true');
    for (const [kind, file] of [
      ['PodMonitor', 'pod-monitor.yaml'],
      ['PrometheusRule', 'rules.yaml'],
    ] as const) {
      const expected = parse(readFileSync(`config/monitoring/${file}`, 'utf8')) as RenderedObject;
      const metadata = { ...expected.metadata, namespace: 'gpu-partition-system' };
      expect(objects.find((object) => object.kind === kind)).to.deep.equal({ ...expected, metadata });
    }
    const set = 'podMonitor.enabled=true,podMonitor.labels.release=stack';
    expect(JSON.stringify(await chartObjects('--set', set))).to.include('"gpu-partition","release":"stack"');
  });

  /** For each value of the chart another than its default, and what is then rendered; for false, what no longer is. Some need a second value. */
  const tried: Readonly<Record<string, readonly [value: unknown, rendered: RegExp, also?: string]>> = {
    'global.imageRegistry': ['mirror:5000', /image: mirror:5000\/gpu-partition-operator:/],
    'global.imagePullSecrets': [['shared'], /imagePullSecrets:\n +- name: "shared"/],
    nameOverride: ['own', /name: own-controller$/m],
    fullnameOverride: ['own', /name: own-agent$/m],
    'crds.enabled': [false, /kind: CustomResourceDefinition/],
    'image.registry': ['example.com', /image: example\.com\/gpu-partition-operator:/],
    'image.repository': ['own/image', /image: own\/image:/],
    'image.tag': ['own', /image: gpu-partition-operator:own$/m],
    'image.digest': [`sha256:${'a'.repeat(64)}`, /image: gpu-partition-operator@sha256:a{64}$/m],
    'image.pullPolicy': ['Never', /imagePullPolicy: Never/],
    imagePullSecrets: [[{ name: 'own' }], /imagePullSecrets:\n +- name: "own"/],
    'namespaces.create': [false, /^kind: Namespace$/m],
    'namespaces.controller': ['own', /namespace: "own"/],
    'namespaces.agents': ['own', /--agent-namespace=own/],
    'controller.replicas': [3, /replicas: 3/],
    'controller.extraArgs': [['--log-level=debug'], /- "--log-level=debug"/],
    'controller.resources': [{ limits: { memory: '1Gi' } }, /memory: 1Gi/],
    'controller.nodeSelector': [{ pool: 'system' }, /nodeSelector: \{"pool":"system"\}/],
    'controller.tolerations': [[{ key: 'own', operator: 'Exists' }], /- key: own/],
    'controller.affinity': [{ nodeAffinity: {} }, /affinity:\n +nodeAffinity: \{\}/],
    'controller.priorityClassName': ['own', /priorityClassName: "own"/],
    'controller.podAnnotations': [{ own: 'x' }, /annotations:\n +own: x/],
    'controller.podLabels': [{ own: 'x' }, /part-of: gpu-partition\n +own: x/],
    'controller.env': [[{ name: 'OWN', value: 'x' }], /- name: OWN\n +value: x/],
    'controller.serviceAccount.create': [false, /kind: ServiceAccount\nmetadata:\n +name: "gpu-partition-controller"/],
    'controller.serviceAccount.name': ['own', /serviceAccountName: "own"/],
    'controller.serviceAccount.annotations': [{ own: 'x' }, /annotations:\n +own: x/],
    'agent.driverRoots': [['/own'], /--driver-root=\/own"[^]*mountPath: \/own,[^]*path: \/own,/],
    'agent.driverFolder.host': ['/own', /hostPath: \{path: \/own,/],
    'agent.driverFolder.path': ['/own', /name: driver-root, mountPath: \/own,/],
    'agent.nvidiaSmi': ['/own', /"--nvidia-smi=\/own"/],
    'agent.libraryPath': ['/own', /"--library-path=\/own"/],
    'agent.kubeletFolder': [
      '/own',
      /hostPath: \{path: \/own\/pod-resources,[^]*hostPath: \{path: \/own\/device-plugins,/,
    ],
    'agent.extraArgs': [['--ignore-pods'], /- "--ignore-pods"/],
    'agent.resources': [{ limits: { memory: '1Gi' } }, /memory: 1Gi/],
    'agent.nodeSelector': [{ pool: 'gpu' }, /nodeSelector:\n +nvidia.com\/gpu.present: "true"\n +pool: gpu/],
    'agent.tolerations': [[{ key: 'own', operator: 'Exists' }], /tolerations:\n +- key: own/],
    'agent.affinity': [{ nodeAffinity: {} }, /affinity:\n +nodeAffinity: \{\}/],
    'agent.priorityClassName': ['own', /priorityClassName: "own"/],
    'agent.podAnnotations': [{ own: 'x' }, /annotations:\n +own: x/],
    'agent.podLabels': [{ own: 'x' }, /part-of: gpu-partition\n +own: x/],
    'agent.env': [[{ name: 'OWN', value: 'x' }], /- name: OWN\n +value: x/],
    'agent.serviceAccount.create': [false, /kind: ServiceAccount\nmetadata:\n +name: "gpu-partition-agent"/],
    'agent.serviceAccount.name': ['own', /serviceAccountName: "own"/],
    'agent.serviceAccount.annotations': [{ own: 'x' }, /annotations:\n +own: x/],
    'devicePluginConfig.enabled': [true, /--device-plugin-config-map=gpu-operator\/gpu-partition-device-plugin/],
    'devicePluginConfig.namespace': ['own', /--device-plugin-config-map=own\//, 'devicePluginConfig.enabled=true'],
    'devicePluginConfig.name': [
      'own',
      /--device-plugin-config-map=gpu-operator\/own$/m,
      'devicePluginConfig.enabled=true',
    ],
    'kueue.enabled': [true, /name: gpu-partition-kueue$/m],
    gpuClients: [[{ name: 'own', container: 'main', goes: ['InUse'] }], /clients:\n +- container: main/],
    'nodeCondition.enabled': [true, /^ +- --node-condition$/m],
    'podDisruptionBudget.enabled': [false, /kind: PodDisruptionBudget/],
    'networkPolicy.enabled': [false, /kind: NetworkPolicy/],
    'podMonitor.enabled': [true, /kind: PodMonitor/],
    'podMonitor.labels': [{ own: 'x' }, /part-of: gpu-partition\n +own: x/, 'podMonitor.enabled=true'],
    'prometheusRule.enabled': [true, /kind: PrometheusRule/],
    'prometheusRule.labels': [{ own: 'x' }, /part-of: gpu-partition\n +own: x/, 'prometheusRule.enabled=true'],
    'uninstallHook.enabled': [false, /kind: Job/],
    openshift: [true, /kind: SecurityContextConstraints|securitycontextconstraints/],
    'criticalPodsQuota.enabled': [true, /kind: ResourceQuota/],
  };

  it('has a page with each of its values, and each is tried here', () => {
    const page = readFileSync('charts/gpu-partition/README.md', 'utf8');
    const rows = [...page.matchAll(/^\| `([\w.]+)` \| `/gm)].map(([, name]) => name);
    expect(rows).to.have.members(Object.keys(tried));
    const values: unknown = parse(readFileSync('charts/gpu-partition/values.yaml', 'utf8'));
    const listLeaves = (value: unknown, prefix: string): readonly string[] =>
      value instanceof Object && !Array.isArray(value) && Object.keys(value).length > 0 && !(prefix in tried)
        ? Object.entries(value).flatMap(([key, inner]) => listLeaves(inner, prefix === '' ? key : `${prefix}.${key}`))
        : [prefix];
    expect(listLeaves(values, '')).to.have.members(Object.keys(tried));
  });

  it('renders what each of its values says, which without it is not there', async () => {
    const plain = await renderChart();
    for (const [name, [value, rendered, also]] of Object.entries(tried)) {
      const others = also === undefined ? [] : ['--set', also];
      const without = also === undefined ? plain : await renderChart(...others);
      const { code, stdout, stderr } = await renderChart(...others, '--set-json', `${name}=${JSON.stringify(value)}`);
      expect(code, `${name}: ${stderr}`).to.equal(0);
      const found = [without.stdout, stdout].map((text) => rendered.test(text));
      expect(found, name).to.deep.equal([value === false, value !== false]);
    }
  }).timeout(120_000);

  const wrong: readonly (readonly [set: string, words: RegExp])[] = [
    ['controler.replicas=1', /controler/],
    ['controller.replicas=0', /replicas/],
    ['controller.replicas=two', /replicas/],
    ['image.digest=latest', /digest/],
    ['namespaces.agents=A_B', /agents/],
    ['agent.driverRoots={relative}', /driverRoots/],
    ['networkPolicy.enabled=maybe', /enabled/],
    // What null takes away would be rendered as nothing: admission policies for no account, folders at the root of the host.
    ['namespaces.controller=null', /controller/],
    ['namespaces=null', /missing property 'namespaces'/],
    ['agent.kubeletFolder=null', /kubeletFolder/],
    ['agent.driverFolder=null', /driverFolder/],
    ['agent.driverRoots=null', /driverRoots/],
    ['devicePluginConfig.name=null', /name/],
    ['image.repository=null', /repository/],
    ['controller.podLabels.app\\.kubernetes\\.io/name=x', /propertyName 'app.kubernetes.io\/name'/],
    ['agent.env[0].name=NODE_NAME', /env/],
    ['agent.serviceAccount.nam=x', /nam/],
    ['controller.args={--x}', /'args' not allowed/],
    ['agent.resources.limit.memory=1Gi', /propertyName 'limit'/],
    ['agent.tolerations[0].kye=x', /propertyName 'kye'/],
    ['controller.affinity.podAffinty.x=y', /propertyName 'podAffinty'/],
    ['fullnameOverride=Own', /fullnameOverride/],
    ['nameOverride=a-name-that-is-too-long-for-all-objects', /nameOverride/],
    ['crds=null', /missing property 'crds'/],
    ['image.registry=a/b', /registry/],
    ['podMonitor=null', /missing property 'podMonitor'/],
    ['networkPolicy=null', /missing property 'networkPolicy'/],
  ];
  for (const [set, words] of wrong) {
    it(`refuses ${set}, by its schema`, async () => {
      const { code, stderr } = await renderChart('--set', set);
      expect(code).to.not.equal(0);
      expect(stderr).to.match(words);
    });
  }

  const shared: readonly (readonly [set: string, words: string])[] = [
    ['namespaces.controller=gpu,namespaces.agents=gpu', 'namespaces.controller and namespaces.agents must differ'],
    ['namespaces.create=false,namespaces.controller=kube-system', 'kube-system is not for this operator alone'],
    ['namespaces.create=false,namespaces.agents=default', 'default is not for this operator alone'],
    ['namespaces.create=false,namespaces.controller=gpu-operator', 'gpu-operator is not for this operator alone'],
    ['namespaces.agents=gpus,devicePluginConfig.namespace=gpus', 'gpus is not for this operator alone'],
  ];
  for (const [set, words] of shared) {
    it(`refuses ${set}: policies are for every pod and account of a namespace`, async () => {
      const { code, stderr } = await renderChart('--set', set);
      expect(code).to.not.equal(0);
      expect(stderr).to.include(words);
    });
  }

  it('takes a digest without a tag, nvidia-smi without roots, and agents on every node', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    await chartObjects('--set', `image.tag=,image.digest=${digest}`);
    await chartObjects('--set', 'agent.nvidiaSmi=/usr/bin/nvidia-smi,agent.driverRoots=null,agent.nodeSelector=null');
  });

  it('can be a dependency with a condition: Helm leaves the value of the condition among the chart’s own', async () => {
    await chartObjects('--set', 'enabled=true');
  });

  it('has the version of the program', () => {
    const chart = parse(readFileSync('charts/gpu-partition/Chart.yaml', 'utf8')) as Readonly<Record<string, string>>;
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
    expect([chart['version'], chart['appVersion']]).to.deep.equal([version, version]);
  });
});
