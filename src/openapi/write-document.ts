/**
 * Writes the description of the API beside this program, as the service serves it: the last step of a build.
 * With `--publish` it also writes `docs/openapi.json`; with `--check` it fails if that file differs. It needs
 * no database: the application is created, but not started.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../app.module';
import { createLogger } from '../1-platform/common/logger';
import { readEnvironment } from '../1-platform/config/environment';
import { describe } from './description';
import { BUILT, textOf } from './served-description';

const PUBLISHED = 'docs/openapi.json';

async function main(): Promise<number> {
  const environment = { ...readEnvironment({}), databaseUrl: 'postgres://nobody@127.0.0.1:1/none' };
  const app = await NestFactory.create(AppModule.with(environment, createLogger('silent')), {
    logger: false,
    preview: true,
  });
  const document = describe(app);
  // A build that is interrupted leaves no part of it: the file is also the sign that a build is complete.
  writeFileSync(`${BUILT}.new`, textOf(document));
  renameSync(`${BUILT}.new`, BUILT);
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.argv.includes('--publish')) writeFileSync(PUBLISHED, text);
  if (!process.argv.includes('--check') || readFileSync(PUBLISHED, 'utf8') === text) return 0;
  process.stderr.write(`${PUBLISHED} is not what the code describes: run npm run openapi\n`);
  return 1;
}

void main().then((code) => process.exit(code));
