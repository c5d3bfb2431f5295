import { ownCluster } from '../support/cluster.ts';
import { spawnSync } from 'node:child_process';
await using c = await ownCluster({ controllerManager: false, scheduler: false });
const file = await c.kubeconfigFile();
for (const o of ['out','out2','out','out2','out','out2']) { const r = spawnSync(process.execPath, ['--max-semi-space-size=1', `/tmp/ag/${o}/ag.mjs`, file], { encoding: 'utf8' }); console.log(o, r.stdout, r.stderr.slice(0, 500)); }
