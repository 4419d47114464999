/** The app that links a bank: its server has the secret key, its page has the bank's page in it, or leaves for it. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const MODULE = readFileSync(fileURLToPath(import.meta.resolve('kyclone/bank-link')));

const home = (baseUrl) => `<!doctype html><html lang="en"><title>The app</title>
  <h1>Your accounts</h1>
  <button id="open">Link my bank</button>
  <button id="leave">Use another page</button>
  <p role="status"></p>
  <script type="module">
    import { openBankLink, redirectToBankLink, takeBankLinkResult } from '/bank-link.js';
    const say = (text) => (document.querySelector('[role=status]').textContent = text);
    const post = async (path, body) => (await fetch(path, { method: 'POST', body })).text();
    const baseUrl = ${JSON.stringify(baseUrl)};
    const ends = {
      onSuccess: async ({ intent_token }) => say(await post('/link', intent_token)),
      onCancel: () => say('You can do it later'),
    };
    document.querySelector('#open').addEventListener('click', async () => {
      openBankLink({ token: await post('/token'), baseUrl, ...ends, onError: ({ message }) => say(message) });
    });
    document.querySelector('#leave').addEventListener('click', async () => {
      redirectToBankLink({ token: await post('/token'), baseUrl });
    });
    takeBankLinkResult(ends); // of somebody who comes back from the other page
  </script></html>`;

/** `newIntent` makes the token of a page, which comes back to an address; returns where the app listens. */
export async function startBankApp({ url, apiKey, newIntent }) {
  async function call(method, path, body) {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-service-secret-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.ok ? await response.json() : undefined;
  }

  const routes = {
    'GET /': () => home(url),
    'GET /bank-link.js': () => MODULE,
    'POST /token': () => newIntent(`${origin}/`),
    // What the app believes: the service, and no browser.
    async 'POST /link'(intent_token) {
      const link = await call('POST', '/bank_links', { intent_token });
      if (!link) return 'We could not link your bank';
      if (link.state !== 'connected') return `${link.institution_name} does not answer`;
      const { accounts } = await call('GET', `/bank_links/${link.id}/accounts`);
      return `${link.institution_name}: ${accounts.map(({ name }) => name).join(', ')}`;
    },
  };

  async function answer(request, response) {
    const { pathname } = new URL(request.url, origin);
    const route = routes[`${request.method} ${pathname}`];
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = await route?.(text);
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(route ? 200 : 404, { 'content-type': `${type}; charset=utf-8` }).end(body);
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { origin, close };
}
