// Package pipeline reads pipelines, and determines the order and the inputs of their stages.
//
// Files come in (pipelines in YAML, agents and commands in Markdown), arguments, a session's
// context and the outputs of earlier stages. Checked definitions, an order in which independent
// stages run concurrently, and each stage's inputs with every variable resolved go out. The package
// never runs a command and never writes to the disk.
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
// ${…} marks where a name ends; $$ is a dollar. A name that is unknown is an error, never an empty
// text.
package pipeline
