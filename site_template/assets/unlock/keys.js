// Keys that a reader asked to keep, in this browser alone and in a form that cannot be read out.

function database() {
  return new Promise((done, failed) => {
    const asked = indexedDB.open("geosmin-keys", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("keys");
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  });
}

async function ask(mode, what) {
  try {
    const store = (await database()).transaction("keys", mode).objectStore("keys");
    return await new Promise((done, failed) => {
      const asked = what(store);
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => failed(asked.error);
    });
  } catch {
    return undefined; // storage is blocked: nothing is kept
  }
}

export const kept = (name) => ask("readonly", (store) => store.get(name));
export const keep = (name, key) => ask("readwrite", (store) => store.put(key, name));
export const drop = (name) => ask("readwrite", (store) => store.delete(name));
