import { StubSlurm } from '../../../test/agent/slurm/stub-slurm';
import { newestOfJob, ofInstructedJob } from '../commands/workload/own-checkpoints';
import { requireOfJob } from './job-identity';
import { JobNumber, submittedAtMs } from './job-number';
import { sinceIn, withSince } from './job-since';

const SUBMITTED = Date.parse('2026-06-01T10:00:00.000Z');
const SECONDS = SUBMITTED / 1_000;
const MINUTE = 60_000;

interface Shown {
  readonly time?: string;
  readonly restarts?: string;
  readonly comment?: string;
}

/** As 22.05 prints it. */
const shownAt = ({ time = String(SECONDS), restarts = 'Restarts=0 ', comment }: Shown = {}): string =>
  `JobId=7 JobName=count\n   Requeue=1 ${restarts}BatchFlag=1\n   SubmitTime=${time} EligibleTime=${time}\n` +
  `   AdminComment=ops ccp-agent-since=1 \n${comment === undefined ? '' : `   Comment=${comment} \n`}   StdErr=/tmp/7\n\n`;

let slurm: StubSlurm;

beforeEach(() => {
  slurm = new StubSlurm();
  shows();
});
afterEach(() => slurm.remove());

const shows = (shown?: Shown): void => slurm.prints('scontrol', 'show job 7', shownAt(shown));
const numberOf = (restarts = 0) => JobNumber.of({ jobId: 7, cluster: 'hpc', restarts });
/** @param jobSince undefined: an agent of an earlier release has taken it */
const taken = (minutes: number, jobSince?: number) => ({
  ...{ id: 'a01228a1-b05b-4ea2-860c-b02d913150b5', workload: { jobSince } },
  createdAt: new Date(SUBMITTED + minutes * MINUTE).toISOString(),
});
const isEarlier = async (minutes: number, jobSince?: number, restarts?: number) =>
  !(await numberOf(restarts)).has(taken(minutes, jobSince));
/** What the first run of this job has noted. */
const noted = (since = SECONDS): Shown => ({
  ...{ time: String(SECONDS + 86_400), restarts: 'Restarts=1 ', comment: withSince('team=nlp', since) },
});

describe('The submission of a job', () => {
  it.each([
    ['in seconds, as the agent asks for it', String(SECONDS), SUBMITTED],
    ['as local time, as an older Slurm prints it', '2026-06-01T10:00:00', new Date(2026, 5, 1, 10).getTime()],
    ['not at all', 'Unknown', undefined],
  ])('is read %s', (_how, time, expected) => {
    expect(submittedAtMs(shownAt({ time }))).toBe(expected);
  });

  it('is not read from another time', () => {
    expect(submittedAtMs('JobId=7 ResubmitTime=5')).toBeUndefined();
  });
});

describe('A checkpoint of a job with the same number', () => {
  describe('which has a note', () => {
    it.each([0, 1, 10])('is of the job with the same note, after %d requeues', async (restarts) => {
      if (restarts > 0) shows(noted());
      expect(await isEarlier(1, SECONDS, restarts)).toBe(false);
      expect(await isEarlier(60 * 24 * 30, SECONDS, restarts)).toBe(false);
      expect(await isEarlier(1, SECONDS - 1, restarts)).toBe(true);
      expect(await isEarlier(60 * 24 * 30, SECONDS - 1, restarts)).toBe(true);
    });

    it('is of an earlier one if no run of this one has got so far as to note anything', async () => {
      shows({ ...noted(), comment: undefined });
      expect(await isEarlier(-60, SECONDS - 3_600, 1)).toBe(true);
    });

    it('is of this one if somebody has put another comment in the place of its note', async () => {
      shows({ ...noted(), comment: 'done=40%' });
      expect(await isEarlier(-60, SECONDS - 3_600, 1)).toBe(false);
    });
  });

  describe('of an agent of an earlier release', () => {
    it('is of an earlier one if it was taken before this one was submitted', async () => {
      expect(await isEarlier(-60 * 24)).toBe(true);
      expect(await isEarlier(-11)).toBe(true);
    });

    it('is of this one if it was taken later, or if only the clocks differ', async () => {
      expect(await isEarlier(1)).toBe(false);
      expect(await isEarlier(-9)).toBe(false);
    });

    it('is of an earlier one if it was taken before the submission that this one has noted', async () => {
      shows(noted());
      expect(await isEarlier(-11, undefined, 1)).toBe(true);
      expect(await isEarlier(-9, undefined, 1)).toBe(false);
    });

    it.each([
      ['shows that it was requeued', 'Restarts=1 '],
      ['shows that it was requeued often', 'Restarts=10 '],
      ['does not show whether it was requeued', ''],
    ])('is of this one if only Slurm knows of a requeue, and it %s', async (_what, restarts) => {
      shows({ restarts });
      expect(await isEarlier(-60 * 24)).toBe(false);
    });

    it('is of this one if it was requeued, whatever Slurm shows of another task of its array', async () => {
      const other = shownAt().replace('JobId=7 ', 'JobId=71 ArrayJobId=7 ArrayTaskId=2 ');
      slurm.prints('scontrol', 'show job 7', shownAt({ restarts: 'Restarts=1 ' }) + other);
      expect(await isEarlier(-60 * 24)).toBe(false);
    });

    it('is of this one if Slurm does not show when it was submitted', async () => {
      shows({ time: 'Unknown' });
      expect(await isEarlier(-60 * 24)).toBe(false);
    });
  });

  it('is not restored by a request either, if both have notes that differ', () => {
    const restoring = (comment: string, jobSince?: number) => () =>
      requireOfJob(
        { reference: '/store/1', workload: { namespace: 'slurm-hpc', name: 'job-7', jobSince } as never },
        { jobId: 7, cluster: 'hpc', comment },
      );
    expect(restoring(withSince('', SECONDS), SECONDS - 1)).toThrow('of an earlier job slurm-hpc/job-7');
    for (const comment of [withSince('', SECONDS), '']) expect(restoring(comment, SECONDS)).not.toThrow();
    expect(restoring(withSince('', SECONDS))).not.toThrow();
    expect(sinceIn(withSince('', SECONDS))).toBe(SECONDS);
  });
});

describe('A checkpoint that a job is to restore', () => {
  const given = (jobSince?: number) => {
    const workload = { namespace: 'slurm-hpc', name: 'job-7', jobSince };
    return { ...taken(1), reference: '/store/1', workload } as never;
  };

  it('is refused if the note of the job differs from that of the checkpoint, and only then', async () => {
    const since = async (of?: number) =>
      (await ofInstructedJob({ jobId: 7, cluster: 'hpc', restarts: 1 }, given(of), () => undefined)).jobSince;
    shows(noted());
    await expect(since(SECONDS - 1)).rejects.toThrow('of an earlier job slurm-hpc/job-7');
    for (const own of [SECONDS, undefined]) expect(await since(own)).toBe(SECONDS);
    shows({ ...noted(), comment: 'done=40%' });
    slurm.prints('scontrol', `update JobId=7 Comment=done=40% ccp-agent-since=${SECONDS - 1}`, '');
    expect(await since(SECONDS - 1)).toBe(SECONDS - 1);
  });
});

describe('The number of the run that a new checkpoint of a job gets', () => {
  const job = (restarts: number) => ({ jobId: 7, cluster: 'hpc', restarts });
  const quiet = () => undefined;
  const given = { ...taken(1, SECONDS), reference: '/store/1', workload: { namespace: 'slurm-hpc', name: 'job-7' } };

  it.each([0, 3])('is that of Slurm, also if its environment shows %d requeues', async (restarts) => {
    shows({ ...noted(), restarts: 'Restarts=2 ' });
    expect((await newestOfJob(job(restarts), undefined, quiet)).ofJob).toEqual({ jobSince: SECONDS, jobRun: 2 });
    expect(await ofInstructedJob(job(restarts), given as never, quiet)).toEqual({ jobSince: SECONDS, jobRun: 2 });
  });

  it('is absent if Slurm does not show it, or not the job', async () => {
    shows({ ...noted(), restarts: '' });
    expect((await newestOfJob(job(0), undefined, quiet)).ofJob).toEqual({ jobSince: SECONDS });
    expect((await newestOfJob({ ...job(0), jobId: 8 }, undefined, quiet)).ofJob).toEqual({});
    expect(await ofInstructedJob({ ...job(0), jobId: 8 }, given as never, quiet)).toEqual({});
  });

  it('is known also if Slurm refuses the note of its number', async () => {
    shows({ restarts: 'Restarts=0 ' });
    expect((await newestOfJob(job(0), undefined, quiet)).ofJob).toEqual({ jobRun: 0 });
  });
});

describe('Since when a job has its number', () => {
  const takesNote = (comment: string, job = '7'): void =>
    slurm.prints('scontrol', `update JobId=${job} Comment=${comment}`, '');

  it.each([
    ['nothing', undefined, ''],
    ['a word', 'team=nlp', 'team=nlp '],
    ['a word like the note', 'xccp-agent-since=5', 'xccp-agent-since=5 '],
  ])('is noted by the first run, behind what others wrote: %s', async (_what, comment, kept) => {
    shows({ comment });
    takesNote(`${kept}ccp-agent-since=${SECONDS}`);
    expect(await (await numberOf()).note(undefined)).toBe(SECONDS);
  });

  describe('whose Comment has several lines', () => {
    it.each([
      'a = 1\nb and c',
      'project x\nteam=nlp\nbudget=12',
      'project x\n\nteam=nlp',
      'project x\n   Team=nlp',
      'project x\n\n',
    ])('is not noted, so that all of it stays: %j', async (comment) => {
      shows({ comment: `${comment}\nlast` });
      await expect((await numberOf()).note(undefined)).rejects.toThrow('This Comment has several lines');
      expect(slurm.refused('scontrol')).toEqual([]);
    });

    it('is known if it is noted there already', async () => {
      shows({ ...noted(), comment: withSince('project x\nteam=nlp', SECONDS) });
      expect(await (await numberOf(1)).note(undefined)).toBe(SECONDS);
      expect(await isEarlier(1, SECONDS - 1, 1)).toBe(true);
    });
  });

  it('is noted also if Slurm shows nothing behind the Comment', async () => {
    slurm.prints('scontrol', 'show job 7', shownAt({ comment: 'team=nlp' }).replace(/ {3}StdErr.*\n/, ''));
    takesNote(`team=nlp ccp-agent-since=${SECONDS}`);
    expect(await (await numberOf()).note(undefined)).toBe(SECONDS);
  });

  it('is not noted again', async () => {
    shows(noted());
    expect(await (await numberOf(1)).note(taken(1))).toBe(SECONDS);
    expect(slurm.refused('scontrol')).toEqual([]);
  });

  it('is noted for one task of an array only', async () => {
    slurm.prints('scontrol', 'show job 7', shownAt().replace('JobId=7 ', 'JobId=7 ArrayJobId=5 ArrayTaskId=3 '));
    takesNote(`ccp-agent-since=${SECONDS}`, '5_3');
    expect(await (await numberOf()).note(undefined)).toBe(SECONDS);
  });

  it('is not later than the checkpoint from which a requeued job without a note goes on', async () => {
    const before = SECONDS - 3_600;
    shows({ restarts: 'Restarts=1 ' });
    takesNote(`ccp-agent-since=${before}`);
    expect(await (await numberOf(1)).note(taken(-60))).toBe(before);
    shows(noted(before));
    expect(await isEarlier(-60, undefined, 2)).toBe(false);
  });

  it('is that of the checkpoint if its note was replaced', async () => {
    shows({ ...noted(), comment: 'done=40%' });
    takesNote(`done=40% ccp-agent-since=${SECONDS - 5}`);
    expect(await (await numberOf(1)).note(taken(1, SECONDS - 5))).toBe(SECONDS - 5);
  });

  it('is not known if Slurm refuses the note', async () => {
    await expect((await numberOf()).note(undefined)).rejects.toMatchObject({ facts: { cause: 'scheduler_refused' } });
    expect(slurm.refused('scontrol')).toEqual([`update JobId=7 Comment=ccp-agent-since=${SECONDS}`]);
  });
});
