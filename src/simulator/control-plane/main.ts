import { findControlPlane } from './build.ts';
import { ControlPlaneError } from './run.ts';
import { startControlPlane } from './start.ts';

const usage = `usage: node src/simulator/control-plane/main.ts build | start

build   find or build Kubernetes' own control plane and print the folder of its programs
start   start one, print the path of an administrator's kubeconfig file, and run until interrupted
`;

const onProgress = (line: string): void => void process.stderr.write(`${line}\n`);

async function build(): Promise<void> {
  const { folder } = await findControlPlane({ onProgress });
  process.stdout.write(`${folder}\n`);
}

async function start(): Promise<void> {
  const binaries = await findControlPlane({ onProgress });
  const controlPlane = await startControlPlane({ binaries });
  process.stdout.write(`${await controlPlane.kubeconfigFile()}\n`);
  // Only a signal stops it; the timer keeps the process alive, since all its children are detached.
  const alive = setInterval(() => undefined, 1 << 30);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      clearInterval(alive);
      void controlPlane.stop();
    });
  }
}

async function main(command: string | undefined): Promise<number> {
  try {
    if (command === 'build') await build();
    else if (command === 'start') await start();
    else {
      process.stderr.write(usage);
      return 2;
    }
    return 0;
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 3;
  }
}

process.exitCode = await main(process.argv[2]);
