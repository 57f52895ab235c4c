// A room of a Rill server, for pages: one connection, one offer, and a log that is read on after every cut.
//
//   const room = await Room.join('/rooms', { room: 'lobby', name: 'Anna' });
//   room.addEventListener('change', () => show(room.participants));
//   await room.publish('video', cameraTrack);
//   room.want(uid, 'video', { width: 320, height: 180 });
//   room.addEventListener('slot', ({ detail }) => { video.srcObject = new MediaStream([room.track(detail.uid, 'video')]); });
//   room.chat.send('hello');
//
// Events: `event` (each of the log), `change` (something in the state changed), `slot` (what a section shows), `levels`,
// `connection` (connecting, connected, interrupted), and `ended` with the reason. Errors have the server's `code` and text.

import { Chat } from './rill-chat.js';

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/// What the server has refused.
export class RoomError extends Error {
  constructor({ code, text, ...more }) {
    super(text);
    Object.assign(this, { code, ...more });
  }
}

/// The layers of a camera: the low one fits into 160x120, with 5 frames a second.
const layers = [
  // In this order, and each with a frame rate: Chromium takes the bitrates for those of the smallest layer first.
  { rid: 'low', scaleResolutionDownTo: { maxWidth: 160, maxHeight: 120 }, maxFramerate: 5, maxBitrate: 80_000 },
  { rid: 'high', scaleResolutionDownTo: { maxWidth: 1280, maxHeight: 720 }, maxFramerate: 30, maxBitrate: 1_200_000 },
].map((layer) => ({ ...layer, scalabilityMode: 'L1T1' }));

export class Room extends EventTarget {
  /// Who is there, by number, in the order of their arrival: name, role, presence, and `media` by kind.
  participants = new Map();
  /// The chat: see rill-chat.js.
  chat;
  speaker; uid; state = 'connecting';

  #url; #options; #socket; #peer; #session; #epoch = 0; #number = 0; #count = 0; #request = 0; #timer; #isEnded = false;
  #answers = new Map(); #slots = new Map(); #senders = {}; #tracks = {}; #published = new Map(); #wants = new Map();
  #turns = {};
  #due = new Map();
  /// The sections whose frames cannot be opened.
  #unopened = new Set();

  /// Comes into a room.
  ///
  /// url: of the server's rooms, of this page's origin or another. options: room, name, token, role, attributes;
  /// slots: how many pictures may be shown at a time (16), soundSlots: how many sounds (4), iceServers: instead of
  /// those that the server names, iceTransportPolicy; encryption:
  /// a FrameEncryption of rill-sframe.js, for everything that is sent and shown.
  static async join(url, options) {
    const room = new Room(url, options);
    await room.#enter();
    room.#timer = setInterval(() => room.#live(), 1000);
    return room;
  }

  constructor(url, options) {
    super();
    this.#url = new URL(url, location.href);
    this.#url.protocol = this.#url.protocol.replace('http', 'ws');
    this.#options = { slots: 16, soundSlots: 4, ...options };
    this.chat = new Chat((request) => this.#ask(request), this.#url, `rill-chat ${options.room} ${options.name}`);
    this.#options.encryption?.addEventListener('opening', ({ detail: { mid: place, isOpened } }) => {
      const { mid } = this.#peer.getTransceivers()[place] ?? {};
      if (isOpened) this.#unopened.delete(mid); else this.#unopened.add(mid);
      this.#tell('change');
    });
  }

  // MARK: What a page asks for

  /// The track that shows somebody's `video`, `screen` or `sound` now; undefined for none.
  track(uid, kind) {
    for (const slot of this.#slots.values()) {
      if (slot.uid === uid && slot.kind === kind) return this.#transceiver(slot.mid)?.receiver.track;
    }
    return undefined;
  }

  /// The slot that shows it: its layer, and whether it is paused.
  slot(uid, kind) { return [...this.#slots.values()].find((slot) => slot.uid === uid && slot.kind === kind); }

  /// Whether frames of somebody's come that cannot be opened: there is another secret, or none.
  isUnopened(uid, kind) { return this.#unopened.has(this.slot(uid, kind)?.mid); }

  /// Publishes a track of the kind: 'video', 'screen' or 'sound'.
  async publish(kind, track) {
    this.#tracks[kind] = track;
    await this.#senders[kind].replaceTrack(track);
    this.#published.set(kind, { muted: false });
    await this.#ask({ type: 'publish', kind, mid: this.#mid(kind) });
  }

  async unpublish(kind) {
    this.#published.delete(kind);
    await this.#senders[kind].replaceTrack(null);
    await this.#ask({ type: 'unpublish', kind });
  }

  /// Mutes what is published, or goes on with it. Nothing is sent meanwhile. Of several calls the last one holds.
  async setMuted(kind, muted) {
    this.#published.set(kind, { muted });
    // One after the other: a mute that is still on its way would take the track of the next unmute.
    const former = this.#turns[kind] ?? Promise.resolve();
    this.#turns[kind] = former.catch(() => {}).then(() => this.#mute(kind, muted));
    return this.#turns[kind];
  }

  async #mute(kind, muted) {
    if (muted) await this.#ask({ type: 'mute', kind });
    await this.#senders[kind].replaceTrack(muted ? null : this.#tracks[kind]);
    if (!muted) await this.#ask({ type: 'unmute', kind });
  }

  /// Sends another track, as of another camera, without an offer.
  async replaceTrack(kind, track) {
    this.#tracks[kind] = track;
    if (!this.#published.get(kind)?.muted) await this.#senders[kind].replaceTrack(track);
  }

  /// Wants something of somebody: picture is 'high', 'low', 'none', or the size in which it is shown. Requests leave
  /// together, ten times a second at most.
  want(uid, kind, picture, priority = 0) {
    const wish = typeof picture === 'string' ? { picture } : { width: picture.width, height: picture.height };
    const request = { type: 'want', uid, kind, priority, ...wish };
    const key = `${uid} ${kind}`;
    if (JSON.stringify(this.#wants.get(key)) === JSON.stringify(request)) return;
    this.#wants.set(key, request);
    if (this.#due.size === 0) setTimeout(() => this.#sendWants(), 100);
    this.#due.set(key, request);
  }

  /// What a host may do: mute, unpublish (kind, uid), remove (uid), role (uid, role), lock (locked), close.
  async moderate(type, more = {}) { return this.#ask({ type, ...more }); }

  /// The statistics of the connection.
  async getStats() { return this.#peer.getStats(); }

  /// Leaves: others see it at once.
  leave() { this.#end('left'); }

  // MARK: Coming in, and back

  async #enter() {
    const { room, name, token, role, attributes } = this.#options;
    const [offer] = await Promise.all([this.#connect(), this.#open()]);
    const welcome = await this.#ask({ type: 'join', room, name, token, role, attributes, offer });
    await this.#welcome(welcome);
  }

  /// Makes the one connection, with all its sections, and its offer.
  async #connect() {
    const { iceServers = await this.#iceServers(), iceTransportPolicy } = this.#options;
    this.#peer?.close();
    const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle', iceServers, ...(iceTransportPolicy && { iceTransportPolicy }) });
    this.#peer = peer;
    this.#slots.clear();
    this.#unopened.clear();
    const { encryption } = this.#options;
    const add = (kind, direction, sendEncodings) => {
      const transceiver = peer.addTransceiver(kind, { direction, ...(sendEncodings && { sendEncodings }) });
      if (direction === 'sendonly') encryption?.seal(transceiver.sender);
      else encryption?.open(transceiver.receiver, peer.getTransceivers().indexOf(transceiver));
      // A section with all that a browser has takes 5 kB.
      const wanted = kind === 'audio' ? /\/opus$/i : /\/(vp8|vp9|rtx)$/i;
      transceiver.setCodecPreferences?.(RTCRtpReceiver.getCapabilities(kind).codecs.filter(({ mimeType, sdpFmtpLine }) =>
        wanted.test(mimeType) && !/profile-id=[1-9]/.test(sdpFmtpLine ?? '')));
      return transceiver.sender;
    };
    this.#senders = {
      video: add('video', 'sendonly', layers), sound: add('audio', 'sendonly'), screen: add('video', 'sendonly'),
    };
    for (let index = 0; index < this.#options.slots; index += 1) add('video', 'recvonly');
    for (let index = 0; index < this.#options.soundSlots; index += 1) add('audio', 'recvonly');
    for (const [kind, { muted }] of this.#published) if (!muted) await this.#senders[kind].replaceTrack(this.#tracks[kind]);
    peer.addEventListener('connectionstatechange', () => {
      if (peer === this.#peer && peer.connectionState === 'failed') this.#restart().catch(() => {});
    });
    await peer.setLocalDescription();
    return peer.localDescription.sdp;
  }

  /// The STUN and TURN servers that the server names: without them who is behind a firewall stays out.
  async #iceServers() {
    const url = new URL(`${this.#url.href}/ice-servers`);
    url.protocol = url.protocol.replace('ws', 'http');
    url.searchParams.set('room', this.#options.room);
    const { token } = this.#options;
    const response = await fetch(url, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
    return response.ok ? (await response.json()).iceServers : [];
  }

  async #open() {
    this.#socket?.close();
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => { if (socket === this.#socket) this.#take(JSON.parse(data)); });
    socket.addEventListener('close', () => { if (socket === this.#socket && this.uid) this.#return(); });
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('close', () => reject(new Error('The server does not answer.')), { once: true });
    });
  }

  async #welcome(welcome) {
    [this.uid, this.#session, this.#epoch, this.#number] = [welcome.uid, welcome.session, welcome.epoch, welcome.number];
    this.#count = welcome.count;
    if (welcome.snapshot) this.#restore(welcome.snapshot);
    this.chat.entered(welcome);
    if (welcome.answer) await this.#peer.setRemoteDescription({ type: 'answer', sdp: welcome.answer });
    if (!welcome.media) await this.#negotiate(await this.#connect());
    for (const slot of welcome.slots ?? []) this.#show(slot);
    if (welcome.fresh && this.#published.size + this.#wants.size > 0) {
      for (const [kind, { muted }] of this.#published) await this.#ask({ type: 'publish', kind, mid: this.#mid(kind), muted });
      this.#due = new Map(this.#wants);
      this.#sendWants();
    }
    this.#setState('connected');
    this.#tell('change');
  }

  /// Comes back after a cut: reads on where it was, or joins again where that is not possible any more.
  async #return() {
    if (this.#isEnded || this.state === 'connecting') return;
    this.#setState('connecting');
    for (const { reject } of this.#answers.values()) reject(new Error('The connection was cut.'));
    this.#answers.clear();
    this.chat.interrupted();
    for (let delay = 0; !this.#isEnded; delay = Math.min(Math.max(2 * delay, 250), 2000)) {
      await wait(delay * (0.75 + Math.random() / 2));
      try {
        await this.#open();
        const position = { epoch: this.#epoch, number: this.#number, count: this.#count };
        await this.#welcome(await this.#ask({ type: 'resume', session: this.#session, ...position }));
        if (['failed', 'disconnected'].includes(this.#peer.connectionState)) await this.#restart();
        return;
      } catch (error) {
        const reason = { 440: 'replaced', 441: 'removed' }[error.code];
        if (reason) return void this.#end(reason);
        // The session is over, or of a server before: a new one may be had.
        if ([401, 410].includes(error.code) && await this.#enterAgain()) return;
      }
    }
  }

  /// Whether that is decided: it is in, or is refused.
  async #enterAgain() {
    this.#wants.clear();
    try { await this.#enter(); } catch (error) {
      if (error.code === 401) this.#end('expired');
      return this.#isEnded;
    }
    return true;
  }

  async #negotiate(offer) {
    const { answer } = await this.#ask({ type: 'negotiate', offer });
    await this.#peer.setRemoteDescription({ type: 'answer', sdp: answer });
  }

  /// Finds another path in place.
  async #restart() {
    this.#peer.restartIce();
    await this.#peer.setLocalDescription();
    await this.#negotiate(this.#peer.localDescription.sdp);
  }

  #end(reason) {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearInterval(this.#timer);
    this.chat.ended();
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: 'leave' }));
    this.#socket?.close();
    this.#peer?.close();
    this.#setState('ended');
    this.#tell('ended', reason);
  }

  // MARK: Messages

  async #ask(request) {
    const id = ++this.#request;
    const answer = new Promise((resolve, reject) => this.#answers.set(id, { resolve, reject }));
    this.#socket.send(JSON.stringify({ id, ...request }));
    return answer;
  }

  #live() {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(JSON.stringify({ type: 'alive', number: this.#number, count: this.#count, message: this.chat.last }));
    // A path that is gone without a word takes the channel with it.
    this.#silence = (this.#silence ?? 0) + 1;
    if (this.#silence > 4) this.#socket.close();
  }
  #silence = 0;

  #sendWants() {
    const due = [...this.#due.values()];
    this.#due.clear();
    // Somebody may be gone: that is an event of its own.
    for (const request of due) this.#ask(request).catch(() => {});
  }

  #take(message) {
    this.#silence = 0;
    const waiting = this.#answers.get(message.id);
    switch (message.type) {
      case 'welcome': case 'done': case 'history': case 'reports':
        this.#answers.delete(message.id);
        return waiting?.resolve(message);
      case 'error':
        this.#answers.delete(message.id);
        return waiting?.reject(new RoomError(message));
      case 'slot': return this.#show(message);
      case 'levels': return this.#tell('levels', message.levels);
      case 'data':
        this.#count = message.count;
        return this.#tell('data', message);
      case 'alive': return undefined;
      case 'chatState': case 'marks': case 'typing': case 'blocked': case 'report': return this.chat.take(message);
      case 'bye':
        return ['slow', 'dropped', 'idle', 'draining'].includes(message.reason) ? undefined : this.#end(message.reason);
      default: return this.#apply(message);
    }
  }

  /// The state after an event of the log.
  #apply(event) {
    this.#number = event.number;
    const participant = this.participants.get(event.uid);
    const media = participant?.media.get(event.kind);
    switch (event.type) {
      case 'joined': this.#add(event); break;
      case 'offline':
        if (event.reason === 'becameViewer') participant?.media.clear(); else this.participants.delete(event.uid);
        for (const key of [...this.#wants.keys()]) if (key.startsWith(`${event.uid} `)) this.#wants.delete(key);
        break;
      case 'interrupted': case 'lost': participant.presence = event.type; break;
      case 'back': participant.presence = 'connected'; break;
      case 'published': participant.media.set(event.kind, { muted: event.muted ?? false }); break;
      case 'unpublished': participant.media.delete(event.kind); break;
      case 'muted': case 'unmuted': if (media) media.muted = event.type === 'muted'; break;
      case 'firstPicture': if (media) [media.width, media.height] = [event.width, event.height]; break;
      case 'speakerChanged': this.speaker = event.uid; break;
      case 'roleChanged': Object.assign(participant, { role: event.role, rights: event.rights }); break;
      case 'profileChanged': Object.assign(participant, { name: event.name, avatar: event.avatar, attributes: event.attributes }); break;
      default: this.chat.take(event);
    }
    this.#tell('event', event);
    this.#tell('change');
  }

  #add({ published = [], ...participant }) {
    const media = new Map(published.map(({ kind, ...more }) => [kind, { muted: false, ...more }]));
    this.participants.set(participant.uid, { ...participant, media });
  }

  #restore({ participants, speaker }) {
    this.participants.clear();
    for (const participant of participants) this.#add(participant);
    this.speaker = speaker;
  }

  #show(slot) {
    this.#slots.set(slot.mid, slot);
    this.#tell('slot', slot);
  }

  #transceiver(mid) { return this.#peer.getTransceivers().find((transceiver) => transceiver.mid === mid); }
  #mid(kind) { return this.#peer.getTransceivers().find(({ sender }) => sender === this.#senders[kind])?.mid ?? undefined; }

  #setState(state) {
    this.state = state;
    this.#tell('connection', state);
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
}
