/** The setting that npm passes on from this project's `.npmrc`. */
const OF_NPM = 'npm_config_ignore_scripts';

/**
 * The environment for what the agent starts: a workload's own npm must run its scripts.
 * @param own of this process
 */
export function ownEnvironment(own: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { [OF_NPM]: ofNpm, ...rest } = own;
  const byNpm = own.npm_lifecycle_event !== undefined;
  return byNpm || ofNpm === undefined ? rest : { ...rest, [OF_NPM]: ofNpm };
}
