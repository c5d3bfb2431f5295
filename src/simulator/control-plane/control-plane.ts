import type { AuditedWrite } from './audit.ts';
import type { Binaries } from './programs.ts';
import type { ApiClient } from './request.ts';
import type { Finished } from './run.ts';
import type { TokenOptions } from './service-account-token.ts';

export interface ControlPlaneOptions {
  readonly binaries: Binaries;
  /** Keep a record of every write; see {@link ControlPlane.auditedWrites}. */
  readonly auditLog?: boolean;
  /** Start kube-controller-manager where it is there; default true. */
  readonly controllerManager?: boolean;
  /** Start kube-scheduler where it is there; default true. */
  readonly scheduler?: boolean;
  readonly apiServerArguments?: readonly string[];
  readonly controllerManagerArguments?: readonly string[];
}

/** What a kubeconfig file is to say. */
export interface KubeconfigAbout {
  /** The administrator's unless told. */
  readonly token?: string;
  readonly namespace?: string;
  /** Address of a proxy with the API server's certificate; the API server's own unless told. */
  readonly server?: string;
}

/** A control plane of its own on the loopback interface, gone without a trace when it is stopped or we end. */
export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  readonly caFile: string;
  /** Certificate authority in PEM. */
  readonly ca: string;
  /** Token of an administrator. */
  readonly adminToken: string;
  /** Token of the simulated kubelets, user `simulated-kubelet`: the audit log tells their writes from others. */
  readonly kubeletToken: string;
  /** Folder of keys, certificates, logs and data. */
  readonly folder: string;
  readonly binaries: Binaries;
  /** An administrator's client, without retries. */
  readonly client: ApiClient;
  /** Process ids of what runs now, by program name. */
  pids(): Readonly<Record<string, number>>;
  /** Writes a kubeconfig file and returns its path. */
  kubeconfigFile(about?: KubeconfigAbout): Promise<string>;
  serviceAccountToken(namespace: string, name: string, options?: TokenOptions): Promise<string>;
  /** Runs kubectl, as the administrator where no token is given; its exit status is the caller's to judge. */
  kubectl(
    args: readonly string[],
    options?: { readonly token?: string; readonly input?: string; readonly cwd?: string },
  ): Promise<Finished>;
  /** All writes so far, oldest first. @throws ControlPlaneError unless started with `auditLog`. */
  auditedWrites(): Promise<readonly AuditedWrite[]>;
  /** SIGKILL: as a crash is. */
  killApiServer(): Promise<void>;
  /** Starts it again with the same address, certificate and data. */
  startApiServer(): Promise<void>;
  /** Stops the API server and etcd for a moment to copy the data. @returns the copy, for {@link restore} */
  backUp(): Promise<string>;
  /** Puts all data back to what it was, versions included, as an administrator does after a loss. */
  restore(backup: string): Promise<void>;
  stop(): Promise<void>;
}
