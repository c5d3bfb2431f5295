import { expect } from 'chai';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readHostFacts, type HostView } from '../../../src/cli/selftest/host-facts.ts';
import { type BundleHead, redactFacts } from '../../../src/core/smi/selftest-bundle.ts';
import { encodeList, servePodResources } from '../../../src/simulator/kubelet/allocation.ts';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { SimulatedHost } from '../simulated-host.ts';

const kmsg = [
  '6,1,1000000,-;Linux version 6.1 on gpu-7',
  '4,2,2500000,-;NVRM: Xid (PCI:0000:07:00): 31, pid=4242, name=train --token=abc, Ch 00000008',
  ' SUBSYSTEM=pci',
  '6,3,3000000,-;nvidia-nvlink: Nvlink Core is being initialized on gpu-7',
].join('\n');

const spec = `cdiVersion: 0.5.0
kind: nvidia.com/gpu
devices:
- name: "0:1"
  containerEdits:
    env: [SECRET=abc]
    deviceNodes: [{path: /dev/nvidia0}, {path: /dev/nvidia-caps/nvidia-cap12}]
containerEdits:
  env: [NVIDIA_VISIBLE_DEVICES=void]
`;

describe('what a bundle tells of the host', () => {
  const scratch = useScratchFolder();
  let count = 0;

  function aHost(): {
    readonly view: HostView;
    readonly root: string;
    readonly write: (path: string, text: string) => void;
  } {
    count += 1;
    const root = scratch.path(`host-${count}`);
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    const view = { proc: `${root}/proc`, sys: `${root}/sys`, kmsg: `${root}/kmsg`, root, pid: 1, isPod: false };
    return { view, root, write };
  }

  const optionsOf = (root: string) => ({
    stateDir: `${root}/state`,
    podResourcesSocket: `${root}/kubelet.sock`,
    nvidiaSmi: 'simulated',
  });

  it('is the kernel’s log of the driver, its files, modules, devices, CDI specs, services and cgroups', async () => {
    const { view, root, write } = aHost();
    write('kmsg', kmsg);
    write('proc/driver/nvidia/version', 'NVRM version: 550.54\n');
    write('proc/driver/nvidia/capabilities/gpu0/mig/gi1/access', 'DeviceFileMinor: 12\n');
    write('proc/modules', 'nvidia_uvm 1 0 - Live\next4 1 0 - Live\n');
    write('proc/devices', 'Character devices:\n  1 mem\n195 nvidia-frontend\n234 nvidia-caps\n');
    write('proc/77/comm', 'kubelet\n');
    write('proc/77/cgroup', '0::/system.slice/kubelet.service\n');
    write('proc/77/cmdline', 'kubelet\0--bootstrap-token=abc\0');
    write('proc/77/environ', 'SECRET=abc\0');
    write('proc/78/comm', 'nvidia-persiste\n');
    write('proc/79/comm', 'train\n');
    write('sys/fs/cgroup/cgroup.controllers', 'cpu memory\n');
    write('etc/cdi/nvidia.yaml', spec);
    write('run/cdi/other.yaml', 'kind: vendor.com/net\ndevices: []\n');
    write('state/not-understood.json', '{"command":"nvidia-smi -L","output":"?"}');
    mkdirSync(join(root, 'dev/nvidia-caps'), { recursive: true });
    symlinkSync('/dev/null', join(root, 'dev/nvidia0'));
    symlinkSync('/dev/zero', join(root, 'dev/nvidia-caps/nvidia-cap12'));
    const facts = await readHostFacts(optionsOf(root), view, root);
    expect(facts).to.deep.include({
      kernelLog: [
        '[2.500] NVRM: Xid (PCI:0000:07:00): 31, pid=4242, name=train --token=abc, Ch 00000008',
        '[3.000] nvidia-nvlink: Nvlink Core is being initialized on gpu-7',
      ],
      driver: { version: 'NVRM version: 550.54\n', 'capabilities/gpu0/mig/gi1/access': 'DeviceFileMinor: 12\n' },
      modules: ['nvidia_uvm 1 0 - Live', '195 nvidia-frontend', '234 nvidia-caps'],
      deviceNodes: [
        { path: '/dev/nvidia-caps/nvidia-cap12', major: 1, minor: 5, mode: '666' },
        { path: '/dev/nvidia0', major: 1, minor: 3, mode: '666' },
      ],
      cdi: [
        {
          file: 'nvidia.yaml',
          kind: 'nvidia.com/gpu',
          version: '0.5.0',
          devices: [{ name: '0:1', nodes: ['/dev/nvidia0', '/dev/nvidia-caps/nvidia-cap12'] }],
        },
      ],
      cgroups: 'v2',
      services: [
        { name: 'kubelet', pid: 77, unit: 'kubelet.service' },
        { name: 'nvidia-persiste', pid: 78 },
      ],
      notUnderstood: { command: 'nvidia-smi -L', output: '?' },
      notRead: [],
    });
    const redacted = JSON.stringify(redactFacts(facts, 'gpu-7'));
    expect(redacted).to.contain('Nvlink Core is being initialized on host');
    expect(redacted).to.not.match(/abc|gpu-7|SECRET/);
  });

  it('has the kubelet’s answers as they came, and redacted only those of pods with a GPU', async () => {
    const { view, root } = aHost();
    mkdirSync(root, { recursive: true });
    const list = encodeList([
      {
        name: 'train',
        namespace: 'team',
        uid: 'x',
        containers: [{ container: 'c', deviceIds: { 'nvidia.com/mig-1g.5gb': ['MIG-1'] } }],
      },
      { name: 'web', namespace: 'other', uid: 'y', containers: [{ container: 'c', deviceIds: {} }] },
    ]);
    const kubelet = await servePodResources(`${root}/kubelet.sock`, { '/v1.PodResourcesLister/List': () => list });
    try {
      const facts = await readHostFacts(optionsOf(root), view, root);
      const [first] = facts.podResources;
      expect(Buffer.from(first?.base64 ?? '', 'base64').equals(Buffer.from(list))).to.equal(true);
      expect(first).to.include({ method: 'List', bytes: list.length });
      expect(facts.notRead.join()).to.contain('GetAllocatableResources');
      const redacted = JSON.stringify(redactFacts(facts, 'gpu-7').podResources);
      expect(redacted)
        .to.contain('"train"')
        .and.to.contain('MIG-1')
        .and.to.not.contain('web')
        .and.to.not.contain('base64');
    } finally {
      await kubelet.close();
    }
  });

  it('says of everything that is missing why, and never fails', async () => {
    const { view, root } = aHost();
    const facts = await readHostFacts(optionsOf(root), view, root);
    expect(facts).to.deep.include({
      kernelLog: [],
      driver: {},
      deviceNodes: [],
      cdi: [],
      services: [],
      cgroups: 'unknown',
    });
    expect(facts.notRead.map((one) => one.split(':')[0])).to.include.members([
      'the kernel’s log',
      'the driver’s files',
      'device nodes',
    ]);
  });

  it('is in the bundle, and of two runs into a folder neither overwrites the other’s', async () => {
    using host = new SimulatedHost(['A30'], { mig: false });
    const folder = join(host.folder, 'bundles');
    mkdirSync(folder);
    const { stderr } = await host.node('selftest', '--bundle', folder);
    const [name = ''] = readdirSync(folder);
    expect({ name, stderr }).to.satisfy(() => /^gpu-partition-selftest-\d{8}T\d{6}Z\.jsonl$/.test(name));
    const [head = '', run = ''] = readFileSync(join(folder, name), 'utf8').split('\n');
    expect((JSON.parse(head) as BundleHead).host).to.include.keys('kernelLog', 'services', 'notRead');
    expect((JSON.parse(run) as { time: string }).time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});
