import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pino from 'pino';
import { factsOf, KEY, listed, writeImages } from '../../../../test/support/checkpoint-stores';
import { ServiceClient } from '../../service/client';
import { DirectoryStore } from '../../store/directory-store';
import type { Manifest, ManifestFacts } from '../../store/manifest';
import { UnreadableManifest } from '../../store/store-failures';
import { ClusterFacts } from './cluster-facts';
import { StoredCheckpoints } from './stored-checkpoints';

const CLUSTER = '01980000-0000-7000-8000-000000000001';

/** Notes the id of each manifest that is read. */
class CountingStore extends DirectoryStore {
  read: string[] = [];

  override manifest(reference: string): Promise<Manifest> {
    this.read.push(basename(reference));
    return super.manifest(reference);
  }
}

interface ListedArtifact {
  readonly artifact_id: string;
  readonly uri: string;
  readonly status: string;
  readonly bytes_removed_at: null;
  readonly metadata: object;
}

const artifact = (uri: string, status: string, metadata: object = {}): ListedArtifact => ({
  ...{ artifact_id: `a-${basename(uri)}-${status}`, uri, status, bytes_removed_at: null, metadata },
});

/** The operations of the service that are needed, on a real socket. */
class ListingService {
  readonly deprecated = new Set<string>();
  /** Why these failed, of those that are deprecated. The others were uploaded. */
  readonly failed = new Map<string, string>();
  askedFacts: string[] = [];
  refusesFacts = false;
  /** It no longer knows how they went. */
  hasOldFacts = false;
  asked: string[] = [];
  shown: unknown;
  /** Checkpoints whose removal was confirmed. */
  readonly confirmed: string[] = [];
  /** How it answers confirmations instead. */
  refusal: { status: number; code: string } | undefined;
  /** What it does not have and once had, with whether its bytes may be removed. */
  readonly forgotten = new Map<string, boolean>();
  /** What it has never had. */
  readonly unknown = new Set<string>();
  /** Newest first. */
  readonly artifacts: ListedArtifact[] = [];
  /** So many rows have as many bytes as a page may have. */
  artifactsAPage = 1_000;
  /** Called before each page of artifacts. */
  beforeArtifacts: (uri: string | null) => void = () => undefined;
  readonly confirmedArtifacts: string[] = [];
  /** It knows no confirmations: neither their filters nor their members. */
  isOlder = false;
  askedForgotten: string[] = [];
  /** Uploaded checkpoints whose removal it awaits, by id, with their paths. */
  readonly awaiting = new Map<string, string>();
  /** When these were made; the others earlier. */
  readonly madeAt = new Map<string, string>();
  /** How restores of checkpoints went. */
  readonly restores = new Map<string, { readonly status: string; readonly at: string; readonly cluster_id: string }>();
  clusterOfAwaited = CLUSTER;
  /** Characters of the longest request line. A proxy takes 8 KB of it. */
  longestLine = 0;
  /** Their paths. */
  readonly requests: string[] = [];
  private readonly server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
      this.requests.push(pathname);
      this.longestLine = Math.max(this.longestLine, request.url?.length ?? 0);
      if (pathname === '/v1/cluster/sync') {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as { metadata: unknown };
        this.shown = body.metadata;
        return response.setHeader('content-type', 'text/plain').end('synced');
      }
      const removed = /^\/v1\/checkpoints\/removed\/(.+)$/.exec(pathname)?.[1];
      if (removed !== undefined) {
        const { refusal } = this;
        if (refusal) {
          response.writeHead(refusal.status, { 'content-type': 'application/problem+json' });
          return response.end(JSON.stringify({ code: refusal.code, detail: 'Refused.' }));
        }
        this.confirmed.push(removed);
        this.awaiting.delete(removed);
        this.forgotten.delete(removed);
        return response.writeHead(204).end();
      }
      const gone = /^\/v1\/inference\/artifacts\/(.+)\/removed$/.exec(pathname)?.[1];
      if (gone !== undefined) {
        this.confirmedArtifacts.push(gone);
        return response.writeHead(204).end();
      }
      const pageOf = <T>(rows: readonly T[], most = Infinity): T[] =>
        rows.slice(Number(searchParams.get('offset'))).slice(0, Math.min(most, Number(searchParams.get('limit'))));
      if (searchParams.get('awaiting_removal') === 'true') {
        const uploaded = [...this.deprecated].filter((id) => !this.failed.has(id) && !this.confirmed.includes(id));
        const all = new Map([...uploaded.map((id): [string, string] => [id, `/store/${id}`]), ...this.awaiting]);
        const page = pageOf(searchParams.get('cluster_id') === CLUSTER ? [...all] : []);
        const members = {
          ...{ cluster_id: this.clusterOfAwaited, status: 'deprecated', namespace: 'default', pod_name: 'count' },
          ...(!this.isOlder && { bytes_removed_at: null }),
        };
        const awaited = page.map(([id, restore_path]) => ({ id, restore_path, ...members }));
        return response.setHeader('content-type', 'application/json').end(JSON.stringify(awaited));
      }
      if (pathname === '/v1/inference/artifacts') {
        const [uri, status] = [searchParams.get('uri'), searchParams.get('status')];
        this.beforeArtifacts(uri);
        const found = this.artifacts.filter(
          (one) => (uri === null || one.uri === uri) && (status === null || one.status === status),
        );
        const page = pageOf(found, this.artifactsAPage);
        return response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
      }
      if (pathname === '/v1/checkpoints/forgotten') {
        this.askedForgotten = searchParams.get('ids')?.split(',') ?? [];
        const found = this.askedForgotten.filter((id) => this.forgotten.has(id));
        const rows = found.map((id) => ({ id, removable: this.forgotten.get(id) }));
        return response.setHeader('content-type', 'application/json').end(JSON.stringify(rows));
      }
      const attempt = /^\/v1\/operations\/(.+)$/.exec(pathname)?.[1];
      if (attempt !== undefined) {
        this.askedFacts.push(attempt);
        if (this.refusesFacts) {
          response.writeHead(400, { 'content-type': 'application/problem+json' });
          return response.end(JSON.stringify({ code: 'invalid_field', detail: 'Refused.' }));
        }
        if (this.hasOldFacts) {
          response.writeHead(404, { 'content-type': 'application/problem+json' });
          return response.end(JSON.stringify({ code: 'operation_not_found', detail: 'Unknown.' }));
        }
        const failure_reason = this.failed.get(attempt) ?? '';
        const fact = { failure_reason, result: this.failed.has(attempt) ? 'failed' : 'succeeded' };
        return response.setHeader('content-type', 'application/json').end(JSON.stringify(fact));
      }
      if (pathname === '/v1/restores') {
        const checkpoint_id = searchParams.get('checkpoint_id') ?? '';
        const { status, at = '', cluster_id } = this.restores.get(checkpoint_id) ?? {};
        const kind = status === 'succeeded' ? 'restore_success' : 'restore_error';
        const events = [
          { kind: 'restore_start', received_at: '2026-06-01T09:00:00.000Z' },
          { kind, received_at: at },
        ];
        const rows = status === undefined ? [] : [{ checkpoint_id, cluster_id, status, events }];
        return response.setHeader('content-type', 'application/json').end(JSON.stringify(rows));
      }
      this.asked = searchParams.get('ids')?.split(',') ?? [];
      const had = this.asked.filter((id) => !this.forgotten.has(id) && !this.unknown.has(id));
      const rows = had.map((id) => ({
        id,
        cluster_id: CLUSTER,
        status: this.deprecated.has(id) ? 'deprecated' : 'ready',
        restore_path: this.failed.has(id) ? null : `/store/${id}`,
        created_at: this.madeAt.get(id) ?? '2026-06-01T10:00:00.000Z',
      }));
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(rows));
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

interface Shown {
  readonly ccp_agent: { readonly stored: { readonly removed: { readonly checkpoints: number } } };
}

describe('Stored checkpoints', () => {
  let directory: string;
  let store: CountingStore;
  let service: ListingService;
  let stored: StoredCheckpoints;
  /** Of the next process. */
  let another: () => StoredCheckpoints;
  let lines: string[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-stored-'));
    store = new CountingStore({ directory: join(directory, 'store'), key: KEY });
    service = new ListingService();
    lines = [];
    const client = new ServiceClient({ url: await service.listen(), token: undefined, tokenFile: undefined });
    const clusterId = () => CLUSTER;
    another = () =>
      new StoredCheckpoints({
        service: client,
        store,
        clusterId,
        directory,
        facts: new ClusterFacts(client, clusterId, 'node-1'),
        signal: new AbortController().signal,
        log: pino({ level: 'silent' }),
        say: (line) => void lines.push(line),
      });
    stored = another();
  });
  afterEach(async () => {
    await service.close();
    rmSync(directory, { recursive: true });
  });

  const publish = async (more: Partial<ManifestFacts['workload']> = {}): Promise<Manifest> => {
    const id = randomUUID();
    const draft = await store.begin(id);
    await writeImages(draft.directory, { 'pages-1.img': Buffer.alloc(100) });
    const facts = factsOf(id);
    return draft.publish({ ...facts, workload: { ...facts.workload, ...more } });
  };
  /** @returns the ids of the manifests that the round has read */
  const round = async (): Promise<string[]> => {
    store.read = [];
    await stored.round();
    return store.read.sort();
  };
  const holds = (checkpoints: number) => ({
    ccp_agent: {
      node: 'node-1',
      stored: expect.objectContaining({ checkpoints, bytes: 100 * checkpoints }) as unknown,
    },
  });

  it('are read once, however often they are examined', async () => {
    const first = [(await publish()).id, (await publish()).id].sort();
    expect(await round()).toEqual(first);
    expect(await round()).toEqual([]);
    const later = (await publish()).id;
    expect(await round()).toEqual([later]);
    expect(await round()).toEqual([]);
    expect(service.asked).toEqual([later]);
    stored = another();
    await round();
    expect(service.asked.sort()).toEqual([...first, later].sort());
    expect(service.shown).toEqual(holds(3));
  });

  it('are forgotten when they are gone, and read again when they return', async () => {
    const [kept, gone] = [await publish(), await publish()];
    await round();
    await rename(gone.reference, join(directory, 'elsewhere'));
    expect(await round()).toEqual([]);
    expect(await store.holds(kept.reference)).toBe(true);
    expect(service.shown).toEqual(holds(1));
    await rename(join(directory, 'elsewhere'), gone.reference);
    expect(await round()).toEqual([gone.id]);
    expect(service.shown).toEqual(holds(2));
  });

  it('are removed when the service has deprecated them, without a second reading', async () => {
    const [kept, deprecated] = [await publish(), await publish()];
    await round();
    service.deprecated.add(deprecated.id);
    expect(await round()).toEqual([]);
    expect(await store.holds(deprecated.reference)).toBe(false);
    expect(await store.holds(kept.reference)).toBe(true);
    expect(service.shown).toMatchObject({
      ccp_agent: { stored: { checkpoints: 1, removed: { bytes: 100, last: [{ checkpoint_id: deprecated.id }] } } },
    });
    expect(await round()).toEqual([]);
  });

  describe('that were given up before they were uploaded', () => {
    const LATE = 'no report arrived for 900 seconds';
    const CANCELLED = 'cancelled: deprecated before it was ready';
    const givenUp = async (reason: string, more: Partial<ManifestFacts['workload']>): Promise<string> => {
      const { id } = await publish(more);
      service.deprecated.add(id);
      service.failed.set(id, reason);
      return id;
    };

    it('stay if they have ended their workload, and are said once', async () => {
      const id = await givenUp(LATE, { letGo: true });
      await round();
      await round();
      expect(await listed(store)).toEqual([id]);
      expect(service.askedFacts).toEqual([id]);
      expect(lines).toEqual([expect.stringMatching(`${id} up, but it has ended default/count: it stays. Restore`)]);
    });

    describe('after they have ended their workload', () => {
      const RESTORED = '2026-06-01T11:00:00.000Z';
      const LATER = '2026-06-01T11:00:00.001Z';
      const later = async (more: Partial<ManifestFacts['workload']> = {}, at = LATER): Promise<string> => {
        const { id } = await publish(more);
        service.madeAt.set(id, at);
        return id;
      };
      /** The next look, hours later. */
      const lookAgain = async (hours = 1) => {
        const now = performance.now.bind(performance);
        const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + hours * 3_600_001);
        await round().finally(() => clock.mockRestore());
      };

      const restored = (id: string, more: { status?: string; at?: string; cluster_id?: string } = {}): void =>
        void service.restores.set(id, { status: 'succeeded', at: RESTORED, cluster_id: CLUSTER, ...more });

      it('go by themselves once they were restored, and have a later checkpoint of the same workload', async () => {
        const id = await givenUp(LATE, { letGo: true });
        await round();
        restored(id);
        await lookAgain();
        expect(await listed(store)).toEqual([id]);
        const next = await later();
        await lookAgain(3);
        expect(await listed(store)).toEqual([next]);
        expect(service.confirmed).toEqual([id]);
        expect(lines).toHaveLength(2);
      });

      it('stay if only a later one was restored: its workload may have begun anew', async () => {
        const id = await givenUp(LATE, { letGo: true });
        const next = await later();
        restored(next);
        await round();
        await lookAgain();
        expect((await listed(store)).sort()).toEqual([id, next].sort());
        expect(lines).toHaveLength(1);
      });

      it.each([
        ['the later one was made before they were restored', {}, RESTORED, {}],
        ['the later one is of another workload', { name: 'other' }, LATER, {}],
        ['the later one has another command', { command: ['python3', 'other.py'] }, LATER, {}],
        ['they could not be restored', {}, LATER, { status: 'failed' }],
        ['they were restored in another cluster', {}, LATER, { cluster_id: randomUUID() }],
      ])('stay if %s', async (_, more, at, restore) => {
        const id = await givenUp(LATE, { letGo: true });
        restored(id, restore);
        await later(more, at);
        await round();
        await lookAgain();
        expect(await store.holds(join(directory, 'store/checkpoints', id))).toBe(true);
        expect(lines).toHaveLength(1);
      });

      it('go once their manifest says that they have not ended it after all', async () => {
        const id = randomUUID();
        const draft = await store.begin(id);
        const { workload, ...facts } = factsOf(id);
        const manifest = await draft.publish({ ...facts, workload: { ...workload, letGo: true } });
        service.deprecated.add(id);
        service.failed.set(id, LATE);
        await round();
        expect(await listed(store)).toEqual([id]);
        await draft.amend({ ...manifest, workload });
        await lookAgain();
        expect(await listed(store)).toEqual([]);
      });

      it('stay while their manifest cannot be read, and keep no other one', async () => {
        const id = await givenUp(LATE, { letGo: true });
        await round();
        const { id: other } = await publish();
        service.deprecated.add(other);
        const find = store.find.bind(store);
        const reading = jest
          .spyOn(store, 'find')
          .mockImplementation((asked) =>
            asked === id ? Promise.reject(new UnreadableManifest(id, new Error('EIO'))) : find(asked),
          );
        await lookAgain();
        expect(await store.holds(join(directory, 'store/checkpoints', id))).toBe(true);
        expect(service.confirmed).toEqual([other]);
        // It is as good as any other one: what somebody decides of it is done.
        service.failed.set(id, CANCELLED);
        await lookAgain(3);
        expect(service.confirmed).toEqual([other, id]);
        reading.mockRestore();
      });

      it('stay if the service refuses to say how one went, and keep no other one', async () => {
        const id = await givenUp(LATE, { letGo: true });
        const { id: other } = await publish();
        service.deprecated.add(other);
        service.refusesFacts = true;
        await round();
        expect(await listed(store)).toEqual([id]);
        expect(service.confirmed).toEqual([other]);
        service.refusesFacts = false;
        await lookAgain();
        expect(lines).toHaveLength(2);
      });

      it('stay if the later one cannot be restored any more, or its bytes are not here', async () => {
        const id = await givenUp(LATE, { letGo: true });
        const [gone, deprecated] = [await later(), await later()];
        restored(id);
        await rename(join(directory, 'store/checkpoints', gone), join(directory, 'elsewhere'));
        service.deprecated.add(deprecated);
        await round();
        await lookAgain();
        expect(await listed(store)).toEqual([id]);
      });
    });

    it.each([
      ['somebody decided that', CANCELLED, { letGo: true as const }],
      ['their workload went on, or their manifest is of an older agent', LATE, {}],
    ])('are removed if %s', async (_, reason, more) => {
      const id = await givenUp(reason, more);
      await round();
      expect(await listed(store)).toEqual([]);
      expect(service.confirmed).toEqual([id]);
    });

    it('stay if the service no longer knows why', async () => {
      const id = await givenUp(CANCELLED, { letGo: true });
      service.hasOldFacts = true;
      await round();
      expect(await listed(store)).toEqual([id]);
    });
  });

  it('are removed after they have ended their workload and were uploaded, once they are deprecated', async () => {
    const { id } = await publish({ letGo: true });
    service.deprecated.add(id);
    await round();
    expect(await listed(store)).toEqual([]);
    expect(service.askedFacts).toEqual([]);
  });

  it('are said to be removed once they are, and once only, also by the process after one that was killed', async () => {
    const deprecated = await publish();
    service.deprecated.add(deprecated.id);
    await stored.round();
    const again = await publish();
    await stored.round();
    // Twice a removal that fails, before and behind the bytes, as for a process that is killed there.
    service.deprecated.add(again.id);
    const removed = () => (service.shown as Shown).ccp_agent.stored.removed;
    const remove = store.remove.bind(store);
    store.remove = () => Promise.reject(new Error('killed before'));
    await stored.round();
    expect([removed().checkpoints, await store.holds(again.reference)]).toEqual([1, true]);
    store.remove = (reference) => remove(reference).then(() => Promise.reject(new Error('killed behind')));
    stored = another();
    await stored.round();
    expect([removed().checkpoints, await store.holds(again.reference)]).toEqual([1, false]);
    store.remove = remove;
    stored = another();
    await stored.round();
    await stored.round();
    const last = [deprecated, again].map(({ id }) => ({
      checkpoint_id: id,
      removed_at: expect.any(String) as unknown,
    }));
    expect(removed()).toEqual({ checkpoints: 2, bytes: 200, last });
  });

  it('are confirmed as removed once their bytes are gone, and by the next process if the service fails', async () => {
    const [first, second] = [await publish(), await publish()];
    service.deprecated.add(first.id);
    await round();
    await round();
    expect(service.confirmed).toEqual([first.id]);
    const removed = () => (service.shown as Shown).ccp_agent.stored.removed.checkpoints;
    service.deprecated.add(second.id);
    service.refusal = { status: 500, code: 'internal_error' };
    await round();
    expect([await store.holds(second.reference), removed()]).toEqual([false, 1]);
    stored = another();
    await round();
    expect(removed()).toBe(1);
    service.refusal = undefined;
    stored = another();
    await round();
    await round();
    expect([service.confirmed, removed()]).toEqual([[first.id, second.id], 2]);
  });

  it('are not removed on while the service takes no confirmation: each waits for the one before', async () => {
    const both = [await publish(), await publish()];
    for (const { id } of both) service.deprecated.add(id);
    service.refusal = { status: 500, code: 'internal_error' };
    await round();
    const held = await Promise.all(both.map(({ reference }) => store.holds(reference)));
    expect(held.filter(Boolean)).toHaveLength(1);
    service.refusal = undefined;
    await round();
    expect(service.confirmed.sort()).toEqual(both.map(({ id }) => id).sort());
  });

  it.each([
    [404, 'checkpoint_not_found'],
    [409, 'checkpoint_state_conflict'],
    [404, 'not_found'],
  ])('are not confirmed again after the answer %i %s', async (status, code) => {
    const deprecated = await publish();
    service.deprecated.add(deprecated.id);
    service.refusal = { status, code };
    await round();
    service.refusal = undefined;
    stored = another();
    await round();
    expect([service.confirmed, await store.holds(deprecated.reference)]).toEqual([[], false]);
    expect((service.shown as Shown).ccp_agent.stored.removed.checkpoints).toBe(1);
  });

  it('are removed when the service says that it has forgotten them, and never when it merely does not know', async () => {
    const [had, young, unknown, kept] = [await publish(), await publish(), await publish(), await publish()];
    service.forgotten.set(had.id, true).set(young.id, false);
    service.unknown.add(unknown.id);
    await round();
    expect(service.askedForgotten.sort()).toEqual([had.id, young.id, unknown.id].sort());
    const held = await Promise.all([had, young, unknown, kept].map(({ reference }) => store.holds(reference)));
    expect([held, service.confirmed]).toEqual([[false, true, true, true], [had.id]]);
    // Asked again only after an hour, or by the next process.
    service.askedForgotten = [];
    service.forgotten.set(young.id, true);
    await round();
    expect([service.askedForgotten, await store.holds(young.reference)]).toEqual([[], true]);
    stored = another();
    await round();
    expect([await store.holds(young.reference), await store.holds(unknown.reference)]).toEqual([false, true]);
  });

  it('stay if they are forgotten while an artifact has the same bytes', async () => {
    const [used, unused] = [await publish(), await publish()];
    for (const { id } of [used, unused]) service.forgotten.set(id, true);
    service.artifacts.push(artifact(used.reference, 'ready'));
    await round();
    expect([await store.holds(used.reference), await store.holds(unused.reference)]).toEqual([true, false]);
  });

  it.each(['ready', 'golden', 'quarantined'])(
    'stay if they are deprecated while an artifact has the same bytes, and go once it is gone: %s',
    async (status) => {
      const [used, unused] = [await publish(), await publish()];
      for (const { id } of [used, unused]) service.deprecated.add(id);
      service.artifacts.push(artifact(unused.reference, 'deleted'), artifact(used.reference, status));
      await round();
      expect([await store.holds(used.reference), await store.holds(unused.reference)]).toEqual([true, false]);
      expect(service.confirmed).toEqual([unused.id]);
      service.artifacts[1] = artifact(used.reference, 'expired');
      stored = another();
      await round();
      expect([await store.holds(used.reference), service.confirmed]).toEqual([false, [unused.id, used.id]]);
    },
  );

  it('are confirmed together with the gone artifacts that had the same bytes, but for those with a copy', async () => {
    const { id, reference } = await publish();
    service.deprecated.add(id);
    const promoted = { promotion: { state: 'confirmed' } };
    service.artifacts.push(artifact(reference, 'deleted'), artifact(reference, 'expired', promoted));
    await round();
    expect(service.confirmedArtifacts).toEqual([`a-${id}-deleted`]);
  });

  it('stay if the artifact that has their bytes is behind pages that were cut short', async () => {
    const used = await publish();
    service.deprecated.add(used.id);
    service.artifactsAPage = 2;
    for (let i = 0; i < 4; i++) service.artifacts.push(artifact(`/elsewhere/${i}`, 'ready'));
    service.artifacts.push(artifact(used.reference, 'ready'));
    await round();
    expect([await store.holds(used.reference), service.confirmed]).toEqual([true, []]);
  });

  it('stay if rows of artifacts move while they are read, since one may have been missed', async () => {
    const { id, reference } = await publish();
    service.deprecated.add(id);
    service.artifactsAPage = 2;
    for (let i = 0; i < 4; i++) service.artifacts.push(artifact(`/elsewhere/${i}`, 'ready'));
    let pages = 0;
    service.beforeArtifacts = () => void (++pages === 2 && service.artifacts.splice(0, 2));
    await round();
    expect([await store.holds(reference), service.confirmed]).toEqual([true, []]);
  });

  it('stay if an artifact has their bytes just before they would be removed', async () => {
    const { id, reference } = await publish();
    service.deprecated.add(id);
    service.beforeArtifacts = (uri) => {
      if (uri !== null) service.artifacts.splice(0, 1, artifact(reference, 'ready'));
    };
    await round();
    expect([await store.holds(reference), service.confirmed]).toEqual([true, []]);
  });

  it('are not confirmed while their directory is not mounted, and are removed once it is', async () => {
    const { id, reference } = await publish();
    service.forgotten.set(id, true);
    const remove = store.remove.bind(store);
    store.remove = () => Promise.reject(new Error('killed before'));
    await round();
    store.remove = remove;
    const [mounted, away] = [join(directory, 'store'), join(directory, 'away')];
    await rename(mounted, away);
    await mkdir(join(mounted, 'checkpoints'), { recursive: true });
    stored = another();
    await round();
    expect(service.confirmed).toEqual([]);
    await rm(mounted, { recursive: true });
    await rename(away, mounted);
    stored = another();
    await round();
    expect([service.confirmed, await store.holds(reference)]).toEqual([[id], false]);
  });

  it('are not confirmed if their directory is unmounted after they were found in it', async () => {
    const { id, reference } = await publish();
    service.deprecated.add(id);
    const [mounted, away] = [join(directory, 'store'), join(directory, 'away')];
    let isAway = false;
    service.beforeArtifacts = () => {
      if (isAway) return;
      isAway = true;
      renameSync(mounted, away);
      mkdirSync(join(mounted, 'checkpoints'), { recursive: true });
    };
    await round();
    expect([isAway, service.confirmed]).toEqual([true, []]);
    await rm(mounted, { recursive: true });
    await rename(away, mounted);
    stored = another();
    await round();
    expect([service.confirmed, await store.holds(reference)]).toEqual([[id], false]);
  });

  it.each([
    ['is older than confirmations', (of: ListingService) => void (of.isOlder = true)],
    ['lists those of another cluster', (of: ListingService) => void (of.clusterOfAwaited = randomUUID())],
  ])('are not looked for as awaited if the service %s', async (_, change) => {
    store.owns = () => Promise.resolve(true);
    const removed: string[] = [];
    store.remove = (reference) => Promise.resolve(void removed.push(reference));
    const id = randomUUID();
    service.awaiting.set(id, `service:${id}`);
    change(service);
    await round();
    expect([service.confirmed, removed]).toEqual([[], []]);
  });

  it('are confirmed by the next process if they are forgotten, and it was killed before it had an answer', async () => {
    const forgotten = await publish();
    service.forgotten.set(forgotten.id, true);
    service.refusal = { status: 500, code: 'internal_error' };
    await round();
    service.refusal = undefined;
    await round();
    await round();
    expect([service.confirmed, await store.holds(forgotten.reference)]).toEqual([[forgotten.id], false]);
  });

  it('are confirmed as removed if the object storage has nothing of what the service awaits', async () => {
    const kept = await publish();
    const [missing, inDirectory, mistaken] = [randomUUID(), randomUUID(), randomUUID()];
    store.owns = () => Promise.resolve(true);
    const removed: string[] = [];
    store.remove = (reference) => Promise.resolve(void removed.push(reference));
    service.awaiting.set(inDirectory, join(directory, 'store/checkpoints', inDirectory));
    service.awaiting.set(missing, `service:${missing}`);
    service.awaiting.set(kept.id, `service:${kept.id}`);
    service.awaiting.set(mistaken, `service:${missing}`);
    await round();
    expect([service.confirmed, removed]).toEqual([[missing], [`service:${missing}`]]);
    store.owns = () => Promise.resolve(false);
    service.awaiting.set(missing, `service:${missing}`);
    stored = another();
    await round();
    expect(service.confirmed).toEqual([missing]);
  });

  it('are removed though one of them cannot be, which is tried again and said once it is gone', async () => {
    const [stuck, gone] = [await publish(), await publish()];
    for (const { id } of [stuck, gone]) service.deprecated.add(id);
    const removed = () => (service.shown as Shown).ccp_agent.stored.removed.checkpoints;
    const remove = store.remove.bind(store);
    store.remove = (reference) =>
      reference === stuck.reference ? Promise.reject(new Error('EIO')) : remove(reference);
    await stored.round();
    expect([removed(), await store.holds(stuck.reference), await store.holds(gone.reference)]).toEqual([
      1,
      true,
      false,
    ]);
    expect(service.shown).toMatchObject({ ccp_agent: { stored: { checkpoints: 1, bytes: 100 } } });
    const later = await publish();
    service.deprecated.add(later.id);
    await stored.round();
    expect([removed(), await store.holds(later.reference)]).toEqual([2, false]);
    store.remove = remove;
    await stored.round();
    await stored.round();
    expect([removed(), await store.holds(stuck.reference)]).toEqual([3, false]);
  });

  it('are not said to be removed by a process with another store, but by the next one with theirs', async () => {
    const deprecated = await publish();
    service.deprecated.add(deprecated.id);
    const first = store;
    store.remove = () => Promise.reject(new Error('killed before'));
    await stored.round();
    store = new CountingStore({ directory: join(directory, 'another'), key: KEY });
    await publish();
    stored = another();
    await stored.round();
    const removed = () => (service.shown as Shown).ccp_agent.stored.removed.checkpoints;
    expect([removed(), await first.holds(deprecated.reference)]).toEqual([0, true]);
    store = new CountingStore({ directory: join(directory, 'store'), key: KEY });
    stored = another();
    await stored.round();
    expect([removed(), await store.holds(deprecated.reference)]).toEqual([1, false]);
  });

  it('stay if the service has them again when a removal would be repeated', async () => {
    const deprecated = await publish();
    service.deprecated.add(deprecated.id);
    const remove = store.remove.bind(store);
    store.remove = () => Promise.reject(new Error('killed before'));
    await stored.round();
    store.remove = remove;
    service.deprecated.delete(deprecated.id);
    stored = another();
    await stored.round();
    expect(await store.holds(deprecated.reference)).toBe(true);
    expect(service.shown).toMatchObject({ ccp_agent: { stored: { checkpoints: 1, removed: { checkpoints: 0 } } } });
  });

  it('are removed though the store does not give another one, which stays', async () => {
    const { id } = await publish();
    service.deprecated.add(id);
    const unreadable = join(directory, 'store/checkpoints', randomUUID());
    // The system refuses every path below it.
    await symlink('x'.repeat(300), unreadable);
    expect(await round()).toEqual([id, basename(unreadable)].sort());
    expect(service.confirmed).toEqual([id]);
    expect(await readdir(join(directory, 'store/checkpoints'))).toEqual([basename(unreadable)]);
    expect(await round()).toEqual([]);
  });

  it('are removed also where hundreds are stored, by requests that each proxy takes', async () => {
    const all = await Promise.all(Array.from({ length: 450 }, () => publish()));
    const [first, last] = [all[0]!, all.at(-1)!];
    for (const { id } of [first, last]) service.deprecated.add(id);
    await stored.round();
    expect([...service.confirmed].sort()).toEqual([first.id, last.id].sort());
    expect(service.shown).toMatchObject({ ccp_agent: { stored: { checkpoints: 448, removed: { checkpoints: 2 } } } });
    expect(service.longestLine).toBeLessThan(8_000);
  });

  it('take one request a minute, however many of other clusters are in the store', async () => {
    const manifest = await publish();
    const ids = [manifest.id, ...Array.from({ length: 1_000 }, () => randomUUID())];
    store.ids = async function* () {
      await Promise.resolve();
      yield* ids;
    };
    store.find = (id) => Promise.resolve({ ...manifest, id });
    await stored.round();
    service.requests.length = 0;
    await stored.round();
    expect(service.requests).toEqual(['/v1/checkpoints']);
    // A new one is asked for at once: it may have been given up before it was stored.
    const late = randomUUID();
    ids.push(late);
    await stored.round();
    expect(service.asked).toEqual([late]);
    // It is removed within a minute all the same.
    service.deprecated.add(manifest.id);
    service.requests.length = 0;
    await stored.round();
    expect(service.confirmed).toEqual([manifest.id]);
    expect(service.requests.filter((path) => path === '/v1/checkpoints')).toHaveLength(2);
  });

  it('are looked at again while they have no manifest, and not again if theirs is of no use', async () => {
    const [begun, foreign] = [await publish(), await publish()];
    await rename(join(begun.reference, 'manifest.json'), join(directory, 'manifest.json'));
    await writeFile(join(foreign.reference, 'manifest.json'), '{}\n');
    expect(await round()).toEqual([begun.id, foreign.id].sort());
    expect(await round()).toEqual([begun.id]);
    await rename(join(directory, 'manifest.json'), join(begun.reference, 'manifest.json'));
    expect(await round()).toEqual([begun.id]);
    expect(await round()).toEqual([]);
    await rm(foreign.reference, { recursive: true });
    expect(await round()).toEqual([]);
    expect(service.shown).toEqual(holds(1));
  });
});
