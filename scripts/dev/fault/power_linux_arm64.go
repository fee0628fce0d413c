package fault

import "syscall"

// registers returns the number of a system call, its first argument, and its result: the last two
// share one, and the argument is there when the call begins.
func registers(r *syscall.PtraceRegs) (number, arg, result uint64) {
	return r.Regs[8], r.Regs[0], r.Regs[0]
}
