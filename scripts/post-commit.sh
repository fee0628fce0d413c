#!/bin/sh
# git, post-commit: tells the daemon to look at HEAD. The commit never waits and never fails.
[ "${AOA:-1}" = 0 ] && exit 0
command -v aoa >/dev/null 2>&1 || exit 0
( exec aoa hook git post-commit </dev/null >/dev/null 2>&1 & ) || :
