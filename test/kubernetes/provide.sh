#!/usr/bin/env bash
# Installs what a real Kubernetes needs, and builds its programs from Debian's source package: five minutes,
# once. They stay in a cache. Debian has no package of them, and the source package is of version 1.20. Prints
# what it did; ends with 1, and the reason, where that is impossible.
set -euo pipefail

release=bookworm
cache=${XDG_CACHE_HOME:-$HOME/.cache}/control-plane/kubernetes
programs=(kube-apiserver kube-controller-manager kube-scheduler kubelet kubemark)
# A command of each package that the tests start.
commands=(etcd:etcd-server containerd:containerd runc:runc conntrack:conntrack ip:iproute2 iptables:iptables
  kubectl:kubernetes-client busybox:busybox-static)

fail() {
  echo "There is no Kubernetes to test with: $*." >&2
  exit 1
}

# Sends what it prints to a file, and the end of that to standard error if it fails.
quietly() {
  local log
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || { tail -n 5 "$log" >&2; rm -f "$log"; return 1; }
  rm -f "$log"
}

install() {
  DEBIAN_FRONTEND=noninteractive quietly apt-get -o DPkg::Lock::Timeout=300 install -y -qq \
    --no-install-recommends "$@"
}

built() {
  local program
  for program in "${programs[@]}"; do [ -x "$cache/$program" ] || return 1; done
}

install_packages() {
  local command packages=(containernetworking-plugins)
  for command in "${commands[@]}"; do
    command -v "${command%%:*}" >/dev/null || packages+=("${command#*:}")
  done
  [ -d /usr/lib/cni ] && [ "${#packages[@]}" = 1 ] && return
  echo "Installing ${packages[*]} ..."
  quietly apt-get update -qq || true
  install "${packages[@]}" || fail 'its packages cannot be installed'
}

# Make's output is long, and only its end helps.
make_programs() {
  local targets=()
  for program in "${programs[@]}"; do targets+=("cmd/$program"); done
  make WHAT="${targets[*]}"
}

build() {
  local keys=/usr/share/keyrings/debian-archive-keyring.gpg site suite mirror='' work
  while read -r site suite; do
    if [[ $site == */debian && $suite == "$release" ]]; then mirror=$site; fi
  done < <(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages')
  [ -n "$mirror" ] || fail "no mirror of Debian $release is set up here"
  echo 'Building Kubernetes from its source package, which takes some five minutes ...'
  install golang-go rsync jq dpkg-dev make golang-github-modern-go-reflect2-dev || fail 'Go cannot be installed'

  work=$(mktemp -d)
  # shellcheck disable=SC2064 # expanded now
  trap "chmod -R u+w '$work'; rm -rf '$work'" EXIT
  cd "$work"
  mkdir -p lists/partial archives
  echo "deb-src [signed-by=$keys] $mirror $release main" >sources.list
  local private=(-o "Dir::Etc::sourcelist=$PWD/sources.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$PWD/lists" -o "Dir::Cache=$PWD/archives" -o APT::Sandbox::User=root)
  quietly apt-get "${private[@]}" update || fail 'the list of source packages cannot be read'
  quietly apt-get "${private[@]}" source kubernetes || fail 'its source package cannot be read'
  cd kubernetes-1.*

  # With Go 1.18 or newer, the API server of this version crashes at the first patch with its own copy.
  local reflect=vendor/github.com/modern-go/reflect2
  rm -f "$reflect"/*.go "$reflect"/*.s
  cp /usr/share/gocode/src/github.com/modern-go/reflect2/*.{go,s} "$reflect/"
  rm -f "$reflect"/*_test.go

  mkdir -p "$work/home" .go/src/k8s.io
  ln -s ../../.. .go/src/k8s.io/kubernetes
  GOPATH=$PWD/.go GOCACHE=$work/compiled CGO_ENABLED=0 HOME=$work/home quietly make_programs ||
    fail 'its programs cannot be built'
  mkdir -p "$cache"
  local program
  for program in "${programs[@]}"; do
    cp "_output/bin/$program" "$cache/$program.new"
    mv "$cache/$program.new" "$cache/$program"
  done
}

[ "$(id -u)" = 0 ] || fail 'this needs root'
command -v apt-get >/dev/null || fail 'its packages come from Debian'
install_packages
built || build
echo "Kubernetes: $("$cache/kube-apiserver" --version), in $cache"
