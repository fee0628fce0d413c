// Package pipeline reads pipelines, and determines the order and the inputs of their stages.
//
// It takes files (pipelines in YAML, agents and commands in Markdown), arguments, a session's
// context and the outputs of earlier stages. It returns checked definitions, an order in which
// independent stages run concurrently, and each stage's inputs with every variable resolved. The
// package never runs a command and never writes to the disk.
//
// # Variables
//
//	$STAGE_name.output.path   what a stage printed, in this pipeline or an earlier one of the
//	                          session; the path walks through JSON: names and indexes (.0)
//	$CONTEXT_name             the session's context
//	$ARG_name, $ARG_1         arguments by name and by position
//	$ENV_NAME                 the environment, if the settings allow that name
//	$name                     only as a whole value: the first of these four, in this order,
//	                          that has the name
//
// ${…} marks where a name ends; $$ is a dollar. An unknown name is an error, never an empty text.
package pipeline
