import { Readable } from 'node:stream';
import type { PassOver } from '../store/checkpoint-store';
import { newestFirst } from '../store/listing';
import type { Manifest } from '../store/manifest';
import type { WorkloadName } from '../store/workload-marks';
import { UnreadableManifest } from '../store/store-failures';
import { newestOf, type RestoreTools } from './restoring';

const command = ['python3', 'train.py'];
const checkpoint = (id: string, createdAt: string, uid?: string) => ({
  ...{ id, createdAt, reference: `/store/${id}` },
  workload: { namespace: 'default', name: 'train', command, ...(uid === undefined ? {} : { uid }) },
});

const newest = async (stored: readonly { readonly id: string }[], uid?: string, said: string[] = []) => {
  const tools = {
    store: {
      newestFirst: (of: WorkloadName, passOver: PassOver) =>
        newestFirst(
          {
            ids: () => Readable.from(['unreadable', ...stored.map(({ id }) => id)]),
            find: (id) =>
              id === 'unreadable'
                ? Promise.reject(new UnreadableManifest('/store/unreadable', new Error('EIO')))
                : Promise.resolve(stored.find((one) => one.id === id) as unknown as Manifest),
          },
          of,
          { marks: [], mark: () => undefined },
          passOver,
        ),
    },
    refusals: { find: () => undefined },
    say: (sentence: string) => void said.push(sentence),
  } as unknown as Pick<RestoreTools, 'store' | 'refusals' | 'say'>;
  const folder = { namespace: 'default', name: 'train' } as Parameters<typeof newestOf>[1]['folder'];
  const counts = uid === undefined ? undefined : ({ workload }: Manifest) => workload.uid === uid;
  return (await newestOf(tools, { folder, command, counts }))?.id;
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

  it('is that of those that can be read, and the others are said', async () => {
    const said: string[] = [];
    expect(await newest([own], undefined, said)).toBe('own');
    expect(said).toEqual([
      expect.stringMatching(/\/store\/unreadable could not be read \(EIO\)\. It is passed over\.$/),
    ]);
  });

  it('is that of one supervisor if it asks for its own, while another of its name takes newer ones', async () => {
    expect(await newest([own, ...others], 'me')).toBe('own');
    expect(await newest(others, 'me')).toBeUndefined();
  });

  it('is that which the service requested last, whatever the clocks of their nodes showed', async () => {
    const [first, second] = ['01980000-0000-7000-8000-000000000001', '01980000-0000-7000-8000-000000000002'];
    const stored = [
      checkpoint(second, '2026-11-23T11:00:00.000Z'),
      checkpoint(first, '2026-11-23T12:00:00.000Z'),
      checkpoint('a0000000-0000-4000-8000-000000000001', '2025-01-01T00:00:00.000Z'),
    ];
    expect(await newest(stored)).toBe(second);
    expect(await newest(stored.toReversed())).toBe(second);
  });
});
