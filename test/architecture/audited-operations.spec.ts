import { EXEMPT, RESOURCE_OF } from '../reliability/audited-operations';
import { operations } from '../support/description';

describe('every operation that changes something', () => {
  it('is known to leave an audit entry, or to need none for a reason', () => {
    const known = [...RESOURCE_OF.keys(), ...Object.keys(EXEMPT)];
    const changing = operations().filter(({ method }) => method !== 'get');
    expect(known.sort()).toEqual(changing.map(({ id }) => id).sort());
  });
});
