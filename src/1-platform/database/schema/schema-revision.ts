/**
 * Orders builds by their functions, views and triggers. While a new build replaces an old one, both start on
 * one database: the build with the lower revision leaves the objects of the other alone.
 *
 * Raise it whenever a file changes, and copy the new fingerprint from the test that fails until then.
 */
export const SCHEMA_REVISION = 8;

export const SCHEMA_FINGERPRINT = 'b6fb45904f7fae7e0dede4fb1a9bdc36f9634156c1232ac605c9b9b02ae1ef94';
