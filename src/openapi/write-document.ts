/**
 * Writes the description of the API to `docs/openapi.json`. With `--check` it fails if that file differs.
 * `npm run openapi` and CI call it. It needs no database: the application is created, but not started.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { createLogger } from '../1-platform/common/logger';
import { readEnvironment } from '../1-platform/config/environment';
import { describe } from './description';

const FILE = 'docs/openapi.json';

async function main(): Promise<number> {
  const environment = { ...readEnvironment({}), databaseUrl: 'postgres://nobody@127.0.0.1:1/none' };
  const app = await NestFactory.create(AppModule.with(environment, createLogger('silent')), {
    logger: false,
    preview: true,
  });
  const text = `${JSON.stringify(describe(app), null, 2)}\n`;
  if (!process.argv.includes('--check')) {
    writeFileSync(FILE, text);
    return 0;
  }
  if (readFileSync(FILE, 'utf8') === text) return 0;
  process.stderr.write(`${FILE} is not what the code describes: run npm run openapi\n`);
  return 1;
}

void main().then((code) => process.exit(code));
