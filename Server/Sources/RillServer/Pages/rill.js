// WHIP (RFC 9725) and WHEP in a page, and what the pages share.

/// The token for the server: it comes behind the # of the page's address, which no server sees.
const token = (() => {
  const given = new URLSearchParams(location.hash.slice(1)).get('token');
  if (given) sessionStorage.setItem('token', given);
  return given ?? sessionStorage.getItem('token');
})();

export const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/// A request to the server that belongs to the page.
export async function request(method, path, { type, body, headers = {}, ...more } = {}) {
  const all = { ...headers };
  if (token) all.Authorization = `Bearer ${token}`;
  if (type) all['Content-Type'] = type;
  return fetch(path, { method, body, headers: all, cache: 'no-store', ...more });
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

/// Keeps a stream published or watched: connects, and connects anew when the connection or the server is gone.
export class Connection {
  #kind; #name; #prepare; #tell;
  #peer; #session; #etag; #isWanted = false; #round = 0; #comesBack = false;

  /// kind: 'whip' or 'whep'; prepare(peer) adds what is sent or received; tell(text, isBad) shows how it goes.
  constructor(kind, name, prepare, tell) {
    [this.#kind, this.#name, this.#prepare, this.#tell] = [kind, name, prepare, tell];
    addEventListener('pagehide', () => this.stop());
  }

  get peer() { return this.#peer; }
  get isConnected() { return this.#peer?.connectionState === 'connected'; }

  async start() {
    [this.#isWanted, this.#comesBack] = [true, false];
    const round = ++this.#round;
    let pause = 250;
    while (this.#isCurrent(round)) {
      try {
        await this.#connect();
        pause = 250;
        await this.#watchOver(round);
      } catch (error) {
        if (!this.#isCurrent(round)) break;
        this.#tell(error.message, error instanceof Refused);
        if (error instanceof Refused) this.#isWanted = false;
      }
      this.#close(this.#isCurrent(round));
      if (!this.#isCurrent(round)) break;
      await wait(pause);
      pause = Math.min(2 * pause, 2000);
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

  async #connect() {
    this.#tell('Connecting …');
    const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle' });
    this.#peer = peer;
    const waiting = [];
    peer.onicecandidate = ({ candidate }) => {
      if (!candidate?.candidate) return;
      if (this.#session) this.#trickle([candidate]); else waiting.push(candidate);
    };
    await this.#prepare(peer);
    await peer.setLocalDescription();
    // Who comes back does not take the stream from somebody else.
    const headers = this.#comesBack && this.#kind === 'whip' ? { 'If-None-Match': '*' } : {};
    const response = await request('POST', `/${this.#kind}/${encodeURIComponent(this.#name)}`, {
      type: 'application/sdp', body: peer.localDescription.sdp, headers,
    });
    if (response.status === 412) throw new Refused('Somebody else publishes this stream now.');
    if (response.status === 404) throw new Error('Nobody publishes this stream yet: waiting for it.');
    if (response.status >= 500) throw new Error(`The server cannot take this stream now: ${await reason(response)}`);
    if (!response.ok) throw new Refused(await reason(response));
    this.#session = response.headers.get('Location');
    this.#etag = response.headers.get('ETag');
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
    let server;
    let silent = 0;
    while (this.#isCurrent(round)) {
      await wait(500);
      if (['failed', 'closed'].includes(peer.connectionState)) throw new Error('The connection is lost: connecting again …');
      const health = await request('HEAD', '/healthz', { signal: AbortSignal.timeout(2000) }).catch(() => null);
      silent = health?.ok ? 0 : silent + 1;
      if (silent > 1) throw new Error('The server does not answer: trying again …');
      const instance = health?.headers.get('ETag');
      if (instance && server && instance !== server) throw new Error('The server was restarted: connecting again …');
      server = instance ?? server;
    }
  }

  #close(tellsServer) {
    this.#peer?.close();
    if (this.#session && tellsServer) request('DELETE', this.#session, { keepalive: true }).catch(() => {});
    [this.#peer, this.#session, this.#etag] = [];
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

/// Shows how it goes.
export function show(text, isBad = false) {
  const status = document.getElementById('status');
  status.textContent = text;
  status.classList.toggle('bad', isBad);
}
