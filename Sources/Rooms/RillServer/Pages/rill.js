// WHIP (RFC 9725) and WHEP in a page, and what the pages share.

/// The token for the server: it comes behind the # of the page's address, which no server sees.
const token = (() => {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) sessionStorage.setItem('token', given);
  return given ?? sessionStorage.getItem('token');
})();

export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/// Waits, at most until the network is there again: then it is true.
const pause = (milliseconds) => new Promise((resolve) => {
  const end = (isOnline) => {
    clearTimeout(timer);
    removeEventListener('online', back);
    resolve(isOnline);
  };
  const back = () => end(true);
  const timer = setTimeout(end, milliseconds, false);
  addEventListener('online', back);
});

/// A request to the server that belongs to the page. One that is lost with the network fails when its time is over.
export async function request(method, path, { type, body, headers = {}, timeout = 10_000, ...more } = {}) {
  const all = { ...headers };
  if (token) all.Authorization = `Bearer ${token}`;
  if (type) all['Content-Type'] = type;
  const signal = AbortSignal.timeout(timeout);
  return fetch(path, { method, body, headers: all, cache: 'no-store', signal, ...more });
}

/// Why the server refused, in its own words.
export async function reason(response) {
  try {
    const problem = await response.json();
    return problem.detail ?? problem.title ?? `status ${response.status}`;
  } catch {
    return `status ${response.status}`;
  }
}

/// What will not become better by trying again.
class Refused extends Error {}

/// The server has asked for a pause, in ms.
class Busy extends Error {
  constructor(text, response) {
    super(text);
    this.pause = 1000 * Math.min(Number(response.headers.get('Retry-After')) || 0, 60);
  }
}

/// How many bytes a connection has received.
async function received(peer) {
  return [...(await peer.getStats()).values()].reduce((sum, { type, bytesReceived }) =>
    type === 'transport' ? sum + (bytesReceived ?? 0) : sum, 0);
}

/// Whether the server has closed the connection: by DTLS, which connectionState does not tell of ('closed' is for our own end).
const isEnded = (peer) => ['failed', 'closed'].includes(peer.connectionState)
  || [...peer.getSenders(), ...peer.getReceivers()].some(({ transport }) => transport?.state === 'closed');

/// Another window of this page, for connections that know the machine's addresses as they are now.
///
/// Chromium gathers from a list that it keeps for each window, and learns 3 s late that a network is back.
function freshWindow() {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  // Firefox replaces the window until then.
  const isLoaded = new Promise((resolve) => frame.addEventListener('load', resolve));
  document.body.append(frame);
  return { frame, isLoaded: Promise.race([isLoaded, wait(1000)]) };
}

/// Keeps a stream published or watched: connects, and reconnects when the connection or the server is gone.
export class Connection {
  #kind; #name; #prepare; #tell;
  #peer; #frame; #session; #etag; #isWanted = false; #round = 0;
  // The entity tag of the last session, and how long the answer to its offer took, in ms.
  #former; #took; #comesBack = false;

  /// kind: 'whip' or 'whep'; prepare(peer) adds what is sent or received; tell(text, isBad) shows how it goes.
  constructor(kind, name, prepare, tell) {
    [this.#kind, this.#name, this.#prepare, this.#tell] = [kind, name, prepare, tell];
    addEventListener('pagehide', () => this.stop());
  }

  get peer() { return this.#peer; }
  get isConnected() { return this.#peer?.connectionState === 'connected'; }

  async start() {
    [this.#isWanted, this.#comesBack, this.#former] = [true, false, undefined];
    const round = ++this.#round;
    let delay = 0;
    let isAgain = false;
    while (this.#isCurrent(round)) {
      let asked = 0;
      try {
        await this.#connect(isAgain);
        delay = 0;
        await this.#watchOver(round);
      } catch (error) {
        if (!this.#isCurrent(round)) break;
        this.#tell(error.message, error instanceof Refused);
        if (error instanceof Refused) this.#isWanted = false;
        asked = error.pause ?? 0;
        // An attempt that has taken all of its time was a pause by itself.
        if (error.name === 'TimeoutError') delay = 0;
      }
      this.#close(this.#isCurrent(round));
      isAgain = true;
      if (!this.#isCurrent(round)) break;
      // At once, and then at most a second apart: the page is back soon after its network.
      await pause(Math.max(delay, asked));
      delay = Math.min(Math.max(2 * delay, 250), 1000);
    }
  }

  stop() {
    this.#isWanted = false;
    this.#round += 1;
    this.#close(true);
  }

  /// Chooses what a viewer gets; null for what the network carries.
  async select(layer) {
    if (!this.#session) return;
    const body = JSON.stringify({ encodingId: layer });
    const response = await request('POST', `${this.#session}/layer`, { type: 'application/json', body });
    if (!response.ok) this.#tell(await reason(response), true);
  }

  #isCurrent(round) { return this.#isWanted && round === this.#round; }

  async #connect(isAgain) {
    this.#tell('Connecting …');
    if (isAgain) {
      const { frame, isLoaded } = freshWindow();
      this.#frame = frame;
      await isLoaded;
    }
    const { RTCPeerConnection } = this.#frame?.contentWindow ?? window;
    const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
    this.#peer = peer;
    const waiting = [];
    peer.onicecandidate = ({ candidate }) => {
      if (!candidate?.candidate) return;
      if (this.#session) this.#trickle([candidate]); else waiting.push(candidate);
    };
    await this.#prepare(peer);
    await peer.setLocalDescription();
    // Who comes back replaces its own session, and does not take the stream from somebody else.
    const headers = {};
    if (this.#comesBack && this.#kind === 'whip') {
      Object.assign(headers, this.#former ? { 'If-Match': this.#former } : { 'If-None-Match': '*' });
    }
    const begin = performance.now();
    const response = await request('POST', `/${this.#kind}/${encodeURIComponent(this.#name)}`, {
      type: 'application/sdp', body: peer.localDescription.sdp, headers,
      // A server that has answered is known to be quicker than the time for any.
      timeout: this.#took === undefined ? 10_000 : Math.min(Math.max(4 * this.#took, 2000), 10_000),
    });
    if (response.status === 412) throw new Refused('Somebody else publishes this stream now.');
    if (response.status === 404) throw new Error('Nobody publishes this stream yet: waiting for it.');
    if (response.status >= 500 || response.status === 429) {
      throw new Busy(`The server cannot take this stream now: ${await reason(response)}`, response);
    }
    if (!response.ok) throw new Refused(await reason(response));
    this.#took = performance.now() - begin;
    this.#session = response.headers.get('Location');
    this.#etag = response.headers.get('ETag');
    this.#former = this.#etag?.startsWith('"') ? this.#etag : undefined;
    this.#comesBack = true;
    await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
    if (waiting.length) this.#trickle(waiting);
  }

  /// Tells the server the addresses that were found after the offer (RFC 8840).
  async #trickle(candidates) {
    const lines = this.#peer.localDescription.sdp.split('\r\n');
    const find = (start) => lines.find((line) => line.startsWith(start)) ?? '';
    const body = [
      find('a=ice-ufrag:'), find('a=ice-pwd:'), find('m='), `a=mid:${candidates[0].sdpMid ?? 0}`,
      ...candidates.map(({ candidate }) => `a=${candidate}`), '',
    ].join('\r\n');
    const headers = this.#etag ? { 'If-Match': this.#etag } : {};
    await request('PATCH', this.#session, { type: 'application/trickle-ice-sdpfrag', body, headers }).catch(() => {});
  }

  /// Returns when the connection has failed, or the server is another one.
  async #watchOver(round) {
    const peer = this.#peer;
    const begin = performance.now();
    // A publisher gets reports all the time, a viewer maybe nothing but answers to its checks.
    const longest = this.#kind === 'whip' ? 500 : 3000;
    let server;
    let silent = 0;
    let [gap, bytes] = [];
    while (this.#isCurrent(round)) {
      const isOnline = await pause(gap === undefined ? 500 : 250);
      if (isEnded(peer)) throw new Error('The connection is lost: connecting again …');
      // Any response will do.
      const health = await request('HEAD', '/healthz', { timeout: 1500 }).catch(() => null);
      // The connection is kept: after a short outage it goes on by itself, sooner than another one could begin.
      silent = health ? 0 : silent + 1;
      if (silent > 1) this.#tell('The server does not answer: waiting for it …');
      const instance = health?.headers.get('ETag');
      if (instance && server && instance !== server) throw new Error('The server was restarted: connecting again …');
      server = instance ?? server;

      // Where the network has changed, the browser finds out late that its addresses are gone. So something must arrive soon.
      const now = performance.now();
      const state = peer.connectionState;
      if (state !== 'connected' && state !== 'disconnected') {
        if (now - begin > 10_000) throw new Error('No path to the server: trying again …');
        continue;
      }
      const total = await received(peer);
      if (!health || isOnline || (gap === undefined && state === 'disconnected')) {
        [gap, bytes] = [now, total];
      } else if (gap !== undefined) {
        if (total > bytes) gap = undefined;
        else if (now - gap > longest) throw new Error('The path is lost: connecting again …');
      }
    }
  }

  #close(tellsServer) {
    this.#peer?.close();
    this.#frame?.remove();
    if (this.#session && tellsServer) request('DELETE', this.#session, { keepalive: true }).catch(() => {});
    [this.#peer, this.#frame, this.#session, this.#etag] = [];
  }
}

/// Rates from counters: call it with an object of numbers that only grow, as often as you like.
export class Rates {
  #last = new Map();

  of(key, counters) {
    const now = performance.now();
    const last = this.#last.get(key);
    this.#last.set(key, { now, counters });
    const seconds = last ? (now - last.now) / 1000 : 0;
    return Object.fromEntries(Object.entries(counters).map(([name, value]) => {
      const grown = value - (last?.counters[name] ?? value);
      return [name, seconds > 0 && grown >= 0 ? grown / seconds : 0];
    }));
  }
}

/// Tells whether a counter stands still, such as that of frames.
export class Standstill {
  #value; #since;

  /// Whether it has not grown for 2 s. Called each second, it tells within 3 s.
  of(value) {
    const now = performance.now();
    if (value !== this.#value) [this.#value, this.#since] = [value, now];
    return now - this.#since >= 2000;
  }
}

/// Shows how it goes.
export function show(text, isBad = false) {
  const status = document.getElementById('status');
  status.textContent = text;
  status.classList.toggle('bad', isBad);
}

/// Shows another text if this one is shown now.
export function replace(text, other) {
  if (document.getElementById('status').textContent === text) show(other);
}
