import { lockNumber } from './advisory-locks';

it('locks of different kinds have different numbers, whatever the id', () => {
  expect(lockNumber('cluster')).not.toBe(lockNumber('slurmSync'));
});
