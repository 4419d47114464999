"""kyclone exec -- python3 -m unittest, or kyclone exec -- pytest. Nothing is installed for it."""

import http.server
import json
import os
import queue
import threading
import time
import unittest
import urllib.parse
import urllib.request

from sign_up import SignUp, is_genuine

URL = os.environ["KYCLONE_BASE_URL"]
PLAYBOOK = "pb_test_kycdefault000000000000"
PATIENCE_SECONDS = 60
JANE = {
    "id.first_name": "Jane",
    "id.last_name": "Example",
    "id.dob": "1988-12-30",
    "id.ssn9": "121-12-1212",
    "id.email": "jane@example.com",
    "id.phone_number": "+14155550123",
    "id.address_line1": "1 Loop Road",
    "id.city": "San Francisco",
    "id.state": "CA",
    "id.zip": "94117",
    "id.country": "US",
}


def control(method, path, body=None, **query):
    """A call of the control plane, which only tests make."""
    headers = {"authorization": f"Bearer {os.environ['KYCLONE_CONTROL_TOKEN']}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    url = f"{URL}/_kyclone/{path}?{urllib.parse.urlencode(query)}"
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def wait_for(kind, fp_id):
    """The event of this kind about this user, once it has happened."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        events = control("GET", "events", kind=kind, fp_id=fp_id)["data"]
        if events:
            return events[0]
        time.sleep(0.05)
    raise AssertionError(f"no {kind} of {fp_id}")


class Receiver:
    """The app's webhook endpoint: what is delivered waits in `deliveries`."""

    def __init__(self):
        deliveries = self.deliveries = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                deliveries.put((self.headers, self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.webhook = control("POST", "webhooks", {"url": f"http://127.0.0.1:{self.server.server_port}/hooks"})

    def close(self):
        control("DELETE", f"webhooks/{self.webhook['id']}")
        self.server.shutdown()
        self.server.server_close()


class SignUpTest(unittest.TestCase):
    def setUp(self):
        control("POST", "reset", {})
        self.app = SignUp(URL, os.environ["KYCLONE_API_KEY"], PLAYBOOK)

    def test_a_person_who_signs_up_is_verified_and_the_event_says_so(self):
        fp_id, status = self.app.sign_up(JANE)
        self.assertEqual(status, "pass")
        self.assertEqual(wait_for("onboarding.completed", fp_id)["body"]["status"], "pass")

    def test_a_person_who_is_refused_hears_of_it(self):
        control("POST", "outcomes", {"match": {"playbook_key": PLAYBOOK}, "outcome": "fail", "times": 1})
        self.assertEqual(self.app.sign_up(JANE)[1], "fail")

    def test_each_test_begins_with_no_users(self):
        self.app.sign_up(JANE)
        self.setUp()
        headers = {"x-service-secret-key": os.environ["KYCLONE_API_KEY"]}
        with urllib.request.urlopen(urllib.request.Request(f"{URL}/users", headers=headers)) as answer:
            self.assertEqual(json.load(answer)["data"], [])

    def test_a_delivery_is_genuine_and_a_changed_one_is_not(self):
        receiver = Receiver()
        self.addCleanup(receiver.close)
        fp_id, _ = self.app.sign_up(JANE)
        headers, body = receiver.deliveries.get(timeout=PATIENCE_SECONDS)
        secret = receiver.webhook["secret"]
        self.assertTrue(is_genuine(headers, body, secret))
        self.assertEqual(json.loads(body)["fp_id"], fp_id)
        self.assertFalse(is_genuine(headers, body.replace(b"pass", b"fail"), secret))
        self.assertFalse(is_genuine({**headers, "webhook-timestamp": "0"}, body, secret))


if __name__ == "__main__":
    unittest.main()
