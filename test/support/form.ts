/**
 * `npm test` runs the short form of tests that repeat something, `npm run test:long` the long one. Both have
 * the same statements, and differ in how often they try to refute them.
 */
export const inForm = <T>(short: T, long: T): T => (process.env.TEST_FORM === 'long' ? long : short);
