import { unescape } from 'node:querystring';
import type { RequestHistory, RequestSeries } from '../../core/advice/history.ts';
import { fieldsOf } from '../../core/text/fields.ts';
import type { LabelSelector } from '../../core/pods/plugin-pods.ts';
import { CliError } from '../exit.ts';
import { messageOf } from '../../core/text/message-of.ts';

/** A stretch of the past. */
export interface HistoryWindow {
  readonly url: URL;
  /** In seconds. */
  readonly length: number;
  /** Seconds since the epoch. */
  readonly end: number;
  /** Of the series of one cluster, where Prometheus has those of several. */
  readonly labels?: LabelSelector | undefined;
}

/** Prometheus answers at most 11,000 points of a series. */
const mostPoints = 10_000;
const leastStep = 300;
const timeoutMs = 60_000;

/**
 * Pods of several scrapers, or of one that has just restarted, count once. Ended pods keep their requests in kube-state-metrics, and
 * what waits has no node.
 */
function askRequests(own: string): string {
  const requests = `kube_pod_container_resource_requests{resource=~"nvidia_com_(gpu|mig_.+)",resource!~".+_shared"${own}}`;
  const open = `max by (namespace, pod) (kube_pod_status_phase{phase=~"Pending|Running"${own}} == 1)`;
  return `sum by (resource, node) (max by (namespace, pod, container, resource, node) (${requests}) * on (namespace, pod) group_left () ${open})`;
}

/** Where it has a value, it was known what pods ask for. */
function askKnown(own: string): string {
  return `max(kube_pod_status_phase{phase="Running"${own}})`;
}

/** What Prometheus answered, and what it warns of: that a part of the data did not answer, for example. */
interface ToldHistory extends RequestHistory {
  readonly warnings: readonly string[];
}

/** Reads from Prometheus what pods asked for. @throws CliError with code 3 if it does not answer, or has nothing */
export async function readRequests(window: HistoryWindow): Promise<ToldHistory> {
  const own = Object.entries(window.labels ?? {})
    .map(([label, value]) => `,${label}="${value}"`)
    .join('');
  const [seen, asked] = await Promise.all([queryRange(window, askKnown(own)), queryRange(window, askRequests(own))]);
  const times = seen.series.flatMap(({ values }) => values.map(([time]) => time));
  if (times.length === 0)
    throw new CliError(
      `Prometheus at ${nameOf(window.url)} has no kube_pod_status_phase in this window: does it scrape kube-state-metrics?`,
      3,
    );
  return {
    times,
    warnings: [...new Set([seen, asked].flatMap(({ warnings }) => warnings))].map(
      (text) => `Prometheus at ${nameOf(window.url)} says: ${text}`,
    ),
    series: asked.series.map(({ metric, values }): RequestSeries => {
      const { resource = '', node = '' } = metric;
      return { resource, node: node === '' ? undefined : node, amounts: new Map(values) };
    }),
  };
}

interface RangeAnswer {
  readonly series: readonly Series[];
  readonly warnings: readonly string[];
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [time: number, value: number])[];
}

async function queryRange({ url, length, end }: HistoryWindow, query: string): Promise<RangeAnswer> {
  const step = Math.max(leastStep, Math.ceil(length / mostPoints));
  // At full steps, so that both questions, and the next run's, are asked of the same times.
  const last = Math.floor(end / step) * step;
  const body = new URLSearchParams({ query, start: `${last - length}`, end: `${last}`, step: `${step}` });
  const answer = await post(url, body);
  const fields = fieldsOf(answer);
  if (fields?.['status'] === 'error') throw fail(url, `refused the query: ${String(fields['error'])}`);
  const data = fieldsOf(fields?.['data']);
  const result = data?.['result'];
  if (data?.['resultType'] !== 'matrix' || !Array.isArray(result))
    throw fail(url, 'answered something that is not a range of values');
  const warnings = Array.isArray(fields?.['warnings']) ? fields['warnings'] : [];
  return {
    series: result.map((one) => readSeries(url, one)),
    warnings: warnings.filter((one) => typeof one === 'string'),
  };
}

function readSeries(url: URL, value: unknown): Series {
  const { metric, values } = fieldsOf(value) ?? {};
  const labels = Object.entries(fieldsOf(metric) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  if (!Array.isArray(values)) throw fail(url, 'answered a series without values');
  return {
    metric: Object.fromEntries(labels),
    values: values.map((point: unknown) => {
      const [time, amount] = Array.isArray(point) ? [Number(point[0]), Number(point[1])] : [NaN, NaN];
      if (!Number.isFinite(time) || !Number.isFinite(amount))
        throw fail(url, `answered ${JSON.stringify(point)} for a value`);
      return [time, amount] as const;
    }),
  };
}

async function post(url: URL, body: URLSearchParams): Promise<unknown> {
  const target = new URL(url);
  target.pathname = `${url.pathname.replace(/\/$/, '')}/api/v1/query_range`;
  const { username, password } = url;
  target.username = '';
  target.password = '';
  const secret = Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64');
  const headers = username === '' ? {} : { authorization: `Basic ${secret}` };
  let response: Response;
  let text: string;
  try {
    response = await fetch(target, { method: 'POST', body, headers, signal: AbortSignal.timeout(timeoutMs) });
    text = await response.text();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw fail(url, `does not answer: ${messageOf(cause)}`, error);
  }
  const answer = parse(text);
  // Prometheus explains what is wrong with a query in JSON.
  if (answer !== undefined && (response.ok || fieldsOf(answer)?.['status'] === 'error')) return answer;
  throw fail(url, response.ok ? 'answered something that is not JSON' : `answered with HTTP status ${response.status}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function fail(url: URL, message: string, cause?: unknown): CliError {
  return new CliError(`Prometheus at ${nameOf(url)} ${message}`, 3, { cause });
}

/** Without a password. */
function nameOf({ origin, pathname }: URL): string {
  return `${origin}${pathname === '/' ? '' : pathname}`;
}
