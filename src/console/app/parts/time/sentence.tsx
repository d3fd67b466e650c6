import { exact } from './moment';

/** How the service writes times in its sentences. */
const TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence of the service. Its times are as everywhere in the console: of the reader's zone. */
export const Sentence = ({ text }: { text: string }) =>
  text.split(TIME).map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      <time key={place} dateTime={part} title={part}>
        {exact(Date.parse(part))}
      </time>
    ),
  );
