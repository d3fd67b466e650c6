import { freePorts } from '../../support/free-ports';
import { eventually } from '../../support/eventually';
import type { Kubernetes } from './kubernetes';

/** Nodes whose kubelet, kubemark's, reports that each pod runs and starts none. One takes 110 pods. */
export class HollowNodes {
  constructor(private readonly kubernetes: Kubernetes) {}

  async start(count: number): Promise<void> {
    const ports = await freePorts(2 * count);
    for (let number = 1; number <= count; number++) {
      const name = `hollow-${number}`;
      this.kubernetes.launch(
        'kubemark',
        [
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
      if (there < count) throw new Error(`${there} of ${count} hollow nodes are registered`);
    }, 60_000);
  }
}
