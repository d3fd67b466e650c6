import { ACTION_STATUSES, derivedStatus, furthest, isOver, isWhole, type CheckpointProgress } from './action.states';
import type { CheckpointStatus } from '../checkpoint.states';

const at = (
  status: CheckpointStatus,
  { claimed = true, failed = false, container = null as string | null } = {},
): CheckpointProgress => ({ status, claimed, failed, container });

describe('where an action is by its checkpoints', () => {
  it.each<[string, CheckpointProgress[], string]>([
    ['nothing is known of any', [], 'initialized'],
    ['no node took it up', [at('initializing', { claimed: false })], 'initialized'],
    ['a node took one up', [at('initializing'), at('initializing', { claimed: false })], 'processing'],
    ['some are made and some are not', [at('updated_info'), at('initializing')], 'processing'],
    ['some are uploaded and some are not made', [at('ready'), at('initializing')], 'processing'],
    ['all are made', [at('updated_info'), at('updated_info')], 'checkpoint_created'],
    ['an upload is presumed only', [at('possibly_uploaded'), at('ready')], 'checkpoint_created'],
    ['all are uploaded', [at('ready'), at('ready')], 'ready'],
    ['one was given up after it was ready', [at('deprecated'), at('ready')], 'ready'],
    ['one failed, whatever the others are', [at('deprecated', { failed: true }), at('ready')], 'error'],
    ['one failed before the others began', [at('deprecated', { failed: true }), at('initializing')], 'error'],
  ])('%s', (_case, checkpoints, status) => {
    expect(derivedStatus(checkpoints, null)).toBe(status);
    expect(derivedStatus([...checkpoints].reverse(), null)).toBe(status);
  });
});

describe('what an action covers', () => {
  const PAIR = ['main', 'sidecar'];
  const ready = (container: string | null) => at('ready', { container });

  it.each<[string, CheckpointProgress[], string]>([
    ['is ready when each container has a checkpoint that is', [ready('main'), ready('sidecar')], 'ready'],
    ['is not ready while a container has none', [ready('main')], 'processing'],
    ['is not ready by a container that it does not cover', [ready('main'), ready('other')], 'processing'],
    ['is ready when unnamed checkpoints stand for the containers', [ready(null), ready(null)], 'ready'],
    ['is not ready by one unnamed checkpoint for two containers', [ready(null)], 'processing'],
    ['is ready when an unnamed checkpoint stands for the one that is missing', [ready('main'), ready(null)], 'ready'],
    [
      'is created when each container has a checkpoint with its facts',
      [ready('main'), at('updated_info', { container: 'sidecar' })],
      'checkpoint_created',
    ],
    ['is not created while a container has none', [at('updated_info', { container: 'main' })], 'processing'],
    [
      'waits for a checkpoint of a further container',
      [ready('main'), ready('sidecar'), at('initializing', { container: 'other' })],
      'processing',
    ],
  ])('%s', (_case, checkpoints, status) => {
    expect(derivedStatus(checkpoints, PAIR)).toBe(status);
  });

  it('is whole only while each container has a checkpoint that is ready', () => {
    expect(isWhole('ready', [ready('main'), ready('sidecar')], PAIR)).toBe(true);
    expect(isWhole('ready', [ready('main'), at('deprecated', { container: 'sidecar' })], PAIR)).toBe(false);
    expect(isWhole('processing', [ready('main'), ready('sidecar')], PAIR)).toBe(false);
    expect(isWhole('ready', [ready(null)], null)).toBe(true);
    expect(isWhole('ready', [at('deprecated')], null)).toBe(false);
  });
});

describe('moves of an action', () => {
  it('go forward only, and never on from an end', () => {
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

  it('stay where they are when they are not allowed', () => {
    expect(furthest('ready', 'error')).toBe('ready');
    expect(furthest('error', 'ready')).toBe('error');
    expect(furthest('checkpoint_created', 'processing')).toBe('checkpoint_created');
  });

  it('end in ready or error', () => {
    expect(ACTION_STATUSES.filter(isOver)).toEqual(['ready', 'error']);
  });
});
