/**
 * Orders builds by their functions, views and triggers. While a new build replaces an old one, both start on
 * one database: the build with the lower revision leaves the objects of the other alone.
 *
 * Raise it whenever a file changes, and copy the new fingerprint from the test that fails until then.
 */
export const SCHEMA_REVISION = 7;

export const SCHEMA_FINGERPRINT = '124052093d3a8d27c5b904b1df86dcc6ba92e367124432c8b5c82919bdcd443d';
