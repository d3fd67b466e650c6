/**
 * Orders builds by their functions, views and triggers. While a new build replaces an old one, both start on
 * one database: the build with the lower revision leaves the objects of the other alone.
 *
 * Raise it whenever a file changes, and copy the new fingerprint from the test that fails until then.
 */
export const SCHEMA_REVISION = 1;

export const SCHEMA_FINGERPRINT = 'b38d522d77d25cfda075923297d7eef83e538adbf0e68a793671acc3da9de152';
