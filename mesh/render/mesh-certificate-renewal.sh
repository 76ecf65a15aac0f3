#!/bin/bash
# Renews kubeadm's certificates when one of them has less than a third of its lifetime left.
set -euo pipefail

# shellcheck source=/dev/null
source /etc/mesh/bootstrap.env

MANIFESTS=/etc/kubernetes/manifests
PARKED=/etc/kubernetes/mesh-parked-manifests

# Beside /etc/kubernetes/manifests, so that a run that was cut short is repaired by the next one.
return_manifests() {
  [[ -d $PARKED ]] || return 0
  find "$PARKED" -name '*.yaml' -exec mv -t "$MANIFESTS" {} +
  rmdir "$PARKED"
}

shortest_seconds() {
  kubeadm certs check-expiration -o json | python3 -c '
import json, sys
certificates = json.load(sys.stdin)["certificates"]
print(min(each["residualTime"] for each in certificates if not each["missing"]))'
}

# The control plane reads its certificates only when it starts.
restart_control_plane() {
  install -d -m 0700 "$PARKED"
  local manifest
  for manifest in etcd kube-apiserver kube-controller-manager kube-scheduler; do
    mv "$MANIFESTS/$manifest.yaml" "$PARKED/"
  done
  sleep 30 # the kubelet looks every 20 seconds
  return_manifests
}

trap return_manifests EXIT
return_manifests
seconds=$(shortest_seconds)
if ((seconds >= MESH_CERTIFICATE_DAYS * 86400 / 3)); then
  echo "$((seconds / 86400)) days left: nothing to renew"
  exit 0
fi
kubeadm certs renew all
restart_control_plane
echo "renewed for $MESH_CERTIFICATE_DAYS days"
