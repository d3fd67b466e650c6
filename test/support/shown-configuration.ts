import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GUIDES = join(__dirname, '../../docs/guides');

/**
 * What a guide shows for another program, so that tests use what it recommends.
 * @param language of its block
 * @param containing tells it from others of that language
 */
export function shownConfiguration(language: string, containing = '', guide = 'operating'): string {
  const blocks = [...readFileSync(join(GUIDES, `${guide}.md`), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  const found = blocks.filter(([, marked, text = '']) => marked === language && text.includes(containing));
  const [shown] = found;
  if (shown?.[2] === undefined || found.length > 1)
    throw new Error(
      `the guide ${guide} has one block of ${language} with ${JSON.stringify(containing)}, not ${found.length}`,
    );
  return shown[2];
}
