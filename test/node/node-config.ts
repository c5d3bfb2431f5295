/** Addresses that test/node/init.sh gives the node. */
export const serviceAddress = '10.0.0.1';
const nodeAddress = '10.88.0.1';

export const nodeName = 'real-node';
export const containerdSocket = '/run/containerd/containerd.sock';

/** Where runc keeps what a node has on disk: all of it in memory, and gone with the node. */
export const nodeFolder = '/run/real-node';

export const pauseImage = 'docker.io/library/pause:local';

/** Of containerd 1.6, in TOML. */
export function describeContainerd(tools: string): string {
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
[grpc]
  address = "${containerdSocket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  # Without CAP_SYS_RESOURCE a lower oom_score_adj than our own cannot be set, and runc dies of it.
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = "${tools}/usr/sbin/runc"
      SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${tools}/usr/lib/cni"
    conf_dir = "${nodeFolder}/cni"
`;
}

/** A bridge without masquerading: nothing leads out. */
export const cniConfig = {
  cniVersion: '1.0.0',
  name: 'real-node',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      ipMasq: false,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        dataDir: '/run/cni',
        ranges: [[{ subnet: '10.88.0.0/16', rangeStart: '10.88.0.10', gateway: nodeAddress }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
};

export function describeKubelet(cgroup: string, statusPeriodSeconds: number): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${containerdSocket}`,
    address: nodeAddress,
    // Only processes in the node's own network namespace get there.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}`,
    // Kubernetes 1.36 refuses version 1 unless told.
    failCgroupV1: false,
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    resolvConf: '',
    volumePluginDir: '/var/lib/kubelet/volumeplugins',
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: {
      'memory.available': '50Mi',
      'nodefs.available': '0%',
      'imagefs.available': '0%',
      'nodefs.inodesFree': '0%',
    },
    nodeStatusUpdateFrequency: `${statusPeriodSeconds}s`,
  };
}

export function kubeletArguments(config: string, kubeconfig: string): readonly string[] {
  return [
    `--config=${config}`,
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${nodeName}`,
    `--node-ip=${nodeAddress}`,
    '--node-labels=nvidia.com/gpu.present=true',
    '--cert-dir=/run/kubelet-pki',
    '--v=2',
  ];
}
