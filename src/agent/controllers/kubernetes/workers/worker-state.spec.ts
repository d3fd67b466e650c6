import type { Pod } from '../cluster/resources';
import { endOfGone, workerState } from './worker-state';

const NOW = Date.parse('2026-01-01T00:10:00Z');
const METADATA = { name: 'llama-0', namespace: 'models' };
const podWith = (status: object, metadata: object = {}, nodeName: string | undefined = 'n1'): Pod => ({
  metadata: { ...METADATA, ...metadata },
  spec: { containers: [], ...(nodeName !== undefined && { nodeName }) },
  status,
});
const worker = (state: object) => ({ containerStatuses: [{ name: 'worker', image: 'engine:1', state }] });
const terminated = (members: object, phase = 'Failed') => ({
  phase,
  ...worker({ terminated: { exitCode: 1, ...members } }),
});
const stateOf = (...given: Parameters<typeof podWith>) => workerState(podWith(...given), NOW);

describe('The state of the pod of a worker', () => {
  const waits: readonly [string, Pod, string][] = [
    [
      'no node has room',
      podWith(
        {
          phase: 'Pending',
          conditions: [
            { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/2 nodes are available' },
          ],
        },
        {},
        '',
      ),
      'The pod models/llama-0 waits for a node: 0/2 nodes are available',
    ],
    [
      'the scheduler has not looked',
      podWith({ phase: 'Pending' }, {}, ''),
      'The pod models/llama-0 waits for the scheduler.',
    ],
    [
      'its node prepares it',
      podWith({ phase: 'Pending', ...worker({ waiting: { reason: 'PodInitializing' } }) }),
      'The pod models/llama-0 is prepared on the node n1.',
    ],
    [
      'its image cannot be pulled',
      podWith({ phase: 'Pending', ...worker({ waiting: { reason: 'ImagePullBackOff', message: 'no such image' } }) }),
      'The pod models/llama-0 waits on the node n1 for the image engine:1, which cannot be pulled (ImagePullBackOff): no such image',
    ],
    [
      'a Secret is missing',
      podWith({
        phase: 'Pending',
        ...worker({ waiting: { reason: 'CreateContainerConfigError', message: 'secret "w" not found' } }),
      }),
      'The pod models/llama-0 waits on the node n1: its container worker cannot be started (CreateContainerConfigError): secret "w" not found',
    ],
  ];
  it.each(waits)('is queued while %s, with the reason in words', (_what, pod, why) => {
    expect(workerState(pod, NOW)).toEqual({ state: 'queued', why });
  });

  it('is running when its container is, also while it is asked to end', () => {
    const status = { phase: 'Running', podIP: '10.0.0.7', ...worker({ running: {} }) };
    expect(stateOf(status)).toEqual({ state: 'running', address: '10.0.0.7' });
    expect(stateOf(status, { deletionTimestamp: '2026-01-01T00:10:20Z' })).toMatchObject({
      ...{ state: 'running', isEnding: true },
    });
  });

  const left = { failure: { cause: 'checkpoint_damaged', message: 'The file pages-1 is damaged.' } };
  const ends: readonly [string, Pod, string, string | RegExp][] = [
    ['ends by itself', podWith(terminated({ exitCode: 3 })), 'workload_ended', 'It ended with the exit code 3.'],
    [
      'is restored from damaged images',
      podWith(terminated({ message: JSON.stringify(left) })),
      'checkpoint_damaged',
      left.failure.message,
    ],
    [
      'uses too much memory',
      podWith(terminated({ reason: 'OOMKilled', exitCode: 137 })),
      'memory_missing',
      'The pod models/llama-0 on n1 used more memory than its limit, and was killed.',
    ],
    [
      'is killed without a reason',
      podWith(terminated({ reason: 'Error', exitCode: 137 })),
      'scheduler_refused',
      'It ended with the exit code 137.',
    ],
    [
      'is on a node that goes down',
      podWith(terminated({ reason: 'Unknown', exitCode: 255 })),
      'scheduler_refused',
      'The pod models/llama-0 on n1 ended, and its node did not see how: it may have gone down.',
    ],
    [
      'is evicted',
      podWith({ ...terminated({}), reason: 'Evicted', message: 'The node was low on resource: memory.' }),
      'scheduler_refused',
      'Kubernetes ended the pod models/llama-0 on n1: Evicted: The node was low on resource: memory.',
    ],
    [
      'is deleted by somebody',
      podWith(terminated({ exitCode: 143 }), { deletionTimestamp: '2026-01-01T00:10:20Z' }),
      'scheduler_refused',
      'The pod models/llama-0 on n1 was deleted, and ended with the exit code 143.',
    ],
    [
      'is deleted, and its node does not say how its container ended',
      podWith(
        { phase: 'Failed', ...worker({ waiting: { reason: 'ContainerCreating' } }) },
        {
          deletionTimestamp: '2026-01-01T00:10:20Z',
        },
      ),
      'scheduler_refused',
      'The pod models/llama-0 on n1 was deleted.',
    ],
    [
      'ends, and its node does not say how its container ended',
      podWith({ phase: 'Failed' }),
      'scheduler_refused',
      'The pod models/llama-0 on n1 ended before its supervisor began.',
    ],
    [
      'has a command that is not there',
      podWith(terminated({ reason: 'StartError', message: 'no such file' })),
      'scheduler_refused',
      'The pod models/llama-0 on n1 could not be started: no such file',
    ],
    [
      'gets no agent',
      podWith({
        phase: 'Failed',
        initContainerStatuses: [{ name: 'agent', state: { terminated: { exitCode: 2, reason: 'Error' } } }],
      }),
      'scheduler_refused',
      /its init container agent ended with the exit code 2: see kubectl logs --namespace models llama-0 --container agent$/,
    ],
    [
      'is on a node that is lost',
      podWith({ phase: 'Running', ...worker({ running: {} }) }, { deletionTimestamp: '2026-01-01T00:09:00Z' }),
      'scheduler_refused',
      /its node n1 does not say that it has ended/,
    ],
    [
      'is deleted before it runs',
      podWith({ phase: 'Pending' }, { deletionTimestamp: '2026-01-01T00:10:20Z' }),
      'scheduler_refused',
      'The pod models/llama-0 was deleted before it ran.',
    ],
  ];
  it.each(ends)('is ended when it %s, with the cause in words', (_what, pod, cause, message) => {
    const state = workerState(pod, NOW);
    expect(state).toMatchObject({ state: 'ended', failure: { cause } });
    const said = state.state === 'ended' ? state.failure.message : '';
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  const [deletionTimestamp, deletionGracePeriodSeconds] = ['2026-01-01T00:10:20Z', 30];
  const deletion = { deletionTimestamp, deletionGracePeriodSeconds };
  const lost = { reason: 'ContainerStatusUnknown', exitCode: 137 };
  const takers: readonly [string, Pod, true | undefined][] = [
    ['it ended by itself', podWith(terminated({})), undefined],
    ['it was evicted for what it uses', podWith({ ...terminated({}), reason: 'Evicted' }), undefined],
    [
      'it was evicted, and its node did not see how its container ended',
      podWith({ ...terminated(lost), reason: 'Evicted' }),
      undefined,
    ],
    ['its node was shut down', podWith({ ...terminated({}), reason: 'NodeShutdown' }), true],
    ['its node was shut down, and lost it', podWith({ ...terminated(lost), reason: 'NodeShutdown' }), true],
    ['its node was shut down (Terminated)', podWith({ ...terminated({}), reason: 'Terminated' }), true],
    ['its node went down', podWith(terminated({ reason: 'Unknown', exitCode: 255 })), true],
    ['its node lost it', podWith(terminated(lost)), true],
    [
      'its node had no devices after a reboot, and lost it',
      podWith({ ...terminated(lost), reason: 'UnexpectedAdmissionError' }),
      true,
    ],
    ['it was killed', podWith(terminated({ reason: 'Error', exitCode: 137 })), undefined],
    ['it had to make room', podWith({ ...terminated({}), reason: 'Preempting' }), true],
    ['it was deleted before it ran', podWith({ phase: 'Pending' }, deletion), true],
    ['it was deleted', podWith(terminated({ finishedAt: '2026-01-01T00:09:50Z' }), deletion), true],
    ['it was deleted later', podWith(terminated({ finishedAt: '2026-01-01T00:09:49Z' }), deletion), undefined],
  ];
  it.each(takers)('names what others have ended: %s', (_what, pod, isAsked) => {
    const state = workerState(pod, NOW);
    expect([state.state, state.state === 'ended' && state.isAsked]).toStrictEqual(['ended', isAsked]);
  });

  it('names what others have ended if a pod that ran is gone', () => {
    const running = podWith({ phase: 'Running', ...worker({ running: {} }) });
    expect([endOfGone(running), endOfGone(podWith(terminated({})))].map(({ isAsked }) => isAsked)).toStrictEqual([
      true,
      undefined,
    ]);
  });

  it('is known also when the pod is gone', () => {
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(endOfGone(podWith(terminated({ exitCode: 3 }))).failure.message).toBe('It ended with the exit code 3.');
    expect(endOfGone(podWith(terminated({ exitCode: 3 }), { deletionTimestamp })).failure).toEqual({
      cause: 'scheduler_refused',
      message: 'The pod models/llama-0 on n1 was deleted, and ended with the exit code 3.',
    });
    const running = podWith({ phase: 'Running', ...worker({ running: {} }) }, { deletionTimestamp });
    expect(endOfGone(running).failure.message).toBe('The pod models/llama-0 on n1 was deleted.');
  });

  it('says when the container of the worker ended, or else when the pod should have', () => {
    const [finishedAt, deletionTimestamp] = ['2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z'];
    const ended = podWith(terminated({ finishedAt }), { deletionTimestamp });
    expect(workerState(ended, NOW)).toMatchObject({ endedAt: finishedAt });
    expect(endOfGone(ended)).toMatchObject({ endedAt: finishedAt });
    const running = podWith({ phase: 'Running', ...worker({ running: {} }) }, { deletionTimestamp });
    expect(endOfGone(running)).toMatchObject({ state: 'ended', endedAt: deletionTimestamp });
    expect(workerState(podWith({ phase: 'Failed' }), NOW)).toMatchObject({ state: 'ended', endedAt: undefined });
  });
});
