#!/bin/sh
# Usage: build-criu.sh FILE
# Builds CRIU from the source package of Debian's unstable suite. The system's own packages stay those of its
# suite.
set -eu
file=$1
keys=/usr/share/keyrings/debian-archive-keyring.gpg
work=$(mktemp -d)
cd "$work"

export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends ca-certificates dpkg-dev gcc libc6-dev make pkgconf patchelf \
  libbsd-dev libcap-dev libgnutls28-dev libnet1-dev libnl-3-dev libnl-route-3-dev libnftables-dev \
  libprotobuf-c-dev libprotobuf-dev protobuf-c-compiler protobuf-compiler uuid-dev iproute2 util-linux >/dev/null

# The mirror from which this system gets its own packages.
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep '/debian$' | head -n 1)
mkdir -p lists/partial archives
echo "deb-src [signed-by=$keys] $mirror sid main" >sources.list
# A mirror may be some weeks behind. Signatures are checked all the same.
private() {
  apt-get -o Acquire::Check-Valid-Until=false -o "Dir::Etc::sourcelist=$work/sources.list" \
    -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/archives" -o APT::Sandbox::User=root "$@"
}
private -qq update
private -qq source --tar-only criu
tar xf criu_*.orig.tar.*
# Its build writes thousands of lines; only a failure's are of use.
make -C criu-4* -j"$(nproc)" criu >build.log 2>&1 || { tail -n 30 build.log >&2; exit 1; }
install -m 755 -s criu-4*/criu/criu "$file"
cd /
rm -rf "$work"
"$file" --version
