import { describeError } from '../process/logger.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { keyOf, type KubeObject } from './resource.ts';
import type { Change } from './store.ts';

/** Calls the handlers of a watch's owner, and its log. An error of theirs is counted and logged, and stops nothing. */
export class WatchHandlers<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  /** How many calls have failed. */
  errors = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
  }

  emit(changes: readonly Change<T>[]): void {
    for (const change of changes) {
      try {
        this.#options.onChange?.(change);
      } catch (error) {
        this.#fail('a handler of changes failed', error, { key: change.key });
      }
    }
  }

  /** @returns what is kept of an object */
  strip(object: T): T {
    try {
      return this.#options.strip?.(object) ?? object;
    } catch (error) {
      this.#fail('cannot strip an object', error, { key: keyOf(object) });
      return object;
    }
  }

  tellOfRewind(version: string): void {
    const { logger, resource, onRewind } = this.#options;
    logger.warn('the API server was restored from a backup; its list is taken as it is', {
      resource: resource.plural,
      version,
    });
    onRewind?.();
  }

  /** @param isExpected whether a list repairs it */
  tellOfTrouble(error: unknown, delayMs: number, isExpected: boolean): void {
    const { logger, resource } = this.#options;
    const fields = { resource: resource.plural, error: describeError(error), retryInMs: Math.round(delayMs) };
    if (isExpected) logger.info('watch restarts from a list', fields);
    else logger.warn('watch interrupted', fields);
  }

  #fail(message: string, error: unknown, fields: Readonly<Record<string, string>>): void {
    this.errors += 1;
    this.#options.logger.error(message, { ...fields, error: describeError(error) });
  }
}
