// The chat of a room. `room.chat` of rill-room.js is one.
//
//   room.chat.addEventListener('change', () => show(room.chat.messages, room.chat.outgoing));
//   room.chat.send('hello');
//   room.chat.state(message);               // of one's own: sent, delivered or read
//
// Messages have their number (`message`), `author`, `name`, `text` (none if deleted), `time`, `key`, `replyTo`, `edited`.
// `outgoing` are one's own that are not known to be stored: `state` is sending or failed, with the `error`. They go out
// one at a time, and are kept in the tab over a reload. Events: `change`, `typing` with a uid, and `report`.

const limit = 255;
const pageSize = 100;
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/// A text as it can be sent: ends of lines as \n, without other control characters than tabs, cut to whole characters.
export function clean(text) {
  const plain = text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').trim();
  const characters = Array.from(new Intl.Segmenter().segment(plain), ({ segment }) => segment);
  return characters.filter((character) => [...character].length <= 32).slice(0, limit).join('');
}

export class Chat extends EventTarget {
  messages = [];
  outgoing = [];
  /// Whether the server has the chat, the host lets people write, and lets this one write.
  isAvailable = false; isEnabled = true; isBlocked = false;
  author; mark = 0; last = 0; blockedAuthors = [];

  #ask; #storage; #received = 0; #read = 0; #isConnected = false; #isSending = false; #isFetching = false; #isWhole = false;
  #typingTime = 0; #markTimer; #awayTimer;

  /// ask: sends a request, and promises its answer. storage: the key under which unsent messages are kept.
  constructor(ask, storage) {
    super();
    [this.#ask, this.#storage] = [ask, storage];
    try { this.outgoing = JSON.parse(sessionStorage.getItem(storage) ?? '[]').map((kept) => ({ ...kept, state: 'sending' })); } catch {
      // A tab without storage keeps nothing, and sends all the same.
    }
  }

  // MARK: What a page asks for

  /// Sends a text, or an image that was uploaded. Returns what is in `outgoing`; undefined if there is nothing to see.
  send(text, { replyTo, image } = {}) {
    const sent = { key: crypto.randomUUID?.() ?? `${Date.now()} ${Math.random()}`, text: clean(text), replyTo, image, state: 'sending' };
    if (!sent.text && !image) return undefined;
    this.outgoing.push(sent);
    this.#changed();
    this.#pump();
    return sent;
  }

  /// Sends a message again that failed.
  resend(key) {
    for (const sent of this.outgoing) if (sent.key === key) [sent.state, sent.error] = ['sending', undefined];
    this.#changed();
    this.#pump();
  }

  /// Forgets a message that failed.
  discard(key) {
    this.outgoing = this.outgoing.filter((sent) => sent.key !== key || sent.state === 'sending');
    this.#changed();
  }

  /// What became of one's own message: sent, delivered or read; undefined for a message of somebody else.
  state({ author, message }) {
    if (author !== this.author) return undefined;
    return message <= this.#read ? 'read' : message <= this.#received ? 'delivered' : 'sent';
  }

  get unreadCount() {
    return this.messages.filter(({ message, author, text }) => message > this.mark && author !== this.author && text !== undefined).length;
  }

  get hasOlder() { return this.isAvailable && !this.#isWhole && (this.messages[0]?.message ?? this.last + 1) > 1; }

  /// Loads a page of older messages.
  async older() {
    if (this.#isFetching || !this.hasOlder) return;
    this.#isFetching = true;
    try {
      const before = this.messages[0]?.message ?? this.last + 1;
      const { messages } = await this.#ask({ type: 'history', before, limit: pageSize });
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

  edit(message, text) { return this.#ask({ type: 'edit', message, text: clean(text) }); }
  delete(message) { return this.#ask({ type: 'delete', message }); }
  report(message, reason, text = '') { return this.#ask({ type: 'report', message, reason, text: clean(text) }); }

  /// What hosts may do.
  setEnabled(enabled) { return this.#ask({ type: 'setChat', enabled }); }
  block(author, blocked = true) { return this.#ask({ type: 'block', author, blocked }); }
  async reports() { return (await this.#ask({ type: 'reports' })).reports; }

  // MARK: What the room says

  /// The room is entered, or entered again; with the chat, unless the room reads on.
  entered(welcome) {
    clearTimeout(this.#awayTimer);
    this.#isConnected = true;
    if (welcome.chat) this.#restore(welcome.chat); else if (welcome.snapshot) this.isAvailable = false;
    for (const sent of this.outgoing) if (sent.isWaiting) Object.assign(sent, { state: 'sending', error: undefined, isWaiting: false });
    this.#changed();
    this.#pump();
  }

  /// The connection is cut. What is not sent after 10 s has failed, until there is a connection.
  interrupted() {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    this.#awayTimer = setTimeout(() => {
      for (const sent of this.outgoing) {
        if (sent.state === 'sending') Object.assign(sent, { state: 'failed', error: new Error('The server is away.'), isWaiting: true });
      }
      this.#changed();
    }, 10_000);
  }

  /// Takes a message or an event, if it is about the chat.
  take(message) {
    switch (message.type) {
      case 'chatState': this.#restore(message); this.#pump(); break;
      case 'chat': this.#add(message); break;
      case 'chatEdited': this.#change(message.message, { text: message.text, edited: message.edited }); break;
      case 'chatDeleted': this.#change(message.message, { text: undefined, image: undefined, edited: undefined }); break;
      case 'chatChanged': this.isEnabled = message.enabled; break;
      case 'marks': [this.#received, this.#read] = [Math.max(this.#received, message.received), Math.max(this.#read, message.read)]; break;
      case 'blocked':
        if (message.author === this.author) this.isBlocked = message.blocked;
        this.blockedAuthors = this.blockedAuthors.filter((author) => author !== message.author).concat(message.blocked ? message.author : []);
        break;
      case 'typing': return this.dispatchEvent(new CustomEvent('typing', { detail: message.uid }));
      case 'report': return this.dispatchEvent(new CustomEvent('report', { detail: message }));
      default: return false;
    }
    this.#changed();
    return true;
  }

  #restore({ author, message, enabled, blocked, mark, received, read, messages, blockedAuthors = [] }) {
    [this.author, this.last, this.isEnabled, this.isBlocked] = [author, message, enabled, blocked];
    [this.#received, this.#read, this.messages, this.blockedAuthors] = [received, read, messages, blockedAuthors];
    [this.isAvailable, this.#isWhole] = [true, false];
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
    const { messages } = await this.#ask({ type: 'history', before, limit: pageSize }).catch(() => ({ messages: [] }));
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
    const keys = new Set(this.messages.map(({ key }) => key));
    this.outgoing = this.outgoing.filter(({ key }) => !keys.has(key));
  }

  // MARK: Sending

  async #pump() {
    if (this.#isSending) return;
    this.#isSending = true;
    for (;;) {
      const next = this.outgoing.find(({ state }) => state === 'sending');
      if (!next || !this.#isConnected || !this.isAvailable) break;
      const { key, text, replyTo, image } = next;
      try {
        await this.#ask({ type: 'chat', key, text: text || undefined, replyTo, image });
        this.outgoing = this.outgoing.filter((sent) => sent.key !== key);
      } catch (error) {
        // Without a code the connection was cut: it is sent with the same key when the room is back.
        if (error.code === undefined) break;
        if (error.code === 429) await wait(error.retryAfter ?? 100);
        else Object.assign(next, { state: 'failed', error });
        if (error.code === 442) this.isBlocked = true;
      }
      this.#changed();
    }
    this.#isSending = false;
  }

  #changed() {
    const kept = this.outgoing.map(({ key, text, replyTo, image }) => ({ key, text, replyTo, image }));
    try { sessionStorage.setItem(this.#storage, JSON.stringify(kept)); } catch {
      // Full, or not there: what is unsent is lost with the page.
    }
    this.dispatchEvent(new CustomEvent('change'));
  }
}
