package fault

import "syscall"

// registers returns the number of a system call, its first argument, and its result.
func registers(r *syscall.PtraceRegs) (number, arg, result uint64) { return r.Orig_rax, r.Rdi, r.Rax }
