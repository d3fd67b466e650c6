import { pauseBeforeConnecting } from './notifications';

describe('the connection for notifications', () => {
  it('is opened again at once if it worked, as after a restart of the server', () => {
    expect(pauseBeforeConnecting(60_000)).toBe(0);
    expect(pauseBeforeConnecting(1_000)).toBe(0);
  });

  it('is opened again after a second if it failed or broke soon', () => {
    expect(pauseBeforeConnecting(0)).toBe(1_000);
    expect(pauseBeforeConnecting(999)).toBe(1_000);
  });
});
