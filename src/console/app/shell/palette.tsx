import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useEscape } from '../parts/layers/escape';
import styles from './palette.module.css';
import { pagesFor, useFound, type Found } from './palette-sources';

const PAUSE_MS = 200;

/** Finds pages, names and ids. Everything works by keyboard: arrows choose, Enter goes. */
export function Palette({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  useEscape(isOpen, close);
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      closeOnEscape={false}
      title="Find a page, a name or an id"
      size="lg"
      yOffset="8vh"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {isOpen && <Finder close={close} />}
    </Modal>
  );
}

function Finder({ close }: { close: () => void }) {
  const [text, setText] = useState('');
  // By its key: answers that come late move it, and must not take its place.
  const [chosen, setChosen] = useState<string>();
  const option = useRef<HTMLLIElement>(null);
  const [asked] = useDebouncedValue(text.trim(), PAUSE_MS);
  const navigate = useNavigate();
  const list = useId();
  const { found, isSearching } = useFound(asked);
  const all: readonly Found[] = [...pagesFor(text.trim()), ...found];
  const place = all.findIndex(({ key }) => key === chosen);
  if (place === -1 && chosen !== all[0]?.key) setChosen(all[0]?.key);
  useEffect(() => setChosen(undefined), [asked]);
  useEffect(() => {
    // Newer browsers answer a promise, which is nothing to clean up.
    void option.current?.scrollIntoView({ block: 'nearest' });
  }, [place]);
  const go = (one: Found | undefined) => {
    if (!one) return;
    close();
    void navigate(one.target);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && all.length > 0) {
      event.preventDefault();
      setChosen(all[(place + step + all.length) % all.length]?.key);
    }
    if (event.key === 'Enter') go(all[place]);
  };
  return (
    <>
      <TextInput
        data-autofocus
        aria-label="Page, name or id"
        placeholder="train-7b, node-3, 01a2…"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={place === -1 ? undefined : `${list}-${place}`}
      />
      <ul id={list} role="listbox" aria-label="Found" className={styles.list}>
        {all.map((one, at) => (
          // The keyboard works in the input; the mouse works here.
          <li
            key={one.key}
            ref={at === place ? option : undefined}
            id={`${list}-${at}`}
            role="option"
            aria-selected={at === place}
            className={styles.option}
            // Not where the list only moves below a mouse that rests.
            onMouseMove={() => setChosen(one.key)}
            onClick={() => go(one)}
          >
            <span>{one.label}</span>
            <span className={styles.kind}>{one.kind}</span>
          </li>
        ))}
      </ul>
      <p className={styles.note} role="status">
        {isSearching ? 'Searching …' : all.length === 0 ? 'Nothing has this name or id.' : ''}
      </p>
    </>
  );
}
