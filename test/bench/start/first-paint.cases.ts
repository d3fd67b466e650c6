import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from '../../console/support/browser';
import { missing } from '../../support/components';
import type { BenchCase } from '../bench';

const MOST_MS = 1_000;
const SHOWN_WITHIN_MS = 60_000;
const LOOKED_EVERY_MS = 20;

/** Of the navigation, in milliseconds; undefined until it happened. */
const PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
/** Since when Swagger UI shows the groups of operations in place of the contents. */
const LISTED = `(() => { const one = document.querySelector('.opblock-tag'); return one ? performance.now() : undefined; })()`;

export const firstPaint: BenchCase = {
  name: 'docs-first-paint',
  what: '/docs in Chromium with an empty profile, by its own paint timing: the first paint of content, and the groups of operations',
  isElsewhere: true,
  prepare(bench) {
    const absent = missing(['Chromium']);
    if (absent.length > 0) return `missing: ${absent.join(', ')}`;
    let version = '';
    return {
      sides: [
        {
          name: '/docs',
          async run() {
            // A new process with a profile of its own: nothing is in its cache.
            const browser = await launch({ asShipped: true });
            try {
              version = browser.version();
              const page = await browser.newPage();
              await page.goto('about:blank');
              await page.goto(`${bench.url}/docs`, { waitUntil: 'commit' });
              const seen = async (expression: string): Promise<number> => {
                for (const end = performance.now() + SHOWN_WITHIN_MS; performance.now() < end;) {
                  const at = await page.evaluate<number | undefined>(expression);
                  if (at !== undefined) return at;
                  await sleep(LOOKED_EVERY_MS);
                }
                throw new Error(`/docs did not show what it has: ${await page.title()}`);
              };
              return { 'first paint': await seen(PAINTED), operations: await seen(LISTED) };
            } finally {
              await browser.close();
            }
          },
        },
      ],
      bounds: [{ of: '/docs first paint', atMost: MOST_MS }],
      notes: () => [`Chromium ${version}`],
    };
  },
};
