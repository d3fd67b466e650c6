import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/eventually';
import type { ClusterContext } from '../common/cluster-context';
import type { ArtifactStores } from './artifacts/artifact-stores';
import { WorkerRecords } from './profile/worker-record';
import type { RunStatus, WorkerRuns } from './worker-runs';
import { WorkersController } from './workers-controller';

const ID = 'llama';
const PAGE = 1_000;

interface Report {
  readonly phase: string;
  readonly observed_generation: number;
}

describe('The workers of a profile among so many that their intents fill pages', () => {
  let directory: string;
  let engine: Server;
  let stopped: AbortController;
  let running: Promise<void>;
  let controller: WorkersController;
  let listed: object[];
  let pages: number;
  let own: object | undefined;
  let reports: Report[];
  let questions: number;
  let request: object | null;
  let updates: object[];

  const intent = (profileId: string, members: object = {}) => ({
    ...{ profile_id: profileId, desired_state: 'Active', desired_replicas: 1, generation: 3, status: 'Fulfilled' },
    ...members,
  });
  const others = Array.from({ length: PAGE + 1 }, (_, index) => intent(`other-${index}`));

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-workers-'));
    engine = createServer((_request, response) => response.end('ok'));
    await new Promise<void>((resolve) => engine.listen(0, '127.0.0.1', resolve));
    stopped = new AbortController();
    [own, request, updates] = [intent(ID), null, []];
    [listed, pages, reports, questions] = [[own, ...others], 0, [], 0];
    controller = new WorkersController({
      ...{ context: context(), runs: runs(), node: undefined, profiles: new Set([ID]) },
      stores: { usual: 'directory' } as ArtifactStores,
      lookEveryMs: 20,
    });
    running = controller.run();
    await eventually(() => expect(reports.at(-1)).toMatchObject({ phase: 'Ready', observed_generation: 3 }));
  });
  afterEach(async () => {
    stopped.abort();
    await running;
    engine.closeAllConnections();
    await new Promise((resolve) => engine.close(resolve));
    rmSync(directory, { recursive: true });
  });

  const intents = ({ profile_id: id, limit, offset = 0 }: { profile_id?: string; limit: number; offset?: number }) => {
    if (id !== undefined) return own ? [own] : [];
    pages++;
    return listed.slice(offset, offset + limit);
  };
  const answers: Readonly<Record<string, (sent: { params: { query: never }; body: Report }) => unknown>> = {
    list_capacity_intents: ({ params }) => intents(params.query),
    get_profile: () => ({
      ...{ profile_id: ID, hosting_mode: 'checkpointed' },
      spec: { checkpoint_owner: 'somebody', worker: { command: ['engine'], port: 8_000 } },
    }),
    get_profile_hosting: () => {
      questions++;
      return { checkpoint_request: request };
    },
    lookup_artifacts: () => [],
    report_activation: ({ body }) => void reports.push(body),
    record_lifecycle_event: () => undefined,
    update_profile_checkpoint: ({ body }) => updates.push(body),
  };

  const context = (): ClusterContext => {
    const log = { warn: () => {}, error: () => {}, info: () => {} };
    const send = async (operation: string, call: (api: object) => Promise<unknown>) => {
      const answer = (_path: string, sent: never) => Promise.resolve(answers[operation]!(sent));
      return call({ GET: answer, POST: answer, PATCH: answer });
    };
    return {
      ...{ directory, log, service: { send }, signal: stopped.signal },
      ...{ clusterId: () => 'c', mayPass: () => true, say: () => {} },
    } as unknown as ClusterContext;
  };

  const runs = (): WorkerRuns => {
    const known = new Map<string, RunStatus>();
    const endpoint = () => `http://127.0.0.1:${(engine.address() as AddressInfo).port}`;
    return {
      sharesNetwork: true,
      start: ({ uid }) => Promise.resolve(void known.set(uid, { state: 'running', endpoint: endpoint() })),
      status: ({ uid }) => Promise.resolve(known.get(uid)),
      list: () => Promise.resolve([]),
      end: ({ uid }) => Promise.resolve(void known.delete(uid)),
      checkpoint: () => Promise.resolve(),
      isQuiet: () => Promise.resolve(true),
      freePort: () => Promise.resolve(1),
    };
  };
  const looks = async (times: number) => {
    const before = pages;
    await eventually(() => expect(pages).toBeGreaterThanOrEqual(before + 2 * (times + 1)));
  };

  it('serve on if their intent moved from page to page while these were read', async () => {
    listed = others;
    own = intent(ID, { generation: 4 });
    await looks(2);
    await eventually(() => expect(reports.at(-1)).toMatchObject({ phase: 'Ready', observed_generation: 4 }));
    expect(reports.map(({ phase }) => phase)).not.toContain('Draining');
  });

  it('are asked about in each look while they run, and hardly ever while they sleep', async () => {
    const first = questions;
    await eventually(() => expect(questions).toBeGreaterThan(first + 5));
    listed = [intent(ID, { desired_state: 'Suspended', desired_replicas: 0, generation: 4 }), ...others];
    await eventually(() => expect(reports.at(-1)).toMatchObject({ phase: 'Suspended' }));
    // Until then, it does not sleep yet.
    await eventually(async () => expect(await new WorkerRecords(directory).all()).toEqual([]));
    await looks(1);
    const [asked, page] = [questions, pages];
    await looks(30);
    // A look reads two pages.
    expect((2 * (questions - asked)) / (pages - page)).toBeLessThan(0.2);
    await controller.take([{ event_type: 'checkpoint_request.created', payload: { profile_id: ID } } as never]);
    const before = questions;
    await eventually(() => expect(questions).toBeGreaterThan(before));
  });

  it('leave a requested checkpoint to the owner of their checkpoints, as the profile names it', async () => {
    request = { request_id: '01980000-0000-7000-8000-000000000001', kind: 'checkpoint', status: 'pending' };
    const before = questions;
    await eventually(() => expect(questions).toBeGreaterThan(before + 3));
    expect(updates).toEqual([]);
  });

  it('end if the service has no intent of their profile any more', async () => {
    [listed, own] = [others, undefined];
    await looks(2);
    await eventually(() => expect(reports.at(-1)).toMatchObject({ phase: 'Suspended' }));
  });
});
