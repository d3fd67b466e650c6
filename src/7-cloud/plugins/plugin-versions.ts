import Range from 'semver/classes/range';
import SemVer from 'semver/classes/semver';
import compare from 'semver/functions/compare';
import satisfies from 'semver/functions/satisfies';

const LOOSE = { loose: true } as const;

const parsed = (version: string): SemVer | undefined => {
  try {
    return new SemVer(version, LOOSE);
  } catch {
    return undefined;
  }
};

/**
 * Orders versions: by semver; invalid ones below all valid ones, by publication.
 * @returns below 0 if `a` is the earlier one
 */
export function compareVersions(a: PublishedVersion, b: PublishedVersion): number {
  const [left, right] = [parsed(a.version), parsed(b.version)];
  if (left && right) return compare(left, right) || left.compareBuild(right) || a.at.getTime() - b.at.getTime();
  if (left || right) return left ? 1 : -1;
  return a.at.getTime() - b.at.getTime();
}

export interface PublishedVersion {
  readonly version: string;
  /** When it was last announced. */
  readonly at: Date;
}

/** Daemons may be prereleases: a range that contains the neighbouring releases contains them too. */
const DAEMON = { loose: true, includePrerelease: true } as const;

/** Whether a text is a range of semver (`^1.2`, `>=1.2 <3`, `1.x`). */
export function isRange(text: string): boolean {
  try {
    return new Range(text, DAEMON).range !== undefined;
  } catch {
    return false;
  }
}

/** The requesting daemon. */
export interface Daemon {
  /**
   * @param ranges of the files of one version of a plugin, each of which must contain it; none: every daemon
   * fits
   */
  fits(ranges: readonly string[]): boolean;
}

/**
 * @returns undefined if the text is no version (`dev`, `main`): such a daemon accepts every version of a
 * plugin
 */
export function daemonOf(text: string): Daemon | undefined {
  const version = parsed(text.trim());
  return version && { fits: (ranges) => ranges.every((range) => satisfies(version, range, DAEMON)) };
}

/**
 * The version of an upload without one: later uploads are newer, and every release is newer than them.
 * Milliseconds are a separate part: semver compares digits as numbers, and both together exceed a double.
 */
export const versionAt = (time: Date): string => {
  const digits = time.toISOString().replace(/\D/g, '');
  return `0.0.0-${digits.slice(0, 14)}.${Number(digits.slice(14))}`;
};
