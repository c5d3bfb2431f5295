#!/bin/sh
# boot-machine.sh FOLDER CGROUP: boots systemd as the first process of a machine of its own, which has nothing but the units in FOLDER:
# etc is its /etc/systemd/system, lib keeps its /var/lib, bin is first in its PATH. It ends when the process is killed.
set -e
folder=$1 cgroup=$2
hierarchy=/sys/fs/cgroup
[ -f "$hierarchy/cgroup.controllers" ] || hierarchy=/sys/fs/cgroup/systemd

# Once in the namespaces, the cgroup looks like the root of them all.
if [ "$3" != inside ]; then
  mkdir "$hierarchy/$cgroup"
  echo $$ >"$hierarchy/$cgroup/cgroup.procs"
  exec unshare --mount --propagation private --cgroup --uts --ipc --pid --fork --mount-proc --kill-child=KILL sh "$0" "$folder" "$cgroup" inside
fi

if [ "$hierarchy" = /sys/fs/cgroup ]; then
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
else
  mount -t tmpfs tmpfs /sys/fs/cgroup
  mkdir /sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
fi
# Beside the folder, which may be in /run, and is seen under this name only.
mount --bind "$folder" /srv
mount -t tmpfs tmpfs /run
mount --bind /srv/lib /var/lib
mount --bind /srv/bin /usr/local/sbin
mount --bind /srv/etc /etc/systemd/system
[ ! -d /srv/cloud ] || mount --bind /srv/cloud /etc/cloud

# No unit of this machine, no generator: the machine has what the folder has.
export container=test SYSTEMD_UNIT_PATH=/etc/systemd/system:/srv/units
exec /lib/systemd/systemd --system --unit=multi-user.target --log-target=console --log-level=info
