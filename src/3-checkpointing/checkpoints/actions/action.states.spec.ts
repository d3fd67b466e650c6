import { ACTION_STATUSES, derivedStatus, furthest, isOver, isWhole, type CheckpointProgress } from './action.states';
import type { CheckpointStatus } from '../checkpoint.states';

const at = (
  status: CheckpointStatus,
  { claimed = true, failed = false, container = null as string | null } = {},
): CheckpointProgress => ({ status, claimed, failed, container });

describe('the status of an action by its checkpoints', () => {
  it.each<[string, CheckpointProgress[], string]>([
    ['there is no checkpoint', [], 'initialized'],
    ['no node took it up', [at('initializing', { claimed: false })], 'initialized'],
    ['a node took one up', [at('initializing'), at('initializing', { claimed: false })], 'processing'],
    ['some are created and some are not', [at('updated_info'), at('initializing')], 'processing'],
    ['some are uploaded and some are not created', [at('ready'), at('initializing')], 'processing'],
    ['all are made', [at('updated_info'), at('updated_info')], 'checkpoint_created'],
    ['an upload is presumed only', [at('possibly_uploaded'), at('ready')], 'checkpoint_created'],
    ['all are uploaded', [at('ready'), at('ready')], 'ready'],
    ['one was deprecated after it was ready', [at('deprecated'), at('ready')], 'ready'],
    ['one failed, whatever the others are', [at('deprecated', { failed: true }), at('ready')], 'error'],
    ['one failed before the others started', [at('deprecated', { failed: true }), at('initializing')], 'error'],
  ])('derives the status of an action from its checkpoints: %s', (_case, checkpoints, status) => {
    expect(derivedStatus(checkpoints, null)).toBe(status);
    expect(derivedStatus([...checkpoints].reverse(), null)).toBe(status);
  });
});

describe('an action that covers containers', () => {
  const PAIR = ['main', 'sidecar'];
  const ready = (container: string | null) => at('ready', { container });

  it.each<[string, CheckpointProgress[], string]>([
    ['is ready when each container has a ready checkpoint', [ready('main'), ready('sidecar')], 'ready'],
    ['is not ready while a container has none', [ready('main')], 'processing'],
    ['ignores a container that it does not cover', [ready('main'), ready('other')], 'processing'],
    ['counts unnamed checkpoints for its containers', [ready(null), ready(null)], 'ready'],
    ['counts one unnamed checkpoint for one container only', [ready(null)], 'processing'],
    ['counts an unnamed checkpoint for a missing container', [ready('main'), ready(null)], 'ready'],
    [
      'is created when each container has a checkpoint with facts',
      [ready('main'), at('updated_info', { container: 'sidecar' })],
      'checkpoint_created',
    ],
    ['is not created while a container has none', [at('updated_info', { container: 'main' })], 'processing'],
    [
      'waits for the checkpoint of another container',
      [ready('main'), ready('sidecar'), at('initializing', { container: 'other' })],
      'processing',
    ],
  ])('an action that covers containers %s', (_case, checkpoints, status) => {
    expect(derivedStatus(checkpoints, PAIR)).toBe(status);
  });

  it('is whole only while each container has a ready checkpoint', () => {
    expect(isWhole('ready', [ready('main'), ready('sidecar')], PAIR)).toBe(true);
    expect(isWhole('ready', [ready('main'), at('deprecated', { container: 'sidecar' })], PAIR)).toBe(false);
    expect(isWhole('processing', [ready('main'), ready('sidecar')], PAIR)).toBe(false);
    expect(isWhole('ready', [ready(null)], null)).toBe(true);
    expect(isWhole('ready', [at('deprecated')], null)).toBe(false);
    expect(isWhole('ready', [ready(null), ready(null)], null)).toBe(true);
    expect(isWhole('ready', [ready(null), at('deprecated')], null)).toBe(false);
  });
});

describe('a status change of an action', () => {
  it('goes forward only, and never leaves a final status', () => {
    const allowed = ACTION_STATUSES.flatMap((from) =>
      ACTION_STATUSES.filter((to) => to !== from && furthest(from, to) === to).map((to) => `${from} > ${to}`),
    );
    expect(allowed).toEqual([
      'initialized > processing',
      'initialized > checkpoint_created',
      'initialized > ready',
      'initialized > error',
      'processing > checkpoint_created',
      'processing > ready',
      'processing > error',
      'checkpoint_created > ready',
      'checkpoint_created > error',
    ]);
  });

  it('has no effect if it is not allowed', () => {
    expect(furthest('ready', 'error')).toBe('ready');
    expect(furthest('error', 'ready')).toBe('error');
    expect(furthest('checkpoint_created', 'processing')).toBe('checkpoint_created');
  });

  it('ends in ready or error', () => {
    expect(ACTION_STATUSES.filter(isOver)).toEqual(['ready', 'error']);
  });
});
