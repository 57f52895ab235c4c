// The tiles of a room, in three views: gallery (a grid, or one large), grid (squares that scroll), speaker (one of all).

import { texts } from '/texts.js';

const make = (tag, type = '') => Object.assign(document.createElement(tag), { className: type });
const gap = 8;
/// The most pictures of a gallery.
const most = 5;

export class Stage {
  isNumbered = false;
  #list; #room; #waiting; #view; #chosen; #shown; #ownFigures; #bars; #sink = ''; #isSilent = false; #timer; #isOver = false;
  #tiles = new Map();
  #sounds = new Map();
  #off = new AbortController();
  #sizes = new ResizeObserver(() => this.#arrange(false));

  /// list: an element for the tiles. waiting: what is shown while nobody is there. ownFigures: what one sends, in words.
  /// bars(areBelow): whether title and controls have rows of their own, or are over the tiles.
  constructor(list, room, { view, waiting, ownFigures, bars }) {
    [this.#list, this.#room, this.#view, this.#waiting] = [list, room, view, waiting];
    [this.#ownFigures, this.#bars] = [ownFigures, bars];
    const { signal } = this.#off;
    room.addEventListener('change', () => this.draw(), { signal });
    room.addEventListener('firstFrame', ({ detail: { uid, kind } }) => {
      const tile = this.#tiles.get(`${uid} ${kind}`);
      if (!tile) return;
      tile.hasPicture = true;
      this.draw();
    }, { signal });
    list.addEventListener('dblclick', (event) => this.#enlarge(event.target.closest('li')), { signal });
    list.addEventListener('keydown', (event) => { if (event.key === 'Enter') this.#enlarge(event.target.closest('li')); }, { signal });
    this.#sizes.observe(list);
    this.#timer = setInterval(() => this.#count(), 1000);
    this.draw();
  }

  get view() { return this.#view; }
  set view(view) {
    [this.#view, this.#chosen] = [view, undefined];
    this.draw();
  }

  /// Whether the sound of others is off.
  get isSilent() { return this.#isSilent; }
  set isSilent(isSilent) {
    this.#isSilent = isSilent;
    for (const player of this.#sounds.values()) player.muted = isSilent;
  }

  /// Plays the sound of others by that device.
  async playThrough(sink) {
    this.#sink = sink;
    await Promise.all([...this.#sounds.values()].map((player) => player.setSinkId?.(sink)));
  }

  end() {
    this.#isOver = true;
    this.#off.abort();
    this.#sizes.disconnect();
    clearInterval(this.#timer);
    for (const { video } of this.#tiles.values()) this.#room.detach(video);
    for (const player of this.#sounds.values()) this.#room.detach(player);
    this.#list.replaceChildren();
    this.#list.className = 'tiles';
    this.#waiting.hidden = true;
  }

  /// Brings tiles and sounds up to date with the room.
  draw() {
    const room = this.#room;
    if (this.#isOver || room.state === 'ended') return;
    const there = new Set();
    for (const [uid, participant] of room.participants) {
      // Viewers have no tile.
      if (participant.media.has('video') || participant.media.has('sound')) there.add(`${uid} video`);
      if (participant.media.has('screen') && uid !== room.uid) there.add(`${uid} screen`);
      if (participant.media.has('sound') && uid !== room.uid && !this.#sounds.has(uid)) this.#addSound(uid);
    }
    for (const [key, tile] of this.#tiles) if (!there.has(key)) this.#remove(key, tile);
    for (const [uid, player] of this.#sounds) {
      if (room.participants.get(uid)?.media.has('sound')) continue;
      room.detach(player);
      player.remove();
      this.#sounds.delete(uid);
    }
    for (const key of there) if (!this.#tiles.has(key)) this.#add(key);
    for (const tile of this.#tiles.values()) this.#fill(tile);
    this.#arrange(true);
  }

  #add(key) {
    const [uid, kind] = [Number(key.split(' ')[0]), key.split(' ')[1]];
    const [li, video, avatar, letter, tag, figures] =
      [make('li', kind), make('video'), make('div', 'avatar'), make('b'), make('span', 'tag'), make('p', 'figures')];
    Object.assign(video, { muted: true, autoplay: true, playsInline: true, disablePictureInPicture: uid === this.#room.uid });
    video.classList.toggle('mirrored', uid === this.#room.uid);
    li.style.setProperty('--hue', uid * 67 % 360);
    li.tabIndex = 0;
    const [name, icon] = [make('span'), document.createElementNS('http://www.w3.org/2000/svg', 'svg')];
    icon.append(document.createElementNS(icon.namespaceURI, 'use'));
    icon.firstChild.setAttribute('href', '#i-microphone');
    icon.ariaHidden = 'true';
    tag.append(name, icon);
    avatar.append(letter);
    avatar.ariaHidden = 'true';
    figures.hidden = true;
    li.append(video, avatar, tag, figures);
    li.classList.add('unseen');
    this.#list.append(li);
    this.#tiles.set(key, { key, uid, kind, li, video, letter, name, icon, figures, hasPicture: false, isReady: false });
  }

  #remove(key, { li, video }) {
    this.#room.detach(video);
    li.remove();
    this.#tiles.delete(key);
    if (this.#chosen === key) this.#chosen = undefined;
    if (this.#shown === key) this.#shown = undefined;
  }

  #addSound(uid) {
    const player = Object.assign(make('audio'), { autoplay: true, muted: this.#isSilent });
    if (this.#sink) player.setSinkId?.(this.#sink).catch(() => {});
    // Beside the tiles: what is moved in a page stops.
    this.#list.after(player);
    this.#sounds.set(uid, player);
    this.#room.attach(player, uid, 'sound');
  }

  #fill(tile) {
    const { uid, kind, li } = tile;
    const room = this.#room;
    const { name, media, presence } = room.participants.get(uid);
    const isOwn = uid === room.uid;
    const [picture, sound] = [media.get(kind), media.get('sound')];
    const isSealed = room.isSealed(uid) || !isOwn && (room.isUnopened(uid, kind) || room.isUnopened(uid, 'sound'));
    const isEmpty = !picture || picture.muted || isSealed || !isOwn && !tile.hasPicture;
    // Before its first picture somebody who sends one has no tile.
    tile.isReady ||= isOwn || !picture || picture.muted || isSealed || tile.hasPicture;
    li.classList.toggle('empty', isEmpty);
    li.classList.toggle('speaking', uid === room.speaker && kind === 'video');
    li.classList.toggle('away', presence !== 'connected');
    const states = [
      (!sound || sound.muted) && texts.micOff, (!picture || picture.muted) && texts.cameraOff, isSealed && texts.encrypted,
      presence !== 'connected' && texts.away,
    ].filter(Boolean);
    const who = kind === 'screen' ? texts.screen(name) : isOwn ? texts.you(name) : name;
    const isSilent = kind === 'video' && (!sound || sound.muted);
    set(tile.name, 'textContent', who + (isSealed ? ` (${texts.encrypted})` : ''));
    set(tile.icon.style, 'display', isSilent ? '' : 'none');
    set(tile.letter, 'textContent', [...name][0]?.toUpperCase() ?? '?');
    set(li, 'ariaLabel', [who, ...kind === 'screen' ? [] : states].join(', '));
  }

  // MARK: Places

  /// The tiles of the view, in its order, and the large one.
  #choose() {
    const room = this.#room;
    const ready = [...this.#tiles.values()].filter(({ isReady }) => isReady);
    const order = [...room.participants.keys()];
    ready.sort((a, b) => order.indexOf(a.uid) - order.indexOf(b.uid));
    const screens = ready.filter(({ kind }) => kind === 'screen');
    const own = ready.filter(({ uid }) => uid === room.uid);
    const peers = ready.filter(({ uid, kind }) => uid !== room.uid && kind === 'video');
    if (this.#view === 'grid') return { tiles: [...screens, ...ready.filter(({ kind }) => kind === 'video')] };
    if (this.#view === 'speaker') {
      const speaker = peers.find(({ uid }) => uid === room.speaker);
      const former = peers.find(({ key }) => key === this.#shown);
      const shown = screens[0] ?? speaker ?? former ?? peers[0];
      if (shown?.kind !== 'screen') this.#shown = shown?.key;
      return { tiles: [shown, ...own].filter(Boolean), isPair: shown !== undefined, isWaiting: !shown };
    }
    const others = [...screens, ...peers];
    const speaker = others.findIndex(({ uid }) => uid === room.speaker);
    if (speaker >= most) others.splice(most - 1, 0, others.splice(speaker, 1)[0]);
    const isPair = others.length === 1 && own.length === 1 && screens.length === 0;
    const isOwnOff = own[0]?.li.classList.contains('empty');
    const tiles = [...others, ...isPair && isOwnOff ? [] : own].slice(0, most);
    let large = tiles.find(({ key }) => key === this.#chosen);
    // Fewer than three: nobody is chosen.
    if (tiles.length < 3 && large?.kind !== 'screen') large = this.#chosen = undefined;
    if (this.#chosen !== '' && tiles.length > 1) large ??= screens[0];
    return { tiles, isPair: isPair && tiles.length === 2, large, isWaiting: tiles.length === 0 };
  }

  #arrange(isAnimated) {
    if (this.#isOver) return;
    const { tiles, isPair = false, large, isWaiting = false } = this.#choose();
    const list = this.#list;
    const box = { width: list.clientWidth, height: list.clientHeight };
    const isPortrait = box.height > box.width;
    set(this.#waiting, 'hidden', !isWaiting);
    const places = this.#view === 'grid' ? [] : large ? this.#strip(tiles, large, box, isPortrait)
      : isPair || tiles.length === 1 && !isWaiting ? this.#pair(tiles, box) : grid(tiles.length, box);
    if (isWaiting && tiles.length === 1) places.splice(0, 1, this.#corner(tiles[0], box));
    const mode = this.#view === 'grid' ? 'squares' : large ? `strip ${isPortrait ? 'top' : 'right'}` : '';
    for (const tile of this.#tiles.values()) {
      // Who cannot get a place in a gallery sends no picture here.
      const isWanted = tiles.includes(tile) || !tile.isReady || this.#view !== 'gallery';
      if (isWanted === (tile.isAttached ?? false)) continue;
      tile.isAttached = isWanted;
      if (isWanted) this.#room.attach(tile.video, tile.uid, tile.kind); else this.#room.detach(tile.video);
    }
    const layout = JSON.stringify([mode, places, tiles.map(({ key }) => key), box]);
    if (layout === this.#layout) return;
    this.#layout = layout;
    this.#bars(this.#view === 'grid' || tiles.length > 2 || large !== undefined);
    const before = new Map(tiles.filter(({ li }) => !li.classList.contains('unseen')).map(({ li }) => [li, li.getBoundingClientRect()]));
    list.className = `tiles ${mode}`;
    for (const tile of this.#tiles.values()) {
      const index = tiles.indexOf(tile);
      const isPlaced = index >= 0;
      const { width, height, left, top, front, span } = places[index] ?? {};
      const pixels = (value) => value === undefined ? '' : `${value}px`;
      Object.assign(tile.li.style, { width: pixels(width), height: pixels(height), left: pixels(left), top: pixels(top),
        order: isPlaced ? index : '', gridArea: span ?? '' });
      tile.li.classList.toggle('unseen', !isPlaced);
      tile.li.classList.toggle('front', front ?? false);
      tile.li.classList.toggle('large', tile === large);
      tile.li.classList.toggle('fills', isPlaced && width === box.width && height === box.height);
      tile.li.inert = !isPlaced;
    }
    if (isAnimated && this.#view !== 'grid') for (const [li, rect] of before) move(li, rect);
  }
  #layout;

  /// One fills all; a second one is in the corner.
  #pair([first, second], box) {
    const places = [{ left: 0, top: 0, ...box }];
    if (second) places.push(this.#corner(second, box));
    return places;
  }

  #corner({ video }, box) {
    const width = Math.round(box.width / 4);
    const aspect = video.videoWidth ? video.videoWidth / video.videoHeight : 16 / 9;
    return { left: box.width - width - gap, top: gap, width, height: Math.round(width / aspect), front: true };
  }

  /// One large, and a strip of small ones that scrolls: above it, or to the right.
  #strip(tiles, large, box, isPortrait) {
    const count = tiles.length - 1;
    const side = isPortrait ? 104 : Math.round(Math.max(150, box.width * .18));
    let index = 0;
    return tiles.map((tile) => {
      if (tile === large) {
        return isPortrait ? { width: box.width, height: box.height - side - gap, left: 0, span: `2 / 1 / auto / span ${count}` }
          : { width: box.width - side - gap, height: box.height, top: 0, span: `1 / 1 / span ${count} / auto` };
      }
      index += 1;
      return isPortrait ? { width: Math.round(side * 4 / 3), height: side, span: `1 / ${index}` }
        : { width: side, height: Math.round(side * 3 / 4), span: `${index} / 2` };
    });
  }

  /// With three or more: that one large, or again all equal.
  #enlarge(li) {
    const tile = [...this.#tiles.values()].find((one) => one.li === li);
    if (!tile || this.#view !== 'gallery' || this.#choose().tiles.length < 3) return;
    this.#chosen = li.classList.contains('large') ? '' : tile.key;
    this.draw();
  }

  // MARK: Numbers

  async #count() {
    for (const { figures } of this.#tiles.values()) set(figures, 'hidden', !this.isNumbered);
    if (!this.isNumbered || this.#isOver) return;
    const found = await this.#room.statistics();
    for (const { uid, kind, figures } of this.#tiles.values()) {
      const one = found.find((each) => each.uid === uid && each.kind === kind);
      const text = uid === this.#room.uid ? this.#ownFigures()
        : one ? `${texts.statistics(one)}\n${texts.why(one)}` : '';
      set(figures, 'innerText', text);
    }
  }
}

/// Changes only what is different: a page that is the same is not drawn again.
function set(element, name, value) { if (element[name] !== value) element[name] = value; }

/// Equal places for so many, as near to 4:3 as can be.
function grid(count, { width, height }) {
  let best;
  for (let columns = 1; columns <= count; columns += 1) {
    const rows = Math.ceil(count / columns);
    const size = [(width - gap * (columns - 1)) / columns, (height - gap * (rows - 1)) / rows];
    const off = Math.abs(Math.log(size[0] / size[1] * 3 / 4)) + .2 * (columns * rows - count);
    if (!best || off < best.off) best = { columns, rows, size, off };
  }
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / best.columns);
    const inRow = Math.min(best.columns, count - row * best.columns);
    const [w, h] = best.size;
    const start = (width - inRow * w - (inRow - 1) * gap) / 2;
    return { left: start + (index - row * best.columns) * (w + gap), top: row * (h + gap), width: w, height: h };
  });
}

/// Lets an element move from where it was.
function move(element, from) {
  const to = element.getBoundingClientRect();
  if (matchMedia('(prefers-reduced-motion: reduce)').matches || !to.width || !to.height) return;
  if (Math.abs(from.x - to.x) + Math.abs(from.y - to.y) + Math.abs(from.width - to.width) < 2) return;
  const scale = `scale(${from.width / to.width}, ${from.height / to.height})`;
  element.animate([
    { transformOrigin: '0 0', transform: `translate(${from.x - to.x}px, ${from.y - to.y}px) ${scale}` },
    { transformOrigin: '0 0', transform: 'none' },
  ], { duration: 300, easing: 'ease-out' });
}
