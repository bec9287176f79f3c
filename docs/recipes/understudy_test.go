// This file gives each test a world of its own. Copy it next to your tests, and change the name of the
// package.
//
// The file needs only the standard library. The variable UNDERSTUDY_URL names a running server, such as a
// container. Without it, the tests start a server with INFRA_UNDERSTUDY_COMMAND (default: npx
// infra-understudy; the executable file works as well) and stop it after the last test.
//
//	func TestReadsASecret(t *testing.T) {
//		world := NewWorld(t, "{}")
//		world.Setenv(t)
//		client, err := vault.NewClient(nil) // finds VAULT_ADDR and VAULT_TOKEN
//		…
//		if len(world.Requests(t, `{"path": "/v1/secret/data/app"}`)) != 2 {
//			t.Fatal("the secret was not read")
//		}
//	}
package recipe

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// World is one isolated universe of the server, with addresses of its own.
type World struct {
	// Env holds the variables by which clients and command lines find the world.
	Env map[string]string
	url string
}

// productPrefixes are the prefixes of the variables that the products' clients read.
var productPrefixes = []string{
	"VAULT_", "BAO_", "CONSUL_", "NOMAD_", "TFE_", "TF_", "TERRAFORM_CONFIG",
}

// harmlessPrefixes are the prefixes of those variables that choose no server.
var harmlessPrefixes = []string{
	"TF_ACC", "TF_DATA_DIR", "TF_IGNORE", "TF_IN_AUTOMATION", "TF_INPUT", "TF_LOG", "TF_PLUGIN_CACHE", "TF_VAR_",
}

// client calls the server's control plane, never through a proxy.
var client = &http.Client{Transport: &http.Transport{}}

var serverURL = os.Getenv("UNDERSTUDY_URL")

// TestMain runs all tests of the package with one server.
func TestMain(m *testing.M) {
	stop := func() {}
	if serverURL == "" {
		var err error
		if serverURL, stop, err = startServer(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	code := m.Run()
	stop()
	os.Exit(code)
}

func startServer() (url string, stop func(), err error) {
	folder, err := os.MkdirTemp("", "understudy")
	if err != nil {
		return "", nil, err
	}
	ready := filepath.Join(folder, "ready.json")
	command := strings.Fields(os.Getenv("INFRA_UNDERSTUDY_COMMAND"))
	if len(command) == 0 {
		command = []string{"npx", "infra-understudy"}
	}
	flags := []string{"--port=0", "--dialect=vendor", "--log-level=error", "--end-with-parent"}
	server := exec.Command(command[0], append(append(command[1:], flags...), "--ready-file="+ready)...)
	server.Stderr = os.Stderr
	output, err := server.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err = server.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		// npx forwards SIGTERM to the server, but not an interrupt.
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
		_ = os.RemoveAll(folder)
	}
	// Waits for the ready line. A server that cannot start closes its output instead.
	if _, err = bufio.NewReader(output).ReadString('\n'); err != nil {
		stop()
		return "", nil, fmt.Errorf("the server did not start: %w", err)
	}
	text, err := os.ReadFile(ready)
	var info struct {
		Ports map[string]int `json:"ports"`
	}
	if err == nil {
		err = json.Unmarshal(text, &info)
	}
	return fmt.Sprintf("http://127.0.0.1:%d", info.Ports["control"]), stop, err
}

// NewWorld creates a world, such as NewWorld(t, `{"options": {"mesh": {"aclEnabled": true}}}`), which is
// deleted after the test. Tests may run in parallel if they pass Env to their clients.
func NewWorld(t *testing.T, request string) *World {
	t.Helper()
	world := &World{url: strings.TrimRight(serverURL, "/") + "/_mock/worlds"}
	// The TTL deletes the world if the tests are killed.
	body := map[string]any{"listen": true, "ttl": "10m"}
	if err := json.Unmarshal([]byte(request), &body); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		ID string `json:"id"`
	}
	world.ask(t, http.MethodPost, "", string(text), &made)
	world.url += "/" + made.ID
	// Traces show the marks, and thereby which world belongs to which test.
	world.mark(t, "test started: "+t.Name())
	t.Cleanup(func() {
		result := "passed"
		if t.Failed() {
			result = "failed"
		}
		world.mark(t, "test "+result+": "+t.Name())
		world.ask(t, http.MethodDelete, "", "", nil)
	})
	world.ask(t, http.MethodGet, "/env?format=json", "", &world.Env)
	return world
}

// Setenv sets the world's variables for the test and its child processes.
func (w *World) Setenv(t *testing.T) {
	t.Helper()
	// Variables that are already set must not lead clients to another server.
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		if hasPrefix(strings.ToUpper(name), productPrefixes) && !hasPrefix(name, harmlessPrefixes) {
			t.Setenv(name, value) // restores the variable after the test
			_ = os.Unsetenv(name)
		}
	}
	// A proxy would receive the requests for the server.
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		exceptions := "localhost,127.0.0.1,::1"
		if address, err := url.Parse(serverURL); err == nil {
			exceptions += "," + address.Hostname()
		}
		if set := os.Getenv(name); set != "" {
			exceptions = set + "," + exceptions
		}
		t.Setenv(name, exceptions)
	}
	for name, value := range w.Env {
		t.Setenv(name, value)
	}
}

func hasPrefix(name string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Requests returns the requests to the world that match a method, path, operation and so on (JSON).
func (w *World) Requests(t *testing.T, match string) []map[string]any {
	t.Helper()
	var found struct {
		Requests []map[string]any `json:"requests"`
	}
	w.ask(t, http.MethodPost, "/requests/find", `{"match": `+match+`}`, &found)
	return found.Requests
}

// Fault applies a failure preset, such as secrets-sealed, with its parameters (JSON).
func (w *World) Fault(t *testing.T, preset, parameters string) {
	t.Helper()
	w.ask(t, http.MethodPost, "/faults/presets/"+preset, parameters, nil)
}

// Advance advances the world's clock by a Go duration.
func (w *World) Advance(t *testing.T, by string) {
	t.Helper()
	w.ask(t, http.MethodPost, "/clock/advance", `{"by": "`+by+`"}`, nil)
}

// Load replaces the world's state by fixtures (JSON).
func (w *World) Load(t *testing.T, fixtures string) {
	t.Helper()
	w.ask(t, http.MethodPut, "/state", fixtures, nil)
}

// mark adds a line to the timeline of the world.
func (w *World) mark(t *testing.T, text string) {
	t.Helper()
	body, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	w.ask(t, http.MethodPost, "/marks", string(body), nil)
}

// ask calls the world's control plane, and fails the test if the call fails.
func (w *World) ask(t *testing.T, method, path, body string, reply any) {
	t.Helper()
	request, err := http.NewRequest(method, w.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if token := os.Getenv("UNDERSTUDY_CONTROL_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	if reply != nil {
		if err := json.Unmarshal(text, reply); err != nil {
			t.Fatal(err)
		}
	}
}
