import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES, type Shown } from '../console/support/pages';

const ROUTES = readFileSync(join(__dirname, '../../src/console/app/routes.tsx'), 'utf8');

/** Any id: only the form of an address is compared. */
const SHOWN = new Proxy({}, { get: () => 'any' }) as Shown;

describe('every page of the console', () => {
  it('is known to the spec that shows each in each of its states', () => {
    const paths = [...ROUTES.matchAll(/^ {2}path: '([^']+)'/gm)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(15);
    const known = Object.values(PAGES).map(({ path }) => path(SHOWN).replace(/\?.*/, '') || '/');
    const isKnown = (path: string) => {
      const form = new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`);
      return known.some((address) => form.test(address));
    };
    expect(paths.filter((path) => !isKnown(path))).toEqual([]);
  });
});
