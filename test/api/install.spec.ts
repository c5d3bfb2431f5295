import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import { cleanupFinalizer } from '../../src/api/names.ts';
import { type Finished, runProgram } from '../../src/simulator/control-plane/run.ts';
import { installedFolders, templateOf, workloadKinds } from '../config/workload.ts';
import { clusterTimeoutMs, uniqueName, useOwnCluster } from '../support/cluster.ts';
import { findHelm, renderChart } from '../support/helm.ts';
import { attempt } from './attempt.ts';
import { accountOf, renderFolder } from './installation.ts';

describe('what is installed', () => {
  const cluster = useOwnCluster();
  let helm = '';

  before(async function () {
    this.timeout(clusterTimeoutMs);
    helm = await findHelm();
    // As users have them: kubectl warns of what it has not applied itself.
    await cluster().kubectl(['apply', '-k', 'config/crd']);
    await cluster().kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
    // A dry run makes no namespace for what would be in it.
    const namespaces = await readFile('config/rbac/namespaces.yaml', 'utf8');
    await cluster().kubectl(['apply', '-f', '-'], { input: namespaces });
    const accounts = await readFile('config/rbac/service-accounts.yaml', 'utf8');
    await cluster().kubectl(['apply', '-f', '-'], { input: accounts });
    await cluster().kubectl(['create', 'namespace', 'gpu-operator']);
  });

  for (const folder of installedFolders) {
    it(`from ${folder} is taken by the API server, each field of it`, async () => {
      const { code, stderr } = await cluster().kubectl([
        'apply',
        '--dry-run=server',
        '--validate=strict',
        '-k',
        folder,
      ]);
      expect(code, stderr).to.equal(0);
      expect(stderr, 'no warning of Pod Security, of old versions, of unknown fields').to.not.include('Warning');
    });

    it(`from ${folder} has pods that the Pod Security of their namespace takes, and agents nowhere else`, async () => {
      const objects = await renderFolder(folder);
      const [quiet] = accountOf(objects, 'Deployment');
      for (const kind of workloadKinds) {
        const [namespace, account] = accountOf(objects, kind);
        if (namespace !== quiet) await cluster().kubectl(['create', 'serviceaccount', account, '-n', quiet]);
        const spec = { ...templateOf(objects, kind).spec, nodeName: 'none' };
        const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: uniqueName('pod') }, spec };
        const tryIn = (place: string): Promise<string> => {
          const path = `/api/v1/namespaces/${place}/pods?dryRun=All&fieldValidation=Strict`;
          return attempt(cluster(), cluster().adminToken, { method: 'POST', path, body });
        };
        expect(await tryIn(namespace), kind).to.equal('');
        if (kind === 'DaemonSet') expect(await tryIn(quiet)).to.include('PodSecurity');
      }
    });
  }

  for (const set of ['nameOverride=', 'fullnameOverride=a-name-as-long-as-may-be-0123456'])
    it(`from the chart with ${set} is taken by the API server, each field of it, with what runs before it is uninstalled`, async () => {
      const { stdout: input } = await renderChart('--set', set);
      const { code, stderr } = await cluster().kubectl(['apply', '--dry-run=server', '--validate=strict', '-f', '-'], {
        input,
      });
      expect(code, stderr).to.equal(0);
      expect(stderr).to.not.include('Warning');
    });

  it('by Helm is upgraded and uninstalled, and leaves nothing but the CRDs and the policies', async function () {
    const kubeconfig = await cluster().kubeconfigFile();
    // What the hook does is tried where pods run (test/node/chart.spec.ts).
    const names = 'namespaces.controller=chart-controller,namespaces.agents=chart-agents,uninstallHook.enabled=false';
    const tryTo = async (...args: readonly string[]): Promise<Finished> =>
      runProgram(helm, [...args, '--kubeconfig', kubeconfig, '--namespace', 'kube-system']);
    const run = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await tryTo(...args);
      expect(code, `${args[0]}: ${stderr} ${stdout}`).to.equal(0);
      return stdout;
    };
    const kinds = 'clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings';
    const left = async (): Promise<readonly string[]> => {
      const { stdout } = await cluster().kubectl(['get', kinds, '-o', 'name']);
      return stdout.split('\n').filter((name) => name.includes('gpu-partition'));
    };
    expect(await left()).to.deep.equal([]);
    // Those of kubectl: Helm takes nothing over that another has made, and says so before it makes anything.
    const refused = await tryTo('install', 'gpu', 'charts/gpu-partition', '--set', names);
    expect(refused.code).to.not.equal(0);
    expect(refused.stderr).to.match(
      /CustomResourceDefinition .* exists and cannot be imported into the current release/,
    );
    await run('uninstall', 'gpu', '--ignore-not-found');
    await run('install', 'gpu', 'charts/gpu-partition', '--set', `${names},crds.enabled=false`);
    const taken = `${names},controller.replicas=1`;
    await run('upgrade', 'gpu', 'charts/gpu-partition', '--set', taken, '--take-ownership');
    expect(await left()).to.have.length.above(10);
    const described = (description: string) =>
      ['patch', 'crd', 'gpupartitionpolicies.gpupartition.dev', '--type=json', '-p'].concat(
        JSON.stringify([{ op: 'remove', path: `/spec/versions/0/schema/openAPIV3Schema/${description}` }]),
      );
    await cluster().kubectl(described('description'));
    await run('upgrade', 'gpu', 'charts/gpu-partition', '--set', taken, '--force-conflicts');
    const policyCrd = [
      'get',
      'crd',
      'gpupartitionpolicies.gpupartition.dev',
      '-o',
      'jsonpath={..openAPIV3Schema.description}',
    ];
    expect((await cluster().kubectl(policyCrd)).stdout, 'Helm upgrades the CRDs').to.not.equal('');
    const policy = {
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      // One that waits for its clean-up holds up nothing.
      metadata: { name: 'kept', finalizers: [cleanupFinalizer] },
      spec: { nodeSelector: { matchLabels: { pool: 'p' } }, strategy: 'mixed', layouts: [{ mig: 'Disabled' }] },
    };
    await cluster().kubectl(['apply', '-f', '-'], { input: JSON.stringify(policy) });
    await run('uninstall', 'gpu', '--wait');
    expect(await left()).to.deep.equal([]);
    const { stdout } = await cluster().kubectl(['get', 'crds', '-o', 'name']);
    expect(stdout).to.include('gpupartitionpolicies.gpupartition.dev');
    expect((await cluster().kubectl(['get', 'gpp', '-o', 'name'])).stdout).to.include('/kept');
    const namespaces = await cluster().kubectl(['get', 'namespaces', '-o', 'name']);
    expect(namespaces.stdout).to.not.include('chart-');
  });
});
