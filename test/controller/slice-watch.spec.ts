import { expect } from 'chai';
import { resourceSlices } from '../../src/api/resources.ts';
import { SliceWatch } from '../../src/controller/slice-watch.ts';
import { PolicyRecord } from '../../src/core/policy/record.ts';
import { collectionPath } from '../../src/kube/watch.ts';
import type { Logger } from '../../src/process/log.ts';
import { connect } from '../kube/connection.ts';
import { clusterTimeoutMs, ownCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { aSlicingPolicy } from '../support/node-builders.ts';

/** A policy that selects node `n`. */
function aRecord(backend: 'Auto' | 'DRA' | 'DevicePlugin'): PolicyRecord {
  const newest = aSlicingPolicy({ backend });
  return new PolicyRecord({ newest, acceptedGeneration: 1, inForce: newest }, undefined, new Set(['n']));
}

/** A logger that keeps its lines above debug: `info: message`. */
function keepLines(lines: string[]): Logger {
  const keep = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  const logger: Logger = {
    debug: () => undefined,
    info: keep('info'),
    warn: keep('warn'),
    error: keep('error'),
    child: () => logger,
  };
  return logger;
}

describe('the watch of ResourceSlices @all', function () {
  it('asks whether the API is served, is quiet without it, and follows once it is there', async function () {
    this.timeout(clusterTimeoutMs);
    // As Kubernetes 1.33: one of 1.36 does not become ready with the API switched off.
    const apiServerArguments = ['--emulated-version=1.33'];
    await using cluster = await ownCluster({ apiServerArguments, controllerManager: false, scheduler: false });
    await using proxy = await FaultProxy.open(cluster);
    const client = connect(cluster, { server: proxy.server });
    const policies = [aRecord('DevicePlugin')];
    const [told, lines]: [string[], string[]] = [[], []];
    const watch = new SliceWatch({
      client,
      logger: keepLines(lines),
      fleet: {
        get policies() {
          return policies.values();
        },
      },
      onNode: (name) => told.push(name),
      askAgainMs: 20,
    });
    watch.follow();
    expect(watch.api, 'no policy needs it').to.equal(undefined);
    policies.push(aRecord('Auto'));
    watch.follow();
    const asked = () => proxy.requests.filter(({ path }) => path.includes('resource.k8s.io')).length;
    await eventually(asked, (count) => count > 3, { what: 'the question to be repeated' });
    expect(watch.api).to.equal('Missing');
    expect(told).to.deep.equal(['n']);
    expect(lines).to.deep.equal([
      'info: the API server does not serve resource.k8s.io/v1: no ResourceSlices are watched',
    ]);
    expect(proxy.requests.filter(({ path }) => path.includes('resourceslices'))).to.deep.equal([]);

    await cluster.killApiServer();
    apiServerArguments.length = 0;
    await cluster.startApiServer();
    await eventually(
      () => watch.api,
      (api) => api === 'Served',
      { what: 'the API to be noticed' },
    );
    expect(told).to.deep.equal(['n', 'n']);
    expect(watch.hasSlices('n')).to.equal(false);
    await createSlice(cluster.client);
    await eventually(
      () => watch.hasSlices('n'),
      (has) => has,
      { what: 'the slice' },
    );
    expect(told).to.deep.equal(['n', 'n', 'n']);
    await cluster.client.demand({ method: 'DELETE', path: `${collectionPath(resourceSlices)}/s` });
    await eventually(
      () => watch.hasSlices('n'),
      (has) => !has,
      { what: 'the end of the slice' },
    );
    await watch.stop();
    expect(watch.api).to.equal(undefined);
  });
});

async function createSlice(client: { demand(request: object): Promise<unknown> }): Promise<void> {
  const pool = { name: 'n', generation: 1, resourceSliceCount: 1 };
  const body = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 's' },
    spec: { driver: 'gpu.nvidia.com', nodeName: 'n', pool, devices: [{ name: 'gpu-0' }] },
  };
  await client.demand({ method: 'POST', path: collectionPath(resourceSlices), body });
}
