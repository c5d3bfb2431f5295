import { isFields } from './fields.ts';

/** Whether a value from a file has some shape. */
type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
export const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
export const isAbsentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
export const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
export const isMapOf =
  (check: Check): Check =>
  (value) =>
    isFields(value) && Object.values(value).every(check);

/** Other fields are ignored. */
export const hasFields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isFields(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
