/** The app that is tested. It knows where the service is and has a key, and nothing of the emulator. */
export function createSignUp({ url, apiKey, playbook }) {
  async function post(path, body) {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'x-service-secret-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`The service answered ${response.status}`);
    return await response.json();
  }

  return async function signUp(person) {
    const user = await post('/users', person);
    const run = await post(`/users/${user.id}/kyc`, { key: playbook });
    return { id: user.id, status: run.status };
  };
}
