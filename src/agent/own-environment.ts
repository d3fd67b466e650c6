/** The setting that npm passes on from this project's `.npmrc`. */
const OF_NPM = 'npm_config_ignore_scripts';

/** Where docker/build/ccp-agent.sh keeps the options for the Node of the workload. */
const NODE_OPTIONS = 'CCP_WORKLOAD_NODE_OPTIONS';

/**
 * The environment for what the agent starts: a workload's own npm must run its scripts.
 * @param own of this process
 */
export function ownEnvironment(own: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { [OF_NPM]: ofNpm, [NODE_OPTIONS]: options, ...others } = own;
  const byNpm = own.npm_lifecycle_event !== undefined;
  const rest = options === undefined ? others : { ...others, NODE_OPTIONS: options };
  return byNpm || ofNpm === undefined ? rest : { ...rest, [OF_NPM]: ofNpm };
}
