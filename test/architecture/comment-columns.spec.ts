import { globSync, readFileSync } from 'node:fs';

/** As in TypeScript, where the linter checks it. */
const COMMENT_COLUMNS = 110;

describe('comments in scripts and configuration', () => {
  it('have at most 110 columns', () => {
    const kinds = '{docker,test}/**/{*.sh,*.yaml,*.yml,Dockerfile*}';
    const files = globSync(kinds, { exclude: (file) => file.includes('node_modules') }).sort();
    expect(files.length).toBeGreaterThan(20);
    const long = files.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, place) =>
          /^\s*#/.test(line) && line.length > COMMENT_COLUMNS ? [`${file}:${place + 1}`] : [],
        ),
    );
    expect(long).toEqual([]);
  });
});
