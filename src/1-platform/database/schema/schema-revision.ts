/**
 * Orders builds by their functions, views and triggers. While a new build replaces an old one, both start on
 * one database: the build with the lower revision leaves the objects of the other alone.
 *
 * Raise it whenever a file changes, and copy the new fingerprint from the test that fails until then.
 */
export const SCHEMA_REVISION = 10;

export const SCHEMA_FINGERPRINT = '80402d65e529c8b7412c06f34cf197e5092c56446ff46ccc5633f662262edfee';
