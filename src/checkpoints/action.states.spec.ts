import { ACTION_STATUSES, derivedStatus, furthest, isOver, type CheckpointProgress } from './action.states';
import type { CheckpointStatus } from './checkpoint.states';

const at = (status: CheckpointStatus, { claimed = true, failed = false } = {}): CheckpointProgress => ({
  status,
  claimed,
  failed,
});

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
    expect(derivedStatus(checkpoints)).toBe(status);
    expect(derivedStatus([...checkpoints].reverse())).toBe(status);
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
