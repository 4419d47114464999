/** The entry of the console: signs in with the code of a link, or continues a session, and then draws. */
import { StrictMode, useEffect, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { UnreachableError } from '../client/errors.ts';
import { Console } from './console.tsx';
import { isSignedOut } from './client.ts';
import { codeIn, forgetSession, resumeSession, startSession, type SessionOfPage } from './session.ts';
import type { KeptDrafts } from './widgets/request-draft.ts';
import { inWords } from '../tui/words.ts';
import { listen } from './window.ts';
import './console.css';

type Stage =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open'; readonly session: SessionOfPage }
  | { readonly kind: 'closed'; readonly why: string };

const NO_SESSION = 'This page has no session.';
const ENDED = 'The session has ended.';
const USED = 'This link was used already, or is older than a minute.';

/** Where this tab goes with the code of a link. */
let place = '#/users';
/** It holds values, so it stays in memory, and for the person who filled it in. */
const drafts: KeptDrafts = new Map();
let filledInBy: string | undefined;

/** A code is used once, also where React renders twice. */
let opening: Promise<Stage> | undefined;

async function open(): Promise<Stage> {
  const code = codeIn(location.hash);
  // The code is of no use any longer, and no address to keep.
  if (code !== undefined) history.replaceState(null, '', `${location.pathname}${place}`);
  else place = location.hash || place;
  try {
    const session = code === undefined ? await resumeSession() : await startSession(code);
    if (session === undefined) return { kind: 'closed', why: NO_SESSION };
    const { operator, tenant } = session;
    const person = JSON.stringify([operator, tenant]);
    if (filledInBy !== person) drafts.clear();
    filledInBy = person;
    return { kind: 'open', session };
  } catch (error) {
    if (isSignedOut(error)) {
      if (code !== undefined) return { kind: 'closed', why: USED };
      forgetSession();
      return { kind: 'closed', why: ENDED };
    }
    return { kind: 'closed', why: error instanceof UnreachableError ? `${error.message}.` : inWords(error) };
  }
}

function Page(): ReactNode {
  const [stage, setStage] = useState<Stage>({ kind: 'opening' });
  const onEnd = () => {
    place = location.hash;
    setStage({ kind: 'closed', why: ENDED });
  };
  useEffect(() => {
    opening ??= open();
    void opening.then(setStage);
  }, []);
  const isClosed = stage.kind === 'closed';
  useEffect(() => {
    if (!isClosed) return undefined;
    // Another tab may have signed in meanwhile, or the address has the code of a new link.
    const again = () => {
      if (document.visibilityState === 'visible')
        void open().then((next) => next.kind === 'open' && setStage(next));
    };
    // A change of visibility bubbles from the document.
    return listen(window, ['hashchange', 'visibilitychange', 'focus'], again);
  }, [isClosed]);
  const isOpen = stage.kind === 'open';
  useEffect(() => {
    if (!isOpen) return undefined;
    // The link of another session: its code would stay in the address, where others could read it.
    return listen(window, ['hashchange'], () => {
      if (codeIn(location.hash) !== undefined) location.reload();
    });
  }, [isOpen]);
  switch (stage.kind) {
    case 'opening':
      return <main className="closed" aria-busy="true" />;
    case 'closed':
      return <Closed why={stage.why} />;
    case 'open':
      return <Console session={stage.session} drafts={drafts} onEnd={onEnd} />;
  }
}

function Closed({ why }: { readonly why: string }): ReactNode {
  return (
    <main className="closed">
      <h1>kyclone console</h1>
      <p role="status">{why}</p>
      <p>To open the console, run this on the machine of the instance:</p>
      <pre>
        <code>kyclone console</code>
      </pre>
      <p className="dim">Then come back to this tab: it opens where its address points.</p>
    </main>
  );
}

const root = document.getElementById('console');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
