import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { Access, type AccessOptions } from '../../../src/agent/controllers/kubernetes/cluster/access';
import { ClusterClient } from '../../../src/agent/controllers/kubernetes/cluster/cluster-client';
import { PODS, type Pod } from '../../../src/agent/controllers/kubernetes/cluster/resources';
import { Watched } from '../../../src/agent/controllers/kubernetes/cluster/watched';
import { eventually } from '../../support/eventually';
import { StubApiServer } from './stub-api-server';

describe('the pods that an agent follows', () => {
  let api: StubApiServer;
  let directory: string;
  let stop: AbortController;
  let pods: Watched<Pod>;
  let running: Promise<void>;
  let changes: string[];
  /** What the agent logged. */
  let lines: string[];

  beforeEach(async () => {
    api = await StubApiServer.start();
    directory = mkdtempSync(join(tmpdir(), 'watched-'));
    writeFileSync(join(directory, 'kubeconfig'), JSON.stringify(api.kubeconfig));
    [stop, changes, lines] = [new AbortController(), [], []];
  });
  afterEach(async () => {
    stop.abort(new Error('stopped'));
    await running.catch(() => undefined);
    await api.stop();
    rmSync(directory, { recursive: true });
  });

  const follow = (namespaces?: readonly string[], options: AccessOptions = {}): void => {
    const access = Access.load({ kubeconfig: join(directory, 'kubeconfig'), ...options });
    const client = new ClusterClient(access, stop.signal);
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    pods = new Watched(client, PODS, { namespaces, signal: stop.signal, log });
    pods.onChange(({ type, object }) => void changes.push(`${type} ${object.metadata?.name}`));
    running = pods.run();
    running.catch(() => undefined);
  };
  const pod = (name: string, namespace = 'default', members: object = {}) =>
    api.put('pods', { metadata: { name, namespace }, ...members });
  const names = () => [...pods.all()].map(({ metadata }) => metadata?.name).sort();
  const has = (...expected: string[]) => eventually(() => expect(names()).toEqual(expected));

  it('are found by their uid and by that of their owner, until they are gone', async () => {
    const ofOwner = (name: string, uid: string) =>
      api.put('pods', {
        metadata: {
          name,
          namespace: 'default',
          ownerReferences: [{ uid, kind: 'Job', name: 'job', controller: true }],
        },
      });
    const owned = (uid: string) => pods.byOwner(uid).map(({ metadata }) => metadata?.name);
    const first = ofOwner('a', 'o');
    ofOwner('b', 'o');
    follow();
    await pods.ready();
    expect(owned('o').sort()).toEqual(['a', 'b']);
    expect(pods.byUid(first.metadata.uid!)?.metadata?.name).toBe('a');
    // A change of its owner, and another pod of its name.
    ofOwner('b', 'p');
    api.remove('pods', 'a', 'default');
    const second = ofOwner('a', 'o');
    await eventually(() => expect(pods.byUid(second.metadata.uid!)).toBeDefined());
    expect(pods.byUid(first.metadata.uid!)).toBeUndefined();
    expect([owned('o'), owned('p')]).toEqual([['a'], ['b']]);
    api.remove('pods', 'a', 'default');
    await eventually(() => expect(owned('o')).toEqual([]));
  });

  it('are those of a list, and from then on those of a watch', async () => {
    pod('a');
    follow();
    await pods.ready();
    expect(names()).toEqual(['a']);
    expect(pods.get('a', 'default')).toMatchObject({ apiVersion: 'v1', kind: 'Pod' });
    await eventually(() => expect(api.count('watch pods')).toBe(1));
    pod('b');
    api.remove('pods', 'a', 'default');
    await has('b');
    expect(changes).toEqual(['set a', 'set b', 'gone a']);
  });

  it('go on behind the last event after a lost watch, without another list', async () => {
    pod('a');
    follow();
    await eventually(() => expect(api.count('watch pods')).toBe(1));
    pod('b');
    await has('a', 'b');
    api.isDown = true;
    api.dropWatches();
    pod('c');
    api.remove('pods', 'a', 'default');
    await eventually(() => expect(pods.isCurrent).toBe(false));
    expect(names()).toEqual(['a', 'b']);
    api.isDown = false;
    await has('b', 'c');
    expect(changes).toEqual(['set a', 'set b', 'set c', 'gone a']);
    expect(api.count('list pods')).toBe(1);
    await eventually(() => expect(pods.isCurrent).toBe(true));
  });

  it('are watched again after a silence, which is no failure', async () => {
    pod('a');
    follow(undefined, { silenceMs: 200 });
    await eventually(() => expect(api.count('watch pods')).toBeGreaterThanOrEqual(3));
    pod('b');
    await has('a', 'b');
    expect(lines).toEqual([]);
    expect(api.count('list pods')).toBe(1);
    // The next watch finds that nobody answers any more.
    api.isDown = true;
    await eventually(() => expect(lines).toEqual([expect.stringContaining('a watch was lost')]));
    expect(pods.isCurrent).toBe(false);
  });

  it('are listed again when the API server has forgotten the version, deletes included', async () => {
    pod('a');
    pod('b');
    follow();
    await eventually(() => expect(api.count('watch pods')).toBe(1));
    api.isDown = true;
    api.dropWatches();
    api.remove('pods', 'a', 'default');
    api.remove('pods', 'b', 'default');
    const again = pod('b');
    pod('c');
    api.compact();
    api.isDown = false;
    await has('b', 'c');
    // Another object has the name of the one that is gone.
    expect(pods.get('b', 'default')?.metadata?.uid).toBe(again.metadata.uid);
    expect(changes).toEqual(['set a', 'set b', 'gone a', 'gone b', 'set b', 'set c']);
    expect(api.count('list pods')).toBe(2);
  });

  it('are listed again when etcd was restored, and all of them are marked as of an earlier state', async () => {
    const versions: string[] = [];
    pod('a');
    pod('b');
    const restore = api.snapshot();
    pod('a', 'default', { spec: {} });
    pod('c');
    follow();
    await pods.ready();
    pods.onChange(({ type, object, isEarlier }) => {
      versions.push(`${type} ${object.metadata?.name} ${object.metadata?.resourceVersion} ${isEarlier ?? false}`);
    });
    await eventually(() => expect(api.count('watch pods')).toBe(1));
    restore();
    await has('a', 'b');
    pod('b', 'default', { spec: {} });
    await eventually(() => expect(versions).toHaveLength(4));
    expect(versions).toEqual(['gone c 104 false', 'set a 101 true', 'set b 102 true', 'set b 103 false']);
    expect(api.count('list pods')).toBe(2);
  });

  it('are of the namespaces that the agent serves, each with its own watch', async () => {
    pod('a', 'one');
    pod('b', 'two');
    pod('c', 'three');
    follow(['one', 'two']);
    await pods.ready();
    expect(names()).toEqual(['a', 'b']);
    await eventually(() => expect(api.count('watch pods')).toBe(2));
  });

  it('end with a failure that names the missing verb', async () => {
    api.denied.add('watch pods');
    follow();
    await expect(running).rejects.toMatchObject({
      facts: { cause: 'permission_missing', remedy: 'Add the verb "watch" for "pods" to the role of the agent.' },
    });
  });

  it('are not asked for again and again when each watch ends at once', async () => {
    api.endsWatches = true;
    const began = performance.now();
    follow();
    await eventually(() => expect(api.count('watch pods')).toBeGreaterThanOrEqual(3));
    // The pauses before the second and the third one, at their shortest.
    expect(performance.now() - began).toBeGreaterThan(125 + 250 - 10);
    api.endsWatches = false;
    pod('a');
    await has('a');
  });

  it('are looked up 64 at once by one client, however many ask', async () => {
    follow();
    await pods.ready();
    api.hanging.add('get pods');
    const client = new ClusterClient(Access.load({ kubeconfig: join(directory, 'kubeconfig') }), stop.signal);
    const place = { namespace: 'default', name: 'a' };
    const looks = Array.from({ length: 200 }, () => client.get(PODS, place).catch(() => 'stopped'));
    await eventually(() => expect(api.count('get pods')).toBe(64));
    stop.abort(new Error('stopped'));
    expect(new Set(await Promise.all(looks))).toEqual(new Set(['stopped']));
    expect(api.count('get pods')).toBe(64);
  });
});
