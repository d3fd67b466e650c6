import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { AgentFailure } from '../../../failures';

export interface AccessOptions {
  /** Undefined: `KUBECONFIG`, `~/.kube/config`, or the service account of the pod. */
  readonly kubeconfig?: string | undefined;
  /** Undefined: the current one. */
  readonly context?: string | undefined;
  /** For which a connection may be silent before it is closed. */
  readonly silenceMs?: number;
}

/** Namespace of the pod in which this process runs. */
const OWN_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
const KEEP_ALIVE_MS = 30_000;
/**
 * The API server answers within a minute. A watch is silent for longer where nothing changes: bookmarks come
 * only behind a version that the watch does not know.
 */
const SILENCE_MS = 150_000;

/** Where the API server is, and who this agent is there. Renewed tokens and certificates are noticed. */
export class Access {
  private dispatcher: { readonly of: string; readonly dispatcher: Dispatcher } | undefined;

  private constructor(
    readonly config: KubeConfig,
    private readonly silenceMs: number,
  ) {}

  /** Throws `AgentFailure`. */
  static load({ kubeconfig, context, silenceMs = SILENCE_MS }: AccessOptions): Access {
    const config = new KubeConfig();
    try {
      if (kubeconfig === undefined) config.loadFromDefault();
      else config.loadFromFile(kubeconfig);
    } catch (error) {
      // Words of the parser may quote lines of it, such as a token.
      const { code } = error as NodeJS.ErrnoException;
      throw invalid(`The kubeconfig cannot be read: ${code ?? 'it is no valid YAML of a kubeconfig'}.`);
    }
    if (context !== undefined) {
      if (!config.getContexts().some(({ name }) => name === context))
        throw invalid(
          `The kubeconfig has no context "${context}". It has ${config
            .getContexts()
            .map(({ name }) => name)
            .join(', ')}.`,
        );
      config.setCurrentContext(context);
    }
    if (!config.getCurrentCluster()) throw invalid('The kubeconfig names no cluster as the current one.');
    return new Access(config, silenceMs);
  }

  /** Address of the API server, without a slash at its end. */
  get server(): string {
    return this.config.getCurrentCluster()!.server.replace(/(?<!\/)\/+$/, '');
  }

  /** The namespace of this process in a pod, or that of the context. */
  get namespace(): string {
    try {
      const own = readFileSync(OWN_NAMESPACE, 'utf8').trim();
      if (own !== '') return own;
    } catch {
      // It runs outside of the cluster.
    }
    return this.config.getContextObject(this.config.getCurrentContext())?.namespace ?? 'default';
  }

  /** What each request needs. */
  async connection(): Promise<{ readonly headers: Record<string, string>; readonly dispatcher: Dispatcher }> {
    const options: RequestOptions = {};
    await this.config.applyToHTTPSOptions(options);
    const headers: Record<string, string> = { 'user-agent': 'ccp-agent' };
    for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value);
    if (typeof options.auth === 'string')
      headers.authorization = `Basic ${Buffer.from(options.auth).toString('base64')}`;
    return { headers, dispatcher: this.dispatcherFor(options) };
  }

  /** The same connections, as long as nothing changes. */
  private dispatcherFor({ ca, cert, key, servername, rejectUnauthorized }: RequestOptions): Dispatcher {
    const tls = { ca, cert, key, servername, rejectUnauthorized };
    const proxy = this.config.getCurrentCluster()?.proxyUrl;
    const of = [...Object.values(tls), proxy].map(String).join('\n');
    if (this.dispatcher?.of === of) return this.dispatcher.dispatcher;
    const given = Object.fromEntries(Object.entries(tls).filter(([, value]) => value !== undefined && value !== null));
    const silence = { headersTimeout: this.silenceMs, bodyTimeout: this.silenceMs };
    const dispatcher =
      proxy === undefined
        ? new Agent({ ...silence, connect: { ...given, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS } })
        : new ProxyAgent({ ...silence, uri: proxy, requestTls: given });
    this.dispatcher = { of, dispatcher };
    return dispatcher;
  }
}

const invalid = (message: string): AgentFailure =>
  new AgentFailure({ cause: 'invalid_setting', message, remedy: 'Check --kubeconfig and --context.' });
