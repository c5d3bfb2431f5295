#!/bin/sh
# end.sh CGROUP PID_OF_UNSHARE: waits until its input closes, which it does however the one who opened it ends; then ends the node and
# removes its cgroups. Says what is left, if anything is.
trap '' INT TERM HUP
cgroup=$1 unshare=$2
cat >/dev/null

# Another process may have the number by now.
is_running() { cat "/proc/$unshare/cmdline" 2>/dev/null | tr '\0' ' ' | grep -q -- "$cgroup"; }
! is_running || kill -KILL "$unshare"

find_cgroups() { find /sys/fs/cgroup -maxdepth 2 -type d -name "$cgroup"; }
processes() { find_cgroups | while read -r folder; do find "$folder" -name cgroup.procs -exec cat {} +; done | sort -u; }

tries=200
while [ "$tries" -gt 0 ] && { is_running || [ -n "$(find_cgroups)" ]; }; do
  is_running || find_cgroups | while read -r folder; do find "$folder" -depth -type d -exec rmdir {} + 2>/dev/null; done
  sleep 0.05
  tries=$((tries - 1))
done
left=$(find_cgroups)
[ -z "$left" ] || { echo "real node: left behind: cgroups $left with processes $(processes | tr '\n' ' ')" >&2; exit 1; }
