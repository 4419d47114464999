import { answer, linkByHost, type Handlers, type KeysUnder } from '../handlers.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import type { Hosted } from './service.ts';

export { createBrowserSessions, type BrowserSessions } from './browser-sessions.ts';
export { createHosted, type Hosted } from './service.ts';

export function hostedHandlers(hosted: Hosted): Handlers<KeysUnder<'/hosted/session'>> {
  return {
    'GET /hosted/session': ({ caller }) => answer(hosted.state(caller)),
    'POST /hosted/session/identify': async ({ caller, body }) => answer(await hosted.identify(caller, body)),
    'POST /hosted/session/verify': async (request) =>
      answer(await hosted.verify(request.caller, request.body, request)),
    'POST /hosted/session/data': async ({ caller, body }) => answer(await hosted.save(caller, body)),
    'POST /hosted/session/owners': async ({ caller, body }) => answer(await hosted.saveOwners(caller, body)),
    'POST /hosted/session/document': async ({ caller, body }) =>
      answer(await hosted.setDocument(caller, body)),
    'POST /hosted/session/document/{side}': async ({ caller, params, body }) =>
      answer(await hosted.upload(caller, params.side, body)),
    'GET /hosted/session/bank': async ({ caller }) => answer(await hosted.choices(caller)),
    'POST /hosted/session/bank': async ({ caller, body }) => answer(await hosted.chooseBank(caller, body)),
    'POST /hosted/session/bank/complete': async ({ caller }) => answer(await hosted.completeBank(caller)),
    'POST /hosted/session/bank/cancel': async ({ caller }) => answer(await hosted.cancelBank(caller)),
    'POST /hosted/session/consent': async ({ caller }) => answer(await hosted.consent(caller)),
    'POST /hosted/session/complete': async (request) =>
      answer(await hosted.complete(request.caller, request.body, request)),
    'POST /hosted/session/cancel': async ({ caller }) => answer(await hosted.cancel(caller)),
  };
}

export function browserSessionHandlers(sessions: BrowserSessions): Handlers<KeysUnder<'/hosted/browser'>> {
  return {
    'POST /hosted/browser/session': async (request) =>
      answer(linkByHost(request, await sessions.begin(request.body))),
    'PATCH /hosted/browser/session': async ({ caller, body }) => {
      await sessions.fill(caller, body);
      return answer({});
    },
  };
}
