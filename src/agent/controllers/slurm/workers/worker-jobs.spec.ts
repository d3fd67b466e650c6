import { commentOf } from '../../../slurm/worker-mark';
import { jobsIn } from './worker-jobs';

const line = (job: number, uid: string, state = 'RUNNING', reason = 'None') =>
  `${job}|${state}|n1|engine-0.${uid}|${reason}|${commentOf({ uid, owner: 'o' })}`;

describe('The jobs of workers', () => {
  it('are those with a mark, whatever the others have in their comments', () => {
    const others = ['1|RUNNING|n1|x|None|(null)', '2|RUNNING|n1|y|None|a | b', 'c|', '3|RUNNING|n1|z|None|'];
    const { workers, doubles } = jobsIn([...others, line(4, 'u', 'PENDING', 'Resources'), ''].join('\n'));
    expect([...workers.values()]).toEqual([
      {
        ...{ jobId: 4, name: 'engine-0.u', phase: 'pending', state: 'PENDING', reason: 'Resources' },
        ...{ batchHost: 'n1', mark: { uid: 'u', owner: 'o' } },
      },
    ]);
    expect(doubles).toEqual([]);
  });

  it('have one for each worker, the oldest, in whatever order Slurm shows them', () => {
    const { workers, doubles } = jobsIn([line(12, 'u'), line(9, 'u', 'COMPLETED'), line(10, 'v')].join('\n'));
    expect([...workers.values()].map(({ jobId }) => jobId)).toEqual([9, 10]);
    expect(doubles.map(({ jobId }) => jobId)).toEqual([12]);
  });
});
