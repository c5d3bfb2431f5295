#!/bin/sh
# Process 1 of the node's namespaces: init.sh CGROUP PACKAGES COMMAND... makes them a machine of their own, runs the command, and ends
# with it; whatever runs then is killed by the kernel, and mounts and network go with the namespaces.
set -e
cgroup=$1 packages=$2
shift 2
trap 'test -z "$step" || echo "real node: cannot $step" >&2' EXIT

step='mount file systems of its own'
mount --make-rprivate /
mkdir -p /run /var/lib /var/log /dev/shm
for folder in /run /var/lib /var/log /dev/shm; do mount -t tmpfs tmpfs "$folder"; done
mkdir -p /run/tmp /run/cgroups /run/sysctls /var/lib/kubelet

step='show its own network and the cgroups in /sys'
mount --rbind /sys/fs/cgroup /run/cgroups
mount -t sysfs sysfs /sys
mount --rbind /run/cgroups /sys/fs/cgroup
umount -l /run/cgroups

# The kubelet and runc write these for the whole machine: here they write plain files.
step='keep the sysctls of the machine'
for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  file=/run/sysctls/$(echo "$name" | tr / .)
  cat "/proc/sys/$name" >"$file"
  mount --bind "$file" "/proc/sys/$name"
done
mount --make-rshared /

# Nothing leads out. The API server's service has its address on the loopback interface, so that pods need no kube-proxy.
step='set up its network'
ip="$packages/bin/busybox ip"
$ip link set lo up
$ip addr add 10.0.0.1/32 dev lo
$ip link add cni0 address 02:00:0a:58:00:01 type bridge
$ip addr add 10.88.0.1/16 dev cni0
$ip link set cni0 up
echo 1 >/proc/sys/net/ipv4/ip_forward

step='make its cgroup'
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir -p "/sys/fs/cgroup/$cgroup"
else
  for hierarchy in /sys/fs/cgroup/*/; do
    [ ! -f "${hierarchy}tasks" ] || mkdir -p "$hierarchy$cgroup"
  done
fi
step=
export TMPDIR=/run/tmp
"$@"
