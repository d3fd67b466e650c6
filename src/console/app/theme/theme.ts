import { createTheme, defaultVariantColorsResolver } from '@mantine/core';

/** The nonce of this page: styles that scripts write need it too. The service sets it in each answer. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

export const styleNonce = (): string => nonce;

// Dialogs stop the page from scrolling with a style of their own, from a package that looks here.
Object.assign(window, { __webpack_nonce__: nonce });

/** The colours of `theme.css`, where components take those of the library. */
export const variables = () => {
  const ours = {
    '--mantine-color-body': 'var(--page)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-dimmed': 'var(--quiet)',
    '--mantine-color-placeholder': 'var(--quiet)',
    '--mantine-color-anchor': 'var(--busy)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-default-border': 'var(--line-strong)',
  };
  return { variables: {}, light: ours, dark: ours };
};

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  // The library chooses black or white by the shade of the light theme. On the dark one, white is too faint.
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const isPrimary = input.color === undefined || input.color === input.theme.primaryColor;
    return input.variant === 'filled' && isPrimary
      ? { ...colors, color: 'var(--mantine-primary-color-contrast)' }
      : colors;
  },
  colors: {
    // From text to page, as in `theme.css`.
    dark: [
      '#e6e9ed',
      '#b6bec8',
      '#9aa4b0',
      '#7d8794',
      '#4a545f',
      '#2b323b',
      '#20262e',
      '#171b21',
      '#12161b',
      '#0f1216',
    ],
  },
  defaultRadius: 'sm',
  fontFamily: 'Inter, system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  headings: { fontWeight: '600', sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1rem' } } },
  respectReducedMotion: true,
});
