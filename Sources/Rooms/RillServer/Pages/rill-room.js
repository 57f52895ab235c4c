// A room of a Rill server, for pages: one connection, one offer, and a log that is read on after every cut.
//
//   const room = await Room.join('/rooms', { room: 'lobby', name: 'Anna' });
//   await room.publish('video', cameraTrack);
//   room.on('published', ({ uid, kind }) => room.attach(addVideo(uid), uid, kind));
//   room.on('offline', ({ uid }) => removeVideo(uid));
//   room.chat.send('hello');
//
// Attached players get what can be seen of them: large pictures for the visible ones, four at most, else small ones.
//
// Events: each of the log by its type (`joined`, `published`, `muted`, `offline`, …) and as `event`; `change`
// (something in the state changed), `firstFrame` (uid, kind, width, height, elapsed in ms: a player shows its first
// picture), `slot` (what a section shows), `levels`, `connection` (connecting, connected), `trackEnded` (the kind whose
// device is gone), and `ended` with the reason. Errors have the server's `code` and text.

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
const layers = ({ width = 1280, height = 720, frameRate = 30, bitrate = 1_200_000 } = {}) => [
  // In this order, and each with a frame rate: Chromium takes the bitrates for those of the smallest layer first.
  { rid: 'low', scaleResolutionDownTo: { maxWidth: 160, maxHeight: 120 }, maxFramerate: 5, maxBitrate: 45_000 },
  { rid: 'high', scaleResolutionDownTo: { maxWidth: width, maxHeight: height }, maxFramerate: frameRate,
    maxBitrate: bitrate },
].map((layer) => ({ ...layer, scalabilityMode: 'L1T1' }));

export class Room extends EventTarget {
  /// Who is there, by number, in the order of their arrival: name, role, presence, and `media` by kind.
  participants = new Map();
  /// The chat: see rill-chat.js.
  chat;
  speaker; uid; state = 'connecting';

  #url; #options; #socket; #peer; #storage; #session; #epoch = 0; #number = 0; #count = 0; #request = 0; #timer; #isEnded = false;
  #answers = new Map(); #slots = new Map(); #senders = {}; #tracks = {}; #published = new Map(); #wants = new Map();
  #turns = {};
  #due = new Map();
  /// What is wanted for players, not by the page itself.
  #ranked = new Set();
  /// The elements that play something: what, whether it can be seen, and since when.
  #players = new Map();
  #profiles = {};
  #counted = new Map();
  #sight; #sizes; #isHidden;
  /// The sections whose frames cannot be opened.
  #unopened = new Set();

  /// Comes into a room.
  ///
  /// url: of the server's rooms, of this page's origin or another. options: room, name, token, role, attributes;
  /// large: how many pictures may be large at a time (4);
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
    this.#options = { slots: 16, soundSlots: 4, large: 4, ...options };
    this.#sight = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        const player = this.#players.get(target);
        if (player) player.isVisible = isIntersecting;
      }
      this.#rank();
    });
    this.#sizes = new ResizeObserver(() => this.#rank());
    this.#isHidden = () => this.#rank();
    document.addEventListener('visibilitychange', this.#isHidden);
    this.chat = new Chat((request) => this.#ask(request), this.#url, `rill-chat ${options.room} ${options.name}`);
    // With its last session a guest is the same author after a reload. Who has a token is it by that, and nothing of it
    // is stored. A tab without storage keeps none.
    this.#storage = options.token ? undefined : `rill-session ${options.room} ${options.name}`;
    if (this.#storage) try { this.#session = sessionStorage.getItem(this.#storage) ?? undefined; } catch { this.#session = undefined; }
    this.#options.encryption?.addEventListener('opening', ({ detail: { mid: place, isOpened } }) => {
      const { mid } = this.#peer.getTransceivers()[place] ?? {};
      if (isOpened) this.#unopened.delete(mid); else this.#unopened.add(mid);
      this.#tell('change');
    });
  }

  // MARK: What a page asks for

  /// Calls a function with the detail of each event of a type. Returns what ends that.
  on(type, handler) {
    const listener = ({ detail }) => handler(detail);
    this.addEventListener(type, listener);
    return () => this.removeEventListener(type, listener);
  }

  /// Plays somebody's `video`, `screen` or `sound` in an element until it is detached. How large a picture arrives
  /// follows from the element: high if it can be seen, else low; without any player, none. One's own is shown as sent.
  attach(player, uid, kind) {
    this.detach(player);
    const entry = { uid, kind, isVisible: false, start: performance.now(), stop: new AbortController() };
    this.#players.set(player, entry);
    if (kind !== 'sound') {
      // A picture that is there, not the size that a description has.
      player.addEventListener('loadeddata', () => this.#tell('firstFrame', {
        uid, kind, width: player.videoWidth, height: player.videoHeight, elapsed: performance.now() - entry.start,
      }), { signal: entry.stop.signal });
      this.#sight.observe(player);
      this.#sizes.observe(player);
    }
    this.#play(player, entry);
    this.#rank();
  }

  /// Ends that.
  detach(player) {
    const entry = this.#players.get(player);
    if (!entry) return;
    this.#players.delete(player);
    entry.stop.abort();
    this.#sight.unobserve(player);
    this.#sizes.unobserve(player);
    player.srcObject = null;
    this.#rank();
  }

  /// What arrives of everybody since the last call: objects of uid, kind, width, height, framesPerSecond, kilobits (a
  /// second), lost (packets), layer and paused; and of oneself what is sent.
  async statistics() {
    const found = [];
    (await this.#peer.getStats()).forEach((one) => {
      const isOwn = one.type === 'outbound-rtp';
      if (!isOwn && one.type !== 'inbound-rtp') return;
      const bytes = one.bytesReceived ?? one.bytesSent;
      const former = this.#counted.get(one.id) ?? { bytes, time: one.timestamp - 1 };
      if (one.timestamp > former.time) this.#counted.set(one.id, { bytes, time: one.timestamp });
      const slot = this.#slots.get(one.mid);
      if (!isOwn && !slot?.uid) return;
      const kinds = Object.keys(this.#senders);
      found.push({
        uid: isOwn ? this.uid : slot.uid, kind: isOwn ? kinds.find((kind) => this.#mid(kind) === one.mid) : slot.kind,
        width: one.frameWidth, height: one.frameHeight, framesPerSecond: one.framesPerSecond ?? 0,
        kilobits: Math.round(8 * (bytes - former.bytes) / (one.timestamp - former.time)),
        lost: one.packetsLost ?? 0, layer: one.rid ?? slot?.layer, paused: slot?.paused ?? false,
      });
    });
    return found;
  }

  /// The track that shows somebody's `video`, `screen` or `sound` now; undefined for none.
  track(uid, kind) {
    for (const slot of this.#slots.values()) {
      if (slot.uid === uid && slot.kind === kind) return this.#transceiver(slot.mid)?.receiver.track;
    }
    return undefined;
  }

  /// The slot that shows it: its layer, and whether it is paused.
  slot(uid, kind) { return [...this.#slots.values()].find((slot) => slot.uid === uid && slot.kind === kind); }

  /// Whether this page encrypts what it sends.
  get isEncrypted() { return this.#options.encryption !== undefined; }

  /// Whether somebody encrypts, and this page has no secret: then nothing of theirs is wanted or played. As sound it
  /// would be noise.
  isSealed(uid) {
    return uid !== this.uid && !this.isEncrypted && this.participants.get(uid)?.attributes?.encrypted !== undefined;
  }

  /// Whether frames of somebody's come that cannot be opened: there is another secret, or none.
  isUnopened(uid, kind) { return this.#unopened.has(this.slot(uid, kind)?.mid); }

  /// Publishes a track of the kind: 'video', 'screen' or 'sound'. profile: the most that is sent of a camera, as
  /// width, height, frameRate and bitrate (in bit/s). muted: nothing is sent yet.
  async publish(kind, track, { profile, muted = false } = {}) {
    if (profile) await this.setProfile(kind, profile);
    this.#own(kind, track);
    if (!muted) await this.#senders[kind].replaceTrack(track);
    this.#published.set(kind, { muted });
    await this.#ask({ type: 'publish', kind, mid: this.#mid(kind), muted });
    this.#refresh();
  }

  /// Sends a camera with that profile from now on.
  async setProfile(kind, profile) {
    this.#profiles[kind] = profile;
    const all = layers(profile);
    await this.#adjust(kind, (encoding) => Object.assign(encoding, all.find(({ rid }) => rid === encoding.rid)));
  }

  /// Changes how something is sent, one change after the other: meanwhile a browser refuses a second one.
  async #adjust(kind, change) {
    this.#adjusting = this.#adjusting.catch(() => {}).then(async () => {
      const parameters = this.#senders[kind].getParameters();
      for (const encoding of parameters.encodings) change(encoding);
      await this.#senders[kind].setParameters(parameters);
    });
    return this.#adjusting;
  }
  #adjusting = Promise.resolve();

  /// A layer that nobody wants is not encoded until somebody does: then it begins with a key frame.
  async #rest({ kind, layer, wanted }) {
    this.#isResting ||= !wanted;
    const set = (encoding) => { if (encoding.rid === layer) encoding.active = wanted; };
    // A connection that is closed meanwhile sends nothing.
    await this.#adjust(kind, set).catch(() => {});
  }
  #isResting = false;

  async unpublish(kind) {
    this.#published.delete(kind);
    this.#own(kind);
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

  /// Whether one's own is muted, or will be: what the last call has asked for.
  isMuted(kind) { return this.#published.get(kind)?.muted ?? true; }

  async #mute(kind, muted) {
    if (muted) await this.#ask({ type: 'mute', kind });
    await this.#senders[kind].replaceTrack(muted ? null : this.#tracks[kind]);
    if (!muted) await this.#ask({ type: 'unmute', kind });
    this.#refresh();
  }

  /// The track that is one's own of a kind.
  #own(kind, track) {
    this.#tracks[kind] = track;
    track?.addEventListener('ended', () => { if (this.#tracks[kind] === track) this.#tell('trackEnded', kind); });
    this.#refresh();
  }

  /// Sends another track, as of another camera, without an offer.
  async replaceTrack(kind, track) {
    this.#own(kind, track);
    if (!this.#published.get(kind)?.muted) await this.#senders[kind].replaceTrack(track);
  }

  /// Wants something of somebody: picture is 'high', 'low', 'none', or the size in which it is shown. Requests leave
  /// together, ten times a second at most.
  want(uid, kind, picture, priority = 0) {
    this.#ranked.delete(`${uid} ${kind}`);
    this.#wish(uid, kind, picture, priority);
  }

  #wish(uid, kind, picture, priority = 0) {
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

  /// Sends app data, at most 1,000 bytes, to somebody or to all others: each once, also over a cut.
  async send(text, uid) {
    const count = ++this.#sentCount;
    for (;;) {
      try { return await this.#ask({ type: 'data', count, uid, text }); } catch (error) {
        if (this.#isEnded || error.code !== undefined) throw error;
        // The same count again: what has arrived is not repeated.
        await new Promise((resolve) => this.addEventListener('connection', resolve, { once: true }));
      }
    }
  }
  #sentCount = 0;

  // MARK: Coming in, and back

  async #enter() {
    const { room, name, token, role, attributes } = this.#options;
    const [offer] = await Promise.all([this.#connect(), this.#open()]);
    const session = this.#session;
    const welcome = await this.#ask({ type: 'join', room, name, token, session, role, attributes, offer });
    await this.#welcome(welcome);
  }

  /// Makes the one connection, with all its sections, and its offer.
  async #connect() {
    const { iceServers = await this.#iceServers(), iceTransportPolicy } = this.#options;
    this.#peer?.close();
    const policy = iceTransportPolicy && { iceTransportPolicy };
    const peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle', iceServers, ...policy });
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
      const { codecs } = RTCRtpReceiver.getCapabilities(kind);
      transceiver.setCodecPreferences?.(codecs.filter(({ mimeType, sdpFmtpLine }) =>
        wanted.test(mimeType) && !/profile-id=[1-9]/.test(sdpFmtpLine ?? '')));
      return transceiver.sender;
    };
    this.#senders = {
      video: add('video', 'sendonly', layers(this.#profiles.video)), sound: add('audio', 'sendonly'),
      screen: add('video', 'sendonly'),
    };
    for (let index = 0; index < this.#options.slots; index += 1) add('video', 'recvonly');
    for (let index = 0; index < this.#options.soundSlots; index += 1) add('audio', 'recvonly');
    for (const [kind, { muted }] of this.#published) {
      if (!muted) await this.#senders[kind].replaceTrack(this.#tracks[kind]);
    }
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
    [this.uid, this.#session, this.#epoch] = [welcome.uid, welcome.session, welcome.epoch];
    this.#number = welcome.number;
    this.#count = welcome.count;
    // Those that nobody wants are named again.
    if (this.#isResting) this.#adjust('video', (encoding) => { encoding.active = true; }).catch(() => {});
    this.#isResting = false;
    if (this.#storage) try { sessionStorage.setItem(this.#storage, welcome.session); } catch {
      // Full, or not there.
    }
    if (welcome.snapshot) this.#restore(welcome.snapshot);
    this.chat.entered(welcome);
    if (welcome.answer) await this.#peer.setRemoteDescription({ type: 'answer', sdp: welcome.answer });
    if (!welcome.media) await this.#negotiate(await this.#connect());
    for (const slot of welcome.slots ?? []) this.#show(slot);
    if (welcome.fresh && this.#published.size + this.#wants.size > 0) {
      for (const [kind, { muted }] of this.#published) {
        await this.#ask({ type: 'publish', kind, mid: this.#mid(kind), muted });
      }
      this.#due = new Map(this.#wants);
      this.#sendWants();
    }
    this.#setState('connected');
    this.#tell('change');
    this.#refresh();
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
    document.removeEventListener('visibilitychange', this.#isHidden);
    for (const player of [...this.#players.keys()]) this.detach(player);
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
    const position = { number: this.#number, count: this.#count, message: this.chat.last };
    this.#socket.send(JSON.stringify({ type: 'alive', ...position }));
    // A path that is gone without a word takes the channel with it.
    this.#silence = (this.#silence ?? 0) + 1;
    if (this.#silence <= 4) return;
    // Its end would come late: nobody answers that either.
    this.#socket.close();
    this.#return();
  }
  #silence = 0;

  // MARK: Players

  #play(player, { uid, kind }) {
    const isMuted = this.participants.get(uid)?.media.get(kind)?.muted;
    const others = () => (this.isSealed(uid) ? undefined : this.track(uid, kind));
    const track = uid === this.uid ? !isMuted && this.#tracks[kind] : others();
    if ((player.srcObject?.getTracks()[0] ?? null) === (track || null)) return;
    player.srcObject = track ? new MediaStream([track]) : null;
  }

  /// After something has changed: each player has the track that it should.
  #refresh() {
    for (const [player, entry] of this.#players) this.#play(player, entry);
    this.#rank();
  }

  /// Says how large each picture is to be: of those that can be seen the screens, the speaker, and the first ones are
  /// large.
  #rank() {
    if (!this.uid || this.#isEnded) return;
    const order = [...this.participants.keys()];
    const rank = ({ uid, kind }) => (kind === 'screen' ? -2000 : uid === this.speaker ? -1000 : 0) + order.indexOf(uid);
    const players = [...this.#players].sort(([, a], [, b]) => rank(a) - rank(b));
    const wishes = new Map();
    let left = this.#options.large;
    for (const [player, { uid, kind, isVisible }] of players) {
      if (uid === this.uid || this.isSealed(uid)) continue;
      const key = `${uid} ${kind}`;
      if (kind === 'sound') { wishes.set(key, { uid, kind, picture: 'high' }); continue; }
      const isOpen = isVisible && !document.hidden || player === document.pictureInPictureElement;
      const sides = [player.clientWidth, player.clientHeight];
      const [width, height] = sides.map((side) => Math.round(side * devicePixelRatio));
      const isLarge = isOpen && width > 1 && height > 1 && left > 0;
      if (isLarge) left -= 1;
      const picture = isLarge ? { width, height } : document.hidden && !isOpen ? 'none' : 'low';
      const priority = uid === this.speaker ? 2 : isOpen ? 1 : 0;
      if (!wishes.get(key)?.picture.width) wishes.set(key, { uid, kind, picture, priority });
    }
    for (const [uid, { media }] of this.participants) {
      for (const kind of uid === this.uid ? [] : media.keys()) {
        const key = `${uid} ${kind}`;
        const wish = wishes.get(key);
        // What the page wants by itself, it keeps.
        if (wish && !this.#ranked.has(key) && this.#wants.has(key)) continue;
        if (wish) {
          this.#ranked.add(key);
          this.#wish(uid, kind, wish.picture, wish.priority);
        } else if (this.#ranked.delete(key)) {
          this.#wish(uid, kind, 'none');
          this.#wants.delete(key);
        }
      }
    }
  }

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
      case 'layer': return this.#rest(message);
      case 'levels': return this.#tell('levels', message.levels);
      case 'data':
        this.#count = message.count;
        return this.#tell('data', message);
      case 'alive': return undefined;
      case 'chatState': case 'marks': case 'typing': case 'blocked': case 'report': return this.chat.take(message);
      case 'bye':
        return ['slow', 'dropped', 'idle', 'draining'].includes(message.reason) ? undefined : this.#end(message.reason);
      // Of a newer server there may be messages that say nothing here.
      default: return message.number === undefined ? undefined : this.#apply(message);
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
      case 'profileChanged':
        Object.assign(participant, { name: event.name, avatar: event.avatar, attributes: event.attributes });
        break;
      default: this.chat.take(event);
    }
    this.#tell(event.type, event);
    this.#tell('event', event);
    this.#tell('change');
    this.#refresh();
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
    this.#refresh();
  }

  #transceiver(mid) { return this.#peer.getTransceivers().find((transceiver) => transceiver.mid === mid); }
  #mid(kind) {
    return this.#peer.getTransceivers().find(({ sender }) => sender === this.#senders[kind])?.mid ?? undefined;
  }

  #setState(state) {
    this.state = state;
    this.#tell('connection', state);
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
}
