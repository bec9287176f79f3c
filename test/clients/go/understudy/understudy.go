// Package understudy gives each test its own world on the server that test/clients/run.ts started.
package understudy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"testing"
	"time"
)

// Service contains the address of one API and a token for it.
type Service struct {
	URL        string   `json:"url"`
	Token      string   `json:"token"`
	UnsealKeys []string `json:"unsealKeys"`
	Threshold  int      `json:"threshold"`
	Tokens     struct {
		SiteAdmin string `json:"siteAdmin"`
		Owner     string `json:"owner"`
	} `json:"tokens"`
}

// Origin returns the address without the world's prefix. Requests to it need the Header of the world.
func (s Service) Origin() string {
	at, _ := url.Parse(s.URL)
	return at.Scheme + "://" + at.Host
}

// World is an isolated state of all services on the server.
type World struct {
	ID       string
	Services struct{ Secrets, Platform, Mesh, Scheduler Service }
	control  string
}

// Header returns the header that selects the world in a request to the origin of an API.
func (w World) Header() http.Header { return http.Header{"X-Mock-World": {w.ID}} }

// NewWorld creates a world with these options (JSON, by API) and deletes it at the end of the test.
func NewWorld(t *testing.T, options string) World {
	t.Helper()
	return newWorld(t, `{"options":`+options+`}`)
}

// NewMeshWorld creates a world whose mesh API has a listener of its own, for clients that take no
// headers.
func NewMeshWorld(t *testing.T) World {
	t.Helper()
	return newWorld(t, `{"listen":{"mesh":0}}`)
}

func newWorld(t *testing.T, body string) World {
	t.Helper()
	file := os.Getenv("UNDERSTUDY_READY")
	if file == "" {
		t.Skip("UNDERSTUDY_READY names no server: start this by `npm run test:clients`")
	}
	text, err := os.ReadFile(file)
	Must(t, err)
	var info struct {
		Ports map[string]int `json:"ports"`
	}
	Must(t, json.Unmarshal(text, &info))
	world := World{control: fmt.Sprintf("http://127.0.0.1:%d/_mock", info.Ports["control"])}
	var made struct {
		ID   string `json:"id"`
		Info struct {
			Services struct{ Secrets, Platform, Mesh, Scheduler Service } `json:"services"`
		} `json:"info"`
	}
	Must(t, json.Unmarshal(world.post(t, "/worlds", body), &made))
	world.ID, world.Services = made.ID, made.Info.Services
	t.Cleanup(func() {
		request, _ := http.NewRequest(http.MethodDelete, world.control+"/worlds/"+world.ID, nil)
		if reply, err := http.DefaultClient.Do(request); err == nil {
			reply.Body.Close()
		}
	})
	return world
}

// Advance moves the world's clock forward by a Go duration.
func (w World) Advance(t *testing.T, by string) {
	t.Helper()
	w.post(t, "/worlds/"+w.ID+"/clock/advance", `{"by":"`+by+`"}`)
}

func (w World) post(t *testing.T, path, body string) []byte {
	t.Helper()
	reply, err := http.Post(w.control+path, "application/json", bytes.NewBufferString(body))
	Must(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	Must(t, err)
	if reply.StatusCode >= 300 {
		t.Fatalf("%s: %d %s", path, reply.StatusCode, text)
	}
	return text
}

// Must fails the test if there is an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Is fails the test if two values differ.
func Is[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s is %v, not %v", what, got, want)
	}
}

// Eventually polls a condition until it is true, and fails the test after twenty seconds.
func Eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("never came: %s", what)
}

// AccountToken returns a token of a service account of the world's orchestrator.
func (w World) AccountToken(t *testing.T, namespace, account string) string {
	t.Helper()
	body := fmt.Sprintf(`{"namespace":%q,"service_account":%q}`, namespace, account)
	var made struct {
		Token string `json:"token"`
	}
	path := "/worlds/" + w.ID + "/secrets/orchestrator/tokens"
	Must(t, json.Unmarshal(w.post(t, path, body), &made))
	return made.Token
}
