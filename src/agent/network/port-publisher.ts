import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentFailure, failureOf } from '../failures';
import type { NetworkNamespace } from './network-namespace';

/** Nobody outside of this machine reaches a workload this way. */
const LOOPBACK = '127.0.0.1';
const BACKLOG = 1024;

/** A forwarder that somebody killed is started again, so many times in all. */
const MOST_RESTARTS = 10;
const RESTART_PAUSE_MS = 100;

/**
 * Without compilers, and with a bound at which it also returns the buffers that it used, it needs 9 MB of its
 * own when idle, and 30 MB with 2,000 connections or after gigabytes.
 */
const SMALL = ['--max-semi-space-size=1', '--max-old-space-size=32', ...['--no-opt', '--no-maglev', '--no-sparkplug']];

const PROGRAM = join(__dirname, `forwarder${extname(__filename)}`);

export interface Published {
  readonly host: string;
  readonly port: number;
}

export interface PublisherOptions {
  readonly namespace: NetworkNamespace;
  /** Of this machine; undefined: only the machine itself reaches it. */
  readonly address: string | undefined;
  /** 0: a free one. */
  readonly hostPort: number;
  /** In the namespace. */
  readonly port: number;
  /** The address changed: it is gone. */
  readonly changed: () => void;
  readonly say: (sentence: string) => void;
}

/**
 * Makes a port of a network namespace reachable at a port of the host. One process in the namespace does it,
 * the forwarder: it gets a listener of the host, which this process opens and then leaves to it. The process
 * ends when this one does, in whatever way.
 */
export class PortPublisher {
  private address: Published | null = null;
  private child: ChildProcess | undefined;
  private restarts = 0;
  private readonly closing = new AbortController();

  private constructor(private readonly options: PublisherOptions) {}

  /** @throws AgentFailure `port_taken` */
  static async start(options: PublisherOptions): Promise<PortPublisher> {
    const publisher = new PortPublisher(options);
    await publisher.forward(options.hostPort);
    return publisher;
  }

  /** null: nobody listens any more. */
  get published(): Published | null {
    return this.address;
  }

  private async forward(hostPort: number): Promise<void> {
    const { namespace, port, address: host = LOOPBACK } = this.options;
    const listener = createServer();
    listener.listen({ host, port: hostPort, backlog: BACKLOG });
    try {
      await once(listener, 'listening');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRNOTAVAIL') throw notHere(host, error);
      if (code !== 'EADDRINUSE') throw error;
      throw new AgentFailure(
        {
          cause: 'port_taken',
          message: `The port ${hostPort} of this machine is in use.`,
          remedy: 'Publish another one, or 0, and the agent chooses.',
        },
        { cause: error },
      );
    }
    if (this.closing.signal.aborted) return void listener.close();
    this.address = { host, port: (listener.address() as AddressInfo).port };
    const [program, ...args] = [...namespace.enter, process.execPath, ...SMALL, PROGRAM, String(port)];
    // Until here, no connection was accepted: that needs a turn of the event loop. From here on, those that
    // come wait for the forwarder.
    const child = spawn(program, args, {
      stdio: ['pipe', 'ignore', 'inherit', descriptorOf(listener)],
      env: { PATH: process.env.PATH },
      detached: true,
    });
    listener.close();
    child.stdin!.on('error', () => {});
    child.once('error', () => void this.restart());
    child.once('exit', () => void this.restart());
    this.child = child;
  }

  /** Connections are lost with a forwarder, but not the way to the workload. */
  private async restart(): Promise<void> {
    if (this.address === null) return;
    const { say, changed } = this.options;
    const { port } = this.address;
    while (!this.closing.signal.aborted && this.restarts++ < MOST_RESTARTS)
      try {
        await delay(RESTART_PAUSE_MS, undefined, { signal: this.closing.signal });
        return await this.forward(port);
      } catch (error) {
        if (!this.closing.signal.aborted) say(`The port ${port} is not forwarded: ${failureOf(error).message}`);
      }
    this.address = null;
    if (this.closing.signal.aborted) return;
    say(`The port ${port} is not forwarded any more: its forwarder ended too often.`);
    changed();
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.address = null;
    const { child } = this;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

const notHere = (host: string, cause: unknown): AgentFailure =>
  new AgentFailure(
    {
      cause: 'network_unavailable',
      message: `This machine does not have the address ${host}, at which the workload shall be published.`,
      remedy: 'Publish it at an address that `ip address` shows, or at 0.0.0.0.',
    },
    { cause },
  );

/** Node passes open files to a process by descriptors, and has no public name for that of a listener. */
function descriptorOf(listener: Server): number {
  const { fd } = (listener as unknown as { readonly _handle: { readonly fd?: unknown } })._handle;
  if (typeof fd === 'number' && fd >= 0) return fd;
  throw new Error('This version of Node does not show the descriptor of a listener.');
}
