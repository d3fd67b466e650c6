import { THEMES, WIDTHS, type Tab } from './browser';

const MOST_REQUESTS = 6;

/** A page, and words that it shows of what was seeded. */
export interface Expected {
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly shows: readonly string[];
}

/** Loads a page once, and looks at it in both themes and at both widths. */
export async function expectLooks(tab: Tab, { name, path, title, shows }: Expected): Promise<void> {
  await tab.goto(path);
  for (const text of shows) await tab.page.getByText(text).first().waitFor({ state: 'attached' });
  expect([...new Set(tab.requests)].slice(MOST_REQUESTS)).toEqual([]);
  expect(await tab.page.title()).toBe(`${title} · Control plane`);
  for (const theme of THEMES)
    for (const width of WIDTHS) {
      await tab.look(theme, width);
      await tab.screenshot(`${name}-${theme}-${width}`);
      expect([theme, width, await tab.findings()]).toEqual([theme, width, []]);
      expect([theme, width, await tab.overflow()]).toEqual([theme, width, 0]);
    }
  expect(tab.faults).toEqual([]);
}
