/**
 * Kueue's own manager beside a test's control plane, with its CRDs and the webhooks of its kinds and of jobs. They are called by address:
 * without kube-proxy the API server reaches no Service.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parse, parseAllDocuments, stringify } from 'yaml';
import {
  type Component,
  startComponent,
  waitUntilReady,
  makeDataFolder,
  findFreePorts,
} from '../../src/simulator/control-plane/components.ts';
import { startGuard } from '../../src/simulator/control-plane/run.ts';
import { applyObjects } from '../support/gpu-pods.ts';
import type { TestRig } from '../support/rig.ts';

const run = promisify(execFile);
const cwd = import.meta.dirname;
const target = 'sigs.k8s.io/kueue';

/** Builds it into the cache, or throws with what `go build` says: 5 minutes of CPU time the first time, of Go's module proxy 300 MB. */
async function buildKueue(): Promise<string> {
  const sum = await readFile(join(cwd, 'go.sum'));
  const key = createHash('sha256').update(sum).digest('hex').slice(0, 16);
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const program = join(cache, 'gpu-partition-operator', 'kueue', key, 'kueue');
  if (existsSync(program)) return program;
  await mkdir(dirname(program), { recursive: true });
  const unfinished = `${program}.building-${process.pid}`;
  await run('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', unfinished, `${target}/cmd/kueue`], { cwd });
  await rename(unfinished, program);
  return program;
}

/** The caller kills it. @param settings more of its configuration */
export async function startKueue(rig: TestRig, settings: object = {}): Promise<Component> {
  const program = await buildKueue();
  const folder = await makeDataFolder();
  const [health = 0, metrics = 0, webhook = 0] = await findFreePorts(3);
  const certificate = await makeCertificate(folder);
  const clientConfig = (path: string) => ({
    url: `https://127.0.0.1:${webhook}${path}`,
    caBundle: certificate.toString('base64'),
  });
  await applyDefinitions(rig, clientConfig);
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    stringify({
      apiVersion: 'config.kueue.x-k8s.io/v1beta2',
      kind: 'Configuration',
      health: { healthProbeBindAddress: `127.0.0.1:${health}` },
      metrics: { bindAddress: `127.0.0.1:${metrics}` },
      webhook: { host: '127.0.0.1', port: webhook, certDir: folder },
      leaderElection: { leaderElect: false },
      internalCertManagement: { enable: false },
      integrations: { frameworks: ['batch/job'] },
      ...settings,
    }),
  );
  const kubeconfig = await rig.controlPlane.kubeconfigFile();
  const args = [`--config=${config}`, `--kubeconfig=${kubeconfig}`, '--feature-gates=VisibilityOnDemand=false'];
  // With a certificate of its own it wants that of its metrics at a fixed path, which only its own mount namespace has.
  const inNamespace = `mount -t overlay overlay -o lowerdir=${join(folder, 'etc')}:/etc /etc && exec "$0" "$@"`;
  const kueue = await startComponent(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', inNamespace, program, ...args],
    { log: join(folder, 'kueue.log'), guard: startGuard(folder) },
  );
  await waitUntilReady(kueue, async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok);
  await applyWebhooks(rig, clientConfig);
  return kueue;
}

type ClientConfig = (path: string) => object;

/** A certificate for the loopback address that is its own authority. */
async function makeCertificate(folder: string): Promise<Buffer> {
  const { stdout } = await run('go', ['env', 'GOROOT']);
  const generator = join(stdout.trim(), 'src/crypto/tls/generate_cert.go');
  await run('go', ['run', generator, '--host', '127.0.0.1', '--ca', '--ecdsa-curve', 'P256'], { cwd: folder });
  const certificate = await readFile(join(folder, 'cert.pem'));
  const metrics = join(folder, 'etc/kueue/metrics/certs');
  await mkdir(metrics, { recursive: true });
  for (const place of [folder, metrics]) {
    await copyFile(join(folder, 'cert.pem'), join(place, 'tls.crt'));
    await copyFile(join(folder, 'key.pem'), join(place, 'tls.key'));
  }
  return certificate;
}

/** Where the manifests of the pinned version are. */
async function manifests(): Promise<string> {
  const { stdout } = await run('go', ['list', '-m', '-f', '{{.Dir}}', target], { cwd });
  return join(stdout.trim(), 'config/components');
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly names: { readonly plural: string } };
}

/** Whose versions differ; the others are kept as they are (config/components/crd/kustomization.yaml). */
const converted = ['localqueues', 'clusterqueues', 'cohorts', 'workloads', 'multikueueclusters'];

async function applyDefinitions(rig: TestRig, clientConfig: ClientConfig): Promise<void> {
  const folder = join(await manifests(), 'crd/bases');
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')));
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: clientConfig('/convert'), conversionReviewVersions: ['v1'] },
  };
  const definitions = files
    .map((text): Definition => parse(text))
    .map((one) => (converted.includes(one.spec.names.plural) ? { ...one, spec: { ...one.spec, conversion } } : one));
  const { code, stderr } = await rig.controlPlane.kubectl(['apply', '--server-side', '-f', '-'], {
    input: definitions.map((one) => stringify(one)).join('---\n'),
  });
  if (code !== 0) throw new Error(stderr);
  const names = definitions.map(({ metadata }) => `crd/${metadata.name}`);
  await rig.kubectl('wait', '--for=condition=Established', '--timeout=60s', ...names);
}

interface WebhookConfiguration {
  readonly webhooks: readonly { readonly clientConfig: { readonly service: { readonly path: string } } }[];
}

async function applyWebhooks(rig: TestRig, clientConfig: ClientConfig): Promise<void> {
  const text = await readFile(join(await manifests(), 'webhook/manifests.yaml'), 'utf8');
  const configurations = parseAllDocuments(text).map((one): WebhookConfiguration => one.toJS());
  const own = configurations.map((one) => ({
    ...one,
    webhooks: one.webhooks
      .map((webhook) => ({ ...webhook, path: webhook.clientConfig.service.path }))
      .filter(({ path }) => /-kueue-x-k8s-io-|-batch-v1-job$/.test(path))
      .map(({ path, ...webhook }) => ({ ...webhook, clientConfig: clientConfig(path) })),
  }));
  await applyObjects(rig, own);
}
