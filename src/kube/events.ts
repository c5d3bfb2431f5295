import { cutText } from '../core/text/words.ts';
import { systemClock, type Clock } from '../process/clock.ts';
import { describeError, type Logger } from '../process/log.ts';
import { isAlreadyExists, isNotFound } from './api-error.ts';
import type { KubeClient } from './client.ts';
import { microTime } from './election.ts';
import { apiVersionOf, keepVersion, type KubeObject, type ObjectRef, type Resource } from './watch.ts';

/** What happened to an object, for `kubectl describe` and `kubectl events`. */
export interface EventNote {
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly type: 'Normal' | 'Warning';
  /** Why, one word: `WaveStarted`. */
  readonly reason: string;
  /** One word for what was done or tried: `Drain`. */
  readonly action: string;
  /** A sentence for people; cut after 1024 bytes, the server's limit. */
  readonly message: string;
}

interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  /** Name of the program: `gpupartition.dev/controller`. */
  readonly controller: string;
  /** Name of this instance, usually the pod's. */
  readonly instance: string;
  readonly clock?: Clock;
  /** Burst: events that may be written before the rate applies. */
  readonly burst?: number;
  /** Writes per second after that. */
  readonly perSecond?: number;
}

/** A series of equal events: one object in the API. */
interface Series {
  readonly ref: ObjectRef;
  readonly note: EventNote;
  count: number;
  /** How many of them the API server knows; 0 before it is created. */
  written: number;
  lastAtMs: number;
}

const events: Resource = { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' };

/** Equal events within this time of each other are one event with a count. */
const seriesMs = 10 * 60_000;
/** Maximum number of remembered series. */
const mostSeries = 2_000;

/**
 * Records Kubernetes events. It never throws and never makes its caller wait: events are best effort, and one that
 * cannot be written is dropped. Repetitions become a count; the rate is limited.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #series = new Map<string, Series>();
  readonly #dirty = new Set<Series>();
  #tokens: number;
  #tokensAtMs: number;
  #writing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #stopped = false;
  #dropped = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#tokens = options.burst ?? 50;
    this.#tokensAtMs = this.#clock.monotonicMs();
  }

  /** Number of events that were not written. */
  get dropped(): number {
    return this.#dropped;
  }

  record(note: EventNote): void {
    if (this.#stopped) return;
    const nowMs = this.#clock.wallMs();
    const key = keyOfNote(note);
    const known = this.#series.get(key);
    // Removed and inserted again: the map is ordered by last use.
    this.#series.delete(key);
    const isNew = known === undefined || nowMs - known.lastAtMs > seriesMs;
    const series = isNew ? newSeries(note, nowMs) : known;
    series.count += 1;
    series.lastAtMs = nowMs;
    this.#series.set(key, series);
    this.#dirty.add(series);
    this.#forget(nowMs);
    this.#write();
  }

  /** Writes pending events, as far as the rate allows, and records nothing more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer?.();
    await this.#writing;
    this.#write();
    await this.#writing;
    this.#cancelTimer?.();
    this.#dropped += this.#dirty.size;
  }

  #write(): void {
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    // Deferred, so that equal events of one turn are one write.
    await Promise.resolve();
    for (const series of this.#dirty) {
      if (!this.#takeToken()) {
        this.#writeLater();
        break;
      }
      this.#dirty.delete(series);
      await this.#writeOne(series);
    }
    // Here and not in a `finally` of the caller: nothing recorded in between may be lost.
    this.#writing = undefined;
  }

  #writeLater(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.startTimer(1000 / (this.#options.perSecond ?? 5), () => this.#write());
  }

  async #writeOne(series: Series): Promise<void> {
    const { logger } = this.#options;
    const count = series.count;
    try {
      if (series.written === 0) await this.#create(series, count);
      else await this.#count(series, count);
      series.written = count;
    } catch (error) {
      this.#dropped += 1;
      logger.debug('writing an event failed', { reason: series.note.reason, error: describeError(error) });
    }
  }

  async #create(series: Series, count: number): Promise<void> {
    try {
      await this.#options.client.create(events, this.#eventOf(series));
    } catch (error) {
      // An earlier attempt arrived, and its answer was lost.
      if (!isAlreadyExists(error)) throw error;
      await this.#count(series, count);
    }
  }

  async #count(series: Series, count: number): Promise<void> {
    const patch = { series: { count, lastObservedTime: microTime(series.lastAtMs) } };
    try {
      await this.#options.client.merge(series.ref, patch);
    } catch (error) {
      // The server forgets events after an hour.
      if (!isNotFound(error)) throw error;
      await this.#options.client.create(events, this.#eventOf(series));
    }
  }

  #eventOf({ ref, note, count, lastAtMs }: Series): KubeObject & Readonly<Record<string, unknown>> {
    const { name, namespace, uid, resourceVersion } = note.object.metadata;
    return {
      metadata: { name: ref.name, namespace: ref.namespace ?? 'default' },
      eventTime: microTime(lastAtMs),
      reportingController: this.#options.controller,
      reportingInstance: this.#options.instance.slice(0, 128),
      type: note.type,
      reason: note.reason,
      action: note.action,
      note: cut(note.message, 1024),
      regarding: {
        apiVersion: apiVersionOf(note.resource),
        kind: note.resource.kind,
        name,
        namespace,
        uid,
        resourceVersion,
      },
      ...(count > 1 ? { series: { count, lastObservedTime: microTime(lastAtMs) } } : {}),
    };
  }

  #takeToken(): boolean {
    const { burst = 50, perSecond = 5 } = this.#options;
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(burst, this.#tokens + ((nowMs - this.#tokensAtMs) / 1000) * perSecond);
    this.#tokensAtMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #forget(nowMs: number): void {
    for (const [key, series] of this.#series) {
      const isOver = nowMs - series.lastAtMs > seriesMs && !this.#dirty.has(series);
      if (!isOver && this.#series.size <= mostSeries) return;
      this.#series.delete(key);
      if (this.#dirty.delete(series)) this.#dropped += 1;
    }
  }
}

function newSeries(note: EventNote, nowMs: number): Series {
  const { name, namespace = 'default' } = note.object.metadata;
  const suffix = `${nowMs.toString(16)}${Math.floor(Math.random() * 2 ** 32).toString(16)}`;
  // Event names have at most 253 characters, like all object names, and nothing but letters and digits around a dot.
  const stem = name.slice(0, 220).replace(/[-.]+$/, '');
  const ref = { resource: events, name: `${stem}.${suffix}`, namespace };
  // Not the object itself: thousands of series are remembered, and some objects are large.
  const object = keepVersion(note.object);
  return { ref, note: { ...note, object }, count: 0, written: 0, lastAtMs: nowMs };
}

function keyOfNote({ resource, object, type, reason, action, message }: EventNote): string {
  const { uid, name, namespace } = object.metadata;
  return [resource.plural, namespace, name, uid, type, reason, action, message].join('\0');
}

/** Cuts a text to this many bytes of UTF-8, with a mark if something was cut off. */
function cut(text: string, bytes: number): string {
  const encoded = new TextEncoder().encode(text);
  if (encoded.length <= bytes) return text;
  // A character that is cut in half decodes to U+FFFD. The ellipsis takes three bytes.
  const fitting = new TextDecoder().decode(encoded.subarray(0, bytes - 3)).replace(/\uFFFD+$/, '');
  return cutText(text, fitting.length + 1);
}
