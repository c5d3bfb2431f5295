import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { findFreePorts } from '../../src/simulator/control-plane/components.ts';
import { eventually } from './eventually.ts';

/** A scrape target, and the name of its series. */
export interface ScrapeTarget {
  readonly pod: string;
  readonly port: number;
  /** Where the pod runs, for the relabelings. */
  readonly node?: string;
}

/** Copies a label. */
export interface Relabeling {
  readonly sourceLabels: readonly string[];
  readonly targetLabel: string;
}

export interface PrometheusRule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

interface Answer<Data> {
  readonly status: string;
  readonly error?: string;
  readonly data: Data;
}

/** A Prometheus with a database of its own, which ends with the test. */
export class PrometheusServer {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly address: string;

  private constructor(child: ChildProcess, folder: string, address: string) {
    this.#child = child;
    this.#folder = folder;
    this.address = address;
  }

  /**
   * @param rules groups of rules, in Prometheus' own format
   * @param fill puts what was measured before into the folder of its database
   * @param relabelings of a PodMonitor
   */
  static async start(
    program: string,
    targets: readonly ScrapeTarget[],
    rules: object,
    fill?: (folder: string) => Promise<void>,
    relabelings: readonly Relabeling[] = [],
  ): Promise<PrometheusServer> {
    const folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
    await fill?.(join(folder, 'data'));
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: [
        {
          job_name: 'gpu-partition',
          // As those of kube-state-metrics are scraped: its series are of other pods than its own.
          honor_labels: true,
          static_configs: targets.map(({ pod, port, node }) => ({
            targets: [`127.0.0.1:${port}`],
            labels: { pod, ...(node !== undefined && { __meta_kubernetes_pod_node_name: node }) },
          })),
          relabel_configs: relabelings.map(({ sourceLabels, targetLabel }) => ({
            source_labels: sourceLabels,
            target_label: targetLabel,
          })),
        },
      ],
    };
    await writeFile(join(folder, 'prometheus.yaml'), stringify(config));
    await writeFile(join(folder, 'rules.yaml'), stringify(rules));
    const [port = 0] = await findFreePorts(1);
    const args = [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ];
    const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    process.once('exit', () => child.kill('SIGKILL'));
    const server = new PrometheusServer(child, folder, `http://127.0.0.1:${port}`);
    const isReady = async (): Promise<boolean> => (await fetch(`${server.address}/-/ready`)).ok;
    await eventually(isReady, (ready) => ready, { timeoutMs: 30_000, what: 'Prometheus to be ready' });
    return server;
  }

  /** Current values of a query's series; those that are not numbers are left out. */
  async query(expression: string): Promise<readonly number[]> {
    const query = new URLSearchParams({ query: expression });
    const { result } = await this.#ask<{ readonly result: readonly { readonly value: readonly [number, string] }[] }>(
      `query?${query.toString()}`,
    );
    return result.map(({ value }) => Number(value[1])).filter((number) => Number.isFinite(number));
  }

  async labelValues(label: string, metric: string): Promise<readonly string[]> {
    return this.#ask(`label/${label}/values?${new URLSearchParams({ 'match[]': metric }).toString()}`);
  }

  async rules(): Promise<readonly PrometheusRule[]> {
    const { groups } = await this.#ask<{ readonly groups: readonly { readonly rules: readonly PrometheusRule[] }[] }>(
      'rules',
    );
    return groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.kill('SIGTERM');
    await ended;
    await rm(this.#folder, { recursive: true });
  }

  async #ask<Data>(path: string): Promise<Data> {
    const response = await fetch(`${this.address}/api/v1/${path}`);
    const { status, error, data } = (await response.json()) as Answer<Data>;
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  }
}
