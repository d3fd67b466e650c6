import type { CheckpointResult, WorkloadStatus } from '../../../supervisor/control/control-protocol';
import { AgentAnswer } from './agent-answer';

const RESULT = {
  reference: 'service:00000000-0000-4000-8000-000000000000',
  bytes: 1_024,
  stages: [{ name: 'dump', durationNs: 5, bytes: 1_024, parts: [{ name: 'pages', durationNs: 1, bytes: 2 }] }],
  criu: { pages_written: 3 },
};
const STATUS = { phase: 'running', uid: 'u', restored: null, failure: null, pid: 7 };

const answerTo = (command: 'checkpoint' | 'status', document: unknown) => {
  const answer = new AgentAnswer<CheckpointResult | WorkloadStatus>(command);
  answer.take(typeof document === 'string' ? document : JSON.stringify(document));
  return answer;
};

describe('the answer of an agent in a container', () => {
  it('is its last document, behind progress and the lines of others', () => {
    const seen: unknown[] = [];
    const answer = new AgentAnswer<CheckpointResult>('checkpoint', (progress) => void seen.push(progress));
    const progress = { stage: 'dump', bytesDone: 1, bytesTotal: null };
    expect(answer.take('a line of the shell')).toBe('other');
    expect(answer.take(JSON.stringify({ progress }))).toBe('progress');
    expect(answer.take(JSON.stringify(RESULT))).toBe('other');
    expect([seen, answer.get()]).toEqual([[progress], RESULT]);
  });

  it.each([
    ['without stages', { ...RESULT, stages: undefined }],
    ['with a stage that has no duration', { ...RESULT, stages: [{ name: 'dump', bytes: 1 }] }],
    ['with a negative size', { ...RESULT, bytes: -1 }],
    ['without a reference', { ...RESULT, reference: 7 }],
    ['with a reference of megabytes', { ...RESULT, reference: 'x'.repeat(5_000) }],
    ['with stages without end', { ...RESULT, stages: Array.from({ length: 101 }, () => RESULT.stages[0]) }],
  ])('is refused %s', (_what, document) => {
    expect(() => answerTo('checkpoint', document).get()).toThrow(/no answer to it/);
  });

  it.each([
    ['whose restore has no stages', { ...STATUS, restored: { reference: 'r', workload: {} } }],
    ['without an uid', { ...STATUS, uid: undefined }],
  ])('is refused as a status %s', (_what, document) => {
    expect(() => answerTo('status', document).get()).toThrow(/no answer to it/);
  });

  it('is a status with the failure of its workload', () => {
    const failure = { cause: 'busy', message: 'm' };
    expect(answerTo('status', { ...STATUS, failure }).get()).toEqual({ ...STATUS, failure });
  });

  it('is a failure whose cause is known, and whose texts are short', () => {
    const thrown = (failure: object) => {
      try {
        answerTo('checkpoint', { failure }).get();
      } catch (error) {
        return (error as { facts: unknown }).facts;
      }
      return undefined;
    };
    expect(thrown({ cause: 'made_up', message: 'm'.repeat(9_000), remedy: 7, log: ['a', 7] })).toEqual({
      ...{ cause: 'unclassified', message: 'm'.repeat(2_000), log: ['a'] },
    });
    expect(thrown({ cause: 7 })).toMatchObject({ cause: 'unclassified' });
  });

  it('takes progress without figures for no sign of life', () => {
    const answer = new AgentAnswer<CheckpointResult>('checkpoint', () => {
      throw new Error('it is passed on');
    });
    expect(answer.take(JSON.stringify({ progress: { stage: 'dump', bytesDone: 'x', bytesTotal: null } }))).toBe(
      'other',
    );
    expect(answer.take('x'.repeat(9 * 1024 * 1024))).toBe('too long');
  });
});
