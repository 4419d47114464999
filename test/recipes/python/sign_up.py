"""The app that is tested. It knows where the service is and has a key, and nothing of the emulator."""

import base64
import hashlib
import hmac
import json
import time
import urllib.request

TOLERANCE_SECONDS = 300


class SignUp:
    def __init__(self, url, api_key, playbook):
        self.url, self.api_key, self.playbook = url, api_key, playbook

    def post(self, path, body):
        headers = {"x-service-secret-key": self.api_key, "content-type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def sign_up(self, person):
        user = self.post("/users", person)
        run = self.post(f"/users/{user['id']}/kyc", {"key": self.playbook})
        return user["id"], run["status"]


def is_genuine(headers, body, secret):
    """Whether the service has signed this body, and not long ago."""
    event_id, timestamp = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{event_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # After a rotation there are two.
    return any(hmac.compare_digest(expected, each) for each in headers["webhook-signature"].split())
