import { operations } from '../support/description';
import { IN_SEVERAL_STEPS, KEYED } from '../support/keyed-calls';

describe('every operation that accepts an Idempotency-Key', () => {
  it('is known to the specs that repeat it', () => {
    const keyed = operations().filter(({ parameters }) =>
      parameters.some(({ name }) => name.toLowerCase() === 'idempotency-key'),
    );
    expect([...Object.keys(KEYED), ...IN_SEVERAL_STEPS].toSorted()).toEqual(keyed.map(({ id }) => id).toSorted());
  });
});
