import type { AskedPlugin } from './asked-plugins';
import { compareVersions, type Daemon } from './plugin-versions';
import type { VersionRow } from './plugins.queries';

export interface ChosenPlugin {
  readonly plugin: string;
  readonly version: string;
  /** The version that a request without one gets. */
  readonly latestVersion: string;
}

/**
 * The listed version of each plugin: the requested one; else the latest; else, if that does not fit the
 * daemon, the newest that does. Versions that do not fit are never listed.
 * @param versions of every requested plugin
 * @returns with them, the names of plugins without such a version
 */
export function choosePlugins(
  versions: readonly VersionRow[],
  asked: readonly AskedPlugin[],
  daemon: Daemon | undefined,
): { chosen: ChosenPlugin[]; unavailable: string[] } {
  const byPlugin = Map.groupBy(versions, ({ plugin }) => plugin);
  const chosen: ChosenPlugin[] = [];
  const unavailable = new Set<string>();
  for (const { name, version: pinned } of asked) {
    const there = (byPlugin.get(name) ?? []).filter(({ available }) => available);
    const latest = latestOf(there);
    const fitting = there.filter(
      ({ version, daemon_versions: ranges }) =>
        (pinned === undefined || version === pinned) && (daemon?.fits(ranges) ?? true),
    );
    const one = latest && fitting.includes(latest) ? latest : newestOf(fitting);
    if (one && latest) chosen.push({ plugin: name, version: one.version, latestVersion: latest.version });
    else unavailable.add(name);
  }
  return { chosen, unavailable: [...unavailable] };
}

/** In one pass: the route is public, and a plugin may have thousands of versions. */
const newestOf = (versions: readonly VersionRow[]): VersionRow | undefined =>
  versions.reduce<VersionRow | undefined>(
    (newest, one) => (newest && compareVersions(newest, one) > 0 ? newest : one),
    undefined,
  );

/** The version that became the latest last; without one, the newest. */
const latestOf = (versions: readonly VersionRow[]): VersionRow | undefined =>
  versions
    .filter((one): one is VersionRow & { latest_at: Date } => one.latest_at !== null)
    .toSorted((a, b) => a.latest_at.getTime() - b.latest_at.getTime())
    .at(-1) ?? newestOf(versions);
