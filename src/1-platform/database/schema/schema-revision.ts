/**
 * Orders builds by their functions, views and triggers. While a new build replaces an old one, both start on
 * one database: the build with the lower revision leaves the objects of the other alone.
 *
 * Raise it whenever a file changes, and copy the new fingerprint from the test that fails until then.
 */
export const SCHEMA_REVISION = 8;

export const SCHEMA_FINGERPRINT = '25d8fe960e0c092a77782b3ab02f58b3b3f85c6bc2446fe8da3706c214af37d6';
