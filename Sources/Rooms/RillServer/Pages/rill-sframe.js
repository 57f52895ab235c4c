// End-to-end encryption of a page's frames: SFrame (RFC 9605), in the layout that Documentation/Rill.docc/EndToEndEncryption.md
// describes. The page makes one FrameEncryption; the frames pass a worker, which is this file too.
//
//   if (FrameEncryption.missing) throw new Error(FrameEncryption.missing);
//   const encryption = await FrameEncryption.create(secret, room);
//   encryption.seal(transceiver.sender);
//   encryption.open(transceiver.receiver, mid);
//   encryption.addEventListener('opening', ({ detail: { mid, isOpened, reason } }) => …);
//
// The secret leaves neither the browser nor, once the worker has it, the worker.

const bytesOf = (text) => new TextEncoder().encode(text);
const join = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((offset, part) => { all.set(part, offset); return offset + part.length; }, 0);
  return all;
};
const big = (value, count) => Uint8Array.from({ length: count }, (_, place) => Number((BigInt(value) >> BigInt(8 * (count - 1 - place))) & 255n));

/// The suites of AES-GCM by their numbers: the hash of the key derivation, and the bytes of a key.
const suites = { 4: ['SHA-256', 16], 5: ['SHA-512', 32] };
const tagSize = 16;
const windowSize = 1024n;
/// The most keys that are kept: eight epochs each of seventeen members.
const mostKeys = 136;

async function expand(key, hash, info, count) {
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'HKDF', hash, salt: new Uint8Array(), info }, key, 8 * count));
}
const material = (bytes, name, uses = ['deriveBits']) => crypto.subtle.importKey('raw', bytes, name, false, uses);

/// What a room's keys are derived from: PBKDF2 with 600,000 rounds, a quarter of a second.
export async function roomKey(secret, room) {
  const salt = bytesOf(`Rill SFrame 1 room ${room}`);
  const typed = await material(bytesOf(secret), 'PBKDF2');
  return material(await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 600_000 }, typed, 256), 'HKDF');
}

/// The cipher's key and the salt of a KID.
async function frameKey(room, kid, suite) {
  const [hash, count] = suites[suite];
  const base = await material(await expand(room, 'SHA-256', join(bytesOf('Rill SFrame 1 key '), big(kid, 8)), 32), 'HKDF');
  const info = (label) => join(bytesOf(`SFrame 1.0 Secret ${label} `), big(kid, 8), big(suite, 2));
  const key = await material(await expand(base, hash, info('key'), count), 'AES-GCM', ['encrypt', 'decrypt']);
  return { key, salt: await expand(base, hash, info('salt'), 12), newest: undefined, seen: new Set() };
}

function field(value) {
  if (value < 8n) return [Number(value), new Uint8Array()];
  const count = Math.ceil(value.toString(16).length / 2);
  return [8 | (count - 1), big(value, count)];
}

function parameters({ salt }, counter, header, head) {
  const iv = salt.map((byte, place) => (place < 4 ? byte : byte ^ Number((counter >> BigInt(8 * (11 - place))) & 255n)));
  return { name: 'AES-GCM', iv, additionalData: join(header, head), tagLength: 8 * tagSize };
}

/// Seals a member's frames: of all its tracks, so that no counter is used twice.
export class Sealer {
  #room; #suite; #kid; #counter; #key;

  constructor(room, suite = 4, kid = crypto.getRandomValues(new BigUint64Array(1))[0] & ~7n, counter = 0n) {
    [this.#room, this.#suite, this.#kid, this.#counter] = [room, suite, kid, counter];
  }

  get kid() { return this.#kid; }

  async seal(frame, clearCount) {
    const counter = this.#counter;
    this.#counter += 1n;
    this.#key ??= frameKey(this.#room, this.#kid, this.#suite);
    const head = frame.subarray(0, clearCount);
    const [[idBits, id], [counterBits, number]] = [field(this.#kid), field(counter)];
    const header = join([idBits << 4 | counterBits], id, number);
    const options = parameters(await this.#key, counter, header, head);
    const sealed = await crypto.subtle.encrypt(options, (await this.#key).key, frame.subarray(clearCount));
    return join(head, header, new Uint8Array(sealed), [head.length === clearCount ? 0 : head.length]);
  }
}

/// Opens others' frames. What cannot be opened has a `reason`.
export class Opener {
  #room; #suite; #own; #keys = new Map();

  constructor(room, suite = 4, own = undefined) { [this.#room, this.#suite, this.#own] = [room, suite, own]; }

  async open(bytes, clearCount) {
    const last = bytes.at(-1);
    if (!(last < clearCount)) return { reason: 'unknownLayout' };
    const headSize = last === 0 ? clearCount : last;
    let offset = headSize + 1;
    const first = bytes[headSize];
    const read = (bits) => {
      if (bits < 8) return BigInt(bits);
      const part = bytes.subarray(offset, offset += (bits & 7) + 1);
      const value = part.reduce((sum, byte) => sum << 8n | BigInt(byte), 0n);
      return part.length === (bits & 7) + 1 && part[0] !== 0 && value > 7n ? value : undefined;
    };
    const [kid, counter] = [read(first >> 4), read(first & 15)];
    const size = bytes.length - 1 - offset - tagSize;
    if (kid === undefined || counter === undefined || !(size >= 0) || (last !== 0 && size > 0)) return { reason: 'malformed' };
    if (this.#own !== undefined && kid >> 3n === this.#own >> 3n) return { reason: 'reflected' };
    const known = this.#keys.get(kid);
    const key = known ?? await frameKey(this.#room, kid, this.#suite);
    if (key.newest !== undefined && counter + windowSize <= key.newest) return { reason: 'tooOld' };
    if (key.seen.has(counter)) return { reason: 'replayed' };
    const [head, header] = [bytes.subarray(0, headSize), bytes.subarray(headSize, offset)];
    let text;
    try {
      text = await crypto.subtle.decrypt(parameters(key, counter, header, head), key.key, bytes.subarray(offset, -1));
    } catch {
      return { reason: 'wrongKey' };
    }
    // Another track's frame may have come meanwhile.
    const kept = known ?? this.#keys.get(kid) ?? key;
    if (kept.seen.has(counter)) return { reason: 'replayed' };
    this.#keep(kid, kept, counter);
    return { frame: join(head, new Uint8Array(text)) };
  }

  #keep(kid, key, counter) {
    // The key that was used last is at the end.
    this.#keys.delete(kid);
    this.#keys.set(kid, key);
    if (this.#keys.size > mostKeys) this.#keys.delete(this.#keys.keys().next().value);
    key.seen.add(counter);
    if (key.newest === undefined || counter > key.newest) key.newest = counter;
    if (key.seen.size > 2 * Number(windowSize)) {
      for (const old of key.seen) if (old + windowSize <= key.newest) key.seen.delete(old);
    }
  }
}

/// The page's side.
export class FrameEncryption extends EventTarget {
  #worker;

  /// What the browser lacks, as a sentence; undefined if nothing.
  static get missing() {
    if (!globalThis.crypto?.subtle) return 'Encryption needs a page over HTTPS, or from localhost.';
    return globalThis.RTCRtpScriptTransform ? undefined : 'This browser cannot encrypt from end to end (RTCRtpScriptTransform).';
  }

  /// Encryption by a secret that all members of the room have. bits: 128 or 256, the same for all.
  static async create(secret, room, bits = 128) {
    if (FrameEncryption.missing) throw new Error(FrameEncryption.missing);
    if (!secret) throw new Error('The secret is empty.');
    const encryption = new FrameEncryption();
    const worker = new Worker(import.meta.url, { type: 'module' });
    encryption.#worker = worker;
    await new Promise((resolve, reject) => {
      worker.addEventListener('error', () => reject(new Error('The encryption does not start.')));
      worker.addEventListener('message', ({ data }) => {
        if (data === 'ready') return resolve();
        return encryption.dispatchEvent(new CustomEvent('opening', { detail: data }));
      });
      worker.postMessage({ secret, room, suite: bits === 256 ? 5 : 4 });
    });
    return encryption;
  }

  seal(sender) { sender.transform = new RTCRtpScriptTransform(this.#worker, { side: 'seal' }); }
  /// mid: names the receiver in `opening`.
  open(receiver, mid) { receiver.transform = new RTCRtpScriptTransform(this.#worker, { side: 'open', mid }); }
  end() { this.#worker.terminate(); }
}

// MARK: The worker

const clearCount = (frame) => (typeof RTCEncodedVideoFrame !== 'undefined' && frame instanceof RTCEncodedVideoFrame ? 10 : 1);

function serve(ready) {
  self.onrtctransform = ({ transformer }) => {
    const { side, mid } = transformer.options;
    const transform = side === 'seal' ? sealing(ready) : opening(ready, mid, transformer);
    transformer.readable.pipeThrough(new TransformStream({ transform })).pipeTo(transformer.writable).catch(() => {});
  };
}

function sealing(ready) {
  return async (frame, controller) => {
    if (frame.data.byteLength === 0) return;
    const { sealer } = await ready;
    frame.data = (await sealer.seal(new Uint8Array(frame.data), clearCount(frame))).buffer;
    controller.enqueue(frame);
  };
}

function opening(ready, mid, transformer) {
  let [isOpened, awaitsKey, next, delay] = [undefined, false, 0, 300];
  return async (frame, controller) => {
    const { opener } = await ready;
    const { frame: bytes, reason } = await opener.open(new Uint8Array(frame.data), clearCount(frame));
    const isSurplus = reason === 'replayed' || reason === 'reflected';
    if (!isSurplus && isOpened !== !reason) {
      isOpened = !reason;
      postMessage({ mid, isOpened, reason });
    }
    if (reason) {
      awaitsKey ||= !isSurplus;
      return;
    }
    if (awaitsKey && frame.type === 'delta') {
      // What it refers to was not opened. The request is repeated, at last every four seconds.
      if (performance.now() < next) return;
      [next, delay] = [performance.now() + delay, Math.min(2 * delay, 4000)];
      transformer.sendKeyFrameRequest?.().catch(() => {});
      return;
    }
    [awaitsKey, next, delay] = [false, 0, 300];
    frame.data = bytes.buffer;
    controller.enqueue(frame);
  };
}

if (typeof DedicatedWorkerGlobalScope !== 'undefined' && self instanceof DedicatedWorkerGlobalScope) {
  let start;
  serve(new Promise((resolve) => { start = resolve; }));
  self.addEventListener('message', async ({ data: { secret, room, suite } }) => {
    const key = await roomKey(secret, room);
    const sealer = new Sealer(key, suite);
    start({ sealer, opener: new Opener(key, suite, sealer.kid) });
    postMessage('ready');
  });
}
