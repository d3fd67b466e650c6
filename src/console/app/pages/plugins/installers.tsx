import type { UseQueryResult } from '@tanstack/react-query';
import { Section } from '../../parts/page';
import { Command, Loaded } from '../../parts/states';
import { Status } from '../../parts/status';
import { installCommand, mainCommand, publishCommand } from './install-commands';
import type { Shelf } from './plugins-queries';
import type { PluginsSearch } from './plugins-search';
import styles from './plugins.module.css';

interface InstallersProps {
  readonly installers: UseQueryResult<Shelf>;
  readonly search: PluginsSearch;
}

/** What one pastes into a shell of a node, and how a plugin is published. */
export function Installers({ installers, search }: InstallersProps) {
  const { origin } = window.location;
  const kind = { arch: search.arch, build: search.build };
  const commands = [
    ['install', 'On a Kubernetes node or a plain host', installCommand(origin, '/v1/install', kind)],
    ['install-slurm', 'On a node of Slurm', installCommand(origin, '/v1/install/slurm', kind)],
    ['main', 'Only the main binary', mainCommand(origin, kind)],
  ] as const;
  return (
    <>
      <Section
        title="Install"
        summary="These read without a token, unless PLUGINS_PUBLIC is false: then add a header with one."
      >
        <Loaded query={installers} lines={3}>
          {({ plugins }) => (
            <ul className={styles.commands}>
              {commands.map(([name, where, command]) => {
                const found = plugins.find((plugin) => plugin.name === name);
                return (
                  <li key={name}>
                    <h3>
                      {where}{' '}
                      {found ? (
                        <Status tone="good">{`${name} ${found.version}`}</Status>
                      ) : (
                        <Status tone="warn">{`${name} is not published`}</Status>
                      )}
                    </h3>
                    <Command text={command} />
                  </li>
                );
              })}
            </ul>
          )}
        </Loaded>
      </Section>
      <Section
        title="Publish"
        summary="From a checkout of this service. It uploads a file, waits until it is served, and compares it."
      >
        <div className={styles.publish}>
          <Command text={publishCommand(origin)} />
        </div>
      </Section>
    </>
  );
}
