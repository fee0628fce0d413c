#!/bin/sh
# Claude Code, PostToolUse (async): learns which file was used for what. Prints nothing.
[ "${AOA:-1}" = 0 ] && exit 0
command -v aoa-hook >/dev/null 2>&1 && exec aoa-hook claude
command -v aoa >/dev/null 2>&1 || exit 0
exec aoa hook claude
