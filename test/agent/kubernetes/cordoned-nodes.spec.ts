import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { Access } from '../../../src/agent/controllers/kubernetes/cluster/access';
import { ClusterClient } from '../../../src/agent/controllers/kubernetes/cluster/cluster-client';
import { CordonedNodes } from '../../../src/agent/controllers/kubernetes/cordoned-nodes';
import { KubernetesCluster } from '../../../src/agent/controllers/kubernetes/kubernetes-cluster';
import { eventually } from '../../support/eventually';
import { StubApiServer } from './stub-api-server';

const END = '2026-11-23T12:00:00.000Z';
const MINUTE_MS = 60_000;

describe('The nodes that the controller has cordoned', () => {
  let api: StubApiServer;
  let directory: string;
  let stop: AbortController;
  let running: Promise<unknown>[];
  let nodes: CordonedNodes;
  let cluster: KubernetesCluster;
  let ahead: number;
  let lines: string[];
  let warnings: string[];

  beforeEach(async () => {
    const now = performance.now.bind(performance);
    [ahead, running, lines, warnings] = [0, [], [], []];
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    api = await StubApiServer.start();
    directory = mkdtempSync(join(tmpdir(), 'cordoned-'));
    writeFileSync(join(directory, 'kubeconfig'), JSON.stringify(api.kubeconfig));
    stop = new AbortController();
    const { signal } = stop;
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
    const client = new ClusterClient(Access.load({ kubeconfig: join(directory, 'kubeconfig') }), signal);
    cluster = new KubernetesCluster(client, { namespaces: undefined, signal, log });
    nodes = new CordonedNodes({ cluster, signal, log, say: (line) => void lines.push(line), lookEveryMs: 10 });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    stop.abort(new Error('stopped'));
    await Promise.allSettled(running);
    await api.stop();
    rmSync(directory, { recursive: true });
  });

  const run = async () => {
    running.push(cluster.run().catch(() => undefined));
    await cluster.ready();
    running.push(nodes.run());
  };
  const node = (timeAdded?: string) =>
    api.put('nodes', {
      metadata: { name: 'n1', annotations: { 'ccp-agent/cordoned-until': END } },
      spec: {
        unschedulable: true,
        ...(timeAdded !== undefined && { taints: [{ key: 'node.kubernetes.io/unschedulable', timeAdded }] }),
      },
    });
  const found = () => api.get('nodes', 'n1')!;
  const isMarked = () => 'ccp-agent/cordoned-until' in (found().metadata.annotations as object);
  const isCordoned = () => (found().spec as { unschedulable: boolean }).unschedulable;

  it.each([
    ['before its end', 'are not any more', '2026-11-23T11:00:00Z', false],
    ['at a time that nobody knows', 'are not any more', undefined, false],
    ['after its end, by somebody else', 'stay so', '2026-11-23T12:00:01Z', true],
  ])('lose their mark after the window, and if they were cordoned %s, %s', async (_when, _then, timeAdded, stays) => {
    node(timeAdded);
    await run();
    const words = stays ? 'n1 stays cordoned: somebody else' : 'Uncordoned the node n1';
    await eventually(() => expect(lines.join()).toContain(words));
    expect(isMarked()).toBe(false);
    expect(isCordoned()).toBe(stays);
  });

  describe('for a window that begins when another one ends', () => {
    const LATER = '2099-01-01T00:00:00.000Z';
    const extend = () =>
      api.put('nodes', {
        metadata: { ...found().metadata, annotations: { 'ccp-agent/cordoned-until': LATER } },
        spec: { unschedulable: true },
      });
    const isLeft = () => {
      expect(found().metadata.annotations).toEqual({ 'ccp-agent/cordoned-until': LATER });
      expect(isCordoned()).toBe(true);
      expect(lines).toEqual([]);
    };

    it('stay cordoned if the watch does not show that yet', async () => {
      const before = node();
      extend();
      await run();
      jest.spyOn(cluster.nodes, 'get').mockReturnValue(before);
      const reads = jest.spyOn(cluster.client, 'get');
      await eventually(() => expect(reads.mock.calls.length).toBeGreaterThan(2));
      isLeft();
    });

    it('stay cordoned if that happens before they are uncordoned', async () => {
      node();
      const get = cluster.client.get.bind(cluster.client);
      jest.spyOn(cluster.client, 'get').mockImplementationOnce(async (...asked) => {
        const read = await get(...asked);
        extend();
        return read;
      });
      await run();
      await eventually(() => expect(api.count('patch nodes')).toBe(1));
      await eventually(() =>
        expect(cluster.nodes.get('n1')?.metadata?.annotations).toHaveProperty('ccp-agent/cordoned-until', LATER),
      );
      isLeft();
      expect(warnings).toEqual([]);
    });
  });

  it('are left to whoever has cordoned them since, also by the next window', async () => {
    const before = node('2026-11-23T12:00:01Z');
    await nodes.cordon('n1', '2099-01-01T00:00:00.000Z');
    expect(found()).toEqual(before);
  });

  it('stay cordoned for a minute at least, so that their taint is older than the end', async () => {
    api.put('nodes', { metadata: { name: 'n1' } });
    await nodes.cordon('n1', END);
    const { 'ccp-agent/cordoned-until': end } = found().metadata.annotations as Record<string, string>;
    expect(Date.parse(end!) - Date.now()).toBeGreaterThan(MINUTE_MS / 2);
    expect(Date.parse(end!) - Date.now()).toBeLessThan(2 * MINUTE_MS);
  });

  it('are tried again after ten minutes if this agent may not uncordon them, and named once', async () => {
    node();
    api.denied.add('patch nodes');
    const all = jest.spyOn(cluster.nodes, 'all');
    /** One look at least has begun and ended. */
    const looked = async () => {
      const { length } = all.mock.calls;
      await eventually(() => expect(all.mock.calls.length).toBeGreaterThan(length + 1));
    };
    await run();
    await looked();
    const patches: number[] = [];
    for (const minutes of [0, 9, 2, 9, 2]) {
      ahead += minutes * MINUTE_MS;
      await looked();
      patches.push(api.count('patch nodes'));
    }
    expect(patches).toEqual([1, 1, 2, 2, 3]);
    expect(lines.filter((line) => line.includes('stays cordoned'))).toHaveLength(1);
    expect(warnings).toHaveLength(1);
    api.denied.clear();
    ahead += 11 * MINUTE_MS;
    await eventually(() => expect(isCordoned()).toBe(false));
  });
});
