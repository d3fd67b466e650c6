import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { neededFeatures } from './image-files';

const words = (...numbers: number[]): Buffer =>
  Buffer.concat(
    numbers.map((number) => {
      const word = Buffer.alloc(4);
      word.writeUInt32LE(number);
      return word;
    }),
  );
/** An inotify descriptor: the field 1 is 8. */
const FILES = Buffer.concat([words(0x54564319, 0x56303138, 2), Buffer.from([0x08, 8])]);

describe('The features that images need', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'images-'));
    writeFileSync(join(directory, 'files.img'), FILES);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('are in the list of files, and no image of filters means no filter', async () => {
    expect(await neededFeatures(directory)).toEqual(['inotify']);
  });

  it('are not known if an image cannot be read, which fails nothing', async () => {
    mkdirSync(join(directory, 'seccomp.img'));
    expect(await neededFeatures(directory)).toBeUndefined();
    rmSync(join(directory, 'seccomp.img'), { recursive: true });
    writeFileSync(join(directory, 'files.img'), FILES.subarray(0, -1));
    expect(await neededFeatures(directory)).toBeUndefined();
  });
});
