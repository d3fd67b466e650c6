import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LogFollower } from './log-follower';

const MIB = 1024 * 1024;
const BLOCK_BYTES = 512;
const LOOK_MS = 20;
/** The follower looks at least once a second. */
const PATIENCE_MS = 5_000;

describe('A follower of a log', () => {
  let directory: string;
  let log: string;
  let follower: LogFollower | undefined;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'log-'));
    log = join(directory, 'log');
    writeFileSync(log, '');
  });
  afterEach(async () => {
    await follower?.end();
    follower = undefined;
    rmSync(directory, { recursive: true });
  });

  const print = (mebibytes: number, letter = 'x') => appendFileSync(log, letter.repeat(mebibytes * MIB));
  const onDisk = () => statSync(log).blocks * BLOCK_BYTES;
  const within = async (holds: () => boolean) => {
    for (const until = Date.now() + PATIENCE_MS; !holds() && Date.now() < until;) await sleep(LOOK_MS);
    expect(holds()).toBe(true);
  };
  /** Counts what it gets. */
  const counter = () => {
    const got = { bytes: 0, text: '' };
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        got.bytes += chunk.length;
        got.text = chunk.toString('latin1').slice(-8);
        done();
      },
    });
    return { got, output };
  };

  it('frees the space of what it has passed on, but not of the newest bytes', async () => {
    const { got, output } = counter();
    follower = await LogFollower.follow(log, output, MIB);
    for (let round = 1; round <= 8; round++) {
      print(1);
      await within(() => got.bytes === round * MIB);
    }
    await within(() => onDisk() <= 2 * MIB);
    expect([statSync(log).size, onDisk()]).toEqual([8 * MIB, expect.any(Number)]);
    expect(onDisk()).toBeGreaterThanOrEqual(MIB);
  });

  it('frees it also when nobody reads what it passes on any more', async () => {
    const output = new PassThrough();
    follower = await LogFollower.follow(log, output, MIB);
    output.destroy();
    print(8);
    await within(() => onDisk() <= 2 * MIB);
    print(4);
    await within(() => onDisk() <= 2 * MIB);
    expect(statSync(log).size).toBe(12 * MIB);
  });

  it('keeps what a slow reader has not got yet', async () => {
    const open = Promise.withResolvers<void>();
    let bytes = 0;
    let zeros = 0;
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        zeros += chunk.filter((byte) => byte === 0).length;
        void open.promise.then(() => done());
      },
    });
    follower = await LogFollower.follow(log, output, MIB);
    print(8);
    await sleep(200);
    expect(onDisk()).toBeGreaterThanOrEqual(8 * MIB);
    open.resolve();
    await within(() => bytes === 8 * MIB);
    expect(zeros).toBe(0);
    await within(() => onDisk() <= 2 * MIB);
  });

  it('waits while the disk of its output is full, and then passes on all of it', async () => {
    let isFull = true;
    let text = '';
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (isFull) return done(Object.assign(new Error('no room'), { code: 'ENOSPC' }));
        text += chunk.toString();
        done();
      },
      // So does the standard output of Node: after a failure, it can be written to again.
      destroy(error, done) {
        done(error);
        (this as unknown as { _undestroy(): void })._undestroy();
      },
    });
    follower = await LogFollower.follow(log, output);
    writeFileSync(log, 'first\n');
    await sleep(3 * LOOK_MS);
    expect(text).toBe('');
    isFull = false;
    appendFileSync(log, 'second\n');
    await within(() => text === 'first\nsecond\n');
  });

  it('frees space again after people cut the log', async () => {
    const { got, output } = counter();
    follower = await LogFollower.follow(log, output, MIB);
    print(4);
    await within(() => got.bytes === 4 * MIB && onDisk() <= 2 * MIB);
    truncateSync(log);
    print(1);
    await within(() => got.bytes === 5 * MIB);
    print(4, 'y');
    await within(() => got.bytes === 9 * MIB && onDisk() <= 2 * MIB);
    expect(got.text).toBe('yyyyyyyy');
  });
});
