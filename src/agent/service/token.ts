import { readFile, stat } from 'node:fs/promises';

/** Where the bearer of requests is found. The token itself is never part of a message. */
export interface TokenSettings {
  /** The token. Wins over the file. */
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** Where people put a token, for the end of a sentence. */
export const TOKEN_IS_SET_BY = 'CCP_TOKEN, or in a file that CCP_TOKEN_FILE or --token-file names';

/** A token cannot be read. */
export class TokenUnreadable extends Error {}

/** The bearer. A file is read again when it changes, because tokens are replaced while agents run. */
export class TokenSource {
  private read: { readonly version: string; readonly token: string } | undefined;

  constructor(private readonly settings: TokenSettings) {}

  /** @returns undefined if no token is set */
  async current(): Promise<string | undefined> {
    const { token, tokenFile } = this.settings;
    if (token !== undefined && token !== '') return token;
    return tokenFile === undefined || tokenFile === '' ? undefined : this.ofFile(tokenFile);
  }

  private async ofFile(path: string): Promise<string> {
    try {
      const { ino, size, mtimeNs } = await stat(path, { bigint: true });
      const version = `${ino} ${size} ${mtimeNs}`;
      if (this.read?.version !== version) this.read = { version, token: (await readFile(path, 'utf8')).trim() };
    } catch (error) {
      throw new TokenUnreadable(`The file of the token, ${path}, cannot be read.`, { cause: error });
    }
    if (this.read.token === '' || /\s/.test(this.read.token))
      throw new TokenUnreadable(`The file of the token, ${path}, must hold one token and nothing else.`);
    return this.read.token;
  }
}
