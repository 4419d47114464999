/** Code for receivers to verify signatures with only the standard library. The tests run the code shown on the page. */
import { html, type Markup } from './markup.ts';
import { section } from './reference-sections.ts';

/** How a receiver verifies that a delivery is from this instance, unchanged and recent (contract §9.1). */
export function signatureSection(prefix: string): Markup {
  const lead = html`Each delivery is signed with the secret of its endpoint. Check the signature over the
  bytes as they came, before anything reads them.`;
  const header = (part: string) => html`<code>${prefix}-${part}</code>`;
  return section(
    'signatures',
    lead,
    html`<ol class="steps">
        <li>Join ${header('id')}, ${header('timestamp')} and the raw body with a dot between each.</li>
        <li>The key is the base64 after <code>whsec_</code> in the secret, decoded.</li>
        <li>The signature is <code>v1,</code> and the base64 of HMAC-SHA256 of the text under the key.</li>
        <li>
          ${header('signature')} holds it. For 24 hours after a rotation it holds two, with a blank between:
          one of them must match, compared in constant time.
        </li>
        <li>
          ${header('timestamp')} is in Unix seconds, by the clock of the instance: refuse what is more than
          five minutes off. A repeated ${header('id')} is the same event again.
        </li>
      </ol>
      <h3>JavaScript</h3>
      <pre id="verify-javascript"><code>${javaScriptVerifier(prefix)}</code></pre>
      <h3>Python</h3>
      <pre id="verify-python"><code>${pythonVerifier(prefix)}</code></pre>
      <p class="note">
        <code>kyclone webhooks verify</code> checks a delivery and says what is wrong with it.
      </p>`,
  );
}

/** `prefix`: the prefix of the three headers. */
function javaScriptVerifier(prefix: string): string {
  return `import { createHmac, timingSafeEqual } from 'node:crypto';

// headers: by lower-case name; body: the bytes as they came
export function verify(secret, headers, body, now = Date.now() / 1000) {
  const [id, time, all] = ['id', 'timestamp', 'signature'].map((part) => headers[\`${prefix}-\${part}\`] ?? '');
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const mac = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body).digest('base64');
  const right = Buffer.from(\`v1,\${mac}\`);
  const given = all.split(' ').map((one) => Buffer.from(one));
  const isSigned = given.some((one) => one.length === right.length && timingSafeEqual(one, right));
  return isSigned && Math.abs(now - Number(time)) < 300;
}`;
}

function pythonVerifier(prefix: string): string {
  return `import base64, hashlib, hmac, time

# headers: by lower-case name; body: the bytes as they came
def verify(secret, headers, body, now=None):
    id, sent, all = (headers.get("${prefix}-" + part, "") for part in ("id", "timestamp", "signature"))
    key = base64.b64decode(secret[len("whsec_"):])
    digest = hmac.new(key, f"{id}.{sent}.".encode() + body, hashlib.sha256).digest()
    right = b"v1," + base64.b64encode(digest)
    is_signed = any(hmac.compare_digest(one.encode(), right) for one in all.split(" "))
    return is_signed and abs((now or time.time()) - int(sent)) < 300`;
}
