import { mayPassIn } from '../../common/requests/may-pass';
import { StoreUnavailable } from '../../common/reports/stored-result';
import { takeCheckpoint } from './checkpoint-work';
import type { CheckpointAsked } from './host-requests';
import type { WorkContext } from './work-context';

const ID = '11111111-1111-4111-8111-111111111111';
const ASKED: CheckpointAsked = {
  kind: 'checkpoint',
  actionId: '22222222-2222-4222-8222-222222222222',
  eventId: 1,
  checkpointId: ID,
  podUid: '33333333-3333-4333-8333-333333333333',
  leaveRunning: false,
};
const MANIFEST = { reference: `/store/checkpoints/${ID}`, bytes: 1, stages: [], workload: {}, machine: {} };

describe('A checkpoint of a workload that has ended, with a store that is silent', () => {
  let answer: PromiseWithResolvers<object>;
  let operations: string[];
  let action: object;
  let context: WorkContext;
  let left: number;

  beforeEach(() => {
    [answer, operations, action, left] = [Promise.withResolvers(), [], { status: 'in_progress' }, 0];
    const send = (operation: string) => {
      operations.push(operation);
      return Promise.resolve({ get_action: action, create_checkpoint: ID }[operation]);
    };
    context = {
      service: { send },
      workloads: { find: () => Promise.resolve(undefined) },
      store: { findsAtOnce: 1, find: () => answer.promise },
      storeSilentAfterMs: 20,
      mayPass: mayPassIn(),
      signal: new AbortController().signal,
      log: { info: () => {}, warn: () => {} },
      say: () => {},
    } as unknown as WorkContext;
  });

  const take = () => takeCheckpoint(context, ASKED, () => left++);
  const isRepeated = async () => {
    const error: unknown = await take().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(context.mayPass(error)).toBe(true);
    expect(operations).toEqual(['get_action', 'create_checkpoint']);
  };

  it('is not reported as failed, and is reported once the store answers', async () => {
    await isRepeated();
    answer.resolve(MANIFEST);
    await take();
    expect(operations.slice(-2)).toEqual(['put_checkpoint_info', 'report_checkpoint_uploaded']);
  });

  it('keeps no other one from its dump', async () => {
    const taken = take();
    for (let turns = 0; left === 0 && turns < 100; turns++) await Promise.resolve();
    expect(left).toBeGreaterThan(0);
    answer.resolve(MANIFEST);
    await taken;
  });

  it('is no longer waited for once the service has given it up', async () => {
    await isRepeated();
    action = { status: 'error' };
    await take();
    expect(operations.slice(2)).toEqual(['get_action']);
  });
});
