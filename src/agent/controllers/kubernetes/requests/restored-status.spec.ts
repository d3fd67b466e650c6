import type { Pod } from '../cluster/resources';
import type { RestorePlan } from './restore-plan';
import { restoredIn } from './restored-status';
import type { WorkContext } from './work-context';

const uid = 'a01228a1-b05b-4ea2-860c-b02d913150b5';
const reference = '/store/1';
const plan = {
  ...{ namespace: 'default', name: 'web', uid },
  containers: [{ container: 'main', reference, name: 'default/web' }],
} as unknown as RestorePlan;
const podWith = (restartCount = 0): Pod =>
  ({
    metadata: { name: 'web', namespace: 'default', uid: 'p' },
    status: { phase: 'Running', containerStatuses: [{ name: 'main', restartCount, state: { running: {} } }] },
  }) as unknown as Pod;

describe('The wait for a restored pod', () => {
  let ahead: number;
  let asked: number;
  let answer: () => object;

  beforeEach(() => {
    const now = performance.now.bind(performance);
    [ahead, asked] = [0, 0];
    answer = () => ({ uid, phase: 'running', failure: null, restored: { reference, stages: [] } });
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  });
  afterEach(() => jest.restoreAllMocks());

  const wait = (podNow: () => Pod | undefined, look: () => Pod | undefined = podNow) => {
    const supervisors = { status: () => Promise.resolve((asked++, answer())) };
    const context = { supervisors, signal: new AbortController().signal, mayPass: () => false };
    return restoredIn(context as unknown as WorkContext, podNow, plan, {
      uid,
      alive: () => Promise.resolve(),
      look: () => Promise.resolve(look()),
    });
  };
  /** No watch shows a pod, for more than a minute. */
  const unseen = (): undefined => {
    ahead += 61_000;
    return undefined;
  };

  it('asks the API server for a pod that no watch shows', async () => {
    expect(await wait(unseen, podWith)).toMatchObject({ status: { uid }, pod: { metadata: { name: 'web' } } });
  });

  it('ends when the API server has no pod either', async () => {
    expect(await wait(unseen, () => undefined)).toMatchObject({
      failure: { cause: 'workload_ended', message: 'No pod has appeared in the place of default/web.' },
    });
  });

  it('asks a supervisor less and less often', async () => {
    let looks = 0;
    answer = () => ({
      uid,
      phase: looks < 8 ? 'restoring' : 'running',
      failure: null,
      restored: looks < 8 ? null : { reference, stages: [] },
    });
    const pod = podWith();
    await wait(() => {
      looks++;
      ahead += 500;
      return pod;
    });
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThan(looks);
  });

  it('goes on for as long as the supervisor restores, however long that is', async () => {
    let looks = 0;
    answer = () => ({
      uid,
      phase: looks < 10 ? 'restoring' : 'running',
      failure: null,
      restored: looks < 10 ? null : { reference, stages: [] },
    });
    const pod = podWith();
    const outcome = await wait(() => {
      looks++;
      ahead += 600_000;
      return pod;
    });
    expect(outcome).toMatchObject({ status: { uid } });
    expect(ahead).toBeGreaterThan(1_800_000);
  });

  it('ends when nobody has restored for half an hour', async () => {
    answer = () => ({ uid, phase: 'starting', failure: null, restored: null });
    const pod = podWith();
    const outcome = await wait(() => {
      ahead += 600_000;
      return pod;
    });
    expect(outcome).toMatchObject({
      failure: { cause: 'busy', message: 'The pod default/web runs, and nobody has restored in it for 30 minutes.' },
    });
    expect(ahead).toBeGreaterThan(1_800_000);
    expect(ahead).toBeLessThan(3_600_000);
  });

  it('takes no other checkpoint for the requested one, unless the container was restarted', async () => {
    answer = () => ({ uid, phase: 'running', failure: null, restored: { reference: '/store/2', stages: [] } });
    expect(await wait(() => podWith())).toMatchObject({ failure: { cause: 'incompatible' } });
    expect(await wait(() => podWith(1))).toMatchObject({ status: { uid } });
  });
});
