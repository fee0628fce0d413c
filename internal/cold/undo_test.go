package cold

import (
	"path/filepath"
	"testing"
	"time"
)

func TestUndoRecords(t *testing.T) {
	d, _ := openTest(t, filepath.Join(t.TempDir(), "aoa.db"))
	found := func(f UndoFilter) string {
		t.Helper()
		u, _, err := d.FindUndo(t.Context(), f)
		must(t, err)
		return u.ID + string(u.Data)
	}
	for _, id := range []string{"1", "2", "3"} {
		must(t, d.AddUndo(t.Context(), Undo{ID: id, At: noon, Made: "make " + id, Data: []byte(" data")}, 2))
	}
	same(t, "found", []string{found(UndoFilter{}), found(UndoFilter{ID: "1"}), found(UndoFilter{Made: "make 2"}),
		found(UndoFilter{Unmade: "call"})},
		[]string{"3 data", "", "2 data", ""})
	must(t, d.MarkUndo(t.Context(), "3", "call", true))
	same(t, "found", []string{found(UndoFilter{}), found(UndoFilter{Unmade: "call"})}, []string{"2 data", "3 data"})

	alter(t, d.path, "UPDATE undos SET data = x'0107' WHERE id = '2'")
	if _, ok, err := d.FindUndo(t.Context(), UndoFilter{}); err == nil || !ok {
		t.Error("a record that cannot be read is returned")
	}
	_, err := eraser(t, d).Forget(t.Context(), ForgetFilter{Since: noon.Add(time.Hour)})
	must(t, err)
	same(t, "after something was forgotten", found(UndoFilter{ID: "3"}), "")
}
