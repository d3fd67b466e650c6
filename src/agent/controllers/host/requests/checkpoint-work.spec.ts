import { AgentFailure } from '../../../failures';
import { takeCheckpoint } from './checkpoint-work';
import type { CheckpointAsked } from './host-requests';
import type { WorkContext } from './work-context';

const ID = 'a01228a1-b05b-4ea2-860c-b02d913150b5';
const REFERENCE = `/store/checkpoints/${ID}`;
const asked: CheckpointAsked = {
  kind: 'checkpoint',
  actionId: 'b01228a1-b05b-4ea2-860c-b02d913150b5',
  eventId: 1,
  checkpointId: ID,
  podUid: 'u',
  leaveRunning: true,
};

describe('A requested checkpoint of a workload that has ended', () => {
  let operations: string[];
  let joined: number;

  beforeEach(() => ([operations, joined] = [[], 0]));

  const inProgress = { id: ID, state: 'in_progress', progress: null };
  const ended = { namespace: 'default', name: 'count', uid: 'u', phase: 'ended', checkpoints: [inProgress] };
  const storing = { ...ended, supervisorPid: 5 };
  const left = { ...ended, supervisorPid: null };
  const lost = new AgentFailure({ cause: 'workload_ended', message: 'The connection was lost.' });

  /** @param found what is known of the workload, look by look; @param answers of its supervisor */
  const take = async (found: object[], answers: (object | Error)[]): Promise<void> => {
    const send = (operation: string) => {
      operations.push(operation);
      const answer = operation === 'get_action' ? { status: 'in_progress' } : '';
      return Promise.resolve(operation === 'create_checkpoint' ? ID : answer);
    };
    const workloads = {
      find: () => Promise.resolve(found.length > 1 ? found.shift() : found[0]),
      checkpoint: () => {
        const answer = answers[joined++];
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    };
    const context = {
      ...{ service: { send }, workloads, store: { find: () => Promise.resolve('missing') } },
      ...{ log: { info: () => {}, warn: () => {} }, say: () => {}, clusterId: () => 'c', node: 'n1', agent: 'test' },
      ...{ signal: new AbortController().signal, mayPass: () => false },
    };
    await takeCheckpoint(context as unknown as WorkContext, asked, () => {});
  };
  const stored = { reference: REFERENCE, bytes: 1, stages: [], criu: {}, machine: {} };

  it('is waited for while the supervisor still stores it', async () => {
    await take([storing], [stored]);
    expect([joined, operations.at(-1)]).toEqual([1, 'report_checkpoint_uploaded']);
  });

  it('is joined again if the connection to that supervisor was lost', async () => {
    await take([storing, storing], [lost, stored]);
    expect([joined, operations.at(-1)]).toEqual([2, 'report_checkpoint_uploaded']);
  });

  it('has failed if that supervisor has left, or stores another one', async () => {
    const other = { ...storing, checkpoints: [{ ...inProgress, id: asked.actionId }] };
    for (const found of [left, other]) await take([found], []);
    expect([joined, operations]).not.toContain('report_checkpoint_uploaded');
    expect(joined).toBe(0);
  });
});
