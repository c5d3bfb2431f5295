import { isOlderDriver as isOlder } from '../../core/gpu/geometry/model-lookup.ts';
import { runProgram } from './run.ts';
import { ControlPlaneError } from './errors.ts';
import type { GoModule } from './go-module.ts';
import { messageOf } from '../../core/text/message-of.ts';

/** `version` is in Go's form, `go1.26.8`; `platform` as in `linux-amd64`. */
export interface GoToolchain {
  readonly version: string;
  readonly platform: string;
}

/**
 * Runs Go in the module's folder, where it selects (and if necessary downloads) the toolchain that go.mod requires.
 * Undefined if Go is not installed.
 *
 * @throws ControlPlaneError `GoTooOld`, or `BuildFailed` if Go is installed but does not answer.
 */
export async function findGo(module: GoModule): Promise<GoToolchain | undefined> {
  const asked = await runProgram('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], {
    cwd: module.folder,
    env: goEnvironment(),
  }).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw new ControlPlaneError('BuildFailed', `\`go\` cannot be run: ${messageOf(error)}`, { cause: error });
  });
  if (asked === undefined) return undefined;
  const [version = '', os = '', architecture = ''] = asked.stdout.trim().split('\n');
  const numbers = /\d+(\.\d+)*/.exec(version)?.[0] ?? '';
  if (isOlder(numbers, module.goRequired) || /requires go >=/.test(asked.stderr)) {
    const found = /running (go \S+?)[;)]/.exec(asked.stderr)?.[1] ?? version;
    throw new ControlPlaneError(
      'GoTooOld',
      `The control plane (Kubernetes ${module.kubernetes}) needs Go ${module.goRequired} or newer and this is ${found}: ${waysOut(module)}.`,
    );
  }
  if (asked.code !== 0 || architecture === '') {
    throw new ControlPlaneError('BuildFailed', `\`go env\` failed in ${module.folder}: ${asked.stderr.trim()}`);
  }
  return { version, platform: `${os}-${architecture}` };
}

export function goMissing(module: GoModule): ControlPlaneError {
  return new ControlPlaneError(
    'GoMissing',
    `There is no Go here to build the control plane (Kubernetes ${module.kubernetes}) with, and KUBEBUILDER_ASSETS is not set: ${waysOut(module)}.`,
  );
}

function waysOut(module: GoModule): string {
  const [major = '1', minor = '0'] = module.goRequired.split('.');
  return (
    `install Go ${major}.${minor} or newer (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder with etcd, ` +
    `kube-apiserver and kubectl, for example \`export KUBEBUILDER_ASSETS=$(setup-envtest use -p path)\``
  );
}

/** The build must not depend on a workspace around the checkout or on a C compiler. */
export function goEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, GOWORK: 'off', CGO_ENABLED: '0' };
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
