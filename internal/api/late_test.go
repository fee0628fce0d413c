package api_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/stage"
)

// TestLateCall: a call whose caller has given up is refused and not carried out.
func TestLateCall(t *testing.T) {
	t.Parallel()
	done := 0
	mux := http.NewServeMux()
	api.Handle(mux, api.Pause, func(context.Context, api.PauseRequest) (api.PauseAnswer, error) {
		done++
		return api.PauseAnswer{}, nil
	})
	api.HandleStream(mux, api.StageEnd, func(context.Context, stage.Result, io.Reader) (api.Streamed[stage.Kept],
		error) {
		done++
		return api.Streamed[stage.Kept]{}, nil
	})
	for _, path := range []string{api.Pause.Path, api.StageEnd.Path} {
		for until, want := range map[string]int{"": 200, "soon": 200, header(time.Minute): 200, header(-time.Second): 503} {
			before := done
			q := httptest.NewRequestWithContext(t.Context(), "POST", "/v1"+path, strings.NewReader("{}"))
			q.Header.Set("Aoa-Until", until)
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, q)
			if carried := done > before; w.Code != want || carried != (want == 200) {
				t.Errorf("%s until %q: status %d, carried out: %v\n%s", path, until, w.Code, carried, w.Body)
			}
		}
	}
}

// header is a time from now as the header carries it.
func header(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).UnixMilli(), 10) }
