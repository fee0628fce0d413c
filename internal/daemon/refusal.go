package daemon

import (
	"errors"
	"strings"

	"github.com/aoa-dev/aoa/internal/change"
	"github.com/aoa-dev/aoa/internal/event"
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
	{rank.ErrTask, event.CodeBad, "use prompt, open or change"},
	{change.ErrRequest, event.CodeBad, "docs/api.md describes /check"},
	{change.ErrRange, event.CodeBad, "for example origin/main..HEAD"},
	{change.ErrCommit, event.CodeBad, "in a shallow clone: git fetch --unshallow"},
	{reload.ErrNone, event.CodeMissing, "aoa reload list"},
	{reload.ErrNoUndo, event.CodeMissing, "git diff shows what changed"},
	{reload.ErrIndex, event.CodeBad, "aoa reload show NAME"},
	{reload.ErrPlan, event.CodeBad, "aoa reload run NAME --edits shows it again"},
	{reload.ErrChanged, event.CodeBad, "git diff shows what changed"},
	{pipeline.ErrDefinition, event.CodeBad, "docs/side-systems.md describes the format and the folders"},
	{stage.ErrRequest, event.CodeBad, "aoa stage run --help"},
	{stage.ErrRecord, event.CodeBad, ""},
	{stage.ErrSession, event.CodeBad, ""},
	{stage.ErrNoEntry, event.CodeMissing, "aoa stage list"},
	{session.ErrUnknown, event.CodeMissing, "aoa session list --archived names them"},
	{session.ErrState, event.CodeBad, "aoa session show names its state; aoa session resume makes it active"},
}

// refused returns an error as the API sends it. name is what was asked for.
func refused(name string, err error) error {
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return &event.Refusal{Code: r.code, Message: err.Error(), Hint: strings.ReplaceAll(r.hint, "NAME", name)}
		}
	}
	return err
}
