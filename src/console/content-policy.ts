/**
 * Files of this service only: no script or style of a page's own without the nonce, and no frame around it.
 * @param tokenUrl where the page exchanges the code of an identity provider for a token
 */
export const policyWith = (nonce: string, tokenUrl: string | undefined): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    `connect-src 'self'${tokenUrl === undefined ? '' : ` ${new URL(tokenUrl).origin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
