/** Decrypted values and an image, for a limited time. They hide themselves, and at once when the user looks elsewhere. */
import { realTime } from '../kernel/real-time.ts';
import { useEffect, useState, type ReactNode } from 'react';
import { printable } from '../kernel/terminal-text.ts';
import { SECOND_MS } from '../kernel/units.ts';
import type { Revealed } from '../tui/state/model.ts';
import type { ShownImage } from './images.ts';

interface RevealedProps {
  readonly revealed: Revealed;
  readonly now: number;
  readonly onHide: () => void;
  readonly onCopy: (text: string, what: string) => void;
}

export function RevealedValues({ revealed, now, onHide, onCopy }: RevealedProps): ReactNode {
  const { title, values, hidesAt } = revealed;
  return (
    <section className="revealed" aria-label="Revealed">
      <header>
        <h2>{printable(title)}</h2>
        <span className="dim">{`hides in ${secondsTo(hidesAt, now)} s`}</span>
        <button type="button" onClick={() => onCopy(values.join('\n'), title)}>
          Copy
        </button>
        <button type="button" onClick={onHide}>
          Hide <kbd>x</kbd>
        </button>
      </header>
      <pre className="tone-secret" tabIndex={0}>
        {values.map((value) => printable(value)).join('\n')}
      </pre>
    </section>
  );
}

interface ImageProps {
  readonly image: ShownImage;
  readonly onHide: () => void;
}

export function RevealedImage({ image, onHide }: ImageProps): ReactNode {
  const [now, setNow] = useState(() => realTime.elapsed());
  useEffect(() => {
    const timer = setInterval(() => setNow(realTime.elapsed()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <section className="revealed is-image" aria-label="Revealed image">
      <header>
        <h2>{printable(image.title)}</h2>
        <span className="dim">{`hides in ${secondsTo(image.hidesAt, now)} s`}</span>
        <button type="button" onClick={onHide}>
          Hide <kbd>x</kbd>
        </button>
      </header>
      <img src={image.address} alt={printable(image.title)} draggable={false} />
    </section>
  );
}

const secondsTo = (hidesAt: number, now: number) => Math.max(0, Math.ceil((hidesAt - now) / SECOND_MS));
