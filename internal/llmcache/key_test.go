package llmcache

import (
	"strings"
	"testing"

	"github.com/aoa-dev/aoa/scripts/dev/fault"
)

func TestKeysAreEscaped(t *testing.T) {
	for id, want := range map[string]string{"conv_1": "conv%5F1_t_u", "a/b c": "a%2Fb+c_t_u", "日": "%E6%97%A5_t_u",
		"5f0c-2d.1E": "5f0c-2d.1E_t_u", "%5F": "%255F_t_u"} {
		k := Key{id, "t", "u"}
		fault.Same(t, "key", k.String(), want)
		back, err := parseKey(want)
		fault.Check(t, err)
		fault.Same(t, "parsed", back, k)
	}
	for _, s := range []string{"", "a", "a_b", "a_b_c_d", "a__c", "a_b_%4", "a_b_%zz", "a_b_%41", "a_b_%5f", "a_b_c d",
		strings.Repeat("a", 97) + "_b_c"} {
		if k, err := parseKey(s); err == nil {
			t.Errorf("%q was read as %+v", s, k)
		}
	}
	if _, err := parseKey("a_b%zz_c"); err == nil || !strings.Contains(err.Error(), `its part 2 is "b%zz"`) {
		t.Error(err)
	}
}
