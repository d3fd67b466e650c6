import { KEY_PART } from '../../../1-platform/object-storage/object-storage';

export type PluginSlot = 'version' | 'latest';

export const KINDS = ['binary', 'library'] as const;
export type PluginKind = (typeof KINDS)[number];

/**
 * - `awaited`: announced, not uploaded yet
 * - `available`: uploaded, and matches its checksum
 * - `mismatched`: uploaded, but different, or too large
 * - `gone`: it was available and is not there any more, or its address expired and its version lacks it
 */
export type ObjectState = 'awaited' | 'available' | 'mismatched' | 'gone';

export const BUILDS = ['alpha', 'release'] as const;
export type Build = (typeof BUILDS)[number];

export const DEFAULT_ARCH = 'amd64';
export const DEFAULT_BUILD: Build = 'release';

/** The name of the latest version. */
export const LATEST = 'latest';

/** Files that have operations of their own. */
export const MAIN_BINARY = 'main';
export const INSTALL_SCRIPT = 'install';
export const SLURM_INSTALL_SCRIPT = 'install-slurm';

const MAX_NAME = 255;
const MAX_NAME_PARTS = 6;

/** Names of plugins and of their files: path segments, none of them hidden or leading upwards. */
export function isPluginName(name: string): boolean {
  const parts = name.split('/');
  return name.length <= MAX_NAME && parts.length <= MAX_NAME_PARTS && parts.every((part) => KEY_PART.test(part));
}

export const NAME_TEXT = `must be at most ${MAX_NAME_PARTS} parts of A-Z a-z 0-9 . _ -, separated by /, none of which begins with . or -`;

export const VERSION = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/;
export const VERSION_TEXT =
  'must have 1 to 64 characters of A-Z a-z 0-9 . _ + -, of which the first is a letter or a digit';

export const ARCH = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;
export const ARCH_TEXT = 'must have 1 to 32 characters of A-Z a-z 0-9 . _ -, of which the first is a letter or a digit';

/**
 * As registries name one: `github.com/example/plugins`, `plugins-alpha`. Only a name: no connection is made
 * to it.
 */
export const REPOSITORY = /^[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}$/;
export const REPOSITORY_TEXT =
  'must have 1 to 255 characters of A-Z a-z 0-9 . _ / : @ -, of which the first is a letter or a digit';

/** MD5 or SHA-256. */
export const CHECKSUM = /^([0-9A-Fa-f]{32}|[0-9A-Fa-f]{64})$/;

const LIBRARY = /\.(so(\.\d+)*|a|dylib)$/;

export const kindOf = (name: string): PluginKind => (LIBRARY.test(name) ? 'library' : 'binary');

export const INSTALL_DIRS: Readonly<Record<PluginKind, string>> = {
  binary: '/usr/local/bin',
  library: '/usr/local/lib',
};

interface Placed {
  readonly orgId: string;
  readonly id: string;
  readonly name: string;
  readonly arch: string;
  readonly build: string;
}

/** Each upload has its own: checked bytes never change. @param version as it is called in the storage */
export const objectKeyOf = ({ orgId, id, name, arch, build }: Placed, version: string): string =>
  ['plugins', orgId, name, `${build}-${arch}-${version.replaceAll('+', '_')}`, id, name.split('/').at(-1)].join('/');
