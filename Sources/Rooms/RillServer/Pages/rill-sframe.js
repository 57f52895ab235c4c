// End-to-end encryption of a page's frames: SFrame (RFC 9605), in the layout that
// Documentation/Rill.docc/EndToEndEncryption.md describes. The page makes one FrameEncryption for each room that it joins:
// one does not open what it sealed itself. The frames pass a worker, which is this file too.
//
//   if (FrameEncryption.missing) throw new Error(FrameEncryption.missing);
//   const encryption = await FrameEncryption.create(secret, room);
//   encryption.seal(transceiver.sender);
//   encryption.open(transceiver.receiver, mid);
//   encryption.addEventListener('opening', ({ detail: { mid, isOpened, reason } }) => …);
//
// The secret leaves neither the browser nor, once the worker has it, the worker. When somebody must no longer read, the
// app gives all others another secret: `await encryption.change(secret)`, and `encryption.removeFormerKeys()` two
// seconds later.

const bytesOf = (text) => new TextEncoder().encode(text);
const join = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((offset, part) => { all.set(part, offset); return offset + part.length; }, 0);
  return all;
};
const big = (value, count) => Uint8Array.from({ length: count },
  (_, place) => Number((BigInt(value) >> BigInt(8 * (count - 1 - place))) & 255n));

/// The suites of AES-GCM by their numbers: the hash of the key derivation, and the bytes of a key.
const suites = { 4: ['SHA-256', 16], 5: ['SHA-512', 32] };
const tagSize = 16;
const windowSize = 1024n;
/// The most keys that are kept: eight epochs each of seventeen members.
const mostKeys = 136;

async function expand(key, hash, info, count) {
  const options = { name: 'HKDF', hash, salt: new Uint8Array(), info };
  return new Uint8Array(await crypto.subtle.deriveBits(options, key, 8 * count));
}
const material = (bytes, name, uses = ['deriveBits']) => crypto.subtle.importKey('raw', bytes, name, false, uses);

/// What a room's keys are derived from: PBKDF2 with 600,000 rounds, a quarter of a second.
export async function roomKey(secret, room) {
  const salt = bytesOf(`Rill SFrame 1 room ${room}`);
  // An umlaut is one letter, whether a keyboard sends one character or two.
  const typed = await material(bytesOf(secret.normalize('NFC')), 'PBKDF2');
  const options = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 600_000 };
  return material(await crypto.subtle.deriveBits(options, typed, 256), 'HKDF');
}

/// The cipher's key and the salt of a KID.
async function frameKey(room, kid, suite) {
  const [hash, count] = suites[suite];
  const name = join(bytesOf('Rill SFrame 1 key '), big(kid, 8));
  const base = await material(await expand(room, 'SHA-256', name, 32), 'HKDF');
  const info = (label) => join(bytesOf(`SFrame 1.0 Secret ${label} `), big(kid, 8), big(suite, 2));
  const key = await material(await expand(base, hash, info('key'), count), 'AES-GCM', ['encrypt', 'decrypt']);
  return { key, salt: await expand(base, hash, info('salt'), 12), room, newest: undefined, seen: new Set() };
}

function field(value) {
  if (value < 8n) return [Number(value), new Uint8Array()];
  const count = Math.ceil(value.toString(16).length / 2);
  return [8 | (count - 1), big(value, count)];
}

function parameters({ salt }, counter, header, head) {
  const number = join(new Uint8Array(4), big(counter, 8));
  const iv = salt.map((byte, place) => byte ^ number[place]);
  return { name: 'AES-GCM', iv, additionalData: join(header, head), tagLength: 8 * tagSize };
}

/// Seals a member's frames: of all its tracks, so that no counter is used twice.
export class Sealer {
  #room; #suite; #kid; #counter; #key;

  constructor(room, suite = 4, kid = crypto.getRandomValues(new BigUint64Array(1))[0] & ~7n, counter = 0n) {
    [this.#room, this.#suite, this.#kid, this.#counter] = [room, suite, kid, counter];
  }

  get kid() { return this.#kid; }

  /// Goes on with the key of the next epoch: of another secret's, if there is one.
  rotate(room = this.#room) {
    [this.#room, this.#kid, this.#key] = [room, (this.#kid & ~7n) | ((this.#kid + 1n) & 7n), undefined];
  }

  async seal(frame, clearCount) {
    const [kid, counter] = [this.#kid, this.#counter];
    this.#counter += 1n;
    this.#key ??= frameKey(this.#room, kid, this.#suite);
    // Awaited by all frames that need it; the next one's may be another.
    const key = await this.#key;
    const head = frame.subarray(0, clearCount);
    const [[idBits, id], [counterBits, number]] = [field(kid), field(counter)];
    const header = join([idBits << 4 | counterBits], id, number);
    const options = parameters(key, counter, header, head);
    const sealed = await crypto.subtle.encrypt(options, key.key, frame.subarray(clearCount));
    return join(head, header, new Uint8Array(sealed), [head.length === clearCount ? 0 : head.length]);
  }
}

/// Opens others' frames. What cannot be opened has a `reason`.
export class Opener {
  #room; #suite; #own; #keys = new Map();

  constructor(room, suite = 4, own = undefined) { [this.#room, this.#suite, this.#own] = [room, suite, own]; }

  /// Opens with the keys of another secret, and frames that are still on their way with the former ones.
  change(room) { this.#room = room; }

  /// Drops the keys from before the last change.
  removeFormerKeys() {
    for (const [kid, { room }] of this.#keys) if (room !== this.#room) this.#keys.delete(kid);
  }

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
    const isWhole = size >= 0 && (last === 0 || size === 0);
    if (kid === undefined || counter === undefined || !isWhole) return { reason: 'malformed' };
    if (this.#own !== undefined && kid >> 3n === this.#own >> 3n) return { reason: 'reflected' };
    const [head, header] = [bytes.subarray(0, headSize), bytes.subarray(headSize, offset)];
    const text = bytes.subarray(offset, -1);

    const known = this.#keys.get(kid);
    let refusal;
    if (known) {
      const reason = staleness(known, counter) ?? await this.#decrypt(kid, known, counter, header, head, text);
      if (typeof reason !== 'string') return reason;
      // The KID may come again with another secret's key.
      if (known.room === this.#room) return { reason };
      refusal = reason;
    }
    const opened = await this.#decrypt(kid, await frameKey(this.#room, kid, this.#suite), counter, header, head, text);
    return typeof opened === 'string' ? { reason: refusal ?? opened } : opened;
  }

  async #decrypt(kid, key, counter, header, head, text) {
    let frame;
    try {
      frame = await crypto.subtle.decrypt(parameters(key, counter, header, head), key.key, text);
    } catch {
      return 'wrongKey';
    }
    // Another track's frame may have come meanwhile.
    const present = this.#keys.get(kid);
    const kept = present?.room === key.room ? present : key;
    const reason = staleness(kept, counter);
    if (reason) return reason;
    this.#keep(kid, kept, counter);
    return { frame: join(head, new Uint8Array(frame)) };
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

/// Why a counter is not taken; undefined if it is.
function staleness({ newest, seen }, counter) {
  if (newest !== undefined && counter + windowSize <= newest) return 'tooOld';
  return seen.has(counter) ? 'replayed' : undefined;
}

/// The page's side.
export class FrameEncryption extends EventTarget {
  #worker; #room; #count = 0; #waiting = new Map();

  /// What the browser lacks, as a sentence; undefined if nothing.
  static get missing() {
    if (!globalThis.crypto?.subtle) return 'Encryption needs a page over HTTPS, or from localhost.';
    if (globalThis.RTCRtpScriptTransform) return undefined;
    return 'This browser cannot encrypt from end to end (RTCRtpScriptTransform).';
  }

  /// Encryption by a secret that all members of the room have. bits: 128 or 256, the same for all.
  ///
  /// A secret that somebody made up is weak: a server that records a frame tries words until one opens it. Four words
  /// drawn by dice are not, and neither is `FrameEncryption.generateSecret()`, for a link.
  static async create(secret, room, bits = 128) {
    if (FrameEncryption.missing) throw new Error(FrameEncryption.missing);
    if (!secret) throw new Error('The secret is empty.');
    if (bits !== 128 && bits !== 256) throw new Error(`Keys have 128 or 256 bits, not ${bits}.`);
    const encryption = new FrameEncryption();
    const worker = new Worker(import.meta.url, { type: 'module' });
    [encryption.#worker, encryption.#room] = [worker, room];
    const fail = new Promise((_, reject) => {
      worker.addEventListener('error', () => reject(new Error('The encryption does not start.')));
    });
    worker.addEventListener('message', ({ data: { id, ...detail } }) => {
      if (id === undefined) return encryption.dispatchEvent(new CustomEvent('opening', { detail }));
      encryption.#waiting.get(id)?.(detail.answer);
      return encryption.#waiting.delete(id);
    });
    await Promise.race([encryption.#ask({ secret, room, suite: bits === 256 ? 5 : 4 }), fail]);
    return encryption;
  }

  /// A sentence about a secret that is easily guessed; undefined for one that may not be.
  static weakness(secret) {
    if (!secret || secret.length >= 16) return undefined;
    return 'Who runs the server can guess a short secret, and then read everything. Use four words drawn by dice.';
  }

  /// A secret of 132 bits: 22 letters, digits, - and _.
  static generateSecret() {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return Array.from(crypto.getRandomValues(new Uint8Array(22)), (byte) => alphabet[byte & 63]).join('');
  }

  seal(sender) { sender.transform = new RTCRtpScriptTransform(this.#worker, { side: 'seal' }); }
  /// mid: names the receiver in `opening`.
  open(receiver, mid) { receiver.transform = new RTCRtpScriptTransform(this.#worker, { side: 'open', mid }); }
  end() { this.#worker.terminate(); }

  /// Goes on with the key of the next epoch, from the next frame on. No frame is lost by it.
  async rotate() { await this.#ask({ type: 'rotate' }); }
  /// Goes on with another secret. Frames that are still on their way open with the former one.
  async change(secret) {
    if (!secret) throw new Error('The secret is empty.');
    await this.#ask({ type: 'change', secret, room: this.#room });
  }
  /// Drops the keys from before the last change: when all members have the new secret, say after two seconds.
  async removeFormerKeys() { await this.#ask({ type: 'removeFormerKeys' }); }
  /// How many frames were sealed and opened; how many were not, by reason; how many key frames were requested.
  async getStats() { return this.#ask({ type: 'stats' }); }

  #ask(message) {
    const id = ++this.#count;
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    this.#worker.postMessage({ id, ...message });
    return answer;
  }
}

// MARK: The worker

/// Frames of 16 x 16 black pixels, which browsers decode in place of those that cannot be opened: without any they
/// request key frames, four a second, which could not be opened either.
const placeholders = new Map([
  ['video/vp8', '1002009d012a100010000047088585888584880202000c0d6000feffab5080'],
  ['video/vp9', '824983420000f000f60038241c184200003060000010bffffd8b2a0000'],
].map(([type, text]) => [type, Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16))]));
const placeholder = (frame) => placeholders.get(frame.getMetadata().mimeType?.toLowerCase())?.slice().buffer;

const isPicture = (frame) => typeof RTCEncodedVideoFrame !== 'undefined' && frame instanceof RTCEncodedVideoFrame;
const clearCount = (frame) => (isPicture(frame) ? 10 : 1);
const counts = { sealed: 0, opened: 0, keyFrameRequests: 0 };
const count = (what) => { counts[what] = (counts[what] ?? 0) + 1; };

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
    count('sealed');
    controller.enqueue(frame);
  };
}

export function opening(ready, mid, transformer) {
  let [isOpened, awaitsKey, next, delay] = [undefined, false, 0, 300];
  /// The RTP timestamps of the newest frames that were opened.
  const newest = [];
  /// Shows nothing instead of the frame.
  const hide = (frame, controller) => {
    const data = isPicture(frame) && placeholder(frame);
    if (!data) return;
    frame.data = data;
    controller.enqueue(frame);
  };
  return async (frame, controller) => {
    // Packets of nothing but padding are frames too.
    if (frame.data.byteLength === 0) return undefined;
    const { opener } = await ready;
    const { frame: bytes, reason } = await opener.open(new Uint8Array(frame.data), clearCount(frame));
    // A packet that came twice is a frame that comes twice, in some browsers.
    if (reason === 'replayed' && newest.includes(frame.timestamp)) return count('duplicates');
    count(reason ?? 'opened');
    const isSurplus = reason === 'replayed' || reason === 'reflected';
    if (!isSurplus && isOpened !== !reason) {
      isOpened = !reason;
      postMessage({ mid, isOpened, reason });
    }
    if (reason) {
      // One that somebody repeated too: what follows it refers to the placeholder now.
      awaitsKey = true;
      return hide(frame, controller);
    }
    if (newest.push(frame.timestamp) > 64) newest.shift();
    if (awaitsKey && frame.type === 'delta') {
      // What it refers to was not opened. The request is repeated, at last every four seconds.
      if (performance.now() >= next) {
        [next, delay] = [performance.now() + delay, Math.min(2 * delay, 4000)];
        count('keyFrameRequests');
        transformer.sendKeyFrameRequest?.().catch(() => {});
      }
      return hide(frame, controller);
    }
    [awaitsKey, next, delay] = [false, 0, 300];
    frame.data = bytes.buffer;
    return controller.enqueue(frame);
  };
}

if (typeof DedicatedWorkerGlobalScope !== 'undefined' && self instanceof DedicatedWorkerGlobalScope) {
  let start;
  const ready = new Promise((resolve) => { start = resolve; });
  serve(ready);
  const commands = {
    rotate: ({ sealer }) => sealer.rotate(),
    removeFormerKeys: ({ opener }) => opener.removeFormerKeys(),
    stats: () => counts,
    change: async ({ sealer, opener }, { secret, room }) => {
      const key = await roomKey(secret, room);
      // Others may answer with theirs as soon as they see ours.
      opener.change(key);
      sealer.rotate(key);
    },
  };
  self.addEventListener('message', async ({ data: { id, type, secret, room, suite } }) => {
    if (type) return postMessage({ id, answer: await commands[type](await ready, { secret, room }) });
    const key = await roomKey(secret, room);
    const sealer = new Sealer(key, suite);
    start({ sealer, opener: new Opener(key, suite, sealer.kid) });
    return postMessage({ id });
  });
}
