package fault

import "syscall"

// registers returns the number of a system call, its first argument, and its result. Both are in
// the same register, which has the argument when the call begins and the result when it ends.
func registers(r *syscall.PtraceRegs) (number, arg, result uint64) {
	return r.Regs[8], r.Regs[0], r.Regs[0]
}
