package daemon_test

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

var declared = regexp.MustCompile(`(?:Route|Stream)\[.*\]\{(?:Path: )?(?:"(GET|POST)", )?"(/[^"]+)"`)

// TestRoutes: the daemon serves the routes that package api declares.
func TestRoutes(t *testing.T) {
	t.Parallel()
	sources, err := filepath.Glob("../api/*.go")
	fault.Check(t, err)
	var routes []string
	for _, name := range sources {
		raw, err := os.ReadFile(name)
		fault.Check(t, err)
		for _, m := range declared.FindAllStringSubmatch(string(raw), -1) {
			routes = append(routes, cmp.Or(m[1], "POST")+" "+m[2]) // a stream is posted
		}
	}
	if n := len(routes); n < 20 || n > 38 {
		t.Errorf("there are %d routes, at most 38 are wanted", n)
	}
	d := newFixture(t)
	d.start()
	web := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return api.Dial(ctx, d.o.Place)
	}}}
	defer web.CloseIdleConnections()
	for _, r := range routes {
		method, path, _ := strings.Cut(r, " ")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://aoa/v1"+path, nil)
		fault.Check(t, err)
		resp, err := web.Do(req)
		fault.Check(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusMethodNotAllowed || !strings.Contains(resp.Header.Get("Allow"), method) {
			t.Errorf("the daemon does not serve %s: %s, it allows %s", r, resp.Status, resp.Header.Get("Allow"))
		}
	}
}

// TestThresholdIsSet: POST /threshold is S3's way of aoa config threshold. It lasts, and refuses what the setting refuses.
func TestThresholdIsSet(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.start()
	if got := call(d, api.SetThreshold, api.ThresholdRequest{Value: 0.75}); got.Configured != 0.75 || got.Value != 0.75 {
		t.Errorf("it became %+v", got)
	}
	for _, bad := range []float64{0, 0.39, 0.91, 7} {
		_, err := api.Call(t.Context(), &api.Client{Place: d.o.Place}, api.SetThreshold, api.ThresholdRequest{Value: bad})
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeBad || e.Hint == "" {
			t.Errorf("%v: %v", bad, err)
		}
	}
	d.stop()
	d.start()
	fault.Same(t, "after a restart", call(d, api.Threshold, api.None{}).Configured, 0.75)
}
