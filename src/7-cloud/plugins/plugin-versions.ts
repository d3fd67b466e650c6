import { SemVer, Range, satisfies, compare } from 'semver';

const LOOSE = { loose: true } as const;

const parsed = (version: string): SemVer | undefined => {
  try {
    return new SemVer(version, LOOSE);
  } catch {
    return undefined;
  }
};

/**
 * Versions in their order: by semver, and those that are
 * none below all that are, by when they were published.
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

/** Daemons may be of builds before a release: a range that holds the release's neighbours holds them too. */
const DAEMON = { loose: true, includePrerelease: true } as const;

/** Whether a text is a range of semver (`^1.2`, `>=1.2 <3`, `1.x`). */
export function isRange(text: string): boolean {
  try {
    return new Range(text, DAEMON).range !== undefined;
  } catch {
    return false;
  }
}

/** The daemon that asks for plugins. */
export interface Daemon {
  /**
   * @param ranges of the files of one version of a plugin, each
   * of which must hold it; none: it is for all daemons
   */
  fits(ranges: readonly string[]): boolean;
}

/**
 * @returns undefined where the text is no version (`dev`,
 * `main`): such a daemon takes every version of a plugin
 */
export function daemonOf(text: string): Daemon | undefined {
  const version = parsed(text.trim());
  return version && { fits: (ranges) => ranges.every((range) => satisfies(version, range, DAEMON)) };
}

/**
 * What an upload without a version is: later ones are the newer ones, and every
 * release is newer. Milliseconds stand apart: semver compares digits as numbers, and
 * those of both together are more than a double holds.
 */
export const versionAt = (time: Date): string => {
  const digits = time.toISOString().replace(/\D/g, '');
  return `0.0.0-${digits.slice(0, 14)}.${Number(digits.slice(14))}`;
};
