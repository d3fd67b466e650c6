import type { ClusterContext } from '../common/cluster-context';
import type { KubeObject } from './cluster/resources';
import type { Change } from './cluster/watched';
import type { KubernetesCluster } from './kubernetes-cluster';
import { KubernetesInventory } from './kubernetes-inventory';

type Synced = {
  readonly type: string;
  readonly metadata: { readonly name: string; deletionTimestamp?: string; resourceVersion?: string };
};

/** Objects of one kind, without an API server. */
class Objects {
  private readonly objects = new Map<string, KubeObject>();
  private listener: (change: Change<KubeObject>) => void = () => {};
  private version = 0;

  onChange(listener: (change: Change<KubeObject>) => void): void {
    this.listener = listener;
  }
  all(): IterableIterator<KubeObject> {
    return this.objects.values();
  }
  get(name: string): KubeObject | undefined {
    return this.objects.get(name);
  }
  put(name: string, members: object = {}): void {
    const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(++this.version) };
    const object = { metadata, ...members };
    this.objects.set(name, object);
    this.listener({ type: 'set', object });
  }
  /** As a list shows it after a restore of etcd. */
  putBack(name: string): void {
    this.version = 0;
    const object = { ...this.objects.get(name), metadata: { name, uid: `uid-${name}`, resourceVersion: '0' } };
    this.objects.set(name, object);
    this.listener({ type: 'set', object, isEarlier: true });
  }
  remove(name: string): void {
    const object = this.objects.get(name)!;
    this.objects.delete(name);
    this.listener({ type: 'gone', object });
  }
}

describe('the inventory of a Kubernetes cluster', () => {
  let nodes: Objects;
  let pods: Objects;
  let inventory: KubernetesInventory;
  let synced: Synced[][];
  let knownPods: object[];
  let knownNodes: Set<string>;
  let onSync: () => void;

  beforeEach(() => {
    [nodes, pods, synced, knownPods, onSync] = [new Objects(), new Objects(), [], [], () => {}];
    knownNodes = new Set();
    /** As the service answers: lists are empty after a long silence; pods of unknown nodes are refused. */
    const answer = (
      operation: string,
      body: { resources: (Synced & { spec?: { nodeName?: string } })[] },
      silent: boolean | undefined,
    ): unknown => {
      if (operation === 'list_pods_paginated') return { pods: silent ? knownPods : [] };
      if (operation === 'list_jobs_paginated') return { jobs: [] };
      if (operation === 'list_nodes') return [];
      synced.push(body.resources);
      onSync();
      for (const { type, metadata } of body.resources) if (type === 'Node') knownNodes.add(metadata.name);
      const refused = ({ type, spec }: (typeof body.resources)[number]) =>
        type === 'Pod' && spec?.nodeName !== undefined && !knownNodes.has(spec.nodeName);
      return {
        failed: body.resources.flatMap((one, index) => (refused(one) ? [{ index, message: 'unknown node' }] : [])),
      };
    };
    const send = (operation: string, step: (api: object) => Promise<unknown>): Promise<unknown> => {
      const ask = (_path: string, { body, params }: { body: never; params: { query?: { silent?: boolean } } }) =>
        Promise.resolve(answer(operation, body, params.query?.silent));
      return step({ GET: ask, POST: ask });
    };
    const context = { service: { send }, log: { error: () => {} } } as unknown as ClusterContext;
    const cluster = {
      ...{ nodes, jobs: new Objects(), pods, isCurrent: true },
      ready: () => Promise.resolve(),
      serves: () => true,
    } as unknown as KubernetesCluster;
    inventory = new KubernetesInventory(context, cluster);
  });

  const names = (batch: Synced[] | undefined) => batch?.map(({ type, metadata: { name } }) => `${type} ${name}`);

  it('reports a pod that goes while those are reported that went before the start', async () => {
    pods.put('stays');
    pods.put('goes');
    knownPods = ['stays', 'goes', 'went'].map((name) => ({ uid: `uid-${name}`, name, namespace: 'default', id: name }));
    onSync = () => {
      onSync = () => {};
      pods.remove('goes');
    };
    await inventory.report('c', true);
    await inventory.report('c', false);
    expect(names(synced[0])).toEqual(['Pod went']);
    const reported = synced.slice(1).flat();
    expect(names(reported)).toEqual(expect.arrayContaining(['Pod stays', 'Pod goes']));
    const last = reported.findLast(({ metadata: { name } }) => name === 'goes');
    expect(last?.metadata.deletionTimestamp).toEqual(expect.any(String));
  });

  it('sends pods that wait for their node again when a new node is known, not at each change of one', async () => {
    nodes.put('n1');
    pods.put('a', { spec: { nodeName: 'n2' } });
    await inventory.report('c', false);
    expect(names(synced.at(-1))).toEqual(['Node n1', 'Pod a']);
    nodes.put('n1');
    await inventory.report('c', false);
    await inventory.report('c', false);
    expect(names(synced.at(-1))).toEqual(['Node n1']);
    nodes.put('n2');
    await inventory.report('c', false);
    await inventory.report('c', false);
    expect(synced.slice(-2).map(names)).toEqual([['Node n2'], ['Pod a']]);
  });

  it('reports an object of an earlier state once without its version', async () => {
    const versions = () => synced.at(-1)?.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]);
    nodes.put('n1');
    await inventory.report('c', false);
    // A new process does not know which version was reported last.
    expect(versions()).toEqual([['n1', undefined]]);
    nodes.put('n1');
    await inventory.report('c', false);
    expect(versions()).toEqual([['n1', '2']]);
    // It changes again while it is reported.
    onSync = () => {
      onSync = () => {};
      nodes.put('n1');
    };
    nodes.putBack('n1');
    await inventory.report('c', false);
    expect(versions()).toEqual([['n1', undefined]]);
    await inventory.report('c', false);
    expect(versions()).toEqual([['n1', '1']]);
  });

  it('reports what the service has in no later version with its version at the start, and all else without', async () => {
    const names = ['same', 'earlier', 'later', 'unversioned', 'older-service', 'recreated', 'new'];
    for (const name of names) pods.put(name);
    const known = {
      same: '1',
      earlier: '1',
      later: '12',
      unversioned: null,
      'older-service': undefined,
      recreated: '1',
    };
    knownPods = Object.entries(known).map(([name, resource_version]) => ({
      ...{ id: name, name, namespace: 'default', resource_version },
      uid: name === 'recreated' ? 'another' : `uid-${name}`,
    }));
    await inventory.report('c', false);
    const reported = synced.at(-1)!.map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]);
    expect(Object.fromEntries(reported)).toEqual({ same: '1', earlier: '2', unversioned: '4' });
    expect(reported.map(([name]) => name)).toEqual(names);
  });

  it('reports it without its version also if it changes before, or a report of the lost state is under way', async () => {
    nodes.put('n1');
    onSync = () => {
      onSync = () => {};
      nodes.putBack('n1');
    };
    await inventory.report('c', false);
    nodes.put('n1');
    await inventory.report('c', false);
    expect(synced.at(-1)?.[0]?.metadata).toEqual({ name: 'n1', namespace: 'default', uid: 'uid-n1' });
  });
});
