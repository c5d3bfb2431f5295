import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ControlPlaneError } from './errors.ts';

/** The Go module that wraps Kubernetes' own programs; only its go.mod names their version. */
export interface GoModule {
  readonly folder: string;
  /** `v1.36.3`, as go.mod requires k8s.io/kubernetes. */
  readonly kubernetes: string;
  /** `1.26.0`, the `go` line of go.mod. */
  readonly goRequired: string;
  /** Hash of everything that determines the build, except the Go version. */
  readonly hash: string;
}

const folder = fileURLToPath(new URL('../../../test/control-plane/', import.meta.url));

const sources = ['go.mod', 'go.sum', 'main.go'] as const;

/** @throws ControlPlaneError `BuildFailed` if the folder is not such a module. */
export async function readGoModule(): Promise<GoModule> {
  const texts = await Promise.all(sources.map((name) => readFile(join(folder, name), 'utf8'))).catch(
    (cause: unknown) => {
      throw new ControlPlaneError('BuildFailed', `${folder} is not the control plane's Go module: ${String(cause)}`, {
        cause,
      });
    },
  );
  const goMod = texts[0] ?? '';
  const kubernetes = /^\s*(?:require\s+)?k8s\.io\/kubernetes\s+(v\d+\.\d+\.\d+\S*)/m.exec(goMod)?.[1];
  const goRequired = /^go\s+(\d+\.\d+\S*)/m.exec(goMod)?.[1];
  if (kubernetes === undefined || goRequired === undefined) {
    throw new ControlPlaneError('BuildFailed', `${join(folder, 'go.mod')} names no k8s.io/kubernetes or no go version`);
  }
  const hash = createHash('sha256').update(JSON.stringify([...texts, buildArguments(kubernetes)]));
  return { folder, kubernetes, goRequired, hash: hash.digest('hex').slice(0, 16) };
}

/**
 * Arguments of `go`, without the output. Each flag is given here because GOFLAGS (from the environment or `go env -w`)
 * may differ, and the command line wins: `-mod=mod` there would rewrite go.sum. Without the version stamp
 * `kubectl version` and `/version` report v0.0.0-master and feature gates can misbehave.
 */
export function buildArguments(kubernetes: string): readonly string[] {
  const [major = '', minor = ''] = kubernetes.slice(1).split('.');
  const stamp = { gitVersion: kubernetes, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const stamps = Object.entries(stamp).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['build', '-mod=readonly', '-buildvcs=false', '-trimpath', '-ldflags', ['-s', '-w', ...stamps].join(' ')];
}
