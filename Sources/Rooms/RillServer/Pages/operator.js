// What goes on in the rooms: who is there, what each gets, and why.
import { show, wait } from '/rill.js';

const rooms = document.getElementById('rooms');
const access = document.getElementById('access');
// In memory alone, from the link's fragment or the field.
let token = new URLSearchParams(location.hash.slice(1)).get('token');

const reasons = {
  wanted: 'as wanted', chosen: 'chosen by name', network: 'its network carries no more', publisher: 'no larger one is sent',
  keyFrame: 'waits for a key frame', paused: 'paused: its network does not carry the smallest',
};

const ask = (path, options = {}) =>
  fetch(path, { ...options, cache: 'no-store', headers: token ? { Authorization: `Bearer ${token}` } : {} });

function megabits(bits) { return bits === undefined ? 'unknown' : `${(bits / 1e6).toFixed(bits < 1e6 ? 2 : 1)} Mbit/s`; }

function cell(row, lines) {
  const cell = row.insertCell();
  for (const line of lines) cell.append(Object.assign(document.createElement('div'), { textContent: line }));
  return cell;
}

function layer({ name, width, height, framesPerSecond, bitrate, viewerCount }) {
  const size = width ? ` ${width}×${height} at ${Math.round(framesPerSecond)}/s, ${megabits(bitrate)}` : ', no picture yet';
  return `${name}${size}, to ${viewerCount}`;
}

function member(row, { uid, name, identity, role, presence, availableBitrate, roundTripTime, published, slots }, names) {
  const state = presence === 'connected' ? '' : `, ${presence}`;
  const who = cell(row, [`${name} (${uid})`, `${role}${identity ? `, ${identity}` : ', guest'}${state}`]);
  if (identity) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Revoke' });
    button.setAttribute('aria-label', `Revoke the tokens of ${identity}`);
    button.addEventListener('click', () => revoke(identity));
    who.append(button);
  }
  cell(row, [megabits(availableBitrate), roundTripTime === undefined ? '' : `${Math.round(roundTripTime)} ms`]);
  cell(row, published.flatMap(({ kind, isMuted, layers }) =>
    [`${kind}${isMuted ? ', muted' : ''}`, ...(kind === 'sound' ? [] : layers.map(layer))]));
  cell(row, slots.map(({ uid: shown, kind, layer: sent, reason }) =>
    `${names.get(shown) ?? shown} ${kind}: ${sent ?? 'nothing'}, ${reasons[reason] ?? reason}`));
}

function section({ name, isLocked, members }) {
  const section = document.getElementById('room').content.cloneNode(true);
  const count = members.length;
  section.querySelector('h2').textContent = `${name}: ${count} ${count === 1 ? 'member' : 'members'}${isLocked ? ', locked' : ''}`;
  const names = new Map(members.map(({ uid, name }) => [uid, name]));
  for (const one of members) member(section.querySelector('tbody').insertRow(), one, names);
  return section;
}

async function revoke(identity) {
  const response = await ask('/operator/revocations', { method: 'POST', body: JSON.stringify({ identity }) });
  if (!response.ok) return show(response.status === 403 ? 'This token may not revoke (rill token --operate).' : `Failed: ${response.status}`, true);
  const { sessions } = await response.json();
  show(`${identity} is out: ${sessions} ${sessions === 1 ? 'session' : 'sessions'} ended. Earlier tokens count no more.`);
  held = performance.now() + 5000;
  return draw();
}

let held = 0;
let shown = '';
async function draw() {
  const response = await ask('/operator/rooms');
  access.hidden = ![401, 403].includes(response.status);
  if (!response.ok) return show(access.hidden ? `The server answers ${response.status}.` : 'This needs a token.', !access.hidden);
  const text = await response.text();
  if (text !== shown) {
    shown = text;
    // The focus stays on the button that had it.
    const focused = rooms.contains(document.activeElement) && document.activeElement.getAttribute('aria-label');
    rooms.replaceChildren(...JSON.parse(text).rooms.map(section));
    if (focused) rooms.querySelector(`button[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }
  const count = JSON.parse(text).rooms.length;
  if (performance.now() > held) show(count === 0 ? 'Nobody is in a room.' : '');
  return undefined;
}

access.addEventListener('submit', (event) => {
  event.preventDefault();
  token = document.getElementById('token').value;
  draw();
});
for (;;) {
  try { await draw(); } catch { show('The server does not answer.', true); }
  await wait(document.hidden ? 10_000 : 1000);
}
