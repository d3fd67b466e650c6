import { maySet, powersOf, statusAfter, REPORTED_STATUSES, type ReportedStatus } from './artifact.states';

describe('the status of an artifact', () => {
  it.each([
    ['admin', ['ready', 'golden', 'quarantined', 'expired']],
    ['operator', ['ready', 'golden', 'quarantined']],
    ['controller', ['ready', 'expired']],
  ])('may be set by the role %s: %j', (role, allowed) => {
    expect(REPORTED_STATUSES.filter((status) => maySet(powersOf(role), status))).toEqual(allowed);
  });

  const FROM = ['ready', 'golden', 'quarantined', 'expired'] as const;
  const afterAll = (role: string, status: ReportedStatus, expiredFrom: 'quarantined' | null = null) =>
    FROM.map((from) => statusAfter(powersOf(role), from, status, expiredFrom));

  it.each([
    ['operator', 'ready', ['ready', 'ready', 'ready', undefined]],
    ['operator', 'golden', ['golden', 'golden', 'golden', undefined]],
    ['operator', 'quarantined', ['quarantined', 'quarantined', 'quarantined', undefined]],
    ['controller', 'ready', ['ready', 'golden', 'quarantined', 'ready']],
    ['controller', 'expired', ['expired', 'expired', 'expired', 'expired']],
    ['admin', 'ready', ['ready', 'ready', 'ready', 'ready']],
    ['admin', 'golden', ['golden', 'golden', 'golden', 'golden']],
  ] as const)('follows from the previous one when the role %s sets %s', (role, status, after) => {
    expect(afterAll(role, status)).toEqual(after);
  });

  it('keeps its mark when the bytes come back', () => {
    expect(afterAll('controller', 'ready', 'quarantined')).toEqual(['ready', 'golden', 'quarantined', 'quarantined']);
  });
});
