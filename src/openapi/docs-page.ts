import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Response } from 'express';
import { servedDescription } from './served-description';
import { WINGS } from './tags';
import { SUBTITLE, TITLE } from './title';

/**
 * Allows only files of this service: no script or style inside the page, and no frame around it. Swagger UI
 * loads its icons from `data:` addresses.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SWAGGER_UI = dirname(require.resolve('swagger-ui-dist/package.json'));

/** Styles in addition to those of Swagger UI. `contents` is visible until Swagger UI is ready. */
const STYLE = `
html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; color: #3b4151; font-family: sans-serif; }
.contents { max-width: 1460px; margin: 0 auto; padding: 30px 20px; }
.contents dt { font-weight: bold; }
.contents dd { margin: 0 0 8px; }
.wing { margin: 40px 0 10px; font-family: sans-serif; }
`;

const SCRIPT = readFileSync(join(__dirname, 'page/docs.js'), 'utf8');

const FILES_OF_SWAGGER_UI = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** Changes with the files of the page, so that browsers may cache the files of one version for ever. */
function versionOfFiles(): string {
  const { version } = JSON.parse(readFileSync(join(SWAGGER_UI, 'package.json'), 'utf8')) as { version: string };
  return createHash('sha256').update(`${version}\n${STYLE}\n${SCRIPT}`).digest('base64url').slice(0, 16);
}

const FOR_EVER = 'public, max-age=31536000, immutable';
const ASK_AGAIN = 'no-cache';

/** Escapes text for an element. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The wings and their tags, visible at once: Swagger UI takes a second. */
const contents = WINGS.map(({ name, tags }) => {
  const entries = Object.entries(tags).map(([tag, text]) => `<dt>${escaped(tag)}</dt><dd>${escaped(text)}</dd>`);
  return `<h2 class="wing">${escaped(name)}</h2>\n<dl>${entries.join('\n')}</dl>`;
}).join('\n');

const page = (version: string): string => `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Control plane API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png?${version}">
<link rel="stylesheet" href="docs/swagger-ui.css?${version}">
<link rel="stylesheet" href="docs/docs.css?${version}">
<script defer src="docs/docs.js?${version}"></script>
<script defer src="docs/swagger-ui-bundle.js?${version}"></script>
</head>
<body>
<div id="swagger-ui">
<div class="contents">
<h1>${escaped(TITLE)}</h1>
<p>${escaped(SUBTITLE)} The whole description: <a href="v1/openapi.json">openapi.json</a></p>
${contents}
</div>
</div>
</body>
</html>
`;

/** `GET /v1/openapi.json` and the page at `/docs`, whose Authorize button takes an access token. */
export function serveDescription(app: NestExpressApplication): void {
  const express = app.getHttpAdapter().getInstance();
  express.get('/v1/openapi.json', async (request, response) => {
    const { json, tag } = await servedDescription(app);
    response.setHeader('etag', tag);
    response.setHeader('cache-control', ASK_AGAIN);
    if (request.fresh) response.status(304).end();
    else response.type('application/json').send(json);
  });

  const version = versionOfFiles();
  const html = page(version);
  express.get('/docs', (request, response) => {
    // The page's addresses are relative to this path.
    if (request.path !== '/docs') return void response.redirect(301, '../docs');
    response.setHeader('content-security-policy', POLICY);
    response.setHeader('cache-control', ASK_AGAIN);
    response.type('html').send(html);
  });
  const get = (name: string, send: (response: Response) => void): void =>
    void express.get(`/docs/${name}`, (request, response) => {
      // The file at an address without a version may change.
      response.setHeader('cache-control', request.url.endsWith(`?${version}`) ? FOR_EVER : ASK_AGAIN);
      send(response);
    });
  get('docs.css', (response) => response.type('css').send(STYLE));
  get('docs.js', (response) => response.type('js').send(SCRIPT));
  for (const name of FILES_OF_SWAGGER_UI)
    get(name, (response) => response.sendFile(name, { root: SWAGGER_UI, cacheControl: false }));
}
