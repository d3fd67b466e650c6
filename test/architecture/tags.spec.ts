import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WINGS } from '../../src/openapi/tags';

const SOURCE = join(__dirname, '../../src');

/** The tag of each controller, with the folder of its wing, in the order of the wings. */
const controllers = globSync('*/**/*.controller.ts', { cwd: SOURCE })
  .toSorted()
  .flatMap((file) => {
    const tags = readFileSync(join(SOURCE, file), 'utf8').matchAll(/@ApiTags\('([^']+)'\)/g);
    return [...tags].map(([, tag = '']) => ({ tag, wing: file.split('/')[0] ?? '' }));
  });

describe('the tags of the API page', () => {
  it('are those of the controllers', () => {
    const listed = WINGS.flatMap(({ tags }) => Object.keys(tags));
    expect([...listed].sort()).toEqual([...new Set(controllers.map(({ tag }) => tag))].sort());
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('stand in groups that follow the wings, each in the first wing that has a controller of it', () => {
    const wings = [...new Set(controllers.map(({ wing }) => wing))];
    expect(wings.map((wing) => wing.replace(/^\d-/, ''))).toEqual(WINGS.map(({ name }) => name.toLowerCase()));
    const firstWing = new Map(controllers.toReversed().map(({ tag, wing }) => [tag, wing]));
    const found = WINGS.map(({ tags }) => [...new Set(Object.keys(tags).map((tag) => firstWing.get(tag)))]);
    expect(found).toEqual(wings.map((wing) => [wing]));
  });
});
