package git

const limited = true
