import { queryClient } from '../api/query-client';
import { Store } from './store';

/** Lives as long as the tab: neither other tabs nor a later visit get the token. */
const KEPT = 'control-plane-token';
/** As the service accepts it. */
const BEARER = /^[A-Za-z0-9._~+/=-]{1,8192}$/;

export interface SessionState {
  readonly token: string | undefined;
  /** Why there is no token any more. */
  readonly ended: 'rejected' | 'signed out' | undefined;
}

class Session extends Store<SessionState> {
  constructor() {
    super({ token: sessionStorage.getItem(KEPT) ?? undefined, ended: undefined });
  }

  /** Takes `#token=…` from the address, and removes it there at once: addresses are shared and kept. */
  takeFromAddress(): void {
    const { hash, pathname, search } = window.location;
    const token = new URLSearchParams(hash.slice(1)).get('token');
    if (token === null) return;
    window.history.replaceState(null, '', pathname + search);
    if (isBearer(token)) this.begin(token);
  }

  begin(token: string): void {
    sessionStorage.setItem(KEPT, token);
    // What the former user saw is not for this one.
    queryClient.clear();
    this.set({ token, ended: undefined });
  }

  end(ended: 'rejected' | 'signed out'): void {
    sessionStorage.removeItem(KEPT);
    queryClient.clear();
    this.set({ token: undefined, ended });
  }
}

export const isBearer = (text: string): boolean => BEARER.test(text);

export const session = new Session();
