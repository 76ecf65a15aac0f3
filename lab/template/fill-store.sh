#!/usr/bin/env bash
# Unpacks image archives into an empty directory by a node template's own containerd.
# usage: fill-store.sh ROOT_FILE_SYSTEM EMPTY_DIRECTORY ARCHIVE...
set -euo pipefail

if [ "${1:-}" != --inside ]; then
  # When this process ends, so does everything it started and mounted.
  exec unshare --mount --pid --fork --kill-child --net bash "$0" --inside "$@"
fi
root=$2 store=$3
shift 3

mount --make-rprivate /
mount --bind "$root" /mnt
mount -o remount,bind,ro /mnt
mount -t proc proc /mnt/proc
mount --rbind /dev /mnt/dev
mount -t tmpfs tmpfs /mnt/run
mount --bind "$store" /mnt/var/lib/containerd
# The archives are read through the same mount, so that no copy of them is made.
mkdir /mnt/run/archives
number=0
for archive in "$@"; do
  number=$((number + 1))
  touch "/mnt/run/archives/$number.tar"
  mount --bind "$archive" "/mnt/run/archives/$number.tar"
done

chroot /mnt bash -euo pipefail -c '
  containerd --log-level warn &
  for _ in $(seq 100); do
    ctr version >/dev/null 2>&1 && break
    sleep 0.2
  done
  images() { ctr --namespace k8s.io images "$@"; }
  for archive in $(ls -v /run/archives/*.tar); do
    images import "$archive"
  done
  for reference in $(images list --quiet); do
    images label "$reference" io.cri-containerd.pinned=pinned
  done
  kill -TERM %1
  wait %1 || true
'
