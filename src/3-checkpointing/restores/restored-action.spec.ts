import type { RestoreStatus } from './restore.states';
import { restoredStatus, type ReportedAttempt } from './restored-action';

const CHECKPOINTS = [
  { id: 'main-1', container: 'main', isRequested: true },
  { id: 'side-1', container: 'sidecar', isRequested: true },
];

/** @param of a checkpoint, or `container=` and a name, or nothing */
function attempt(text: string): ReportedAttempt {
  const [status, of = ''] = text.split(' ');
  const container = of.startsWith('container=') ? of.slice('container='.length) : null;
  return { status: status as RestoreStatus, checkpointId: container === null && of ? of : null, container };
}

/** @param attempts oldest first */
const statusOf = (attempts: string[], checkpoints = CHECKPOINTS) =>
  restoredStatus(attempts.map(attempt).reverse(), checkpoints);

describe('the status of a restore by its attempts', () => {
  it.each<[string, string[], string]>([
    ['the only one goes on', ['started'], 'processing'],
    ['the only one succeeded', ['succeeded'], 'ready'],
    ['the only one failed', ['failed'], 'error'],
    ['the checkpoint of the request stands for the pod', ['succeeded main-1'], 'ready'],
    ['a later one succeeded', ['failed main-1', 'succeeded main-1'], 'ready'],
    ['a later one failed', ['succeeded main-1', 'failed main-1'], 'ready'],
    ['a later one goes on', ['failed main-1', 'started main-1'], 'processing'],
    ['the later one failed, and the first one never ended', ['started main-1', 'failed main-1'], 'error'],
    ['an unknown checkpoint stands for the pod', ['succeeded elsewhere'], 'ready'],
    ['the only one names another checkpoint', ['succeeded side-1'], 'ready'],
    ['all name the same other checkpoint', ['failed side-1', 'succeeded side-1'], 'ready'],
    ['the later one names another checkpoint, and the first one none', ['failed', 'succeeded side-1'], 'ready'],
    ['an unknown container stands for the pod', ['succeeded container=other'], 'ready'],
  ])('is that of the whole pod: %s', (_case, attempts, status) => {
    expect(statusOf(attempts)).toBe(status);
  });

  it.each<[string, string[], string]>([
    ['one is restored and one goes on', ['started side-1', 'succeeded main-1'], 'processing'],
    ['one is restored by its name and one was not begun', ['succeeded container=main'], 'processing'],
    ['both are restored', ['succeeded side-1', 'succeeded main-1'], 'ready'],
    ['both are restored by their names', ['succeeded container=main', 'succeeded container=sidecar'], 'ready'],
    ['one failed and one is restored', ['failed side-1', 'succeeded main-1'], 'error'],
    ['one failed and one goes on', ['failed side-1', 'started main-1'], 'error'],
    ['one failed and was restored later', ['failed side-1', 'succeeded main-1', 'succeeded side-1'], 'ready'],
    ['one failed and the other was restored twice', ['failed side-1', 'succeeded main-1', 'succeeded main-1'], 'error'],
    ['one is tried again', ['failed side-1', 'succeeded main-1', 'started side-1'], 'processing'],
    ['the whole pod is restored after all', ['failed side-1', 'started main-1', 'succeeded'], 'ready'],
    ['the whole pod failed and one is restored', ['failed', 'succeeded container=sidecar'], 'error'],
    ['the whole pod failed and both are restored', ['failed', 'succeeded side-1', 'succeeded main-1'], 'ready'],
  ])('is that of all containers: %s', (_case, attempts, status) => {
    expect(statusOf(attempts)).toBe(status);
  });

  it('needs no container whose checkpoint was not ready at the request, unless somebody tried it', () => {
    const third = { id: 'log-1', container: 'log', isRequested: false };
    const both = ['succeeded side-1', 'succeeded main-1'];
    expect(statusOf(both, [...CHECKPOINTS, third])).toBe('ready');
    expect(statusOf(both, [...CHECKPOINTS, { ...third, isRequested: true }])).toBe('processing');
    expect(statusOf([...both, 'failed log-1'], [...CHECKPOINTS, third])).toBe('error');
  });
});
