import { missingCapabilities } from './capabilities';

describe('The capabilities of a supervisor', () => {
  it('are complete for root', () => expect(missingCapabilities('CapEff:\t000001ffffffffff\n')).toEqual([]));

  it('are named if they are missing', () => {
    expect(missingCapabilities('CapEff:\t000001ffffd7ffff\n')).toEqual(['CAP_SYS_PTRACE', 'CAP_SYS_ADMIN']);
  });

  it('are all missing where nothing is known', () => expect(missingCapabilities('')).toContain('CAP_SYS_ADMIN'));
});
