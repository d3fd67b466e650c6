/**
 * Orders builds by their functions, views and triggers. While a new build replaces an old one, both start on
 * one database: the build with the lower revision leaves the objects of the other alone.
 *
 * Raise it whenever a file changes, and copy the new fingerprint from the test that fails until then.
 */
export const SCHEMA_REVISION = 4;

export const SCHEMA_FINGERPRINT = '93548821deb75dbce3608f4f970a0974260e71a140d6cd8c46a7bb6f5ef6b60a';
