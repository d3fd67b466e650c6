import { SemVer, Range, satisfies, compare } from 'semver';
import { BUILDS, type Build } from './plugin-objects';

const LOOSE = { loose: true } as const;

const parsed = (version: string): SemVer | undefined => {
  try {
    return new SemVer(version, LOOSE);
  } catch {
    return undefined;
  }
};

/**
 * Versions in their order: by semver, and those that are none below all that are, by when they were published.
 * @returns below 0 where `a` is the earlier one
 */
export function compareVersions(a: PublishedVersion, b: PublishedVersion): number {
  const [left, right] = [parsed(a.version), parsed(b.version)];
  if (left && right) return compare(left, right) || left.compareBuild(right) || a.at.getTime() - b.at.getTime();
  if (left || right) return left ? 1 : -1;
  return a.at.getTime() - b.at.getTime();
}

export interface PublishedVersion {
  readonly version: string;
  /** When it was announced last. */
  readonly at: Date;
}

/** What a version must be compatible with. */
export interface Compatibility {
  holds(version: string): boolean;
}

/**
 * Reads a range of semver (`^1.2`, `>=1.2 <3`, `1.x`). A version alone stands for all that semver calls compatible with it: `1.4.0` for `^1.4.0`.
 * @returns undefined where it is neither
 */
export function compatibilityWith(text: string, build: Build): Compatibility | undefined {
  // A version with `=` is a range of that one, which the parser of versions overlooks.
  const alone = text.includes('=') ? undefined : parsed(text.trim());
  // Builds that are not released are mostly before a release, which semver's ranges leave out unless told.
  const options = { ...LOOSE, includePrerelease: build === BUILDS[0] };
  try {
    const range = new Range(alone ? `^${alone.version}` : text, options);
    return { holds: (version) => parsed(version) !== undefined && satisfies(version, range, options) };
  } catch {
    return undefined;
  }
}

/**
 * What an upload without a version is: later ones are the newer ones, and every release is newer. Milliseconds stand apart: semver compares
 * digits as numbers, and those of both together are more than a double holds.
 */
export const versionAt = (time: Date): string => {
  const digits = time.toISOString().replace(/\D/g, '');
  return `0.0.0-${digits.slice(0, 14)}.${Number(digits.slice(14))}`;
};
