/**
 * Orders builds by their functions, views and triggers. While a new build replaces an old one, both start on
 * one database: the build with the lower revision leaves the objects of the other alone.
 *
 * Raise it whenever a file changes, and copy the new fingerprint from the test that fails until then.
 */
export const SCHEMA_REVISION = 7;

export const SCHEMA_FINGERPRINT = 'da53f9175a79a46b14340cac10ca701ea47bdfdbfe4f189fcc8c335033759dd3';
