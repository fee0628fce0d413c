package cold

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/aoa-dev/aoa/scripts/fault"
)

func TestUndoRecords(t *testing.T) {
	d, _ := openTest(t, filepath.Join(t.TempDir(), "aoa.db"))
	found := func(id string) string {
		t.Helper()
		u, _, err := d.FindUndo(t.Context(), id)
		fault.Check(t, err)
		return u.ID + string(u.Data)
	}
	for _, id := range []string{"1", "2", "3"} {
		fault.Check(t, d.AddUndo(t.Context(), Undo{ID: id, At: noon, Data: []byte(" data")}, 2))
	}
	same(t, "found", []string{found(""), found("1"), found("2")}, []string{"3 data", "", "2 data"})
	fault.Check(t, d.MarkUndo(t.Context(), "3"))
	same(t, "found", found(""), "2 data")

	alter(t, d.path, "UPDATE undos SET data = x'0107' WHERE id = '2'")
	if _, ok, err := d.FindUndo(t.Context(), ""); err == nil || !ok {
		t.Error("a record that cannot be read is returned")
	}
	_, err := eraser(t, d).Forget(t.Context(), ForgetFilter{Since: noon.Add(time.Hour)})
	fault.Check(t, err)
	same(t, "after something was forgotten", found("3"), "")
}
