import { QueryClient } from '@tanstack/react-query';
import { problemFrom } from './problem';
import { isLong } from './reads/long-lists';

const RETRIES = 2;

/** Requests that may succeed if they are repeated: the service is overloaded, or not reachable. */
const isPassing = (error: unknown): boolean => [0, 429, 502, 503, 504].includes(problemFrom(error).status);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // `live.ts` sees to it, unless the view is paused.
      refetchOnWindowFocus: false,
      refetchOnReconnect: (query) => !isLong(query),
      retry: (failures, error) => failures < RETRIES && isPassing(error),
      retryDelay: (failures) => 500 * 2 ** failures,
      throwOnError: false,
    },
    mutations: { retry: false },
  },
});
