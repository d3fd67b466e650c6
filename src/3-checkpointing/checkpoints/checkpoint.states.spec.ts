import { CHECKPOINT_STATUSES, REACHED_FROM } from './checkpoint.states';

it('a checkpoint follows the transition table, and a repeated report is no transition', () => {
  const allowed = Object.entries(REACHED_FROM).flatMap(([to, sources]) => sources.map((from) => `${from} > ${to}`));
  expect(allowed.sort()).toEqual(
    [
      'initializing > updated_info',
      'updated_info > updated_info',
      'updated_info > possibly_uploaded',
      'initializing > ready',
      'updated_info > ready',
      'possibly_uploaded > ready',
      'ready > ready',
      ...CHECKPOINT_STATUSES.map((from) => `${from} > deprecated`),
    ].sort(),
  );
});

it('no transition leads back to the first status', () => {
  expect(Object.keys(REACHED_FROM)).not.toContain('initializing');
});
