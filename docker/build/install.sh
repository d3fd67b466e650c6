#!/bin/sh
# Usage: install DIRECTORY
# Copies the kit into a volume, which the workload's container mounts at the path of the kit. gather-kit.sh
# writes where the kit is.
kit=/opt/ccp
[ $# = 1 ] || { echo 'usage: install DIRECTORY'; exit 2; }
exec $kit/fallback/cp -r $kit/. "$1"
