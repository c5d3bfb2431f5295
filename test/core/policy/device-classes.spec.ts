import { expect } from 'chai';
import type { GpuPartitionPolicy, PolicyLayout } from '../../../src/api/types.ts';
import {
  exportClasses,
  listMissingClasses,
  classNameOf,
  listProfileClasses,
  listSizeClasses,
  listSliceKinds,
  type SliceKind,
  listNodeClaims,
} from '../../../src/core/policy/device-classes.ts';
import { readSelector } from '../../../src/core/explain/claims.ts';
import { parseQuantity } from '../../../src/core/text/syntax.ts';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import type { GpuDescription, NodeDescription } from '../../../src/core/nvidia/labels.ts';

function aPolicy(...layouts: readonly PolicyLayout[]): GpuPartitionPolicy {
  const spec = { nodeSelector: { matchLabels: { pool: 'a' } }, strategy: 'mixed' as const, layouts: [...layouts] };
  return { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata: { name: 'a' }, spec };
}

/** The classes that a cluster with some of them lacks. */
function listMissing(...question: Parameters<typeof listMissingClasses>) {
  return listMissingClasses(...question).map(({ wanted }) => wanted);
}

function kindsOf(...layouts: readonly PolicyLayout[]): readonly SliceKind[] {
  return listSliceKinds([aPolicy(...layouts)]);
}

const a100 = { models: ['A100-SXM4-40GB'] };
const a100With80 = { models: ['A100-SXM4-80GB'] };
const h100 = { models: ['H100-80GB-HBM3'] };

describe('DeviceClasses for the slices of policies', () => {
  it('are missing unless the cluster has each of them exactly like this', () => {
    const policies = [aPolicy({ gpus: a100, profiles: { '3g.20gb': 1, '1g.5gb': 2 } })];
    const all = listMissing(policies, []);
    expect(all.map(({ metadata }) => metadata.name)).to.include.members([
      'mig-1g-5gb.gpu.nvidia.com',
      'mig-3g-20gb.gpu.nvidia.com',
    ]);
    expect(listMissing(policies, all)).to.deep.equal([]);
    const [first] = all;
    const others = all.map((one) => (one === first ? { ...one, spec: { selectors: [] } } : one));
    expect(listMissing(policies, others)).to.deep.equal([first]);
  });

  it('are not missing where somebody has added what no policy asks for', () => {
    const policies = [aPolicy({ gpus: a100, profiles: { '1g.5gb': 2 } })];
    const all = listMissing(policies, []);
    const config = [{ opaque: { driver: 'gpu.nvidia.com', parameters: { sharing: { strategy: 'MPS' } } } }];
    const added = all.map(({ metadata, spec }) => ({
      metadata,
      spec: { extendedResourceName: 'example.com/slice', ...spec, config },
    }));
    expect(listMissing(policies, added)).to.deep.equal([]);
  });

  it('leave an extendedResourceName to a class of somebody else that has it', () => {
    const policies = [aPolicy({ gpus: a100, profiles: { '1g.5gb': 7 } })];
    const theirs = { metadata: { name: 'theirs' }, spec: { extendedResourceName: 'nvidia.com/mig-1g.5gb' } };
    const missing = listMissing(policies, [theirs]);
    const own = missing.find(({ metadata }) => metadata.name === 'mig-1g-5gb.gpu.nvidia.com');
    expect(own?.spec).to.not.have.property('extendedResourceName');
    expect(own?.takenBy).to.equal('theirs');
    const written = missing.map(({ metadata, spec }) => ({ metadata, ...(spec && { spec }) }));
    expect(listMissing(policies, [theirs, ...written]), 'settled').to.deep.equal([]);
    const [first] = listMissing(policies, written);
    expect(first?.spec, 'once theirs is gone').to.deep.include({ extendedResourceName: 'nvidia.com/mig-1g.5gb' });
  });

  it('are one for each profile, with the resource of the device plugin', () => {
    const classes = listProfileClasses(
      kindsOf({ gpus: a100, profiles: { '3g.20gb': 1, '1g.5gb+me': 1, '1g.5gb': 2 } }),
    );
    expect(classes.map(({ name, extendedResourceName }) => [name, extendedResourceName])).to.deep.equal([
      ['mig-1g-5gb.gpu.nvidia.com', 'nvidia.com/mig-1g.5gb'],
      ['mig-1g-5gb-me.gpu.nvidia.com', 'nvidia.com/mig-1g.5gb.me'],
      ['mig-3g-20gb.gpu.nvidia.com', 'nvidia.com/mig-3g.20gb'],
    ]);
    expect(classes[0]?.expression).to.equal(
      "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig' && " +
        "device.attributes['gpu.nvidia.com'].profile == '1g.5gb'",
    );
  });

  it('are those of what a preset means on each model that it meets', () => {
    const classes = listProfileClasses(
      kindsOf({ gpus: { models: ['A30', 'A100-SXM4-40GB'] }, preset: 'all-balanced' }),
    );
    expect(classes.map(({ extendedResourceName }) => extendedResourceName)).to.deep.equal(
      ['1g.5gb', '1g.6gb', '2g.10gb', '2g.12gb', '3g.20gb'].map((profile) => `nvidia.com/mig-${profile}`),
    );
  });

  it('tell models apart by product where their slices of one profile differ in memory, with one owner of the resource', () => {
    const layouts = [a100With80, h100].map((gpus) => ({ gpus, profiles: { '1g.10gb': 7 } }));
    const [all, ...each] = listProfileClasses(kindsOf(...layouts));
    expect(all?.extendedResourceName).to.equal('nvidia.com/mig-1g.10gb');
    expect(all?.expression).not.to.contain('productName');
    expect(each.map(({ name }) => name)).to.deep.equal([
      'mig-1g-10gb-a100-80gb.gpu.nvidia.com',
      'mig-1g-10gb-h100-80gb-sxm.gpu.nvidia.com',
    ]);
    expect(each.map(({ extendedResourceName }) => extendedResourceName)).to.deep.equal([undefined, undefined]);
    expect(each[1]?.expression).to.contain("productName in ['NVIDIA H100 80GB HBM3', ");
  });

  it('have different names for each profile of each model, and each name of a profile that drivers have', () => {
    const profiles = [...new Set(MODELS.flatMap((model) => model.profiles.map(({ name }) => name)))];
    expect(new Set(profiles.map(classNameOf)).size).to.equal(profiles.length);
    for (const name of profiles.map(classNameOf)) expect(name).to.match(/^[a-z0-9-]+\.gpu\.nvidia\.com$/);
    const [whole] = listProfileClasses(kindsOf({ gpus: a100With80, profiles: { '7g.80gb': 1 } }));
    expect(whole?.expression).to.contain("profile in ['7g.80gb', '7g.79gb']");
    // The admission policy refuses these of the controller.
    expect(whole?.expression).not.to.match(/[|?]/);
  });

  it('take an earlier name of a profile, which other models have for another, only on their own models', () => {
    const classes = listProfileClasses(
      kindsOf(
        { gpus: { models: ['GB200'] }, profiles: { '1g.23gb': 7 } },
        { gpus: { models: ['RTX-PRO-6000-*'] }, profiles: { '1g.24gb': 4 } },
      ),
    );
    const listMeeting = (profile: string, productName: string): readonly string[] =>
      classes
        .filter(({ expression }) =>
          readSelector(expression)?.({ attributes: { type: 'mig', profile, productName }, capacity: {} }),
        )
        .map(({ name }) => name);
    const server = 'NVIDIA RTX PRO 6000 Blackwell Server Edition';
    expect(listMeeting('1g.24gb', server)).to.deep.equal(['mig-1g-24gb.gpu.nvidia.com']);
    expect(listMeeting('1g.23gb', 'NVIDIA GB200')).to.deep.equal(['mig-1g-23gb.gpu.nvidia.com']);
    expect(listMeeting('1g.24gb', 'NVIDIA GB200')).to.include('mig-1g-23gb.gpu.nvidia.com');
  });

  it('select by memory for “at least N GB”', () => {
    const layouts = [a100With80, h100].map((gpus) => ({ gpus, profiles: { '1g.10gb': 1, '3g.40gb': 1 } }));
    const classes = listSizeClasses(kindsOf(...layouts));
    expect(classes.map(({ name }) => name)).to.deep.equal([
      'mig-at-least-10gb.gpu.nvidia.com',
      'mig-at-least-40gb.gpu.nvidia.com',
    ]);
    // A slice of 8 GB has less.
    expect(classes[0]?.expression).to.contain("memory.compareTo(quantity('8192Mi')) >= 0");
  });

  it('select by memory what any driver gives a slice of N GB, and nothing smaller', () => {
    const listMeeting = (layout: PolicyLayout, memoriesMiB: readonly number[]): readonly number[] => {
      const [size] = listSizeClasses(kindsOf(layout));
      const test = readSelector(size?.expression ?? '');
      return memoriesMiB.filter((mebibytes) =>
        test?.({ attributes: { type: 'mig' }, capacity: { memory: parseQuantity(`${mebibytes}Mi`) } }),
      );
    };
    // Recorded with two drivers; the largest slice of 20 GB has 20,096 MiB.
    const b200 = { gpus: { models: ['B200'] }, profiles: { '1g.23gb': 7 } };
    expect(listMeeting(b200, [20_096, 20_992, 22_528])).to.deep.equal([20_992, 22_528]);
    expect(listMeeting({ gpus: h100, profiles: { '3g.40gb': 1 } }, [36_096, 40_320, 40_448])).to.deep.equal([
      40_320, 40_448,
    ]);
    // Of names that are close to each other, the least of the larger counts.
    const h100nvl = { gpus: { models: ['H100-NVL'] }, profiles: { '1g.24gb': 4 } };
    expect(listMeeting(h100nvl, [20_096, 22_144])).to.deep.equal([22_144]);
  });

  it('come with a template of the choice, the smallest first, where more than one profile will do', () => {
    const objects = exportClasses([aPolicy({ gpus: a100, profiles: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 } })]);
    const templates = (typeof objects === 'string' ? [] : objects).filter(
      ({ object }) => 'kind' in object && object.kind === 'ResourceClaimTemplate',
    );
    expect(templates.map(({ about }) => about)).to.deep.equal([
      'At least 5 GB: the first of 1g.5gb, 2g.10gb, 3g.20gb that is free.',
      'At least 10 GB: the first of 2g.10gb, 3g.20gb that is free.',
    ]);
  });

  it('are of all schedules: a pod that waits for the night may come by day', () => {
    const { spec, ...policy } = aPolicy({ gpus: a100, profiles: { '1g.5gb': 7 } });
    const times = { name: 'night', schedule: '0 22 * * *', duration: '8h' };
    const scheduled = (profile: string) => ({
      ...policy,
      spec: { ...spec, schedules: [{ ...times, layouts: [{ gpus: a100, profiles: { [profile]: 2 } }] }] },
    });
    expect(listSliceKinds([scheduled('3g.20gb')]).map(({ profile }) => profile)).to.deep.equal(['1g.5gb', '3g.20gb']);
    expect(exportClasses([scheduled('1c.3g.20gb')])).to.match(
      /^policy a: spec\.schedules\[0\]\.layouts\[0\]\.profiles: /,
    );
  });

  it('leave out whole GPUs', () => {
    expect(exportClasses([aPolicy({ gpus: a100, mig: 'Disabled' })])).to.match(/^the policies create no slices: /);
  });

  it('are not to be had for compute instances that are smaller than their GPU instance', () => {
    const policy = aPolicy({ gpus: a100, mig: 'Disabled' }, { gpus: h100, profiles: { '1c.3g.40gb': 2 } });
    expect(exportClasses([policy])).to.match(
      /^policy a: spec\.layouts\[1\]\.profiles: 1c\.3g\.40gb: NVIDIA’s DRA driver exits .*; use 3g\.40gb, or the device plugin$/,
    );
    expect(exportClasses([aPolicy({ gpus: h100, profiles: { '3c.3g.40gb': 1 } })])).to.be.an('array');
  });
});

const attributes = {
  memory: 4864,
  multiprocessors: 14,
  'slices.gi': 1,
  'slices.ci': 1,
  'engines.copy': 1,
  'engines.decoder': 0,
  'engines.encoder': 0,
  'engines.jpeg': 0,
  'engines.ofa': 0,
};

function aGpuWith(profiles: readonly string[] | undefined, name = 'NVIDIA A100-SXM4-40GB'): GpuDescription {
  return {
    name,
    memoryMiB: 40960,
    computeCapability: [8, 0],
    migCapable: true,
    migEnabled: profiles !== undefined,
    migDevices: (profiles ?? []).map((profile) => ({ profile, attributes })),
  };
}

const aNode = (...gpus: readonly GpuDescription[]): NodeDescription => ({
  driverVersion: '570.1',
  cudaDriverVersion: [12, 8],
  gpus,
});

describe('what workloads write to get the devices of a DRA node', () => {
  it('is a DeviceClass, the resource of the device plugin and a template for each kind of slice', () => {
    const { devices, errors } = listNodeClaims(aNode(aGpuWith(['1g.5gb', '3g.20gb', '1g.5gb']), aGpuWith(['1g.5gb'])));
    expect(errors).to.deep.equal([]);
    expect(devices.map(({ template: _template, ...one }) => one)).to.deep.equal([
      {
        device: '1g.5gb',
        count: 3,
        deviceClass: 'mig-1g-5gb.gpu.nvidia.com',
        extendedResourceName: 'nvidia.com/mig-1g.5gb',
      },
      {
        device: '3g.20gb',
        count: 1,
        deviceClass: 'mig-3g-20gb.gpu.nvidia.com',
        extendedResourceName: 'nvidia.com/mig-3g.20gb',
      },
    ]);
    expect(devices[0]?.template).to.deep.equal({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'mig-1g-5gb' },
      spec: {
        spec: {
          devices: {
            requests: [
              {
                name: 'gpu',
                exactly: { deviceClassName: 'mig-1g-5gb.gpu.nvidia.com', allocationMode: 'ExactCount', count: 1 },
              },
            ],
          },
        },
      },
    });
  });

  it('is the class of the driver for a whole GPU, which no resource stands for, and nothing for a GPU in MIG mode without slices', () => {
    const { devices } = listNodeClaims(aNode(aGpuWith(undefined), aGpuWith([])));
    expect(devices.map(({ device, count, deviceClass }) => ({ device, count, deviceClass }))).to.deep.equal([
      { device: 'whole GPU', count: 1, deviceClass: 'gpu.nvidia.com' },
    ]);
    expect(devices[0]).not.to.have.property('extendedResourceName');
  });

  it('names a slice as its class does, whatever an older driver calls it', () => {
    const { devices } = listNodeClaims(aNode(aGpuWith(['1g.5gb+me'])));
    expect(devices[0]).to.include({
      deviceClass: 'mig-1g-5gb-me.gpu.nvidia.com',
      extendedResourceName: 'nvidia.com/mig-1g.5gb.me',
    });
    const nameOf = (product: string, profile: string): string | undefined =>
      listNodeClaims(aNode(aGpuWith([profile], product))).devices[0]?.deviceClass;
    expect(nameOf('NVIDIA GB200', '1g.24gb')).to.equal('mig-1g-23gb.gpu.nvidia.com');
    // Two driver branches have two tables for this board: a class selects by the name that the driver has.
    expect(nameOf('NVIDIA GB300', '1g.31gb')).to.equal('mig-1g-31gb.gpu.nvidia.com');
    expect(nameOf('NVIDIA GB300', '1g.35gb')).to.equal('mig-1g-35gb.gpu.nvidia.com');
  });

  it('is nothing at all where a compute instance is smaller than its GPU instance: the driver exits', () => {
    const { devices, errors } = listNodeClaims(aNode(aGpuWith(['1g.5gb', '1c.3g.20gb'])));
    expect(devices).to.deep.equal([]);
    expect(errors).to.deep.equal([
      'GPU 0: 1c.3g.20gb: NVIDIA’s DRA driver exits on a compute instance that is smaller than its GPU instance, and then offers nothing new on the whole node',
    ]);
  });
});
