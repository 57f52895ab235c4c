// The page of a room: a lobby, tiles, and chat. All that it knows of rooms is in rill-room.js.
import { Room } from '/rill-room.js';
import { show } from '/rill.js';
import { FrameEncryption } from '/rill-sframe.js';
import { ChatPanel } from '/chat.js';

const element = (id) => document.getElementById(id);
const [lobby, meeting, tiles] = ['lobby', 'meeting', 'tiles'].map(element);
const seen = new Map();
let room;
let panel;
let encryption;
let media = new MediaStream();

const fragment = new URLSearchParams(location.hash.slice(1));
/// The most tiles that are shown large at a time.
const largest = 4;

/// Names and keys of rooms: letters, digits and marks, without spaces, quotes, stars and slashes.
const allowed = /[^A-Za-z0-9`!#$%&()+,\-:;<=.>?@[\]^_{|}~]/g;

async function openCamera() {
  try {
    if (!navigator.mediaDevices) throw new Error('a browser gives pages a camera over HTTPS, or from localhost.');
    media = await navigator.mediaDevices.getUserMedia({
      video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } }, audio: true,
    });
    element('preview').srcObject = media;
  } catch (error) {
    show(`You join as a viewer: ${error.message}`, true);
  }
}

async function join() {
  const { room: place, name, secret } = lobby.elements;
  const token = fragment.get('token') ?? undefined;
  const [camera] = media.getVideoTracks();
  show('Joining …');
  try {
    // With a secret it is encrypted or not at all.
    encryption = secret.value ? await FrameEncryption.create(secret.value, place.value, Number(fragment.get('bits') ?? 128)) : undefined;
    const role = asked.get('role') ?? (camera ? 'speaker' : 'viewer');
    const attributes = encryption && { encrypted: 'SFrame' };
    room = await Room.join('/rooms', { room: place.value, name: name.value, token, role, attributes, encryption });
  } catch (error) {
    encryption?.end();
    return show(`Join channel failed: ${error.code ?? ''} ${error.message}`, true);
  }
  for (const type of ['change', 'slot']) room.addEventListener(type, draw);
  panel = new ChatPanel(element('chat'), room, { show });
  room.addEventListener('levels', ({ detail }) => {
    for (const { uid, level } of detail) seen.get(uid)?.tile.style.setProperty('--level', `${Math.max(0, 100 - level)}%`);
  });
  room.addEventListener('connection', ({ detail }) => show({ connecting: 'Connection Interrupted', connected: '' }[detail] ?? ''));
  room.addEventListener('ended', ({ detail }) => leave(detail));
  [lobby.hidden, meeting.hidden, element('title').textContent] = [true, false, place.value];
  show('');
  draw();
  if (camera) await room.publish('video', camera);
  const [voice] = media.getAudioTracks();
  if (voice) await room.publish('sound', voice);
  for (const [id, track] of [['camera', camera], ['microphone', voice]]) element(id).hidden = !track;
}

function leave(reason) {
  encryption?.end();
  for (const { tile, sound } of seen.values()) { tile.remove(); sound.srcObject = null; }
  seen.clear();
  panel.end();
  [lobby.hidden, meeting.hidden, element('title').textContent] = [false, true, 'Join a room'];
  show(reason === 'left' ? '' : `The room is over for you: ${reason}.`, reason !== 'left');
}

/// A tile for each one who is there, in the order of their arrival; one's own is mirrored.
function draw() {
  if (room.state === 'ended') return;
  for (const [uid, { tile, sound }] of seen) {
    if (room.participants.has(uid)) continue;
    visible.unobserve(tile);
    tile.remove();
    sound.srcObject = null;
    seen.delete(uid);
  }
  for (const [uid, participant] of room.participants) {
    const { tile, video, sound, name } = seen.get(uid) ?? addTile(uid);
    const isOwn = uid === room.uid;
    const picture = participant.media.get('video');
    const isUnopened = !isOwn && (isUnreadable(participant) || room.isUnopened(uid, 'video') || room.isUnopened(uid, 'sound'));
    name.textContent = participant.name + (isOwn ? ' (you)' : '') + (isUnopened ? ' (encrypted)' : '');
    const isShown = picture && !picture.muted && !isUnopened && (isOwn || picture.width !== undefined);
    tile.classList.toggle('empty', !isShown);
    tile.classList.toggle('speaking', uid === room.speaker);
    tile.classList.toggle('away', participant.presence !== 'connected');
    tile.dataset.muted = participant.media.get('sound')?.muted ?? true;
    set(video, isShown ? (isOwn ? media.getVideoTracks()[0] : room.track(uid, 'video')) : undefined);
    if (!isOwn) set(sound, isUnopened ? undefined : room.track(uid, 'sound'));
  }
  wish();
}

/// Whether somebody's frames are encrypted and ours are not: a browser would take them for damaged ones.
const isUnreadable = ({ attributes }) => !encryption && attributes?.encrypted !== undefined;

function addTile(uid) {
  const [tile, video, sound, name] = ['li', 'video', 'audio', 'span'].map((tag) => document.createElement(tag));
  [video.muted, video.autoplay, video.playsInline, sound.autoplay] = [true, true, true, true];
  video.classList.toggle('mirrored', uid === room.uid);
  tile.append(video, sound, name);
  tiles.append(tile);
  visible.observe(tile);
  const found = { tile, video, sound, name, isVisible: true };
  seen.set(uid, found);
  return found;
}

function set(player, track) {
  if (player.srcObject?.getTracks()[0] === track) return;
  player.srcObject = track ? new MediaStream([track]) : null;
}

const visible = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    for (const found of seen.values()) if (found.tile === target) found.isVisible = isIntersecting;
  }
  if (room) wish();
});

/// Wants large pictures of who can be seen, the speaker first, and small ones of the rest.
function wish() {
  let left = largest;
  const order = [...room.participants.values()].filter(({ uid }) => uid !== room.uid)
    .sort((a, b) => (b.uid === room.speaker) - (a.uid === room.speaker));
  for (const participant of order) {
    const { uid, media: kinds } = participant;
    if (isUnreadable(participant)) continue;
    const found = seen.get(uid);
    if (kinds.has('video') && found) {
      const isLarge = found.isVisible && left > 0;
      if (isLarge) left -= 1;
      const scale = devicePixelRatio;
      const size = { width: Math.round(found.tile.clientWidth * scale), height: Math.round(found.tile.clientHeight * scale) };
      room.want(uid, 'video', isLarge && size.width > 0 ? size : 'low', uid === room.speaker ? 2 : found.isVisible ? 1 : 0);
    }
    if (kinds.has('sound')) room.want(uid, 'sound', 'high');
  }
}

for (const [id, kind] of [['microphone', 'sound'], ['camera', 'video']]) {
  element(id).addEventListener('click', async ({ currentTarget: button }) => {
    const isOn = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', isOn);
    await room.setMuted(kind, !isOn);
    draw();
  });
}
lobby.elements.room.addEventListener('input', ({ target }) => { target.value = target.value.replace(allowed, ''); });
const toggle = () => {
  const isOpen = element('chat').hidden;
  [element('chat').hidden, element('message').ariaExpanded] = [!isOpen, isOpen];
  if (isOpen) panel.opened(); else panel.closed();
};
element('message').addEventListener('click', toggle);
element('chat').addEventListener('close', toggle);
lobby.addEventListener('submit', (event) => { event.preventDefault(); join(); });
element('leave').addEventListener('click', () => room.leave());
addEventListener('pagehide', () => room?.leave());
const asked = new URLSearchParams(location.search);
// Never sent to a server.
if (fragment.get('secret')) lobby.elements.secret.value = fragment.get('secret');
for (const field of ['room', 'name']) if (asked.get(field)) lobby.elements[field].value = asked.get(field);
await openCamera();
if (asked.has('start')) join();
