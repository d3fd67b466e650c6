import type { MouseEvent, ReactNode } from 'react';

/** The address of the page with another open row. */
const addressOf = (row: string): string => {
  const search = new URLSearchParams(window.location.search);
  search.set('open', row);
  return `${window.location.pathname}?${search.toString()}`;
};

interface OpenLinkProps {
  /** As the address names it. */
  readonly row: string;
  readonly open: (row: string) => void;
  readonly children: ReactNode;
}

/** Opens a row of a long list. A link of the router does more, which is felt when thousands scroll by. */
export function OpenLink({ row, open, children }: OpenLinkProps) {
  const onClick = (event: MouseEvent) => {
    // The browser opens it in another tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    open(row);
  };
  return (
    <a href={addressOf(row)} onClick={onClick}>
      {children}
    </a>
  );
}
