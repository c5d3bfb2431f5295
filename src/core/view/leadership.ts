import { controllerManager } from '../../api/names.ts';
import type { Interruption } from './freshness.ts';

/** The Lease of the controllers, as far as it says who leads. */
export interface LeaseView {
  readonly metadata: { readonly namespace?: string; readonly resourceVersion?: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

/** Whether somebody holds a lease that has been renewed within its duration. @param now in ms since 1970, by the API server's clock */
export function isHeld({ spec }: LeaseView, now: number): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0, renewTime = '' } = spec ?? {};
  return holderIdentity !== '' && now - Date.parse(renewTime) <= leaseDurationSeconds * 1000;
}

/** What a picture says where no controller leads: it shows what the last one wrote. */
export function describeAbsence(leases: readonly LeaseView[]): Interruption {
  const renewed = leases.map(({ spec }) => Date.parse(spec?.renewTime ?? '')).filter(Number.isFinite);
  const since = renewed.length === 0 ? undefined : Math.max(...renewed);
  const why =
    since === undefined
      ? `no namespace has a Lease ${controllerManager}: the controller was never started, or with --no-leader-elect`
      : `no controller renews its Lease${leases.length === 1 ? ` ${leases[0]?.metadata.namespace}/${controllerManager}` : 's'}`;
  return { kind: 'No controller', since, why };
}
