import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentFailure } from '../failures';
import { EXPOSED_REMEDY, exposureOf, exposureOfFile, makePrivate } from '../files/exposure';

const KEY_BYTES = 32;
const MIN_CHARACTERS = 32;
const MAX_FILE_BYTES = 4096;
/** Of a file with several keys. A text with spaces, such as the first line of a PEM file, is no key. */
const KEY_LINE = new RegExp(`^[\\w+/=-]{${MIN_CHARACTERS},}$`);
const READABLE_BY_GROUP = 0o040;
const READABLE_BY_OTHERS = 0o004;

/** The last lines of a manifest that is signed. */
const SIGNATURE = /,\n "signature": "([0-9a-f]{64})"\n}\n$/;
const SIGNATURE_BYTES = Buffer.byteLength(`,\n "signature": "${'0'.repeat(64)}"\n}\n`);
const END = '\n}\n';

export interface StoreKeySettings {
  readonly stateDir: string;
  /** One key for several machines, in a file that people made. */
  readonly storeKeyFile: string | undefined;
}

/**
 * Distinguishes the checkpoints of one's own agents from those of everybody who can write to the store. A
 * manifest ends with the HMAC-SHA-256 of the bytes before, and has the hash of each image. While a key is
 * replaced, there are several: the first one signs, and what any of them has signed counts.
 */
export class StoreKey {
  private read: { readonly version: string; readonly keys: readonly [Buffer, ...Buffer[]] } | undefined;

  /**
   * @param file where it is, as messages name it
   * @param load throws `AgentFailure`
   * @param version of what `load` reads: it is read again when this changes
   */
  constructor(
    readonly file: string,
    private readonly load: () => Buffer,
    private readonly version: () => string = () => '',
  ) {}

  /** The key of the settings. Without a file, it is one of this machine, made when it is first needed. */
  static of({ stateDir, storeKeyFile }: StoreKeySettings): StoreKey {
    if (storeKeyFile !== undefined)
      return new StoreKey(
        storeKeyFile,
        () => readKey(storeKeyFile),
        () => versionOf(storeKeyFile),
      );
    const own = join(stateDir, 'store.key');
    const load = () => {
      makePrivate(stateDir, 'state directory', '--state-dir');
      makeKey(own);
      return readKey(own);
    };
    return new StoreKey(own, load, () => versionOf(own));
  }

  /** @throws AgentFailure `invalid_setting` or `permission_missing` if the key cannot be used */
  ensure(): void {
    this.keys();
  }

  /** @param text a JSON object, a member a line */
  signed(text: string): string {
    if (!text.endsWith(END)) throw new RangeError('Only a JSON object that ends with a line of its own is signed.');
    const body = text.slice(0, -END.length);
    return `${body},\n "signature": "${signatureOf(Buffer.from(body), this.keys()[0]).toString('hex')}"${END}`;
  }

  /**
   * The bytes that were signed. Nothing of them is to be used before.
   * @throws AgentFailure `checkpoint_untrusted`
   */
  verified(bytes: Buffer, reference: string): Buffer {
    const tail = bytes.subarray(Math.max(0, bytes.length - SIGNATURE_BYTES)).toString('latin1');
    const signature = SIGNATURE.exec(tail)?.[1];
    if (signature === undefined)
      throw new AgentFailure({
        cause: 'checkpoint_untrusted',
        message: `The checkpoint ${reference} is not signed, so anybody may have written it.`,
        remedy: 'Use another one. If only you can write to its store, it may be damaged, or of an older agent.',
      });
    const body = bytes.subarray(0, bytes.length - SIGNATURE_BYTES);
    const given = Buffer.from(signature, 'hex');
    if (!this.keys().some((key) => timingSafeEqual(signatureOf(body, key), given)))
      throw new AgentFailure({
        cause: 'checkpoint_untrusted',
        message: `The checkpoint ${reference} is not signed with the key of this agent, ${this.file}.`,
        remedy: 'If another machine took it, give both the same --store-key-file. Otherwise do not use it.',
      });
    return Buffer.concat([body, Buffer.from(END)]);
  }

  /** The one that signs is the first. */
  private keys(): readonly [Buffer, ...Buffer[]] {
    // A change while it is read is seen the next time.
    const version = this.version();
    if (this.read?.version !== version) this.read = { version, keys: keysIn(this.load()) };
    return this.read.keys;
  }
}

const signatureOf = (body: Buffer, key: Buffer): Buffer => createHmac('sha256', key).update(body).digest();

/**
 * A key a line. Any other text is one key, also one of several lines. So was a file of several such lines,
 * before a file could have several keys: what that has signed counts as well.
 */
function keysIn(bytes: Buffer): readonly [Buffer, ...Buffer[]] {
  const [first, ...others] = bytes
    .toString('latin1')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (first === undefined || others.length === 0 || ![first, ...others].every((line) => KEY_LINE.test(line)))
    return [bytes];
  return [Buffer.from(first), ...others.map((line) => Buffer.from(line)), bytes];
}

/** Changes with the file. Empty: it cannot be read, and who reads it says why. */
function versionOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return '';
  }
}

function readKey(path: string): Buffer {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(fd);
    const exposed =
      // Also by links: those of a Secret are in a directory where only their owner may replace them.
      exposureOf(path) ??
      exposureOfFile(path, stat) ??
      (mayOthersRead(stat, { uid: process.getuid!(), groups: process.getgroups!() })
        ? `others may read ${path}`
        : undefined);
    if (exposed !== undefined)
      throw new AgentFailure({
        cause: 'permission_missing',
        message: `The key of the store is not safe: ${exposed}.`,
        remedy: `${EXPOSED_REMEDY} The file needs the mode 0600.`,
      });
    const text = stat.isFile() && stat.size <= MAX_FILE_BYTES ? readFileSync(fd, 'utf8').trim() : '';
    if (text.length >= MIN_CHARACTERS) return Buffer.from(text);
  } catch (error) {
    if (error instanceof AgentFailure) throw error;
    throw keyProblem(`cannot be read: ${(error as NodeJS.ErrnoException).code}`, path);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  throw keyProblem(`has less than ${MIN_CHARACTERS} characters, or more than ${MAX_FILE_BYTES}`, path);
}

/**
 * A process that is not root gets a Secret of Kubernetes from root by way of its group, which root chose for
 * it; the owner of a file of its own needs no group to read it.
 */
export function mayOthersRead(
  { mode, uid, gid }: { readonly mode: number; readonly uid: number; readonly gid: number },
  self: { readonly uid: number; readonly groups: readonly number[] },
): boolean {
  const isGivenByRoot = uid === 0 && self.uid !== 0 && self.groups.includes(gid);
  return (mode & READABLE_BY_OTHERS) !== 0 || ((mode & READABLE_BY_GROUP) !== 0 && !isGivenByRoot);
}

const keyProblem = (what: string, path: string): AgentFailure =>
  new AgentFailure({
    cause: 'invalid_setting',
    message: `The key of the store, ${path}, ${what}.`,
    remedy: 'Make one with "umask 077; openssl rand -hex 32 > FILE", the same on all machines of the store.',
  });

function syncFolderSync(path: string): void {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Several agents may do it at once: the first one wins. */
function makeKey(path: string): void {
  const written = `${path}.${randomBytes(6).toString('hex')}`;
  const isThere = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';
  try {
    readFileSync(path);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return;
  }
  try {
    const fd = openSync(written, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      writeSync(fd, `${randomBytes(KEY_BYTES).toString('hex')}\n`);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    linkSync(written, path);
    // What it signs from now on is worth nothing without it, also after a power failure.
    syncFolderSync(dirname(path));
  } catch (error) {
    if (!isThere(error))
      throw new AgentFailure(
        {
          cause: 'store_failed',
          message: `The key of the store, ${path}, cannot be made: ${(error as NodeJS.ErrnoException).code}.`,
          remedy: 'Free some space, or name a key that is there with --store-key-file.',
        },
        { cause: error },
      );
  } finally {
    rmSync(written, { force: true });
  }
}
