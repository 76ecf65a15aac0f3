#!/usr/bin/env bash
# The first process of a node: lays out its file system as a machine's, and becomes its systemd.
# It runs in mount, PID, UTS, IPC, network and cgroup namespaces of the node's own.
# usage: boot-node.sh NODE_DIRECTORY TEMPLATE_ROOT INTERFACE
set -euo pipefail
node=$1 template=$2 interface=$3
root=$node/root

mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$template,upperdir=$node/upper,workdir=$node/work" "$root"
# containerd's own overlays and etcd's log need a real file system below them.
for directory in containerd kubelet etcd; do
  mkdir -p "$root/var/lib/$directory"
  mount --bind "$node/$directory" "$root/var/lib/$directory"
done
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"

cgroups=$root/sys/fs/cgroup
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup2 "$cgroups"
  arguments=()
else
  arguments=(systemd.unified_cgroup_hierarchy=0)
  mount -t tmpfs -o mode=755 tmpfs "$cgroups"
  for hierarchy in /sys/fs/cgroup/*/; do
    name=$(basename "$hierarchy")
    mkdir "$cgroups/$name"
    case $name in
      unified) mount -t cgroup2 cgroup2 "$cgroups/$name" ;;
      systemd) mount -t cgroup -o none,name=systemd cgroup "$cgroups/$name" ;;
      *) mount -t cgroup -o "$name" cgroup "$cgroups/$name" ;;
    esac
  done
fi
# On a virtual machine the firmware says what it is; what this machine's says is covered.
if [ -e "$root/sys/class/dmi/id/product_name" ]; then
  mount --bind "$template/usr/share/vsphere-node/product_name" "$root/sys/class/dmi/id/product_name"
fi
# Without a udevd, networkd takes links as they are only where /sys is read-only, as in a container.
mount -o remount,bind,ro "$root/sys"

mount -t tmpfs -o mode=755,size=64k tmpfs "$root/dev"
mknod -m 666 "$root/dev/null" c 1 3
mknod -m 666 "$root/dev/zero" c 1 5
mknod -m 666 "$root/dev/full" c 1 7
mknod -m 666 "$root/dev/random" c 1 8
mknod -m 666 "$root/dev/urandom" c 1 9
mknod -m 600 "$root/dev/kmsg" c 1 11
mknod -m 666 "$root/dev/tty" c 5 0
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/mqueue"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
# Tells systemd what it runs in. PID 1's variable `container` would tell cloud-init too, which
# then takes the node for no virtual machine.
mkdir "$root/run/host"
echo lab > "$root/run/host/container-manager"
# The virtual machine's own door to its host: on a real one this is the hypervisor's.
mkdir "$root/run/guestinfo"
mount --bind "$node/guestinfo" "$root/run/guestinfo"

# A machine finds its network card there when it starts.
for _ in $(seq 100); do
  [ -e "$root/sys/class/net/$interface" ] && break
  sleep 0.1
done
[ -e "$root/sys/class/net/$interface" ] || { echo "no cable to $interface" >&2; exit 1; }

cd "$root"
pivot_root . .
umount -l .
cd /
mount --make-rshared /
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /sbin/init "${arguments[@]}" </dev/null
