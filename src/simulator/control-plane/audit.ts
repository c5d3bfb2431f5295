import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { pick, pickText } from './request.ts';

/** Every write, once, on completion; reads are omitted. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
  rules: [{ level: 'None', verbs: ['get', 'list', 'watch'] }, { level: 'Metadata' }],
} as const;

/** One write that the API server answered. */
export interface AuditedWrite {
  /** `system:serviceaccount:gpu-partition-system:controller`; under impersonation, the impersonated user. */
  readonly user: string;
  /** `create`, `update`, `patch`, `delete`, `deletecollection`. */
  readonly verb: string;
  /** With its group, if any: `pods`, `gpunodepartitions.gpupartition.dev`. */
  readonly resource: string;
  /** `status`, `eviction`, …; empty for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Status code of the response. */
  readonly code: number;
  /** Time of the request, RFC 3339 with microseconds. */
  readonly time: string;
  readonly userAgent: string;
}

export function auditFileOf(folder: string): string {
  return join(folder, 'audit.log');
}

/** Reads the audit log, except for a line that is still being written. @param from the byte to begin with, the first of a line */
export async function readAuditLog(file: string, from = 0): Promise<readonly AuditedWrite[]> {
  const text = await readFile(file).then(
    (bytes) => bytes.toString('utf8', from),
    () => '',
  );
  return text.split('\n').slice(0, -1).map(parseAuditLine);
}

export function parseAuditLine(line: string): AuditedWrite {
  const event: unknown = JSON.parse(line);
  const object = (name: string): string => pickText(event, 'objectRef', name) ?? '';
  const code = pick(event, 'responseStatus', 'code');
  const group = object('apiGroup');
  return {
    user: pickText(event, 'impersonatedUser', 'username') ?? pickText(event, 'user', 'username') ?? '',
    verb: pickText(event, 'verb') ?? '',
    resource: group === '' ? object('resource') : `${object('resource')}.${group}`,
    subresource: object('subresource'),
    namespace: object('namespace'),
    name: object('name'),
    code: typeof code === 'number' ? code : 0,
    time: pickText(event, 'requestReceivedTimestamp') ?? '',
    userAgent: pickText(event, 'userAgent') ?? '',
  };
}
