#!/bin/sh
# The agent in an image that has neither it nor Node. gather-kit.sh writes where the kit is.
kit=/opt/ccp
PATH=$kit/tools:${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}:$kit/fallback
export PATH
# Options for Node in a container are those of its workload, to which the agent gives them back.
if [ -n "${NODE_OPTIONS:-}" ]; then
  export CCP_WORKLOAD_NODE_OPTIONS="$NODE_OPTIONS"
  unset NODE_OPTIONS
fi
exec $kit/bin/node --max-semi-space-size=1 $kit/app/dist/agent/main.js "$@"
