/** The first version with zstd, by which the service's store compresses. */
const OLDEST = [22, 15] as const;

/**
 * By `npm run agent`, the agent runs on the Node that the project brings. Started in another way, it may be
 * an older one.
 * @param version as `process.versions.node`
 * @returns one sentence and its remedy; undefined if it is new enough
 */
export function nodeFault(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return undefined;
  return (
    `This is Node ${version}, and the agent needs ${OLDEST.join('.')} or newer. ` +
    'Start it by `npm run agent`, which brings its own, or install a newer one.'
  );
}
