#!/bin/sh
# Usage: remove-sources.sh DIRECTORY...
# Removes what a running program never reads: TypeScript (declarations too), source maps, tests and pages of
# packages. Licences stay. npm's own record of what is installed goes: the list of components is sbom.json.
set -eu
find "$@" -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.tsx' -o -name '*.map' -o -name '*.tsbuildinfo' \
  -o -iname 'README*' -o -iname 'CHANGELOG*' -o -iname 'HISTORY.md' -o -name '.package-lock.json' \) -delete
find "$@" -type d -path '*/node_modules/.bin' -prune -exec rm -rf {} +
find "$@" -depth -type d -empty -delete
