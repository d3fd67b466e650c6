import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const NODE_MODULES = 'node_modules/';

/** What `package-lock.json` has of a package. */
export interface Locked {
  readonly name: string;
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly license?: string;
  readonly hasInstallScript?: true;
  readonly dev?: true;
  readonly optional?: true;
  readonly devOptional?: true;
}

/** Every package that npm may install, some of them in several versions. */
export function lockedPackages(): Locked[] {
  const text = readFileSync(join(__dirname, '../../package-lock.json'), 'utf8');
  const { packages } = JSON.parse(text) as {
    packages: Readonly<Record<string, Omit<Locked, 'name'> & { name?: string }>>;
  };
  return Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, locked]) => ({
      ...locked,
      // An alias has the name of its package beside its path.
      name: locked.name ?? path.slice(path.lastIndexOf(NODE_MODULES) + NODE_MODULES.length),
    }));
}

/** Written by `npm run release-dates`. */
export const RELEASE_DATES = join(__dirname, 'release-dates.json');

/** The days of UTC on which versions were released, by `name@version`. */
export const releaseDates = (): Readonly<Record<string, string>> =>
  existsSync(RELEASE_DATES) ? (JSON.parse(readFileSync(RELEASE_DATES, 'utf8')) as Record<string, string>) : {};
