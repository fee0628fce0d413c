#!/bin/sh
# Claude Code, PreToolUse: prints what is known of the file at hand, or nothing.
[ "${AOA:-1}" = 0 ] && exit 0
command -v aoa-hook >/dev/null 2>&1 && { aoa-hook claude 2>/dev/null; exit 0; }
command -v aoa >/dev/null 2>&1 && aoa hook claude 2>/dev/null
exit 0
