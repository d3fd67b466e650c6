import { WorkerUnreachable } from '../../../1-platform/outbound/worker-client';
import { UnusableAnswer } from './answer-kinds';
import { ReportedFailure } from './answer-readers';
import { isOfBroken, isUnreached, WorkerAnswered } from './worker-faults';

describe('a fault of a worker', () => {
  const inStream = (reported: object) => new ReportedFailure(reported as never, true);

  it.each<[string, unknown, boolean]>([
    ['500', new WorkerAnswered(500), true],
    ['401', new WorkerAnswered(401), true],
    ['302', new WorkerAnswered(302), true],
    ['204', new WorkerAnswered(204), true],
    ['404, which one that lacks an earlier response answers,', new WorkerAnswered(404), false],
    ['429, which one that is full answers,', new WorkerAnswered(429), false],
    ['429 in a stream', inStream({ error: { message: 'full', code: 429 } }), false],
    ['500 in a stream', inStream({ error: { message: 'no', code: 500 } }), true],
    ['a response that failed', inStream({ type: 'response.failed', response: { error: { code: 'no' } } }), true],
    ['an unusable answer', new UnusableAnswer({ 'content-type': 'text/html' }), true],
    ['an empty answer', new Error('the worker answered nothing'), true],
  ])('counts as that of a broken one if another one answers the request: %s', (_what, fault, isBroken) => {
    expect(isOfBroken(fault)).toBe(isBroken);
  });

  it.each([
    ['connect', true],
    ['broken', false],
    ['timeout', false],
  ] as const)('shows whether the worker may have seen the request: %s', (reason, unreached) => {
    expect(isUnreached(new WorkerUnreachable(reason))).toBe(unreached);
  });

  it('does not show that the worker cannot be reached if a caller only waited too briefly for that', () => {
    expect(isUnreached(new WorkerUnreachable('slow_connect'))).toBe(false);
  });
});
