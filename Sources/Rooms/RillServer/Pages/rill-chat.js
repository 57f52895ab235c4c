// The chat of a room. `room.chat` of rill-room.js is one.
//
//   room.chat.addEventListener('change', () => show(room.chat.messages, room.chat.outgoing));
//   room.chat.send('hello');
//   room.chat.send('look', { file });       // of an <input type=file>, a paste or a drop
//   room.chat.state(message);               // of one's own: sent, delivered or read
//
// Messages have their number (`message`), `author`, `name`, `text` (none if deleted), `image`, `time`, `key`,
// `replyTo` and `edited`. `outgoing` are one's own that are not known to be stored: `state` is sending or failed, with
// the `error`. They go out one at a time, and are kept in the tab over a reload. Events: `change`, `typing` with a uid,
// `report`, and `error` with code, message, missed and cached: a message was not taken, and `cached` ones wait.

const limit = 255;
const pageSize = 100;
/// What an image may have, in bytes, as long as the server does not say otherwise.
const imageLimit = 10 << 20;
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/// A text, cut to whole characters, such as a letter with its marks or an emoji with joiners.
export function cut(text) {
  // A character has at most 32 code points, of 2 units each.
  const segments = new Intl.Segmenter().segment(text.slice(0, 2 * limit * 64));
  const characters = Array.from(segments, ({ segment }) => segment);
  return characters.filter((character) => [...character].length <= 32).slice(0, limit).join('');
}

/// How many characters a text has.
export const count = (text) => [...new Intl.Segmenter().segment(text)].length;

/// A text as it can be sent: ends of lines as \n, without other control characters than tabs, cut to whole characters.
export function clean(text) {
  return cut(text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').trim());
}

/// Why a file cannot be sent as an image, by its content; undefined if it can.
export async function refusal(file) {
  const head = new Uint8Array(await file.slice(0, 512).arrayBuffer());
  const start = String.fromCharCode(...head);
  if (/<svg|<!doctype svg/i.test(start) || file.type === 'image/svg+xml') {
    return `${file.name} is an SVG. Send a PNG, JPEG, WebP or GIF.`;
  }
  if (!/^(\x89PNG\r\n|\xff\xd8\xff|GIF8|RIFF[^]{4}WEBP)/.test(start)) {
    return `${file.name} is not an image. Send a PNG, JPEG, WebP or GIF.`;
  }
  if (file.size > imageLimit) return tooLarge(file, imageLimit);
  return undefined;
}

const megabytes = (bytes) => `${Math.round(bytes / 104_857.6) / 10} MB`;
const tooLarge = ({ name, size }, most) => `${name} has ${megabytes(size)}; an image has at most ${megabytes(most)}.`;

export class Chat extends EventTarget {
  messages = [];
  outgoing = [];
  /// Whether the server has the chat, the host lets people write, and lets this one write.
  isAvailable = false; isEnabled = true; isBlocked = false;
  author; mark = 0; last = 0; blockedAuthors = [];

  #ask; #url; #storage; #session; #received = 0; #read = 0; #isConnected = false; #isSending = false;
  #isFetching = false; #isWhole = false; #typingTime = 0; #markTimer; #awayTimer;
  /// What this tab has sent, as author and key: a guest is another author after a reload. And images by path.
  #own = new Set(); #images = new Map();

  /// ask: sends a request, and promises its answer. url: of the server's rooms. storage: the key under which unsent
  /// messages are kept.
  constructor(ask, url, storage) {
    super();
    [this.#ask, this.#url, this.#storage] = [ask, new URL(url), storage];
    this.#url.protocol = this.#url.protocol.replace('ws', 'http');
    try {
      const { outgoing = [], own = [] } = JSON.parse(sessionStorage.getItem(storage) ?? '{}');
      this.#own = new Set(own);
      this.outgoing = outgoing.map(({ lost, ...kept }) => lost
        ? { ...kept, state: 'failed', isLost: true, error: new Error(`${lost} was not uploaded: choose it again.`) }
        : { ...kept, state: 'sending' });
    } catch {
      // A tab without storage keeps nothing, and sends all the same.
    }
  }

  // MARK: What a page asks for

  /// Sends a text, an image (a file, or what `upload` promised), or both. Returns what is in `outgoing`; undefined if
  /// there is nothing to see.
  send(text, { replyTo, image, file } = {}) {
    const key = crypto.randomUUID?.() ?? `${Date.now()} ${Math.random()}`;
    const sent = { key, text: clean(text), replyTo, image, file, state: 'sending' };
    if (!sent.text && !image && !file) return undefined;
    this.outgoing.push(sent);
    this.#changed();
    this.#pump();
    return sent;
  }

  /// Sends a message again that failed.
  resend(key) {
    for (const sent of this.outgoing) {
      if (sent.key === key && !sent.isLost) [sent.state, sent.error] = ['sending', undefined];
    }
    this.#changed();
    this.#pump();
  }

  /// Forgets a message that failed.
  discard(key) {
    this.outgoing = this.outgoing.filter((sent) => sent.key !== key || sent.state === 'sending');
    this.#changed();
  }

  /// Whether a message is one's own: of this session, or of a former one of this tab.
  isOwn({ author, key }) { return author === this.author || this.#own.has(`${author} ${key}`); }

  /// What became of one's own message: sent, delivered or read; undefined for a message of somebody else.
  state({ author, key, message }) {
    if (author !== this.author) return this.isOwn({ author, key }) ? 'sent' : undefined;
    return message <= this.#read ? 'read' : message <= this.#received ? 'delivered' : 'sent';
  }

  isUnread(message) { return message.message > this.mark && !this.isOwn(message) && message.text !== undefined; }
  get unreadCount() { return this.messages.filter((message) => this.isUnread(message)).length; }

  get hasOlder() { return this.isAvailable && !this.#isWhole && (this.messages[0]?.message ?? this.last + 1) > 1; }

  /// Loads a page of older messages.
  async older() {
    if (this.#isFetching || !this.hasOlder) return;
    this.#isFetching = true;
    try {
      const before = this.messages[0]?.message ?? this.last + 1;
      const { messages } = await this.#request({ type: 'history', before, limit: pageSize });
      if (before !== (this.messages[0]?.message ?? this.last + 1)) return;
      this.messages.unshift(...messages);
      this.#isWhole = messages.length < pageSize;
      this.#changed();
    } finally { this.#isFetching = false; }
  }

  /// The user has read all that is there.
  readAll() {
    if (this.mark >= this.last) return;
    this.mark = this.last;
    this.#markTimer ??= setTimeout(() => {
      this.#markTimer = undefined;
      // The next mark, or the next connection, makes up for one that was lost.
      this.#ask({ type: 'read', message: this.mark }).catch(() => {});
    }, 500);
    this.#changed();
  }

  /// The user is typing.
  typing() {
    if (!this.#isConnected || Date.now() < this.#typingTime) return;
    this.#typingTime = Date.now() + 2000;
    this.#ask({ type: 'typing' }).catch(() => {});
  }

  edit(message, text) { return this.#request({ type: 'edit', message, text: clean(text) }); }
  delete(message) { return this.#request({ type: 'delete', message }); }
  report(message, reason, text = '') {
    return this.#request({ type: 'report', message, reason, text: clean(text) });
  }

  /// What hosts may do.
  setEnabled(enabled) { return this.#request({ type: 'setChat', enabled }); }
  block(author, blocked = true) { return this.#request({ type: 'block', author, blocked }); }
  async reports() { return (await this.#request({ type: 'reports' })).reports; }

  // MARK: Images

  /// Uploads an image. Promises what a message says of it.
  async upload(file) {
    const reason = await refusal(file);
    if (reason) throw Object.assign(new Error(reason), { code: 415 });
    const response = await this.#fetch('', { method: 'POST', body: file });
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return answer;
    const text = response.status === 404 ? 'This server keeps no images.'
      : response.status === 403 ? 'Images cannot be sent now.'
      : answer.error === 'too-large' ? tooLarge(file, answer.limit)
        : `${file.name} was refused: ${(answer.error ?? `status ${response.status}`).replaceAll('-', ' ')}.`;
    const isBusy = answer.error === 'busy';
    throw Object.assign(new Error(text), isBusy ? { code: 429, retryAfter: 1000 } : { code: response.status });
  }

  /// The URL of an image in this page, or of its thumbnail; it is loaded once.
  imageURL({ hash }, { thumbnail = false } = {}) {
    const path = `/${hash}${thumbnail ? '?thumbnail' : ''}`;
    const load = async () => {
      const response = await this.#fetch(path);
      if (!response.ok) throw new Error(`The image cannot be loaded: status ${response.status}.`);
      return URL.createObjectURL(await response.blob());
    };
    if (!this.#images.has(path)) {
      const loading = load();
      this.#images.set(path, loading);
      loading.catch(() => this.#images.delete(path));
    }
    return this.#images.get(path);
  }

  #fetch(path, options) {
    const headers = { Authorization: `Bearer ${this.#session}` };
    return fetch(`${this.#url.href}/images${path}`, { headers, ...options });
  }

  // MARK: What the room says

  /// The room is entered, or entered again; with the chat, unless the room reads on.
  entered(welcome) {
    clearTimeout(this.#awayTimer);
    [this.#isConnected, this.#session] = [true, welcome.session];
    if (welcome.chat) this.#restore(welcome.chat); else if (welcome.snapshot) this.isAvailable = false;
    for (const sent of this.outgoing) {
      if (sent.isWaiting) Object.assign(sent, { state: 'sending', error: undefined, isWaiting: false });
    }
    this.#changed();
    this.#pump();
  }

  /// The connection is cut. What is not sent after 10 s has failed, until there is a connection.
  interrupted() {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    this.#awayTimer = setTimeout(() => {
      const waiting = this.outgoing.filter(({ state }) => state === 'sending');
      for (const sent of waiting) {
        Object.assign(sent, { state: 'failed', error: new Error('The server is away.'), isWaiting: true });
      }
      const error = { code: 0, message: 'The server is away.', missed: 0, cached: waiting.length };
      if (waiting.length > 0) this.#tell('error', error);
      this.#changed();
    }, 10_000);
  }

  /// The room is over: nothing is sent any more, and the images are forgotten.
  ended() {
    this.#isConnected = false;
    for (const timer of [this.#awayTimer, this.#markTimer]) clearTimeout(timer);
    for (const loading of this.#images.values()) loading.then(URL.revokeObjectURL, () => {});
    this.#images.clear();
  }

  /// Takes a message or an event, if it is about the chat.
  take(message) {
    switch (message.type) {
      case 'chatState': this.#restore(message); this.#pump(); break;
      case 'chat': this.#add(message); break;
      case 'chatEdited': this.#change(message.message, { text: message.text, edited: message.edited }); break;
      case 'chatDeleted':
        this.#change(message.message, { text: undefined, image: undefined, edited: undefined });
        break;
      case 'chatChanged': this.isEnabled = message.enabled; break;
      case 'marks':
        this.#received = Math.max(this.#received, message.received);
        this.#read = Math.max(this.#read, message.read);
        break;
      case 'blocked':
        if (message.author === this.author) this.isBlocked = message.blocked;
        this.blockedAuthors = this.blockedAuthors.filter((author) => author !== message.author);
        if (message.blocked) this.blockedAuthors.push(message.author);
        break;
      case 'typing': return this.#tell('typing', message.uid);
      case 'report': return this.#tell('report', message);
      default: return false;
    }
    this.#changed();
    return true;
  }

  #restore({ author, message, enabled, blocked, mark, received, read, messages, whole, blockedAuthors = [] }) {
    [this.author, this.last, this.isEnabled, this.isBlocked] = [author, message, enabled, blocked];
    [this.#received, this.#read, this.messages, this.blockedAuthors] = [received, read, messages, blockedAuthors];
    [this.isAvailable, this.#isWhole] = [true, whole === true];
    if (this.mark > mark) this.#ask({ type: 'read', message: this.mark }).catch(() => {}); else this.mark = mark;
    this.#forgetSent();
  }

  #add(message) {
    if (message.message <= this.last) return;
    const isGap = message.message > this.last + 1;
    this.last = message.message;
    this.messages.push(message);
    this.#forgetSent();
    if (isGap) this.#fill(message.message);
  }

  /// Fetches what is missing before a message.
  async #fill(before) {
    const index = this.messages.findIndex(({ message }) => message === before);
    const known = this.messages[index - 1]?.message ?? 0;
    // A gap that stays is filled by the next snapshot.
    const page = this.#ask({ type: 'history', before, limit: pageSize });
    const { messages } = await page.catch(() => ({ messages: [] }));
    const missing = messages.filter(({ message }) => message > known);
    if (missing.length === 0) return;
    this.messages.splice(this.messages.findIndex(({ message }) => message === before), 0, ...missing);
    this.#changed();
    if (missing.length === pageSize) await this.#fill(missing[0].message);
  }

  #change(number, changes) {
    const found = this.messages.find(({ message }) => message === number);
    if (found?.text !== undefined) Object.assign(found, changes);
  }

  /// What is in the list is sent. Keys are unique, also of a guest who has another name as an author after a reload.
  #forgetSent() {
    const authors = new Map(this.messages.map(({ key, author }) => [key, author]));
    for (const { key } of this.outgoing) if (authors.has(key)) this.#own.add(`${authors.get(key)} ${key}`);
    this.outgoing = this.outgoing.filter(({ key }) => !authors.has(key));
  }

  // MARK: Sending

  #request(request) {
    // A request in a channel that is closed would wait for its answer for good.
    if (!this.#isConnected) return Promise.reject(new Error('The server is away: try again in a moment.'));
    return this.#ask(request);
  }

  async #pump() {
    if (this.#isSending) return;
    this.#isSending = true;
    for (;;) {
      const next = this.outgoing.find(({ state }) => state === 'sending');
      if (!next || !this.#isConnected || !this.isAvailable) break;
      const { key, text, replyTo } = next;
      try {
        if (next.file) [next.image, next.file] = [await this.upload(next.file), undefined];
        await this.#ask({ type: 'chat', key, text: text || undefined, replyTo, image: next.image });
        this.#own.add(`${this.author} ${key}`);
        this.outgoing = this.outgoing.filter((sent) => sent.key !== key);
      } catch (error) {
        // Without a code the connection was cut: it is sent with the same key when the room is back.
        if (error.code === undefined) {
          if (!this.#isConnected) break;
          await wait(1000);
          continue;
        }
        const cached = this.outgoing.filter(({ state }) => state === 'sending').length;
        this.#tell('error', { code: error.code, message: error.message, missed: error.missed ?? 1, cached });
        if (error.code === 429) await wait(error.retryAfter ?? 100);
        else Object.assign(next, { state: 'failed', error });
        if (error.code === 442) this.isBlocked = true;
      }
      this.#changed();
    }
    this.#isSending = false;
  }

  #changed() {
    const outgoing = this.outgoing.map(({ key, text, replyTo, image, file, isLost, error }) => ({
      key, text, replyTo, image, lost: file?.name ?? (isLost ? error.message.split(' was not')[0] : undefined),
    }));
    const kept = JSON.stringify({ outgoing, own: [...this.#own].slice(-200) });
    try { sessionStorage.setItem(this.#storage, kept); } catch {
      // Full, or not there: what is unsent is lost with the page.
    }
    this.#tell('change');
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
}
