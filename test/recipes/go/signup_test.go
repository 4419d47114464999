// kyclone exec -- go test ./...
package signup

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

const (
	playbook = "pb_test_kycdefault000000000000"
	patience = time.Minute
)

var jane = map[string]string{
	"id.first_name": "Jane", "id.last_name": "Example", "id.dob": "1988-12-30", "id.ssn9": "121-12-1212",
	"id.email": "jane@example.com", "id.phone_number": "+14155550123", "id.address_line1": "1 Loop Road",
	"id.city": "San Francisco", "id.state": "CA", "id.zip": "94117", "id.country": "US",
}

// control makes a call of the control plane, which only tests make.
func control(t *testing.T, method, path string, body, result any) {
	t.Helper()
	header := http.Header{"Authorization": {"Bearer " + os.Getenv("KYCLONE_CONTROL_TOKEN")}}
	if err := Call(method, os.Getenv("KYCLONE_BASE_URL")+"/_kyclone/"+path, header, body, result); err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
}

// newApp begins a test: with no users.
func newApp(t *testing.T) App {
	t.Helper()
	control(t, http.MethodPost, "reset", struct{}{}, nil)
	return App{URL: os.Getenv("KYCLONE_BASE_URL"), APIKey: os.Getenv("KYCLONE_API_KEY"), Playbook: playbook}
}

type event struct {
	Body struct{ Status string }
}

// waitFor returns the event of this kind about this user, once it has happened.
func waitFor(t *testing.T, kind, fpID string) event {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var events struct{ Data []event }
		control(t, http.MethodGet, "events?kind="+kind+"&fp_id="+fpID, nil, &events)
		if len(events.Data) > 0 {
			return events.Data[0]
		}
	}
	t.Fatalf("no %s of %s", kind, fpID)
	return event{}
}

func signUp(t *testing.T, app App) (id, status string) {
	t.Helper()
	id, status, err := app.SignUp(jane)
	if err != nil {
		t.Fatal(err)
	}
	return id, status
}

func TestAPersonWhoSignsUpIsVerifiedAndTheEventSaysSo(t *testing.T) {
	id, status := signUp(t, newApp(t))
	if status != "pass" {
		t.Errorf("status is %s", status)
	}
	if event := waitFor(t, "onboarding.completed", id); event.Body.Status != "pass" {
		t.Errorf("status of the event is %s", event.Body.Status)
	}
}

func TestAPersonWhoIsRefusedHearsOfIt(t *testing.T) {
	app := newApp(t)
	control(t, http.MethodPost, "outcomes", map[string]any{
		"match": map[string]string{"playbook_key": playbook}, "outcome": "fail", "times": 1,
	}, nil)
	if _, status := signUp(t, app); status != "fail" {
		t.Errorf("status is %s", status)
	}
}

type delivery struct {
	header http.Header
	body   []byte
}

func TestADeliveryIsGenuineAndAChangedOneIsNot(t *testing.T) {
	app := newApp(t)
	deliveries := make(chan delivery, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		deliveries <- delivery{request.Header.Clone(), body}
		answer.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	var webhook struct{ ID, Secret string }
	control(t, http.MethodPost, "webhooks", map[string]string{"url": receiver.URL}, &webhook)
	defer control(t, http.MethodDelete, "webhooks/"+webhook.ID, nil, nil)

	id, _ := signUp(t, app)
	var got delivery
	select {
	case got = <-deliveries:
	case <-time.After(patience):
		t.Fatal("nothing was delivered")
	}
	if !IsGenuine(got.header, got.body, webhook.Secret) {
		t.Error("the delivery is not genuine")
	}
	var body struct {
		FpID string `json:"fp_id"`
	}
	if err := json.Unmarshal(got.body, &body); err != nil || body.FpID != id {
		t.Errorf("the delivery is about %s: %v", body.FpID, err)
	}
	if IsGenuine(got.header, bytes.ReplaceAll(got.body, []byte("pass"), []byte("fail")), webhook.Secret) {
		t.Error("a changed body is taken for genuine")
	}
	old := got.header.Clone()
	old.Set("webhook-timestamp", "0")
	if IsGenuine(old, got.body, webhook.Secret) {
		t.Error("an old delivery is taken for genuine")
	}
}
