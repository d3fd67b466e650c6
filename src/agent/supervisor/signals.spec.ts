import { actionOf, parseMasks, SentAway, signalNumber } from './signals';

const bit = (signal: NodeJS.Signals): bigint => 1n << BigInt(signalNumber(signal) - 1);
const NONE = { blocked: 0n, ignored: 0n, caught: 0n };
const MINUTE_MS = 60_000;

describe('A signal for a workload', () => {
  it('is sent if the workload has a handler', () => {
    expect(actionOf('SIGTERM', { ...NONE, caught: bit('SIGTERM') })).toEqual({ send: 'SIGTERM' });
  });

  it('is sent if the workload blocks it, because it may wait for it', () => {
    expect(actionOf('SIGTERM', { ...NONE, blocked: bit('SIGTERM') })).toEqual({ send: 'SIGTERM' });
  });

  it('is dropped if the workload ignores it', () => {
    expect(actionOf('SIGHUP', { ...NONE, ignored: bit('SIGHUP') })).toBe('nothing');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1'] as const)(
    'ends a workload that has no handler for %s',
    (signal) => expect(actionOf(signal, NONE)).toEqual({ end: signal }),
  );

  it('is dropped if nothing happens by default', () => {
    expect(actionOf('SIGWINCH', NONE)).toBe('nothing');
  });

  it('stops the workload if that is the default', () => {
    expect(actionOf('SIGTSTP', NONE)).toEqual({ send: 'SIGSTOP' });
  });

  it.each(['SIGKILL', 'SIGSTOP', 'SIGCONT'] as const)('is always sent if it is %s', (signal) =>
    expect(actionOf(signal, { ...NONE, ignored: bit('SIGCONT') })).toEqual({ send: signal }),
  );

  it('is looked up in what the kernel shows of the process', () => {
    const status = 'Name:\tx\nSigBlk:\t0000000000010000\nSigIgn:\t0000000001001000\nSigCgt:\t0000000000004002\n';
    expect(parseMasks(status)).toEqual({ blocked: 0x10000n, ignored: 0x1001000n, caught: 0x4002n });
    expect(() => parseMasks('Name:\tx\n')).toThrow('SigBlk');
  });
});

describe('The end of a workload', () => {
  let sentAway: SentAway;
  let pass: (milliseconds: number) => void;
  beforeEach(() => {
    let nowMs = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
    pass = (milliseconds) => void (nowMs += milliseconds);
    sentAway = new SentAway();
  });
  afterEach(() => jest.restoreAllMocks());

  it('is not due to a signal if there was none, or one by which a program reads its settings again', () => {
    expect(sentAway.explainsAnEnd).toBe(false);
    for (const signal of ['SIGHUP', 'SIGUSR1'] as const) sentAway.note(signal);
    expect(sentAway.explainsAnEnd).toBe(false);
  });

  it('is due to a SIGTERM for an hour, as its program may finish its work', () => {
    sentAway.note('SIGTERM');
    pass(60 * MINUTE_MS - 1);
    expect(sentAway.explainsAnEnd).toBe(true);
    pass(1);
    expect(sentAway.explainsAnEnd).toBe(false);
  });

  it.each(['SIGINT', 'SIGQUIT'] as const)('is due to a %s for five minutes: programs survive it', (signal) => {
    sentAway.note(signal);
    pass(5 * MINUTE_MS - 1);
    expect(sentAway.explainsAnEnd).toBe(true);
    pass(1);
    expect(sentAway.explainsAnEnd).toBe(false);
  });

  it('is due to the last of several SIGINT, and to a SIGTERM before one', () => {
    sentAway.note('SIGINT');
    pass(4 * MINUTE_MS);
    sentAway.note('SIGINT');
    pass(4 * MINUTE_MS);
    expect(sentAway.explainsAnEnd).toBe(true);
    sentAway.note('SIGTERM');
    sentAway.note('SIGINT');
    pass(59 * MINUTE_MS);
    expect(sentAway.explainsAnEnd).toBe(true);
  });
});
