import { definedOnly } from '../text/defined-fields.ts';
import type { DeviceReport, Grant } from '../../api/types.ts';
import { observedEpochOf } from './observed-epoch.ts';

/** What an agent knows of its own work. It keeps this itself: whoever has its token can write anything to the API. */
export interface OwnRecord {
  /** Of the object in which the epoch counts. */
  readonly uid: string;
  /** Of the last grant that was finished; 0 if there is none. */
  readonly epoch: number;
  /** What became of it, or of making its layout again after a reboot. */
  readonly outcome: Pick<DeviceReport, 'step' | 'error'>;
  readonly lastGood?: DeviceReport['lastGood'];
  readonly signalled?: DeviceReport['signalled'];
  /** The last reboot that was asked for, until a grant succeeds. */
  readonly rebootAsked?: RebootAsked;
}

/** A reboot that a wish needed, by its hash, and the boot in which it was asked for. */
export interface RebootAsked {
  readonly wish: string;
  readonly bootID: string;
}

const idle = { step: 'Idle' } as const;

/**
 * The report as the API has it, with what its agent knows better. Without a record the API is believed, except for an epoch that was
 * never granted. In an object that was recreated, the record still tells which instances are ours.
 */
export function correctReport(
  found: DeviceReport | undefined,
  { uid, granted }: { readonly uid: string | undefined; readonly granted: Grant | undefined },
  record: OwnRecord | undefined,
): DeviceReport {
  const { observedEpoch: _observed, ...device } = found ?? {};
  const told = observedEpochOf(found, granted);
  if (record === undefined || record.uid !== uid) {
    const { lastGood = record?.lastGood } = device;
    return { ...device, ...epochField(told), ...definedOnly({ lastGood }) };
  }
  const { step: _step, error: _error, lastGood: _lastGood, signalled: _signalled, ...reading } = device;
  const { epoch, outcome, lastGood, signalled } = record;
  return {
    ...reading,
    ...epochField(Math.max(epoch, told)),
    // The outcome of a grant of which this host has no record is unknown.
    ...(told > epoch ? idle : outcome),
    ...definedOnly({ lastGood, signalled }),
  };
}

/** What to keep of a report that is about to be written. */
export function recordOf(uid: string, device: DeviceReport, before: OwnRecord | undefined): OwnRecord {
  const { observedEpoch: epoch = 0, step, error, lastGood, signalled } = device;
  const isSameWork = before?.uid === uid && before.epoch === epoch;
  // A device that cannot be read says nothing about the grant before.
  const outcome =
    step === 'Failed' ? definedOnly({ step, error }) : step === 'Unknown' && isSameWork ? before.outcome : idle;
  const rebootAsked = step === 'Idle' ? undefined : before?.rebootAsked;
  return { uid, epoch, outcome, ...definedOnly({ lastGood, signalled, rebootAsked }) };
}

function epochField(epoch: number): Pick<DeviceReport, 'observedEpoch'> {
  return epoch === 0 ? {} : { observedEpoch: epoch };
}
