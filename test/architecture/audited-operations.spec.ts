import { EXEMPT, RESOURCE_OF } from '../reliability/audited-operations';
import { ONE_BY_ONE } from '../security/audited-one-by-one';
import { operations } from '../support/description';

/** Their entries are read one by one. Other specs read those of other operations. */
const TAGS = ['organisations', 'tokens', 'clusters', 'actions', 'checkpoints', 'restores', 'restore-events'];

describe('every operation that changes something', () => {
  it('is known to leave an audit entry, or to need none for a reason', () => {
    const known = [...RESOURCE_OF.keys(), ...Object.keys(EXEMPT)];
    const changing = operations().filter(({ method }) => method !== 'get');
    expect(known.sort()).toEqual(changing.map(({ id }) => id).sort());
  });

  it('has its entry read, if it is of the tags whose entries are read one by one', () => {
    const known: readonly string[] = [...ONE_BY_ONE, ...Object.keys(EXEMPT)];
    const changing = operations().filter(({ method, tags }) => method !== 'get' && TAGS.includes(tags[0] ?? ''));
    expect(changing.length).toBeGreaterThan(15);
    expect(changing.map(({ id }) => id).filter((id) => !known.includes(id))).toEqual([]);
  });
});
