// The panel of a room's chat: messages in bubbles, reports for hosts, and the bar. It uses room.chat of rill-chat.js.
//
//   const panel = new ChatPanel(element, room, { show });  // show(text, isBad): a line of status
//   panel.opened(); panel.closed();                        // the element is shown, or hidden; it asks by a `close` event
//   panel.alert('text');                                   // a line in the list
//   panel.end();                                           // the room is over: the element is empty again
//
// It is beside the pictures, with all messages, and the field is left after a message; or over them (`isOver`), with the
// last 20, and one stays in the field. The button that controls the element shows how many messages are unread.
import { clean, count, cut, refusal } from '/rill-chat.js';

const blocked = 'A host has blocked you: what you write is not sent.';
const states = { sending: 'sending …', sent: 'sent', delivered: 'delivered', read: 'read' };
const reasons = ['Racism', 'Homophobia', 'Sexism', 'Bullying', 'Intellectual property', 'Other'];
/// How many messages are shown over the pictures, and the longer side of an image.
const [overCount, side] = [20, 220];

const icon = (part, label, text) =>
  `<button type="button" class="icon" data-part="${part}" aria-label="${label}" title="${label}">${text}</button>`;
const markup = `<header><h2>Chat</h2><button type="button" data-part="reported"></button>
${icon('gear', 'Settings of the chat', '⚙')}${icon('close', 'Close the chat', '✕')}</header>
<p data-part="off" class="off">Chat is disabled by the streamer</p>
<ol data-part="list" role="list" aria-label="Messages" tabindex="-1"></ol>
<button type="button" data-part="newest" class="newest"></button><p data-part="typing" class="typing"></p>
<p data-part="notice" class="notice" role="status"></p><p data-part="said" class="unseen" role="status"></p>
<p data-part="context" class="context"><img alt=""><span></span>${icon('cancel', 'Cancel', '✕')}</p>
<form data-part="bar" class="row">${icon('add', 'Add an image', '+')}
<input type="file" data-part="picker" hidden accept="image/png,image/jpeg,image/webp,image/gif">
<textarea data-part="field" rows="1" placeholder="Message" aria-label="Message"></textarea><small data-part="left"></small>
<button class="icon send" aria-label="Send" title="Send">➤</button></form>
<dialog data-part="sheet"><header><h2></h2>${icon('shut', 'Close', '✕')}</header><div></div></dialog>`;

function make(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter(Boolean));
  return made;
}

const key = (textContent, onclick, more) => make('button', { type: 'button', textContent, onclick, ...more });
/// Marks of a direction end with the text.
const say = (tag, textContent, className = '') => make(tag, { textContent, className, dir: 'auto' });
const clock = (time) => new Date(time).toLocaleTimeString(undefined, { timeStyle: 'medium' });
const summary = ({ name, text, image }) => `${name}: ${text || (image ? 'an image' : 'deleted')}`;

/// The size in which an image is shown.
function fit({ width, height }) {
  const size = width > height ? [side, Math.floor(side * height / width)] : [Math.floor(side * width / height), side];
  return size.map((length) => Math.max(1, length));
}

export class ChatPanel {
  #element; #room; #chat; #show; #part = {};
  #end = new AbortController();
  #isOver; #stays; #isAtEnd = true; #isDue = false; #isCut = false; #heard;
  #lines = []; #items = new Map(); #reports = []; #previews = new WeakMap(); #timers = {};
  /// The message that is answered or edited, and a file.
  #draft = {};

  constructor(element, room, { show, isOver = false }) {
    [this.#element, this.#room, this.#chat, this.#show] = [element, room, room.chat, show];
    [this.#isOver, this.#stays, this.#heard] = [isOver, isOver, room.chat.last];
    element.innerHTML = markup;
    for (const part of element.querySelectorAll('[data-part]')) this.#part[part.dataset.part] = part;
    this.#listen();
    this.#draw();
    if (this.#isHost) this.#try(async () => { this.#reports = await this.#chat.reports(); this.#draw(); });
  }

  /// Ends its work: nothing of the room is left in its element.
  end() {
    this.#end.abort();
    Object.values(this.#timers).forEach(clearTimeout);
    this.#drawUnread(0);
    this.#element.replaceChildren();
  }

  opened() { this.#toEnd(); }

  /// One begins to write.
  focus() { this.#part.field.focus(); }

  closed() { this.#draw(); }

  /// Adds a line to the list; of several with the same code only the last one stays.
  alert(text, code) {
    this.#lines = this.#lines.filter((line) => code === undefined || line.code !== code).slice(-50);
    this.#lines.push({ id: `line ${Math.random()}`, text, code, order: this.#chat.last + 0.5 });
    this.#schedule();
  }

  get #isHost() { return this.#room.participants.get(this.#room.uid)?.rights.includes('moderate') ?? false; }

  #member(author) {
    return [...this.#room.participants.values()].find((one) => author === (one.identity ?? `guest:${one.session}`));
  }

  /// Does something later, instead of what is waiting under that name.
  #later(name, milliseconds, action) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(action, milliseconds);
  }

  async #try(action) { try { await action(); } catch (error) { this.#tell(error.message, true); } }

  /// A line above the bar, for some seconds.
  #tell(text, isBad = false) {
    const { notice } = this.#part;
    if (notice.textContent !== text) notice.textContent = text;
    notice.className = isBad ? 'notice bad' : 'notice';
    if (text && this.#element.hidden) this.#show(text, isBad);
    this.#later('notice', 8000, () => { if (!this.#chat.isBlocked) notice.textContent = ''; });
  }

  // MARK: Events

  #listen() {
    const on = (target, type, action) => target?.addEventListener(type, action, { signal: this.#end.signal });
    const [chat, room, part] = [this.#chat, this.#room, this.#part];
    const { list, field, picker } = part;
    const clicks = {
      gear: () => this.#showSettings(), close: () => this.#element.dispatchEvent(new Event('close')), shut: () => part.sheet.close(),
      newest: () => this.#toEnd(), add: () => picker.click(), reported: () => this.#showReports(),
      cancel: () => this.#setDraft({}, this.#draft.edit && ''),
    };
    for (const [name, action] of Object.entries(clicks)) on(part[name], 'click', action);
    for (const source of [chat, room]) on(source, 'change', () => this.#schedule());
    on(document, 'visibilitychange', () => this.#schedule());
    on(chat, 'report', ({ detail }) => { this.#reports.unshift(detail); this.#draw(); });
    on(chat, 'typing', ({ detail }) => {
      part.typing.textContent = `${this.#name(detail)} is typing …`;
      this.#later('typing', 3000, () => { part.typing.textContent = ''; });
    });
    on(room, 'data', ({ detail: { uid, text } }) => this.alert(`${this.#name(uid)}: ${text}`));
    for (const source of [chat, room]) {
      on(source, 'error', ({ detail: { code, message, missed = 0, cached = 0 } }) =>
        this.alert(`Stream message error ${code}: ${message} Missed ${missed}, cached ${cached}.`, code));
    }
    on(room, 'connection', ({ detail }) => this.#connection(detail));
    on(part.bar, 'submit', (event) => { event.preventDefault(); this.#try(() => this.#submit()); });
    for (const type of ['input', 'compositionend']) on(field, type, ({ isComposing }) => { if (!isComposing) this.#typed(); });
    on(this.#element, 'keydown', (event) => this.#press(event));
    on(picker, 'change', () => this.#attach(picker.files));
    on(field, 'paste', (event) => {
      if (!event.clipboardData.files.length) return;
      event.preventDefault();
      this.#attach(event.clipboardData.files);
    });
    for (const type of ['dragover', 'drop']) {
      on(this.#element, type, (event) => {
        event.preventDefault();
        if (type === 'drop') this.#attach(event.dataTransfer.files);
      });
    }
    on(list, 'scroll', () => {
      this.#isAtEnd = list.scrollTop + list.clientHeight >= list.scrollHeight - 24;
      if (list.scrollTop < 40 && !this.#isAtEnd && !this.#isOver) this.#older();
      this.#schedule();
    });
    // The bar stays above the keyboard of a telephone.
    const view = window.visualViewport;
    on(view, 'resize', () => {
      const hidden = view.scale > 1.01 ? 0 : Math.max(0, innerHeight - view.height - view.offsetTop);
      this.#element.style.setProperty('--keyboard', `${hidden}px`);
      if (this.#isAtEnd) this.#toEnd();
    });
  }

  #name(uid) { return this.#room.participants.get(uid)?.name ?? 'Somebody'; }

  #press(event) {
    const { key: name, target, shiftKey, isComposing } = event;
    const buttons = [...this.#part.list.querySelectorAll('.more')];
    const index = buttons.indexOf(target);
    // Arrows go from message to message: one stop of the Tab key for all.
    const next = index < 0 ? undefined : buttons[{ ArrowUp: index - 1, ArrowDown: index + 1, Home: 0, End: buttons.length - 1 }[name]];
    if (target === this.#part.field && name === 'Enter' && !shiftKey && !isComposing) this.#try(() => this.#submit());
    else if (name === 'Escape' && !this.#part.sheet.open) {
      this.#part[this.#part.context.hidden ? 'close' : 'cancel'].click();
    } else if (next) {
      for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
      next.focus();
    } else return;
    event.preventDefault();
  }

  #connection(state) {
    clearTimeout(this.#timers.lost);
    // It is noticed after 4 s.
    if (state === 'connecting') this.#later('lost', 6000, () => this.alert('Connection Lost'));
    if (this.#isCut !== (state === 'connecting')) this.alert(this.#isCut ? 'Connected again' : 'Connection Interrupted');
    this.#isCut = state === 'connecting';
  }

  // MARK: Drawing

  #schedule() {
    if (this.#isDue) return;
    this.#isDue = true;
    const draw = () => { if (!this.#end.signal.aborted) this.#draw(); };
    if (document.hidden) setTimeout(draw, 100); else requestAnimationFrame(draw);
  }

  #draw() {
    this.#isDue = false;
    const [chat, part] = [this.#chat, this.#part];
    const isOff = chat.isAvailable && !chat.isEnabled;
    const isShown = !this.#element.hidden;
    this.#element.dataset.form = this.#isOver ? 'over' : 'beside';
    [part.off.hidden, part.list.hidden, part.typing.hidden, part.bar.hidden] = [!isOff, isOff, isOff, isOff];
    part.reported.hidden = !this.#isHost || this.#reports.length === 0;
    part.reported.textContent = `Reports (${this.#reports.length})`;
    part.context.hidden = isOff || !Object.values(this.#draft).some(Boolean);
    if (!isOff) this.#drawList();
    if (isShown && !isOff && !document.hidden && this.#isAtEnd) chat.readAll();
    part.newest.hidden = isOff || this.#isAtEnd;
    part.newest.textContent = chat.unreadCount > 0 ? `${chat.unreadCount} new ↓` : 'Latest ↓';
    if (chat.isBlocked) this.#tell(blocked, true); else if (part.notice.textContent === blocked) this.#tell('');
    this.#drawUnread(chat.unreadCount);
    this.#announce();
  }

  #drawUnread(unread) {
    const button = document.querySelector(`[aria-controls="${this.#element.id}"]`);
    if (!button) return;
    button.querySelector('.badge')?.remove();
    button.ariaLabel = unread > 0 ? `${button.textContent}, ${unread} unread` : null;
    if (unread > 0) button.append(make('b', { className: 'badge', textContent: unread }));
  }

  /// Tells new messages to those who do not see them, at most once in two seconds: the one, or how many.
  #announce() {
    const fresh = () => this.#chat.messages.filter((one) => one.message > this.#heard && !this.#chat.isOwn(one));
    if (fresh().length === 0 || this.#timers.said) return;
    this.#later('said', 2000, () => {
      const all = fresh();
      this.#part.said.textContent = all.length === 1 ? summary(all[0]) : `${all.length} new messages`;
      [this.#timers.said, this.#heard] = [undefined, this.#chat.last];
    });
  }

  #drawList() {
    const [chat, { list }] = [this.#chat, this.#part];
    const fromEnd = list.scrollHeight - list.scrollTop;
    const name = this.#name(this.#room.uid);
    let entries = [
      ...chat.messages.map((message) => ({ order: message.message, message, isOwn: chat.isOwn(message), state: chat.state(message) })),
      ...chat.outgoing.map((sent) => ({
        order: Infinity, message: { ...sent, author: chat.author, name }, isOwn: true, state: sent.state, error: sent.error?.message,
      })), ...this.#lines,
    ].sort((one, other) => one.order - other.order || 0);
    if (this.#isOver) entries = entries.slice(-overCount);
    const isRun = (one, next) => one?.message && one.message.author === next?.message?.author;
    const items = entries.map((entry, index) => {
      const [before, next] = [isRun(entries[index - 1], entry), isRun(entry, entries[index + 1])];
      const place = before ? (next ? 'middle' : 'last') : next ? 'first' : 'single';
      return this.#item({ ...entry, place, state: next && entry.state !== 'failed' && entries[index + 1].state === entry.state ? undefined : entry.state });
    });
    this.older ??= make('li', { className: 'line' }, key('Older messages', () => this.#older()));
    if (chat.hasOlder && !this.#isOver) items.unshift(this.older);
    const kept = new Set(items);
    for (const item of [...list.children]) if (!kept.has(item)) item.remove();
    for (const [id, { item }] of this.#items) if (!kept.has(item)) this.#items.delete(id);
    // What is in its place is not touched, so that it keeps the focus.
    let place = list.firstChild;
    for (const item of items) if (item === place) place = place.nextSibling; else list.insertBefore(item, place);
    const buttons = [...list.querySelectorAll('.more')];
    if (!buttons.includes(document.activeElement)) for (const button of buttons) button.tabIndex = button === buttons.at(-1) ? 0 : -1;
    list.scrollTop = this.#isAtEnd ? list.scrollHeight : this.isLoading ? list.scrollHeight - fromEnd : list.scrollTop;
  }

  async #older() {
    if (this.isLoading || !this.#chat.hasOlder) return;
    [this.isLoading, this.#isAtEnd] = [true, false];
    await this.#try(() => this.#chat.older());
    this.#draw();
    this.isLoading = false;
  }

  #toEnd() {
    this.#isAtEnd = true;
    this.#draw();
  }

  /// The item of an entry: the one that is there, unless something about it is new.
  #item(entry) {
    const { message } = entry;
    const id = entry.id ?? `${message.author} ${message.key}`;
    const found = this.#items.get(id);
    const member = message && this.#member(message.author);
    const isHost = member?.rights.includes('moderate') || found?.isHost;
    const original = message?.replyTo && this.#chat.messages.find((one) => one.message === message.replyTo);
    const quote = message?.replyTo && (original ? summary(original) : `Message ${message.replyTo}`);
    const signature = JSON.stringify([entry, isHost, member?.avatar, quote]);
    if (found?.signature === signature) return found.item;
    const item = found?.item ?? make('li');
    const hadFocus = item.contains(document.activeElement);
    if (message) this.#fill(item, { ...entry, isHost, quote, avatar: member?.avatar });
    else item.replaceChildren(say('span', entry.text));
    if (!message) item.className = 'line';
    if (hadFocus) item.querySelector('.more')?.focus();
    this.#items.set(id, { item, signature, isHost });
    return item;
  }

  #fill(item, { message, isOwn, isHost, quote, avatar, place, state, error }) {
    const { name = '', text, image, file, time, edited } = message;
    const isDeleted = text === undefined;
    const isFirst = place === 'single' || place === 'first';
    item.className = `${place} ${isOwn ? 'own' : 'foreign'}`;
    const head = make('p', { className: isFirst ? 'head' : 'unseen' }, say('b', name, isHost ? 'host' : ''), isHost && say('small', 'host'));
    const bubble = make('div', { className: image || file ? 'bubble picture' : 'bubble' },
      quote && say('blockquote', quote), this.#picture(message),
      (text || isDeleted) && say('p', text ?? 'deleted', isDeleted ? 'deleted' : 'text'),
      time && make('p', { className: 'time' }, make('time', {
        dateTime: new Date(time).toISOString(), textContent: clock(time), title: new Date(time).toLocaleString(),
      }), edited && ' · edited'));
    const isFailed = state === 'failed';
    const body = make('div', { className: 'body' }, head, bubble,
      state && say('p', isFailed ? `failed: ${error}` : states[state], isFailed ? 'state bad' : 'state'),
      isFailed && make('p', { className: 'state' }, !message.isLost && key('Send again', () => this.#chat.resend(message.key)),
        key('Discard', () => this.#chat.discard(message.key))));
    const open = () => this.#showMenu(message, isOwn);
    if (!isOwn && !isDeleted) bubble.onclick = () => { if (getSelection().isCollapsed) open(); };
    item.replaceChildren(...[!isOwn && this.#avatar(message, avatar), body, message.message && !isDeleted
      && key('⋯', open, { className: 'more', ariaLabel: `Actions for the message of ${name}, ${clock(time)}` })].filter(Boolean));
  }

  /// A picture of somebody, or initials.
  #avatar({ author, name }, url) {
    const initials = name.split(/\s+/, 2).map((word) => [...word][0] ?? '').join('').toUpperCase();
    const face = make('span', { className: 'avatar', textContent: initials || '?', ariaHidden: true });
    const hue = [...author].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) % 360, 0);
    face.style.setProperty('--hue', hue);
    // From this server only: another one would learn who reads.
    if (url && new URL(url, location).origin === location.origin) face.append(make('img', { alt: '', src: url, onerror: ({ target }) => target.remove() }));
    return face;
  }

  #picture({ image, file, name }) {
    const known = image ?? this.#previews.get(file);
    if (!known) return undefined;
    const [width, height] = fit(known);
    const picture = make('img', { width, height, alt: `Image of ${name}`, src: known.url ?? '' });
    // Animations move only as a whole.
    if (image) this.#load(picture, image, { thumbnail: image.format !== 'gif' && image.byteCount > 100_000 });
    return picture;
  }

  async #load(picture, image, options) {
    try { picture.src = await this.#chat.imageURL(image, options); } catch (error) { picture.alt = error.message; }
  }

  // MARK: Writing

  #typed() {
    const field = this.#part.field;
    const short = cut(field.value);
    if (short !== field.value) {
      field.value = short;
      this.#tell('A message has at most 255 characters: the rest was cut.');
    }
    const left = 255 - count(short);
    this.#part.left.textContent = left > 50 ? '' : `${left} left`;
    // As high as its lines.
    field.style.height = 'auto';
    field.style.height = `${field.scrollHeight + 2}px`;
    if (this.#isAtEnd) this.#part.list.scrollTop = this.#part.list.scrollHeight;
    if (short) this.#chat.typing();
  }

  /// Begins an answer, an edit, or a message with a file; or ends it.
  #setDraft(draft, value) {
    this.#draft = draft;
    const { replyTo, edit, file } = draft;
    const [picture, text] = this.#part.context.children;
    text.textContent = edit ? `Edit: ${edit.text}` : [replyTo && `Answer to ${summary(replyTo)}`, file?.name].filter(Boolean).join(' · ');
    [picture.hidden, picture.src] = [!file, this.#previews.get(file)?.url ?? ''];
    if (value !== undefined) this.#part.field.value = value;
    this.#draw();
    this.#typed();
    this.#part.field.focus();
  }

  async #attach([file]) {
    const reason = file && await refusal(file);
    const bitmap = file && !reason && await createImageBitmap(file).catch(() => undefined);
    this.#part.picker.value = '';
    if (!bitmap) return file && this.#tell(reason ?? `${file.name} is damaged.`, true);
    this.#previews.set(file, { url: URL.createObjectURL(file), width: bitmap.width, height: bitmap.height });
    this.#setDraft({ replyTo: this.#draft.replyTo, file });
  }

  /// A text stays in its field unless it is sent.
  async #submit() {
    const { replyTo, edit, file } = this.#draft;
    const text = this.#part.field.value;
    if (!clean(text) && !file) return;
    if (this.#chat.isBlocked) return this.#tell(blocked, true);
    if (edit) await this.#chat.edit(edit.message, text); else this.#chat.send(text, { replyTo: replyTo?.message, file });
    this.#isAtEnd = true;
    this.#setDraft({}, '');
    if (!this.#stays) this.#part.list.focus({ preventScroll: true });
  }

  // MARK: Sheets

  #open(title, ...content) {
    const [header, body] = this.#part.sheet.children;
    header.firstChild.textContent = this.#part.sheet.ariaLabel = title;
    body.replaceChildren(...content.filter(Boolean));
    if (!this.#part.sheet.open) this.#part.sheet.showModal();
  }

  /// A button of a sheet, which closes it.
  #action(text, action = () => {}) {
    return key(text, () => {
      this.#part.sheet.close();
      this.#try(action);
    });
  }

  #showMenu(message, isOwn) {
    const { author, name, text, image } = message;
    const isBlocked = this.#chat.blockedAuthors.includes(author);
    const add = (isPossible, ...rest) => isPossible && this.#action(...rest);
    this.#open(`Message of ${name}`, text && say('blockquote', text),
      add(!isOwn, 'Report', () => this.#showReport(message)),
      add(true, 'Answer', () => this.#setDraft({ file: this.#draft.file, replyTo: message })),
      add(image, 'Show image', () => this.#showImage(message)),
      add(isOwn && text, 'Edit', () => this.#setDraft({ edit: message }, text)),
      add(isOwn || this.#isHost, 'Delete', () => this.#chat.delete(message.message)),
      add(!isOwn && this.#isHost, isBlocked ? 'Unblock' : 'Block', () => this.#chat.block(author, !isBlocked)),
      add(true, 'Cancel'));
  }

  #showImage({ image, name }) {
    const picture = make('img', { width: image.width, height: image.height, alt: `Image of ${name}` });
    this.#load(picture, image);
    this.#open(picture.alt, picture);
  }

  #showReport(message) {
    const choices = reasons.map((text, index) => make('label', {}, make('input', { type: 'radio', name: 'reason', value: text, checked: !index }), text));
    const more = make('textarea', { rows: 3, oninput: () => { if (cut(more.value) !== more.value) more.value = cut(more.value); } });
    const form = make('form', {}, make('fieldset', {}, make('legend', { textContent: 'Reason' }), ...choices),
      make('label', {}, 'What happened (optional)', more), make('button', { textContent: 'Send report', className: 'send' }));
    form.onsubmit = (event) => {
      event.preventDefault();
      this.#part.sheet.close();
      const [reason] = form.elements.reason.value.toLowerCase().split(' ');
      this.#try(async () => {
        await this.#chat.report(message.message, reason, more.value);
        this.#tell('The hosts have your report.');
      });
    };
    this.#open('Report a message', say('blockquote', summary(message)), form);
  }

  /// For hosts: the latest first.
  #showReports() {
    this.#open('Reports', ...this.#reports.map(({ reason, reporter, text, message, original }) => make('section', {},
      say('b', reasons.find((one) => one.toLowerCase().startsWith(reason))), ` by ${this.#member(reporter)?.name ?? reporter}`,
      original && say('blockquote', summary(original)), text && say('p', text),
      this.#action('Delete the message', () => this.#chat.delete(message)),
      original && this.#action(`Block ${original.name}`, () => this.#chat.block(original.author)))));
  }

  #showSettings() {
    const box = (text, checked, action) => {
      const input = make('input', { type: 'checkbox', checked, onchange: () => this.#try(() => action(input.checked)) });
      return make('label', {}, input, text);
    };
    const stay = box('Stay in the field after sending', this.#stays, (isOn) => { this.#stays = isOn; });
    this.#open('Settings of the chat', box('Over the pictures, with the last 20', this.#isOver, (isOn) => {
      this.#isOver = this.#stays = stay.firstChild.checked = isOn;
      this.#toEnd();
    }), stay, this.#isHost && box('People may write', this.#chat.isEnabled, (isOn) => this.#chat.setEnabled(isOn)));
  }
}
