// SHA-256 for pages without TLS, from which browsers hide theirs (FIPS 180-4; its constants are the fraction bits of the
// roots of the first primes).

const fraction = (root) => Math.floor((root % 1) * 2 ** 32);
const turned = (word, ...by) => by.reduce((all, bits) => all ^ ((word >>> bits) | (word << (32 - bits))), 0);

// Returns the 32 bytes of the hash, called like the browsers' own function.
export function digest(_, bytes) {
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  const rounds = primes.map((prime) => fraction(Math.cbrt(prime)));
  const hash = new Int32Array(primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))));
  const data = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) + 1) << 6));
  new Uint8Array(data.buffer).set(bytes);
  data.setUint8(bytes.length, 0x80);
  data.setUint32(data.byteLength - 4, bytes.length * 8); // of less than 512 MB
  for (let at = 0; at < data.byteLength; at += 64) mix(hash, rounds, Array.from({ length: 16 }, (_, i) => data.getInt32(at + 4 * i)));
  hash.forEach((word, i) => data.setInt32(4 * i, word));
  return new Uint8Array(data.buffer, 0, 32);
}

function mix(hash, rounds, words) {
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i++) {
    if (i > 15) {
      const [far, near] = [words[i - 15], words[i - 2]];
      words[i] = (words[i - 16] + (turned(far, 7, 18) ^ (far >>> 3)) + words[i - 7] + (turned(near, 17, 19) ^ (near >>> 10))) | 0;
    }
    const one = h + turned(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + rounds[i] + words[i];
    const two = turned(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] += word));
}
