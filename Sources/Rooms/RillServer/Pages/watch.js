// Watches a stream, in the quality that the viewer chooses.
import { Connection, Rates, Standstill, replace, request, show } from '/rill.js';

const name = new URLSearchParams(location.search).get('stream') ?? 'lobby';
const video = document.getElementById('video');
const sound = document.getElementById('sound');
const choices = document.getElementById('layers');
const rates = new Rates();
const standstill = new Standstill();
let begin;
let firstPicture;
let wasHidden;

// A page that is hidden shows no pictures: the first one would seem to have come when somebody looked.
document.addEventListener('visibilitychange', () => { wasHidden ||= document.hidden; });

document.getElementById('title').textContent = name;
document.title = `${name} – Rill`;

const connection = new Connection('whep', name, (peer) => {
  [begin, firstPicture, wasHidden] = [performance.now(), undefined, document.hidden];
  peer.addTransceiver('video', { direction: 'recvonly' });
  peer.addTransceiver('audio', { direction: 'recvonly' });
  const stream = new MediaStream();
  peer.ontrack = ({ track }) => {
    stream.addTrack(track);
    if (track.kind !== 'video') return;
    video.srcObject = stream;
    video.requestVideoFrameCallback?.(() => { if (!wasHidden) firstPicture = performance.now() - begin; });
    const chosen = choices.querySelector(':checked').value;
    if (chosen) connection.select(chosen);
  };
}, show);

/// The layers that the publisher sends.
async function listLayers() {
  const response = await request('GET', '/streams').catch(() => null);
  if (!response?.ok) return;
  const layers = (await response.json()).find((stream) => stream.name === name)?.layers ?? [];
  const known = [...choices.querySelectorAll('input')].map((input) => input.value).filter(Boolean);
  const names = layers.length > 1 ? layers.map((layer) => layer.name) : [];
  if (known.join() === names.join()) return;
  const chosen = choices.querySelector(':checked').value;
  for (const label of [...choices.querySelectorAll('label')].slice(1)) label.remove();
  for (const layer of layers.filter(({ name }) => names.includes(name))) {
    const label = document.createElement('label');
    const input = Object.assign(document.createElement('input'), { type: 'radio', name: 'layer', value: layer.name });
    input.checked = layer.name === chosen;
    label.append(input, layer.width ? ` ${layer.name}, ${layer.width}×${layer.height}` : ` ${layer.name}`);
    choices.append(label);
  }
}

async function showNumbers() {
  if (!connection.isConnected) return replace('Live.', 'The connection is interrupted …');
  for (const report of (await connection.peer.getStats()).values()) {
    if (report.type !== 'inbound-rtp') continue;
    // The button is there once there is something to hear.
    if (report.kind === 'audio' && report.packetsReceived > 0) sound.hidden = false;
    if (report.kind !== 'video') continue;
    const rate = rates.of('video', { bytes: report.bytesReceived, frames: report.framesDecoded });
    const texts = [
      report.frameWidth ? `${report.frameWidth}×${report.frameHeight}` : '–', rate.frames.toFixed(0),
      (rate.bytes * 8 / 1000).toFixed(0), String(report.packetsLost ?? 0),
      firstPicture ? `${firstPicture.toFixed(0)} ms` : '–',
    ];
    const table = document.getElementById('numbers');
    table.hidden = false;
    [...table.tBodies[0].rows[0].cells].forEach((cell, index) => { cell.textContent = texts[index]; });
    const isStill = standstill.of(report.framesDecoded);
    if (!(report.framesDecoded > 0)) show('Connected: waiting for the first picture …');
    else show(isStill ? 'No new picture: waiting for the publisher …' : 'Live.');
  }
}

choices.addEventListener('change', ({ target }) => connection.select(target.value || null));
sound.addEventListener('click', () => {
  video.muted = !video.muted;
  sound.textContent = video.muted ? 'Turn sound on' : 'Turn sound off';
});
document.getElementById('full').addEventListener('click', () => video.requestFullscreen?.());
setInterval(showNumbers, 1000);
setInterval(listLayers, 2000);
listLayers();
connection.start();
