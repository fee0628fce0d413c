package reload

import (
	"context"
	"time"
)

// Exported is an entry in the form that the specification of the cache gives it.
type Exported struct {
	ID          string              `json:"id"`
	Fingerprint exportedFingerprint `json:"fingerprint"`
	Actions     []Action            `json:"actions"`
	Summary     string              `json:"summary"`
	Metadata    exportedMetadata    `json:"metadata"`
}

// exportedFingerprint is a fingerprint in that form.
type exportedFingerprint struct {
	Trigger
	Ngrams []string `json:"contextNgrams"`
	State  string   `json:"windowStateHash"`
}

// exportedMetadata is the rest of an entry in that form.
type exportedMetadata struct {
	Created   time.Time `json:"createdAt"`
	Used      time.Time `json:"lastUsed"`
	Uses      int       `json:"useCount"`
	Successes int       `json:"successCount"`
	Failures  int       `json:"failureCount"`
	Message   string    `json:"originalMessageId"`
	Agent     string    `json:"agentId"`
}

// Export returns all entries in the form of the specification.
func (c *Cache) Export(ctx context.Context) ([]Exported, error) {
	all, err := c.List(ctx)
	out := make([]Exported, 0, len(all))
	for _, e := range all {
		out = append(out, Exported{ID: e.ID,
			Fingerprint: exportedFingerprint{e.Trigger, e.print.request.Phrases(),
				e.State}, Actions: e.Actions, Summary: e.Summary,
			Metadata: exportedMetadata{e.Created, e.Used, e.Uses, e.Successes, e.Failures, e.Message, e.Agent}})
	}
	return out, err
}
