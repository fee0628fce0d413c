package daemon

import (
	"errors"
	"strings"

	"github.com/aoa-dev/aoa/internal/api"
	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/llmcache"
	"github.com/aoa-dev/aoa/internal/reload"
	"github.com/aoa-dev/aoa/internal/session"
	"github.com/aoa-dev/aoa/internal/stage"
	"github.com/aoa-dev/aoa/internal/stage/pipeline"
	"github.com/aoa-dev/aoa/rank"
)

// refusals lists errors of other packages about which the caller can do something. NAME in a hint
// stands for what was asked for.
var refusals = []struct {
	err        error
	code, hint string
}{
	{rank.ErrTask, api.CodeBad, "use prompt, open or change"},
	{change.ErrRequest, api.CodeBad, "docs/api.md describes /check"},
	{change.ErrRange, api.CodeBad, "for example origin/main..HEAD"},
	{change.ErrCommit, api.CodeBad, "in a shallow clone: git fetch --unshallow"},
	{reload.ErrNone, api.CodeMissing, "aoa reload list"},
	{reload.ErrNoUndo, api.CodeMissing, "git diff shows what changed"},
	{reload.ErrIndex, api.CodeBad, "aoa reload show NAME"},
	{reload.ErrPlan, api.CodeBad, "aoa reload run NAME --edits shows it again"},
	{reload.ErrChanged, api.CodeBad, "git diff shows what changed"},
	{pipeline.ErrDefinition, api.CodeBad, "docs/side-systems.md describes the format and the folders"},
	{stage.ErrRequest, api.CodeBad, "aoa stage run --help"},
	{stage.ErrRecord, api.CodeBad, ""},
	{stage.ErrSession, api.CodeBad, ""},
	{stage.ErrNoEntry, api.CodeMissing, "aoa stage list"},
	{session.ErrUnknown, api.CodeMissing, "aoa session list --archived names them"},
	{session.ErrState, api.CodeBad, "aoa session show names its state; aoa session resume makes it active"},
}

// refusal returns an error as the API sends it. name is what was asked for.
func refusal(name string, err error) error {
	if e, ok := errors.AsType[*llmcache.Error](err); ok {
		return &api.Error{Code: e.Code, Message: e.Message, Hint: e.Hint}
	}
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return &api.Error{Code: r.code, Message: err.Error(), Hint: strings.ReplaceAll(r.hint, "NAME", name)}
		}
	}
	return err
}
