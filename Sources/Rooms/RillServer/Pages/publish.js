// Publishes the camera, in two layers: high as it is, low at 120 lines and 5 frames a second.
import { Connection, Rates, Standstill, replace, show } from '/rill.js';

const [form, video, start, stop] = ['form', 'video', 'start', 'stop'].map((id) => document.getElementById(id));
const { stream: name, camera, sound } = form.elements;
const rates = new Rates();
const standstill = new Standstill();
let media;
let connection;

async function listCameras() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  const chosen = camera.value;
  camera.replaceChildren(...devices.filter(({ kind }) => kind === 'videoinput').map(({ deviceId, label }, index) =>
    new Option(label || `Camera ${index + 1}`, deviceId, false, deviceId === chosen)));
}

async function openCamera() {
  const wanted = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } };
  if (camera.value) wanted.deviceId = { exact: camera.value };
  media = await navigator.mediaDevices.getUserMedia({ video: wanted, audio: sound.checked });
  video.srcObject = media;
  await listCameras();
}

function addLayers(peer) {
  const [track] = media.getVideoTracks();
  const lines = track.getSettings().height ?? 720;
  peer.addTransceiver(track, {
    direction: 'sendonly', streams: [media],
    sendEncodings: [
      // In this order, and each with a frame rate: Chromium takes the bitrates for those of the smallest layer first, and one
      // frame rate for that of all.
      { rid: 'low', scaleResolutionDownBy: Math.max(1, lines / 120), maxFramerate: 5, maxBitrate: 80_000 },
      { rid: 'high', maxFramerate: 30, maxBitrate: 1_500_000 },
    ],
  });
  for (const voice of media.getAudioTracks()) peer.addTransceiver(voice, { direction: 'sendonly', streams: [media] });
}

async function publish() {
  start.disabled = true;
  try {
    if (!navigator.mediaDevices) throw new Error('A browser gives pages a camera over HTTPS, or from localhost.');
    await openCamera();
  } catch (error) {
    start.disabled = false;
    return show(`No camera: ${error.message}`, true);
  }
  connection = new Connection('whip', name.value, addLayers, show);
  [start.hidden, stop.hidden, name.disabled, camera.disabled, sound.disabled] = [true, false, true, true, true];
  const link = document.getElementById('watch');
  link.href = `/watch?stream=${encodeURIComponent(name.value)}`;
  link.textContent = link.href;
  document.getElementById('link').hidden = false;
  await connection.start();
  close();
}

function close() {
  connection = undefined;
  for (const track of media?.getTracks() ?? []) track.stop();
  video.srcObject = null;
  for (const id of ['link', 'layers']) document.getElementById(id).hidden = true;
  [start.hidden, stop.hidden, name.disabled, camera.disabled] = [false, true, false, false];
  [sound.disabled, start.disabled] = [false, false];
}

async function showLayers() {
  if (!connection?.isConnected) return replace('Published.', 'The connection is interrupted …');
  const rows = [];
  let frames = 0;
  for (const report of (await connection.peer.getStats()).values()) {
    if (report.type !== 'outbound-rtp' || report.kind !== 'video') continue;
    const rate = rates.of(report.rid, { bytes: report.bytesSent, frames: report.framesEncoded });
    frames += report.framesEncoded ?? 0;
    rows.push([
      report.rid ?? 'video', report.frameWidth ? `${report.frameWidth}×${report.frameHeight}` : '–',
      rate.frames.toFixed(0), (rate.bytes * 8 / 1000).toFixed(0),
    ]);
  }
  show(standstill.of(frames) ? 'Published, but the camera gives no new picture.' : 'Published.');
  const table = document.getElementById('layers');
  table.hidden = rows.length === 0;
  table.tBodies[0].replaceChildren(...rows.sort(([a], [b]) => a.localeCompare(b)).map((row) => {
    const line = document.createElement('tr');
    for (const text of row) line.insertCell().textContent = text;
    return line;
  }));
}

form.addEventListener('submit', (event) => { event.preventDefault(); publish(); });
stop.addEventListener('click', () => { connection?.stop(); show('Not published.'); });
setInterval(showLayers, 1000);
const asked = new URLSearchParams(location.search);
if (asked.get('stream')) name.value = asked.get('stream');
navigator.mediaDevices?.enumerateDevices().then(listCameras);
if (asked.has('start')) publish();
