#!/bin/sh
# Usage: gather-kit.sh DIRECTORY
# Gathers Node, CRIU and the programs that the agent starts, so that they run in any image, also one with
# another C library or without a shell: each program names the loader and the libraries of this directory by
# absolute paths. The directory must therefore be mounted at the same path. Beside it, /image gets the few
# files that make the directory alone an image.
set -eu
kit=$1
mkdir -p "$kit/bin" "$kit/tools" "$kit/fallback" "$kit/lib" "$kit/app"

# A program by its real file, with its libraries.
add() {
  program=$(readlink -f "$(command -v "$2")")
  install -m 755 "$program" "$kit/$1/$2"
  ldd "$program" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | while read -r library; do
    [ -e "$kit/lib/$(basename "$library")" ] || install -m 644 "$library" "$kit/lib/"
  done
  patchelf --set-interpreter "$kit/lib/$loader" --set-rpath "$kit/lib" "$kit/$1/$2"
}

loader=$(basename "$(patchelf --print-interpreter "$(command -v setpriv)")")
install -m 755 "$(readlink -f "$(patchelf --print-interpreter "$(command -v setpriv)")")" "$kit/lib/$loader"
add bin node
# Before those of the workload's image: busybox has others with the same names and fewer options.
for program in criu flock mount nsenter setpriv setsid ss unshare; do add tools "$program"; done
# Behind those of the workload's image, which may have none.
for program in cat cp rm sh sleep; do add fallback "$program"; done
# Libraries find each other here, and not in the workload's image.
for library in "$kit"/lib/*.so*; do
  [ "$(basename "$library")" = "$loader" ] || patchelf --set-rpath "$kit/lib" "$library"
done
for script in ccp-agent install; do
  install -m 755 "/$script.sh" "$kit/bin/$script"
  sed -i "1s|.*|#!$kit/fallback/sh|; s|^kit=.*|kit=$kit|" "$kit/bin/$script"
done

mkdir -p /image/etc /image/tmp
chmod 1777 /image/tmp
echo 'agent:x:1000:1000::/tmp:/sbin/nologin' >/image/etc/passwd
echo 'hosts: files dns' >/image/etc/nsswitch.conf
