#!/bin/sh
# Claude Code, PostToolUse (async): learns which file was used for what. Prints nothing.
[ "${AOA:-1}" = 0 ] && exit 0
command -v aoa-hook >/dev/null 2>&1 && { aoa-hook claude 2>/dev/null; exit 0; }
command -v aoa >/dev/null 2>&1 && aoa hook claude 2>/dev/null
exit 0
