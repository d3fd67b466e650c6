/** Commands that people paste into a shell: what others have named must stay one word of it. */

/** In quotes where a shell would read it as anything else than itself. */
export const quoted = (text: string): string =>
  /^[\w:/.=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

interface Machine {
  readonly user: string;
  readonly address: string;
  readonly port: number | null;
}

export function sshCommand({ user, address, port }: Machine): string {
  const target = `${user}@${address}`;
  // Behind the dashes, nothing is an option.
  return `ssh ${port === null ? '' : `-p ${port} `}${target.startsWith('-') ? '-- ' : ''}${quoted(target)}`;
}
