package client

// fingerprint is the first 16 hex digits of the SHA-256 of s, as internal/api computes it. crypto/sha256 would
// initialise a dozen packages before this one (0.1 ms measured), for a name that few repositories need.
func fingerprint(s string) string {
	h := [8]uint32{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}
	msg := append([]byte(s), 0x80)
	for len(msg)%64 != 56 {
		msg = append(msg, 0)
	}
	bits := uint64(len(s)) * 8
	for i := 56; i >= 0; i -= 8 {
		msg = append(msg, byte(bits>>i))
	}
	for ; len(msg) > 0; msg = msg[64:] {
		block(&h, msg[:64])
	}
	var out [16]byte
	for i := range out {
		out[i] = hexDigits[h[i/8]>>(28-4*(i%8))&15]
	}
	return string(out[:])
}

// block is the compression function of FIPS 180-4, section 6.2.2.
func block(h *[8]uint32, p []byte) {
	rot := func(x uint32, n uint) uint32 { return x>>n | x<<(32-n) }
	var w [64]uint32
	for i := range 16 {
		w[i] = uint32(p[4*i])<<24 | uint32(p[4*i+1])<<16 | uint32(p[4*i+2])<<8 | uint32(p[4*i+3])
	}
	for i := 16; i < 64; i++ {
		s0 := rot(w[i-15], 7) ^ rot(w[i-15], 18) ^ w[i-15]>>3
		s1 := rot(w[i-2], 17) ^ rot(w[i-2], 19) ^ w[i-2]>>10
		w[i] = w[i-16] + s0 + w[i-7] + s1
	}
	v := *h
	for i := range 64 {
		s1 := rot(v[4], 6) ^ rot(v[4], 11) ^ rot(v[4], 25)
		ch := v[4]&v[5] ^ ^v[4]&v[6]
		t1 := v[7] + s1 + ch + roundKeys[i] + w[i]
		s0 := rot(v[0], 2) ^ rot(v[0], 13) ^ rot(v[0], 22)
		t2 := s0 + (v[0]&v[1] ^ v[0]&v[2] ^ v[1]&v[2])
		v = [8]uint32{t1 + t2, v[0], v[1], v[2], v[3] + t1, v[4], v[5], v[6]}
	}
	for i := range h {
		h[i] += v[i]
	}
}

// roundKeys are the first 32 bits of the fractions of the cube roots of the first 64 primes.
var roundKeys = [64]uint32{
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
}
