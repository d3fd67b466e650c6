/** Where a worker completes chats. @param base its address, with or without `/v1` */
export function completionsUrl(base: string): string {
  const url = new URL(base);
  const path = url.pathname.replace(/\/+$/, '');
  url.pathname = `${path.endsWith('/v1') ? path : `${path}/v1`}/chat/completions`;
  return url.href;
}
