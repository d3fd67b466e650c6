import type { ClusterContext } from '../cluster-context';
import type { CheckpointReports } from './checkpoint-reports';
import { reportedCheckpoint } from './reported-checkpoint';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';

describe('a checkpoint that is reported', () => {
  const taken = async (reference: string) => {
    const calls: unknown[] = [];
    const reports = {
      failure: (id: string, { cause }: { cause: string }) => Promise.resolve(calls.push(['failure', id, cause])),
      result: (_request: object, id: string) => Promise.resolve(calls.push(['result', id]) > 0),
    } as unknown as CheckpointReports;
    const context = { signal: new AbortController().signal, say: () => {}, mayPass: () => false };
    const expected = { request: { actionId: ID }, id: ID, of: 'a', beganMs: performance.now() };
    const result = { reference, bytes: 1, stages: [], criu: {} };
    const take = () => Promise.resolve(result);
    await reportedCheckpoint(context as unknown as ClusterContext, reports, expected, take);
    return calls;
  };

  it('is the requested one, in a directory or in the service', async () => {
    expect(await taken(`/store/checkpoints/${ID}`)).toEqual([['result', ID]]);
    expect(await taken(`service:${ID}`)).toEqual([['result', ID]]);
  });

  it.each([`/store/checkpoints/${OTHER}`, `service:${OTHER}`, `store/${ID}`, `/store/${ID}/../${OTHER}`])(
    'is neither claimed nor removed as %s, which is that of somebody else',
    async (reference) => {
      expect(await taken(reference)).toEqual([['failure', ID, 'checkpoint_untrusted']]);
    },
  );
});
