/**
 * Writes when each locked version was released: `npm run release-dates`. It asks the registry that npm is set
 * up with, once for each package that the file does not have yet.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { inParallel } from '../support/random';
import { lockedPackages, RELEASE_DATES, releaseDates } from './locked-packages';

const AT_ONCE = 8;

async function main(): Promise<void> {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const known = releaseDates();
  const dates: Record<string, string> = {};
  const asked = new Map<string, string[]>();
  for (const { name, version } of lockedPackages()) {
    const date = known[`${name}@${version}`];
    if (date === undefined) asked.set(name, [...(asked.get(name) ?? []), version]);
    else dates[`${name}@${version}`] = date;
  }
  await inParallel([...asked], AT_ONCE, async ([name, versions]) => {
    const response = await fetch(new URL(name.replace('/', '%2f'), registry));
    if (!response.ok) throw new Error(`the registry answered ${response.status} for ${name}`);
    const { time } = (await response.json()) as { time: Readonly<Record<string, string>> };
    for (const version of versions) {
      const date = time[version];
      if (date === undefined) throw new Error(`the registry has no date of ${name}@${version}`);
      dates[`${name}@${version}`] = date.slice(0, 'YYYY-MM-DD'.length);
    }
  });
  const sorted = Object.fromEntries(Object.entries(dates).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(RELEASE_DATES, `${JSON.stringify(sorted, undefined, 2)}\n`);
}

void main();
