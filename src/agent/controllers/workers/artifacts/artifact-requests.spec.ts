import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import pino from 'pino';
import { eventually } from '../../../../../test/support/eventually';
import { factsOf, KEY, writeImages } from '../../../../../test/support/checkpoint-stores';
import type { OutboxEvent } from '../../../service/outbox-reader';
import { ServiceClient } from '../../../service/client';
import { SERVICE_STORE, type Settings } from '../../../settings/settings';
import { LEFTOVER_MS, type CheckpointStore } from '../../../store/checkpoint-store';
import { DirectoryStore } from '../../../store/directory-store';
import type { ClusterContext } from '../../common/cluster-context';
import { ArtifactRequests } from './artifact-requests';
import { ArtifactStores } from './artifact-stores';
import { CopyPlaces } from './copy-places';

const CLUSTER = '01980000-0000-7000-8000-000000000001';
const ARTIFACT = /^\/v1\/inference\/artifacts\/([^/]+)(\/removed)?$/;

interface Row {
  readonly artifact_id: string;
  readonly profile_id: string;
  readonly uri: string;
  status: string;
  bytes_removed_at?: string | null;
  storage_tier?: string;
  readonly metadata: object;
}

/** The operations of the service that are needed, on a real socket. */
class ServiceOfArtifacts {
  readonly rows: Row[] = [];
  readonly checkpoints: object[] = [];
  readonly confirmed: string[] = [];
  readonly promoted: object[] = [];
  readonly refused: object[] = [];
  /** It knows neither the filters of today nor confirmations. */
  isOlder = false;
  /** Members of an update that it does not know. */
  unknown: readonly string[] = [];
  refusal = 0;
  readonly asked: string[] = [];
  beforeList: () => void = () => undefined;
  private readonly server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    const answer = (body: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    const [, id, removal] = ARTIFACT.exec(pathname) ?? [];
    if (pathname === '/v1/checkpoints') return answer(this.checkpoints);
    if (pathname.startsWith('/v1/checkpoints/removed/') || removal) {
      if (this.refusal) return response.writeHead(this.refusal).end();
      this.confirmed.push(pathname.startsWith('/v1/checkpoints') ? 'the checkpoint' : id!);
      return response.writeHead(204).end();
    }
    if (request.method === 'PATCH') return void this.update(id, request, response);
    if (id !== undefined) {
      this.asked.push(id);
      return answer(this.rows.find((row) => row.artifact_id === id));
    }
    this.beforeList();
    const given = (name: string) => (this.isOlder ? null : searchParams.get(name));
    const [uri, awaiting] = [given('uri'), given('awaiting_removal')];
    const profile = searchParams.get('profile_id');
    const found = this.rows.filter(
      (row) =>
        (uri === null || row.uri === uri) &&
        (profile === null || row.profile_id === profile) &&
        (awaiting === null || (row.bytes_removed_at === null && row.status !== 'ready')),
    );
    const offset = Number(searchParams.get('offset'));
    return answer(found.slice(offset, offset + Number(searchParams.get('limit'))));
  });

  private async update(id: string | undefined, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as { tier?: string };
    const row = this.rows.find((one) => one.artifact_id === id);
    const refusal = this.unknown.some((member) => member in body)
      ? { status: 400, code: 'validation_failed' }
      : body.tier !== undefined && body.tier !== row?.storage_tier
        ? { status: 409, code: 'no_promotion_pending' }
        : undefined;
    (refusal ? this.refused : this.promoted).push(body);
    response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(refusal ?? {}));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('Requests of artifacts', () => {
  let root: string;
  let store: DirectoryStore;
  let service: ServiceOfArtifacts;
  let stopping: AbortController;
  let context: ClusterContext;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'ccp-artifacts-'));
    store = new DirectoryStore({ directory: join(root, 'store'), key: KEY });
    service = new ServiceOfArtifacts();
    const url = await service.listen();
    const retries = { attempts: 1, firstPauseMs: 1, longestPauseMs: 1 };
    stopping = new AbortController();
    context = {
      service: new ServiceClient({ url, token: undefined, tokenFile: undefined, retries }),
      clusterId: () => CLUSTER,
      directory: join(root, 'state'),
      signal: stopping.signal,
      log: pino({ level: 'silent' }),
      say: () => undefined,
      mayPass: () => true,
      retryAfterMs: 10,
      examineStoreEveryMs: 20,
    } as unknown as ClusterContext;
  });
  afterEach(async () => {
    stopping.abort();
    await service.close();
    rmSync(root, { recursive: true });
  });

  /** Of another process each. */
  const requests = () => new ArtifactRequests(context, storesOf());
  const storesOf = () =>
    new ArtifactStores({ store: join(root, 'store'), stateDir: root } as unknown as Settings, store);
  const publish = async (): Promise<{ id: string; uri: string }> => {
    const id = randomUUID();
    const draft = await store.begin(id);
    await writeImages(draft.directory, { 'pages-1.img': Buffer.alloc(100) });
    return { id, uri: (await draft.publish(factsOf(id))).reference };
  };
  const artifact = (name: string, { id, uri }: { id: string; uri: string }, more: Partial<Row> = {}): Row => {
    const metadata = { checkpoint_id: id, cluster_id: CLUSTER };
    const row = { artifact_id: name, profile_id: name, uri, status: 'deleted', bytes_removed_at: null, metadata };
    service.rows.push({ ...row, ...more });
    return service.rows.at(-1)!;
  };
  let event = 0;
  const removed = async (...names: string[]): Promise<void> => {
    const worker = requests();
    const events = names.map((artifact_id) => ({
      ...{ id: ++event, event_type: 'artifact.deleted', payload: { artifact_id } },
    }));
    await worker.take(events as unknown as OutboxEvent[]);
    await worker.idle();
  };
  const listedOften = async (): Promise<void> => {
    const run = requests().run();
    await new Promise((resolve) => setTimeout(resolve, 200));
    stopping.abort();
    await run;
  };

  it.each([false, true])(
    'leave bytes that an artifact of another profile has, also if the service is older: %s',
    async (isOlder) => {
      service.isOlder = isOlder;
      const one = await publish();
      artifact('first', one);
      const second = artifact('second', one, { status: 'ready' });
      await removed('first');
      expect([await store.holds(one.uri), service.confirmed]).toEqual([true, []]);
      second.status = 'deleted';
      await removed('second');
      expect([await store.holds(one.uri), service.confirmed.sort()]).toEqual([false, ['first', 'second']]);
    },
  );

  it('leave the bytes of an artifact that is ready again by the time they would be removed', async () => {
    const one = await publish();
    const row = artifact('first', one, { status: 'expired' });
    service.beforeList = () => void (row.status = 'ready');
    await removed('first');
    expect([await store.holds(one.uri), service.confirmed]).toEqual([true, []]);
  });

  it('confirm the checkpoint of this cluster whose bytes went with the artifact', async () => {
    const one = await publish();
    artifact('first', one);
    const checkpoint = { id: one.id, cluster_id: CLUSTER, status: 'deprecated', bytes_removed_at: null };
    service.checkpoints.push(checkpoint);
    await removed('first');
    expect([await store.holds(one.uri), service.confirmed]).toEqual([false, ['first', 'the checkpoint']]);
  });

  it('confirm nothing of a directory that is not mounted, and remove the bytes once it is', async () => {
    const one = await publish();
    artifact('first', one);
    const [mounted, away] = [join(root, 'store'), join(root, 'away')];
    await rename(mounted, away);
    await mkdir(join(mounted, 'checkpoints'), { recursive: true });
    await removed('first');
    expect(service.confirmed).toEqual([]);
    await rm(mounted, { recursive: true });
    await rename(away, mounted);
    await removed('first');
    expect([await store.holds(one.uri), service.confirmed]).toEqual([false, ['first']]);
  });

  it('confirm nothing of a directory that is unmounted after its bytes were seen', async () => {
    const one = await publish();
    artifact('first', one);
    const [mounted, away] = [join(root, 'store'), join(root, 'away')];
    const remove = store.remove.bind(store);
    store.remove = async (reference) => {
      await rename(mounted, away);
      await mkdir(join(mounted, 'checkpoints'), { recursive: true });
      await remove(reference);
      stopping.abort();
    };
    await removed('first');
    expect(service.confirmed).toEqual([]);
    await rm(mounted, { recursive: true });
    await rename(away, mounted);
    store.remove = remove;
    stopping = new AbortController();
    context = { ...context, signal: stopping.signal };
    await removed('first');
    expect([await store.holds(one.uri), service.confirmed]).toEqual([false, ['first']]);
  });

  describe('of a promoted artifact', () => {
    /** The object storage, and a copy in the directory. */
    const promoted = async (promotion: object, more: Partial<Row> = {}) => {
      const copy = await publish();
      const uri = `${SERVICE_STORE}:${copy.id}`;
      const metadata = { checkpoint_id: copy.id, cluster_id: CLUSTER, promotion };
      artifact('first', { id: copy.id, uri }, { metadata, ...more });
      let isHeld = true;
      const objects = {
        manifest: () => store.manifest(copy.uri),
        holds: () => Promise.resolve(isHeld),
        owns: () => Promise.resolve(true),
        place: () => Promise.resolve('object storage'),
        remove: () => Promise.resolve(void (isHeld = false)),
      } as unknown as CheckpointStore;
      const open = (kind: string) => Promise.resolve(kind === 'service' ? objects : store);
      return { copy, open, uri, metadata };
    };
    type Opens = (kind: string) => Promise<CheckpointStore>;
    let asks = 0;
    const asked = async (open: Opens, type = 'artifact.deleted', name = 'first'): Promise<void> => {
      const stores = storesOf();
      jest.spyOn(stores, 'open').mockImplementation(open);
      const worker = new ArtifactRequests(context, stores);
      await worker.take([{ id: ++asks, event_type: type, payload: { artifact_id: name } } as never]);
      await worker.idle();
    };
    const PROMOTE = 'artifact.promote_requested';

    it.each(['confirmed', 'failed', 'pending'])('confirm nothing while its copy is not mounted (%s)', async (state) => {
      const said: string[] = [];
      context = { ...context, say: (line) => void said.push(line) };
      const { copy, open } = await promoted({ state });
      await new CopyPlaces(context.directory).keep('first', await store.place());
      const [mounted, away] = [join(root, 'store'), join(root, 'away')];
      await rename(mounted, away);
      await mkdir(join(mounted, 'checkpoints'), { recursive: true });
      const stores = storesOf();
      jest.spyOn(stores, 'open').mockImplementation(open);
      const worker = new ArtifactRequests(context, stores);
      for (const id of [1_001, 1_002])
        await worker
          .take([{ id, event_type: 'artifact.deleted', payload: { artifact_id: 'first' } } as never])
          .then(() => worker.idle());
      expect(service.confirmed).toEqual([]);
      expect(said.filter((line) => line.includes(`its copy may be there: ${copy.uri} is`))).toHaveLength(1);
      await rm(mounted, { recursive: true });
      await rename(away, mounted);
      await asked(open);
      expect([await store.holds(copy.uri), service.confirmed]).toEqual([false, ['first']]);
    });

    it.each([
      ['whose promotion has failed', 'failed'],
      ['that was deleted before it was promoted', 'pending'],
      ['whose copy nobody has noted, or that was lost with the state directory', 'confirmed'],
    ])('wait for no copy of one %s', async (_case, state) => {
      const { copy, open } = await promoted({ state });
      await rm(copy.uri, { recursive: true });
      // Nothing may be removed from a directory that is mounted read-only.
      jest.spyOn(store, 'remove').mockRejectedValue(new Error('EROFS'));
      await asked(open);
      expect(service.confirmed).toEqual(['first']);
    });

    it('confirm that its copy is gone if somebody else removed it from the directory to which it was copied', async () => {
      const { copy, open, metadata } = await promoted({ state: 'pending' }, { status: 'ready', storage_tier: 'local' });
      await asked(open, PROMOTE);
      expect(service.promoted).toEqual([{ promotion: 'confirmed', tier: 'local' }]);
      service.rows.pop();
      const row = { uri: `${SERVICE_STORE}:${copy.id}`, id: copy.id };
      artifact('first', row, { metadata: { ...metadata, promotion: { state: 'confirmed' } } });
      await store.remove(copy.uri);
      const [mounted, away] = [join(root, 'store'), join(root, 'away')];
      await rename(mounted, away);
      await asked(open);
      expect(service.confirmed).toEqual([]);
      await rename(away, mounted);
      await asked(open);
      expect(service.confirmed).toEqual(['first']);
    });

    it('confirm each of those that have one copy', async () => {
      const { copy, open, uri, metadata } = await promoted({ state: 'confirmed' });
      artifact('second', { id: copy.id, uri }, { metadata });
      const places = new CopyPlaces(context.directory);
      // The directory was moved to another disk since then.
      for (const name of ['first', 'second']) await places.keep(name, 'another place');
      await asked(open);
      expect(await store.holds(copy.uri)).toBe(false);
      await asked(open, 'artifact.deleted', 'second');
      expect(service.confirmed).toEqual(['first', 'second']);
    });

    it('confirm that its copy is gone, also if that was removed by an earlier attempt', async () => {
      const { copy, open } = await promoted({ state: 'confirmed' });
      service.refusal = 503;
      const stores = storesOf();
      jest.spyOn(stores, 'open').mockImplementation(open);
      const first = new ArtifactRequests(context, stores);
      await first.take([{ id: 1, event_type: 'artifact.deleted', payload: { artifact_id: 'first' } } as never]);
      await eventually(async () => expect(await store.holds(copy.uri)).toBe(false));
      service.refusal = 0;
      await first.idle();
      expect(service.confirmed).toEqual(['first']);
    });

    it('remove a copy that is damaged, too', async () => {
      const { copy, open } = await promoted({ state: 'confirmed' });
      await writeFile(join(copy.uri, 'manifest.json'), 'not a manifest');
      await asked(open);
      expect([await store.holds(copy.uri), service.confirmed]).toEqual([false, ['first']]);
    });

    it('confirm no promotion by a copy that is damaged', async () => {
      context = { ...context, mayPass: () => false };
      const { copy, open } = await promoted({ state: 'pending' }, { status: 'ready', storage_tier: 'local' });
      await writeFile(join(copy.uri, 'images/pages-1.img'), Buffer.alloc(100, 1));
      await asked(open, PROMOTE);
      expect(service.promoted).toEqual([{ promotion: 'failed', tier: 'local' }]);
    });

    it('confirm no promotion to a hotter tier that was requested during the copy', async () => {
      context = { ...context, mayPass: () => false };
      const { copy, open } = await promoted({ state: 'pending' }, { status: 'ready', storage_tier: 'local' });
      Object.assign(await open('service'), {
        manifest: () => {
          service.rows[0]!.storage_tier = 'memory';
          return store.manifest(copy.uri);
        },
      });
      await asked(open, PROMOTE);
      expect([service.refused, service.promoted]).toEqual([
        [{ promotion: 'confirmed', tier: 'local' }],
        [{ promotion: 'failed', tier: 'memory' }],
      ]);
    });

    it('attempt a promotion to a hotter tier three times that was requested during the last attempt', async () => {
      context = { ...context, mayPass: () => false };
      const { open } = await promoted({ state: 'pending' }, { status: 'ready', storage_tier: 'local' });
      const faults = jest.spyOn(context.log, 'error');
      let attempts = 0;
      Object.assign(await open('service'), {
        manifest: () => {
          if (++attempts === 3) service.rows[0]!.storage_tier = 'memory';
          return Promise.reject(new Error('The storage does not answer.'));
        },
      });
      await asked(open, PROMOTE);
      expect([service.refused, service.promoted]).toEqual([
        [{ promotion: 'failed', tier: 'local' }],
        [{ promotion: 'failed', tier: 'memory' }],
      ]);
      expect(faults).toHaveBeenCalledTimes(6);
    });

    it('neither confirm nor keep a copy whose images are not those of the original', async () => {
      context = { ...context, mayPass: () => false };
      const { copy, open } = await promoted({ state: 'pending' }, { status: 'ready', storage_tier: 'local' });
      const directory = join(root, 'objects');
      await mkdir(directory);
      const manifest = await store.manifest(copy.uri);
      const release = () => Promise.resolve();
      const objects = Object.assign(await open('service'), {
        manifest: () => Promise.resolve(manifest),
        open: () => Promise.resolve({ directory, manifest, stages: [], release }),
      });
      await store.remove(copy.uri);
      // What is read while it is copied is not what was verified.
      await writeFile(join(directory, 'pages-1.img'), Buffer.alloc(100, 1));
      await asked((kind) => Promise.resolve(kind === 'service' ? objects : store), PROMOTE);
      expect([service.promoted, await store.holds(copy.uri)]).toEqual([
        [{ promotion: 'failed', tier: 'local' }],
        false,
      ]);
    });

    it('fail its promotion to a directory that only this machine sees', async () => {
      context = { ...context, mayPass: () => false };
      const { open } = await promoted({ state: 'pending' }, { status: 'ready', storage_tier: 'shared' });
      const settings = { store: SERVICE_STORE, stateDir: root } as unknown as Settings;
      const stores = new ArtifactStores(settings, {} as CheckpointStore, 'shared');
      jest.spyOn(stores, 'open').mockImplementation(open);
      const worker = new ArtifactRequests(context, stores);
      await worker.take([{ id: 1, event_type: PROMOTE, payload: { artifact_id: 'first' } } as never]);
      await worker.idle();
      expect(service.promoted).toEqual([{ promotion: 'failed', tier: 'shared' }]);
    });
  });

  it('confirm what an earlier attempt has removed, also of the process before', async () => {
    const one = await publish();
    artifact('first', one);
    service.refusal = 503;
    const first = requests();
    await first.take([{ id: 1, event_type: 'artifact.deleted', payload: { artifact_id: 'first' } } as never]);
    while (await store.holds(one.uri)) await new Promise((resolve) => setTimeout(resolve, 10));
    stopping.abort();
    await first.idle();
    expect(service.confirmed).toEqual([]);
    service.refusal = 0;
    stopping = new AbortController();
    context = { ...context, signal: stopping.signal };
    const next = requests();
    expect(await next.resume()).toBe(1);
    await next.idle();
    expect(service.confirmed).toEqual(['first']);
  });

  it.each([
    [[], { promotion: 'confirmed', tier: 'local', node_name: 'gpu-1', node_boot_id: 'this boot' }],
    [['tier'], { promotion: 'confirmed', node_name: 'gpu-1', node_boot_id: 'this boot' }],
    [['tier', 'node_name', 'node_boot_id'], { promotion: 'confirmed' }],
  ])(
    'confirm a promotion with its tier and the place of the copy, but for what an older service does not know: %j',
    async (unknown, body) => {
      service.unknown = unknown;
      // Otherwise what is refused is repeated without an end.
      context = { ...context, mayPass: () => false };
      const { id, uri } = await publish();
      const metadata = { checkpoint_id: id, cluster_id: CLUSTER, promotion: { state: 'pending' } };
      artifact('first', { id, uri: `${SERVICE_STORE}:${id}` }, { status: 'ready', storage_tier: 'local', metadata });
      const stores = storesOf();
      const objects = { manifest: () => store.manifest(uri) } as unknown as CheckpointStore;
      jest.spyOn(stores, 'open').mockImplementation((kind) => Promise.resolve(kind === 'service' ? objects : store));
      const worker = new ArtifactRequests(context, stores, true, { name: 'gpu-1', bootId: 'this boot' });
      await worker.take([
        { id: 1, event_type: 'artifact.promote_requested', payload: { artifact_id: 'first' } } as never,
      ]);
      await worker.idle();
      expect(service.promoted).toEqual([body]);
    },
  );

  it('have no bytes left of copies whose removal was interrupted hours ago, in the store beside the own one', async () => {
    const { uri } = await publish();
    const whole = await publish();
    await rm(join(uri, 'manifest.json'));
    const own = {} as CheckpointStore;
    const stores = new ArtifactStores({ store: SERVICE_STORE, stateDir: root } as unknown as Settings, own);
    const diskTime = () => Promise.resolve(Date.now() + LEFTOVER_MS + 60_000);
    const later = new DirectoryStore({ directory: join(root, 'store'), key: KEY, diskTime });
    jest.spyOn(stores, 'open').mockImplementation((kind) => Promise.resolve(kind === 'service' ? own : later));
    const run = new ArtifactRequests(context, stores).run();
    await eventually(() => expect(readdirSync(join(root, 'store/checkpoints'))).toEqual([whole.id]));
    await eventually(() => expect(readdirSync(join(root, 'store/staging'))).toEqual([]));
    stopping.abort();
    await run;
  });

  it('are looked for again while the service awaits a removal', async () => {
    const one = await publish();
    artifact('first', one);
    const run = requests().run();
    while (await store.holds(one.uri)) await new Promise((resolve) => setTimeout(resolve, 10));
    stopping.abort();
    await run;
    expect(service.asked).toContain('first');
  });

  it.each([
    ['knows no confirmations', { bytes_removed_at: undefined }],
    ['lists what is of another cluster', { metadata: { cluster_id: randomUUID() } }],
    ['lists what was confirmed', { bytes_removed_at: '2026-01-01T00:00:00.000Z' }],
  ])('are not repeated for ever for a service that %s', async (_, { metadata, ...more }: Partial<Row>) => {
    service.isOlder = true;
    const one = { id: randomUUID(), uri: '' };
    one.uri = join(root, 'store/checkpoints', one.id);
    artifact('first', one, { ...more, metadata: { checkpoint_id: one.id, cluster_id: CLUSTER, ...metadata } });
    await listedOften();
    expect(service.asked).toEqual([]);
  });
});
