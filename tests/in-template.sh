#!/bin/sh
# Runs the node template's own cloud-init on files of this machine's /tmp.
set -eu
export IN_TEMPLATE_ROOT="${TEMPLATE_ROOT:?}"
# shellcheck disable=SC2016 # the inner shell expands these
exec unshare --mount --fork sh -c '
  mount --make-rprivate / && mount --bind /tmp "$IN_TEMPLATE_ROOT/tmp" &&
  exec chroot "$IN_TEMPLATE_ROOT" cloud-init "$@"' in-template "$@"
