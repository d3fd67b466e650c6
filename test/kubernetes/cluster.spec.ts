import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '../support/components';
import { AgentUnderTest } from '../agent/support/agent';
import { AGENT_IMAGE, Images, PYTHON_IMAGE } from './support/images';
import { Kubernetes } from './support/kubernetes';

describeWith(['Kubernetes', 'CRIU'], 'the Kubernetes of the tests', () => {
  let kubernetes: Kubernetes;
  let agent: AgentUnderTest;
  let images: string;
  let chains: string[];

  /** Chains of kubelets in the packet filter of this machine. */
  const kubernetesChains = (): string[] =>
    execFileSync('iptables-save', { encoding: 'utf8' }).match(/^:KUBE-\S+/gm) ?? [];

  beforeAll(async () => {
    chains = kubernetesChains();
    agent = new AgentUnderTest();
    images = mkdtempSync(join(tmpdir(), 'images-'));
    const made = new Images(images);
    const archives = [made.pause(), made.python([]), made.agent(join(agent.root, 'dist'))];
    kubernetes = await Kubernetes.start({ nodes: 2, images: archives, hollowNodes: 1 });
  });
  afterAll(async () => {
    await kubernetes?.stop();
    agent?.remove();
    if (images) rmSync(images, { recursive: true });
  });

  it('runs a pod whose init container brings the agent and CRIU', async () => {
    await kubernetes.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'check', namespace: 'default' },
      spec: {
        hostNetwork: true,
        nodeName: 'real-2',
        volumes: [{ name: 'ccp', emptyDir: {} }],
        initContainers: [
          {
            name: 'agent',
            image: AGENT_IMAGE,
            imagePullPolicy: 'Never',
            command: ['/ccp/install', '/shared'],
            volumeMounts: [{ name: 'ccp', mountPath: '/shared' }],
          },
        ],
        containers: [
          {
            name: 'main',
            image: PYTHON_IMAGE,
            imagePullPolicy: 'Never',
            command: ['sleep', '1000'],
            securityContext: { privileged: true },
            volumeMounts: [{ name: 'ccp', mountPath: '/opt/ccp' }],
          },
        ],
      },
    });
    await kubernetes.running('check');
    const said = await kubernetes.kubectl('exec', 'check', '--', '/opt/ccp/bin/criu', 'check');
    expect(said).toContain('Looks good');
    expect(await kubernetes.kubectl('exec', 'check', '--', '/opt/ccp/bin/ccp-agent', '--version')).toMatch(/^\d/);
    expect(await kubernetes.kubectl('exec', 'check', '--', 'python3', '-c', 'print(6 * 7)')).toBe('42\n');
  });

  it('leaves the packet filter of this machine as it is', () => expect(kubernetesChains()).toEqual(chains));
});
