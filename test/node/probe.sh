#!/bin/sh
# Whether a container can be run here: on an overlay, in a cgroup of the node's with a limit.
set -e
mkdir -p /run/probe/files/bin /run/probe/upper /run/probe/work /run/probe/rootfs
cd /run/probe
cp "$REAL_NODE_TOOLS/bin/busybox" files/bin
mount -t overlay overlay -o lowerdir=files,upperdir=upper,workdir=work rootfs
runc spec
sed -i "s|\"terminal\": true|\"terminal\": false|; s|\"sh\"|\"/bin/busybox\", \"true\"|
  s|\"linux\": {|\"linux\": { \"cgroupsPath\": \"/$REAL_NODE_CGROUP/probe\",|
  s|\"resources\": {|\"resources\": { \"memory\": { \"limit\": 67108864 },|" config.json
runc run probe
