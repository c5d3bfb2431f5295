import type { AuditedWrite } from './audit.ts';
import type { Binaries } from './programs.ts';
import type { ApiClient } from './request.ts';
import type { Finished } from './run.ts';
import type { TokenOptions } from './service-account-token.ts';

export interface ControlPlaneOptions {
  readonly binaries: Binaries;
  /** Record every write; see {@link ControlPlane.auditedWrites}. */
  readonly auditLog?: boolean;
  /** Start kube-controller-manager if available; default true. */
  readonly controllerManager?: boolean;
  /** Start kube-scheduler if available; default true. */
  readonly scheduler?: boolean;
  /** Kubernetes release whose APIs and features the programs offer instead of their own, such as `1.33`: at most three before it. */
  readonly emulatedVersion?: string;
  readonly apiServerArguments?: readonly string[];
  readonly controllerManagerArguments?: readonly string[];
}

/** Contents of a kubeconfig file. */
export interface KubeconfigAbout {
  /** Default: the administrator's. */
  readonly token?: string;
  /** Address of a proxy with the API server's certificate; default: the API server itself. */
  readonly server?: string;
}

/** A private control plane on the loopback interface, gone without a trace when it is stopped or we exit. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  /** etcd's address, for what the API server has stored. */
  readonly etcdUrl: string;
  readonly caFile: string;
  /** Certificate authority in PEM. */
  readonly ca: string;
  /** Token of an administrator. */
  readonly adminToken: string;
  /** Token of the simulated kubelets, user `simulated-kubelet`: the audit log distinguishes their writes. */
  readonly kubeletToken: string;
  /** Folder for keys, certificates, logs and data. */
  readonly folder: string;
  readonly binaries: Binaries;
  /** An administrator's client, without retries. */
  readonly client: ApiClient;
  /** Process ids of the running programs, by name. */
  pids(): Readonly<Record<string, number>>;
  /** Writes a kubeconfig file and returns its path. */
  kubeconfigFile(about?: KubeconfigAbout): Promise<string>;
  serviceAccountToken(namespace: string, name: string, options?: TokenOptions): Promise<string>;
  /** Runs kubectl, as the administrator if no token is given; the caller judges the exit status. */
  kubectl(args: readonly string[], options?: { readonly token?: string; readonly input?: string }): Promise<Finished>;
  /** All writes so far, oldest first. @throws ControlPlaneError unless started with `auditLog`. */
  auditedWrites(): Promise<readonly AuditedWrite[]>;
  /** SIGKILL, as in a crash. */
  killApiServer(): Promise<void>;
  /** Restarts it with the same address, certificate and data. */
  startApiServer(): Promise<void>;
  /** Stops the API server and etcd for a moment to copy the data. @returns the copy, for {@link restore} */
  backUp(): Promise<string>;
  /** Restores all data, versions included, as an administrator does after a loss. */
  restore(backup: string): Promise<void>;
  stop(): Promise<void>;
}
