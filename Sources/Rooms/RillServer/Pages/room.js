// The page of a room: from the lobby into the room and back. All that it knows of rooms is in rill-room.js.

import { Room } from '/rill-room.js';
import { FrameEncryption } from '/rill-sframe.js';
import { ChatPanel } from '/chat.js';
import { Stage } from '/stage.js';
import { Beauty } from '/beauty.js';
import { Devices, Lobby, showSettings } from '/lobby.js';
import { texts } from '/texts.js';

const element = (id) => document.getElementById(id);
const meeting = element('meeting');
const fragment = new URLSearchParams(location.hash.slice(1));
const asked = new URLSearchParams(location.search);
// In memory only: neither stored nor left in the address.
const token = fragment.get('token') ?? undefined;
if (token) history.replaceState(null, '', location.pathname + location.search);

const devices = new Devices();
const lobby = new Lobby(devices, join);
const narrow = matchMedia('(max-width: 52rem)');
let [room, panel, stage, encryption, beauty, screen, wakeLock, isJoining] = [];
let view = ['gallery', 'grid', 'speaker'].find((name) => name === asked.get('view')) ?? 'gallery';

/// A line of status, in the lobby or in the room.
let timer;
function show(text, isBad = false) {
  const line = element(meeting.hidden ? 'status' : 'notice');
  line.textContent = text;
  line.classList.toggle('bad', isBad);
  line.classList.toggle('good', !isBad);
  clearTimeout(timer);
  if (text && !isBad && !meeting.hidden) timer = setTimeout(() => { line.textContent = ''; }, 6000);
}

async function join() {
  if (isJoining || room) return;
  isJoining = true;
  element('join').disabled = true;
  const { room: place, name, secret } = lobby.fields;
  show(texts.joining);
  try {
    if (!devices.camera && !devices.problem) await devices.open();
    // With a secret it is encrypted or not at all.
    encryption = secret ? await FrameEncryption.create(secret, place, lobby.bits) : undefined;
    const role = asked.get('role') ?? (devices.camera || devices.microphone ? 'speaker' : 'viewer');
    const attributes = encryption && { encrypted: 'SFrame' };
    room = await Room.join('/rooms', { room: place, name, token, role, attributes, encryption });
    await enter(place);
  } catch (error) {
    encryption?.end();
    if (room) return room.leave();
    show('');
    const line = document.createElement('li');
    line.textContent = `${texts.joinFailed(error.code ?? '')} ${error.message}`;
    element('failures').append(line);
    while (element('failures').children.length > 5) element('failures').firstChild.remove();
  } finally {
    isJoining = false;
    element('join').disabled = false;
  }
}

async function enter(place) {
  element('failures').replaceChildren();
  show('');
  [element('lobby').hidden, meeting.hidden] = [true, false];
  element('title').textContent = place;
  document.title = `${place} – Rill`;
  const address = new URL(location.href);
  address.searchParams.set('room', place);
  history.replaceState(null, '', address);
  stage = new Stage(element('tiles'), room, {
    view, waiting: element('waiting'), bars: (areBelow) => meeting.classList.toggle('below', areBelow),
    ownFigures: () => texts.profile(devices.profile) + (beauty ? `, beauty ${beauty.milliseconds.toFixed(1)} ms` : ''),
  });
  panel = new ChatPanel(element('chat'), room, { show });
  setView(view);
  showPanel('message', !narrow.matches && view !== 'grid');
  room.on('change', showPeople);
  room.on('connection', (state) => show({ connecting: texts.interrupted }[state] ?? '', state === 'connecting'));
  room.on('trackEnded', (kind) => { if (kind === 'screen') shareScreen(false); else show(texts.cameraGone, true); });
  room.on('ended', leave);
  showPeople();
  keepAwake();
  const { camera, microphone, profile } = devices;
  const isMuted = view === 'speaker';
  const rights = room.participants.get(room.uid)?.rights ?? [];
  const mayPublish = (right) => rights.length === 0 || rights.includes(right) || rights.includes('publish');
  if (camera && asked.get('role') !== 'viewer' && mayPublish('video')) await room.publish('video', camera, { profile, muted: isMuted });
  if (microphone && asked.get('role') !== 'viewer' && mayPublish('sound')) await room.publish('sound', microphone, { muted: isMuted });
  showControls();
  if (devices.problem) show(texts.viewer(devices.problem), true);
}

function leave(reason) {
  encryption?.end();
  beauty?.end();
  screen?.stop();
  stage?.end();
  panel?.end();
  wakeLock?.release();
  devices.close();
  devices.dispatchEvent(new Event('change'));
  [room, stage, panel, beauty, screen, wakeLock, encryption] = [];
  showPanel();
  [element('lobby').hidden, meeting.hidden] = [false, true];
  document.title = `${texts.title} – Rill`;
  show(reason === 'left' ? '' : texts.over(reason), reason !== 'left');
  element('join').focus();
}

// MARK: Controls

function showControls() {
  if (!room) return;
  const own = room.participants.get(room.uid)?.media ?? new Map();
  for (const [id, kind] of [['microphone', 'sound'], ['camera', 'video']]) {
    element(id).hidden = !own.has(kind);
    element(id).setAttribute('aria-pressed', own.has(kind) && !own.get(kind).muted);
  }
  const isOn = own.has('video') && !own.get('video').muted;
  [element('turn').hidden, element('speaker').hidden, element('beauty').hidden] = [!isOn, isOn, !own.has('video')];
  element('speaker').setAttribute('aria-pressed', !stage.isSilent);
  element('screen').hidden = !navigator.mediaDevices?.getDisplayMedia || own.size === 0;
  for (const [id, isPressed] of [['screen', screen], ['beauty', beauty], ['numbers', stage.isNumbered]]) {
    element(id).setAttribute('aria-pressed', Boolean(isPressed));
  }
}

/// Shows the chat or the list of people beside the stage, one at a time; without an id, none.
function showPanel(id, isOpen = true) {
  for (const [button, target] of [['message', 'chat'], ['everybody', 'people']]) {
    const isThis = button === id && isOpen;
    const was = !element(target).hidden;
    element(target).hidden = !isThis;
    element(button).setAttribute('aria-expanded', isThis);
    if (target === 'chat' && was !== isThis) panel?.[isThis ? 'opened' : 'closed']?.();
  }
}

function showPeople() {
  showControls();
  const people = [...room?.participants.values() ?? []];
  element('people').firstElementChild.textContent = texts.people(people.length);
  element('people').lastElementChild.replaceChildren(...people.map(({ uid, name, role, media, presence }) => {
    const [line, states] = [document.createElement('li'), document.createElement('span')];
    line.textContent = uid === room.uid ? texts.you(name) : name;
    states.textContent = [
      texts[role] ?? role, role === 'viewer' && texts.audience, uid === room.speaker && texts.speaking,
      presence !== 'connected' && texts.away, media.get('sound')?.muted && texts.micOff, media.get('video')?.muted && texts.cameraOff,
    ].filter(Boolean).join(', ');
    line.append(states);
    return line;
  }));
}

function setView(name) {
  view = name;
  if (stage) stage.view = name;
  meeting.classList.remove('quietly');
  element('waiting').textContent = texts.waiting;
}

async function mute(kind) {
  await room.setMuted(kind, !room.isMuted(kind));
}

/// Sends this camera from now on: nobody sees black meanwhile.
async function change(kind, id) {
  if (kind === 'audiooutput') return stage?.playThrough(id);
  const former = kind === 'videoinput' ? devices.camera : devices.microphone;
  const track = await devices.other(kind, id);
  if (room && kind === 'videoinput') await send();
  else if (room) await room.replaceTrack('sound', track);
  former?.stop();
  return undefined;
}

/// Sends the camera, by way of the filter if it is on.
async function send() {
  const former = beauty;
  beauty = former && new Beauty(devices.camera);
  await room.replaceTrack('video', beauty?.track ?? devices.camera);
  former?.end();
}

async function switchBeauty() {
  const former = beauty;
  beauty = former ? undefined : new Beauty(devices.camera);
  await room.replaceTrack('video', beauty?.track ?? devices.camera);
  former?.end();
  showControls();
}

async function shareScreen(isOn = !screen) {
  if (isOn) {
    const stream = await navigator.mediaDevices.getDisplayMedia({ video: true });
    [screen] = stream.getVideoTracks();
    await room.publish('screen', screen);
  } else {
    screen?.stop();
    screen = undefined;
    await room.unpublish('screen');
  }
  showControls();
}

/// The device's screen stays on while one is in the room.
async function keepAwake() {
  if (document.hidden || !navigator.wakeLock || wakeLock && !wakeLock.released) return;
  const lock = wakeLock = await navigator.wakeLock.request('screen').catch(() => undefined);
  if (!room) lock?.release();
}

const actions = {
  microphone: () => mute('sound'), camera: () => mute('video'),
  turn: async () => { const id = await devices.next(); if (id) await change('videoinput', id); },
  speaker: () => { stage.isSilent = !stage.isSilent; showControls(); },
  screen: () => shareScreen(), beauty: switchBeauty,
  message: () => {
    showPanel('message', element('chat').hidden);
    // Not at the join: nobody has asked for a keyboard then.
    if (!element('chat').hidden) panel?.focus();
  },
  everybody: () => showPanel('everybody', element('people').hidden),
  numbers: () => { stage.isNumbered = !stage.isNumbered; showControls(); },
  setup: () => showSettings(devices, change),
  more: () => element('more').setAttribute('aria-expanded', element('others').classList.toggle('open')),
  leave: () => room.leave(),
  link: async () => {
    const link = new URL('/room', location.href);
    link.searchParams.set('room', element('title').textContent);
    await navigator.clipboard.writeText(link.href);
    show(texts.copied);
  },
};
for (const [id, action] of Object.entries(actions)) {
  element(id).addEventListener('click', async () => {
    try { await action(); } catch (error) { if (error.name !== 'NotAllowedError') show(error.message, true); }
  });
}
element('view').value = view;
element('view').addEventListener('change', ({ target }) => setView(target.value));
element('chat').addEventListener('close', () => showPanel());

// A click on the stage hides and shows all else. One that ends typing, or is half of a double click, does not.
let [wasTyping, click] = [];
const isTyping = () => document.activeElement?.matches('input, textarea, select');
element('stage').addEventListener('pointerdown', () => { wasTyping = isTyping(); }, true);
element('stage').addEventListener('click', ({ detail }) => {
  clearTimeout(click);
  if (wasTyping || detail > 1 || view === 'grid') return;
  click = setTimeout(() => meeting.classList.toggle('quietly'), 250);
});
addEventListener('keydown', () => meeting.classList.remove('quietly'));
document.addEventListener('visibilitychange', () => { if (room) keepAwake(); });
addEventListener('pagehide', () => room?.leave());
// The secret is never sent to a server.
lobby.set({ room: asked.get('room'), name: asked.get('name'), secret: fragment.get('secret'), bits: fragment.get('bits') });
const key = element('secret');
const warn = () => show(FrameEncryption.weakness(key.value) ?? '');
key.addEventListener('input', warn);
warn();
await devices.open();
if (devices.problem) show(texts.viewer(devices.problem), true);
// Who was given a key does not join in the clear unasked.
const isKeyless = fragment.has('secret') && !fragment.get('secret');
if (isKeyless) show(texts.keyless, true);
else if (asked.has('start') && asked.get('room')) await join();
