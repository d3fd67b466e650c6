import { createHmac, randomBytes } from 'node:crypto';
import fs, { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentFailure } from '../failures';
import { mayOthersRead, StoreKey } from './store-key';

describe('a store key', () => {
  const TEXT = '{\n "id": 1\n}\n';
  let directory: string;
  let file: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-key-'));
    file = join(directory, 'shared.key');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const hex = (): string => randomBytes(32).toString('hex');
  /** As people should do it: nobody sees half of it. */
  const put = (text: string): void => {
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    chmodSync(`${file}.new`, 0o600);
    renameSync(`${file}.new`, file);
  };
  const key = (): StoreKey => StoreKey.of({ stateDir: directory, storeKeyFile: file });
  const alone = (text: string): StoreKey => new StoreKey('', () => Buffer.from(text));
  const isVerified = (by: StoreKey, signed: string): boolean => {
    try {
      expect(by.verified(Buffer.from(signed), 'one').toString()).toBe(TEXT);
      return true;
    } catch (error) {
      if (error instanceof AgentFailure && error.facts.cause === 'checkpoint_untrusted') return false;
      throw error;
    }
  };

  it('made for this machine is on disk, with its name, before anything is signed', () => {
    const synced: string[] = [];
    const { fsyncSync } = fs;
    const spy = jest.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
      synced.push(`${fs.readlinkSync(`/proc/self/fd/${fd}`)} ${fs.existsSync(join(directory, 'store.key'))}`);
      fsyncSync(fd);
    });
    try {
      StoreKey.of({ stateDir: directory, storeKeyFile: undefined }).ensure();
    } finally {
      spy.mockRestore();
    }
    expect(synced.at(-1)).toBe(`${directory} true`);
  });

  it('is replaced in steps, in each of which machines of the step before and after it verify each other', () => {
    const [before, after] = [hex(), hex()];
    const steps = [before, `${before}\n${after}\n`, `${after}\n\n${before}\n`, after];
    for (const [place, step] of steps.entries()) {
      put(step);
      const signed = key().signed(TEXT);
      for (const [other, text] of steps.entries()) {
        put(text);
        if (Math.abs(place - other) <= 1)
          expect([place, other, isVerified(key(), signed)]).toEqual([place, other, true]);
      }
    }
    put(after);
    expect(isVerified(key(), alone(before).signed(TEXT))).toBe(false);
  });

  it('is read again when its file changes', () => {
    const [before, after] = [hex(), hex()];
    put(before);
    const running = key();
    const old = running.signed(TEXT);
    put(`${after}\n${before}\n`);
    expect(running.signed(TEXT)).toBe(alone(after).signed(TEXT));
    expect(isVerified(running, old)).toBe(true);
    put(after);
    expect(isVerified(running, old)).toBe(false);
    put('short');
    expect(() => running.signed(TEXT)).toThrow('has less than 32 characters');
    rmSync(file);
    expect(() => running.signed(TEXT)).toThrow('cannot be read: ENOENT');
  });

  it.each([
    ['words with spaces', 'a key of several words, which people chose\nand which has a second line of this length'],
    ['a short last line', `${'a'.repeat(64)}\nb`],
    ['a PEM file', `-----BEGIN OPENSSH PRIVATE KEY-----\n${'c'.repeat(70)}\n${'d'.repeat(40)}\n-----END-----`],
  ])('is one key if its lines are none by themselves: %s', (_what, text) => {
    put(text);
    expect(key().signed(TEXT)).toBe(alone(text).signed(TEXT));
    // Everybody knows the first line of a PEM file.
    for (const line of text.split('\n')) expect(isVerified(key(), alone(line).signed(TEXT))).toBe(false);
  });

  it('verifies what an agent signed that took several long lines for one key', () => {
    const text = `${randomBytes(48).toString('base64')}\n${randomBytes(48).toString('base64')}`;
    put(text);
    const body = TEXT.slice(0, -'\n}\n'.length);
    const signature = createHmac('sha256', text).update(body).digest('hex');
    expect(isVerified(key(), `${body},\n "signature": "${signature}"\n}\n`)).toBe(true);
    expect(key().signed(TEXT)).toBe(alone(text.split('\n')[0]!).signed(TEXT));
  });
});

describe('the file of a store key', () => {
  const self = { uid: 1_000, groups: [1_000] };
  const file = { mode: 0o100440, uid: 0, gid: 1_000 };

  it('may be readable by the group of a process that is not root, if root owns it, as in a Secret', () => {
    expect(mayOthersRead(file, self)).toBe(false);
    expect(mayOthersRead({ ...file, mode: 0o100400 }, self)).toBe(false);
  });

  it.each([
    ['everybody', { ...file, mode: 0o100444 }, self],
    ['another group', { ...file, gid: 7 }, self],
    ['a group that its own user let in', { ...file, uid: 1_000 }, self],
    ['a group, although the process is root', file, { uid: 0, groups: [0, 1_000] }],
  ])('must not be readable by %s', (_who, stat, reader) => {
    expect(mayOthersRead(stat, reader)).toBe(true);
  });
});
