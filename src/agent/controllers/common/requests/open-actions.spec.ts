import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServiceClient } from '../../../service/client';
import { openRequests } from './open-actions';

const CLUSTER = '01980000-0000-7000-8000-000000000001';
const OTHER = '01980000-0000-7000-8000-000000000002';
const CHECKPOINT = '01980000-0000-7000-8000-000000000003';
const MAX_ROWS = 1_000;

interface Listed {
  readonly action_id: string;
  readonly cluster: string;
  readonly status: string;
}

/** The operations that are needed, on a real socket. Its lists are newest first. */
class ActionsService {
  actions: Listed[] = [];
  /** It knows neither filters nor the action after which a page begins. */
  isOlder = false;
  /** So many rows have as many bytes as a page may have. */
  rowsAPage = Infinity;
  /** Called with each page. */
  afterPage: () => void = () => undefined;
  pages = 0;
  private readonly server: Server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    response.setHeader('content-type', 'application/json');
    if (pathname === '/v1/checkpoints') return response.end(JSON.stringify([{ id: CHECKPOINT, cluster_id: CLUSTER }]));
    if (pathname !== '/v1/actions') {
      const id = pathname.slice('/v1/actions/'.length);
      return response.end(JSON.stringify(viewOf(this.actions.find(({ action_id: one }) => one === id)!)));
    }
    const [after, cluster] = [searchParams.get('after'), searchParams.get('cluster_id')];
    // Also behind one that has ended since.
    const from = this.isOlder || after === null ? 0 : this.actions.findIndex(({ action_id: id }) => id === after) + 1;
    const sought = this.actions
      .slice(from)
      .filter((one) => this.isOlder || isOpen(one) || searchParams.get('open') !== 'true')
      .filter((one) => this.isOlder || cluster === null || cluster === one.cluster);
    const offset = Number(searchParams.get('offset'));
    const limit = Math.min(Number(searchParams.get('limit')), MAX_ROWS, this.rowsAPage);
    const rows = sought.slice(offset, offset + limit);
    if (sought.length > offset + rows.length) {
      searchParams.set('offset', String(offset + rows.length));
      if (!this.isOlder && (after !== null || searchParams.get('open') === 'true')) {
        searchParams.delete('offset');
        searchParams.set('after', rows.at(-1)!.action_id);
      }
      response.setHeader('link', `<${pathname}?${searchParams.toString()}>; rel="next"`);
    }
    this.pages++;
    this.afterPage();
    return response.end(JSON.stringify(rows.map(viewOf)));
  });

  async listen(): Promise<ServiceClient> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    const { port } = this.server.address() as AddressInfo;
    return new ServiceClient({ url: `http://127.0.0.1:${port}`, token: 'ccp_secret-of-the-test' });
  }
  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const isOpen = ({ status }: Listed): boolean => status === 'processing';

const viewOf = ({ action_id, cluster, status }: Listed) => ({
  ...{ action_id, status, checkpoint_id: CHECKPOINT, type: 'restore_pod', platform: 'linux' },
  details: { cluster_id: cluster },
});

const action = (status: string, cluster = CLUSTER): Listed => ({ action_id: randomUUID(), cluster, status });

describe('The open requests of a cluster', () => {
  let service: ActionsService;
  let client: ServiceClient;

  beforeEach(async () => {
    service = new ActionsService();
    client = await service.listen();
  });
  afterEach(() => service.close());

  const found = async () =>
    (await openRequests(client, CLUSTER, ({ actionId }) => ({ kind: 'restore', actionId }))).map(
      ({ actionId }) => actionId,
    );

  it('include a restore that is older than any number of actions that have ended', async () => {
    const open = action('processing');
    service.actions = [...Array.from({ length: 20_001 }, () => action('ready')), open];
    expect(await found()).toEqual([open.action_id]);
    expect(service.pages).toBe(1);
  });

  it('include it with a service that does not know the filters', async () => {
    const open = action('processing');
    service.isOlder = true;
    service.actions = [...Array.from({ length: 20_001 }, () => action('ready')), action('processing', OTHER), open];
    expect(await found()).toEqual([open.action_id]);
    expect(service.pages).toBeLessThan(40);
  });

  it('are read to the end if pages have fewer rows than asked for, because of their bytes', async () => {
    service.actions = Array.from({ length: 20 }, () => action('processing'));
    const ids = service.actions.map(({ action_id: id }) => id);
    for (const isOlder of [false, true]) {
      Object.assign(service, { isOlder, rowsAPage: 3 });
      expect(await found()).toEqual(ids);
    }
  });

  it.each([true, false])(
    'are read completely from replicas of two releases (an older one first: %s)',
    async (isOlder) => {
      service.isOlder = isOlder;
      service.afterPage = () => (service.isOlder = !service.isOlder);
      service.actions = Array.from({ length: 2_400 }, (_, at) =>
        action(at % 4 === 0 ? 'ready' : 'processing', at % 3 === 0 ? OTHER : CLUSTER),
      );
      const own = service.actions.filter((one) => isOpen(one) && one.cluster === CLUSTER);
      expect(own.length).toBeGreaterThan(1_000);
      expect((await found()).sort()).toEqual(own.map(({ action_id: id }) => id).sort());
    },
  );

  it('are read once each from an older replica that gets the position of a newer one', async () => {
    service.rowsAPage = 100;
    service.actions = Array.from({ length: 150 }, () => action('processing'));
    service.afterPage = () => Object.assign(service, { isOlder: true, rowsAPage: Infinity });
    expect(await found()).toEqual(service.actions.map(({ action_id: id }) => id));
    expect(service.pages).toBe(2);
  });

  it('are read completely while others end', async () => {
    service.rowsAPage = 5;
    service.actions = Array.from({ length: 20 }, () => action('processing'));
    const ids = service.actions.map(({ action_id: id }) => id);
    service.afterPage = () => {
      const first = service.actions.find(isOpen);
      service.actions = service.actions.map((one) => (one === first ? { ...one, status: 'ready' } : one));
    };
    expect(await found()).toEqual(ids);
    expect(service.pages).toBe(4);
    expect(service.actions.filter(isOpen)).toHaveLength(16);
  });

  it('are not read for ever from a service that repeats a page', async () => {
    service.isOlder = true;
    service.rowsAPage = 0;
    service.actions = [action('processing')];
    await expect(found()).rejects.toThrow('does not continue its answer to list_actions');
  });
});
