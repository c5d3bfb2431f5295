import { expect } from 'chai';
import {
  findConfigManagerGap,
  readPluginSettings,
  strategyMismatch,
} from '../../../src/core/nvidia/plugin-config/plugin-settings.ts';
import type { PluginSettings } from '../../../src/core/nvidia/plugin-config/plugin-settings.ts';
import type { PodView } from '../../../src/core/pods/pod-view.ts';
import type { MigStrategy } from '../../../src/core/nvidia/labels/mig-strategy.ts';

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
    const pod: PodView = {
      metadata,
      spec: {
        containers: [
          {
            name: 'nvidia-device-plugin-ctr',
            args: ['--config-file=/etc/plugin/config.yaml'],
            volumeMounts: [
              { name: 'root', mountPath: '/etc' },
              { name: 'file', mountPath: '/etc/plugin/' },
            ],
          },
        ],
        volumes: [{ name: 'root' }, { name: 'file', configMap: { name: 'static' } }],
      },
    };
    expect(readPluginSettings(pod).configMap).to.deep.equal({ name: 'static', hasConfigManager: false });
  });

  it('have the default file that the config manager was told', () => {
    const defaultOf = (...told: readonly Variable[]) => readPluginSettings(aManagedPod(told)).configMap;
    const configMap = { name: 'plugin-configs', hasConfigManager: true };
    expect(defaultOf(env('DEFAULT_CONFIG', 'shared'))).to.deep.equal({ ...configMap, defaultKey: 'shared' });
    expect(defaultOf(env('DEFAULT_CONFIG', ''))).to.deep.equal(configMap);
  });
});

describe('a mismatch of strategies', () => {
  const check = (pod: PodView, wanted: MigStrategy): string | undefined =>
    strategyMismatch(readPluginSettings(pod), wanted);

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

describe('the label that chooses a config file', () => {
  it('has its effect with a config manager on the same ConfigMap', () => {
    expect(findConfigManagerGap(readPluginSettings(aConfiguredPod()), 'plugin-configs')).to.equal(undefined);
  });
  it('has none without a config manager', () => {
    const message =
      "the device plugin's pod has no config manager, so the label nvidia.com/device-plugin.config has no effect: " +
      'give it the ConfigMap mine (Helm chart: config.name; gpu-operator: spec.devicePlugin.config.name of the ClusterPolicy)';
    const fixed: PluginSettings = { configMap: { name: 'mine', hasConfigManager: false } };
    expect(findConfigManagerGap({}, 'mine')).to.equal(message);
    expect(findConfigManagerGap(fixed, 'mine')).to.equal(message);
  });
  it('has none where the config manager reads another ConfigMap', () => {
    expect(findConfigManagerGap(readPluginSettings(aConfiguredPod()), 'mine')).to.equal(
      'the device plugin takes its config files from ConfigMap plugin-configs, not from mine: use the same one in both',
    );
  });
});
