// Opens the ciphertext of a password page. The format is described in compiler/site/protect.py.

const FORMAT = "geosmin-protected-1";
const FEWEST = 600_000; // rounds of PBKDF2: a manifest that asks for fewer was not made by us

const bytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export class Sealed {
  constructor(id, manifest, data) {
    Object.assign(this, { id, manifest, data });
  }

  // Fetches a page's two files from `folder`; null when there is no such page. Raises an Error when it is damaged.
  static async fetch(id, folder) {
    const reply = await fetch(new URL("manifest.json", folder), { credentials: "omit" });
    if (!reply.ok) return null;
    const manifest = await reply.json();
    const { format, kdf, cipher, file, size, sha256 } = manifest;
    const known = format === FORMAT && manifest.id === id && kdf.name === "PBKDF2" && kdf.hash === "SHA-256" && kdf.iterations >= FEWEST && cipher.name === "AES-GCM" && /^[\w.]+$/.test(file);
    if (!known) throw new Error("format");
    const body = await fetch(new URL(file, folder), { credentials: "omit" });
    const data = await body.arrayBuffer();
    if (!body.ok || data.byteLength !== size || hex(await crypto.subtle.digest("SHA-256", data)) !== sha256) throw new Error("damaged");
    return new Sealed(id, manifest, data);
  }

  // The name under which a key for this very password and content may be kept.
  get name() {
    return `${this.id}:${this.manifest.kdf.salt}`;
  }

  // Returns the key that a password makes. It cannot be exported, not even by this page.
  async key(password) {
    const { salt, iterations } = this.manifest.kdf;
    const material = await crypto.subtle.importKey("raw", new TextEncoder().encode(password), "PBKDF2", false, ["deriveKey"]);
    const kdf = { name: "PBKDF2", hash: "SHA-256", salt: bytes(salt), iterations };
    return crypto.subtle.deriveKey(kdf, material, { name: "AES-GCM", length: this.manifest.cipher.length }, false, ["decrypt"]);
  }

  // Returns the page that the key opens, null when it is the wrong key.
  async open(key) {
    const { iv, tagLength } = this.manifest.cipher;
    const cipher = { name: "AES-GCM", iv: bytes(iv), tagLength, additionalData: new TextEncoder().encode(`${FORMAT}:${this.id}`) };
    try {
      const plain = await crypto.subtle.decrypt(cipher, key, this.data);
      const length = Number(new DataView(plain).getBigUint64(0));
      return JSON.parse(new TextDecoder().decode(plain.slice(8, 8 + length)));
    } catch {
      return null;
    }
  }
}
