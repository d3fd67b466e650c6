import { Readable } from 'node:stream';
import { newestOf, type RestoreTools } from './restoring';

const command = ['python3', 'train.py'];
const checkpoint = (id: string, createdAt: string, uid?: string) => ({
  ...{ id, createdAt, reference: `/store/${id}` },
  workload: { namespace: 'default', name: 'train', command, ...(uid === undefined ? {} : { uid }) },
});

const newest = async (stored: readonly object[], uid?: string) => {
  const tools = {
    store: {
      list: () => Readable.from(stored),
    },
    refusals: { find: () => undefined },
  } as unknown as Pick<RestoreTools, 'store' | 'refusals'>;
  const folder = { namespace: 'default', name: 'train' } as Parameters<typeof newestOf>[1]['folder'];
  return (await newestOf(tools, { folder, command, uid }))?.id;
};

describe('The newest checkpoint of a workload', () => {
  const own = checkpoint('own', '2026-11-23T12:00:00.000Z', 'me');
  const others = [
    checkpoint('other', '2026-11-23T12:01:00.000Z', 'other'),
    checkpoint('old', '2026-11-23T12:02:00.000Z'),
  ];

  it('is that of any supervisor of its name', async () => {
    expect(await newest([own, ...others])).toBe('old');
  });

  it('is that of one supervisor if it asks for its own, while another of its name takes newer ones', async () => {
    expect(await newest([own, ...others], 'me')).toBe('own');
    expect(await newest(others, 'me')).toBeUndefined();
  });
});
