/** The request builder (`#/request`): any endpoint of the contract, sent with the session, a token or nothing. */
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { CLIENT_TOKEN_HEADER } from '../contract/facts/credentials.ts';
import { noticeOfCopy } from '../tui/state/copying.ts';
import { REVEAL_MS } from '../tui/runtime.ts';
import { inWords } from '../tui/words.ts';
import { callOwn, headersOfTab, PLAIN } from './client.ts';
import { clearSecret, copySecret, copyText } from './clipboard.ts';
import { operationIn } from './routes.ts';
import type { PageRuntime } from './runtime.ts';
import { RequestBuilder, type SendableRequest, type SentRequest } from './widgets/request-builder.tsx';
import type { KeptDrafts } from './widgets/request-draft.ts';
import type { SentResponse } from './widgets/request-response.tsx';

interface BuilderProps {
  readonly page: PageRuntime;
  readonly hash: string;
  readonly isConnected: boolean;
  readonly drafts: KeptDrafts;
  /** False while another place is looked at. */
  readonly isShown: boolean;
  /** What was sent since the page was opened; it stays while other places are looked at. */
  readonly sent: readonly SentRequest[];
  readonly onSent: (sent: SentRequest) => void;
}

export function Builder({ page, hash, isConnected, drafts, isShown, sent, onSent }: BuilderProps): ReactNode {
  const [openapi, setOpenapi] = useState<unknown>();
  const [problem, setProblem] = useState<string>();
  const isMissing = openapi === undefined;
  useEffect(() => {
    if (!isMissing || !isConnected) return;
    setProblem(undefined);
    callOwn('/_kyclone/openapi.json', 'GET').then(setOpenapi, (error: unknown) => setProblem(inWords(error)));
  }, [isMissing, isConnected]);
  const operation = operationIn(hash);
  const { act } = page;
  const onHidden = useCallback(
    () => void clearSecret().then((notice) => notice && act({ kind: 'say', notice })),
    [act],
  );
  return (
    <>
      <div className="way">
        <h1>Request builder</h1>
      </div>
      <div className="builder" aria-busy={openapi === undefined && problem === undefined}>
        {problem !== undefined && <p className="problem">{problem}</p>}
        {openapi !== undefined && (
          <RequestBuilder
            openapi={openapi}
            send={(request) => sendRequest(page, request)}
            start={operation}
            kept={drafts}
            hidesAfter={hidesAfter}
            isWatched={isConnected && isShown}
            history={sent}
            onSent={onSent}
            copy={async (text) => noticeOfCopy(await copyText(text), text.split('\n', 1)[0] ?? '').text}
            copyDecrypted={async (text) => noticeOfCopy(await copySecret(text), 'what was decrypted').text}
            onHidden={onHidden}
          />
        )}
      </div>
    </>
  );
}

/** What a call decrypts hides itself as a revealed field does. */
const hidesAfter = (operation: string): number | undefined =>
  /\/decrypt(\/|$)/.test(operation) ? REVEAL_MS : undefined;

/** Sends with the token of this tab where a key or the control token would stand, and beside another token. */
async function sendRequest(
  { connection, now }: PageRuntime,
  { method, path, credential, headers, body, token, file }: SendableRequest,
): Promise<SentResponse> {
  const before = now();
  const response = await fetch(path, {
    ...PLAIN,
    method,
    headers: {
      ...headers,
      ...(credential !== 'none' && headersOfTab(connection())),
      ...(credential === 'token' && token !== undefined && { [CLIENT_TOKEN_HEADER]: token }),
    },
    body: file ?? body ?? null,
  });
  const text = await response.text();
  return { status: response.status, durationMs: now() - before, headers: [...response.headers], text };
}
