#!/bin/bash
# Makes this machine a node of its cluster, once, however often it is interrupted.
#
# What to become stands in bootstrap.env and kubeadm.yaml. Each stage and the last error go to
# guestinfo.mesh.status, where the one who waits for the cluster reads them through vCenter.
set -euo pipefail

# shellcheck source=/dev/null
source /etc/mesh/bootstrap.env

LOG=/var/log/mesh/bootstrap.log
KUBEADM_LOG=/var/log/mesh/kubeadm.log
STARTED=/var/lib/mesh/kubeadm.started
DONE=/var/lib/mesh/bootstrap.done
SOCKET=/run/containerd/containerd.sock
API_SERVER_WAIT_SECONDS=1200
UNUSABLE_TEMPLATE=78 # the unit does not try again: nothing would be different

STAGE=prepare
FAILED=

status_text() {
  tr '\n\t' '  ' <<<"$1" | LC_ALL=C tr -cd '\40-\176' | sed 's/[\\"]/\\&/g; s/ *$//'
}

report() { # state [error, or what a running stage waits for]
  local words status command
  words=$(status_text "${2:0:1000}")
  status=$(printf '{"stage":"%s","state":"%s","error":"%s","log":"%s","time":"%s"}' \
    "$STAGE" "$1" "$words" "$LOG" "$(date --utc +%Y-%m-%dT%H:%M:%SZ)")
  echo "$STAGE $1${words:+: $words}"
  command="info-set guestinfo.mesh.status $status"
  if command -v vmware-rpctool >/dev/null; then
    timeout 10 vmware-rpctool "$command" >/dev/null || echo "vmware-rpctool takes no status"
  elif command -v vmtoolsd >/dev/null; then
    timeout 10 vmtoolsd --cmd "$command" >/dev/null || echo "vmtoolsd takes no status"
  else
    echo "open-vm-tools is missing: nobody sees this status in vCenter"
  fi
}

fail() { # error [exit status]
  FAILED=yes
  report failed "$1"
  exit "${2:-1}"
}

at_exit() { # exit status, the command that ended
  if [[ $1 -ne 0 && -z $FAILED ]]; then
    report failed "stopped with exit status $1 at: $2"
  fi
}

enter() { # stage
  STAGE=$1
  report running ""
}

unusable() { # what is wrong
  fail "template $MESH_TEMPLATE $1" "$UNUSABLE_TEMPLATE"
}

check_version() { # program, the version it says
  local wanted=v$MESH_KUBERNETES_VERSION
  if [[ $2 != "$wanted" ]]; then
    unusable "carries $1 $2, the stack wants $wanted: name a template with $wanted in\
 vsphere.template, or set versions.kubernetes to ${2#v}"
  fi
}

check_template() {
  local program kubeadm_version kubelet_version
  for program in containerd kubeadm kubelet python3; do
    command -v "$program" >/dev/null ||
      unusable "has no $program: it must bring containerd, kubeadm, kubelet and python3"
  done
  kubeadm_version=$(kubeadm version -o short)
  kubelet_version=$(kubelet --version)
  check_version kubeadm "$kubeadm_version"
  check_version kubelet "${kubelet_version#Kubernetes }"
}

prepare_kernel() {
  local module
  # A kernel that has these built in has no such module; kubeadm's checks see the difference.
  for module in overlay br_netfilter; do
    modprobe "$module" || echo "no kernel module $module"
  done
  sysctl -q -p /etc/sysctl.d/99-mesh.conf
  mountpoint -q /sys/fs/bpf || mount -t bpf bpf /sys/fs/bpf
  swapoff -a || echo "swap stays on"
  systemctl mask swap.target || echo "swap may come back after a reset"
}

start_time_service() {
  local service
  [[ -e /etc/systemd/timesyncd.conf.d/mesh.conf ]] || return 0
  for service in chrony chronyd systemd-timesyncd; do
    if systemctl cat "$service.service" >/dev/null 2>&1; then
      # It may have started before cloud-init wrote its servers.
      systemctl enable "$service.service" && systemctl restart "$service.service" && return 0
    fi
  done
  echo "neither chrony nor systemd-timesyncd keeps this node's time"
}

start_containerd() {
  systemctl enable --now containerd.service || fail "containerd does not start"
  local attempt
  for attempt in {1..60}; do
    [[ -S $SOCKET ]] && return 0
    ((attempt % 10)) || report running "waiting for $SOCKET"
    sleep 2
  done
  fail "containerd shows no $SOCKET in two minutes: see journalctl -u containerd"
}

kubeadm_error() {
  local lines
  lines=$(grep -E '^error|^\s*\[ERROR ' "$KUBEADM_LOG" | tail -n 6) || lines=
  echo "${lines:-$(tail -n 3 "$KUBEADM_LOG")}"
}

run_kubeadm() { # arguments
  if ! kubeadm "$@" 2>&1 | tee "$KUBEADM_LOG"; then
    fail "kubeadm $1: $(kubeadm_error)"
  fi
}

clear_unfinished() {
  [[ -e $STARTED ]] || return 0
  echo "the last attempt was cut short: starting again from a clean node"
  run_kubeadm reset --force --cri-socket "unix://$SOCKET"
}

place_authorities() {
  install -d -m 0755 /etc/kubernetes
  install -d -m 0700 /etc/kubernetes/pki
  cp -a /etc/mesh/pki/. /etc/kubernetes/pki/
}

api_server_state() {
  # Only whether it answers: kubeadm checks who answers against the hash of the authority.
  python3 - "https://$MESH_API_SERVER/healthz" <<'PYTHON' 2>&1 || true
import ssl, sys, urllib.error, urllib.request
unverified = ssl._create_unverified_context()
try:
    with urllib.request.urlopen(sys.argv[1], timeout=5, context=unverified) as answer:
        print(answer.read(80).decode())
except urllib.error.HTTPError as error:
    print(f"HTTP {error.code}")
except OSError as error:
    print(getattr(error, "reason", error))
PYTHON
}

wait_for_api_server() {
  local state last='' end=$((SECONDS + API_SERVER_WAIT_SECONDS))
  while state=$(api_server_state) && [[ $state != ok ]]; do
    if ((SECONDS >= end)); then
      fail "https://$MESH_API_SERVER did not answer in $((API_SERVER_WAIT_SECONDS / 60))\
 minutes, last: $state"
    fi
    [[ $state == "$last" ]] || report running "waiting for https://$MESH_API_SERVER: $state"
    last=$state
    sleep 5
  done
}

become_control_plane() {
  enter kubeadm-init
  clear_unfinished
  place_authorities
  touch "$STARTED"
  run_kubeadm init --config /etc/mesh/kubeadm.yaml --skip-token-print
}

become_worker() {
  enter kubeadm-join
  clear_unfinished
  wait_for_api_server
  report running "" # what was waited for is here
  touch "$STARTED"
  run_kubeadm join --config /etc/mesh/kubeadm.yaml
}

finish() {
  touch "$DONE"
  rm -f "$STARTED"
  sync
  STAGE="done"
  report "done" ""
}

main() {
  install -d -m 0750 /var/log/mesh /var/lib/mesh
  exec > >(tee -a "$LOG") 2>&1
  trap 'at_exit $? "$BASH_COMMAND"' EXIT
  if [[ -e $DONE ]]; then
    STAGE="done"
    report "done" "" # vSphere forgets what a guest said when the VM is powered off
    return
  fi
  enter prepare
  check_template
  prepare_kernel
  start_time_service
  enter containerd
  start_containerd
  systemctl enable kubelet.service
  if [[ $MESH_ROLE == control-plane ]]; then
    become_control_plane
  else
    become_worker
  fi
  finish
}

main
