import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of the package: `package.json` is three folders above this file, in `src` and in `dist`. */
export const { version: VERSION } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
  version: string;
};
