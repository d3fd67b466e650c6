import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The placeholder of the nonce, which the service replaces in each answer. */
const NONCE = '__CSP_NONCE__';

const SERVICE = process.env.CONSOLE_SERVICE ?? 'http://127.0.0.1:3000';

/** `npm run console:dev` serves the sources, and passes requests of the API on to a service. */
export default defineConfig({
  root: fileURLToPath(new URL('../app', import.meta.url)),
  base: '/console/',
  publicDir: false,
  logLevel: 'warn',
  html: { cspNonce: NONCE },
  build: {
    // Browsers of 2024 and later.
    target: 'es2023',
    manifest: 'manifest.json',
    emptyOutDir: true,
    // A font or an image inside a style would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // `budget.mts` weighs the chunks.
    chunkSizeWarningLimit: Infinity,
    rolldownOptions: {
      onLog(level, log, handle) {
        // Some packages mark modules for servers that render pages; there is no such server here.
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  server: { proxy: { '/v1': SERVICE } },
});
