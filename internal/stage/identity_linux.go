package stage

import "syscall"

func times(st *syscall.Stat_t) (m, c int64) { return st.Mtim.Nano(), st.Ctim.Nano() }
