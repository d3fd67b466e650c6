import { CHECKPOINT_STATUSES, REACHED_FROM } from './checkpoint.states';

it('a checkpoint moves as decided, and a repeated report is no move', () => {
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

it('nothing leads back to the beginning', () => {
  expect(Object.keys(REACHED_FROM)).not.toContain('initializing');
});
