import { constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writer } from 'protobufjs/minimal';
import type { Manifest } from '../../store/manifest';
import { neededFiles } from './image-files';
import { neededMounts, requireFiles } from './required-files';

interface Entry {
  readonly name: string;
  readonly id?: number;
  readonly flags?: number;
  readonly size?: number;
  readonly ext?: boolean;
  readonly mode?: number;
}

const image = (kind: number, messages: readonly Uint8Array[]): Buffer => {
  const words = (...numbers: number[]) => {
    const bytes = Buffer.alloc(4 * numbers.length);
    numbers.forEach((number, index) => bytes.writeUInt32LE(number, 4 * index));
    return bytes;
  };
  return Buffer.concat([
    words(0x54564319, kind),
    ...messages.flatMap((message) => [words(message.length), Buffer.from(message)]),
  ]);
};

/** As CRIU writes it. */
function entry({ name, id = 1, flags = 0, size, ext, mode = constants.S_IFREG | 0o644 }: Entry): Uint8Array {
  const file = new Writer().uint32(8).uint32(id).uint32(16).uint32(flags).uint32(24).uint64(0);
  file.uint32(50).string(name);
  if (size !== undefined) file.uint32(64).uint64(size);
  if (ext !== undefined) file.uint32(72).bool(ext);
  file.uint32(80).uint32(mode);
  return new Writer().uint32(8).uint32(1).uint32(16).uint32(id).uint32(26).bytes(file.finish()).finish();
}

const FILES = 0x56303138;
const REMAPS = 0x59133954;

describe('The files of a restore', () => {
  let directory: string;
  let there: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-required-'));
    there = join(directory, 'there');
    writeFileSync(there, '0123456789');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const write = (...entries: Entry[]) => writeFileSync(join(directory, 'files.img'), image(FILES, entries.map(entry)));
  const manifest = (workload: object = {}) =>
    ({ workload: { log: { path: '/log', bytes: 0 }, ...workload } }) as unknown as Manifest;
  const required = (workload?: object) => requireFiles(directory, manifest(workload));
  const refused = (cause: string, message: string | RegExp) => ({
    facts: { cause, message: expect.stringMatching(message) as unknown, remedy: expect.any(String) as unknown },
  });

  it('are in place if each has its size, whatever its log and the files of the kernel are', async () => {
    mkdirSync(join(directory, 'folder'));
    write(
      { name: there, size: 10 },
      { name: join(directory, 'folder'), mode: constants.S_IFDIR | 0o755 },
      { name: '/log', size: 77 },
      { name: '/proc/4711/status', size: 0 },
    );
    await required();
  });

  it('are refused with both sizes if one has changed, but for one that is only appended to', async () => {
    write({ name: there, size: 12, flags: constants.O_RDWR });
    await expect(required()).rejects.toMatchObject(refused('file_changed', `${there} has 10 bytes, and had 12`));
    write({ name: there, size: 12, flags: constants.O_WRONLY | constants.O_APPEND });
    await required();
  });

  it('are refused with the mount if that is missing, and otherwise with the path alone', async () => {
    write({ name: '/nowhere/data/set' });
    const mounts = [{ point: '/nowhere/data', type: 'nfs4' }];
    await expect(required({ mounts })).rejects.toMatchObject(
      refused('mount_missing', '/nowhere/data/set was on the mount /nowhere/data [(]nfs4[)]'),
    );
    await expect(required()).rejects.toMatchObject(refused('file_changed', '/nowhere/data/set.* is not there'));
    await expect(required({ mounts: [{ point: '/', type: 'ext4' }] })).rejects.toMatchObject(
      refused('file_changed', '/nowhere/data/set'),
    );
  });

  it('are not looked for if the images have them, or somebody else gives them', async () => {
    write(
      { name: '/nowhere/ghost', id: 7 },
      { name: '/nowhere/external', ext: true },
      { name: '/nowhere/pipe', mode: constants.S_IFIFO },
    );
    writeFileSync(
      join(directory, 'remap-fpath.img'),
      image(REMAPS, [new Writer().uint32(8).uint32(7).uint32(16).uint32(1).finish()]),
    );
    expect(await neededFiles(directory)).toEqual([]);
    await required();
  });

  it.each([
    ['is cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
    [
      'is of another kind',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(4), bytes.subarray(8)]),
    ],
    ['is empty', () => Buffer.alloc(0)],
    ['names too much', () => image(FILES, [Buffer.from([0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f])])],
  ])('are left to CRIU if their image %s', async (_, change) => {
    writeFileSync(join(directory, 'files.img'), change(image(FILES, [entry({ name: '/nowhere' })])));
    await expect(neededFiles(directory)).rejects.toThrow();
    await required();
  });

  it('need no mounts if they are not known: a checkpoint is good without', async () => {
    const mounts = [{ point: '/data', type: 'ext4' }];
    expect(await neededMounts(directory, mounts)).toEqual([]);
    writeFileSync(join(directory, 'files.img'), image(FILES, [entry({ name: '/data/set' })]).subarray(0, -1));
    expect(await neededMounts(directory, mounts)).toEqual([]);
  });

  it('are left to CRIU if one of them does not answer, as on a network file system without its server', async () => {
    write({ name: '/nowhere/hung' }, { name: '/nowhere/missing' });
    const asked: string[] = [];
    const never = (path: string) => {
      asked.push(path);
      return new Promise<never>(() => undefined);
    };
    await requireFiles(directory, manifest(), { stat: never, longestMs: 50 });
    expect(asked).toEqual(['/nowhere/hung']);
    const missing = () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOENT' }));
    const refusal = requireFiles(directory, manifest(), { stat: missing, longestMs: 60_000 });
    await expect(refusal).rejects.toMatchObject(refused('file_changed', '/nowhere/hung'));
  });

  it('need the mounts on which they are, but not the root', async () => {
    write({ name: '/data/set' }, { name: '/data/models/7b' }, { name: '/bin/sh' }, { name: '/proc/1/maps' });
    const mounts = ['/', '/data', '/data/models', '/unused', '/proc'].map((point) => ({ point, type: 'ext4' }));
    expect((await neededMounts(directory, mounts)).map(({ point }) => point)).toEqual(['/data', '/data/models']);
  });
});
