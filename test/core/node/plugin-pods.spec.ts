import { expect } from 'chai';
import type { NodeDescription, MigStrategy } from '../../../src/core/nvidia/labels.ts';
import { findOfferGap, type OfferSituation } from '../../../src/core/node/offer.ts';
import { explainPluginPod, findMisfit, readPluginSettings, pluginPodsOf } from '../../../src/core/node/plugin-pods.ts';
import { aGpu, aMigGpu, aNode, SLICES, times } from '../nvidia/node-builder.ts';
import { type PodView, isReady, tolerates } from '../../../src/core/kubernetes/pod.ts';

const slice = 'nvidia.com/mig-1g.5gb';
const gpu = 'nvidia.com/gpu';

const whole = aNode([aGpu(), aGpu()]);
const sliced = aNode([aMigGpu(times(7, SLICES['1g']))]);

/** An open node under a policy of strategy mixed, without a known device plugin. */
function aSituation(
  device: NodeDescription,
  counts: Readonly<Record<string, number>>,
  more: Partial<OfferSituation> = {},
): OfferSituation {
  return {
    device,
    strategy: 'mixed',
    offer: {
      allocatable: Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, `${count}`])),
      advertised: { resources: { ...counts }, stale: 0 },
      labels: {},
    },
    hasOwnConfig: false,
    hasPlugin: false,
    isClosed: false,
    becomesWhole: false,
    ...more,
  };
}

const reasonOf = (situation: OfferSituation): string | undefined => findOfferGap(situation)?.reason;

describe('whether the device plugin of a node may misunderstand a change', () => {
  it('is ruled out if the node advertises its devices by the policy’s strategy', () => {
    expect(reasonOf(aSituation(whole, { [gpu]: 2 }))).to.equal(undefined);
    expect(reasonOf(aSituation(whole, { [gpu]: 2 }, { strategy: 'single' }))).to.equal(undefined);
    expect(reasonOf(aSituation(sliced, { [slice]: 7 }))).to.equal(undefined);
    expect(reasonOf(aSituation(sliced, { [gpu]: 7 }, { strategy: 'single' }))).to.equal(undefined);
    expect(reasonOf(aSituation(sliced, { [gpu]: 1 }, { strategy: 'none' }))).to.equal(undefined);
    expect(reasonOf(aSituation(sliced, { [slice]: 28 }))).to.equal(undefined);
  });

  describe('without a device plugin', () => {
    it('is possible if the node advertises nothing', () => {
      expect(findOfferGap(aSituation(whole, {}))).to.deep.equal({
        reason: 'NoDevicePlugin',
        message:
          'the node advertises none of its GPUs (nvidia.com/gpu 2 under strategy mixed), and no pod of a known device plugin is on it: ' +
          'nothing would offer the slices. Searched for: pods of a DaemonSet with app=nvidia-device-plugin-daemonset, ' +
          'app.kubernetes.io/name=nvidia-device-plugin or name=nvidia-device-plugin-ds. Install the device plugin, or name its ' +
          'labels with --device-plugin-selector. Nothing is touched until then',
      });
    });

    it('is named with the labels that were looked for besides, and what keeps gpu-operator’s away', () => {
      const situation = aSituation(whole, {}, { selector: { app: 'mine' } });
      const labels = { 'nvidia.com/gpu.deploy.device-plugin': 'false' };
      const { message } = findOfferGap({ ...situation, offer: { ...situation.offer, labels } }) ?? {};
      expect(message).to.contain('name=nvidia-device-plugin-ds or app=mine.');
      expect(message).to.contain('The label nvidia.com/gpu.deploy.device-plugin=false keeps gpu-operator’s away.');
    });

    it('is ruled out on a node that joins closed: a stock plugin comes when the start-up taint has gone', () => {
      expect(reasonOf(aSituation(whole, {}, { isClosed: true }))).to.equal(undefined);
    });

    it('is ruled out if a pod of a plugin is there, whatever keeps it from advertising', () => {
      expect(reasonOf(aSituation(whole, {}, { hasPlugin: true }))).to.equal(undefined);
    });

    it('is ruled out for devices that are never offered: GPUs in MIG mode without slices', () => {
      expect(reasonOf(aSituation(aNode([aMigGpu([])]), {}))).to.equal(undefined);
      expect(reasonOf(aSituation(aNode([aMigGpu([])]), {}, { strategy: 'single' }))).to.equal(undefined);
    });
  });

  describe('with another strategy', () => {
    for (const [strategy, counts, found] of [
      ['single', { [slice]: 7 }, 'mixed'],
      ['none', { [slice]: 7 }, 'mixed'],
      ['mixed', { [gpu]: 7 }, 'single'],
      ['none', { [gpu]: 7 }, 'single'],
      ['mixed', { [gpu]: 1 }, 'none'],
      ['single', { [gpu]: 1 }, 'none'],
    ] as const) {
      it(`is possible if the node advertises as under ${found}, where the policy says ${strategy}`, () => {
        const gap = findOfferGap(aSituation(sliced, counts, { strategy }));
        expect(gap?.reason).to.equal('StrategyMismatch');
        expect(gap?.message).to.contain(`as strategy ${found} does`);
        expect(gap?.message).to.contain(`the policy wants ${strategy}`);
      });
    }

    it('says what is advertised and what should be', () => {
      expect(findOfferGap(aSituation(sliced, { [slice]: 7 }, { strategy: 'single' }))?.message).to.equal(
        'the node advertises nvidia.com/mig-1g.5gb 7, as strategy mixed does, and the policy wants single, which gives nvidia.com/gpu 7 for ' +
          'the same GPUs. Set the device plugin to single, or spec.strategy of the policy to mixed. Nothing is touched until then',
      );
    });

    it('is possible if the node advertises slices by profile, which mixed alone does, whatever they are now', () => {
      expect(reasonOf(aSituation(sliced, { 'nvidia.com/mig-2g.10gb': 3 }, { strategy: 'single' }))).to.equal(
        'StrategyMismatch',
      );
    });

    it('is ruled out if all GPUs become whole, which every strategy advertises alike', () => {
      expect(reasonOf(aSituation(sliced, { [gpu]: 7 }, { becomesWhole: true }))).to.equal(undefined);
      expect(reasonOf(aSituation(sliced, {}, { becomesWhole: true }))).to.equal('NoDevicePlugin');
    });

    it('is ruled out if the plugin’s settings are known: they are more reliable than its offer, which may be outdated', () => {
      expect(reasonOf(aSituation(sliced, { [gpu]: 1 }, { hasPlugin: true }))).to.equal(undefined);
    });

    it('is ruled out if the plugin takes its strategy from our file, when the layout is there', () => {
      expect(reasonOf(aSituation(sliced, { [gpu]: 7 }, { hasOwnConfig: true }))).to.equal(undefined);
    });

    it('is ruled out if devices have changed and are not reported yet: that fits no strategy', () => {
      expect(reasonOf(aSituation(sliced, { [slice]: 3 }))).to.equal(undefined);
    });

    it('is ruled out if the plugin cannot start on the present devices', () => {
      const uneven = aNode([aMigGpu([SLICES['1g'], SLICES['2g']])]);
      expect(reasonOf(aSituation(uneven, {}, { strategy: 'single' }))).to.equal(undefined);
    });
  });

  describe('with sharing that is not the policy’s', () => {
    const unasked = (situation: OfferSituation): OfferSituation => ({
      ...situation,
      offer: { ...situation.offer, advertised: undefined },
    });

    it('is ruled out if the kubelet confirms the devices', () => {
      expect(reasonOf(aSituation(sliced, { [slice]: 28 }, { hasPlugin: true }))).to.equal(undefined);
    });

    it('is possible if the kubelet cannot be asked, and named', () => {
      expect(findOfferGap(unasked(aSituation(sliced, { [slice]: 28 }, { hasPlugin: true })))).to.deep.equal({
        reason: 'SharingRefused',
        message:
          'the node advertises nvidia.com/mig-1g.5gb 28 for nvidia.com/mig-1g.5gb 7: the device plugin shares nvidia.com/mig-1g.5gb by 4, by ' +
          'sharing.timeSlicing of its own config, and the kubelet cannot tell which devices these are. Mount the kubelet’s folder ' +
          'pod-resources into the agent, or share by spec.sharing.timeSlicing of the policy, or remove sharing from the plugin’s config ' +
          '(if the GPUs were changed manually, restart its pod). Nothing is touched until then',
      });
    });

    it('is ruled out if the sharing is going to be the policy’s', () => {
      const situation = unasked(aSituation(sliced, { [slice]: 28 }, { hasPlugin: true }));
      expect(reasonOf({ ...situation, hasOwnConfig: true })).to.equal(undefined);
    });
  });
});

type Status = NonNullable<PodView['status']>;

function explain(status: Status, deletionTimestamp?: string): string | undefined {
  const metadata = { name: 'plugin-1', namespace: 'gpu' };
  return explainPluginPod({
    metadata: deletionTimestamp === undefined ? metadata : { ...metadata, deletionTimestamp },
    status,
  });
}

describe('the reason why a device plugin is not ready', () => {
  it('does not exist for a pod that is ready', () => {
    expect(explain({ phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] })).to.equal(undefined);
  });

  it('is that the pod is told to end', () => {
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    expect(explain(ready, '2026-01-01T00:00:00Z')).to.equal('pod gpu/plugin-1 is being terminated');
  });

  it('is what ended the pod', () => {
    expect(explain({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' })).to.equal(
      'pod gpu/plugin-1 has ended (Failed): Evicted: The node was low on resource: memory.',
    );
  });

  it("is the scheduler's", () => {
    const message = '0/3 nodes are available: 3 node(s) had untolerated taint.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    expect(explain({ phase: 'Pending', conditions })).to.equal(
      `pod gpu/plugin-1 has no node: Unschedulable: ${message}`,
    );
  });

  it('is the init container that it waits for', () => {
    const done = { name: 'first', state: { terminated: { exitCode: 0, reason: 'Completed' } } };
    const running = { name: 'toolkit-validation', state: { running: {} } };
    expect(explain({ phase: 'Pending', initContainerStatuses: [done, running] })).to.equal(
      'pod gpu/plugin-1: init container toolkit-validation runs and has not ended yet',
    );
  });

  it('is the container that crashes, with the end of its last run', () => {
    const crashing = {
      name: 'nvidia-device-plugin-ctr',
      ready: false,
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' } },
      lastState: {
        terminated: { exitCode: 1, reason: 'Error', message: 'more than one MIG device type present on node\n' },
      },
    };
    expect(explain({ phase: 'Running', containerStatuses: [{ name: 'side', ready: true }, crashing] })).to.equal(
      'pod gpu/plugin-1: container nvidia-device-plugin-ctr is waiting: CrashLoopBackOff: back-off 40s restarting failed container; ' +
        'it ended with 1: Error: more than one MIG device type present on node; restarts: 4',
    );
  });

  it('is the image that cannot be pulled', () => {
    const state = { waiting: { reason: 'ImagePullBackOff' } };
    expect(explain({ phase: 'Pending', containerStatuses: [{ name: 'ctr', ready: false, state }] })).to.equal(
      'pod gpu/plugin-1: container ctr is waiting: ImagePullBackOff',
    );
  });

  it('is the container that has ended or is not ready yet', () => {
    const ended = { name: 'ctr', ready: false, state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } };
    expect(explain({ phase: 'Running', containerStatuses: [ended] })).to.equal(
      'pod gpu/plugin-1: container ctr ended with 137: OOMKilled',
    );
    expect(explain({ phase: 'Running', containerStatuses: [{ name: 'ctr', state: { running: {} } }] })).to.equal(
      'pod gpu/plugin-1: container ctr runs and is not ready yet',
    );
  });

  it('is that nothing has begun', () => {
    expect(explain({})).to.equal('pod gpu/plugin-1 has not started yet');
    expect(explain({ containerStatuses: [{ name: 'ctr' }] })).to.equal(
      'pod gpu/plugin-1: container ctr has not started yet',
    );
  });

  it('is cut where a message is long', () => {
    const state = { waiting: { reason: 'CreateContainerError', message: 'x'.repeat(1000) } };
    const text = explain({ containerStatuses: [{ name: 'ctr', state }] }) ?? '';
    expect(text).to.have.length.below(400);
    expect(text.endsWith('…')).to.equal(true);
  });
});

const metadata = { name: 'p' };
type Container = NonNullable<NonNullable<PodView['spec']>['containers']>[number];

const env = (name: string, value: string): { readonly name: string; readonly value: string } => ({ name, value });

function aChartPod(part: Partial<Container> = {}): PodView {
  return {
    metadata: { name: 'p', labels: { 'app.kubernetes.io/name': 'nvidia-device-plugin' } },
    spec: { containers: [{ name: 'nvidia-device-plugin-ctr', command: ['nvidia-device-plugin'], ...part }] },
  };
}

function anOperatorPod(strategy: string): PodView {
  return {
    metadata: { name: 'p', labels: { app: 'nvidia-device-plugin-daemonset' } },
    spec: {
      containers: [
        {
          name: 'nvidia-device-plugin',
          command: ['/bin/sh', '-c'],
          args: ['/bin/entrypoint.sh'],
          env: [env('MIG_STRATEGY', strategy)],
        },
      ],
    },
  };
}

/** As the Helm chart writes it when values name a ConfigMap. */
function aConfiguredPod(...more: readonly Variable[]): PodView {
  return aManagedPod([], ...more);
}

type Variable = { readonly name: string; readonly value: string };

/** @param told environment of the config manager */
function aManagedPod(told: readonly Variable[], ...more: readonly Variable[]): PodView {
  const configManager: Container = {
    name: 'nvidia-device-plugin-sidecar',
    command: ['config-manager'],
    env: [env('CONFIG_FILE_SRCDIR', '/available-configs'), env('CONFIG_FILE_DST', '/config/config.yaml'), ...told],
    volumeMounts: [
      { name: 'available-configs', mountPath: '/available-configs' },
      { name: 'config', mountPath: '/config' },
    ],
  };
  const plugin: Container = {
    name: 'nvidia-device-plugin-ctr',
    command: ['nvidia-device-plugin'],
    env: [env('CONFIG_FILE', '/config/config.yaml'), ...more],
  };
  return {
    metadata,
    spec: {
      containers: [configManager, plugin],
      initContainers: [{ ...configManager, name: 'nvidia-device-plugin-init' }],
      volumes: [{ name: 'available-configs', configMap: { name: 'plugin-configs' } }, { name: 'config' }],
    },
  };
}

function strategyOf(pod: PodView): string {
  const { value, from } = readPluginSettings(pod).strategy ?? {};
  return `${value ?? 'unknown'} by ${from ?? 'nothing'}`;
}

describe('the settings of a device plugin', () => {
  it('are absent from a pod that sets nothing', () => {
    expect(readPluginSettings(aChartPod())).to.deep.equal({});
    expect(readPluginSettings({ metadata })).to.deep.equal({});
  });

  it('have the strategy from an argument in any of its spellings', () => {
    const from = 'argument --mig-strategy of container nvidia-device-plugin-ctr';
    for (const args of [['--mig-strategy=mixed'], ['--mig-strategy', 'mixed'], ['-mig-strategy=mixed']]) {
      expect(strategyOf(aChartPod({ args })), args.join(' ')).to.equal(`mixed by ${from}`);
    }
    expect(strategyOf(aChartPod({ command: ['nvidia-device-plugin', '--mig-strategy=single'] }))).to.equal(
      `single by ${from}`,
    );
    expect(
      strategyOf(aChartPod({ command: ['sh', '-c', 'exec nvidia-device-plugin --mig-strategy="single"'] })),
    ).to.equal(`single by ${from}`);
  });

  it('have the last of several arguments', () => {
    expect(strategyOf(aChartPod({ args: ['--mig-strategy=none', '--mig-strategy=mixed'] }))).to.include('mixed by');
  });

  it('have the strategy from the environment, and an argument wins over it', () => {
    expect(strategyOf(aChartPod({ env: [env('MIG_STRATEGY', 'single')] }))).to.equal(
      'single by environment MIG_STRATEGY of container nvidia-device-plugin-ctr',
    );
    expect(strategyOf(aChartPod({ args: ['--mig-strategy=mixed'], env: [env('MIG_STRATEGY', 'single')] }))).to.equal(
      'mixed by argument --mig-strategy of container nvidia-device-plugin-ctr',
    );
  });

  it('have the last of several entries of the environment', () => {
    const entries = [env('MIG_STRATEGY', 'single'), env('MIG_STRATEGY', 'mixed')];
    expect(strategyOf(aChartPod({ env: entries }))).to.include('mixed by environment');
  });

  it('say that gpu-operator sets the environment, and from what', () => {
    expect(strategyOf(anOperatorPod('single'))).to.equal(
      'single by environment MIG_STRATEGY of container nvidia-device-plugin ' +
        '(gpu-operator sets it from spec.mig.strategy of the ClusterPolicy, or from spec.devicePlugin.env)',
    );
  });

  it('do not know a value that the pod takes from elsewhere', () => {
    const fromMap = { name: 'MIG_STRATEGY', valueFrom: { configMapKeyRef: { name: 'a', key: 'b' } } };
    expect(strategyOf(aChartPod({ env: [fromMap] }))).to.include('unknown by environment');
    expect(strategyOf(aChartPod({ env: [env('MIG_STRATEGY', '$(OTHER)')] }))).to.include('unknown by environment');
  });

  it('are those of the plugin, not of the containers beside it', () => {
    const pod: PodView = {
      metadata,
      spec: {
        containers: [
          { name: 'gpu-feature-discovery-ctr', env: [env('MIG_STRATEGY', 'single')] },
          { name: 'nvidia-device-plugin-ctr', env: [env('MIG_STRATEGY', 'mixed')] },
        ],
      },
    };
    expect(strategyOf(pod)).to.include('mixed by');
  });

  it("are found in a plugin whose container has another name, by what it runs, else by not being the config manager's", () => {
    const plugin: Container = { name: 'gpu', command: ['/usr/bin/nvidia-device-plugin', '--mig-strategy=mixed'] };
    const side: Container = { name: 'side', command: ['config-manager'] };
    expect(strategyOf({ metadata, spec: { containers: [side, plugin] } })).to.equal(
      'mixed by argument --mig-strategy of container gpu',
    );
    const bare: Container = { name: 'gpu', env: [env('MIG_STRATEGY', 'none')] };
    expect(strategyOf({ metadata, spec: { containers: [side, bare] } })).to.include('none by environment');
  });

  it('have the ConfigMap that the config manager chooses from', () => {
    expect(readPluginSettings(aConfiguredPod())).to.deep.equal({
      configFile: {
        value: '/config/config.yaml',
        from: 'environment CONFIG_FILE of container nvidia-device-plugin-ctr',
      },
      configMap: { name: 'plugin-configs', hasConfigManager: true },
    });
  });

  it('have the ConfigMap that the config file lies in, without a config manager', () => {
    expect(readPluginSettings(aFixedPod('static')).configMap).to.deep.equal({
      name: 'static',
      hasConfigManager: false,
    });
  });

  it('have the default file that the config manager was told', () => {
    const defaultOf = (...told: readonly Variable[]) => readPluginSettings(aManagedPod(told)).configMap;
    const configMap = { name: 'plugin-configs', hasConfigManager: true };
    expect(defaultOf(env('DEFAULT_CONFIG', 'shared'))).to.deep.equal({ ...configMap, defaultKey: 'shared' });
    expect(defaultOf(env('DEFAULT_CONFIG', ''))).to.deep.equal(configMap);
  });
});

/** A pod with one config file, of a ConfigMap of this name. */
function aFixedPod(name: string): PodView {
  const plugin: Container = {
    name: 'nvidia-device-plugin-ctr',
    args: ['--config-file=/etc/plugin/config.yaml'],
    volumeMounts: [
      { name: 'root', mountPath: '/etc' },
      { name: 'file', mountPath: '/etc/plugin/' },
    ],
  };
  const volumes = [{ name: 'root' }, { name: 'file', configMap: { name } }];
  return { metadata, spec: { containers: [plugin], volumes } };
}

/** The pod as one of NVIDIA's DaemonSet: without settings it has the plugin's defaults. */
function ofNvidia({ metadata: own, ...pod }: PodView): PodView {
  const labels = own.labels ?? { 'app.kubernetes.io/name': 'nvidia-device-plugin' };
  return { ...pod, metadata: { ...own, labels, ownerReferences: [{ kind: 'DaemonSet', controller: true }] } };
}

describe('a mismatch of strategies', () => {
  const check = (pod: PodView, strategy: MigStrategy): string | undefined => {
    const { reason, message } = findMisfit(ofNvidia(pod), { strategy }) ?? {};
    expect(reason).to.be.oneOf([undefined, 'StrategyMismatch']);
    return message;
  };

  it('does not exist if the plugin has what the policy wants', () => {
    expect(check(anOperatorPod('mixed'), 'mixed')).to.equal(undefined);
    expect(check(aChartPod(), 'none')).to.equal(undefined);
  });

  it('names the setting and both ways out of it', () => {
    expect(check(anOperatorPod('single'), 'mixed')).to.equal(
      "the device plugin's MIG strategy is single by environment MIG_STRATEGY of container nvidia-device-plugin " +
        '(gpu-operator sets it from spec.mig.strategy of the ClusterPolicy, or from spec.devicePlugin.env), ' +
        'and the policy wants mixed: set it to mixed there, or set the policy’s spec.strategy to the plugin’s',
    );
  });

  it('names the default where the plugin sets nothing', () => {
    expect(check(aChartPod(), 'mixed')).to.equal(
      "the device plugin's MIG strategy is none by the default: neither --mig-strategy nor MIG_STRATEGY is set, " +
        'and the policy wants mixed: set it to mixed there, or set the policy’s spec.strategy to the plugin’s',
    );
  });

  it('is a strategy that does not exist', () => {
    expect(check(aChartPod({ env: [env('MIG_STRATEGY', 'Mixed')] }), 'mixed')).to.include(
      'is Mixed, which is not one of none, single, mixed by environment MIG_STRATEGY',
    );
    expect(check(aChartPod({ env: [env('MIG_STRATEGY', '')] }), 'none')).to.include(
      'is an empty text, which is not one of',
    );
  });

  it('is an environment that overrides the right config file', () => {
    expect(check(aConfiguredPod(env('MIG_STRATEGY', 'single')), 'mixed')).to.include(
      'is single by environment MIG_STRATEGY of container nvidia-device-plugin-ctr',
    );
  });

  it('is not claimed of a config file that nobody here has read, or of a value from elsewhere', () => {
    expect(check(aConfiguredPod(), 'mixed')).to.equal(undefined);
    const fromMap = { name: 'MIG_STRATEGY', valueFrom: {} };
    expect(check(aChartPod({ env: [fromMap] }), 'mixed')).to.equal(undefined);
  });
});

describe('the choice of a shared slice', () => {
  const configMap = 'plugin-configs';
  const check = (
    image: string | undefined,
    allocation: 'Distributed' | 'Packed',
    ...more: Parameters<typeof env>[]
  ) => {
    const { spec, metadata } = aConfiguredPod(...more.map((one) => env(...one)));
    const containers = (spec?.containers ?? []).map((one) => ({ ...one, ...(image !== undefined && { image }) }));
    const wanted = { strategy: 'none', configMap, allocation } as const;
    return findMisfit(ofNvidia({ metadata, spec: { ...spec, containers } }), wanted)?.message;
  };
  const image = 'nvcr.io/nvidia/k8s-device-plugin';

  it('is refused of a plugin that would ignore it, by its version', () => {
    for (const old of [`${image}:v0.19.3`, `${image}:v0.14.1-ubi8`, `registry:5000/plugin:v0.17.4@sha256:0a`])
      expect(check(old, 'Packed'), old).to.match(
        /^the device plugin is v0\.1.*, which distributes .*update it to v0\.20\.0/,
      );
    for (const fit of [`${image}:v0.20.0`, `${image}:v0.21.1-ubi9`, `${image}@sha256:0a`, `${image}:latest`, undefined])
      expect(check(fit, 'Packed'), fit).to.equal(undefined);
    expect(check(`${image}:v0.17.4`, 'Distributed'), 'what it does anyway').to.equal(undefined);
  });

  it('is refused where an environment variable overrides the file', () => {
    const name = 'SHARED_DEVICES_ALLOCATION_POLICY';
    expect(check(`${image}:v0.20.1`, 'Packed', [name, 'distributed'])).to.include(
      `and distributed is set by environment ${name} of container nvidia-device-plugin-ctr, which overrides the config file`,
    );
    expect(check(`${image}:v0.20.1`, 'Packed', [name, 'packed'])).to.equal(undefined);
  });
});

describe('the label that chooses a config file', () => {
  const check = (pod: PodView, configMap: string): string | undefined => {
    const { reason, message } = findMisfit(ofNvidia(pod), { strategy: 'none', configMap }) ?? {};
    expect(reason).to.be.oneOf([undefined, 'SharingRefused']);
    return message;
  };

  it('has its effect with a config manager on the same ConfigMap', () => {
    expect(check(aConfiguredPod(), 'plugin-configs')).to.equal(undefined);
  });
  it('has none without a config manager', () => {
    const message =
      "the device plugin's pod has no config manager, so the label nvidia.com/device-plugin.config has no effect: " +
      'give it the ConfigMap mine (Helm chart: config.name; gpu-operator: spec.devicePlugin.config.name of the ClusterPolicy)';
    expect(check(aChartPod(), 'mine')).to.equal(message);
    expect(check(aFixedPod('mine'), 'mine')).to.equal(message);
  });
  it('has none where the config manager reads another ConfigMap', () => {
    expect(check(aConfiguredPod(), 'mine')).to.equal(
      'the device plugin takes its config files from ConfigMap plugin-configs, not from mine: use the same one in both',
    );
  });
});

const taint = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' };

function aPod(labels: Readonly<Record<string, string>>, more: Partial<PodView> = {}): PodView {
  const ownerReferences = [{ kind: 'DaemonSet', controller: true }];
  return { metadata: { name: 'p', labels, ownerReferences }, ...more };
}

describe('pluginPodsOf', () => {
  const known = [
    { app: 'nvidia-device-plugin-daemonset' },
    { 'app.kubernetes.io/name': 'nvidia-device-plugin' },
    { name: 'nvidia-device-plugin-ds' },
  ];

  it('knows the pods of gpu-operator, of the chart and of the static manifest', () => {
    for (const labels of known) {
      const pod = aPod({ ...labels, other: 'x' });
      expect(pluginPodsOf([pod, aPod({ app: 'other' })])).to.deep.equal([pod]);
    }
  });

  it('tells the chart’s GPU Feature Discovery and MPS daemon apart, which have the plugin’s labels', () => {
    const containers = ['gpu-feature-discovery-ctr', 'mps-control-daemon-ctr', 'nvidia-device-plugin-ctr'];
    const pods = containers.map((name) => aPod(known[1] ?? {}, { spec: { containers: [{ name }] } }));
    expect(pluginPodsOf(pods)).to.deep.equal(pods.slice(2));
  });

  it('takes no pod without a controller, and none that has ended', () => {
    const labels = known[0] ?? {};
    expect(pluginPodsOf([{ metadata: { name: 'bare', labels } }])).to.deep.equal([]);
    expect(pluginPodsOf([aPod(labels, { status: { phase: 'Failed' } })])).to.deep.equal([]);
  });

  it('takes pods with all labels of a selector besides', () => {
    const pods = [aPod({ app: 'mine', tier: 'gpu' }), aPod({ app: 'mine' })];
    expect(pluginPodsOf(pods, { app: 'mine', tier: 'gpu' })).to.deep.equal(pods.slice(0, 1));
  });
});

describe('tolerates', () => {
  const pod = (toleration: object): PodView => aPod({}, { spec: { tolerations: [toleration] } });

  it('holds for the operator Exists, alone or with the key', () => {
    expect(tolerates(pod({ operator: 'Exists' }).spec?.tolerations, taint)).to.equal(true);
    expect(
      tolerates(pod({ key: taint.key, operator: 'Exists', effect: 'NoSchedule' }).spec?.tolerations, taint),
    ).to.equal(true);
  });

  it('holds for the key with the same value', () => {
    expect(tolerates(pod({ key: taint.key }).spec?.tolerations, taint)).to.equal(true);
    expect(tolerates(pod({ key: taint.key, value: 'x' }).spec?.tolerations, taint)).to.equal(false);
  });

  it('does not hold for another key, another effect, or none', () => {
    expect(tolerates(pod({ key: 'nvidia.com/gpu', operator: 'Exists' }).spec?.tolerations, taint)).to.equal(false);
    expect(tolerates(pod({ operator: 'Exists', effect: 'NoExecute' }).spec?.tolerations, taint)).to.equal(false);
    expect(tolerates(aPod({}).spec?.tolerations, taint)).to.equal(false);
  });
});

describe('isReady', () => {
  it('is so with the condition, and no longer when the pod is told to end', () => {
    const pod = aPod({}, { status: { conditions: [{ type: 'Ready', status: 'True' }] } });
    expect(isReady(pod)).to.equal(true);
    expect(isReady({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: 'now' } })).to.equal(false);
    expect(isReady(aPod({}))).to.equal(false);
  });
});
