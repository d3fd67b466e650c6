import { onlineManager } from '@tanstack/react-query';
import { queryClient } from '../api/query-client';
import { Store } from './store';

/** Lives as long as the tab: neither other tabs nor a later visit get the token. */
const KEPT = 'control-plane-token';
/** As the service accepts it. */
const BEARER = /^[A-Za-z0-9._~+/=-]{1,8192}$/;

/** Key of the query that says who is signed in. */
export const WHO = ['who'] as const;

export interface SessionState {
  readonly token: string | undefined;
  /** Why there is no token any more. */
  readonly ended: 'rejected' | 'signed out' | undefined;
  /**
   * The number of what is open: another user gets another one. It stays without a token, because its user may
   * sign in again. Undefined: nothing is open.
   */
  readonly visit: number | undefined;
  /** A token that a link brought while something was open: its user is asked first. */
  readonly offered: string | undefined;
}

class Session extends Store<SessionState> {
  private visits = 1;

  constructor() {
    const token = sessionStorage.getItem(KEPT) ?? undefined;
    super({ token, ended: undefined, visit: token === undefined ? undefined : 1, offered: undefined });
  }

  /** Takes `#token=…` from the address, and removes it there at once: addresses are shared and kept. */
  takeFromAddress(): void {
    const { hash, pathname, search } = window.location;
    const token = new URLSearchParams(hash.slice(1)).get('token');
    if (token === null) return;
    window.history.replaceState(window.history.state, '', pathname + search);
    if (!isBearer(token) || token === this.current.token) return;
    if (this.current.visit === undefined) this.begin(token);
    else this.set({ ...this.current, offered: token });
  }

  /** Begins anew: what is open belongs to somebody else. */
  begin(token: string): void {
    sessionStorage.setItem(KEPT, token);
    // What the former user saw is not for this one.
    queryClient.clear();
    this.set({ token, ended: undefined, visit: ++this.visits, offered: undefined });
  }

  /** Goes on with another token of the same user. */
  renew(token: string): void {
    sessionStorage.setItem(KEPT, token);
    // All that is shown is read again as soon as there is a token.
    void queryClient.invalidateQueries({ refetchType: 'none' });
    this.set({ ...this.current, token, ended: undefined, offered: undefined });
  }

  /** The service refused the token. What is open stays: it may hold what nobody can enter or see again. */
  reject(): void {
    const { visit, offered } = this.current;
    // Nothing was shown yet.
    if (queryClient.getQueryData(WHO) === undefined) return offered ? this.begin(offered) : this.end('rejected');
    sessionStorage.removeItem(KEPT);
    this.set({ token: undefined, ended: 'rejected', visit, offered });
  }

  decline(): void {
    this.set({ ...this.current, offered: undefined });
  }

  end(ended: 'rejected' | 'signed out'): void {
    sessionStorage.removeItem(KEPT);
    queryClient.clear();
    this.set({ token: undefined, ended, visit: undefined, offered: undefined });
  }
}

export const isBearer = (text: string): boolean => BEARER.test(text);

export const session = new Session();

/** Reads wait while there is no network, and while their user signs in again. */
onlineManager.setEventListener((setOnline) => {
  let hasNetwork = true;
  const look = (): void => {
    const { visit, token } = session.current;
    setOnline(hasNetwork && (visit === undefined || token !== undefined));
  };
  const events = { online: true, offline: false };
  const listeners = Object.entries(events).map(([event, has]) => {
    const listener = (): void => {
      hasNetwork = has;
      look();
    };
    window.addEventListener(event, listener);
    return () => window.removeEventListener(event, listener);
  });
  const ends = [...listeners, session.subscribe(look)];
  return () => {
    for (const end of ends) end();
  };
});
