import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** What the build writes beside an asset, the smallest one first. */
const COMPRESSED = { br: '.br', gzip: '.gz' } as const;
type Encoding = keyof typeof COMPRESSED;
const ENCODINGS = Object.keys(COMPRESSED) as Encoding[];

/** A file of the build, in one encoding. */
export interface AssetBody {
  /** Undefined: as it is. */
  readonly encoding: Encoding | undefined;
  readonly tag: string;
  readonly bytes: Buffer;
}

/** An asset. Its name contains a hash of its content, so it never changes. */
export interface Asset {
  readonly type: string;
  /** The smallest one first, and last the one that every client accepts. */
  readonly bodies: readonly AssetBody[];
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What Vite writes where the nonce belongs. */
const NONCE = '__CSP_NONCE__';

/**
 * The files of one build: one or two megabytes, which are read once. So a later build changes nothing for a
 * service that runs, and no request makes it look for a file.
 */
export class BuiltConsole {
  private constructor(
    private readonly page: readonly string[],
    private readonly assets: ReadonlyMap<string, Asset>,
  ) {}

  /** @returns undefined if the console was not built */
  static read(directory: string): BuiltConsole | undefined {
    const index = join(directory, 'index.html');
    if (!existsSync(index)) return undefined;
    const folder = join(directory, 'assets');
    const names = new Set(readdirSync(folder));
    const assets = new Map<string, Asset>();
    for (const name of names) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      const body = (encoding: Encoding | undefined): AssetBody => {
        const bytes = readFileSync(join(folder, name + (encoding ? COMPRESSED[encoding] : '')));
        return { encoding, tag: tagOf(bytes), bytes };
      };
      const encodings = ENCODINGS.filter((encoding) => names.has(name + COMPRESSED[encoding]));
      assets.set(name, { type, bodies: [...encodings, undefined].map(body) });
    }
    return new BuiltConsole(readFileSync(index, 'utf8').split(NONCE), assets);
  }

  /** The page, whose scripts and styles carry this nonce. */
  pageWith(nonce: string): string {
    return this.page.join(nonce);
  }

  asset(name: string): Asset | undefined {
    return this.assets.get(name);
  }
}

const tagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
