import type { ClusterContext } from '../common/cluster-context';
import { JobEnds } from './job-ends';

/** For whatever is not awaited. */
const settled = () => new Promise(setImmediate);

describe('The open jobs of the service', () => {
  /** What the service lists, the newest ones first, a page each. */
  let pages: { job_id: number; status: string }[][];
  let lists: number;
  let asked: number[][];

  beforeEach(() => {
    [pages, lists, asked] = [[], 0, []];
  });

  const ends = (readAgainMs: number): JobEnds => {
    const GET = (_path: string, { params }: { params: { query: { offset?: number } } }) => {
      const { offset = 0 } = params.query;
      if (offset === 0) lists++;
      const next = offset + 1 < pages.length ? { link: `</v1/slurm/jobs?offset=${offset + 1}>; rel="next"` } : {};
      return { data: pages[offset] ?? [], response: new Response(null, { headers: next }) };
    };
    const send = async (_id: string, call: (api: object) => unknown) =>
      ((await call({ GET })) as { data: unknown }).data;
    const log = { warn: () => {} };
    const context = { service: { send }, log, signal: new AbortController().signal } as unknown as ClusterContext;
    const ended = (numbers: readonly number[]) => {
      asked.push([...numbers]);
      return Promise.resolve(new Map());
    };
    return new JobEnds(context, { ended }, { isSeen: () => false, onEnd: () => {} }, readAgainMs);
  };
  const look = async (jobs: JobEnds): Promise<void> => {
    jobs.look('cluster-1', new Set());
    await settled();
    await settled();
  };
  const unfiltered = () => {
    const ended = [{ job_id: 9, status: 'COMPLETED' }];
    // A page without open jobs is the last one that is read.
    pages = [[...ended, { job_id: 8, status: 'RUNNING' }], ended, [{ job_id: 7, status: 'RUNNING' }]];
  };

  it('are read again after some minutes if a replica of an earlier release does not filter them', async () => {
    const jobs = ends(0);
    unfiltered();
    await look(jobs);
    expect([lists, asked]).toEqual([1, [[8]]]);
    pages = [[{ job_id: 8, status: 'RUNNING' }], [{ job_id: 7, status: 'RUNNING' }]];
    await look(jobs);
    expect([lists, asked.at(-1)]).toEqual([2, [8, 7]]);
    // Once more, because two pages had a new one.
    for (let beats = 0; beats < 3; beats++) await look(jobs);
    expect(lists).toBe(3);
  });

  it('are not read again before', async () => {
    const jobs = ends(60_000);
    unfiltered();
    for (let beats = 0; beats < 3; beats++) await look(jobs);
    expect(lists).toBe(1);
  });
});
