import type { Pod } from '../cluster/resources';
import type { RestorePlan } from './restore-plan';
import { restoredIn } from './restored-status';
import { signsOfLife } from './signs-of-life';
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
  /** What the signs of life say that it waits for. */
  let reported: Set<string | undefined>;

  beforeEach(() => {
    const now = performance.now.bind(performance);
    [ahead, asked, reported] = [0, 0, new Set()];
    answer = () => ({ uid, phase: 'running', failure: null, restored: { reference, stages: [] } });
    jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
  });
  afterEach(() => jest.restoreAllMocks());

  const wait = (
    podNow: () => Pod | undefined,
    look: () => Pod | undefined = podNow,
    { before, madeWithinMs = 0 }: { before?: () => Pod | undefined; madeWithinMs?: number } = {},
  ) => {
    const supervisors = { status: () => Promise.resolve((asked++, answer())) };
    const context = { supervisors, signal: new AbortController().signal, mayPass: () => false };
    return restoredIn(context as unknown as WorkContext, podNow, plan, {
      ...{ uid, madeWithinMs },
      alive: signsOfLife((waiting) => Promise.resolve(void reported.add(waiting))),
      look: () => Promise.resolve({ pod: look(), before: before?.() }),
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

  describe('that an owner makes', () => {
    const MINUTE_MS = 60_000;
    const madeWithinMs = 12 * MINUTE_MS;
    const terminating = {
      metadata: { name: 'train-0', namespace: 'default', deletionTimestamp: '2026-11-23T12:00:00Z' },
      spec: { nodeName: 'n1' },
    } as unknown as Pod;

    it('goes on while the pod before it terminates, and names that', async () => {
      let looks = 0;
      const before = () => (looks++ < 14 ? terminating : undefined);
      const outcome = await wait(unseen, () => (looks > 14 ? podWith() : undefined), { before, madeWithinMs });
      expect(outcome).toMatchObject({ status: { uid } });
      expect(ahead).toBeGreaterThan(madeWithinMs);
      expect([...reported]).toContain('The pod default/train-0 still terminates on the node n1.');
    });

    it('goes on for the longest delay of a Job after that, and then ends', async () => {
      const before = () => (ahead < 5 * MINUTE_MS ? terminating : undefined);
      const outcome = await wait(unseen, () => undefined, { before, madeWithinMs });
      expect(outcome).toMatchObject({
        failure: {
          cause: 'workload_ended',
          message: 'No pod has appeared in the place of default/web within 12 minutes after it was gone.',
        },
      });
      expect(ahead).toBeGreaterThan(16 * MINUTE_MS);
      expect(ahead).toBeLessThan(20 * MINUTE_MS);
    });

    it('does not end at the first look', async () => {
      let looks = 0;
      const outcome = await wait(unseen, () => (looks++ > 5 ? podWith() : undefined), { madeWithinMs });
      expect(outcome).toMatchObject({ status: { uid } });
    });
  });

  describe('that cannot start', () => {
    const stuck = (status: object, spec: object = {}): Pod =>
      ({
        metadata: { name: 'web', namespace: 'default', uid: 'p' },
        spec: { nodeName: 'n1', ...spec },
        status: { phase: 'Pending', ...status },
      }) as unknown as Pod;
    const STEP_MS = 4 * 60_000;
    const waiting = (reason: string, message = '', members: object = {}) => ({
      ...{ name: 'main', image: 'registry/web', restartCount: 0, state: { waiting: { reason, message } } },
      ...members,
    });
    const within = async (minutes: number, podNow: (step: number) => Pod) => {
      let steps = 0;
      const outcome = await wait(() => {
        if (ahead > minutes * 60_000) return podWith();
        ahead += STEP_MS;
        return podNow(steps++);
      });
      return 'failure' in outcome ? outcome.failure : outcome.status;
    };
    const PULL = 'pull access denied';

    it('says what it waits for, and ends after half an hour without its image', async () => {
      const reasons = ['ErrImagePull', 'ImagePullBackOff'];
      const pod = (step: number) => stuck({ containerStatuses: [waiting(reasons[step % 2]!, PULL)] });
      expect(await within(60, pod)).toMatchObject({
        cause: 'scheduler_refused',
        message: expect.stringMatching(/on the node n1 for the image registry\/web.*: pull access denied.*30 minutes/),
      });
      expect(ahead).toBeGreaterThan(30 * 60_000);
      expect(ahead).toBeLessThan(45 * 60_000);
      expect([...reported].join()).toContain(PULL);
    });

    it('goes on if its image is there after a while', async () => {
      expect(await within(28, () => stuck({ containerStatuses: [waiting('ErrImagePull', PULL)] }))).toMatchObject({
        uid,
      });
    });

    it.each(['initContainerStatuses', 'containerStatuses'])(
      'ends after a minute if it never will: %s',
      async (where) => {
        const status = { [where]: [waiting('CreateContainerConfigError', 'secret "w" not found')] };
        expect(await within(60, () => stuck(status))).toMatchObject({
          cause: 'scheduler_refused',
          message: expect.stringContaining('(CreateContainerConfigError): secret "w" not found'),
        });
        expect(ahead).toBeLessThan(3 * STEP_MS);
      },
    );

    it('ends after half an hour in which an init container has failed again and again', async () => {
      const lastState = { terminated: { exitCode: 3 } };
      const states = [{ running: {} }, lastState, { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } }];
      const pod = (step: number) =>
        stuck({
          initContainerStatuses: [{ name: 'kit', restartCount: 1 + step, state: states[step % 3], lastState }],
        });
      expect(await within(60, pod)).toMatchObject({
        message: expect.stringContaining('Its container kit ended with the exit code 3.'),
      });
      expect(ahead).toBeLessThan(45 * 60_000);
    });

    it('goes on while an init container works, also after a failure', async () => {
      const state = { running: {} };
      const pod = () => stuck({ initContainerStatuses: [{ name: 'kit', restartCount: 1, state }] });
      expect(await within(44, pod)).toMatchObject({ uid });
    });

    const creating = (...conditions: object[]) =>
      stuck({ conditions, containerStatuses: [waiting('ContainerCreating')] });
    const unprepared = { type: 'PodReadyToStartContainers', status: 'False' };

    it('ends after half an hour without its volumes or its network, and says who knows why', async () => {
      expect(await within(60, () => creating(unprepared))).toMatchObject({
        cause: 'scheduler_refused',
        message:
          'The pod default/web waits on the node n1: its volumes or its network are not ready; ' +
          '`kubectl describe pod web --namespace default` names the reason. That has been so for 30 minutes.',
      });
      expect(ahead).toBeGreaterThan(30 * 60_000);
      expect(ahead).toBeLessThan(45 * 60_000);
      expect([...reported].join()).toContain('its volumes or its network are not ready');
    });

    it.each([
      ['they are ready, and its image is large', { ...unprepared, status: 'True' }],
      ['Kubernetes does not say that they are missing, as before 1.29', { type: 'Initialized', status: 'True' }],
    ])('goes on while %s', async (_, condition) => {
      expect(await within(120, () => creating(condition))).toMatchObject({ uid });
    });

    it('goes on if its volume is there after a while', async () => {
      expect(await within(28, () => creating(unprepared))).toMatchObject({ uid });
    });

    it('goes on for days without a node, and says why', async () => {
      const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/2 nodes are available' }];
      expect(await within(60, () => stuck({ conditions }, { nodeName: undefined }))).toMatchObject({ uid });
      expect([...reported]).toEqual(['The pod default/web waits for a node: 0/2 nodes are available']);
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
