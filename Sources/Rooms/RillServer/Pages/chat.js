// The panel of a room's chat: messages, reports for hosts, and the field. It uses room.chat of rill-chat.js.
//
//   const panel = new ChatPanel(element, room, { show });  // show(text, isBad): a line of status
//   panel.end();                                           // the room is over: the element is empty again

const states = { sending: 'sending …', sent: 'sent', delivered: 'delivered', read: 'read' };
const reasons = ['racism', 'homophobia', 'sexism', 'bullying', 'intellectual', 'other'];

/// What is in its element; texts come later, as text.
const markup = `
  <h2>Chat</h2>
  <p id="chat-off" hidden>Chat is disabled by the streamer.</p>
  <ul id="messages" aria-live="polite"></ul>
  <p id="typing" class="quiet" aria-live="polite"></p>
  <form id="write" class="row">
    <label for="text">Message</label>
    <input id="text" name="text" maxlength="4096" placeholder="Message" autocomplete="off">
    <button>Send</button>
  </form>
  <button id="chat-switch" type="button" hidden>Turn chat off</button>
  <ul id="reports" aria-label="Reports"></ul>
`;

function make(tag, text, type = '') {
  const made = document.createElement(tag);
  [made.textContent, made.className] = [text, type];
  return made;
}

export class ChatPanel {
  #element; #room; #show; #typingTimer;
  #listeners = new AbortController();

  constructor(element, room, { show }) {
    [this.#element, this.#room, this.#show] = [element, room, show];
    const { signal } = this.#listeners;
    const { chat } = room;
    element.innerHTML = markup;
    const field = this.#part('text');
    chat.addEventListener('change', () => this.#draw(), { signal });
    chat.addEventListener('typing', ({ detail }) => this.#showTyping(room.participants.get(detail)?.name), { signal });
    chat.addEventListener('report', ({ detail }) => this.#addReport(detail), { signal });
    this.#part('write').addEventListener('submit', (event) => this.#write(event, field), { signal });
    field.addEventListener('input', () => chat.typing(), { signal });
    this.#part('chat-switch').addEventListener('click', async () => {
      try { await chat.setEnabled(!chat.isEnabled); } catch (error) { show(error.message, true); }
    }, { signal });
    document.addEventListener('visibilitychange', () => this.#draw(), { signal });
    this.#draw();
    if (this.#isHost) this.#addReports().catch((error) => show(error.message, true));
  }

  /// Ends its work: nothing of the room is left in its element.
  end() {
    this.#listeners.abort();
    clearTimeout(this.#typingTimer);
    this.#element.replaceChildren();
  }

  #part(id) { return this.#element.querySelector(`#${id}`); }
  get #isHost() { return this.#room.participants.get(this.#room.uid)?.rights.includes('moderate') ?? false; }

  /// The last 20 messages, and those that are on their way.
  #draw() {
    const { chat } = this.#room;
    const messages = this.#part('messages');
    // Somebody fills in a report.
    if (messages.querySelector('form')) return;
    const isHost = this.#isHost;
    const isOff = chat.isAvailable && !chat.isEnabled;
    [messages.hidden, this.#part('write').hidden, this.#part('chat-off').hidden] = [isOff, isOff, !isOff];
    this.#part('chat-switch').hidden = !isHost || !chat.isAvailable;
    this.#part('chat-switch').textContent = chat.isEnabled ? 'Turn chat off' : 'Turn chat on';
    const isAtEnd = messages.scrollTop + messages.clientHeight >= messages.scrollHeight - 8;
    messages.replaceChildren(...chat.messages.slice(-20).map((message) => this.#item(message, isHost)), ...chat.outgoing.map((message) => this.#outgoingItem(message)));
    if (isAtEnd) messages.scrollTop = messages.scrollHeight;
    if (!document.hidden && !isOff) chat.readAll();
  }

  #button(text, action) {
    const made = make('button', text);
    made.type = 'button';
    made.addEventListener('click', () => Promise.resolve(action()).catch((error) => this.#show(error.message, true)));
    return made;
  }

  #item(message, isHost) {
    const isOwn = message.author === this.#room.chat.author;
    const line = make('li', '', isOwn ? 'own' : '');
    const more = [message.edited && 'edited', states[this.#room.chat.state(message)]].filter(Boolean).map((word) => `, ${word}`).join('');
    line.append(make('span', `${message.name}, ${new Date(message.time).toLocaleTimeString()}${more}`));
    const body = make('p', message.text ?? 'deleted', message.text === undefined ? 'quiet' : '');
    // Marks of a direction end with the text.
    body.dir = 'auto';
    line.append(body);
    if (message.text === undefined) return line;
    if (isOwn || isHost) line.append(this.#button('Delete', () => this.#room.chat.delete(message.message)));
    if (!isOwn) line.append(this.#button('Report', () => line.replaceChildren(this.#reportForm(message))));
    if (!isOwn && isHost) {
      const isBlocked = this.#room.chat.blockedAuthors.includes(message.author);
      line.append(this.#button(isBlocked ? 'Unblock' : 'Block', () => this.#room.chat.block(message.author, !isBlocked)));
    }
    return line;
  }

  #outgoingItem({ key, text, state, error }) {
    const line = make('li', '', 'own');
    line.append(make('span', state === 'failed' ? `failed: ${error.message}` : states.sending), make('p', text));
    line.lastChild.dir = 'auto';
    if (state === 'failed') line.append(this.#button('Send again', () => this.#room.chat.resend(key)), this.#button('Discard', () => this.#room.chat.discard(key)));
    return line;
  }

  #reportForm(message) {
    const form = make('form', '');
    const done = () => {
      form.remove();
      this.#draw();
    };
    const [choice, text] = [make('select', ''), make('input', '')];
    choice.append(...reasons.map((reason) => make('option', reason)));
    [choice.ariaLabel, text.ariaLabel, text.maxLength] = ['Reason', 'What happened', 255];
    form.append(choice, text, make('button', 'Report'), this.#button('Cancel', done));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      try {
        await this.#room.chat.report(message.message, choice.value, text.value);
        this.#show('The hosts have your report.');
      } catch (error) { this.#show(error.message, true); }
      done();
    });
    return form;
  }

  /// For hosts: the latest first.
  #addReport({ message, reason, text, original }) {
    const line = make('li', '');
    line.append(make('span', `${original?.name ?? ''}, message ${message}: ${reason}`), make('p', original?.text ?? 'deleted'), make('p', text, 'quiet'));
    this.#part('reports').prepend(line);
  }

  async #addReports() {
    for (const report of (await this.#room.chat.reports()).reverse()) this.#addReport(report);
  }

  #showTyping(name) {
    clearTimeout(this.#typingTimer);
    this.#part('typing').textContent = name ? `${name} is typing …` : '';
    if (name) this.#typingTimer = setTimeout(() => this.#showTyping(), 3000);
  }

  /// A text stays in its field unless it is sent.
  #write(event, field) {
    event.preventDefault();
    if (this.#room.chat.isBlocked) return this.#show('A host has blocked you.', true);
    if (this.#room.chat.send(field.value)) field.value = '';
  }
}
