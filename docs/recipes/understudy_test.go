// A world of its own for each test: copy this file beside your tests and change the package's name.
//
// Nothing but the standard library. The variable UNDERSTUDY_URL names a server that runs already, a
// container, say; without it the tests start one by INFRA_UNDERSTUDY_COMMAND (default: npx
// infra-understudy; the executable file does as well) and end it after the last of them.
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
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// World is one isolated universe of the server, with addresses of its own.
type World struct {
	// Env holds the variables in which clients and command lines find it.
	Env map[string]string
	url string
}

// productPrefixes are the beginnings of the variables that the products' clients read.
var productPrefixes = []string{
	"VAULT_", "BAO_", "CONSUL_", "NOMAD_", "TFE_", "TF_CLOUD_", "TF_TOKEN_", "TF_CLI_CONFIG_FILE",
}

var serverURL = os.Getenv("UNDERSTUDY_URL")

// TestMain has one server for all tests of the package.
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
		// npx passes this signal on; it would keep an interrupt to itself.
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
		_ = os.RemoveAll(folder)
	}
	// The ready line; a server that cannot start ends its output instead.
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

// NewWorld makes a world, as NewWorld(t, `{"options": {"mesh": {"aclEnabled": true}}}`), which ends with the
// test. Tests with a world each may be parallel, if they hand Env to their clients.
func NewWorld(t *testing.T, request string) *World {
	t.Helper()
	world := &World{url: strings.TrimRight(serverURL, "/") + "/_mock/worlds"}
	// It goes by itself should the tests be killed.
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
	t.Cleanup(func() { world.ask(t, http.MethodDelete, "", "", nil) })
	world.ask(t, http.MethodGet, "/env?format=json", "", &world.Env)
	return world
}

// Setenv makes the world's variables those of the test and of what it starts.
func (w *World) Setenv(t *testing.T) {
	t.Helper()
	// No other server may be found by a variable that happens to be set.
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		for _, prefix := range productPrefixes {
			if strings.HasPrefix(name, prefix) {
				t.Setenv(name, value) // restores it after the test
				_ = os.Unsetenv(name)
			}
		}
	}
	for name, value := range w.Env {
		t.Setenv(name, value)
	}
}

// Requests returns what was asked of the world; match says by method, path, operation and so on.
func (w *World) Requests(t *testing.T, match string) []map[string]any {
	t.Helper()
	var found struct {
		Requests []map[string]any `json:"requests"`
	}
	w.ask(t, http.MethodPost, "/requests/find", `{"match": `+match+`}`, &found)
	return found.Requests
}

// Fault breaks something: the name of a preset, as secrets-sealed, and its parameters.
func (w *World) Fault(t *testing.T, preset, parameters string) {
	t.Helper()
	w.ask(t, http.MethodPost, "/faults/presets/"+preset, parameters, nil)
}

// Advance moves the world's clock on by a Go duration.
func (w *World) Advance(t *testing.T, by string) {
	t.Helper()
	w.ask(t, http.MethodPost, "/clock/advance", `{"by": "`+by+`"}`, nil)
}

// Load replaces the world's state by fixtures (JSON).
func (w *World) Load(t *testing.T, fixtures string) {
	t.Helper()
	w.ask(t, http.MethodPut, "/state", fixtures, nil)
}

// ask asks the world's control plane, and fails the test unless it succeeds.
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
	response, err := http.DefaultClient.Do(request)
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
