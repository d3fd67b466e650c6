import { errorLines } from './criu-log';

describe('The errors in a log of CRIU', () => {
  it('begin with what went wrong, and not with what CRIU does without', () => {
    const wrong = '(00.070197)      1: Error (criu/net.c:2612): net: Unable to mount tmpfs into /run';
    const log = [
      '(00.020151) Error (criu/tun.c:85): tun: Unable to create tun: No such file or directory',
      '(00.030000) Restoring namespaces',
      wrong,
    ].join('\n');
    expect(errorLines(log)).toEqual([wrong]);
  });
});
