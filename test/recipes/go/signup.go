// Package signup is the app that is tested. It knows where the service is and has a key, and nothing of the emulator.
package signup

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// App signs people up.
type App struct {
	URL, APIKey, Playbook string
}

// SignUp returns the id of the new user, and how the verification ended.
func (app App) SignUp(person map[string]string) (id, status string, err error) {
	var user struct{ ID string }
	if err = app.post("/users", person, &user); err != nil {
		return "", "", err
	}
	var run struct{ Status string }
	err = app.post("/users/"+user.ID+"/kyc", map[string]string{"key": app.Playbook}, &run)
	return user.ID, run.Status, err
}

func (app App) post(path string, body, result any) error {
	header := http.Header{"X-Service-Secret-Key": {app.APIKey}}
	return Call(http.MethodPost, app.URL+path, header, body, result)
}

// Call sends JSON and reads the JSON of the answer into result, unless that is nil.
func Call(method, url string, header http.Header, body, result any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		content = nil
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(content))
	if err != nil {
		return err
	}
	request.Header = header.Clone()
	if body != nil {
		request.Header.Set("content-type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the service answered %d", answer.StatusCode)
	}
	if result == nil {
		return nil
	}
	return json.NewDecoder(answer.Body).Decode(result)
}

// IsGenuine reports whether the service has signed this body, and not long ago.
func IsGenuine(header http.Header, body []byte, secret string) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return false
	}
	age := time.Since(time.Unix(seconds, 0))
	if age > tolerance || age < -tolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// After a rotation there are two.
	for _, each := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal(expected, []byte(each)) {
			return true
		}
	}
	return false
}
