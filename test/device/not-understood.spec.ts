import { expect } from 'chai';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { deviceOf } from '../../src/agent/open-device.ts';
import { recordRuns } from '../../src/device/command/recorder.ts';
import { NvidiaSmi } from '../../src/device/command/nvidia-smi.ts';
import { writeDurably } from '../../src/device/host/durable-file.ts';
import { UnknownOutput } from '../../src/device/host/not-understood.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { useScratchFolder } from './scratch-folder.ts';
import { InProcessNode } from './simulated-node.ts';

describe('an output of nvidia-smi that is not understood', () => {
  const scratch = useScratchFolder();
  let count = 0;

  function anAgent(node: InProcessNode, folder: string) {
    const told: { readonly message: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
    const unknown = new UnknownOutput({
      folder,
      nodeName: 'gpu-7',
      write: writeDurably,
      tell: (message, fields) => told.push({ message, fields }),
    });
    unknown.recall();
    const driver = new NvidiaSmi(recordRuns(node.execute, (run) => unknown.note(run)));
    const journal = { begin: () => Promise.resolve(), finish: () => undefined };
    const lock = { explainLoss: () => undefined };
    return { told, device: deviceOf(driver, { journal, lock, logger: silentLogger, unknown }) };
  }

  const aFolder = (): string => {
    count += 1;
    return scratch.path(`state-${count}`);
  };

  it('is kept on the node and in the log, once, without names of processes and of the node', async () => {
    const folder = aFolder();
    const file = join(folder, 'not-understood.json');
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    const { told, device } = anAgent(node, folder);
    await device.read();
    expect(existsSync(file), 'all was understood').to.equal(false);
    const report = '<?xml version="1.0" ?>\n<nvidia_smi_log><process_name>secret</process_name>\non gpu-7';
    node.intercept = (args, run) => (args.includes('-x') ? { rc: 0, stdout: report, end: 'Exited' } : run());
    for (let times = 0; times < 3; times += 1) await device.read().catch(() => undefined);
    expect(told.map(({ message }) => message)).to.deep.equal(['an output of nvidia-smi was not understood']);
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    expect(kept).to.include({ rc: 0, end: 'Exited', isCut: false });
    expect(kept['command']).to.match(/^nvidia-smi .*-q -x$/);
    expect(kept['output']).to.contain('<process_name>redacted').and.to.contain('on host').and.not.to.contain('secret');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const logged = told[0]?.fields['outputGzip'];
    expect(gunzipSync(Buffer.from(String(logged), 'base64')).toString()).to.equal(kept['output']);
  });

  it('is the one that a reading of one GPU ended with, where the others are read', async () => {
    const folder = aFolder();
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    const { device } = anAgent(node, folder);
    node.intercept = (args, run) =>
      args.includes('-lgip') ? { rc: 0, stdout: 'a table of a later driver', end: 'Exited' } : run();
    await device.read().catch(() => undefined);
    const kept = JSON.parse(readFileSync(join(folder, 'not-understood.json'), 'utf8')) as Readonly<
      Record<string, unknown>
    >;
    expect(kept['output']).to.equal('a table of a later driver');
    expect(kept['command']).to.contain('-lgip');
  });

  it('is told again by an agent that was restarted: the log of the one before may be gone', async () => {
    const folder = aFolder();
    const node = new InProcessNode(['A100-SXM4-40GB']);
    node.intercept = () => ({ rc: 0, stdout: 'what is this', end: 'Exited' });
    await anAgent(node, folder)
      .device.read()
      .catch(() => undefined);
    const { told, device } = anAgent(node, folder);
    await device.read().catch(() => undefined);
    expect(told.map(({ message }) => message)).to.deep.equal(['an earlier output of nvidia-smi was not understood']);
  });
});
