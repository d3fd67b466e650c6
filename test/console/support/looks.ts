import { eventually } from '../../support/eventually';
import { inForm } from '../../support/form';
import { THEMES, WIDTHS, type Tab } from './browser';

const MOST_REQUESTS = 6;

/** A page, and words that it shows of what was seeded. */
export interface Expected {
  readonly name: string;
  readonly path: string;
  readonly title: string;
  readonly shows: readonly (string | RegExp)[];
  /** Requests of the shell, which every page shares, are not counted. */
  readonly isShellFree?: boolean;
  /** The service knows no such thing: the browser reports its 404 as an error of the page. */
  readonly isMissing?: boolean;
}

/** Each theme and each width; in the long form, each with each. */
export const LOOKS = inForm(
  THEMES.map((theme, place) => [theme, WIDTHS[place]!] as const),
  THEMES.flatMap((theme) => WIDTHS.map((width) => [theme, width] as const)),
);

/** Looks at what a tab shows, whose look is that of the last one afterwards. */
export async function expectAllLooks(tab: Tab, name: string): Promise<void> {
  for (const [theme, width] of LOOKS) {
    await tab.look(theme, width);
    await tab.screenshot(`${name}-${theme}-${width}`);
    expect([theme, width, await tab.findings()]).toEqual([theme, width, []]);
    // What depends on the width is drawn again after the window has it, which may take a while.
    await eventually(async () => expect([theme, width, await tab.overflow()]).toEqual([theme, width, 0]));
  }
}

const OF_THE_SHELL = /\/v1\/(user|inference\/outbox)/;

/** Loads a page once, and looks at it in both themes and at both widths. */
export async function expectLooks(
  tab: Tab,
  { name, path, title, shows, isShellFree = false, isMissing = false }: Expected,
): Promise<void> {
  await tab.goto(path);
  for (const text of shows) await tab.page.getByText(text).first().waitFor({ state: 'attached' });
  const counted = tab.requests.filter((request) => !isShellFree || !OF_THE_SHELL.test(request));
  expect([...new Set(counted)].slice(MOST_REQUESTS)).toEqual([]);
  expect(await tab.page.getByRole('heading', { level: 1 }).textContent()).toBe(title);
  expect(await tab.page.title()).toBe(`${title} · Control plane`);
  await expectAllLooks(tab, name);
  expect(tab.faults.filter((fault) => !isMissing || !fault.includes('404 (Not Found)'))).toEqual([]);
}
