/** The app that is tested: its server has the secret key, its pages have the flow in them or lead there. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const MODULE = readFileSync(fileURLToPath(import.meta.resolve('kyclone/onboarding')));

const page = (body) => `<!doctype html><html lang="en"><title>The app</title>${body}</html>`;

/** One page has both: a button that opens the flow in a dialog, and a link that leaves for it. */
const home = (baseUrl) =>
  page(`<h1>Open an account</h1>
    <button>Verify my identity</button> <a href="/leave">Verify on another page</a>
    <p role="status"></p>
    <script type="module">
      import { openOnboarding } from '/onboarding.js';
      const say = (text) => (document.querySelector('[role=status]').textContent = text);
      const post = async (path, body) => (await fetch(path, { method: 'POST', body })).text();
      document.querySelector('button').addEventListener('click', async () => {
        openOnboarding({
          token: await post('/token'),
          baseUrl: ${JSON.stringify(baseUrl)},
          onComplete: async ({ validation_token }) => say(await post('/validate', validation_token)),
          onCancel: () => say('You can do it later'),
        });
      });
    </script>`);

/** `url` and `apiKey` of the service; returns where the app listens. */
export async function startApp({ url, apiKey, playbook }) {
  async function call(path, body) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'x-service-secret-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.ok ? await response.json() : undefined;
  }

  /** What the app believes: the service, and no browser. */
  async function validated(validation_token) {
    const result = await call('/onboarding/session/validate', { validation_token });
    return result?.user?.status === 'pass' ? 'Your account is open' : 'We could not verify you';
  }

  const routes = {
    'GET /': () => home(url),
    'GET /onboarding.js': () => MODULE,
    'POST /token': async () => (await call('/onboarding/session', { key: playbook })).token,
    'POST /validate': ({ text }) => validated(text),
    async 'GET /leave'({ response }) {
      const { link } = await call('/onboarding/session', { key: playbook, redirect_url: `${origin}/back` });
      response.writeHead(303, { location: link }).end();
    },
    async 'GET /back'({ query }) {
      const isCanceled = query.get('canceled') === 'true';
      const says = isCanceled ? 'You can do it later' : await validated(query.get('validation_token') ?? '');
      return page(`<p role="status">${says}</p>`);
    },
  };

  async function answer(request, response) {
    const { pathname, searchParams: query } = new URL(request.url, origin);
    const route = routes[`${request.method} ${pathname}`];
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = await route?.({ text, query, response });
    if (response.headersSent) return;
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(route ? 200 : 404, { 'content-type': `${type}; charset=utf-8` }).end(body);
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { origin, close };
}
