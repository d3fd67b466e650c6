/**
 * Orders builds by their functions, views and triggers. While a new build replaces an old one, both start on
 * one database: the build with the lower revision leaves the objects of the other alone.
 *
 * Raise it whenever a file changes, and copy the new fingerprint from the test that fails until then.
 */
export const SCHEMA_REVISION = 6;

export const SCHEMA_FINGERPRINT = 'a430dff917d2bd893e0f895c3a73f325002dd3dd30ad1e89bb32d766adad4380';
