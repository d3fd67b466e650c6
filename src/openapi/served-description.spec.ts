import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { servedDescription } from './served-description';

describe('the description that is served', () => {
  let directory: string;
  let built: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'description-'));
    built = join(directory, 'description.json');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  /** It has no modules, so that nothing can be described. */
  const application = () => ({}) as INestApplication;

  it('is the text that the build wrote, and nothing is built', async () => {
    const text = '{"openapi":"3.0.3"}';
    writeFileSync(built, text);
    const { json, tag } = await servedDescription(application(), built);
    expect(json.toString()).toBe(text);
    expect(tag).toMatch(/^"[\w-]{43}"$/);
  });

  it('stays the same while the process runs, also when the next build removes the file', async () => {
    writeFileSync(built, '{}');
    const app = application();
    const first = await servedDescription(app, built);
    rmSync(built);
    expect(await servedDescription(app, built)).toBe(first);
  });

  it('is built from the modules if the build did not write it', async () => {
    await expect(servedDescription(application(), built)).rejects.toThrow(TypeError);
  });

  it('is not replaced by another one if the file is there and cannot be read', async () => {
    await expect(servedDescription(application(), directory)).rejects.toMatchObject({ code: 'EISDIR' });
  });
});
