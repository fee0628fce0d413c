package api

import "github.com/aoa-dev/aoa/internal/event"

// Export reads the log for another clone, a page at a time.
var Export = Route[ExportRequest, ExportAnswer]{"POST", "/export"}

// ExportRequest asks for the events behind a batch.
type ExportRequest struct {
	After int64 `json:"after"` // number of the last batch that was read; 0: from the beginning
}

// ExportAnswer is what sessions and people did, without its texts, in the order of the log.
type ExportAnswer struct {
	Events []event.Event `json:"events"`
	Next   int64         `json:"next"` // the After of the next page; 0: this was the last
}
