import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Users with a fixed token for the API server. All are administrators, as the programs that they stand for effectively
 * are; separate names let the audit log tell them apart.
 */
export const users = {
  admin: 'admin',
  controllerManager: 'system:kube-controller-manager',
  scheduler: 'system:kube-scheduler',
  kubelet: 'simulated-kubelet',
} as const;

export type Identity = keyof typeof users;

export type Identities = Awaited<ReturnType<typeof createIdentities>>;

export async function createIdentities(folder: string) {
  const tokens: Record<Identity, string> = {
    admin: newToken(),
    controllerManager: newToken(),
    scheduler: newToken(),
    kubelet: newToken(),
  };
  // An elliptic-curve key takes a millisecond to generate, an RSA key up to a second.
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const files = {
    tokenFile: join(folder, 'tokens.csv'),
    serviceAccountKey: join(folder, 'service-account.key'),
    serviceAccountPublicKey: join(folder, 'service-account.pub'),
  };
  const lines = (Object.keys(users) as Identity[]).map(
    (one) => `${tokens[one]},${users[one]},${users[one]},"system:masters"\n`,
  );
  await Promise.all([
    writeSecret(files.tokenFile, lines.join('')),
    writeSecret(files.serviceAccountKey, privateKey.export({ type: 'sec1', format: 'pem' })),
    writeSecret(files.serviceAccountPublicKey, publicKey.export({ type: 'spki', format: 'pem' })),
  ]);
  return { tokens, ...files };
}

export async function writeSecret(file: string, content: string | Buffer): Promise<void> {
  await writeFile(file, content, { mode: 0o600 });
}

function newToken(): string {
  return randomBytes(16).toString('hex');
}
