import { QueryClient } from '@tanstack/react-query';
import { problemFrom } from './problem';

const RETRIES = 2;

/** Requests that may succeed if they are repeated: the service is overloaded, or not reachable. */
const isPassing = (error: unknown): boolean => [0, 429, 502, 503, 504].includes(problemFrom(error).status);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < RETRIES && isPassing(error),
      retryDelay: (failures) => 500 * 2 ** failures,
      throwOnError: false,
    },
    mutations: { retry: false },
  },
});
