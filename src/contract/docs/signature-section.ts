import { section } from './reference-sections.ts';
import { html, type Markup } from './markup.ts';
import { javaScriptVerifier, pythonVerifier } from './verifiers.ts';

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
