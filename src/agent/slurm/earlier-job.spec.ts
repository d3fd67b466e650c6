import { StubSlurm } from '../../../test/agent/slurm/stub-slurm';
import { isOfEarlierJob, submittedAtMs } from './earlier-job';

const SUBMITTED = Date.parse('2026-06-01T10:00:00.000Z');
const shownAt = (time: string, restarts = 'Restarts=0 '): string =>
  `JobId=7 JobName=count\n   Requeue=1 ${restarts}BatchFlag=1\n   SubmitTime=${time} EligibleTime=${time}\n   StartTime=1\n`;

describe('The submission of a job', () => {
  it.each([
    ['in seconds, as the agent asks for it', String(SUBMITTED / 1_000), SUBMITTED],
    ['as local time, as an older Slurm prints it', '2026-06-01T10:00:00', new Date(2026, 5, 1, 10).getTime()],
    ['not at all', 'Unknown', undefined],
  ])('is read %s', (_how, text, expected) => {
    expect(submittedAtMs(shownAt(text))).toBe(expected);
  });

  it('is not read from another time', () => {
    expect(submittedAtMs('JobId=7 ResubmitTime=5')).toBeUndefined();
  });
});

describe('A checkpoint of a job with the same number', () => {
  const MINUTE = 60_000;
  let slurm: StubSlurm;

  beforeEach(() => {
    slurm = new StubSlurm();
    prints(shownAt(String(SUBMITTED / 1_000)));
  });
  afterEach(() => slurm.remove());

  const prints = (text: string): void => slurm.prints('scontrol', 'show job 7', text);
  const isEarlier = (minutes: number, restarts = 0) => {
    const createdAt = new Date(SUBMITTED + minutes * MINUTE).toISOString();
    const taken = { id: 'a01228a1-b05b-4ea2-860c-b02d913150b5', createdAt };
    return isOfEarlierJob({ jobId: 7, cluster: 'hpc', restarts }, taken);
  };

  it('is of an earlier one if it was taken before this one was submitted', async () => {
    expect(await isEarlier(-60 * 24)).toBe(true);
    expect(await isEarlier(-11)).toBe(true);
  });

  it('is of this one if it was taken later, or if only the clocks differ', async () => {
    expect(await isEarlier(1)).toBe(false);
    expect(await isEarlier(-9)).toBe(false);
  });

  it('is of this one if the job was requeued: Slurm submits it again then', async () => {
    expect(await isEarlier(-60 * 24, 1)).toBe(false);
  });

  it.each([
    ['shows that it was requeued', 'Restarts=1 '],
    ['shows that it was requeued often', 'Restarts=10 '],
    ['does not show whether it was requeued', ''],
  ])('is of this one if only Slurm knows of a requeue, and it %s', async (_what, restarts) => {
    prints(shownAt(String(SUBMITTED / 1_000), restarts));
    expect(await isEarlier(-60 * 24)).toBe(false);
  });

  it('is of this one if it was requeued, whatever Slurm shows of another task of its array', async () => {
    const shown = shownAt(String(SUBMITTED / 1_000), 'Restarts=1 ');
    prints(shown + shownAt(String(SUBMITTED / 1_000)).replace('JobId=7 ', 'JobId=71 ArrayJobId=7 '));
    expect(await isEarlier(-60 * 24)).toBe(false);
  });

  it('is of this one if Slurm does not show when it was submitted', async () => {
    prints(shownAt('Unknown'));
    expect(await isEarlier(-60 * 24)).toBe(false);
  });
});
