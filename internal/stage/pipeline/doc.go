// Package pipeline reads pipelines and says what runs when, with what.
//
// In come files (pipelines in YAML, agents and commands in Markdown), arguments, a session's context and the outputs of
// earlier stages; out go checked definitions, an order in which independent stages stand beside each other, and each
// stage's inputs with every variable resolved. It never runs a command and never keeps anything on the disk: the stage
// cache does, and the caller runs. A definition that was parsed costs one look at its file, about 2 µs; parsing one
// costs 50 to 100 times that.
//
// # Variables
//
//	$STAGE_name.output.path   what a stage printed, of this pipeline or an earlier one of the session; the path walks
//	                          through JSON: names and indexes (.0)
//	$CONTEXT_name             the session's context
//	$ARG_name, $ARG_1         arguments by name and by position
//	$ENV_NAME                 the environment, if the settings allow that name
//	$name                     as a whole value only: the first of these four, in this order, that has the name
//
// ${…} marks where a name ends; $$ is a dollar. A name that is unknown is an error, never an empty text.
package pipeline
