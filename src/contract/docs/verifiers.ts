/** Code for receivers to verify signatures with only the standard library. The tests run the code shown on the page. */

/** `prefix`: the prefix of the three headers. */
export function javaScriptVerifier(prefix: string): string {
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

export function pythonVerifier(prefix: string): string {
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
