import { useQuery } from '@tanstack/react-query';
import { Button, NumberInput, Textarea, Tooltip } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { profileQuery } from '../../api/serving';
import { Facts, Section } from '../../parts/page';
import { Command, Problem } from '../../parts/states';
import { Status, type Tone } from '../../parts/status';
import { count, duration } from '../../parts/units';
import { usePermission } from '../../session/who';
import { bodyOf, useChat, type Exchange } from './chat';
import { costOf, curlOf, dollars } from './chat-events';
import { reasonsOf, type Rung } from './ladder';
import styles from './route.module.css';

const DEFAULT_TOKENS = 256;
const MOST_TOKENS = 4_096;

interface TryItProps {
  readonly model: string;
  readonly ladder: readonly Rung[];
}

/** Sends a real request, and shows what became of it. */
export function TryIt({ model, ladder }: TryItProps) {
  const [prompt, setPrompt] = useState('');
  const [maxTokens, setMaxTokens] = useState(DEFAULT_TOKENS);
  // As the ladder was when the request was sent: afterwards, its state may be another one.
  const [before, setBefore] = useState(ladder);
  const { exchange, isRunning, send, stop } = useChat(model);
  const { allowed, reason } = usePermission('create_chat_completion');
  const ask = prompt.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!allowed || ask === '' || isRunning) return;
    setBefore(ladder);
    send(ask, maxTokens);
  };
  const isAsleep = ladder.length > 0 && !ladder.some(({ state }) => state === 'ready' || state === 'full');
  return (
    <Section
      title="Try it"
      summary={
        isAsleep
          ? 'Sends a real request. No target is ready, so it wakes one, and waits.'
          : 'Sends a real request. It counts as usage, and may wake a target.'
      }
    >
      <form className={styles.form} onSubmit={submit}>
        <Textarea
          label="Message"
          placeholder="What would you ask the model?"
          autosize
          minRows={2}
          maxRows={10}
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
          }}
        />
        <div className={styles.controls}>
          <NumberInput
            label="Tokens at most"
            size="xs"
            className={styles.tokens}
            min={1}
            max={MOST_TOKENS}
            allowDecimal={false}
            clampBehavior="strict"
            value={maxTokens}
            onChange={(value) => setMaxTokens(Math.max(1, Number(value) || DEFAULT_TOKENS))}
          />
          {isRunning ? (
            <Button variant="default" onClick={stop}>
              Stop
            </Button>
          ) : (
            <Tooltip label={reason} disabled={allowed} events={{ hover: true, focus: true, touch: true }}>
              <Button
                type="submit"
                // Not `disabled`: then nobody could focus it and read why.
                aria-disabled={!allowed || ask === ''}
                data-disabled={!allowed || ask === '' || undefined}
              >
                Send
              </Button>
            </Tooltip>
          )}
          {!allowed && <span className={styles.quiet}>{reason}</span>}
        </div>
      </form>
      {exchange && <Answer exchange={exchange} before={before} />}
      <details className={styles.curl}>
        <summary>The same request as a command</summary>
        <Command text={curlOf(window.location.origin, bodyOf(model, ask === '' ? 'Hello!' : ask, maxTokens))} />
      </details>
    </Section>
  );
}

const STATES: Readonly<Record<Exchange['state'], readonly [tone: Tone, word: string]>> = {
  waiting: ['busy', 'Waiting for the first token'],
  streaming: ['busy', 'Streaming'],
  complete: ['good', 'Complete'],
  stopped: ['warn', 'Stopped by you'],
  failed: ['bad', 'Failed'],
};

/** Complete as far as it goes. */
const CUT: readonly [tone: Tone, word: string] = ['warn', 'Ended by the limit of tokens'];

const ms = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : duration(Math.max(value, 0.001) * 1e6);

function Answer({ exchange, before }: { exchange: Exchange; before: readonly Rung[] }) {
  const { state, text, reasoning, problem, firstAfter, lastAfter, usage, decision, queueMs, startMs } = exchange;
  const isCut = state === 'complete' && exchange.finish === 'length';
  const [tone, word] = isCut ? CUT : STATES[state];
  const served = useQuery({ ...profileQuery(decision?.served ?? ''), enabled: decision !== undefined });
  const cost = usage && served.data && costOf(served.data.spec, usage);
  const streamedMs = (lastAfter ?? 0) - (firstAfter ?? 0);
  // The first token ends the wait, so the rate is that of the others.
  const rate = usage && streamedMs > 0 ? ((usage.completionTokens - 1) * 1_000) / streamedMs : undefined;
  return (
    <div className={styles.answer}>
      {/* Announced when it changes; the text itself would interrupt with each word. */}
      <div role="status">
        <Status tone={tone}>{word}</Status>
      </div>
      {reasoning !== '' && (
        <details className={styles.reasoning}>
          <summary>Reasoning before the answer</summary>
          <blockquote className={styles.text} aria-label="Reasoning">
            {reasoning}
          </blockquote>
        </details>
      )}
      {state === 'complete' && text === '' && (
        <p className={styles.empty}>
          {isCut
            ? 'The limit of tokens was reached before the answer began. Allow more tokens.'
            : 'The model ended without an answer.'}
        </p>
      )}
      {text !== '' && (
        <blockquote className={styles.text} aria-label="Answer" aria-busy={state === 'streaming'}>
          {text}
        </blockquote>
      )}
      {problem && <Problem error={problem} />}
      <div className={styles.figures}>
        <Facts
          of={[
            ['Time to first token', ms(firstAfter)],
            ['Tokens per second', rate === undefined ? undefined : rate.toFixed(1)],
            ['Tokens', usage && `${count(usage.promptTokens)} in, ${count(usage.completionTokens)} out`],
            ['Cost', usage && served.data && (cost === undefined ? 'the profile has no token prices' : dollars(cost))],
            ['Waited for a place', queueMs === undefined ? undefined : queueMs === 0 ? 'not at all' : ms(queueMs)],
            ['Waited for a start', startMs !== undefined && decision?.startKind !== 'warm' ? ms(startMs) : undefined],
          ]}
        />
      </div>
      {decision && (
        <ul className={styles.reasons} aria-label="Why this target served">
          {reasonsOf(before, decision).map((line, place) => (
            <li key={line} data-served={place === 0 || undefined}>
              {line}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
