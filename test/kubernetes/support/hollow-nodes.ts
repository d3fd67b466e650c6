import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBERNETES_PROGRAMS } from '../../support/components';
import { freePorts } from '../../support/free-ports';
import { eventually } from '../../support/eventually';
import type { Kubernetes } from './kubernetes';

/** How many files and directories one user may watch at once, in how many programs. */
const WATCHERS = '/proc/sys/fs/inotify/max_user_instances';
/** A kubelet has some, and Linux allows 128 as a rule. */
const WATCHERS_OF_ALL = 1_024;
/** A hollow node starts no other program, such as iptables. */
const NO_PROGRAMS = 'PATH=/nonexistent';

/** Nodes whose kubelet, kubemark's, reports that each pod runs and starts none. One takes 110 pods. */
export class HollowNodes {
  constructor(private readonly kubernetes: Kubernetes) {}

  async start(count: number): Promise<void> {
    if (Number(readFileSync(WATCHERS, 'utf8')) < WATCHERS_OF_ALL) writeFileSync(WATCHERS, String(WATCHERS_OF_ALL));
    const ports = await freePorts(2 * count);
    for (let number = 1; number <= count; number++) {
      const name = `hollow-${number}`;
      // It would add chains to the packet filter of this machine, and leave them there.
      this.kubernetes.daemons.launch(
        'env',
        [
          NO_PROGRAMS,
          join(KUBERNETES_PROGRAMS, 'kubemark'),
          '--morph=kubelet',
          `--name=${name}`,
          `--kubeconfig=${this.kubernetes.kubeconfig}`,
          `--kubelet-port=${ports.pop()}`,
          `--kubelet-read-only-port=${ports.pop()}`,
        ],
        name,
      );
    }
    await eventually(async () => {
      const nodes = await this.kubernetes.kubectl('get', 'nodes', '--no-headers');
      const there = nodes.split('\n').filter((line) => line.startsWith('hollow-')).length;
      if (there >= count) return;
      const missing = Array.from({ length: count }, (_none, index) => `hollow-${index + 1}`).find(
        (name) => !nodes.includes(`${name} `),
      );
      const log = this.kubernetes.daemons.endOfLog(missing ?? '');
      throw new Error(`${there} of ${count} hollow nodes are registered. ${missing} says: ${log}`);
    }, 60_000);
  }
}
