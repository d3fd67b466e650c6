import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { queryClient } from './api/query-client';
import { RouterProvider, router } from './routes';
import { styleNonce, theme, variables } from './theme/theme';

/** Everything that the whole application has in common. */
export const Console = () => (
  <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={styleNonce} cssVariablesResolver={variables}>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>
);
